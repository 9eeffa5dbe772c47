//! The audit log of a team or project.

pub(crate) mod chain;
mod event;
pub(crate) mod log;
pub(crate) mod names;
pub(crate) mod sentence;
