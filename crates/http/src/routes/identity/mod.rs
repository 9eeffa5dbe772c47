//! Accounts, sign-in, clients and tokens.

pub(super) mod account;
pub(super) mod client;
pub(super) mod client_registration;
pub(super) mod identity_provider;
pub(super) mod oauth;
pub(super) mod own_app;
pub(super) mod personal_token;
pub(super) mod session;
