//! OAuth clients of projects: registering, reading, updating and deleting them, and rotating their secrets.

use chrono::TimeDelta;

use crate::administration::image::files::ImageFiles;
use crate::administration::{AuditEvent, AuditFilter, Image, ItemChanges};
use crate::identity::{
    ClientChanges, ClientInput, ClientSecret, ClientSettings, ClientType, IdentityCore, ProjectClient, RefusedRequest,
};
use crate::kernel::changes::Changes;
use crate::kernel::error::{Error, FieldViolations, ResourceKind};
use crate::kernel::policy::{Operation, Permit};
use crate::kernel::{
    Caller, Issued, Label, OpaqueKind, PageRequest, Precondition, ProjectAccess, ProjectClientId, ProjectId,
    ResourceScope, Revision, Secret, TokenDigest, check_new_name, retry_stale, use_cases,
};

/// Values of a new client.
#[derive(Debug, Clone)]
#[expect(missing_docs, reason = "each field is named after its value")]
pub struct CreateClient {
    pub client_type: ClientType,
    pub name: Label,
    /// The other settings. Those that are absent have their defaults.
    pub settings: ClientChanges,
}

impl CreateClient {
    /// Parses the values of a new client.
    pub fn parse(client_type: &str, input: &ClientInput<'_>, mut errors: FieldViolations) -> Result<Self, Error> {
        let client_type = errors.check("type", ClientType::parse(client_type));
        let name = errors.check("name", Label::parse(input.name.unwrap_or_default()));
        let settings = ClientChanges::parse(&ClientInput { name: None, ..input.clone() }, &mut errors);
        errors.finish(client_type.zip(name).map(|(client_type, name)| Self { client_type, name, settings }))
    }
}

/// How long refused requests are listed.
const REFUSALS_LISTED: TimeDelta = TimeDelta::days(7);
/// Maximum number of refused requests in the list.
const MAX_REFUSALS: u16 = 10;

use_cases! {
    /// Use cases of the clients that projects register.
    pub struct Clients { pub(crate) core: IdentityCore }
}

impl Clients {
    /// Lists the clients, oldest first, without their secrets.
    pub async fn list(&self, caller: &Caller, project: ProjectId) -> Result<Vec<ProjectClient>, Error> {
        self.core.access.project(caller, project).await?.permit(Operation::ClientList).await?;

        let (clients, now) = (self.core.ports.project_clients.clients(project).await?, self.core.now());
        Ok(clients.into_iter().map(|client| client.as_of(now)).collect())
    }

    /// Returns a client without its secret.
    pub async fn get(&self, caller: &Caller, project: ProjectId, id: ProjectClientId) -> Result<ProjectClient, Error> {
        self.core.access.project(caller, project).await?.permit(Operation::ClientGet).await?;

        Ok(self.one(project, id).await?.as_of(self.core.now()))
    }

    /// Lists the last requests of the project's clients that were refused in the last seven days, newest first.
    pub async fn refused_requests(&self, caller: &Caller, project: ProjectId) -> Result<Vec<RefusedRequest>, Error> {
        self.core.access.project(caller, project).await?.permit(Operation::ClientList).await?;

        let filter = AuditFilter {
            action: Some(format!("{}.{}", ResourceKind::Project.as_str(), AuditEvent::CLIENT_REQUEST_REFUSED)),
            from: Some(self.core.now() - REFUSALS_LISTED),
            item_changes: ItemChanges::Exclude,
            ..AuditFilter::default()
        };
        let page = PageRequest { limit: Some(MAX_REFUSALS), ..PageRequest::FIRST };
        let found = self.core.ports.audit_log.audit_events(ResourceScope::Project(project), &filter, &page).await?;
        Ok(found.items.iter().map(RefusedRequest::of).collect())
    }

    pub(crate) async fn one(&self, project: ProjectId, id: ProjectClientId) -> Result<ProjectClient, Error> {
        let found = self.core.ports.project_clients.client(id).await?;
        found.filter(|found| found.project_id == project).ok_or(Error::NotFound(ResourceKind::Client))
    }

    /// Registers a client. The secret of a confidential one is returned only here.
    pub async fn create(
        &self,
        caller: &Caller,
        project: ProjectId,
        command: CreateClient,
    ) -> Result<(ProjectClient, Option<Secret>), Error> {
        let access = self.core.access.project(caller, project).await?;
        let permit = access.permit(Operation::ClientCreate).await?;
        let settings = ClientSettings::new(command.client_type, command.name, command.settings);
        settings.check(command.client_type)?;
        check_new_name("name", settings.name.as_str(), None)?;
        self.check_keys(&settings)?;
        may_grant(&access, &permit, &settings).await?;

        self.insert(permit, project, command.client_type, settings, false).await
    }

