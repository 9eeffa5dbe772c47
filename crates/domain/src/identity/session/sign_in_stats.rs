//! Counts of sign-in outcomes, for metrics.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::kernel::error::Error;
use crate::kernel::named;

named! {
    /// Outcome of a sign-in.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum SignInOutcome: "the label value in metrics" {
        /// The person signed in.
        Ok = "ok",
        /// The password was correct, and the account requires a second factor. If the person enters a code, that is
        /// another outcome.
        SecondFactor = "second_factor",
        /// The password was correct, but the code for the second factor was wrong.
        WrongCode = "wrong_code",
        /// The code of an email was wrong or has expired.
        WrongEmailCode = "wrong_email_code",
        /// The passkey was not known, or its response was refused.
        WrongPasskey = "wrong_passkey",
        /// The sign-in at another provider failed, or its identity cannot be used.
        WrongIdentity = "wrong_identity",
        /// The password was wrong, or the account does not exist.
        WrongPassword = "wrong_password",
        /// There were too many attempts, so the password was not checked.
        Limited = "limited",
        /// The password was correct, but the account is disabled.
        Disabled = "disabled",
        /// The password could not be checked because of an error.
        Failed = "failed",
    }
}

impl SignInOutcome {
    /// Returns the outcome of a check whose proof was refused with `wrong`. `None` if there was no attempt.
    pub(crate) fn of<T>(result: &Result<T, Error>, wrong: Self) -> Option<Self> {
        match result {
            Ok(_) => Some(Self::Ok),
            Err(Error::Unauthenticated(refused)) if refused.is_mistyped() => None,
            Err(Error::Unauthenticated(_)) => Some(wrong),
            Err(Error::TooMany { .. }) => Some(Self::Limited),
            Err(_) => Some(Self::Failed),
        }
    }
}

/// Number of sign-ins per outcome since the process started.
#[derive(Debug, Default)]
pub struct SignInStats([AtomicU64; SignInOutcome::ALL.len()]);

impl SignInStats {
    /// Returns the number of sign-ins per outcome.
    pub fn outcomes(&self) -> impl Iterator<Item = (SignInOutcome, u64)> {
        SignInOutcome::ALL.into_iter().zip(self.0.iter().map(|count| count.load(Ordering::Relaxed)))
    }

    pub(crate) fn count(&self, outcome: impl Into<Option<SignInOutcome>>) {
        let outcome: Option<SignInOutcome> = outcome.into();
        let index = outcome.and_then(|outcome| SignInOutcome::ALL.iter().position(|other| *other == outcome));
        if let Some(count) = index.and_then(|index| self.0.get(index)) {
            count.fetch_add(1, Ordering::Relaxed);
        }
    }
}
