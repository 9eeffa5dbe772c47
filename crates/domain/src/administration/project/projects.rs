//! Projects: creating, reading, updating and deleting them.

use serde_json::{Map, Value};

use crate::administration::project::cleanup::remove_batch;
use crate::administration::team::teams::not_reserved;
use crate::administration::{
    ActivityWindow, AdministrationCore, DeletedProject, Period, Project, ProjectInTeam, ProjectUsage, RequestCursor,
    RequestFilter, RequestPage, RequestStats, Website,
};
use crate::identity::SignInSettings;
use crate::kernel::changes::Changes;
use crate::kernel::error::{AuthenticationError, Conflict, Error, ResourceKind};
use crate::kernel::policy::{AuthorityChange, Operation, Permission, Permit};
use crate::kernel::{
    Caller, CommitError, Identity, Name, Page, PageRequest, Precondition, ProjectId, RetryError, Slug, TeamId, Unique,
    alternatives, check_linked_urls, check_new_name, first_free, retry_stale, use_cases,
};

/// Values of a new project.
#[derive(Debug, Clone)]
#[expect(missing_docs, reason = "each field is named after its value")]
pub struct CreateProject {
    pub team_id: TeamId,
    pub name: Name,
    /// `None` to generate it from the name, with a number if it is taken.
    pub slug: Option<Slug>,
}

/// Changes to a project.
#[derive(Debug, Clone)]
#[expect(missing_docs, reason = "each field is named after its value; `None` leaves it unchanged")]
pub struct UpdateProject {
    pub name: Option<Name>,
    pub slug: Option<Slug>,
    /// The inner `None` removes it.
    pub website: Option<Option<Website>>,
    /// Merged into the stored profile (RFC 7396).
    pub profile: Option<Map<String, Value>>,
    /// The team that the request names. It must be that of the project; the inner `None` is the ID of no team.
    pub team_id: Option<Option<TeamId>>,
}

/// Checks that a request names no other team than that of the project. Ignoring one would look as if the project had
/// moved.
fn check_team(named: Option<Option<TeamId>>, team: TeamId) -> Result<(), Error> {
    if named.is_none_or(|named| named == Some(team)) {
        return Ok(());
    }
    Err(Error::invalid("team_id", format_args!("must be {team} or absent, because an update cannot move the project")))
}

use_cases! {
    /// Use cases of projects.
    pub struct Projects { core: AdministrationCore }
}

impl Projects {
    /// Lists the projects of all of the caller's teams, except those that require a second factor that the caller did
    /// not use. A program gets only its own project.
    pub async fn list(&self, caller: &Caller, page: &PageRequest) -> Result<Page<ProjectInTeam>, Error> {
        let (projects, one_factor_at) = (&self.core.ports.projects, self.core.access.one_factor_at(caller));
        match &caller.identity {
            Identity::Account(account) => Ok(projects.projects_of(*account, one_factor_at, page).await?),
            Identity::Token(token) => {
                token.require(Permission::ProjectRead)?;
                let mut page = projects.projects_of(token.account_id, one_factor_at, page).await?;
                page.items.retain(|found| token.reaches_project(found.project.id, found.project.team_id));
                Ok(page)
            }
            Identity::Key(_) | Identity::Client(_) => {
                let own = caller.identity.only_project().map(|project| (**project).clone());
                Ok(Page { items: own.into_iter().collect(), next: None })
            }
            Identity::User(_) => Err(AuthenticationError::ProjectToken.into()),
        }
    }

    /// Returns a project and its usage, which a public key does not get: everyone can see the key.
    pub async fn get(&self, caller: &Caller, id: ProjectId) -> Result<(Project, Option<ProjectUsage>), Error> {
        let access = self.core.access.project(caller, id).await?;
        access.permit(Operation::ProjectGet).await?;

        let is_public = matches!(&caller.identity, Identity::Key(bearer) if !bearer.key.is_private);
        let usage = if is_public { None } else { Some(self.core.ports.projects.project_usage(id).await?) };
        Ok((access.project().project.clone(), usage))
    }

    /// Returns how many requests to the project were permitted on each day, up to today. Requests of the last seconds may
    /// be missing.
    pub async fn request_stats(&self, caller: &Caller, id: ProjectId, period: Period) -> Result<RequestStats, Error> {
        self.core.access.project(caller, id).await?.permit(Operation::RequestStats).await?;

        let window = ActivityWindow::ending(self.core.now(), period);
        let by_day = self.core.ports.projects.project_requests(id, window.since).await?;
        Ok(RequestStats::of(&window, &by_day))
    }

