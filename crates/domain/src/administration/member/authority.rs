//! Ends what depends on a member's authority when the member is removed or demoted.

use crate::administration::image::files::ImageFiles;
use crate::administration::{AdministrationCore, ApiKey, BlobKey, Image, Invite, Team, Webhook};
use crate::identity::{IdentityProvider, ProjectClient};
use crate::kernel::changes::Changes;
use crate::kernel::error::{Error, ResourceKind};
use crate::kernel::policy::{EndableKind, EndableKinds, Operation, Permit, RoleSet};
use crate::kernel::{AccountId, ProjectId, Request, TeamId, Time, complete, retry_stale, use_cases};

/// Maximum number of resources that end in one commit. A team can have more of them than a commit can hold.
const BATCH_SIZE: usize = 1_000;

/// Resources that depend on authority that a member loses.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct AffectedResources {
    /// Keys with a value that the member knows and with permissions that the member no longer has. They belong to their
    /// projects and work until they are regenerated, unless they end.
    pub keys: Vec<ApiKey>,
    /// Clients that the member registered or configured and may no longer register. They go on, unless they end.
    pub clients: Vec<ProjectClient>,
    /// Identity providers that the member added or configured and may no longer add. They go on, unless they end.
    pub identity_providers: Vec<IdentityProvider>,
    /// The kinds of keys, clients and identity providers that end: they are deleted.
    pub ended: EndableKinds,
    /// Pending invites that the member may no longer create. They are revoked.
    pub invites: Vec<Invite>,
    /// Webhooks that the member may no longer authorize. They are paused.
    pub webhooks: Vec<Webhook>,
}

/// A resource that ends.
enum Ending<'a> {
    Key(&'a ApiKey),
    Client(&'a ProjectClient),
    IdentityProvider(&'a IdentityProvider),
    Invite(&'a Invite),
    Webhook(&'a Webhook),
}

impl Ending<'_> {
    /// Returns the project whose log records the end, if it is that of a project.
    fn project(&self) -> Option<ProjectId> {
        match self {
            Self::Key(key) => Some(key.project_id),
            Self::Client(client) => Some(client.project_id),
            Self::IdentityProvider(provider) => provider.project_id,
            Self::Invite(_) | Self::Webhook(_) => None,
        }
    }

    fn end(self, changes: Changes, now: Time) -> Changes {
        match self {
            Self::Key(key) => changes.remove(key.clone()),
            Self::Client(client) => changes.remove(client.clone()),
            Self::IdentityProvider(provider) => changes.remove(provider.clone()),
            Self::Invite(invite) => match invite.clone().revoke(now) {
                Ok(revoked) => changes.replace(invite.clone(), revoked),
                Err(_) => changes,
            },
            Self::Webhook(webhook) => changes.replace(webhook.clone(), webhook.clone().pause_unauthorized(now)),
        }
    }
}

impl AffectedResources {
    /// Adds changes that end resources, up to [`BATCH_SIZE`]. In every commit they follow the member and have the same
    /// order, which prevents deadlocks. Invites and webhooks are last: until they are ended, they are useless.
    pub(crate) fn end(&self, changes: Changes, now: Time) -> Changes {
        let changes = changes.reaching(self.ending().take(BATCH_SIZE).filter_map(|ending| ending.project()));
        self.ending().take(BATCH_SIZE).fold(changes, |changes, ending| ending.end(changes, now))
    }

    /// Whether [`AffectedResources::end`] leaves some of the resources for another commit.
    pub(crate) fn exceeds_one_commit(&self) -> bool {
        self.ending().nth(BATCH_SIZE).is_some()
    }

    fn ending(&self) -> impl Iterator<Item = Ending<'_>> {
        let keys = self.chosen(EndableKind::Keys, &self.keys).iter().map(Ending::Key);
        let clients = self.chosen(EndableKind::Clients, &self.clients).iter().map(Ending::Client);
        let providers = self.chosen(EndableKind::IdentityProviders, &self.identity_providers);
        let chosen = keys.chain(clients).chain(providers.iter().map(Ending::IdentityProvider));
        let invites = self.invites.iter().map(Ending::Invite);
        chosen.chain(invites).chain(self.webhooks.iter().map(Ending::Webhook))
    }

    /// Returns the resources if those of their kind end, or none.
    fn chosen<'a, T>(&self, kind: EndableKind, resources: &'a [T]) -> &'a [T] {
        if self.ended.contain(kind) { resources } else { &[] }
    }

    /// Returns the logos of the clients that end.
    fn ended_logos(&self) -> Vec<BlobKey> {
        let clients = self.chosen(EndableKind::Clients, &self.clients);
        clients.iter().filter_map(|client| client.logo.as_ref().map(Image::key)).collect()
    }

    fn add(&mut self, other: Self) {
        self.keys.extend(other.keys);
        self.clients.extend(other.clients);
        self.identity_providers.extend(other.identity_providers);
        self.invites.extend(other.invites);
        self.webhooks.extend(other.webhooks);
    }
}

