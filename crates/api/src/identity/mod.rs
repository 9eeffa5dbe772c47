//! Accounts, sign-in, clients and tokens.

pub(crate) mod account;
pub(crate) mod client;
pub(crate) mod client_registration;
pub(crate) mod identity_provider;
pub(crate) mod oauth;
pub(crate) mod own_app;
pub(crate) mod personal_token;
pub(crate) mod session;
