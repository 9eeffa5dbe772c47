//! API keys of projects.

pub(super) mod api_keys;
pub(crate) mod entity;
pub(crate) mod port;
