//! Bounds what connections send while no request is running: the heads of requests. By itself, the HTTP library holds up to
//! 128 KiB of a head, and waits forever for the rest unless it is the first one of the connection.

use std::cell::{Cell, RefCell};
use std::pin::Pin;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use actix_http::body::{BodySize, MessageBody};
use actix_web::web::Bytes;
use pin_project_lite::pin_project;
use tokio::time::Instant;

/// How long the head of a request may take from its first byte, and how long a connection without requests stays open.
#[derive(Debug, Clone, Copy)]
pub struct Timeouts {
    pub head: Duration,
    pub keep_alive: Duration,
}

/// A head is not counted until it has more bytes.
const MAX_UNCOUNTED_BYTES: usize = 16 * 1024;
/// Maximum number of bytes of a head that the HTTP library holds.
const MAX_HEAD_BYTES: usize = 128 * 1024;
/// Maximum number of bytes of all counted heads.
const MAX_BYTES: usize = 16 * 1024 * 1024;
/// Maximum number of bytes that are received while a request without a body is running.
const MAX_AHEAD_BYTES: usize = 32 * 1024;

/// The memory of the heads of all connections. Clones share the count.
#[derive(Clone, Default)]
pub struct HeadBudget(Arc<AtomicUsize>);

impl HeadBudget {
    /// Returns whether this many more bytes are within the limit, and counts them.
    fn reserve(&self, bytes: usize) -> bool {
        let add = |total: usize| total.checked_add(bytes).filter(|total| *total <= MAX_BYTES);
        self.0.fetch_update(Ordering::AcqRel, Ordering::Acquire, add).is_ok()
    }

    fn release(&self, bytes: usize) {
        self.0.fetch_sub(bytes, Ordering::AcqRel);
    }
}

/// The state of a connection: which request is running, and what was received for the next one. Clones share it.
#[derive(Clone)]
pub struct RequestHeads(Rc<State>);

struct State {
    timeouts: Timeouts,
    budget: HeadBudget,
    /// Bytes of the head that are counted.
    counted: Cell<usize>,
    /// Bytes received since the last request began, or ended.
    bytes: Cell<usize>,
    /// Number of requests that have begun and whose responses are not complete.
    running: Cell<usize>,
    has_body: Cell<bool>,
    has_head_begun: Cell<bool>,
    /// When the connection ends unless a request begins. `None` while a request is running, and before the first one.
    until: Cell<Option<Instant>>,
    is_exhausted: Cell<bool>,
    waiting: RefCell<Option<Waker>>,
}

/// What a connection does next.
#[derive(Debug, PartialEq, Eq)]
pub enum Next {
    /// It receives more. If no request has begun until this time, it ends.
    Receive(Option<Instant>),
    /// It receives nothing until the running request ends.
    Wait,
    /// It ends, because the heads of all connections take too much memory.
    End,
}

impl RequestHeads {
    pub fn new(budget: HeadBudget, timeouts: Timeouts) -> Self {
        Self(Rc::new(State {
            timeouts,
            budget,
            counted: Cell::default(),
            bytes: Cell::default(),
            running: Cell::default(),
            has_body: Cell::default(),
            has_head_begun: Cell::default(),
            until: Cell::default(),
            is_exhausted: Cell::default(),
            waiting: RefCell::default(),
        }))
    }

    /// Returns what the connection does next. The task of a connection that waits is woken.
    pub fn next(&self, context: &Context<'_>) -> Next {
        let state = &self.0;
        if state.is_exhausted.get() {
            return Next::End;
        }
        let is_ahead = state.bytes.get() >= MAX_AHEAD_BYTES;
        if state.running.get() > 0 && !state.has_body.get() && is_ahead {
            *state.waiting.borrow_mut() = Some(context.waker().clone());
            return Next::Wait;
        }
        Next::Receive(state.until.get())
    }

    /// How long a connection may go on without a request, at most.
    pub fn longest_wait(&self) -> Duration {
        self.0.timeouts.keep_alive.saturating_add(self.0.timeouts.head)
    }

    /// Counts bytes that were received.
    pub fn received(&self, bytes: usize) {
        let state = &self.0;
        state.bytes.set(state.bytes.get().saturating_add(bytes));
        if state.running.get() > 0 || bytes == 0 {
            return;
        }
        if !state.has_head_begun.replace(true) {
            let until = Instant::now() + state.timeouts.head;
            state.until.set(Some(state.until.get().map_or(until, |earlier| earlier.min(until))));
        }
        let counted = state.bytes.get().min(MAX_HEAD_BYTES).saturating_sub(MAX_UNCOUNTED_BYTES);
        let more = counted.saturating_sub(state.counted.get());
        if state.budget.reserve(more) {
            state.counted.set(state.counted.get().saturating_add(more));
        } else {
            state.is_exhausted.set(true);
        }
    }

