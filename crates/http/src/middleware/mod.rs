//! Middleware: what happens to requests and responses around their handlers.

pub(crate) mod byte_budget;
pub(crate) mod cors;
pub(crate) mod idempotency;
pub(crate) mod in_flight;
pub(crate) mod lanes;
pub(crate) mod page_operation;
pub(crate) mod rate_limit;
pub(crate) mod rejection;
pub(crate) mod request_body;
pub(crate) mod response_body;
pub(crate) mod shutdown;
pub(crate) mod trace;
