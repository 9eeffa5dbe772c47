//! Limits the bytes of responses that wait in memory to be read, per caller and in total. A response that would exceed
//! a limit is rejected, so that callers who do not read their responses do not affect others. The number of pages that
//! are built at once is also limited per caller: further requests of the caller wait.

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
use crate::extract::CallerId;

/// Size that a streamed response counts as, in bytes: one chunk, and as much for the buffers around it.
const STREAM_BYTES: usize = PageSize::CHUNK.bytes * 2;
/// Responses of at most this many bytes are not counted.
const MAX_UNCOUNTED_BYTES: usize = 64 * 1024;
/// Maximum number of bytes that are passed to the connection at once.
const CHUNK_BYTES: usize = 64 * 1024;
/// Maximum number of bytes that wait for one caller.
const MAX_BYTES_PER_CALLER: usize = 32 * 1024 * 1024;
/// Maximum number of bytes that wait for all callers together.
const MAX_BYTES: usize = 96 * 1024 * 1024;

/// Maximum number of pages that are built at once for one caller: as many as may then wait for it.
const MAX_PAGES_PER_CALLER: usize = MAX_BYTES_PER_CALLER / PageSize::MAX.bytes;

/// Counts the bytes of responses that wait to be read, and the pages that are being built. Clones share the counts.
#[derive(Clone, Default)]
pub struct InFlight {
    waiting: Arc<Mutex<Waiting>>,
    /// One semaphore per client, by the hash of its credential or network.
    pages: Arc<Mutex<HashMap<u64, Arc<Semaphore>>>>,
}

#[derive(Default)]
struct Waiting {
    total: usize,
    by_caller: HashMap<String, usize>,
}

/// The limit that a response would exceed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Full {
    Caller,
    Service,
}

impl InFlight {
    /// Counts bytes for a caller until the reservation is dropped. Fails if a limit would be exceeded.
    fn reserve(&self, caller: String, bytes: usize) -> Result<Reservation, Full> {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        let of_caller = waiting.by_caller.get(&caller).copied().unwrap_or_default();
        let (of_caller, total) = (of_caller.saturating_add(bytes), waiting.total.saturating_add(bytes));
        if of_caller > MAX_BYTES_PER_CALLER {
            return Err(Full::Caller);
        }
        if total > MAX_BYTES {
            return Err(Full::Service);
        }
        waiting.total = total;
        waiting.by_caller.insert(caller.clone(), of_caller);
        Ok(Reservation { in_flight: self.clone(), caller, bytes })
    }

    /// Waits until the caller may build another page. Fails if that takes too long.
    async fn page(&self, caller: u64) -> Result<PageSlot, ApiError> {
        let semaphore = {
            let mut pages = self.pages.lock().unwrap_or_else(PoisonError::into_inner);
            pages.entry(caller).or_insert_with(|| Arc::new(Semaphore::new(MAX_PAGES_PER_CALLER))).clone()
        };
        // Created before waiting, so that it removes the semaphore even if the request is cancelled.
        let mut slot = PageSlot { in_flight: self.clone(), caller, semaphore: Some(semaphore.clone()), permit: None };
        let permit = timeout(Lane::Interactive.time_limit(), semaphore.acquire_owned()).await;
        let too_many = || anyhow!("Too many pages are being built for this caller.");
        slot.permit = Some(permit.ok().and_then(Result::ok).ok_or_else(|| DomainError::Unavailable(too_many()))?);
        Ok(slot)
    }
}

/// Permission to build a page. It ends when the slot is dropped.
struct PageSlot {
    in_flight: InFlight,
    caller: u64,
    semaphore: Option<Arc<Semaphore>>,
    permit: Option<OwnedSemaphorePermit>,
}

impl Drop for PageSlot {
    fn drop(&mut self) {
        drop((self.permit.take(), self.semaphore.take()));
        let mut pages = self.in_flight.pages.lock().unwrap_or_else(PoisonError::into_inner);
        // No other request has a slot or waits for one.
        if pages.get(&self.caller).is_some_and(|semaphore| Arc::strong_count(semaphore) == 1) {
            pages.remove(&self.caller);
        }
    }
}

/// The bytes that a response counts as. They are released when the reservation is dropped.
struct Reservation {
    in_flight: InFlight,
    caller: String,
    bytes: usize,
}

