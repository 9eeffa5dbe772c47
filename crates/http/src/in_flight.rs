//! How many bytes of responses may wait in memory for their readers: for each caller, and for all together. A response that
//! finds no room is refused, so that callers who do not read keep no others from theirs. Pages are also bounded while they
//! are built: a caller who asks for many waits for its own.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, ready};

use actix_web::body::{BodySize, BoxBody, MessageBody};
use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::http::header::AUTHORIZATION;
use actix_web::middleware::Next;
use actix_web::web::{Bytes, Data};
use actix_web::{Error, HttpMessage as _, ResponseError as _};
use anyhow::anyhow;
use steward_domain::error::Error as DomainError;
use steward_domain::model::{PageSize, Request};
use steward_domain::policy::Lane;
use steward_domain::work::network;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;
use url::form_urlencoded;

use crate::Api;
use crate::error::{ApiError, RequestError};
use crate::frame::CallerId;

/// What a streamed response counts as: the piece that waits, and as much for the buffers around it.
const STREAM_BYTES: usize = PageSize::PIECE.bytes * 2;
/// Smaller responses are not counted.
const MAX_UNCOUNTED_BYTES: usize = 64 * 1024;
/// How much of a response is handed to its connection at once.
const CHUNK_BYTES: usize = 64 * 1024;
/// How many bytes may wait for one caller.
const MAX_BYTES_PER_CALLER: usize = 32 * 1024 * 1024;
/// How many bytes may wait for all callers.
const MAX_BYTES: usize = 96 * 1024 * 1024;

/// How many pages of one caller may be built at once: as many as may then wait for it.
const MAX_PAGES_PER_CALLER: usize = MAX_BYTES_PER_CALLER / PageSize::MAX.bytes;

/// Counts the bytes of responses that wait for their readers, and the pages that are built.
#[derive(Clone, Default)]
pub struct InFlight {
    waiting: Arc<Mutex<Waiting>>,
    /// By whoever asked for them.
    pages: Arc<Mutex<HashMap<u64, Arc<Semaphore>>>>,
}

#[derive(Default)]
struct Waiting {
    of_all: usize,
    of_callers: HashMap<String, usize>,
}

/// Why a response found no room.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Full {
    Caller,
    Service,
}

impl InFlight {
    /// Room for this many bytes of a caller, until the reservation is dropped.
    fn reserve(&self, caller: String, bytes: usize) -> Result<Reservation, Full> {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        let of_caller = waiting.of_callers.get(&caller).copied().unwrap_or_default();
        let (of_caller, of_all) = (of_caller.saturating_add(bytes), waiting.of_all.saturating_add(bytes));
        if of_caller > MAX_BYTES_PER_CALLER {
            return Err(Full::Caller);
        }
        if of_all > MAX_BYTES {
            return Err(Full::Service);
        }
        waiting.of_all = of_all;
        waiting.of_callers.insert(caller.clone(), of_caller);
        Ok(Reservation { room: self.clone(), caller, bytes })
    }

    /// Leave to build a page for a caller, once it has not too many others.
    async fn page(&self, caller: u64) -> Result<ResponseSlot, ApiError> {
        let turns = {
            let mut pages = self.pages.lock().unwrap_or_else(PoisonError::into_inner);
            pages.entry(caller).or_insert_with(|| Arc::new(Semaphore::new(MAX_PAGES_PER_CALLER))).clone()
        };
        // It leaves nothing behind also when the caller stops waiting.
        let mut turn = ResponseSlot { room: self.clone(), caller, turns: Some(turns.clone()), permit: None };
        let permit = timeout(Lane::Interactive.time_limit(), turns.acquire_owned()).await;
        let too_many = || anyhow!("too many pages of this caller are built already");
        turn.permit = Some(permit.ok().and_then(Result::ok).ok_or_else(|| DomainError::Unavailable(too_many()))?);
        Ok(turn)
    }
}

/// Leave to build a page, until it is dropped.
struct ResponseSlot {
    room: InFlight,
    caller: u64,
    turns: Option<Arc<Semaphore>>,
    permit: Option<OwnedSemaphorePermit>,
}

impl Drop for ResponseSlot {
    fn drop(&mut self) {
        drop((self.permit.take(), self.turns.take()));
        let mut pages = self.room.pages.lock().unwrap_or_else(PoisonError::into_inner);
        // Nobody else has a turn, or waits for one.
        if pages.get(&self.caller).is_some_and(|turns| Arc::strong_count(turns) == 1) {
            pages.remove(&self.caller);
        }
    }
}

/// Room that a response takes.
struct Reservation {
    room: InFlight,
    caller: String,
    bytes: usize,
}

impl Drop for Reservation {
    fn drop(&mut self) {
        let mut waiting = self.room.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        waiting.of_all = waiting.of_all.saturating_sub(self.bytes);
        let of_caller = waiting.of_callers.get(&self.caller).copied().unwrap_or_default();
        match of_caller.saturating_sub(self.bytes) {
            0 => waiting.of_callers.remove(&self.caller),
            rest => waiting.of_callers.insert(std::mem::take(&mut self.caller), rest),
        };
    }
}

