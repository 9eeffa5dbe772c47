//! Teams.

pub(super) mod entity;
pub(crate) mod port;
pub(super) mod teams;
