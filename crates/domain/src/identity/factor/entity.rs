//! The second factors of an account.

use crate::identity::{AuthenticatorApp, RecoveryCodes};

/// What an account has in addition to its password.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SecondFactors {
    /// The authenticator app.
    pub app: Option<AuthenticatorApp>,
    /// The recovery codes, which only serve an account that has a factor to lose.
    pub recovery_codes: Option<RecoveryCodes>,
}

impl SecondFactors {
    /// Returns whether a sign-in requires a second factor.
    pub fn are_required(&self) -> bool {
        self.app.is_some()
    }

    /// Returns the number of recovery codes that were not used yet.
    pub fn recovery_codes_left(&self) -> usize {
        self.recovery_codes.as_ref().map_or(0, |codes| codes.digests.len())
    }
}
