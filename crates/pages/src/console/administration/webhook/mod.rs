//! Webhooks of a team or project.

mod confirmation;
pub(crate) mod deliveries;
pub(crate) mod form;
pub(crate) mod overview;
mod scope;
pub(crate) mod secret;
