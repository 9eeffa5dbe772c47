//! What the REST API and the pages share: the frame of each request, its rate limit, lane and time, the memory of
//! bodies, and the cache of credentials. Each side describes its requests by a [`RouteTable`]; this crate knows neither.

mod accept;
mod asset;
mod byte_budget;
mod chunked;
mod cors;
mod credential_cache;
mod forward;
mod frame;
mod in_flight;
mod lanes;
mod metrics;
mod operation;
mod outage_log;
mod rate_limit;
mod rate_limiter;
mod read_ahead;
mod reject;
mod rejection;
mod request_body;
mod request_log;
mod response_body;
mod route;
mod shared;
mod shutdown;
mod sides;
mod trace;

pub use accept::accepts_html;
pub use asset::{Asset, is_cached};
pub use byte_budget::{ByteBudget, Exhausted, MAX_BYTES, MAX_BYTES_PER_TENANT, Reservation};
pub use chunked::chunked;
pub use cors::add_cors_headers;
pub use credential_cache::CredentialCache;
pub use forward::{ApiRequest, forward};
pub use frame::{CallerId, frame, request_metadata};
pub use in_flight::{InFlight, PageSlot};
pub use lanes::{Scheduled, UPLOAD_READ_TIMEOUT, limit_time, scheduled};
pub use metrics::RequestMetrics;
pub use operation::{begin_operation, stream_body};
pub use outage_log::OutageLog;
pub use rate_limit::{BATCH_SHARE, count_operation, limit_rate};
pub use rate_limiter::{
    CountedBy, InvalidRateLimit, RateLimit, RateLimitExceeded, RateLimitStats, RateLimitStatus, RateLimiter, RateLimits,
};
pub use read_ahead::{AwaitedBody, ReadAhead};
pub use rejection::{Rejection, TooManyReceived};
pub use request_body::{MAX_DRAINED_BYTES, RequestBody, bound_input};
pub use response_body::bound_output;
pub use route::{CredentialSource, Route, conditions_of, route_of};
pub use shared::Web;
pub use shutdown::Shutdown;
pub use sides::{PageSide, RestSide, RouteTable};
// The class of a page is stated in the terms of the contract.
pub use steward_api::RateClass;