/// Counts what is inside, and refuses it where there is no room. Stands inside [`crate::frame`].
///
/// # Errors
///
/// As what it surrounds.
pub async fn bound_output<B: MessageBody + 'static>(
    request: ServiceRequest,
    next: Next<B>,
) -> Result<ServiceResponse<BoxBody>, Error> {
    let Some(room) = request.app_data::<Data<Api>>().map(|api| api.in_flight.clone()) else {
        return Ok(next.call(request).await?.map_into_boxed_body());
    };
    let turn = match sender_of_page(&request) {
        Some(sender) => match room.page(sender).await {
            Ok(turn) => Some(turn),
            Err(refusal) => return Ok(request.into_response(refusal.error_response())),
        },
        None => None,
    };
    let response = next.call(request).await?.map_into_boxed_body();
    drop(turn);
    let bytes = match response.response().body().size() {
        BodySize::None => return Ok(response),
        BodySize::Sized(bytes) => usize::try_from(bytes).unwrap_or(usize::MAX),
        BodySize::Stream => STREAM_BYTES,
    };
    if bytes <= MAX_UNCOUNTED_BYTES {
        return Ok(response);
    }
    match room.reserve(caller_of(&response), bytes) {
        Ok(reservation) => Ok(response
            .map_body(|_, body| BoxBody::new(MeteredBody { body, rest: Bytes::new(), _reservation: reservation }))),
        Err(full) => {
            let (request, _) = response.into_parts();
            let refusal = ApiError::from(RequestError::TooManyInFlight { by_caller: full == Full::Caller });
            Ok(ServiceResponse::new(request, refusal.error_response()))
        }
    }
}

/// Who sent a request for a page, before it is known whether the credential is good: the holder of a credential, else a
/// network. `None`: all else is streamed, or small.
fn sender_of_page(request: &ServiceRequest) -> Option<u64> {
    form_urlencoded::parse(request.query_string().as_bytes()).find(|(name, _)| name == "limit")?;
    let mut hasher = DefaultHasher::new();
    match request.headers().get(AUTHORIZATION) {
        Some(credential) => credential.as_bytes().hash(&mut hasher),
        None => {
            request.extensions().get::<Request>().and_then(|request| request.address).map(network).hash(&mut hasher)
        }
    }
    Some(hasher.finish())
}

/// Whom a response counts against: whoever holds the credential, else the address.
fn caller_of(response: &ServiceResponse<BoxBody>) -> String {
    let extensions = response.request().extensions();
    if let Some(CallerId(caller)) = extensions.get::<CallerId>() {
        return caller.to_string();
    }
    let address = extensions.get::<Request>().and_then(|request| request.address);
    address.map(|address| network(address).to_string()).unwrap_or_default()
}

/// A body that holds its room until it is sent or given up. Its connection gets a slice at a time, so that it buffers no
/// second copy of all of it.
struct MeteredBody {
    body: BoxBody,
    rest: Bytes,
    _reservation: Reservation,
}

impl MessageBody for MeteredBody {
    type Error = <BoxBody as MessageBody>::Error;

    fn size(&self) -> BodySize {
        self.body.size()
    }

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Result<Bytes, Self::Error>>> {
        if self.rest.is_empty() {
            match ready!(Pin::new(&mut self.body).poll_next(context)) {
                Some(Ok(bytes)) => self.rest = bytes,
                end => return Poll::Ready(end),
            }
        }
        let slice = self.rest.len().min(CHUNK_BYTES);
        Poll::Ready(Some(Ok(self.rest.split_to(slice))))
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_caller_and_all_callers_have_so_much_room_and_get_it_back() {
        let room = InFlight::default();
        let first = room.reserve("ann".into(), MAX_BYTES_PER_CALLER).ok().unwrap();
        assert_eq!(room.reserve("ann".into(), 1).err(), Some(Full::Caller));
        let second = room.reserve("bob".into(), MAX_BYTES_PER_CALLER).ok().unwrap();
        let third = room.reserve("eve".into(), MAX_BYTES_PER_CALLER).ok().unwrap();
        assert_eq!(room.reserve("joe".into(), 1).err(), Some(Full::Service));
        drop((first, third));
        assert!(room.reserve("ann".into(), 1).is_ok());
        drop(second);
        let waiting = room.waiting.lock().unwrap();
        assert_eq!((waiting.of_all, waiting.of_callers.len()), (0, 0));
    }

    #[tokio::test]
    async fn a_caller_who_builds_too_many_pages_waits_for_its_own() {
        let room = InFlight::default();
        let mut turns = Vec::new();
        for _ in 0..MAX_PAGES_PER_CALLER {
            turns.push(room.page(1).await.unwrap());
        }
        assert!(timeout(Duration::from_millis(20), room.page(1)).await.is_err(), "one too many");
        turns.push(room.page(2).await.unwrap());
        drop(turns.pop());
        drop(turns.pop());
        turns.push(room.page(1).await.unwrap());
        drop(turns);
        assert!(room.pages.lock().unwrap().is_empty());
    }
}
