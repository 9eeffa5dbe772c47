//! Passkeys.

pub(super) mod entity;
pub(super) mod passkeys;
pub(crate) mod port;
