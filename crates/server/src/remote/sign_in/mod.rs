//! `steward login` and `logout`, and the tokens that they store.

mod credentials;
mod login;
mod loopback;
mod provider;
pub mod tokens;

pub use self::credentials::{Credentials, CredentialsFile, DEFAULT_PROFILE, Profiles};
pub use self::login::{LogIn, log_in, log_in_again, log_out};
pub use self::provider::Provider;
