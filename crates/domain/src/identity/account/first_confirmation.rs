//! The first confirmation of an address by someone who is not signed in to the account: what the person chose to end
//! ends before it, and what a stranger gave to others ends after it.

use crate::administration::image::files::ImageFiles;
use crate::administration::project::cleanup::remove_batch;
use crate::administration::{Authority, DeletedProject, Image};
use crate::identity::account::held::{Choices, Confirming, Ending, Held, HeldEntity, HeldInTeam, HeldResource};
use crate::identity::account::strangers::{end_what_strangers_gave, without_strangers_factors};
use crate::identity::{Account, EmailLink, IdentityCore, Sessions};
use crate::kernel::changes::Changes;
use crate::kernel::error::{Conflict, Error, ResourceKind};
use crate::kernel::policy::{EndableKinds, Operation, Permit};
use crate::kernel::{AccountId, CommitError, PageRequest, RetryError, Slug, TeamId, complete, use_cases};

/// Maximum number of resources that end in one commit.
const BATCH_SIZE: usize = 1_000;

use_cases! {
    /// Ends what an account holds and gave, as the person who confirms its address chooses.
    #[derive(Clone)]
    pub(crate) struct FirstConfirmation {
        core: IdentityCore, authority: Authority of administration, sessions: Sessions,
    }
}

impl FirstConfirmation {
    /// Returns what the account holds about which the person has to choose. Nothing if its address is confirmed.
    pub(crate) async fn held(&self, account: &Account) -> Result<Held, Error> {
        if account.email_verified { Ok(Held::default()) } else { self.read(account.id).await }
    }

    /// Ends what the person chose to end, if there is a choice about everything that is held now. Call it before the
    /// commit that confirms the address. Returns the changes that remove the link and the factors of strangers, the account as
    /// its owner confirmed it, which the caller replaces, and what was held. Repeated after a failure, it continues. An
    /// operator is refused while a team would be deleted.
    pub(crate) async fn settle(
        &self,
        permit: &Permit,
        account: &Account,
        choices: &Choices,
        link: Option<EmailLink>,
    ) -> Result<Confirming<(Changes, Account, Held)>, RetryError> {
        let held = self.held(account).await?;
        let is_decided = match held.chosen(choices) {
            Some(ending) => {
                let own = ending.iter().filter(|ending| ending.ends_team());
                let own: Vec<Slug> = own.map(|ending| ending.team.slug.clone()).collect();
                if !own.is_empty() && !deletes_teams(permit) {
                    return Err(Conflict::LastOwnerOf(own).into());
                }
                self.end(permit, account.id, &ending).await?;
                true
            }
            None => false,
        };
        if !is_decided {
            return Ok(Confirming::Undecided(held));
        }
        let now = self.core.now();
        let changes = link.into_iter().fold(Changes::by(permit.clone(), now), Changes::remove);
        let changes = without_strangers_factors(&self.core, changes, account).await?;
        Ok(Confirming::Done((changes, account.clone().confirmed_by_owner(now), held)))
    }

    /// Ends what a stranger gave to others, and what they acquired since [`FirstConfirmation::settle`] read `before`.
    /// Call it after the commit that confirmed the address: no sign-in of the stranger is valid any more. The
    /// confirmation succeeds also if a part of this fails.
    pub(crate) async fn finish(&self, permit: &Permit, account: &Account, before: &Held) {
        end_what_strangers_gave(&self.core, &self.sessions, permit, account).await;
        if let Ok(held) = self.read(account.id).await {
            drop(self.end(permit, account.id, &held.since(before)).await);
        }
    }

    async fn read(&self, account: AccountId) -> Result<Held, Error> {
        let (ports, now) = (&self.core.ports, self.core.now());
        let mut held = Vec::new();
        for membership in complete(async |page| ports.teams.teams_of(account, None, &page).await).await? {
            let team = &membership.team;
            let has_other_owner = match membership.roles.is_owner() {
                true => match self.authority.without_owner(team, account).await {
                    Err(Error::Conflict(Conflict::LastOwner)) => false,
                    result => result.map(|_| true)?,
                },
                false => true,
            };
            let ended = EndableKinds::default();
            let found = self.authority.affected_resources(team.id, account, None, &ended, now).await?;
            held.push(HeldInTeam::new(team, &membership.roles, has_other_owner, found));
        }
        Ok(Held(held))
    }

