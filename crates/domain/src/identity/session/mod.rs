//! Sessions of browsers, and signing in to them.

pub(super) mod authentication_method;
pub(super) mod authentication_proof;
mod browser_values;
pub(super) mod entity;
mod known_browsers;
pub(crate) mod sessions;
pub(super) mod sign_in_guard;
pub(super) mod sign_in_stats;