    /// Returns the newest requests to the project that this process served, or those after a cursor, oldest first.
    pub async fn requests(
        &self,
        caller: &Caller,
        id: ProjectId,
        cursor: Option<&RequestCursor>,
        filter: &RequestFilter,
        limit: u16,
    ) -> Result<RequestPage, Error> {
        self.core.access.project(caller, id).await?.permit(Operation::RequestLog).await?;

        Ok(self.core.request_log.page(id, cursor, filter, usize::from(limit), self.core.now()))
    }

    /// Whether the slug is available for a project: not reserved and not taken.
    pub async fn is_slug_available(&self, slug: &Slug) -> Result<bool, Error> {
        let taken = self.core.ports.projects.taken_project_slugs(std::slice::from_ref(slug)).await?;
        Ok(!slug.is_reserved() && taken.is_empty())
    }

    /// Updates a project's name, slug, website and profile. Returns the project and its usage.
    pub async fn update(
        &self,
        caller: &Caller,
        id: ProjectId,
        command: UpdateProject,
        when: &Precondition,
    ) -> Result<(Project, ProjectUsage), Error> {
        retry_stale(async || {
            let command = command.clone();
            let permit = self.core.access.project(caller, id).await?.permit(Operation::ProjectUpdate).await?;

            let loaded = self.profile(id).await?;
            when.check(ResourceKind::Project, loaded.revision)?;
            check_team(command.team_id, loaded.team_id)?;
            let slug = match command.slug {
                Some(slug) if slug != loaded.slug => not_reserved(slug)?,
                _ => loaded.slug.clone(),
            };
            if let Some(patch) = &command.profile {
                check_linked_urls("profile", patch).finish(Some(()))?;
            }
            let merged = command
                .profile
                .map(|patch| loaded.profile.merged(&loaded.without_image_urls(patch, &self.core.address)));
            let name = command.name.unwrap_or_else(|| loaded.name.clone());
            check_new_name("name", name.as_str(), Some(loaded.name.as_str()))?;
            let now = self.core.now();
            let changed = Project {
                name,
                slug,
                website: command.website.unwrap_or_else(|| loaded.website.clone()),
                profile: merged
                    .transpose()
                    .map_err(|error| Error::invalid("profile", error))?
                    .unwrap_or_else(|| loaded.profile.clone()),
                updated_at: now,
                ..loaded.clone()
            };

            match self.core.commit(Changes::by(permit, now).replace(loaded, changed.clone())).await {
                Ok(_) => {
                    let usage = self.core.ports.projects.project_usage(id).await?;
                    Ok((Project { revision: changed.revision.next(), ..changed }, usage))
                }
                Err(CommitError::Taken(Unique::ProjectSlug)) => {
                    let taken = self.core.ports.projects.taken_project_slugs(&alternatives(&changed.slug)).await;
                    let free = first_free(&self.core, &changed.slug, taken)?;
                    Err(Conflict::SlugTaken { slug: changed.slug, free }.into())
                }
                Err(other) => Err(other.into()),
            }
        })
        .await
    }

    /// Deletes a project and all its data. It becomes inaccessible immediately; large data is removed afterwards.
    pub async fn delete(&self, caller: &Caller, id: ProjectId, when: &Precondition) -> Result<(), Error> {
        let deleted = retry_stale(async || {
            let permit = self.core.access.project(caller, id).await?.permit(Operation::ProjectDelete).await?;

            let loaded = self.profile(id).await?;
            when.check(ResourceKind::Project, loaded.revision)?;
            let deleted = DeletedProject { id, images: loaded.images.clone() };
            self.core.commit(Changes::by(permit, self.core.now()).remove(loaded)).await?;
            Ok(deleted)
        })
        .await?;
        // An error here is ignored: the project is deleted, and a background job removes the remaining data.
        let _ = remove_batch(&self.core, &deleted).await;
        Ok(())
    }

    /// Returns a project for its public profile, which needs no permission, or before it changes: the copy that was loaded
    /// with an API key would still be stale on a retry.
    pub async fn profile(&self, id: ProjectId) -> Result<Project, Error> {
        Ok(self.core.ports.projects.project(id).await?.ok_or(Error::NotFound(ResourceKind::Project))?.project)
    }

    /// Returns a project for its sign-in settings.
    pub async fn settings(&self, caller: &Caller, id: ProjectId) -> Result<Project, Error> {
        let access = self.core.access.project(caller, id).await?;
        access.permit(Operation::SettingsGet).await?;
        Ok(access.project().project.clone())
    }