    async fn end(&self, permit: &Permit, account: AccountId, ending: &[Ending<'_>]) -> Result<(), RetryError> {
        for ending in ending {
            let (team, permit) = (ending.team.team, permit.clone().in_team(ending.team.team));
            if ending.ends_team() && deletes_teams(&permit) {
                self.delete_team(&permit, team).await?;
                continue;
            }
            // While the account is a member, a repetition finds the rest.
            for batch in ending.resources.chunks(BATCH_SIZE) {
                self.remove(&permit, batch).await?;
            }
            // For an operator: the account has got the team only now, and keeps it without what was made in it.
            if ending.ends_membership && !ending.ends_team() {
                // Fails if the other owners of the team left it in the meantime.
                self.authority.leave(&permit, team, account).await?;
            }
        }
        Ok(())
    }

    async fn remove(&self, permit: &Permit, resources: &[&HeldResource]) -> Result<(), RetryError> {
        let changes = Changes::by(permit.clone(), self.core.now());
        let changes = changes.reaching(resources.iter().filter_map(|resource| resource.project));
        let changes = resources.iter().fold(changes, |changes, resource| resource.entity.remove(changes));
        self.core.commit(changes).await?;
        let logos = resources.iter().filter_map(|resource| match &resource.entity {
            HeldEntity::Client(client) => client.logo.as_ref().map(Image::key),
            _ => None,
        });
        ImageFiles(&self.core.administration).discard(logos.collect::<Vec<_>>()).await;
        Ok(())
    }

    /// Deletes a team and its projects. If a project has too much data to remove at once, the team stays without
    /// projects.
    async fn delete_team(&self, permit: &Permit, id: TeamId) -> Result<(), RetryError> {
        let ports = &self.core.ports;
        for found in complete(async |page| ports.projects.projects_in(id, &page).await).await? {
            let project = found.project;
            let deleted = DeletedProject { id: project.id, images: project.images.clone() };
            let permit = permit.clone().in_project(id, project.id);
            self.core.commit(Changes::by(permit, self.core.now()).remove(project)).await?;
            // A background job removes what remains.
            drop(remove_batch(&self.core.administration, &deleted).await);
        }
        let Some(team) = ports.teams.team(id).await? else { return Ok(()) };
        match self.core.commit(Changes::by(permit.clone(), self.core.now()).remove(team)).await {
            Ok(_) => Ok(()),
            Err(CommitError::Orphaned) => {
                let first = PageRequest { limit: Some(1), ..PageRequest::FIRST };
                match ports.projects.projects_in(id, &first).await?.items.is_empty() {
                    true => Ok(()),
                    // Another member has just created one.
                    false => Err(RetryError::Stale(ResourceKind::Project)),
                }
            }
            Err(error) => Err(error.into()),
        }
    }
}

/// Whether teams without another owner are deleted. An operator who confirms an address deletes no teams.
fn deletes_teams(permit: &Permit) -> bool {
    permit.operation() != Operation::AccountEmailConfirm
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use super::*;
    use crate::StorePorts;
    use crate::administration::{Recipient, TeamMembership};
    use crate::identity::account::held::Choice;
    use crate::identity::{SecondFactors, SignedIn, Username};
    use crate::kernel::policy::Actor;
    use crate::kernel::{Committed, Page, RoleName, Time};
    use crate::mocks::{
        MockStore, RecordingUnitOfWork, a_caller, a_key, a_member, a_request, a_session, a_team, an_account, an_invite,
        id_of, mock_identity,
    };

    /// The permit of the operator `root` who confirms an address.
    fn of_operator() -> Permit {
        let root = Account { is_operator: true, ..an_account("root") };
        Permit::by_operator(Operation::AccountEmailConfirm, &a_caller("root"), &root).unwrap()
    }

    /// A store in which the account is in one team, with this role, and nobody else is.
    fn in_one_team(account: &Account, role: &str) -> MockStore {
        let team = a_team("acme");
        let member = a_member(&team, account.id, role);
        let mut store = MockStore::default();
        let membership =
            TeamMembership { team: team.clone(), roles: member.roles.clone(), role_name: RoleName::default() };
        store
            .teams
            .expect_teams_of()
            .returning(move |_, _, _| Ok(Page { items: vec![membership.clone()], next: None }));
        let only = member.clone();
        store.teams.expect_members().returning(move |_, _| Ok(Page { items: vec![only.clone()], next: None }));
        store.teams.expect_member().returning(move |_, _| Ok(Some(member.clone())));
        store.teams.expect_team().returning(move |_| Ok(Some(team.clone())));
        store.project_clients.expect_clients_created_by().returning(|_, _| Ok(Vec::new()));
        store.identity_providers.expect_identity_providers_created_by().returning(|_, _| Ok(Vec::new()));
        store.webhooks.expect_webhooks_authorized_by().returning(|_, _| Ok(Vec::new()));
        store
    }

    #[tokio::test]
    async fn nothing_ends_without_a_choice_and_the_membership_ends_last() {
        let (team, actions) = (a_team("acme"), Arc::new(Mutex::new(Vec::new())));
        let account = Account { email_verified: false, ..an_account("ann") };
        let mut store = in_one_team(&account, "admin");
        store.api_keys.expect_keys_created_by().returning(|_, _| Ok(vec![a_key()]));
        store.identity_providers.expect_linked_identities().returning(|_| Ok(Vec::new()));
        store.passkeys.expect_passkeys().returning(|_| Ok(Vec::new()));
        store.second_factors.expect_second_factors().returning(|_| Ok(SecondFactors::default()));
        store.invites.expect_pending_invites_by().returning(|_, _, _| Ok(Vec::new()));
        let committed = actions.clone();
        store.unit_of_work.expect_commit().returning(move |changes| {
            assert_eq!(changes.check_scope(), Ok(()));
            committed.lock().unwrap().extend(changes.events().map(|event| event.action()).collect::<Vec<_>>());
            Ok(Committed::default())
        });
        let confirmation = FirstConfirmation::new(&mock_identity(store));
        let permit = Permit::authenticated(Operation::EmailVerify, account.id, a_request()).unwrap();
        let settle = async |fields: &[(&str, &str)]| {
            let choices = Choices::parse(fields.iter().copied()).unwrap();
            matches!(confirmation.settle(&permit, &account, &choices, None).await, Ok(Confirming::Done(_)))
        };

        let (key, membership) = (format!("held-key-{}", id_of("key")), format!("held-member-{}", team.id));
        let (key, membership) = ((key.as_str(), "end"), (membership.as_str(), "end"));
        assert!(!settle(&[]).await && !settle(&[key]).await);
        assert!(actions.lock().unwrap().is_empty());
        assert!(settle(&[key, membership]).await);
        assert_eq!(*actions.lock().unwrap(), ["api_key.deleted", "member.deleted"]);
    }

    #[tokio::test]
    async fn an_operator_deletes_no_team_that_has_no_other_owner() {
        let account = Account { email_verified: false, ..an_account("ann") };
        let mut store = in_one_team(&account, "owner");
        store.api_keys.expect_keys_created_by().returning(|_, _| Ok(vec![a_key()]));
        store.invites.expect_pending_invites_by().returning(|_, _, _| Ok(Vec::new()));
        let unit_of_work = Arc::new(RecordingUnitOfWork::default());
        let store = StorePorts { unit_of_work: unit_of_work.clone(), ..store.into() };
        let confirmation = FirstConfirmation::new(&mock_identity(store));
        let settled = confirmation.settle(&of_operator(), &account, &Choices::all(Choice::End), None).await;
        let Err(RetryError::Failed(Error::Conflict(Conflict::LastOwnerOf(teams)))) = settled else {
            panic!("Expected that the team is named.")
        };
        assert_eq!(teams, [a_team("acme").slug]);
        assert!(unit_of_work.changes().is_empty(), "Nothing ends before.");
    }

    #[tokio::test]
    async fn what_an_operator_ends_names_the_operator_and_the_operation() {
        let account = an_account("ann");
        let mut store = in_one_team(&account, "admin");
        store.api_keys.expect_keys_created_by().returning(|_, _| Ok(Vec::new()));
        let recipient = Recipient::Username(Username::parse("bob").unwrap());
        store.invites.expect_pending_invites_by().returning(move |_, _, _| Ok(vec![an_invite(recipient.clone())]));
        store.authorizations.expect_sessions_of().returning(|_| {
            let signed_in = a_session();
            let account = Account { password_set_at: Time::MAX_UTC, ..signed_in.account.clone() };
            Ok(vec![SignedIn { account, ..signed_in }])
        });
        store.authorizations.expect_families_of_session().returning(|_, _, _| Ok(Vec::new()));
        store.authorizations.expect_grants_of().returning(|_| Ok(Vec::new()));
        let unit_of_work = Arc::new(RecordingUnitOfWork::default());
        let store = StorePorts { unit_of_work: unit_of_work.clone(), ..store.into() };
        let confirmation = FirstConfirmation::new(&mock_identity(store));
        let before = confirmation.read(account.id).await.unwrap();
        confirmation.finish(&of_operator(), &account, &before).await;

        let changes = unit_of_work.changes();
        let ended: Vec<String> = changes.iter().flat_map(|one| one.events().map(|event| event.action())).collect();
        assert_eq!(ended, ["session.deleted", "invite.updated"]);
        for permit in changes.iter().map(Changes::permit) {
            assert_eq!(permit.actor(), Actor::Account(id_of("root").into()));
            assert_eq!(permit.operation(), Operation::AccountEmailConfirm);
        }
        assert!(changes.iter().all(|one| one.check_scope().is_ok()));
    }

    #[tokio::test]
    async fn an_operator_keeps_a_team_that_the_account_got_only_now_without_its_keys() {
        let account = an_account("ann");
        let mut store = in_one_team(&account, "owner");
        store.api_keys.expect_keys_created_by().returning(|_, _| Ok(vec![a_key()]));
        store.invites.expect_pending_invites_by().returning(|_, _, _| Ok(Vec::new()));
        store.authorizations.expect_sessions_of().returning(|_| Ok(Vec::new()));
        store.authorizations.expect_grants_of().returning(|_| Ok(Vec::new()));
        let unit_of_work = Arc::new(RecordingUnitOfWork::default());
        let store = StorePorts { unit_of_work: unit_of_work.clone(), ..store.into() };
        let confirmation = FirstConfirmation::new(&mock_identity(store));
        confirmation.finish(&of_operator(), &account, &Held(Vec::new())).await;

        let changes = unit_of_work.changes();
        let ended: Vec<String> = changes.iter().flat_map(|one| one.events().map(|event| event.action())).collect();
        assert_eq!(ended, ["api_key.deleted"]);
    }
}