use_cases! {
    /// Finds and ends resources that depend on a member's authority.
    #[derive(Clone)]
    pub struct Authority { core: AdministrationCore }
}

impl Authority {
    /// Finds the resources that a member of a team loses. `remaining`: the member's new roles; `None` on removal.
    pub(crate) async fn affected_resources(
        &self,
        team: TeamId,
        account: AccountId,
        remaining: Option<&RoleSet>,
        ended: &EndableKinds,
        now: Time,
    ) -> Result<AffectedResources, Error> {
        let ports = &self.core.ports;
        let mut found = AffectedResources {
            keys: ports.api_keys.keys_created_by(team, account).await?,
            clients: ports.project_clients.clients_created_by(team, account).await?,
            identity_providers: ports.identity_providers.identity_providers_created_by(team, account).await?,
            ended: ended.clone(),
            invites: ports.invites.pending_invites_by(team, account, now).await?,
            webhooks: ports.webhooks.webhooks_authorized_by(team, account).await?,
        };
        if let Some(remaining) = remaining {
            let held = remaining.permissions();
            let may = |operation: Operation| operation.rule().requirement.permissions().all(|one| held.has(one));
            let (may_register, may_add) = (may(Operation::ClientCreate), may(Operation::IdentityProviderCreate));
            found.keys.retain(|key| !key.roles.permissions().missing_from(held).is_empty());
            found.clients.retain(|client| !may_register || !client.permissions().missing_from(held).is_empty());
            found.identity_providers.retain(|_| !may_add);
            found.invites.retain(|invite| !remaining.may_invite_into(&invite.roles));
            found.webhooks.retain(|_| !remaining.may_authorize_webhooks());
        }
        Ok(found)
    }

    /// Ends the invites and webhooks that depend on an account in all its teams, as if it were removed from each: for
    /// an account that is disabled or deleted. `operation` is recorded in the audit log of each team.
    pub async fn end_everywhere(
        &self,
        account: AccountId,
        operation: Operation,
        request: &Request,
    ) -> Result<AffectedResources, Error> {
        let mut all = AffectedResources::default();
        for membership in complete(async |page| self.core.ports.teams.teams_of(account, None, &page).await).await? {
            let team = membership.team.id;
            let permit = Permit::system(operation, request.clone())?.in_team(team);
            all.add(self.end_in_team(&permit, team, account, None, &EndableKinds::default()).await?);
        }
        Ok(all)
    }

    /// Ends the resources that a member of a team loses, in as many commits as they need, and returns them. Until an
    /// invite or a webhook is ended, it is useless: the member's authority is checked again when an invite is accepted
    /// and when an event is delivered. `remaining`: the member's new roles; `None` on removal.
    pub(crate) async fn end_in_team(
        &self,
        permit: &Permit,
        team: TeamId,
        account: AccountId,
        remaining: Option<&RoleSet>,
        ended: &EndableKinds,
    ) -> Result<AffectedResources, Error> {
        let mut all = None;
        loop {
            let affected = retry_stale(async || {
                let now = self.core.now();
                let affected = self.affected_resources(team, account, remaining, ended, now).await?;
                if affected.ending().next().is_none() {
                    return Ok(affected);
                }

                self.core.commit(affected.end(Changes::by(permit.clone(), now), now)).await?;
                Ok(affected)
            })
            .await?;
            if !affected.exceeds_one_commit() {
                return Ok(all.unwrap_or(affected));
            }
            all = all.or(Some(affected));
        }
    }

    /// Ends what the commit that removed or demoted a member left, and deletes the logos of clients that ended. Call it
    /// after the commit. `remaining`: the member's new roles; `None` on removal.
    pub(crate) async fn finish(
        &self,
        permit: &Permit,
        team: TeamId,
        account: AccountId,
        remaining: Option<&RoleSet>,
        affected: &AffectedResources,
    ) -> Result<(), Error> {
        if affected.exceeds_one_commit() {
            self.end_in_team(permit, team, account, remaining, &affected.ended).await?;
        }
        ImageFiles(&self.core).discard(affected.ended_logos()).await;
        Ok(())
    }

