//! Blocking work in a thread.

use std::thread;

use anyhow::Context as _;
use tokio::sync::oneshot;

/// Runs blocking work in a thread, so that a signal is noticed while it runs. The end of the process does not wait for it.
pub async fn in_thread<T: Send + 'static>(
    work: impl FnOnce() -> anyhow::Result<T> + Send + 'static,
) -> anyhow::Result<T> {
    let (sender, receiver) = oneshot::channel();
    // If nobody waits for the result any more, it is dropped.
    thread::spawn(move || drop(sender.send(work())));
    receiver.await.context("A thread failed")?
}
