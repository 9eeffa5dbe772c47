//! Passwords.

pub(crate) mod breached;
mod check;
pub(super) mod entity;
pub(super) mod new_password;
pub(crate) mod port;
pub(super) mod strength;