    /// Merges a patch into the sign-in settings (RFC 7396). `allow_private`: whether logout tokens may be sent to private
    /// networks.
    pub async fn update_settings(
        &self,
        caller: &Caller,
        id: ProjectId,
        patch: &Map<String, Value>,
        allow_private: bool,
        when: &Precondition,
    ) -> Result<Project, Error> {
        let change = |settings: SignInSettings| settings.merged(patch, allow_private);
        retry_stale(async || self.change_settings(caller, id, Operation::SettingsUpdate, when, &change).await).await
    }

    /// Resets the settings at these dotted paths.
    pub async fn reset_settings(
        &self,
        caller: &Caller,
        id: ProjectId,
        paths: &[String],
        when: &Precondition,
    ) -> Result<Project, Error> {
        let change = |settings: SignInSettings| match paths {
            [] => Err(Error::invalid("key", "must contain at least one dotted path, such as `auth.redirect_uris`")),
            paths => paths.iter().try_fold(settings, |settings, path| settings.without(path)),
        };
        retry_stale(async || self.change_settings(caller, id, Operation::SettingsReset, when, &change).await).await
    }

    async fn change_settings(
        &self,
        caller: &Caller,
        id: ProjectId,
        operation: Operation,
        when: &Precondition,
        change: &(dyn Fn(SignInSettings) -> Result<SignInSettings, Error> + Sync),
    ) -> Result<Project, RetryError> {
        let permit = self.core.access.project(caller, id).await?.permit(operation).await?;

        let loaded = self.profile(id).await?;
        when.check(ResourceKind::Project, loaded.revision)?;
        let sign_in = change(loaded.sign_in.clone())?;
        permit.confirm(AuthorityChange::Settings { before: &loaded.sign_in, after: &sign_in })?;
        let uri = sign_in.backchannel_logout_uri.as_ref();
        if let Some(uri) = uri.filter(|uri| loaded.sign_in.backchannel_logout_uri.as_ref() != Some(uri)) {
            let invalid = |error| Error::invalid("auth.backchannel_logout_uri", error);
            self.core.ports.webhook_sender.check_address(uri).await.map_err(invalid)?;
        }
        let now = self.core.now();
        let changed = Project { sign_in, updated_at: now, ..loaded.clone() };

        self.core.commit(Changes::by(permit, now).replace(loaded, changed.clone())).await?;
        Ok(Project { revision: changed.revision.next(), ..changed })
    }

    /// Creates a project in a team.
    pub async fn create(&self, caller: &Caller, command: CreateProject) -> Result<Project, Error> {
        let access = self.core.access.team(caller, command.team_id).await?;
        let permit = access.permit(Operation::ProjectCreate).await?;

        let now = self.core.now();
        let requested = command.slug.map(not_reserved).transpose()?;
        check_new_name("name", command.name.as_str(), None)?;
        let slug = match &requested {
            Some(slug) => slug.clone(),
            None => slug_of(&command.name)?,
        };
        let project = Project::new(self.core.next_id().into(), command.team_id, command.name, slug, now);
        self.insert(permit, project, requested.is_some()).await
    }

    /// Stores a new project. If a generated slug is taken, another one is tried; a requested slug returns a conflict.
    async fn insert(&self, permit: Permit, mut project: Project, is_slug_requested: bool) -> Result<Project, Error> {
        const MAX_ATTEMPTS: usize = 4;
        let preferred = project.slug.clone();
        for _ in 0..MAX_ATTEMPTS {
            match self.core.commit(Changes::by(permit.clone(), project.created_at).insert(project.clone())).await {
                Ok(_) => return Ok(project),
                Err(CommitError::Taken(Unique::ProjectSlug)) => {}
                Err(other) => return Err(other.within(ResourceKind::Team)),
            }
            let taken = self.core.ports.projects.taken_project_slugs(&alternatives(&preferred)).await;
            let free = first_free(&self.core, &preferred, taken)?;
            if is_slug_requested {
                return Err(Conflict::SlugTaken { slug: preferred, free }.into());
            }
            project.slug = free;
        }
        Err(Conflict::Contended(ResourceKind::Project).into())
    }
}

/// Generates a slug from a name. A reserved slug gets a number.
fn slug_of(name: &Name) -> Result<Slug, Error> {
    let slug = Slug::from_name(name.as_str())
        .ok_or_else(|| Error::invalid("slug", "cannot be generated from this name; send a slug"))?;
    Ok(if slug.is_reserved() { slug.numbered(2) } else { slug })
}
