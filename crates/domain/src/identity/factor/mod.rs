//! Second factors.

pub(super) mod authenticator_app;
pub(super) mod entity;
pub(crate) mod factors;
pub(super) mod policy;
pub(crate) mod port;
pub(super) mod recovery_codes;
pub(crate) mod removal;
pub(super) mod settings;
pub(super) mod sign_in;
