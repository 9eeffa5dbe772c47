//! The stream of a connection, which receives little at once and little ahead of the requests that read it.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};

use steward_web::ReadAhead;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, ReadBuf, Take};
use tokio::time::{Instant, Sleep, sleep};

use super::request_heads::{Next, RequestHeads};

/// Maximum number of bytes that are received before they are processed. The HTTP library keeps the buffer for as long as
/// the connection is open.
const MAX_BYTES: usize = 16 * 1024;

/// A stream that bounds what it receives.
pub struct BoundedStream<S> {
    stream: Take<S>,
    /// Bytes received since the task of the connection continued.
    received: usize,
    pub ahead: ReadAhead,
    pub heads: RequestHeads,
    /// Wakes the task of the connection when the head of a request may be late.
    timer: Option<Pin<Box<Sleep>>>,
}

impl<S: AsyncRead> BoundedStream<S> {
    pub fn new(stream: S, heads: RequestHeads) -> Self {
        Self { stream: stream.take(0), received: 0, ahead: ReadAhead::default(), heads, timer: None }
    }

    /// Returns whether no request has begun until the given time. The timer is reset when it wakes the task, not for each
    /// request.
    fn is_late(&mut self, until: Option<Instant>, context: &mut Context<'_>) -> bool {
        let longest = self.heads.longest_wait();
        let timer = self.timer.get_or_insert_with(|| Box::pin(sleep(longest)));
        if let Some(until) = until.filter(|until| *until < timer.deadline()) {
            timer.as_mut().reset(until);
        }
        while timer.as_mut().poll(context).is_ready() {
            let now = Instant::now();
            if until.is_some_and(|until| until <= now) {
                return true;
            }
            timer.as_mut().reset(until.unwrap_or(now + longest));
        }
        false
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for BoundedStream<S> {
    fn poll_read(self: Pin<&mut Self>, context: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        match this.heads.next(context) {
            Next::Receive(until) if !this.is_late(until, context) => {}
            Next::Wait => return Poll::Pending,
            // The connection ends as if the client had closed it.
            Next::Receive(_) | Next::End => return Poll::Ready(Ok(())),
        }
        if !this.ahead.may_receive(context) {
            this.received = 0;
            return Poll::Pending;
        }
        let Some(rest) = MAX_BYTES.checked_sub(this.received).filter(|rest| *rest > 0) else {
            // The task continues with what it has, and comes back.
            this.received = 0;
            context.waker().wake_by_ref();
            return Poll::Pending;
        };
        this.stream.set_limit(u64::try_from(rest).unwrap_or_default());
        let before = buffer.filled().len();
        let polled = Pin::new(&mut this.stream).poll_read(context, buffer);
        let bytes = buffer.filled().len().saturating_sub(before);
        this.ahead.received(bytes);
        this.heads.received(bytes);
        this.received = if polled.is_pending() { 0 } else { this.received.saturating_add(bytes) };
        polled
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncWrite for BoundedStream<S> {
    fn poll_write(self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(self.get_mut().stream.get_mut()).poll_write(context, bytes)
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(self.get_mut().stream.get_mut()).poll_flush(context)
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(self.get_mut().stream.get_mut()).poll_shutdown(context)
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(self.get_mut().stream.get_mut()).poll_write_vectored(context, slices)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.get_ref().is_write_vectored()
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::AsyncReadExt as _;

    use std::time::Duration;

    use super::super::request_heads::{HeadBudget, Timeouts};
    use super::*;

    #[tokio::test]
    async fn everything_is_received_in_small_parts() {
        let sent: Vec<u8> = (0..100_000_u32).map(|number| number.to_le_bytes()[0]).collect();
        let timeouts = Timeouts { head: Duration::from_secs(10), keep_alive: Duration::from_secs(75) };
        let heads = RequestHeads::new(HeadBudget::default(), timeouts);
        let mut stream = BoundedStream::new(sent.as_slice(), heads);
        let (mut received, mut buffer) = (Vec::new(), vec![0; 100_000]);
        loop {
            match stream.read(&mut buffer).await.unwrap() {
                0 => break,
                count => {
                    assert!(count <= MAX_BYTES);
                    received.extend_from_slice(&buffer[..count]);
                }
            }
        }
        assert_eq!(received, sent);
    }
}
