//! Signing out of clients.

pub(super) mod deliveries;
pub(super) mod delivery;
pub(super) mod logout_request;
pub(crate) mod queue;
