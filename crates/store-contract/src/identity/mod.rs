//! Rules for accounts, sign-in, clients and tokens.

pub mod accounts;
pub mod authorizations;
pub mod identity_providers;
pub mod logout;
pub mod passkeys;
pub mod personal_tokens;
pub mod project_clients;
pub mod second_factors;
pub mod server_keys;
