//! Bounds the memory of messages that wait until a device reads them. The channel of a WebSocket bounds only how many
//! messages wait, and its body takes all of them at once.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll};

use actix_web::body::{BodySize, BoxBody, MessageBody};
use actix_web::web::Bytes;
use tokio::sync::Notify;

/// Maximum size of the waiting messages of a connection, in bytes. A larger message waits alone.
const MAX_BYTES: usize = 1024 * 1024;

/// The size of the messages that were sent and not written to the network.
#[derive(Debug, Default)]
pub(super) struct Unsent {
    bytes: AtomicUsize,
    wake: Notify,
}

impl Unsent {
    /// Waits until there is space for a message, and takes it. Only one task may wait.
    pub(super) async fn add(&self, bytes: usize) {
        loop {
            let waiting = self.bytes.load(Ordering::Acquire);
            if waiting == 0 || waiting.saturating_add(bytes) <= MAX_BYTES {
                break;
            }
            self.wake.notified().await;
        }
        self.bytes.fetch_add(bytes, Ordering::AcqRel);
    }

    fn remove(&self, bytes: usize) {
        let subtract = |waiting: usize| Some(waiting.saturating_sub(bytes));
        self.bytes.fetch_update(Ordering::AcqRel, Ordering::Acquire, subtract).ok();
        self.wake.notify_one();
    }
}

/// The body of a connection, which counts what is written to the network.
pub(super) struct CountedBody {
    body: BoxBody,
    unsent: Arc<Unsent>,
    /// Size of the last chunk.
    taken: usize,
}

impl CountedBody {
    pub(super) fn new(body: BoxBody, unsent: Arc<Unsent>) -> Self {
        Self { body, unsent, taken: 0 }
    }
}

impl MessageBody for CountedBody {
    type Error = <BoxBody as MessageBody>::Error;

    fn size(&self) -> BodySize {
        self.body.size()
    }

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Result<Bytes, Self::Error>>> {
        let this = self.get_mut();
        // The next chunk is requested once almost all of the last one is written.
        let written = std::mem::take(&mut this.taken);
        if written > 0 {
            this.unsent.remove(written);
        }
        let next = Pin::new(&mut this.body).poll_next(context);
        if let Poll::Ready(Some(Ok(chunk))) = &next {
            this.taken = chunk.len();
        }
        next
    }
}

impl Drop for CountedBody {
    /// Nothing waits for a connection that has ended.
    fn drop(&mut self) {
        self.unsent.remove(usize::MAX);
    }
}

#[cfg(test)]
mod tests {
    use std::future::poll_fn;

    use tokio::time::{Duration, timeout};

    use super::*;

    async fn waits(unsent: &Unsent, bytes: usize) -> bool {
        timeout(Duration::from_millis(10), unsent.add(bytes)).await.is_err()
    }

    #[tokio::test]
    async fn a_message_waits_until_those_before_it_are_written() {
        let unsent = Arc::new(Unsent::default());
        assert!(!waits(&unsent, MAX_BYTES).await && waits(&unsent, 1).await);
        let body = BoxBody::new(Bytes::from(vec![0; MAX_BYTES]));
        let mut body = CountedBody::new(body, unsent.clone());
        poll_fn(|context| Pin::new(&mut body).poll_next(context)).await.unwrap().unwrap();
        assert!(waits(&unsent, 1).await, "The chunk is not written yet.");
        assert!(poll_fn(|context| Pin::new(&mut body).poll_next(context)).await.is_none());
        assert!(!waits(&unsent, 2 * MAX_BYTES).await && waits(&unsent, 1).await);
        drop(body);
        assert!(!waits(&unsent, 1).await);
    }
}
