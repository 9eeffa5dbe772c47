//! What the middleware needs.

use std::sync::Arc;

use ipnet::IpNet;
use steward_domain::Steward;
use steward_domain::kernel::IdGenerator;

use crate::credential_cache::CredentialCache;
use crate::limits::in_flight::InFlight;
use crate::limits::rate_limiter::RateLimiter;
use crate::monitoring::metrics::RequestMetrics;
use crate::monitoring::outage_log::OutageLog;
use crate::shutdown::Shutdown;
use crate::sides::{PageSide, RestSide};

/// What the middleware of API and pages needs. Mounted as data of the application.
#[derive(Clone)]
pub struct Web {
    /// Counts the requests of projects.
    pub steward: Arc<Steward>,
    /// Generates request IDs.
    pub ids: Arc<dyn IdGenerator>,
    /// Maps recently authenticated credentials to their holders and tenants.
    pub credentials: Arc<CredentialCache>,
    /// Limits the request rate of each caller.
    pub rate_limiter: Arc<RateLimiter>,
    /// Limits the bytes of requests that are being processed and of responses that wait to be read.
    pub in_flight: InFlight,
    /// Request counters and durations.
    pub metrics: RequestMetrics,
    /// Limits the lines that an outage writes to the log.
    pub outage_log: Arc<OutageLog>,
    /// Whether the service is shutting down.
    pub shutdown: Shutdown,
    /// Networks of the proxies whose `X-Forwarded-For` header is trusted.
    pub trusted_proxies: Arc<[IpNet]>,
    /// The REST API.
    pub rest: Arc<dyn RestSide>,
    /// The pages.
    pub pages: Arc<dyn PageSide>,
}
