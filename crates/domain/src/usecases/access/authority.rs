//! Ends invites and webhooks that depend on a member's authority when the member is removed or demoted.

use std::sync::Arc;

use crate::changes::Changes;
use crate::error::Error;
use crate::model::{AccountId, ApiKey, Invite, Request, Team, TeamId, Time, Webhook};
use crate::policy::{Operation, Permit, RoleSet};

use crate::usecases::{Core, complete, retry_stale};

/// Maximum number of invites and webhooks that end in one commit. A team can have more of them than a commit can hold.
const BATCH_SIZE: usize = 1_000;

/// Resources that depend on authority that a member loses.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct AffectedResources {
    /// Keys with a value that the member knows and with permissions that the member no longer has. They belong to their
    /// projects and work until they are regenerated.
    pub keys: Vec<ApiKey>,
    /// Pending invites that the member may no longer create. They are revoked.
    pub invites: Vec<Invite>,
    /// Webhooks that the member may no longer authorize. They are paused.
    pub webhooks: Vec<Webhook>,
}

impl AffectedResources {
    /// Adds changes that revoke the invites and pause the webhooks, up to [`BATCH_SIZE`]. In every commit they follow the
    /// member and are ordered by ID, which prevents deadlocks.
    pub(in crate::usecases) fn end(&self, changes: Changes, now: Time) -> Changes {
        let revoke = |changes: Changes, invite: &Invite| match invite.clone().revoke(now) {
            Ok(revoked) => changes.replace(invite.clone(), revoked),
            Err(_) => changes,
        };
        let changes = self.invites.iter().take(BATCH_SIZE).fold(changes, revoke);
        let pause = |changes: Changes, webhook: &Webhook| {
            changes.replace(webhook.clone(), webhook.clone().pause_unauthorized(now))
        };
        self.webhooks.iter().take(BATCH_SIZE.saturating_sub(self.invites.len())).fold(changes, pause)
    }

    /// Whether [`AffectedResources::end`] leaves some of the invites and webhooks for another commit.
    pub(in crate::usecases) fn exceeds_one_commit(&self) -> bool {
        self.invites.len().saturating_add(self.webhooks.len()) > BATCH_SIZE
    }

    fn add(&mut self, other: Self) {
        self.keys.extend(other.keys);
        self.invites.extend(other.invites);
        self.webhooks.extend(other.webhooks);
    }
}

/// Finds and ends resources that depend on a member's authority.
#[derive(Clone)]
pub struct Authority {
    core: Arc<Core>,
}

impl Authority {
    /// Creates the use cases from the shared components.
    pub fn new(core: &Arc<Core>) -> Self {
        Self { core: core.clone() }
    }

    /// Finds the resources that a member of a team loses. `remaining`: the member's new roles; `None` on removal.
    pub(in crate::usecases) async fn affected_resources(
        &self,
        team: TeamId,
        account: AccountId,
        remaining: Option<&RoleSet>,
        now: Time,
    ) -> Result<AffectedResources, Error> {
        let held = remaining.map(RoleSet::permissions).unwrap_or_default();
        let (mut keys, mut invites, mut webhooks) = (
            self.core.store.api_keys.keys_created_by(team, account).await?,
            self.core.store.invites.pending_invites_by(team, account, now).await?,
            self.core.store.webhooks.webhooks_authorized_by(team, account).await?,
        );
        if let Some(remaining) = remaining {
            keys.retain(|key| !key.roles.permissions().missing_from(held).is_empty());
            invites.retain(|invite| !remaining.may_invite_into(&invite.roles));
            webhooks.retain(|_| !remaining.may_authorize_webhooks());
        }
        Ok(AffectedResources { keys, invites, webhooks })
    }

    /// Ends the resources that depend on an account in all its teams, as if it were removed from each: for an account
    /// that is disabled or deleted. `operation` is recorded in the audit log of each team.
    pub async fn end_everywhere(
        &self,
        account: AccountId,
        operation: Operation,
        request: &Request,
    ) -> Result<AffectedResources, Error> {
        let mut all = AffectedResources::default();
        for membership in complete(async |page| self.core.store.teams.teams_of(account, &page).await).await? {
            let team = membership.team.id;
            let permit = Permit::system(operation, request.clone())?.in_team(team);
            all.add(self.end_in_team(&permit, team, account, None).await?);
        }
        Ok(all)
    }

