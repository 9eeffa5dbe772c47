//! Teams: making, listing and renaming them.

use std::sync::Arc;

use crate::changes::Changes;
use crate::error::{AuthenticationError, Conflict, Error, ResourceKind};
use crate::model::{
    Caller, Identity, Invite, Member, Name, Page, PageRequest, ProjectInTeam, Revision, RoleName, Slug, Team, TeamId,
    TeamMembership,
};
use crate::policy::{Operation, Permission, Permit, RoleSet};
use crate::ports::{Clock, CommitError, IdGenerator, InviteReader, ProjectReader, TeamReader, Unique, UnitOfWork};

use super::accounts::account_of;
use super::{Access, RetryError, alternatives, complete, first_free, retry_stale};

/// What a team is made with.
#[derive(Debug, Clone)]
#[expect(missing_docs, reason = "each field is the value it is named after")]
pub struct CreateTeam {
    pub name: Name,
    pub slug: Slug,
}

/// What is to change of a team.
#[derive(Debug, Clone)]
#[expect(missing_docs, reason = "each field is the value it is named after; what is `None` stays")]
pub struct UpdateTeam {
    pub name: Option<Name>,
    pub slug: Option<Slug>,
}

/// A team with as much around it as the caller may see; what they may not is empty.
#[derive(Debug, Clone)]
#[expect(missing_docs, reason = "each field is what it is named after")]
pub struct TeamInFull {
    pub team: Team,
    pub members: Vec<Member>,
    pub projects: Vec<ProjectInTeam>,
    /// Those that are pending.
    pub invites: Vec<Invite>,
}

/// The use cases of teams.
pub struct Teams {
    access: Access,
    teams: Arc<dyn TeamReader>,
    projects: Arc<dyn ProjectReader>,
    invites: Arc<dyn InviteReader>,
    store: Arc<dyn UnitOfWork>,
    clock: Arc<dyn Clock>,
    ids: Arc<dyn IdGenerator>,
}

impl Teams {
    /// Over these ports.
    pub fn new(
        access: Access,
        teams: Arc<dyn TeamReader>,
        projects: Arc<dyn ProjectReader>,
        invites: Arc<dyn InviteReader>,
        store: Arc<dyn UnitOfWork>,
        clock: Arc<dyn Clock>,
        ids: Arc<dyn IdGenerator>,
    ) -> Self {
        Self { access, teams, projects, invites, store, clock, ids }
    }

    /// The caller's teams, with the caller's own part in each.
    pub async fn list(&self, caller: &Caller, page: &PageRequest) -> Result<Page<TeamMembership>, Error> {
        let Identity::Token(token) = &caller.identity else {
            return Ok(self.teams.teams_of(account_of(caller)?, page).await?);
        };
        token.takes(Permission::TeamRead)?;
        let mut page = self.teams.teams_of(token.account_id, page).await?;
        page.items.retain(|found| token.reaches_team(found.team.id));
        Ok(page)
    }

    /// Makes a team with the caller as its owner.
    pub async fn create(&self, caller: &Caller, command: CreateTeam) -> Result<Team, Error> {
        let owner = account_of(caller)?;
        let slug = not_reserved(command.slug)?;
        let (now, id) = (self.clock.now(), TeamId::from(self.ids.next()));
        let team = Team { id, name: command.name, slug, owner, created_at: now, revision: Revision::FIRST };
        let member = Member {
            team_id: id,
            account_id: owner,
            roles: RoleSet::owner(),
            role_name: RoleName::default(),
            created_at: now,
            revision: Revision::FIRST,
        };

        let changes = Changes::by(Permit::for_founder(caller, id), now).insert(team.clone()).insert(member);
        match self.store.commit(changes).await {
            Ok(_) => Ok(team),
            Err(CommitError::Taken(Unique::TeamSlug)) => Err(self.taken(team.slug).await),
            Err(CommitError::Orphaned) => Err(AuthenticationError::UnknownAccount.into()),
            Err(other) => Err(other.into()),
        }
    }

    /// Whether a team could have the slug.
    pub async fn is_slug_available(&self, slug: &Slug) -> Result<bool, Error> {
        let taken = self.teams.taken_team_slugs(std::slice::from_ref(slug)).await?;
        Ok(!slug.is_reserved() && taken.is_empty())
    }

    /// A team with its members, projects and pending invites. A key is shown its own project only.
    pub async fn get(&self, caller: &Caller, id: TeamId) -> Result<TeamInFull, Error> {
        let access = self.access.team(caller, id).await?;
        access.permit(Operation::TeamGet).await?;

        let team = self.teams.team(id).await?.ok_or(Error::NotFound(ResourceKind::Team))?;
        let members = match access.holds(Permission::MemberRead) {
            true => complete(async |page| self.teams.members(id, &page).await).await?,
            false => Vec::new(),
        };
        let projects = match &caller.identity {
            Identity::Key(bearer) => vec![(*bearer.project).clone()],
            _ if access.holds(Permission::ProjectRead) => {
                complete(async |page| self.projects.projects_in(id, &page).await).await?
            }
            _ => Vec::new(),
        };
        let invites = match access.holds(Permission::InviteRead) {
            true => {
                let now = self.clock.now();
                complete(async |page| self.invites.pending_invites(id, now, &page).await).await?
            }
            false => Vec::new(),
        };
        Ok(TeamInFull { team, members, projects, invites })
    }

    /// Deletes a team that owns no project. Its memberships and invites go with it.
    pub async fn delete(&self, caller: &Caller, id: TeamId) -> Result<(), Error> {
        retry_stale(async || {
            let access = self.access.team(caller, id).await?;
            let permit = access.permit(Operation::TeamDelete).await?;

            let changes = Changes::by(permit, self.clock.now()).remove(access.membership()?.team.clone());
            match self.store.commit(changes).await {
                Ok(_) => Ok(()),
                Err(CommitError::Orphaned) => Err(RetryError::Failed(Conflict::TeamOwnsProjects.into())),
                Err(other) => Err(other.into()),
            }
        })
        .await
    }

    /// Renames a team.
    pub async fn update(&self, caller: &Caller, id: TeamId, command: UpdateTeam) -> Result<Team, Error> {
        retry_stale(async || {
            let command = command.clone();
            let access = self.access.team(caller, id).await?;
            let permit = access.permit(Operation::TeamUpdate).await?;

            let loaded = access.membership()?.team.clone();
            let slug = match command.slug {
                Some(slug) if slug != loaded.slug => not_reserved(slug)?,
                _ => loaded.slug.clone(),
            };
            let changed = Team { name: command.name.unwrap_or_else(|| loaded.name.clone()), slug, ..loaded.clone() };

            let changes = Changes::by(permit, self.clock.now()).replace(loaded, changed.clone());
            match self.store.commit(changes).await {
                Ok(_) => Ok(changed),
                Err(CommitError::Taken(Unique::TeamSlug)) => Err(RetryError::Failed(self.taken(changed.slug).await)),
                Err(other) => Err(other.into()),
            }
        })
        .await
    }

    async fn taken(&self, slug: Slug) -> Error {
        let taken = self.teams.taken_team_slugs(&alternatives(&slug)).await;
        match first_free(&slug, taken) {
            Ok(free) => Conflict::SlugTaken { slug, free }.into(),
            Err(error) => error,
        }
    }
}

/// Refuses a slug that nobody may have.
pub(super) fn not_reserved(slug: Slug) -> Result<Slug, Error> {
    if slug.is_reserved() { Err(Error::SlugReserved(slug)) } else { Ok(slug) }
}
