//! Accounts, sign-in, sessions, tokens, clients, second factors and identity providers.

mod account_notices;
mod accounts;
mod action_limits;
mod authorize;
mod client_logos;
pub mod clients;
mod confirmation;
pub mod email_codes;
mod email_texts;
mod emails;
pub mod identity_providers;
mod logout;
mod oidc_conformance;
mod pages;
mod passkeys;
pub mod personal_tokens;
mod second_factor_rules;
pub mod second_factors;
mod session;
mod sign_in_guard;
mod sign_in_pages;
mod signing_keys;
mod tokens;
