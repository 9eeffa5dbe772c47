//! What the REST API and the pages share: the frame of each request, its rate limit, lane and time, the memory of
//! bodies, and the cache of credentials. Each side describes its requests by a [`Route`]; this crate knows neither.

mod asset;
mod bodies;
mod cors;
mod credential_cache;
mod forward;
mod frame;
mod limits;
mod monitoring;
mod reject;
mod rejection;
mod request_log;
mod route;
mod serve;
mod shared;
mod shutdown;
mod sides;

pub use asset::{Asset, is_cached};
pub use bodies::chunked::chunked;
pub use bodies::read_ahead::{AwaitedBody, ReadAhead};
pub use bodies::request::{MAX_DRAINED_BYTES, RequestBody};
pub use credential_cache::{CredentialCache, HeaderCredential};
pub use forward::{ApiRequest, forward};
pub use frame::{FoundCredential, Frame, conditions_of, frame, request_metadata};
pub use limits::byte_budget::{ByteBudget, Exhausted, MAX_BYTES, MAX_BYTES_PER_TENANT, Reservation, Tally};
pub use limits::in_flight::{InFlight, PageSlot};
pub use limits::lanes::{UPLOAD_READ_TIMEOUT, in_time, limit_time};
pub use limits::rate_limit::{BATCH_SHARE, begin_operation};
pub use limits::rate_limiter::{
    CountedBy, InvalidRateLimit, RateLimit, RateLimitExceeded, RateLimitStats, RateLimitStatus, RateLimiter, RateLimits,
};
pub use monitoring::metrics::RequestMetrics;
pub use monitoring::outage_log::OutageLog;
pub use reject::accepts_html;
pub use rejection::{Rejection, TooManyReceived};
pub use route::{CredentialSource, Route};
pub use serve::serve;
pub use shared::Web;
pub use shutdown::Shutdown;
pub use sides::{PageSide, RestSide};
// The class of a page is stated in the terms of the contract.
pub use steward_api::RateClass;
