//! Resolving names without reaching private networks.

use std::net::SocketAddr;

use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use steward_domain::model::is_public;

/// The error for an address in a private network.
pub(crate) const PRIVATE: &str = "The address is in a private network.";

/// Resolves names to public addresses only. It runs when the connection is made, so that changing a DNS record after a
/// check has no effect.
pub(crate) struct PublicOnly;

impl Resolve for PublicOnly {
    fn resolve(&self, name: Name) -> Resolving {
        Box::pin(async move {
            let found: Vec<SocketAddr> = tokio::net::lookup_host((name.as_str(), 0)).await?.collect();
            let public: Vec<SocketAddr> = found.into_iter().filter(|address| is_public(address.ip())).collect();
            if public.is_empty() {
                return Err(PRIVATE.into());
            }
            let addresses: Addrs = Box::new(public.into_iter());
            Ok(addresses)
        })
    }
}
