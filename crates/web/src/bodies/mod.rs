//! Bodies of requests and responses: how much of them is in memory, and how fast they move.

pub(crate) mod chunked;
pub(crate) mod read_ahead;
pub(crate) mod request;
pub(crate) mod response;
