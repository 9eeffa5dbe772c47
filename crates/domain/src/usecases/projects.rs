//! Projects, from being made to being deleted.

use std::sync::Arc;

use serde_json::{Map, Value};

use crate::changes::Changes;
use crate::error::{AuthenticationError, Conflict, Error, ResourceKind};
use crate::model::{
    Caller, DeletedProject, Identity, JsonObject, Name, Page, PageRequest, Project, ProjectId, ProjectImages,
    ProjectInTeam, ProjectUsage, Revision, ServiceAddress, SignInSettings, Slug, TeamId, Website,
};
use crate::policy::{Operation, Permission, Permit};
use crate::ports::{Clock, CommitError, IdGenerator, ProjectReader, Unique, UnitOfWork};

use super::teams::not_reserved;
use super::{Access, DeletedProjectData, RetryError, alternatives, first_free, retry_stale};

/// What a project is made with.
#[derive(Debug, Clone)]
#[expect(missing_docs, reason = "each field is the value it is named after")]
pub struct CreateProject {
    pub team_id: TeamId,
    pub name: Name,
    /// `None`: made from the name, with a number if that is taken.
    pub slug: Option<Slug>,
}

/// What is to change of a project.
#[derive(Debug, Clone)]
#[expect(missing_docs, reason = "each field is the value it is named after; what is `None` stays")]
pub struct UpdateProject {
    pub name: Option<Name>,
    pub slug: Option<Slug>,
    /// An inner `None` takes it away.
    pub website: Option<Option<Website>>,
    /// Merged into what is there (RFC 7396).
    pub profile: Option<Map<String, Value>>,
}

/// The use cases of projects.
pub struct Projects {
    access: Access,
    projects: Arc<dyn ProjectReader>,
    store: Arc<dyn UnitOfWork>,
    remains: DeletedProjectData,
    clock: Arc<dyn Clock>,
    ids: Arc<dyn IdGenerator>,
    address: ServiceAddress,
}

impl Projects {
    /// Over these ports.
    pub fn new(
        access: Access,
        projects: Arc<dyn ProjectReader>,
        store: Arc<dyn UnitOfWork>,
        remains: DeletedProjectData,
        clock: Arc<dyn Clock>,
        ids: Arc<dyn IdGenerator>,
        address: ServiceAddress,
    ) -> Self {
        Self { access, projects, store, remains, clock, ids, address }
    }

    /// The projects of every team the caller belongs to; with a key, its own one.
    pub async fn list(&self, caller: &Caller, page: &PageRequest) -> Result<Page<ProjectInTeam>, Error> {
        match &caller.identity {
            Identity::Account(account) => Ok(self.projects.projects_of(*account, page).await?),
            Identity::Token(token) => {
                token.takes(Permission::ProjectRead)?;
                let mut page = self.projects.projects_of(token.account_id, page).await?;
                page.items.retain(|found| token.reaches_project(found.project.id, found.project.team_id));
                Ok(page)
            }
            Identity::Key(bearer) => Ok(Page { items: vec![(*bearer.project).clone()], next: None }),
            Identity::User(_) => Err(AuthenticationError::TokenOfProject.into()),
        }
    }

    /// One project, and what it keeps.
    pub async fn get(&self, caller: &Caller, id: ProjectId) -> Result<(Project, ProjectUsage), Error> {
        let access = self.access.project(caller, id).await?;
        access.permit(Operation::ProjectGet).await?;

        let usage = self.projects.project_usage(id).await?;
        Ok((access.project().project.clone(), usage))
    }

    /// Whether a project could have the slug.
    pub async fn is_slug_available(&self, slug: &Slug) -> Result<bool, Error> {
        let taken = self.projects.taken_project_slugs(std::slice::from_ref(slug)).await?;
        Ok(!slug.is_reserved() && taken.is_empty())
    }

    /// Changes how a project is called and presents itself.
    pub async fn update(&self, caller: &Caller, id: ProjectId, command: UpdateProject) -> Result<Project, Error> {
        retry_stale(async || {
            let command = command.clone();
            let permit = self.access.project(caller, id).await?.permit(Operation::ProjectUpdate).await?;

            let loaded = self.current(id).await?;
            let slug = match command.slug {
                Some(slug) if slug != loaded.slug => not_reserved(slug)?,
                _ => loaded.slug.clone(),
            };
            let merged =
                command.profile.map(|patch| loaded.profile.merged(&loaded.without_own_images(patch, &self.address)));
            let now = self.clock.now();
            let changed = Project {
                name: command.name.unwrap_or_else(|| loaded.name.clone()),
                slug,
                website: command.website.unwrap_or_else(|| loaded.website.clone()),
                profile: merged
                    .transpose()
                    .map_err(|error| Error::invalid("profile", error))?
                    .unwrap_or_else(|| loaded.profile.clone()),
                updated_at: now,
                ..loaded.clone()
            };

            let changes = Changes::by(permit, now).replace(loaded, changed.clone());
            match self.store.commit(changes).await {
                Ok(_) => Ok(changed),
                Err(CommitError::Taken(Unique::ProjectSlug)) => {
                    let taken = self.projects.taken_project_slugs(&alternatives(&changed.slug)).await;
                    let free = first_free(&changed.slug, taken)?;
                    Err(Conflict::SlugTaken { slug: changed.slug, free }.into())
                }
                Err(other) => Err(other.into()),
            }
        })
        .await
    }

