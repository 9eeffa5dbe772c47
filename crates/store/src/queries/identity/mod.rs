//! Queries for accounts, sign-in, clients and tokens.

pub(super) mod account;
pub(super) mod authorization;
pub(super) mod identity_provider;
mod logout;
mod passkey;
mod personal_token;
pub(super) mod project_client;
mod second_factor;
pub(super) mod server_key;

use super::{Backend, Conn, Database, administration, dialect, kernel};
