//! Counts of sign-in outcomes, for metrics.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::kernel::error::Error;

/// Outcome of a sign-in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SignInOutcome {
    /// The person signed in.
    Ok,
    /// The password was correct, and the account requires a second factor. If the person enters a code, that is
    /// another outcome.
    SecondFactor,
    /// The password was correct, but the code for the second factor was wrong.
    WrongCode,
    /// The code of an email was wrong or has expired.
    WrongEmailCode,
    /// The passkey was not known, or its response was refused.
    WrongPasskey,
    /// The sign-in at another provider failed, or its identity cannot be used.
    WrongIdentity,
    /// The password was wrong, or the account does not exist.
    WrongPassword,
    /// There were too many attempts, so the password was not checked.
    Limited,
    /// The password was correct, but the account is disabled.
    Disabled,
    /// The password could not be checked because of an error.
    Failed,
}

impl SignInOutcome {
    /// All outcomes, in the order of the counters.
    pub const ALL: [Self; 10] = [
        Self::Ok,
        Self::SecondFactor,
        Self::WrongCode,
        Self::WrongEmailCode,
        Self::WrongPasskey,
        Self::WrongIdentity,
        Self::WrongPassword,
        Self::Limited,
        Self::Disabled,
        Self::Failed,
    ];

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

    /// The label value in metrics.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::SecondFactor => "second_factor",
            Self::WrongCode => "wrong_code",
            Self::WrongEmailCode => "wrong_email_code",
            Self::WrongPasskey => "wrong_passkey",
            Self::WrongIdentity => "wrong_identity",
            Self::WrongPassword => "wrong_password",
            Self::Limited => "limited",
            Self::Disabled => "disabled",
            Self::Failed => "failed",
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
