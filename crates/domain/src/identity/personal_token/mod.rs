//! Personal access tokens.

pub(super) mod entity;
pub(super) mod personal_tokens;
pub(crate) mod port;
