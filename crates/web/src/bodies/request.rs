//! Request bodies: counts the memory that they take against the budget of the tenant, and the time that requests wait
//! for them. All bodies are counted here, regardless of what reads them: the API, its uploads or the pages.

use std::cell::RefCell;
use std::future::poll_fn;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use actix_web::HttpMessage as _;
use actix_web::dev::{Payload, ServiceRequest};
use actix_web::error::PayloadError;
use actix_web::http::Method;
use actix_web::http::header::UPGRADE;
use actix_web::web::Bytes;
use futures_util::stream::Stream;
use steward_domain::kernel::work::Tenant;
use tokio::time::timeout;

use crate::bodies::read_ahead::{AwaitedBody, ReadAhead};
use crate::limits::byte_budget::{ByteBudget, Tally};
use crate::rejection::TooManyReceived;

/// A request that takes at most this many bytes is not counted.
const MAX_UNCOUNTED_BYTES: usize = 16 * 1024;
/// What a body counts as that is stored while it arrives: the parts that its handler holds at a time.
const STREAMED_BYTES: usize = 8 * 1024 * 1024;
/// How long a request waits for the next part of such a body, and how long the whole body may take.
const MAX_PAUSE: Duration = Duration::from_secs(30);
const MAX_STREAMED: Duration = Duration::from_secs(60 * 60);
/// Maximum time in which the rest of a rejected body is discarded.
const DRAIN_TIMEOUT: Duration = Duration::from_secs(30);
/// Maximum number of bytes of a rejected body that are read and discarded, so that the client can read the response.
pub const MAX_DRAINED_BYTES: usize = 8 * 1024 * 1024;

/// The body of a request. Its memory is released with the request.
#[derive(Clone)]
pub struct RequestBody(Rc<RefCell<State>>);

struct State {
    /// The rest of the body.
    payload: Payload,
    tally: Tally,
    /// How long the request waited for parts of the body that have arrived.
    waited: Duration,
    /// Since when the request has been waiting for the next part.
    waiting_since: Option<Instant>,
    started: Instant,
    /// When the last part of a body arrived that is stored while it arrives; `None` for other bodies.
    streamed_at: Option<Instant>,
}

impl RequestBody {
    /// Creates the body of a request of the tenant, which counts against the budget.
    pub fn new(payload: Payload, budget: ByteBudget, tenant: Tenant) -> Self {
        Self(Rc::new(RefCell::new(State {
            payload,
            tally: Tally::new(budget, tenant, MAX_UNCOUNTED_BYTES),
            waited: Duration::ZERO,
            waiting_since: None,
            started: Instant::now(),
            streamed_at: None,
        })))
    }

    /// Counts the body of a request of the tenant as it arrives. Returns `None` if it has none.
    pub(crate) fn receive(request: &mut ServiceRequest, budget: &ByteBudget, tenant: Tenant) -> Option<Self> {
        // Sync reads the messages of its connection, which it counts.
        if request.method() == Method::GET && request.headers().contains_key(UPGRADE) {
            return None;
        }
        let payload = request.take_payload();
        // No handler of GET reads a body, so it is discarded.
        if request.method() == Method::GET || matches!(payload, Payload::None) {
            return None;
        }
        let body = Self::new(payload, budget.clone(), tenant);
        let awaited = request.request().conn_data::<ReadAhead>().map(ReadAhead::body);
        let metered = MeteredPayload { body: body.clone(), awaited };
        request.set_payload(Payload::Stream { payload: Box::pin(metered) });
        Some(body)
    }

    /// Counts bytes that the body takes until the request ends: those that arrived, or those of its parsed values.
    pub fn count(&self, bytes: usize) -> Result<(), TooManyReceived> {
        let mut state = self.0.borrow_mut();
        if state.tally.is_exhausted() {
            return Err(TooManyReceived);
        }
        state.tally.count(bytes).map_err(|_| TooManyReceived)
    }

    /// Counts what the body takes if its handler stores the parts as they arrive, instead of the parts that arrive from
    /// now on. It has time as long as they arrive.
    pub fn stream(&self) -> Result<(), TooManyReceived> {
        let missing = STREAMED_BYTES.saturating_sub(self.0.borrow().tally.bytes());
        self.count(missing)?;
        self.0.borrow_mut().streamed_at = Some(Instant::now());
        Ok(())
    }

