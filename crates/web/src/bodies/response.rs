//! Limits the bytes of responses that wait in memory to be read, per tenant and in total. A response that would exceed
//! a limit is rejected, so that callers who do not read their responses do not affect others.

use std::pin::Pin;
use std::task::{Context, Poll, ready};

use actix_web::body::{BodySize, BoxBody, MessageBody};
use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::http::{Method, StatusCode};
use actix_web::web::Bytes;
use steward_domain::kernel::PageSize;
use steward_domain::kernel::error::Error;
use steward_domain::kernel::work::Tenant;
use url::form_urlencoded;

use crate::limits::byte_budget::{Exhausted, Reservation};
use crate::limits::in_flight::PageSlot;
use crate::reject::reject;
use crate::rejection::Rejection;
use crate::shared::Web;

/// Size that a streamed response counts as, in bytes: one chunk, and as much for the buffers around it.
const STREAM_BYTES: usize = PageSize::CHUNK.bytes * 2;

/// Responses of at most this many bytes are not counted.
const MAX_UNCOUNTED_BYTES: usize = 64 * 1024;

/// Maximum number of bytes that are passed to the connection at once.
const CHUNK_BYTES: usize = 64 * 1024;

/// Counts the response to a request of a tenant until it is sent, or rejects it if it exceeds a limit.
pub(crate) fn bound_output(web: &Web, tenant: Tenant, response: ServiceResponse) -> ServiceResponse {
    // The messages of a connection are limited one by one.
    if response.status() == StatusCode::SWITCHING_PROTOCOLS {
        return response;
    }
    let bytes = match response.response().body().size() {
        BodySize::None => return response,
        BodySize::Sized(bytes) => usize::try_from(bytes).unwrap_or(usize::MAX),
        BodySize::Stream => STREAM_BYTES,
    };
    if bytes <= MAX_UNCOUNTED_BYTES {
        return response;
    }
    match web.in_flight.responses.reserve(tenant, bytes) {
        Ok(reservation) => response
            .map_body(|_, body| BoxBody::new(MeteredBody { body, rest: Bytes::new(), _reservation: reservation })),
        Err(exhausted) => {
            let rejection = Rejection::TooManyInFlight { by_caller: exhausted == Exhausted::Tenant };
            let rejected = reject(response.request(), rejection);
            response.into_response(rejected)
        }
    }
}

/// Waits until the tenant may build a page, if the request is for one.
///
/// # Errors
///
/// [`Error::Unavailable`] if that takes too long.
pub(crate) async fn page_slot(web: &Web, tenant: Tenant, request: &ServiceRequest) -> Result<Option<PageSlot>, Error> {
    if requests_page(request) { web.in_flight.page(tenant).await.map(Some) } else { Ok(None) }
}

/// Returns whether a request is for a page of a list. All other responses are streamed or small. Only reads are for
/// pages: a write would keep its slot while its body arrives.
fn requests_page(request: &ServiceRequest) -> bool {
    matches!(*request.method(), Method::GET | Method::HEAD)
        && form_urlencoded::parse(request.query_string().as_bytes()).any(|(name, _)| name == "limit")
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
    use actix_web::test::TestRequest;

    use super::*;

    #[test]
    fn only_a_read_with_a_limit_is_for_a_page() {
        let requests_page = |method: Method, uri: &str| {
            super::requests_page(&TestRequest::default().method(method).uri(uri).to_srv_request())
        };
        assert!(requests_page(Method::GET, "/team?order=asc&limit=10"));
        assert!(requests_page(Method::HEAD, "/team?limit=10"));
        assert!(!requests_page(Method::GET, "/team?order=limit"));
        assert!(!requests_page(Method::POST, "/team?limit=10"), "Its body may arrive slowly.");
    }
}
