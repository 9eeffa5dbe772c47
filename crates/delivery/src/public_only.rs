//! Resolving names without reaching private networks.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;

use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use steward_domain::administration::is_public;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// The error for an address in a private network.
pub(crate) const PRIVATE: &str = "The address is in a private network.";

/// Resolves names to public addresses only. It runs when the connection is made, so that changing a DNS record after a
/// check has no effect.
pub(crate) struct PublicOnly {
    lookups: Arc<Semaphore>,
}

impl PublicOnly {
    /// Resolves at most this many names at once. Further ones wait.
    pub(crate) fn at_most(count: usize) -> Self {
        Self { lookups: Arc::new(Semaphore::new(count)) }
    }
}

impl Resolve for PublicOnly {
    fn resolve(&self, name: Name) -> Resolving {
        let lookups = self.lookups.clone();
        Box::pin(async move {
            let permit = lookups.acquire_owned().await?;
            let found = addresses(name.as_str().to_owned(), permit).await?;
            let public: Vec<SocketAddr> = found.into_iter().filter(|address| is_public(address.ip())).collect();
            if public.is_empty() {
                return Err(PRIVATE.into());
            }
            let addresses: Addrs = Box::new(public.into_iter());
            Ok(addresses)
        })
    }
}

/// Returns the addresses of a host. The lookup goes on if the caller gives up, and keeps its permit: its thread is not free
/// before.
pub(crate) async fn addresses(host: String, permit: OwnedSemaphorePermit) -> io::Result<Vec<SocketAddr>> {
    let lookup = tokio::spawn(async move {
        let found = tokio::net::lookup_host((host, 0)).await;
        drop(permit);
        found.map(Iterator::collect)
    });
    lookup.await?
}
