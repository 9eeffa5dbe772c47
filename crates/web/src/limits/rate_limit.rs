//! Rate limits: counts each request to the API or a page before any other work, by its credential if that is cached,
//! else by its address (docs/contract.md#rate-limits). The credential of a page of the console is its cookie.

use std::num::NonZeroU32;

use actix_web::http::Method;
use actix_web::http::header::{HeaderMap, HeaderName, HeaderValue};
use actix_web::{HttpRequest, web};
use chrono::TimeDelta;
use steward_api::{RateClass, Row};
use steward_domain::kernel::error::Error;
use steward_domain::kernel::policy::Operation;
use steward_domain::kernel::work::network;

use crate::credential_cache::address_of;
use crate::frame::frame;
use crate::limits::rate_limiter::{CountedBy, RateLimitExceeded, RateLimitStatus};
use crate::shared::Web;

const RATE_LIMIT_POLICY: HeaderName = HeaderName::from_static("ratelimit-policy");
const RATE_LIMIT: HeaderName = HeaderName::from_static("ratelimit");
/// Number of writes that an upload counts as, because it is larger than any other body.
const UPLOAD_COST: NonZeroU32 = NonZeroU32::MIN.saturating_add(9);
/// Number of operations of a batch that count as one additional write.
pub const BATCH_SHARE: usize = 10;

/// Counts a request against the limit of its caller.
///
/// # Errors
///
/// [`Error::TooMany`] if the rate limit is exceeded.
pub(crate) fn count(web: &Web, request: &HttpRequest) -> Result<(), Error> {
    let route = frame(request).route;
    // CORS preflight requests are not limited.
    let class = if request.method() == Method::OPTIONS { RateClass::Unlimited } else { route.rate };
    let by = match web.credentials.find(request) {
        Some(known) => CountedBy::Credential(web.rate_limiter.hash(&*known.holder)),
        None => CountedBy::Address(web.rate_limiter.hash(network(address_of(request)))),
    };
    take(web, request, class, by, route.row.map_or(NonZeroU32::MIN, |row| cost_of(row, 0)))
}

/// Counts an operation that a request performs, with the number of operations of a batch, less what the request itself
/// was counted as in the same class: a batch counts as more than one write, and a page as what it does. Gives a page the
/// time of the operation.
///
/// # Errors
///
/// [`Error::TooMany`] if the rate limit is exceeded.
pub fn begin_operation(request: &HttpRequest, operation: Operation, batch: usize) -> Result<(), Error> {
    // Only operations of the API are counted in addition.
    let Some(row) = steward_api::row(operation.rule().name) else { return Ok(()) };
    frame(request).route.row = Some(row);
    let usage = frame(request).usage;
    let (Some((by, allowance)), Some(web)) = (usage, request.app_data::<web::Data<Web>>()) else { return Ok(()) };
    let already_counted = u32::from(row.rate == allowance.class);
    let cost = NonZeroU32::new(cost_of(row, batch).get().saturating_sub(already_counted));
    cost.map_or(Ok(()), |cost| take(web, request, row.rate, by, cost))
}

fn take(web: &Web, request: &HttpRequest, class: RateClass, by: CountedBy, cost: NonZeroU32) -> Result<(), Error> {
    let Some(outcome) = web.rate_limiter.take(class, by, cost) else { return Ok(()) };
    let (allowance, counted) = match outcome {
        Ok(allowance) => (allowance, Ok(())),
        Err(exceeded) => (exceeded.allowance, Err(too_many(&exceeded))),
    };
    frame(request).usage = Some((by, allowance));
    counted
}

/// Returns the number of requests that an operation counts as, with the number of operations of a batch.
fn cost_of(row: &Row, batch: usize) -> NonZeroU32 {
    let cost = row.upload().map_or(NonZeroU32::MIN, |_| UPLOAD_COST);
    cost.saturating_add(u32::try_from(batch / BATCH_SHARE).unwrap_or(u32::MAX))
}

fn too_many(exceeded: &RateLimitExceeded) -> Error {
    let retry_after = i64::try_from(exceeded.retry_after).unwrap_or(i64::MAX / 1_000_000);
    Error::TooMany { retry_after: TimeDelta::seconds(retry_after) }
}

/// Writes both headers (draft-ietf-httpapi-ratelimit-headers-10, sections 3 and 4): `q` is the burst, `w` the seconds
/// in which an empty bucket becomes full, `r` the remaining requests, `t` the seconds until the bucket is full.
pub(crate) fn write_headers(headers: &mut HeaderMap, allowance: &RateLimitStatus) {
    let name = allowance.class.as_str();
    let policy = format!("\"{name}\";q={};w={}", allowance.burst, allowance.window);
    let status = format!("\"{name}\";r={};t={}", allowance.remaining, allowance.reset);
    for (header, value) in [(RATE_LIMIT_POLICY, policy), (RATE_LIMIT, status)] {
        if let Ok(value) = HeaderValue::try_from(value) {
            headers.insert(header, value);
        }
    }
}
