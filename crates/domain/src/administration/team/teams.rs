//! Teams: creating, reading, updating and deleting them.

use crate::administration::{
    AdministrationCore, Invite, Member, Project, ProjectInTeam, Team, TeamContents, TeamMembership,
};
use crate::kernel::changes::Changes;
use crate::kernel::error::{AuthenticationError, Conflict, Error, ResourceKind};
use crate::kernel::policy::{AuthorityChange, Operation, Permission, Permit};
use crate::kernel::{
    Caller, CommitError, Identity, Name, Page, PageRequest, Precondition, RetryError, Revision, Slug, TeamAccess,
    TeamId, Time, Unique, account_of, alternatives, as_text, check_new_name, complete, first_free, retry_stale,
    use_cases,
};

/// Values of a new team.
#[derive(Debug, Clone)]
#[expect(missing_docs, reason = "each field is named after its value")]
pub struct CreateTeam {
    pub name: Name,
    pub slug: Slug,
}

/// Changes to a team.
#[derive(Debug, Clone, Default)]
#[expect(missing_docs, reason = "each field is named after its value; `None` leaves it unchanged")]
pub struct UpdateTeam {
    pub name: Option<Name>,
    pub slug: Option<Slug>,
    /// `Some(None)` requires no second factor any more.
    pub second_factor_from: Option<Option<Time>>,
}

/// A team with its related resources. Lists that the caller may not read are empty.
#[derive(Debug, Clone)]
#[expect(missing_docs, reason = "each field is named after its content")]
pub struct TeamDetails {
    pub team: Team,
    pub lists: ListsVersion,
    pub members: Vec<Member>,
    pub projects: Vec<ProjectInTeam>,
    /// Pending invites only.
    pub invites: Vec<Invite>,
}

/// The version of the lists that a caller reads with a team: if it is equal, the lists are equal. It is derived from
/// revisions, so that no list is read for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListsVersion(String);

impl ListsVersion {
    /// Returns the version for the account that has just created the team.
    pub fn of_new(team: &Team) -> Self {
        Self::new(TeamContents::first_at(team.created_at), [true; 3], None)
    }

    fn of(contents: TeamContents, access: &TeamAccess<'_>, caller: &Caller) -> Self {
        let readable = [Permission::MemberRead, Permission::ProjectRead, Permission::InviteRead];
        let own = caller.identity.only_project().map(|own| &own.project);
        Self::new(contents, readable.map(|permission| access.holds(permission)), own)
    }

    /// The project of a program was read before the contents, so that their revision may be too new for it.
    fn new(contents: TeamContents, readable: [bool; 3], own: Option<&Project>) -> Self {
        let [members, projects, invites] = readable;
        let expiry = contents.next_expiry.filter(|_| invites).map_or(0, |at| at.timestamp_micros());
        let own = own.map(|project| format!("{}/{}", project.id, project.revision.0)).unwrap_or_default();
        Self(format!("{}/{expiry}/{members}/{projects}/{invites}/{own}", contents.revision.0))
    }
}

as_text!(ListsVersion);

use_cases! {
    /// Use cases of teams.
    pub struct Teams { core: AdministrationCore }
}

impl Teams {
    /// Lists the caller's teams with the caller's membership in each. Leaves out those that require a second factor
    /// that the caller did not use.
    pub async fn list(&self, caller: &Caller, page: &PageRequest) -> Result<Page<TeamMembership>, Error> {
        let (teams, one_factor_at) = (&self.core.ports.teams, self.core.access.one_factor_at(caller));
        let Identity::Token(token) = &caller.identity else {
            return Ok(teams.teams_of(account_of(caller)?, one_factor_at, page).await?);
        };
        token.require(Permission::TeamRead)?;
        let mut page = teams.teams_of(token.account_id, one_factor_at, page).await?;
        page.items.retain(|found| token.reaches_team(found.team.id));
        Ok(page)
    }

    /// Returns the first of the rules of the caller's teams that require a second factor, with the name of the team.
    /// `None` for a caller who used one.
    pub async fn second_factor_rule(&self, caller: &Caller) -> Result<Option<(Time, Name)>, Error> {
        let Some(_) = caller.missing_factor else { return Ok(None) };
        Ok(self.core.ports.teams.second_factor_rule(account_of(caller)?).await?)
    }

    /// Creates a team with the caller as its owner.
    pub async fn create(&self, caller: &Caller, command: CreateTeam) -> Result<Team, Error> {
        let owner = account_of(caller)?;
        let CreateTeam { name, slug } = command;
        let slug = not_reserved(slug)?;
        check_new_name("name", name.as_str(), None)?;
        let (created_at, id) = (self.core.now(), TeamId::from(self.core.next_id()));
        let team = Team { id, name, slug, owner, second_factor_from: None, created_at, revision: Revision::FIRST };

        let permit = Permit::own(Operation::TeamCreate, caller)?.in_team(id);
        match self.core.commit(Changes::by(permit, created_at).insert(team.clone()).insert(team.first_member())).await {
            Ok(_) => Ok(team),
            Err(CommitError::Taken(Unique::TeamSlug)) => Err(self.slug_taken(team.slug).await),
            Err(CommitError::Orphaned) => Err(AuthenticationError::UnknownAccount.into()),
            Err(other) => Err(other.into()),
        }
    }

