//! Strangers who signed up with the address of someone else, who confirms it later.

use crate::changes::Changes;
use crate::error::Error;
use crate::model::Account;
use crate::usecases::Core;
use crate::usecases::accounts::factors::Factors;

/// Also removes the passkeys, second factors and linked identities of an account whose address is confirmed by this change:
/// someone else may have signed up with the address, and have set them up. What is set up [at the same
/// time](unless_confirmed) conflicts with the change.
pub(in crate::usecases) async fn without_strangers_factors(
    core: &Core,
    changes: Changes,
    account: &Account,
) -> Result<Changes, Error> {
    if account.email_verified {
        return Ok(changes);
    }
    Ok(Factors::all(core, account.id).await?.removed_by(changes))
}

/// Makes a change that sets up a passkey or second factor conflict with one that confirms the address of the account.
pub(in crate::usecases) fn unless_confirmed(changes: Changes, account: &Account) -> Changes {
    if account.email_verified { changes } else { changes.replace(account.clone(), account.clone()) }
}
