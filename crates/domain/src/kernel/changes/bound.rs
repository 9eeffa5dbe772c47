//! Quota limits that a change must not exceed.

use uuid::Uuid;

use super::entity::Entity;
use crate::administration::InviteState;
use crate::kernel::policy::{Quota, Quotas};
use crate::kernel::{ProjectId, Slug, TeamId};

/// Upper bound that must hold for a team or project after a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bound {
    /// The quota that the change counts against.
    pub quota: Quota,
    /// ID of the team or project that owns the quota.
    pub of: Uuid,
    /// The limit. It is `u64::MAX` until [`Changes::bounded_by`](super::Changes::bounded_by) sets it.
    pub limit: u64,
}

/// The bounds that must hold after a change.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Bounds(Vec<Bound>);

impl Bounds {
    /// Sets the limits of all quotas.
    pub(super) fn limited_by(mut self, quotas: &Quotas) -> Self {
        self.0.iter_mut().for_each(|bound| bound.limit = quotas.limit(bound.quota));
        self
    }

    pub(super) fn as_slice(&self) -> &[Bound] {
        &self.0
    }

    /// Returns the limit of a quota, or `None` if there is no bound for it.
    pub(super) fn limit(&self, quota: Quota) -> Option<u64> {
        self.0.iter().find(|bound| bound.quota == quota).map(|bound| bound.limit)
    }

    pub(super) fn add(&mut self, quota: Quota, of: Uuid) {
        if !self.0.iter().any(|bound| (bound.quota, bound.of) == (quota, of)) {
            self.0.push(Bound { quota, of, limit: u64::MAX });
        }
    }

    /// Adds the bounds that apply to inserting an entity.
    pub(super) fn add_of_new(&mut self, entity: &Entity) {
        match entity {
            Entity::Project(project) => {
                self.add(Quota::ProjectsPerTeam, project.team_id.uuid());
                self.add(Quota::ReservedSlugsPerTeam, project.team_id.uuid());
            }
            Entity::Member(member) => self.add(Quota::MembersPerTeam, member.team_id.uuid()),
            Entity::Invite(invite) => self.add(Quota::PendingInvitesPerTeam, invite.team_id.uuid()),
            Entity::ApiKey(key) => self.add(Quota::KeysPerProject, key.project_id.uuid()),
            Entity::Client(client) if client.registered_itself => {
                self.add(Quota::SelfRegisteredClientsPerProject, client.project_id.uuid());
            }
            Entity::Client(client) => self.add(Quota::ClientsPerProject, client.project_id.uuid()),
            Entity::Schema(version) => self.add(Quota::SchemaVersionsPerProject, version.project_id.uuid()),
            Entity::Webhook(webhook) => {
                let of = webhook.project_id.map_or(webhook.team_id.uuid(), ProjectId::uuid);
                self.add(Quota::WebhooksPerProject, of);
            }
            Entity::IdentityProvider(provider) => {
                if let Some(project) = provider.project_id {
                    self.add(Quota::IdentityProvidersPerProject, project.uuid());
                }
            }
            _ => {}
        }
    }

    /// Adds the bounds that apply to replacing an entity: if its slug changes, because the old slug stays reserved, and
    /// if it is a renewed invite, which may have expired.
    pub(super) fn add_of_changed(&mut self, loaded: &Entity, changed: &Entity) {
        if let Entity::Invite(invite) = changed
            && invite.state == InviteState::Pending
        {
            self.add(Quota::PendingInvitesPerTeam, invite.team_id.uuid());
        }
        if let (Some((old, _)), Some((new, team))) = (slug(loaded), slug(changed))
            && old != new
        {
            self.add(Quota::ReservedSlugsPerTeam, team.uuid());
        }
    }
}

/// Returns the slug of a team or project, and the team that reserves it.
fn slug(entity: &Entity) -> Option<(&Slug, TeamId)> {
    match entity {
        Entity::Team(team) => Some((&team.slug, team.id)),
        Entity::Project(project) => Some((&project.slug, project.team_id)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::administration::{Recipient, Team};
    use crate::identity::Username;
    use crate::kernel::changes::Changes;
    use crate::mocks::{a_key, a_permit, a_project, a_team, an_invite, instant};

    fn changes() -> Changes {
        Changes::by(a_permit(), instant())
    }

    #[test]
    fn inserts_are_bounded_and_removals_are_not() {
        let quotas = Quotas::default().with(Quota::KeysPerProject, 7);
        let key = a_key();
        let bound = Bound { quota: Quota::KeysPerProject, of: key.project_id.uuid(), limit: 7 };
        assert_eq!(changes().insert(key.clone()).insert(key.clone()).bounded_by(&quotas).bounds(), [bound]);
        assert_eq!(changes().remove(key).bounds(), []);
    }

    #[test]
    fn a_new_project_counts_against_the_quotas_of_its_team() {
        let project = a_project("rocket");
        let changes = changes().insert(project.clone());
        assert!(changes.bounds().iter().all(|bound| bound.of == project.team_id.uuid()));
        assert_eq!(changes.bounds().len(), 2);
    }

    #[test]
    fn a_renewed_invite_counts_as_a_new_one_and_a_revoked_invite_does_not() {
        let invite = an_invite(Recipient::Username(Username::parse("ann").unwrap()));
        let revoked = invite.clone().revoke(instant()).unwrap();
        assert_eq!(changes().replace(invite.clone(), invite.clone()).bounds().len(), 1);
        assert_eq!(changes().replace(invite, revoked).bounds(), []);
    }

    #[test]
    fn only_a_changed_slug_counts_as_a_new_one() {
        let team = a_team("acme");
        let renamed = Team { slug: Slug::parse("other").unwrap(), ..team.clone() };
        assert_eq!(changes().replace(team.clone(), team.clone()).bounds(), []);
        assert_eq!(changes().replace(team, renamed).bounds().len(), 1);
    }
}