    /// Returns how long the body may take until its next part, since its request started. `None` if it is not stored
    /// while it arrives.
    pub fn streaming_time(&self) -> Option<Duration> {
        let state = self.0.borrow();
        let arrived = state.streamed_at?.saturating_duration_since(state.started);
        Some(arrived.saturating_add(MAX_PAUSE).min(MAX_STREAMED))
    }

    /// Counts a part of the body that has arrived.
    fn arrived(&self, bytes: usize) -> Result<(), TooManyReceived> {
        let mut state = self.0.borrow_mut();
        if let Some(streamed_at) = &mut state.streamed_at {
            *streamed_at = Instant::now();
            return Ok(());
        }
        drop(state);
        self.count(bytes)
    }

    /// Returns how long the request has waited for its body so far.
    pub fn waited(&self) -> Duration {
        let state = self.0.borrow();
        let waiting = state.waiting_since.map_or(Duration::ZERO, |since| since.elapsed());
        state.waited.saturating_add(waiting)
    }

    /// Returns whether it did not fit. Then its handler got no complete body.
    pub(crate) fn is_rejected(&self) -> bool {
        self.0.borrow().tally.is_exhausted()
    }

    fn poll(&self, context: &mut Context<'_>) -> Poll<Option<Result<Bytes, PayloadError>>> {
        Pin::new(&mut self.0.borrow_mut().payload).poll_next(context)
    }

    /// Releases the memory of a rejected body, which its handler has dropped, and discards the rest, so that the client
    /// can read the response.
    pub(crate) async fn drain(&self) {
        self.0.borrow_mut().tally.release(false);
        let rest = async {
            let mut drained = 0_usize;
            while drained < MAX_DRAINED_BYTES {
                let Some(Ok(bytes)) = poll_fn(|context| self.poll(context)).await else { return };
                drained = drained.saturating_add(bytes.len());
            }
        };
        timeout(DRAIN_TIMEOUT, rest).await.ok();
    }

    fn start_waiting(&self) {
        self.0.borrow_mut().waiting_since.get_or_insert_with(Instant::now);
    }

    fn stop_waiting(&self) {
        let waited = self.waited();
        let mut state = self.0.borrow_mut();
        (state.waited, state.waiting_since) = (waited, None);
    }
}

/// A payload that is counted as it arrives.
struct MeteredPayload {
    body: RequestBody,
    awaited: Option<AwaitedBody>,
}

impl Stream for MeteredPayload {
    type Item = Result<Bytes, PayloadError>;

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        // A body that was rejected must not look complete.
        if self.body.is_rejected() {
            return Poll::Ready(Some(Err(PayloadError::Overflow)));
        }
        if let Some(awaited) = &self.awaited {
            awaited.read();
        }
        let Poll::Ready(part) = self.body.poll(context) else {
            self.body.start_waiting();
            return Poll::Pending;
        };
        self.body.stop_waiting();
        Poll::Ready(match part {
            Some(Ok(bytes)) if self.body.arrived(bytes.len()).is_err() => Some(Err(PayloadError::Overflow)),
            part => part,
        })
    }
}

impl Drop for MeteredPayload {
    fn drop(&mut self) {
        self.body.stop_waiting();
    }
}

#[cfg(test)]
mod tests {
    use actix_web::rt::time::sleep;
    use futures_util::stream;
    use futures_util::{FutureExt as _, StreamExt as _};
    use tokio::sync::oneshot;

    use super::*;
    use crate::limits::byte_budget::MAX_BYTES_PER_TENANT;

    fn tenant() -> Tenant {
        Tenant::at_address([192, 0, 2, 1].into())
    }

    #[test]
    fn a_small_body_is_not_counted_and_a_large_one_is_counted_until_its_request_ends() {
        let budget = ByteBudget::default();
        let body = RequestBody::new(Payload::None, budget.clone(), tenant());
        body.count(MAX_UNCOUNTED_BYTES).unwrap();
        assert_eq!(budget.total(), 0);
        body.count(1).unwrap();
        body.count(100).unwrap();
        assert_eq!(budget.total(), MAX_UNCOUNTED_BYTES + 101);
        drop(body);
        assert_eq!(budget.total(), 0);
    }

