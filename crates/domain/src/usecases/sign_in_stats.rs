//! How sign-ins end, for metrics.

use std::sync::atomic::{AtomicU64, Ordering};

/// How a sign-in ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SignInOutcome {
    /// The password was right.
    Ok,
    /// The password was wrong, or nobody has the account.
    WrongPassword,
    /// There were too many attempts; no password was checked.
    Limited,
    /// The password was right, but the operator disabled the account.
    Disabled,
    /// It could not be checked.
    Failed,
}

impl SignInOutcome {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::Ok, Self::WrongPassword, Self::Limited, Self::Disabled, Self::Failed];

    /// The name in metrics.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::WrongPassword => "wrong_password",
            Self::Limited => "limited",
            Self::Disabled => "disabled",
            Self::Failed => "failed",
        }
    }
}

/// Counts how sign-ins ended since the process began.
#[derive(Debug, Default)]
pub struct SignInStats([AtomicU64; SignInOutcome::ALL.len()]);

impl SignInStats {
    /// How many ended in each way.
    pub fn outcomes(&self) -> impl Iterator<Item = (SignInOutcome, u64)> {
        SignInOutcome::ALL.into_iter().zip(self.0.iter().map(|count| count.load(Ordering::Relaxed)))
    }

    pub(super) fn count(&self, outcome: SignInOutcome) {
        let place = SignInOutcome::ALL.iter().position(|other| *other == outcome);
        if let Some(count) = place.and_then(|place| self.0.get(place)) {
            count.fetch_add(1, Ordering::Relaxed);
        }
    }
}
