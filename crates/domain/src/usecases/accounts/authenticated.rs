//! Proof of authentication.

use crate::model::Account;

/// Proof that a person has just authenticated with the password of the account, or has just set it. Only use cases
/// construct it.
#[derive(Debug, Clone)]
pub struct Authenticated {
    pub(in crate::usecases) account: Account,
}

impl Authenticated {
    /// The authenticated account.
    pub fn account(&self) -> &Account {
        &self.account
    }
}
