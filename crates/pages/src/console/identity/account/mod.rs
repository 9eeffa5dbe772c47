//! The account of the person: profile, second factors, sessions, apps, personal access tokens, its data and its end.

pub(crate) mod activity;
pub(crate) mod apps;
pub(crate) mod delete;
pub(crate) mod email;
pub(crate) mod export;
pub(crate) mod identities;
pub(crate) mod lost_factors;
pub(crate) mod passkeys;
pub(crate) mod password;
pub(crate) mod profile;
mod qr_code;
pub(crate) mod sessions;
pub(crate) mod tokens;
pub(crate) mod two_factor;
