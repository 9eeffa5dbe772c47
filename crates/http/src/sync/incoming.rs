//! What a device sends: joins the fragments of messages, and counts the memory that they take against the budget of the
//! tenant, from the first byte of a connection that nobody has authenticated yet.

use std::cell::RefCell;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll};

use actix_web::dev::Payload;
use actix_web::error::PayloadError;
use actix_web::web::{self, Bytes};
use actix_web::{FromRequest as _, HttpRequest};
use actix_ws::{Item, Message, MessageStream, ProtocolError};
use futures_util::stream::Stream;
use steward_domain::work::Tenant;

use super::message;
use crate::middleware::byte_budget::{ByteBudget, Exhausted, Reservation};

/// Maximum size of the first message, in bytes.
pub(super) const MAX_FIRST_BYTES: usize = 64 * 1024;
/// What a connection takes before its device is authenticated, in bytes. Limits the connections of a network.
const UNIDENTIFIED_BYTES: usize = 32 * 1024;
/// A message of an authenticated device that takes at most this many bytes is not counted.
const MAX_UNCOUNTED_BYTES: usize = 16 * 1024;
/// Maximum number of bytes that are decoded at once. Each frame takes more memory than its bytes, and an empty one has 6.
const MAX_DECODED_BYTES: usize = 8 * 1024;

type BoxedPayload = Pin<Box<dyn Stream<Item = Result<Bytes, PayloadError>>>>;

/// What a device sent.
pub(super) enum Received {
    Text(String),
    Ping(Bytes),
    Pong,
    Binary,
    Closed,
}

/// Why nothing more can be received.
#[derive(Debug)]
pub(super) enum ReceiveError {
    /// The message is larger than this number of bytes.
    TooLarge(usize),
    /// The messages of the tenant take too much memory.
    Exhausted,
    /// The connection was lost.
    Lost,
    /// A frame violates the protocol.
    Protocol,
}

/// The memory that a connection has reserved.
struct Held {
    budget: ByteBudget,
    tenant: Tenant,
    /// Bytes that arrived since the last message.
    pending: usize,
    /// Bytes that are not counted one by one.
    uncounted: usize,
    reservation: Option<Reservation>,
    is_exhausted: bool,
}

impl Held {
    /// Counts bytes that arrived, or that are copied.
    fn count(&mut self, bytes: usize) -> Result<(), Exhausted> {
        self.pending = self.pending.saturating_add(bytes);
        let counted = match &mut self.reservation {
            Some(reservation) if self.pending > self.uncounted => reservation.grow(bytes),
            None if self.pending > self.uncounted => {
                self.budget.reserve(self.tenant, self.pending).map(|new| self.reservation = Some(new))
            }
            _ => Ok(()),
        };
        counted.inspect_err(|_| self.is_exhausted = true)
    }
}

/// The messages of one connection.
pub(super) struct Incoming {
    /// `None` only while its limit changes.
    stream: Option<MessageStream>,
    held: Rc<RefCell<Held>>,
    max_bytes: usize,
    /// The fragments of a text that is not complete.
    text: Option<Vec<u8>>,
    /// Whether a message was returned. What it took is released when the next one is received.
    is_delivered: bool,
}

/// The payload of a request that opens a connection, counted as it arrives.
pub(super) struct MeteredPayload {
    payload: web::Payload,
    held: Rc<RefCell<Held>>,
}

/// Reserves what a connection takes before its device is authenticated.
pub(super) async fn metered(
    budget: &ByteBudget,
    tenant: Tenant,
    request: &HttpRequest,
    body: web::Payload,
) -> Result<MeteredPayload, Exhausted> {
    let reservation = Some(budget.reserve(tenant, UNIDENTIFIED_BYTES)?);
    let uncounted = UNIDENTIFIED_BYTES;
    let held = Held { budget: budget.clone(), tenant, pending: 0, uncounted, reservation, is_exhausted: false };
    let held = Rc::new(RefCell::new(held));
    let chunks = Chunks { payload: body.into_inner(), rest: Bytes::new(), pauses: false, held: held.clone() };
    let chunks: BoxedPayload = Box::pin(chunks);
    let mut payload = Payload::Stream { payload: chunks };
    // The extractor only takes the payload, so it cannot fail.
    let payload = web::Payload::from_request(request, &mut payload).await.map_err(|_| Exhausted::Tenant)?;
    Ok(MeteredPayload { payload, held })
}

impl Incoming {
    /// Reads from a connection that was opened with this payload. Only a small first message is accepted.
    pub(super) fn new(stream: MessageStream, held: HeldMemory) -> Self {
        let stream = Some(stream.max_frame_size(MAX_FIRST_BYTES));
        Self { stream, held: held.0, max_bytes: MAX_FIRST_BYTES, text: None, is_delivered: false }
    }

