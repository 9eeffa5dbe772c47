//! Rate limits: counts each request to the API or a page before any other work, by its credential if that is cached,
//! else by its address (docs/contract.md#rate-limits). The credential of a page of the console is its cookie.

use std::num::NonZeroU32;

use actix_web::body::{EitherBody, MessageBody};
use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::http::Method;
use actix_web::http::header::{HeaderMap, HeaderName, HeaderValue, RETRY_AFTER};
use actix_web::middleware::Next;
use actix_web::{Error as ActixError, HttpMessage as _, HttpRequest, HttpResponse, web};
use chrono::TimeDelta;
use steward_api::{RateClass, Row};
use steward_domain::identity::SessionAccount;
use steward_domain::kernel::error::Error;
use steward_domain::kernel::policy::Operation;
use steward_domain::kernel::work::network;

use crate::credential_cache::address_of;
use crate::limits::rate_limiter::{CountedBy, RateLimitExceeded, RateLimitStatus};
use crate::reject::reject;
use crate::route::{Route, route_of};
use crate::shared::Web;

const RATE_LIMIT_POLICY: HeaderName = HeaderName::from_static("ratelimit-policy");
const RATE_LIMIT: HeaderName = HeaderName::from_static("ratelimit");
/// Number of writes that an upload counts as, because it is larger than any other body.
const UPLOAD_COST: NonZeroU32 = NonZeroU32::MIN.saturating_add(9);
/// Number of operations of a batch that count as one additional write.
pub const BATCH_SHARE: usize = 10;

/// The bucket that a request was counted in, and its status.
#[derive(Clone, Copy)]
pub(crate) struct RateLimitUsage {
    by: CountedBy,
    allowance: RateLimitStatus,
}

/// Middleware that rejects requests beyond the caller's limit and adds the rate limit headers to all other responses.
///
/// # Errors
///
/// Returns the errors of the inner service.
pub async fn limit_rate<B: MessageBody>(
    request: ServiceRequest,
    next: Next<B>,
) -> Result<ServiceResponse<EitherBody<B>>, ActixError> {
    match count(&request) {
        None => {}
        Some(Ok(counted)) => {
            request.extensions_mut().insert(counted);
        }
        Some(Err(exceeded)) => {
            let response = exceeded_response(&request, &exceeded);
            return Ok(request.into_response(response).map_into_right_body());
        }
    }
    let mut response = next.call(request).await?;
    record_session(response.request());
    // Its operations may have been counted in addition.
    let counted = response.request().extensions().get::<RateLimitUsage>().copied();
    if let Some(counted) = counted {
        write_headers(response.headers_mut(), &counted.allowance);
    }
    Ok(response.map_into_left_body())
}

/// Counts an operation that a request performs, less what the request itself was counted as in the same class: a batch
/// counts as more than one write, and a page as what it does.
///
/// # Errors
///
/// [`Error::TooMany`] if the rate limit is exceeded.
pub fn count_operation(request: &HttpRequest, operation: Operation, batch: usize) -> Result<(), Error> {
    let counted = request.extensions().get::<RateLimitUsage>().copied();
    let (Some(counted), Some(web)) = (counted, request.app_data::<web::Data<Web>>()) else { return Ok(()) };
    // Only operations of the API are counted in addition.
    let Some(row) = steward_api::row(operation.rule().name) else { return Ok(()) };
    let already_counted = u32::from(row.rate == counted.allowance.class);
    let cost = cost_of(row, batch).get().saturating_sub(already_counted);
    let Some(outcome) = NonZeroU32::new(cost).and_then(|cost| web.rate_limiter.take(row.rate, counted.by, cost)) else {
        return Ok(());
    };
    let (allowance, result) = match outcome {
        Ok(allowance) => (allowance, Ok(())),
        Err(exceeded) => (exceeded.allowance, Err(too_many(&exceeded))),
    };
    request.extensions_mut().insert(RateLimitUsage { allowance, ..counted });
    result
}

/// Returns the number of requests that an operation counts as, with the number of operations of a batch.
fn cost_of(row: &Row, batch: usize) -> NonZeroU32 {
    let cost = row.upload().map_or(NonZeroU32::MIN, |_| UPLOAD_COST);
    cost.saturating_add(u32::try_from(batch / BATCH_SHARE).unwrap_or(u32::MAX))
}

/// Updates the credential cache with the session that a page found for the cookie of the request.
fn record_session(request: &HttpRequest) {
    let found = request.extensions().get::<SessionAccount>().copied();
    let (Some(SessionAccount(account)), Some(web)) = (found, request.app_data::<web::Data<Web>>()) else { return };
    web.credentials.record_session(request, account);
}

fn count(request: &ServiceRequest) -> Option<Result<RateLimitUsage, RateLimitExceeded>> {
    let web = request.app_data::<web::Data<Web>>()?;
    let route = route_of(request).unwrap_or_else(|| Route::unknown(request.method()));
    // CORS preflight requests are not limited.
    let class = if request.method() == Method::OPTIONS { RateClass::Unlimited } else { route.rate };
    let by = match web.credentials.find(request.request()) {
        Some(known) => CountedBy::Credential(web.rate_limiter.hash(&*known.holder)),
        None => CountedBy::Address(web.rate_limiter.hash(network(address_of(request)))),
    };
    let cost = route.row.map_or(NonZeroU32::MIN, |row| cost_of(row, 0));
    Some(web.rate_limiter.take(class, by, cost)?.map(|allowance| RateLimitUsage { by, allowance }))
}

fn too_many(exceeded: &RateLimitExceeded) -> Error {
    let retry_after = i64::try_from(exceeded.retry_after).unwrap_or(i64::MAX / 1_000_000);
    Error::TooMany { retry_after: TimeDelta::seconds(retry_after) }
}

fn exceeded_response(request: &ServiceRequest, exceeded: &RateLimitExceeded) -> HttpResponse {
    let mut response = reject(request.request(), too_many(exceeded));
    let headers = response.headers_mut();
    headers.insert(RETRY_AFTER, HeaderValue::from(exceeded.retry_after));
    write_headers(headers, &exceeded.allowance);
    response
}

/// Writes both headers (draft-ietf-httpapi-ratelimit-headers-10, sections 3 and 4): `q` is the burst, `w` the seconds
/// in which an empty bucket becomes full, `r` the remaining requests, `t` the seconds until the bucket is full.
fn write_headers(headers: &mut HeaderMap, allowance: &RateLimitStatus) {
    let name = allowance.class.as_str();
    let policy = format!("\"{name}\";q={};w={}", allowance.burst, allowance.window);
    let status = format!("\"{name}\";r={};t={}", allowance.remaining, allowance.reset);
    for (header, value) in [(RATE_LIMIT_POLICY, policy), (RATE_LIMIT, status)] {
        if let Ok(value) = HeaderValue::try_from(value) {
            headers.insert(header, value);
        }
    }
}