impl Drop for Reservation {
    fn drop(&mut self) {
        let mut waiting = self.in_flight.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        waiting.total = waiting.total.saturating_sub(self.bytes);
        let of_caller = waiting.by_caller.get(&self.caller).copied().unwrap_or_default();
        match of_caller.saturating_sub(self.bytes) {
            0 => waiting.by_caller.remove(&self.caller),
            rest => waiting.by_caller.insert(std::mem::take(&mut self.caller), rest),
        };
    }
}

/// Middleware that counts responses and rejects those beyond a limit. Requires [`crate::frame`] as outer middleware.
///
/// # Errors
///
/// Returns the errors of the inner service.
pub async fn bound_output<B: MessageBody + 'static>(
    request: ServiceRequest,
    next: Next<B>,
) -> Result<ServiceResponse<BoxBody>, Error> {
    let Some(in_flight) = request.app_data::<Data<Api>>().map(|api| api.in_flight.clone()) else {
        return Ok(next.call(request).await?.map_into_boxed_body());
    };
    let slot = match page_client(&request) {
        Some(client) => match in_flight.page(client).await {
            Ok(slot) => Some(slot),
            Err(error) => return Ok(request.into_response(error.error_response())),
        },
        None => None,
    };
    let response = next.call(request).await?.map_into_boxed_body();
    drop(slot);
    let bytes = match response.response().body().size() {
        BodySize::None => return Ok(response),
        BodySize::Sized(bytes) => usize::try_from(bytes).unwrap_or(usize::MAX),
        BodySize::Stream => STREAM_BYTES,
    };
    if bytes <= MAX_UNCOUNTED_BYTES {
        return Ok(response);
    }
    match in_flight.reserve(caller_of(&response), bytes) {
        Ok(reservation) => Ok(response
            .map_body(|_, body| BoxBody::new(MeteredBody { body, rest: Bytes::new(), _reservation: reservation }))),
        Err(full) => {
            let (request, _) = response.into_parts();
            let error = ApiError::from(RequestError::TooManyInFlight { by_caller: full == Full::Caller });
            Ok(ServiceResponse::new(request, error.error_response()))
        }
    }
}

/// Identifies the client of a request for a page before authentication: a hash of its credential, or of its network if
/// it has none. `None` for all other requests, whose responses are streamed or small.
fn page_client(request: &ServiceRequest) -> Option<u64> {
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

/// Returns the caller that a response counts against: the holder of the credential, or the network if there is none.
fn caller_of(response: &ServiceResponse<BoxBody>) -> String {
    let extensions = response.request().extensions();
    if let Some(CallerId(caller)) = extensions.get::<CallerId>() {
        return caller.to_string();
    }
    let address = extensions.get::<Request>().and_then(|request| request.address);
    address.map(|address| network(address).to_string()).unwrap_or_default()
}

/// A body that is counted until it is sent or dropped. The connection gets one slice at a time, so that it does not
/// buffer a second copy of the whole body.
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
    fn bytes_are_limited_per_caller_and_in_total_until_they_are_released() {
        let in_flight = InFlight::default();
        let first = in_flight.reserve("ann".into(), MAX_BYTES_PER_CALLER).ok().unwrap();
        assert_eq!(in_flight.reserve("ann".into(), 1).err(), Some(Full::Caller));
        let second = in_flight.reserve("bob".into(), MAX_BYTES_PER_CALLER).ok().unwrap();
        let third = in_flight.reserve("eve".into(), MAX_BYTES_PER_CALLER).ok().unwrap();
        assert_eq!(in_flight.reserve("joe".into(), 1).err(), Some(Full::Service));
        drop((first, third));
        assert!(in_flight.reserve("ann".into(), 1).is_ok());
        drop(second);
        let waiting = in_flight.waiting.lock().unwrap();
        assert_eq!((waiting.total, waiting.by_caller.len()), (0, 0));
    }

    #[tokio::test]
    async fn a_caller_that_builds_too_many_pages_waits_for_its_own() {
        let in_flight = InFlight::default();
        let mut slots = Vec::new();
        for _ in 0..MAX_PAGES_PER_CALLER {
            slots.push(in_flight.page(1).await.unwrap());
        }
        assert!(timeout(Duration::from_millis(20), in_flight.page(1)).await.is_err(), "The limit is exceeded.");
        slots.push(in_flight.page(2).await.unwrap());
        drop(slots.pop());
        drop(slots.pop());
        slots.push(in_flight.page(1).await.unwrap());
        drop(slots);
        assert!(in_flight.pages.lock().unwrap().is_empty());
    }
}