    /// Whether the slug is available for a team: not reserved and not taken.
    pub async fn is_slug_available(&self, slug: &Slug) -> Result<bool, Error> {
        let taken = self.core.ports.teams.taken_team_slugs(std::slice::from_ref(slug)).await?;
        Ok(!slug.is_reserved() && taken.is_empty())
    }

    /// Returns a team with its members, projects and pending invites. An API key gets only its own project.
    pub async fn get(&self, caller: &Caller, id: TeamId) -> Result<TeamDetails, Error> {
        let access = self.core.access.team(caller, id).await?;
        access.permit(Operation::TeamGet).await?;

        let team = match access.membership() {
            Ok(membership) => membership.team.clone(),
            Err(_) => self.core.ports.teams.team(id).await?.ok_or(Error::NotFound(ResourceKind::Team))?,
        };
        let now = self.core.now();
        // Read before the lists, so that it is never newer than they are.
        let lists = self.lists_version(caller, &access, id, now).await?;
        let members = match access.holds(Permission::MemberRead) {
            true => complete(async |page| self.core.ports.teams.members(id, &page).await).await?,
            false => Vec::new(),
        };
        let projects = match caller.identity.only_project() {
            Some(own) => vec![(**own).clone()],
            None if access.holds(Permission::ProjectRead) => {
                // Profiles are large, and only the icon is shown.
                complete(async |page| Ok(self.core.ports.projects.projects_in(id, &page).await?.map(without_profile)))
                    .await?
            }
            None => Vec::new(),
        };
        let invites = match access.holds(Permission::InviteRead) {
            true => complete(async |page| self.core.ports.invites.pending_invites(id, now, &page).await).await?,
            false => Vec::new(),
        };
        Ok(TeamDetails { team, lists, members, projects, invites })
    }

    async fn lists_version(
        &self,
        caller: &Caller,
        access: &TeamAccess<'_>,
        id: TeamId,
        now: Time,
    ) -> Result<ListsVersion, Error> {
        let contents =
            self.core.ports.teams.team_contents(id, now).await?.ok_or(Error::NotFound(ResourceKind::Team))?;
        Ok(ListsVersion::of(contents, access, caller))
    }

    /// Deletes a team that owns no project, with its memberships and invites.
    pub async fn delete(&self, caller: &Caller, id: TeamId, when: &Precondition) -> Result<(), Error> {
        retry_stale(async || {
            let access = self.core.access.team(caller, id).await?;
            let permit = access.permit(Operation::TeamDelete).await?;

            let loaded = access.membership()?.team.clone();
            when.check(ResourceKind::Team, loaded.revision)?;

            match self.core.commit(Changes::by(permit, self.core.now()).remove(loaded)).await {
                Ok(_) => Ok(()),
                Err(CommitError::Orphaned) => Err(RetryError::Failed(Conflict::TeamOwnsProjects.into())),
                Err(other) => Err(other.into()),
            }
        })
        .await
    }

    /// Updates a team's name and slug, and the time from which its members have to use a second factor, which only someone who uses
    /// one may require. Returns also the version of its lists.
    pub async fn update(
        &self,
        caller: &Caller,
        id: TeamId,
        command: UpdateTeam,
        when: &Precondition,
    ) -> Result<(Team, ListsVersion), Error> {
        retry_stale(async || {
            let command = command.clone();
            let access = self.core.access.team(caller, id).await?;
            let permit = access.permit(Operation::TeamUpdate).await?;

            let loaded = access.membership()?.team.clone();
            when.check(ResourceKind::Team, loaded.revision)?;
            let slug = match command.slug {
                Some(slug) if slug != loaded.slug => not_reserved(slug)?,
                _ => loaded.slug.clone(),
            };
            let name = command.name.unwrap_or_else(|| loaded.name.clone());
            check_new_name("name", name.as_str(), Some(loaded.name.as_str()))?;
            let changed = Team {
                name,
                slug,
                second_factor_from: command.second_factor_from.unwrap_or(loaded.second_factor_from),
                ..loaded.clone()
            };
            let requires_more =
                changed.second_factor_from.is_some() && changed.second_factor_from != loaded.second_factor_from;
            if let Some(missing) = caller.missing_factor.filter(|_| requires_more) {
                return Err(RetryError::Failed(missing.into()));
            }
            permit.confirm(AuthorityChange::Team { before: &loaded, after: &changed })?;

            let now = self.core.now();
            let lists = self.lists_version(caller, &access, id, now).await?;

            match self.core.commit(Changes::by(permit, now).replace(loaded, changed.clone())).await {
                Ok(_) => Ok((Team { revision: changed.revision.next(), ..changed }, lists)),
                Err(CommitError::Taken(Unique::TeamSlug)) => Err(self.slug_taken(changed.slug).await.into()),
                Err(other) => Err(other.into()),
            }
        })
        .await
    }

    async fn slug_taken(&self, slug: Slug) -> Error {
        let taken = self.core.ports.teams.taken_team_slugs(&alternatives(&slug)).await;
        let free = first_free(&self.core, &slug, taken);
        free.map_or_else(|error| error, |free| Conflict::SlugTaken { slug, free }.into())
    }
}

/// Removes everything from a project's profile that a team does not show.
fn without_profile(mut found: ProjectInTeam) -> ProjectInTeam {
    found.project.profile = found.project.profile.only("icon_url");
    found
}

/// Refuses a reserved slug.
pub(crate) fn not_reserved(slug: Slug) -> Result<Slug, Error> {
    if slug.is_reserved() { Err(Error::SlugReserved(slug)) } else { Ok(slug) }
}
