//! Projects of teams.

pub(super) mod cleanup;
pub(crate) mod entity;
pub(crate) mod port;
pub(super) mod projects;
