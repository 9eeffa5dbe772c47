//! Invites to teams.

pub(super) mod entity;
pub(super) mod invites;
pub(crate) mod port;
pub(super) mod proofs;
