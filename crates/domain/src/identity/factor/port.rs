//! Reading the second factors of accounts, and computing one-time codes.

use async_trait::async_trait;

use crate::identity::SecondFactors;
use crate::kernel::{AccountId, StoreError};

/// Reads the second factors of accounts.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait SecondFactorReader: Send + Sync {
    /// Returns the second factors of the account. MUST see every commit that was acknowledged before, so that a code
    /// cannot be used twice.
    async fn second_factors(&self, account: AccountId) -> Result<SecondFactors, StoreError>;
}

/// Computes one-time codes (RFC 6238).
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
pub trait OneTimeCodes: Send + Sync {
    /// Returns whether this is the code of a time step: six digits, with HMAC-SHA-1 (RFC 4226 §5.3). MUST take the same
    /// time for each wrong code of six digits.
    fn is_code_of(&self, key: &[u8], step: i64, code: &str) -> bool;
}
