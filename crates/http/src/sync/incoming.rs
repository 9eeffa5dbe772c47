//! What a device sends: joins the parts of messages, and counts the memory that they take against the budget of the
//! tenant, from the first byte of a connection that nobody has authenticated yet.

use std::cell::RefCell;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll};

use actix_web::dev::Payload;
use actix_web::error::PayloadError;
use actix_web::web::Bytes;
use futures_util::stream::Stream;
use steward_domain::kernel::work::Tenant;

use super::frames::{Frames, Part, ReceiveError};
use super::message;
use steward_web::{AwaitedBody, ByteBudget, Exhausted, Tally};

/// Maximum size of the first message, in bytes.
pub(super) const MAX_FIRST_BYTES: usize = 64 * 1024;
/// Maximum number of frames until the device is authenticated. Each takes time, however small it is.
const MAX_FIRST_FRAMES: usize = 128;
/// What a connection takes before its device is authenticated, in bytes. Limits the connections of a network.
const UNIDENTIFIED_BYTES: usize = 32 * 1024;
/// A message of an authenticated device that takes at most this many bytes is not counted.
const MAX_UNCOUNTED_BYTES: usize = 16 * 1024;
/// Memory that a parsed value takes in addition to its text, in bytes.
const VALUE_BYTES: usize = 128;
/// Maximum number of values of a message that is parsed at once.
const MAX_VALUES: usize = 100_000;

impl From<Exhausted> for ReceiveError {
    fn from(_: Exhausted) -> Self {
        Self::Exhausted
    }
}

/// What a device sent.
pub(super) enum Received {
    Text(String),
    /// The start of a message that is too large to be held. [`Incoming::more`] returns the rest.
    Long {
        bytes: Vec<u8>,
        is_last: bool,
    },
    Ping(Bytes),
    Pong,
    Binary,
    Closed,
}

/// The messages of one connection.
pub(super) struct Incoming {
    frames: Frames,
    /// The memory that was reserved since the last message.
    held: Rc<RefCell<Tally>>,
    is_authenticated: bool,
    /// The text that arrived of a message that is not complete.
    text: Vec<u8>,
    /// Whether a message was returned. What it took is released when the next one is received.
    is_delivered: bool,
}

impl Incoming {
    /// Reads from the payload of a request that opens a connection. Reserves what a connection takes before its device
    /// is authenticated, and accepts only a small first message.
    pub(super) fn new(
        budget: &ByteBudget,
        tenant: Tenant,
        payload: Payload,
        awaited: Option<AwaitedBody>,
    ) -> Result<Self, Exhausted> {
        let held = Rc::new(RefCell::new(Tally::reserved(budget.clone(), tenant, UNIDENTIFIED_BYTES)?));
        let frames = Frames::new(Box::pin(CountedPayload { payload, awaited, held: held.clone() }));
        Ok(Self { frames, held, is_authenticated: false, text: Vec::new(), is_delivered: false })
    }

    /// Accepts messages of any size from now on, and counts them against the budget of the device's tenant.
    pub(super) fn authenticated(&mut self, tenant: Tenant) {
        self.held.borrow_mut().restart(tenant, MAX_UNCOUNTED_BYTES);
        (self.is_authenticated, self.is_delivered) = (true, false);
    }

    /// Returns the next message. Nothing is lost if the returned future is dropped.
    pub(super) async fn receive(&mut self) -> Result<Received, ReceiveError> {
        if std::mem::take(&mut self.is_delivered) && self.text.is_empty() {
            self.release();
        }
        let received = loop {
            let part = self.frames.next().await.map_err(|error| self.failed(error))?;
            if !self.is_authenticated && self.frames.begun > MAX_FIRST_FRAMES {
                return Err(ReceiveError::TooManyFrames);
            }
            match part {
                Part::Text { bytes, announced, is_last } => {
                    if let Some(received) = self.joined(&bytes, announced, is_last)? {
                        break received;
                    }
                }
                Part::Binary => break Received::Binary,
                Part::Ping(bytes) => break Received::Ping(bytes),
                Part::Pong => break Received::Pong,
                Part::Close => break Received::Closed,
            }
        };
        self.is_delivered = true;
        Ok(received)
    }

    /// Returns the next part of a long message, or a control frame in between. Nothing is lost if the returned future is
    /// dropped.
    pub(super) async fn more(&mut self) -> Result<Part, ReceiveError> {
        self.frames.next().await.map_err(|error| self.failed(error))
    }

    /// Counts only this many bytes of what arrived, because the others are not held any more.
    pub(super) fn hold(&mut self, bytes: usize) -> Result<(), ReceiveError> {
        self.release();
        Ok(self.held.borrow_mut().count(bytes)?)
    }

    /// Releases what arrived, because it is not held any more.
    fn release(&mut self) {
        self.held.borrow_mut().release(!self.is_authenticated);
    }

    /// Counts this many values that are parsed, until the next release.
    pub(super) fn count_parsed(&mut self, values: usize) -> Result<(), ReceiveError> {
        Ok(self.held.borrow_mut().count(values.saturating_mul(VALUE_BYTES))?)
    }

    /// Adds a part of a text. Returns the message if it is complete or too large to be held.
    fn joined(&mut self, bytes: &[u8], announced: u64, is_last: bool) -> Result<Option<Received>, ReceiveError> {
        self.text.extend_from_slice(bytes);
        let announced = usize::try_from(announced).unwrap_or(usize::MAX);
        if !self.is_authenticated && self.text.len().saturating_add(announced) > MAX_FIRST_BYTES {
            return Err(ReceiveError::TooLarge);
        }
        let is_long = self.text.len() > message::MAX_BYTES;
        if !is_last && !is_long {
            return Ok(None);
        }
        let text = std::mem::take(&mut self.text);
        if is_long || self.is_authenticated && values(&text) > MAX_VALUES {
            return Ok(Some(Received::Long { bytes: text, is_last }));
        }
        self.count_parsed(values(&text))?;
        String::from_utf8(text).map(Received::Text).map(Some).map_err(|_| ReceiveError::Protocol)
    }

    fn failed(&self, error: ReceiveError) -> ReceiveError {
        if self.held.borrow().is_exhausted() { ReceiveError::Exhausted } else { error }
    }
}

/// Returns at least the number of values in a JSON text.
pub(super) fn values(text: &[u8]) -> usize {
    text.iter().filter(|byte| matches!(byte, b',' | b':' | b'[' | b'{')).count().saturating_add(1)
}

/// The payload of a connection, counted as it arrives.
struct CountedPayload {
    payload: Payload,
    awaited: Option<AwaitedBody>,
    held: Rc<RefCell<Tally>>,
}

impl Stream for CountedPayload {
    type Item = Result<Bytes, PayloadError>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        if let Some(awaited) = &self.awaited {
            awaited.read();
        }
        let polled = Pin::new(&mut self.payload).poll_next(context);
        if let Poll::Ready(Some(Ok(bytes))) = &polled
            && self.held.borrow_mut().count(bytes.len()).is_err()
        {
            return Poll::Ready(Some(Err(PayloadError::Overflow)));
        }
        polled
    }
}
