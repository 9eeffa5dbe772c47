//! Members of teams.

pub(super) mod authority;
pub(super) mod entity;
pub(super) mod members;
pub(crate) mod people;
