//! Drafts of schemas.

pub(super) mod entity;
pub(crate) mod port;
