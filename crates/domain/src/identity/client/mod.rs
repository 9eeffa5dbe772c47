//! Clients: the programs that people sign in to.

mod app_scheme;
mod assertion;
mod authentication;
pub(super) mod clients;
pub(super) mod entity;
pub(super) mod id;
pub(super) mod keys;
pub(super) mod known;
mod logos;
pub(crate) mod port;
pub(super) mod presented;
pub(super) mod redirect_uri;
pub(super) mod registration;
pub(super) mod secret;
pub(super) mod settings;
pub(super) mod sign_in_settings;
pub(crate) mod signatures;