    #[test]
    fn a_body_beyond_the_budget_of_its_tenant_stays_rejected() {
        let budget = ByteBudget::default();
        let other = budget.reserve(tenant(), MAX_BYTES_PER_TENANT - MAX_UNCOUNTED_BYTES).ok().unwrap();
        let body = RequestBody::new(Payload::None, budget.clone(), tenant());
        body.count(MAX_UNCOUNTED_BYTES).unwrap();
        assert_eq!(body.count(1), Err(TooManyReceived));
        drop(other);
        assert_eq!(body.count(1), Err(TooManyReceived), "A part of the body is missing.");
        assert_eq!(budget.total(), 0);
    }

    #[actix_web::test]
    async fn a_body_that_is_stored_while_it_arrives_counts_as_a_fixed_size_and_has_time_for_the_next_part() {
        const PART: usize = 1024 * 1024;
        let parts: Pin<Box<dyn Stream<Item = Result<Bytes, PayloadError>>>> =
            Box::pin(stream::repeat_with(|| Ok(Bytes::from(vec![b'x'; PART]))).take(64));
        let budget = ByteBudget::default();
        let body = RequestBody::new(Payload::from(parts), budget.clone(), tenant());
        let mut metered = MeteredPayload { body: body.clone(), awaited: None };
        assert!(matches!(metered.next().await, Some(Ok(_))));
        assert_eq!((budget.total(), body.streaming_time()), (PART, None));
        body.stream().unwrap();
        let first = body.streaming_time().unwrap();
        let received = metered.filter(|part| std::future::ready(part.is_ok())).count().await;
        assert_eq!((received, budget.total()), (63, STREAMED_BYTES));
        let last = body.streaming_time().unwrap();
        assert!(first >= MAX_PAUSE && last > first && last < MAX_STREAMED, "{first:?} {last:?}");
        let other = RequestBody::new(Payload::None, budget.clone(), tenant());
        let taken = budget.reserve(tenant(), MAX_BYTES_PER_TENANT - STREAMED_BYTES);
        assert_eq!(other.stream(), Err(TooManyReceived));
        drop(taken);
    }

    #[actix_web::test]
    async fn a_rejected_body_never_looks_complete() {
        let part = || Ok::<_, PayloadError>(Bytes::from(vec![b'x'; MAX_BYTES_PER_TENANT / 4 + 1]));
        let parts: Pin<Box<dyn Stream<Item = Result<Bytes, PayloadError>>>> =
            Box::pin(stream::iter([part(), part(), part(), part()]));
        let budget = ByteBudget::default();
        let body = RequestBody::new(Payload::from(parts), budget.clone(), tenant());
        let mut metered = MeteredPayload { body: body.clone(), awaited: None };
        for _ in 0..3 {
            assert!(matches!(metered.next().await, Some(Ok(_))));
        }
        for _ in 0..2 {
            assert!(matches!(metered.next().await, Some(Err(PayloadError::Overflow))));
        }
        assert!(body.is_rejected());
        body.drain().await;
        assert_eq!(budget.total(), 0);
    }

    #[actix_web::test]
    async fn only_the_time_in_which_a_body_is_awaited_counts_as_waiting() {
        const PAUSE: Duration = Duration::from_millis(20);
        let (sender, part) = oneshot::channel();
        let parts: Pin<Box<dyn Stream<Item = Result<Bytes, PayloadError>>>> =
            Box::pin(stream::once(async { Ok::<Bytes, PayloadError>(part.await.unwrap()) }));
        let body = RequestBody::new(Payload::from(parts), ByteBudget::default(), tenant());
        let mut metered = MeteredPayload { body: body.clone(), awaited: None };
        assert!(metered.next().now_or_never().is_none());
        let started = Instant::now();
        sleep(PAUSE).await;
        let pause = started.elapsed();
        sender.send(Bytes::from_static(b"x")).unwrap();
        let received = metered.next().await.unwrap().unwrap();
        assert!(metered.next().await.is_none());
        let waited = body.waited();
        assert!(waited >= pause, "{waited:?} of {pause:?}");
        sleep(PAUSE).await;
        assert_eq!(body.waited(), waited);
        assert_eq!(received, "x");
    }
}