    /// Deletes a project and all its data. It is gone for everybody at once; what is much goes on going afterwards.
    pub async fn delete(&self, caller: &Caller, id: ProjectId) -> Result<(), Error> {
        let deleted = retry_stale(async || {
            let permit = self.access.project(caller, id).await?.permit(Operation::ProjectDelete).await?;

            let loaded = self.current(id).await?;
            let deleted = DeletedProject { id, images: loaded.images.clone() };
            let changes = Changes::by(permit, self.clock.now()).remove(loaded);
            self.store.commit(changes).await?;
            Ok(deleted)
        })
        .await?;
        // The project is deleted, whatever comes of this: the rest is removed from time to time.
        let _ = self.remains.remove_some(&deleted).await;
        Ok(())
    }

    /// What anybody may know of a project.
    pub async fn profile(&self, id: ProjectId) -> Result<Project, Error> {
        Ok(self.projects.project(id).await?.ok_or(Error::NotFound(ResourceKind::Project))?.project)
    }

    /// How people may sign in to a project.
    pub async fn settings(&self, caller: &Caller, id: ProjectId) -> Result<SignInSettings, Error> {
        let access = self.access.project(caller, id).await?;
        access.permit(Operation::SettingsGet).await?;
        Ok(access.project().project.sign_in.clone())
    }

    /// Merges into the settings (RFC 7396).
    pub async fn update_settings(
        &self,
        caller: &Caller,
        id: ProjectId,
        patch: &Map<String, Value>,
    ) -> Result<SignInSettings, Error> {
        let change = |settings: SignInSettings| settings.merged(patch);
        retry_stale(async || self.change_settings(caller, id, Operation::SettingsUpdate, &change).await).await
    }

    /// Resets the settings that dotted paths name.
    pub async fn reset_settings(
        &self,
        caller: &Caller,
        id: ProjectId,
        paths: &[String],
    ) -> Result<SignInSettings, Error> {
        let change = |settings: SignInSettings| match paths {
            [] => Err(Error::invalid("key", "send at least one dotted path, like auth.redirect_uris")),
            paths => paths.iter().try_fold(settings, |kept, path| kept.without(path)),
        };
        retry_stale(async || self.change_settings(caller, id, Operation::SettingsReset, &change).await).await
    }

    async fn change_settings(
        &self,
        caller: &Caller,
        id: ProjectId,
        operation: Operation,
        change: &(dyn Fn(SignInSettings) -> Result<SignInSettings, Error> + Sync),
    ) -> Result<SignInSettings, RetryError> {
        let permit = self.access.project(caller, id).await?.permit(operation).await?;

        let loaded = self.current(id).await?;
        let sign_in = change(loaded.sign_in.clone())?;
        let now = self.clock.now();
        let changed = Project { sign_in: sign_in.clone(), updated_at: now, ..loaded.clone() };

        let changes = Changes::by(permit, now).replace(loaded, changed);
        self.store.commit(changes).await?;
        Ok(sign_in)
    }

    /// The project as it is now. What comes with a key was read when the key was shown: another try would find it as
    /// stale as the first did.
    async fn current(&self, id: ProjectId) -> Result<Project, Error> {
        Ok(self.projects.project(id).await?.ok_or(Error::NotFound(ResourceKind::Project))?.project)
    }

    /// Makes a project in a team.
    pub async fn create(&self, caller: &Caller, command: CreateProject) -> Result<Project, Error> {
        let access = self.access.team(caller, command.team_id).await?;
        let permit = access.permit(Operation::ProjectCreate).await?;

        let now = self.clock.now();
        let asked = command.slug.map(not_reserved).transpose()?;
        let slug = match &asked {
            Some(slug) => slug.clone(),
            None => slug_of(&command.name)?,
        };
        let project = Project {
            id: ProjectId::from(self.ids.next()),
            team_id: command.team_id,
            name: command.name,
            slug,
            website: None,
            profile: JsonObject::default(),
            images: ProjectImages::default(),
            sign_in: SignInSettings::default(),
            created_at: now,
            updated_at: now,
            revision: Revision::FIRST,
        };
        self.insert(permit, project, asked.is_some()).await
    }

    /// Stores a new project; a slug that nobody asked for gives way when it is taken.
    async fn insert(&self, permit: Permit, mut project: Project, slug_asked: bool) -> Result<Project, Error> {
        const ROUNDS: usize = 4;
        let wanted = project.slug.clone();
        for _ in 0..ROUNDS {
            let changes = Changes::by(permit.clone(), project.created_at).insert(project.clone());
            match self.store.commit(changes).await {
                Ok(_) => return Ok(project),
                Err(CommitError::Taken(Unique::ProjectSlug)) => {}
                Err(CommitError::Orphaned) => return Err(Error::NotFound(ResourceKind::Team)),
                Err(other) => return Err(other.into()),
            }
            let taken = self.projects.taken_project_slugs(&alternatives(&wanted)).await;
            let free = first_free(&wanted, taken)?;
            if slug_asked {
                return Err(Conflict::SlugTaken { slug: wanted, free }.into());
            }
            project.slug = free;
        }
        Err(Conflict::Contended(ResourceKind::Project).into())
    }
}

/// The slug that a name gives; a reserved one gets a number at once.
fn slug_of(name: &Name) -> Result<Slug, Error> {
    let slug = Slug::from_name(name.as_str())
        .ok_or_else(|| Error::invalid("slug", "cannot be made from this name; send one"))?;
    Ok(if slug.is_reserved() { slug.numbered(2) } else { slug })
}
