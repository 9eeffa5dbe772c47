//! A network that can be interrupted.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::io::copy_bidirectional;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::{AbortHandle, JoinSet};

/// Passes connections on to the service, and ends them.
pub struct Proxy {
    port: u16,
    target: u16,
    accepted: Arc<AtomicUsize>,
    listening: Option<AbortHandle>,
}

impl Proxy {
    /// Starts a proxy of the service at this URL.
    pub async fn start(url: &str) -> Self {
        let target = url.rsplit(':').next().unwrap().parse().unwrap();
        let mut proxy = Self { port: 0, target, accepted: Arc::default(), listening: None };
        proxy.restore().await;
        proxy
    }

    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// Number of connections so far.
    pub fn accepted(&self) -> usize {
        self.accepted.load(Ordering::Relaxed)
    }

    /// Accepts connections again.
    pub async fn restore(&mut self) {
        let listener = TcpListener::bind(("127.0.0.1", self.port)).await.unwrap();
        self.port = listener.local_addr().unwrap().port();
        let (target, accepted) = (self.target, self.accepted.clone());
        let task = tokio::spawn(async move {
            // Dropped with the task, which ends all connections.
            let mut connections = JoinSet::new();
            loop {
                let (mut device, _) = listener.accept().await.unwrap();
                accepted.fetch_add(1, Ordering::Relaxed);
                connections.spawn(async move {
                    let mut service = TcpStream::connect(("127.0.0.1", target)).await.unwrap();
                    drop(copy_bidirectional(&mut device, &mut service).await);
                });
            }
        });
        self.listening = Some(task.abort_handle());
    }

    /// Ends all connections, and accepts no others.
    pub fn interrupt(&mut self) {
        if let Some(task) = self.listening.take() {
            task.abort();
        }
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.interrupt();
    }
}
