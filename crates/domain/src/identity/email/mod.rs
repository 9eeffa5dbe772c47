//! Email addresses and messages to them.

pub(super) mod address;
pub(super) mod change;
pub(super) mod codes;
pub(crate) mod deliverable;
pub(super) mod link;
pub(super) mod links;
pub(super) mod look;
pub(crate) mod mailer;
pub(super) mod message;