    pub(crate) async fn insert(
        &self,
        permit: Permit,
        project: ProjectId,
        client_type: ClientType,
        settings: ClientSettings,
        registered_itself: bool,
    ) -> Result<(ProjectClient, Option<Secret>), Error> {
        let has_secret = client_type == ClientType::Confidential && settings.keys.is_none();
        let issued = has_secret.then(|| self.new_secret());
        let client = ProjectClient {
            id: self.core.next_id().into(),
            project_id: project,
            settings,
            secret: issued.as_ref().map(|(value, digest)| ClientSecret::new(value, digest.clone())),
            logo: None,
            registered_itself,
            created_by: permit.actor().account(),
            configured_by: None,
            created_at: self.core.now(),
            revision: Revision::FIRST,
        };
        let changes = Changes::by(permit, client.created_at).insert(client.clone());
        self.core.commit(changes).await.map_err(|error| error.within(ResourceKind::Project))?;
        Ok((client, issued.map(|(value, _)| value)))
    }

    /// Checks that the keys of a client can verify signatures.
    pub(crate) fn check_keys(&self, settings: &ClientSettings) -> Result<(), Error> {
        let Some(keys) = &settings.keys else { return Ok(()) };
        self.core.ports.signatures.check_keys(keys).map_err(|error| Error::invalid("jwks", error))
    }

    fn new_secret(&self) -> (Secret, TokenDigest) {
        let value = self.core.new_secret(OpaqueKind::ClientSecret);
        let digest = self.core.digest(&value);
        (value, digest)
    }

    /// Updates a client. Its type does not change. A confidential one that gets keys has no secret any more.
    pub async fn update(
        &self,
        caller: &Caller,
        project: ProjectId,
        id: ProjectClientId,
        changes: ClientChanges,
        when: &Precondition,
    ) -> Result<ProjectClient, Error> {
        retry_stale(async || {
            let access = self.core.access.project(caller, project).await?;
            let permit = access.permit(Operation::ClientUpdate).await?;

            let loaded = self.one(project, id).await?;
            when.check(ResourceKind::Client, loaded.revision)?;
            let settings = loaded.settings.clone().with(changes.clone());
            settings.check(loaded.client_type())?;
            check_new_name("name", settings.name.as_str(), Some(loaded.settings.name.as_str()))?;
            if settings.keys != loaded.settings.keys {
                self.check_keys(&settings)?;
            }
            may_grant(&access, &permit, &settings).await?;
            let (changed, now) = (loaded.clone().with_settings(settings, caller.person()), self.core.now());

            self.core.commit(Changes::by(permit, now).replace(loaded, changed.clone())).await?;
            Ok(ProjectClient { revision: changed.revision.next(), ..changed }.as_of(now))
        })
        .await
    }

    /// Replaces the secret of a confidential client. The old one works for `grace_seconds` more, and those before it as long as
    /// they were to. With 0, none of them works any more.
    pub async fn rotate_secret(
        &self,
        caller: &Caller,
        project: ProjectId,
        id: ProjectClientId,
        grace_seconds: u32,
    ) -> Result<Issued<ProjectClient>, Error> {
        if grace_seconds > ClientSecret::MAX_GRACE_SECONDS {
            let error = format_args!("must be 0 to {} seconds", ClientSecret::MAX_GRACE_SECONDS);
            return Err(Error::invalid("grace_seconds", error));
        }
        retry_stale(async || {
            let access = self.core.access.project(caller, project).await?;
            let permit = access.permit(Operation::ClientSecretRotate).await?;

            let loaded = self.one(project, id).await?;
            let old = loaded.secret.clone().ok_or_else(|| {
                Error::invalid("client_id", "names a client without a secret; register a confidential one without keys")
            })?;
            // The caller receives the new secret and with it what the client may do.
            may_grant(&access, &permit, &loaded.settings).await?;
            let ((value, digest), now) = (self.new_secret(), self.core.now());
            let secret = old.rotated(&value, digest, TimeDelta::seconds(i64::from(grace_seconds)), now);
            let configured_by = caller.person().or(loaded.configured_by);
            let changed = ProjectClient { secret: Some(secret), configured_by, ..loaded.clone() };

            self.core.commit(Changes::by(permit, now).replace(loaded, changed.clone())).await?;
            let changed = ProjectClient { revision: changed.revision.next(), ..changed };
            Ok(Issued { value: changed.as_of(now), secret: value })
        })
        .await
    }

    /// Deletes a client. Its tokens stop working at once; they are deleted in the background.
    pub async fn delete(
        &self,
        caller: &Caller,
        project: ProjectId,
        id: ProjectClientId,
        when: &Precondition,
    ) -> Result<(), Error> {
        retry_stale(async || {
            let permit = self.core.access.project(caller, project).await?.permit(Operation::ClientDelete).await?;

            let loaded = self.one(project, id).await?;
            when.check(ResourceKind::Client, loaded.revision)?;

            let logo = loaded.logo.as_ref().map(Image::key);
            self.core.commit(Changes::by(permit, self.core.now()).remove(loaded)).await?;
            ImageFiles(&self.core.administration).discard(logo).await;
            Ok(())
        })
        .await
    }
}

/// Refuses to give a client roles whose permissions the caller does not hold.
async fn may_grant(access: &ProjectAccess<'_>, permit: &Permit, settings: &ClientSettings) -> Result<(), Error> {
    let Some(roles) = &settings.roles else { return Ok(()) };
    access.may_grant(permit, roles.permissions()).await
}
