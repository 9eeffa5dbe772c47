//! Commands for clients, identity providers and credentials.

pub mod app;
pub mod client;
pub mod client_logo;
pub mod provider;
pub mod session;
pub mod token;
pub mod whoami;
