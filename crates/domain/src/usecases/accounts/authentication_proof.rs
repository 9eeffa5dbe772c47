//! Proof of authentication.

use crate::model::Account;

/// Proof that a person has just authenticated with the password of the account, or has just set it. Only use cases
/// construct it.
#[derive(Debug, Clone)]
pub struct AuthenticationProof {
    pub(in crate::usecases) account: Account,
}

impl AuthenticationProof {
    /// The authenticated account.
    pub fn account(&self) -> &Account {
        &self.account
    }
}
