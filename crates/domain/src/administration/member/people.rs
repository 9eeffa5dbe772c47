//! People who can be members of teams.

use crate::administration::AdministrationCore;
use crate::identity::Account;
use crate::kernel::changes::Changes;
use crate::kernel::error::{Conflict, Error};
use crate::kernel::policy::{Operation, Permit};
use crate::kernel::{CommitError, Request, Unique, use_cases};

use_cases! {
    /// Use case of the operator, or of a program in which people sign in elsewhere.
    pub struct People { core: AdministrationCore }
}

impl People {
    /// Stores the account of a person. Whoever calls it answers for what the account says.
    pub async fn add(&self, request: Request, account: Account) -> Result<Account, Error> {
        let permit = Permit::system(Operation::AccountProvision, request)?;
        self.core.commit(Changes::by(permit, account.created_at).insert(account.clone())).await.map_err(taken)?;
        Ok(account)
    }
}

/// Why a new account was not stored.
pub(crate) fn taken(error: CommitError) -> Error {
    match error {
        CommitError::Taken(Unique::AccountEmail) => Conflict::EmailTaken.into(),
        CommitError::Taken(Unique::AccountUsername) => Conflict::UsernameTaken.into(),
        other => other.into(),
    }
}
