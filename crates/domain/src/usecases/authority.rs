//! Ends invites and webhooks that depend on a member's authority when the member is removed or demoted.

use std::sync::Arc;

use crate::changes::Changes;
use crate::error::Error;
use crate::model::{AccountId, ApiKey, Invite, Request, TeamId, Time, Webhook};
use crate::policy::{Operation, Permit, RoleSet};
use crate::ports::{ApiKeyReader, Clock, InviteReader, TeamReader, UnitOfWork, WebhookReader};

use super::{Core, complete, retry_stale};

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
    /// Adds changes that revoke the invites and pause the webhooks. In every commit they follow the member and are
    /// ordered by ID, which prevents deadlocks.
    pub(super) fn end(&self, changes: Changes, now: Time) -> Changes {
        let changes = self.invites.iter().fold(changes, |changes, invite| match invite.clone().revoke(now) {
            Ok(revoked) => changes.replace(invite.clone(), revoked),
            Err(_) => changes,
        });
        let pause = |changes: Changes, webhook: &Webhook| {
            changes.replace(webhook.clone(), webhook.clone().pause_unauthorized(now))
        };
        self.webhooks.iter().fold(changes, pause)
    }

    fn add(&mut self, other: Self) {
        self.keys.extend(other.keys);
        self.invites.extend(other.invites);
        self.webhooks.extend(other.webhooks);
    }
}

/// Finds and ends resources that depend on a member's authority.
#[derive(Clone)]
#[expect(missing_docs, reason = "each field is named after its port")]
pub struct Authority {
    pub teams: Arc<dyn TeamReader>,
    pub keys: Arc<dyn ApiKeyReader>,
    pub invites: Arc<dyn InviteReader>,
    pub webhooks: Arc<dyn WebhookReader>,
    pub store: Arc<dyn UnitOfWork>,
    pub clock: Arc<dyn Clock>,
}

impl Authority {
    /// Creates the use cases from the shared components.
    pub fn new(core: &Core) -> Self {
        Self {
            teams: core.store.clone(),
            keys: core.store.clone(),
            invites: core.store.clone(),
            webhooks: core.store.clone(),
            store: core.unit_of_work.clone(),
            clock: core.system.clock.clone(),
        }
    }

    /// Finds the resources that a member of a team loses. `remaining`: the member's new roles; `None` on removal.
    pub(super) async fn affected_resources(
        &self,
        team: TeamId,
        account: AccountId,
        remaining: Option<&RoleSet>,
        now: Time,
    ) -> Result<AffectedResources, Error> {
        let held = remaining.map(RoleSet::permissions).unwrap_or_default();
        let (mut keys, mut invites, mut webhooks) = (
            self.keys.keys_created_by(team, account).await?,
            self.invites.pending_invites_by(team, account, now).await?,
            self.webhooks.webhooks_authorized_by(team, account).await?,
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
        for membership in complete(async |page| self.teams.teams_of(account, &page).await).await? {
            let team = membership.team.id;
            all.add(
                retry_stale(async || {
                    let now = self.clock.now();
                    let affected = self.affected_resources(team, account, None, now).await?;
                    if affected.invites.is_empty() && affected.webhooks.is_empty() {
                        return Ok(affected);
                    }

                    let permit = Permit::system(operation, request.clone())?.in_team(team);
                    let changes = affected.end(Changes::by(permit, now), now);
                    self.store.commit(changes).await?;
                    Ok(affected)
                })
                .await?,
            );
        }
        Ok(all)
    }
}
