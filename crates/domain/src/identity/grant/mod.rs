//! Grants: the access that a person gave to a project.

pub(super) mod entity;
pub(super) mod grants;
