//! Strangers who signed up with the address of someone else, who confirms it later.

use crate::identity::account::notices::notify;
use crate::identity::factor::factors::Factors;
use crate::identity::grant::grants::end_grant;
use crate::identity::{Account, AccountChange, IdentityCore, Sessions};
use crate::kernel::changes::Changes;
use crate::kernel::error::Error;
use crate::kernel::policy::Permit;
use crate::kernel::{AccountId, complete, retry_stale};

/// Also removes the passkeys, second factors and linked identities of an account whose address is confirmed by this change:
/// someone else may have signed up with the address, and have set them up. What is set up [at the same
/// time](unless_confirmed) conflicts with the change.
pub(crate) async fn without_strangers_factors(
    core: &IdentityCore,
    changes: Changes,
    account: &Account,
) -> Result<Changes, Error> {
    if account.email_verified { Ok(changes) } else { Ok(Factors::all(core, account.id).await?.removed_by(changes)) }
}

/// Makes a change that sets up a passkey or second factor conflict with one that confirms the address of the account.
pub(crate) fn unless_confirmed(changes: Changes, account: &Account) -> Changes {
    if account.email_verified { changes } else { changes.replace(account.clone(), account.clone()) }
}

/// Removes what an account issued and gave to others before [its owner confirmed the address](Account::confirmed_by_owner), and
/// sends an email about it. Nothing of it counts any more, so it does not matter if a part fails: removing it tells clients and
/// projects, and nobody sees it any longer. The permit is that of the confirmation.
pub(crate) async fn end_what_strangers_gave(
    core: &IdentityCore,
    sessions: &Sessions,
    permit: &Permit,
    account: &Account,
) {
    drop(sessions.end_outdated(permit, account.id).await);
    drop(end_grants(core, permit, account.id).await);
    drop(revoke_invites(core, permit, account.id).await);
    notify(core, account, AccountChange::RemovedByConfirmation);
}

async fn end_grants(core: &IdentityCore, permit: &Permit, account: AccountId) -> Result<(), Error> {
    for granted in core.ports.authorizations.grants_of(account).await? {
        end_grant(core, permit, (account, granted.project.id)).await?;
    }
    Ok(())
}

async fn revoke_invites(core: &IdentityCore, permit: &Permit, account: AccountId) -> Result<(), Error> {
    for membership in complete(async |page| core.ports.teams.teams_of(account, None, &page).await).await? {
        let team = membership.team.id;
        retry_stale(async || {
            let now = core.now();
            let invites = core.ports.invites.pending_invites_by(team, account, now).await?;
            let changes = Changes::by(permit.clone().in_team(team), now);
            let changes = invites.into_iter().fold(changes, |changes, invite| match invite.clone().revoke(now) {
                Ok(revoked) => changes.replace(invite, revoked),
                Err(_) => changes,
            });
            if !changes.recorded_writes().is_empty() {
                core.commit(changes).await?;
            }
            Ok(())
        })
        .await?;
    }
    Ok(())
}
