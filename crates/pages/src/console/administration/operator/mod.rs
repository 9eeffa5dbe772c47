//! Pages for the operators of the service.

pub(crate) mod accounts;
pub(crate) mod action;
pub(crate) mod service;
pub(crate) mod sizes;
