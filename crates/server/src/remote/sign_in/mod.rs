//! `steward login` and `logout`, and the tokens that they store.

mod credentials;
mod login;
mod loopback;
mod provider;
pub mod tokens;

pub use self::credentials::{Credentials, CredentialsFile, DEFAULT_PROFILE, Lock, Profiles};
pub use self::login::{LogIn, LogOut, log_in_again};
pub use self::provider::Provider;