    /// Accepts messages of the full size from now on, and counts them against the budget of the device's tenant.
    pub(super) fn authenticated(&mut self, tenant: Tenant) {
        let mut held = self.held.borrow_mut();
        (held.tenant, held.pending, held.uncounted, held.reservation) = (tenant, 0, MAX_UNCOUNTED_BYTES, None);
        self.max_bytes = message::MAX_BYTES;
        self.is_delivered = false;
        self.stream = self.stream.take().map(|stream| stream.max_frame_size(message::MAX_BYTES));
    }

    /// Returns the next message. Nothing is lost if the returned future is dropped.
    pub(super) async fn receive(&mut self) -> Result<Received, ReceiveError> {
        self.release();
        loop {
            let Some(stream) = &mut self.stream else { return Err(ReceiveError::Lost) };
            let received = match stream.recv().await {
                None => return Ok(Received::Closed),
                Some(Err(error)) => return Err(self.failed(&error)),
                Some(Ok(message)) => self.joined(message)?,
            };
            if let Some(received) = received {
                self.is_delivered = true;
                return Ok(received);
            }
        }
    }

    /// Releases what the last message took.
    fn release(&mut self) {
        if std::mem::take(&mut self.is_delivered) && self.text.is_none() {
            let mut held = self.held.borrow_mut();
            held.pending = 0;
            if held.uncounted == MAX_UNCOUNTED_BYTES {
                held.reservation = None;
            }
        }
    }

    /// Returns a complete message; `None` for a fragment.
    fn joined(&mut self, message: Message) -> Result<Option<Received>, ReceiveError> {
        match message {
            Message::Text(text) => self.complete(text.as_bytes().to_vec()).map(Some),
            Message::Continuation(Item::FirstText(bytes)) => {
                self.text = Some(Vec::new());
                self.add(&bytes)?;
                Ok(None)
            }
            Message::Continuation(Item::Continue(bytes)) => {
                self.add(&bytes)?;
                Ok(None)
            }
            Message::Continuation(Item::Last(bytes)) => {
                self.add(&bytes)?;
                self.text.take().map(|text| self.complete(text)).transpose()
            }
            Message::Continuation(Item::FirstBinary(_)) | Message::Binary(_) => Ok(Some(Received::Binary)),
            Message::Ping(bytes) => Ok(Some(Received::Ping(bytes))),
            Message::Pong(_) => Ok(Some(Received::Pong)),
            Message::Close(_) => Ok(Some(Received::Closed)),
            Message::Nop => Ok(None),
        }
    }

    fn add(&mut self, bytes: &Bytes) -> Result<(), ReceiveError> {
        let Some(text) = &mut self.text else { return Err(ReceiveError::Protocol) };
        if text.len().saturating_add(bytes.len()) > self.max_bytes {
            return Err(ReceiveError::TooLarge(self.max_bytes));
        }
        text.extend_from_slice(bytes);
        Ok(())
    }

    fn complete(&self, text: Vec<u8>) -> Result<Received, ReceiveError> {
        if text.len() > self.max_bytes {
            return Err(ReceiveError::TooLarge(self.max_bytes));
        }
        // The values that are parsed from the text.
        self.held.borrow_mut().count(text.len()).map_err(|_| ReceiveError::Exhausted)?;
        String::from_utf8(text).map(Received::Text).map_err(|_| ReceiveError::Protocol)
    }

    fn failed(&self, error: &ProtocolError) -> ReceiveError {
        match error {
            _ if self.held.borrow().is_exhausted => ReceiveError::Exhausted,
            ProtocolError::Overflow => ReceiveError::TooLarge(self.max_bytes),
            ProtocolError::Io(_) => ReceiveError::Lost,
            _ => ReceiveError::Protocol,
        }
    }
}

/// The memory that the connection of a payload has reserved.
pub(super) struct HeldMemory(Rc<RefCell<Held>>);

impl MeteredPayload {
    /// Separates the payload from what counts it.
    pub(super) fn into_parts(self) -> (web::Payload, HeldMemory) {
        (self.payload, HeldMemory(self.held))
    }
}

/// Returns bytes in small parts, with a pause after each: the frames of a part are decoded before the next one is read.
struct Chunks {
    payload: Payload,
    rest: Bytes,
    pauses: bool,
    held: Rc<RefCell<Held>>,
}

impl Stream for Chunks {
    type Item = Result<Bytes, PayloadError>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = &mut *self;
        if std::mem::take(&mut this.pauses) {
            context.waker().wake_by_ref();
            return Poll::Pending;
        }
        if this.rest.is_empty() {
            match Pin::new(&mut this.payload).poll_next(context) {
                Poll::Ready(Some(Ok(bytes))) => this.rest = bytes,
                other => return other,
            }
        }
        let part = this.rest.split_to(this.rest.len().min(MAX_DECODED_BYTES));
        this.pauses = true;
        let counted = this.held.borrow_mut().count(part.len());
        Poll::Ready(Some(counted.map(|()| part).map_err(|_| PayloadError::Overflow)))
    }
}
