//! Limits the bytes of responses that wait in memory to be read, per tenant and in total. A response that would exceed
//! a limit is rejected, so that callers who do not read their responses do not affect others.

use std::pin::Pin;
use std::task::{Context, Poll, ready};

use actix_web::body::{BodySize, BoxBody, MessageBody};
use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::http::{Method, StatusCode};
use actix_web::middleware::Next;
use actix_web::web::{Bytes, Data};
use actix_web::{Error, HttpMessage as _};
use steward_domain::kernel::PageSize;
use steward_domain::kernel::work::Tenant;
use url::form_urlencoded;

use crate::limits::byte_budget::{Exhausted, Reservation};
use crate::limits::lanes::RequestTenant;
use crate::reject::reject;
use crate::rejection::Rejection;
use crate::shared::Web;

/// Size that a streamed response counts as, in bytes: one chunk, and as much for the buffers around it.
const STREAM_BYTES: usize = PageSize::CHUNK.bytes * 2;

/// Responses of at most this many bytes are not counted.
const MAX_UNCOUNTED_BYTES: usize = 64 * 1024;

/// Maximum number of bytes that are passed to the connection at once.
const CHUNK_BYTES: usize = 64 * 1024;

/// Middleware that counts responses and rejects those beyond a limit. Requires [`crate::frame`] as outer middleware.
///
/// # Errors
///
/// Returns the errors of the inner service.
pub async fn bound_output<B: MessageBody + 'static>(
    request: ServiceRequest,
    next: Next<B>,
) -> Result<ServiceResponse<BoxBody>, Error> {
    let Some(web) = request.app_data::<Data<Web>>().cloned() else {
        return Ok(next.call(request).await?.map_into_boxed_body());
    };
    let slot = if requests_page(&request) {
        match web.in_flight.page(web.credentials.tenant(request.request())).await {
            Ok(slot) => Some(slot),
            Err(error) => {
                let response = reject(request.request(), error);
                return Ok(request.into_response(response));
            }
        }
    } else {
        None
    };
    let response = next.call(request).await?.map_into_boxed_body();
    drop(slot);
    // The messages of a connection are limited one by one.
    if response.status() == StatusCode::SWITCHING_PROTOCOLS {
        return Ok(response);
    }
    let bytes = match response.response().body().size() {
        BodySize::None => return Ok(response),
        BodySize::Sized(bytes) => usize::try_from(bytes).unwrap_or(usize::MAX),
        BodySize::Stream => STREAM_BYTES,
    };
    if bytes <= MAX_UNCOUNTED_BYTES {
        return Ok(response);
    }
    match web.in_flight.responses().reserve(tenant_of(&web, &response), bytes) {
        Ok(reservation) => Ok(response
            .map_body(|_, body| BoxBody::new(MeteredBody { body, rest: Bytes::new(), _reservation: reservation }))),
        Err(exhausted) => {
            let (request, _) = response.into_parts();
            let rejection = Rejection::TooManyInFlight { by_caller: exhausted == Exhausted::Tenant };
            let response = reject(&request, rejection);
            Ok(ServiceResponse::new(request, response))
        }
    }
}

/// Returns whether a request is for a page of a list. All other responses are streamed or small. Only reads are for
/// pages: a write would keep its slot while its body arrives.
pub(crate) fn requests_page(request: &ServiceRequest) -> bool {
    matches!(*request.method(), Method::GET | Method::HEAD)
        && form_urlencoded::parse(request.query_string().as_bytes()).any(|(name, _)| name == "limit")
}

/// Returns the tenant that a response counts against: the one that the request was processed for.
fn tenant_of(web: &Web, response: &ServiceResponse<BoxBody>) -> Tenant {
    let processed_for = response.request().extensions().get::<RequestTenant>().copied();
    match processed_for {
        Some(RequestTenant(tenant)) => tenant,
        None => web.credentials.tenant(response.request()),
    }
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