    /// Removes a member with everything that ends on a removal. The keys, clients and identity providers go on. Does nothing if
    /// the account is not a member. Fails for the last owner.
    pub(crate) async fn leave(&self, permit: &Permit, team: TeamId, leaving: AccountId) -> Result<(), Error> {
        self.end_in_team(permit, team, leaving, None, &EndableKinds::default()).await?;
        retry_stale(async || {
            let Some(member) = self.core.ports.teams.member(team, leaving).await? else { return Ok(()) };
            let team = self.core.ports.teams.team(team).await?.ok_or(Error::NotFound(ResourceKind::Team))?;

            let mut changes = Changes::by(permit.clone(), self.core.now());
            if member.roles.is_owner() {
                changes = self.end_ownership(changes, &team, leaving).await?;
            }
            self.core.save(changes.remove(member)).await
        })
        .await
    }

    /// Adds a change of the team's displayed owner, or a lock on the team. Either one conflicts with concurrent changes
    /// that could remove the last owner.
    pub(crate) async fn end_ownership(
        &self,
        changes: Changes,
        team: &Team,
        leaving: AccountId,
    ) -> Result<Changes, Error> {
        let without = self.without_owner(team, leaving).await?;
        Ok(if without == *team { changes.lock(without) } else { changes.replace(team.clone(), without) })
    }

    /// Returns the team after an owner leaves that role. Fails for the last owner.
    pub(crate) async fn without_owner(&self, team: &Team, leaving: AccountId) -> Result<Team, Error> {
        let members = complete(async |page| self.core.ports.teams.members(team.id, &page).await).await?;
        Ok(team.clone().without_owner(leaving, &members)?)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use super::*;
    use crate::administration::Recipient;
    use crate::identity::Username;
    use crate::kernel::Committed;
    use crate::kernel::changes::{Entity, Write};
    use crate::mocks::{
        MockStore, a_client, a_key, a_permit, a_permit_in, a_provider, a_team, a_webhook, an_invite, instant,
        mock_administration,
    };

    #[test]
    fn only_the_chosen_kinds_end_and_the_others_go_on() {
        let provider = IdentityProvider { project_id: Some(a_key().project_id), ..a_provider() };
        for (ended, expected) in [
            ("", vec![]),
            ("keys", vec![ResourceKind::ApiKey]),
            ("clients,identity_providers", vec![ResourceKind::Client, ResourceKind::IdentityProvider]),
        ] {
            let affected = AffectedResources {
                keys: vec![a_key()],
                clients: vec![a_client()],
                identity_providers: vec![provider.clone()],
                ended: EndableKinds::parse(ended).unwrap(),
                ..AffectedResources::default()
            };
            let changes = affected.end(Changes::by(a_permit_in(a_team("acme").id, None), instant()), instant());
            assert!(changes.writes().all(|write| matches!(write, Write::Remove(_))), "{changes:?}");
            assert_eq!(changes.events().map(|event| event.kind).collect::<Vec<_>>(), expected, "{ended}");
            assert_eq!(changes.check_scope(), Ok(()), "{ended}");
        }
    }

    #[tokio::test]
    async fn more_resources_than_one_commit_holds_end_in_several_commits() {
        let team = a_team("acme");
        let invite = an_invite(Recipient::Username(Username::parse("ann").unwrap()));
        let webhook = a_webhook(team.id, None);
        // The invites and webhooks that are left, and the number of writes of each commit.
        let state = Arc::new(Mutex::new((1_500_usize, 1_501_usize, Vec::new())));

        let mut store = MockStore::default();
        store.api_keys.expect_keys_created_by().returning(|_, _| Ok(Vec::new()));
        store.project_clients.expect_clients_created_by().returning(|_, _| Ok(Vec::new()));
        store.identity_providers.expect_identity_providers_created_by().returning(|_, _| Ok(Vec::new()));
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
        let authority = Authority::new(&mock_administration(store));

        let ended =
            authority.end_in_team(&a_permit(), team.id, team.owner, None, &EndableKinds::default()).await.unwrap();
        assert_eq!((ended.invites.len(), ended.webhooks.len()), (1_500, 1_501));
        assert_eq!(*state.lock().unwrap(), (0, 0, vec![1_000, 1_000, 1_000, 1]));
    }
}
