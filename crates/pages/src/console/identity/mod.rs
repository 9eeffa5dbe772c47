//! Accounts, clients and identity providers.

pub(super) mod account;
pub(super) mod client;
pub(super) mod provider;