    /// Begins a request, whose head is complete.
    pub fn begin(&self, has_body: bool) -> RunningRequest {
        let state = &self.0;
        state.running.set(state.running.get().saturating_add(1));
        state.has_body.set(has_body);
        state.has_head_begun.set(false);
        state.until.set(None);
        state.reset();
        RunningRequest(self.clone())
    }
}

impl State {
    /// Forgets the bytes that were received.
    fn reset(&self) {
        self.bytes.set(0);
        self.budget.release(self.counted.take());
    }
}

impl Drop for State {
    fn drop(&mut self) {
        self.reset();
    }
}

/// A request that is running until this is dropped.
pub struct RunningRequest(RequestHeads);

impl Drop for RunningRequest {
    fn drop(&mut self) {
        let state = &self.0.0;
        state.running.set(state.running.get().saturating_sub(1));
        if state.running.get() == 0 {
            // A part of the next head may have been received. The HTTP library ends only a connection that has none.
            state.until.set(Some(Instant::now() + self.0.longest_wait()));
            state.reset();
        }
        if let Some(waker) = state.waiting.borrow_mut().take() {
            waker.wake();
        }
    }
}

pin_project! {
    /// The body of a response. Its request is running until it is sent.
    pub struct RunningBody<B> {
        #[pin]
        pub body: B,
        pub running: Option<RunningRequest>,
    }
}

impl<B: MessageBody> MessageBody for RunningBody<B> {
    type Error = B::Error;

    fn size(&self) -> BodySize {
        self.body.size()
    }

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Result<Bytes, B::Error>>> {
        self.project().body.poll_next(context)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TIMEOUTS: Timeouts = Timeouts { head: Duration::from_secs(10), keep_alive: Duration::from_secs(75) };

    fn next(heads: &RequestHeads) -> Next {
        heads.next(&Context::from_waker(Waker::noop()))
    }

    /// Returns until when the connection waits for a request, and for how long if that was just decided.
    fn wait(heads: &RequestHeads) -> Option<(Instant, Duration)> {
        match next(heads) {
            Next::Receive(until) => until.map(|until| (until, until - Instant::now())),
            other => panic!("{other:?}"),
        }
    }

    /// Returns whether the connection waits for about this time.
    fn waits_for(heads: &RequestHeads, time: Duration) -> bool {
        wait(heads).is_some_and(|(_, wait)| wait <= time && wait > time / 2)
    }

    #[test]
    fn a_head_must_arrive_in_time_on_a_connection_of_any_age() {
        let heads = RequestHeads::new(HeadBudget::default(), TIMEOUTS);
        assert_eq!(wait(&heads), None, "The HTTP library limits the first head.");
        heads.received(10);
        assert!(waits_for(&heads, TIMEOUTS.head));
        let (until, _) = wait(&heads).unwrap();
        heads.received(10);
        assert_eq!(wait(&heads).unwrap().0, until, "Further bytes do not extend the time.");
        let request = heads.begin(true);
        heads.received(1_000_000);
        assert_eq!(wait(&heads), None);
        drop(request);
        assert!(waits_for(&heads, TIMEOUTS.keep_alive + TIMEOUTS.head));
        heads.received(1);
        assert!(waits_for(&heads, TIMEOUTS.head));
    }

    #[test]
    fn large_heads_share_a_budget_until_their_requests_begin() {
        let budget = HeadBudget::default();
        let connect = || RequestHeads::new(budget.clone(), TIMEOUTS);
        let small = connect();
        small.received(MAX_UNCOUNTED_BYTES);
        assert_eq!(budget.0.load(Ordering::Relaxed), 0);
        let count = MAX_BYTES / (MAX_HEAD_BYTES - MAX_UNCOUNTED_BYTES);
        let large: Vec<_> = (0..=count).map(|_| connect()).collect();
        large.iter().for_each(|heads| heads.received(1_000_000));
        let (last, others) = large.split_last().unwrap();
        assert_eq!(next(last), Next::End);
        assert!(others.iter().all(|heads| next(heads) != Next::End));
        drop(others[0].begin(false));
        let another = connect();
        another.received(MAX_HEAD_BYTES);
        assert_ne!(next(&another), Next::End);
        drop((small, large, another));
        assert_eq!(budget.0.load(Ordering::Relaxed), 0);
    }

    #[test]
    fn a_connection_receives_little_ahead_of_a_request_without_a_body() {
        let heads = RequestHeads::new(HeadBudget::default(), TIMEOUTS);
        let request = heads.begin(false);
        heads.received(MAX_AHEAD_BYTES - 1);
        assert_eq!(next(&heads), Next::Receive(None));
        heads.received(1);
        assert_eq!(next(&heads), Next::Wait);
        drop(request);
        assert_ne!(next(&heads), Next::Wait);
        let _request = heads.begin(true);
        heads.received(MAX_AHEAD_BYTES);
        assert_eq!(next(&heads), Next::Receive(None), "What reads the body limits it.");
    }
}