    /// Ends the resources that a member of a team loses, in as many commits as they need, and returns them. Until a
    /// resource is ended, it is useless: the member's authority is checked again when an invite is accepted and when an
    /// event is delivered. `remaining`: the member's new roles; `None` on removal.
    pub(in crate::usecases) async fn end_in_team(
        &self,
        permit: &Permit,
        team: TeamId,
        account: AccountId,
        remaining: Option<&RoleSet>,
    ) -> Result<AffectedResources, Error> {
        let mut all = None;
        loop {
            let affected = retry_stale(async || {
                let now = self.core.now();
                let affected = self.affected_resources(team, account, remaining, now).await?;
                if affected.invites.is_empty() && affected.webhooks.is_empty() {
                    return Ok(affected);
                }

                let changes = affected.end(Changes::by(permit.clone(), now), now);
                self.core.commit(changes).await?;
                Ok(affected)
            })
            .await?;
            if !affected.exceeds_one_commit() {
                return Ok(all.unwrap_or(affected));
            }
            all = all.or(Some(affected));
        }
    }

    /// Adds a change of the team's displayed owner, or a lock on the team. Either one conflicts with concurrent changes
    /// that could remove the last owner.
    pub(in crate::usecases) async fn end_ownership(
        &self,
        changes: Changes,
        team: &Team,
        leaving: AccountId,
    ) -> Result<Changes, Error> {
        let without = self.without_owner(team, leaving).await?;
        Ok(if without == *team { changes.lock(without) } else { changes.replace(team.clone(), without) })
    }

    /// Returns the team after an owner leaves that role. Fails for the last owner.
    pub(in crate::usecases) async fn without_owner(&self, team: &Team, leaving: AccountId) -> Result<Team, Error> {
        let members = complete(async |page| self.core.store.teams.members(team.id, &page).await).await?;
        Ok(team.clone().without_owner(leaving, &members)?)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;
    use crate::changes::{Entity, Write};
    use crate::mocks::{MockStore, a_permit, a_team, a_webhook, an_invite, mock_core};
    use crate::model::{Recipient, Username};
    use crate::ports::Committed;

    #[tokio::test]
    async fn more_resources_than_one_commit_holds_end_in_several_commits() {
        let team = a_team("acme");
        let invite = an_invite(Recipient::Username(Username::parse("ann").unwrap()));
        let webhook = a_webhook(team.id, None);
        // The invites and webhooks that are left, and the number of writes of each commit.
        let state = Arc::new(Mutex::new((1_500_usize, 1_501_usize, Vec::new())));

        let mut store = MockStore::default();
        store.api_keys.expect_keys_created_by().returning(|_, _| Ok(Vec::new()));
        let seen = state.clone();
        store
            .invites
            .expect_pending_invites_by()
            .returning(move |_, _, _| Ok(vec![invite.clone(); seen.lock().unwrap().0]));
        let seen = state.clone();
        store
            .webhooks
            .expect_webhooks_authorized_by()
            .returning(move |_, _| Ok(vec![webhook.clone(); seen.lock().unwrap().1]));
        let committed = state.clone();
        store.unit_of_work.expect_commit().returning(move |changes| {
            let mut state = committed.lock().unwrap();
            for write in changes.writes() {
                match write {
                    Write::Replace(Entity::Invite(_)) => state.0 -= 1,
                    Write::Replace(Entity::Webhook(_)) => state.1 -= 1,
                    other => panic!("{other:?}"),
                }
            }
            state.2.push(changes.recorded_writes().len());
            Ok(Committed::default())
        });
        let authority = Authority::new(&mock_core(store));

        let ended = authority.end_in_team(&a_permit(), team.id, team.owner, None).await.unwrap();
        assert_eq!((ended.invites.len(), ended.webhooks.len()), (1_500, 1_501));
        assert_eq!(*state.lock().unwrap(), (0, 0, vec![1_000, 1_000, 1_000, 1]));
    }
}
