//! What a request may use: how often, for how long, and how much of the memory.

pub(crate) mod byte_budget;
pub(crate) mod in_flight;
pub(crate) mod lanes;
pub(crate) mod rate_limit;
pub(crate) mod rate_limiter;
