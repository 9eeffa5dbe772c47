//! Projects of teams.

pub(crate) mod cleanup;
pub(crate) mod entity;
pub(crate) mod port;
pub(super) mod projects;
