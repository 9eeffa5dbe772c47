//! What members began ends with the authority that it rests on: invites and webhooks of who is removed or demoted.

use std::sync::Arc;

use crate::changes::Changes;
use crate::error::Error;
use crate::model::{AccountId, ApiKey, Invite, Request, TeamId, Time, Webhook};
use crate::policy::{Operation, Permit, RoleSet};
use crate::ports::{ApiKeyReader, Clock, InviteReader, TeamReader, UnitOfWork, WebhookReader};

use super::{complete, retry_stale};

/// What rested on the authority that a member loses.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct AffectedResources {
    /// The keys whose value the member knows and that may do more than the member. They belong to their projects and work
    /// until they are regenerated.
    pub keys: Vec<ApiKey>,
    /// The pending invites that the member may not make any more. They are revoked.
    pub invites: Vec<Invite>,
    /// The webhooks that the member may not authorize any more. They are paused.
    pub webhooks: Vec<Webhook>,
}

impl AffectedResources {
    /// The change, ending the invites and webhooks with it. They come after the member in every change, and in the order of
    /// their ids, so that two changes never wait for each other.
    pub(super) fn end(&self, changes: Changes, now: Time) -> Changes {
        let changes = self.invites.iter().fold(changes, |changes, invite| match invite.clone().revoke(now) {
            Ok(revoked) => changes.replace(invite.clone(), revoked),
            Err(_) => changes,
        });
        let pause =
            |changes: Changes, webhook: &Webhook| changes.replace(webhook.clone(), webhook.clone().unauthorized(now));
        self.webhooks.iter().fold(changes, pause)
    }

    fn add(&mut self, other: Self) {
        self.keys.extend(other.keys);
        self.invites.extend(other.invites);
        self.webhooks.extend(other.webhooks);
    }
}

/// Finds what rests on the authority of a member, and ends it.
#[derive(Clone)]
#[expect(missing_docs, reason = "each field is the port it is named after")]
pub struct Authority {
    pub teams: Arc<dyn TeamReader>,
    pub keys: Arc<dyn ApiKeyReader>,
    pub invites: Arc<dyn InviteReader>,
    pub webhooks: Arc<dyn WebhookReader>,
    pub store: Arc<dyn UnitOfWork>,
    pub clock: Arc<dyn Clock>,
}

impl Authority {
    /// What a member of a team loses who holds `left` from now on; `None`: nothing.
    pub(super) async fn lost_with(
        &self,
        team: TeamId,
        account: AccountId,
        left: Option<&RoleSet>,
        now: Time,
    ) -> Result<AffectedResources, Error> {
        let held = left.map(RoleSet::permissions).unwrap_or_default();
        let (mut keys, mut invites, mut webhooks) = (
            self.keys.keys_created_by(team, account).await?,
            self.invites.pending_invites_by(team, account, now).await?,
            self.webhooks.webhooks_authorized_by(team, account).await?,
        );
        if let Some(left) = left {
            keys.retain(|key| !key.roles.permissions().missing_from(held).is_empty());
            invites.retain(|invite| !left.may_invite_into(&invite.roles));
            webhooks.retain(|_| !left.may_authorize_webhooks());
        }
        Ok(AffectedResources { keys, invites, webhooks })
    }

    /// Ends what rests on an account in all of its teams, as if it had been removed from each: for an account that is
    /// disabled or deleted. `operation` is what the audit log of each team names.
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
                    let affected = self.lost_with(team, account, None, now).await?;
                    if affected.invites.is_empty() && affected.webhooks.is_empty() {
                        return Ok(affected);
                    }

                    let permit = Permit::for_system_in(operation, team, None, request.clone());
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
