//! Identity providers of the service and of projects: other services at which people sign in.

pub(super) mod entity;
mod failed_sign_ins;
mod identity_account;
pub(crate) mod linking;
pub(crate) mod port;
pub(crate) mod required;
pub(crate) mod sign_in;
pub(crate) mod state;

use chrono::TimeDelta;

use crate::identity::{
    Account, EmailDomain, IdentityCore, IdentityProvider, Issuer, MAX_SERVICE_PROVIDERS, ProviderClientId,
    ProviderError, ProviderKind, parse_client_secret, parse_email_domains,
};
use crate::kernel::changes::Changes;
use crate::kernel::error::{AuthenticationError, Error, FieldViolations, ResourceKind};
use crate::kernel::policy::{Operation, Permit};
use crate::kernel::{
    Caller, CommitError, IdentityProviderId, InvalidValue, Label, Precondition, ProjectId, Revision, Secret, Unique,
    account_of, check_new_name, retry_stale, use_cases,
};

pub use failed_sign_ins::FailedProviderSignIn;

/// Values of a new provider.
#[derive(Debug, Clone)]
#[expect(missing_docs, reason = "each field is named after its value")]
pub struct CreateIdentityProvider {
    /// The ID, if the redirect URI was registered at the provider before. MUST NOT be that of another provider.
    pub id: Option<IdentityProviderId>,
    pub kind: ProviderKind,
    pub name: Label,
    pub issuer: Issuer,
    pub client_id: ProviderClientId,
    pub client_secret: Option<Secret>,
    /// MUST be empty for a provider of a project.
    pub email_domains: Vec<EmailDomain>,
}

/// What a person or program enters for a new provider.
#[derive(Debug, Clone, Default)]
#[expect(missing_docs, reason = "each field is named after its value")]
pub struct ProviderInput<'a> {
    pub kind: &'a str,
    /// The name of the kind if it is absent.
    pub name: Option<&'a str>,
    /// The issuer that all customers of the provider share if it is absent.
    pub issuer: Option<&'a str>,
    pub client_id: &'a str,
    pub client_secret: Option<Secret>,
    pub email_domains: &'a [String],
}

impl CreateIdentityProvider {
    /// Parses a provider of the service or, with `of_project`, of a project. `allow_private`: whether http, and private networks
    /// for projects, are allowed; the operator may use private networks always.
    pub fn parse(
        input: ProviderInput<'_>,
        of_project: bool,
        allow_private: bool,
        mut errors: FieldViolations,
    ) -> Result<Self, Error> {
        let kind = errors.check("kind", ProviderKind::parse(input.kind));
        let name = input.name.or(kind.map(ProviderKind::label)).map(Label::parse);
        let name = name.and_then(|name| errors.check("name", name));
        let issuer = match input.issuer.or(kind.and_then(ProviderKind::shared_issuer)) {
            Some(issuer) => errors.check("issuer", Issuer::parse(issuer, allow_private, allow_private || !of_project)),
            None if kind.is_some() => {
                errors.check("issuer", Err(InvalidValue("is required for this kind of provider")))
            }
            None => None,
        };
        let client_id = errors.check("client_id", ProviderClientId::parse(input.client_id));
        let client_secret = input.client_secret.map(|secret| parse_client_secret(&secret));
        let client_secret = client_secret.and_then(|secret| errors.check("client_secret", secret));
        let email_domains = errors.check("email_domains", parse_email_domains(input.email_domains));
        let parsed = kind.zip(name).zip(issuer).zip(client_id).zip(email_domains);
        errors.finish(parsed.map(|((((kind, name), issuer), client_id), email_domains)| Self {
            id: None,
            kind,
            name,
            issuer,
            client_id,
            client_secret,
            email_domains,
        }))
    }
}

/// Changes to a provider. Its kind and its issuer do not change.
#[derive(Debug, Clone, Default)]
#[expect(missing_docs, reason = "each field is named after its value; `None` leaves it unchanged")]
pub struct UpdateIdentityProvider {
    pub name: Option<Label>,
    pub client_id: Option<ProviderClientId>,
    pub client_secret: Option<Secret>,
    pub email_domains: Option<Vec<EmailDomain>>,
    pub is_enabled: Option<bool>,
}

use_cases! {
    /// Use cases of administering identity providers. `None` instead of a project means those of the whole service, which
    /// operators administer.
    pub struct IdentityProviders { core: IdentityCore }
}

impl IdentityProviders {
    /// Returns the address that has to be registered at the provider as redirect URI.
    pub fn redirect_uri(&self, id: IdentityProviderId) -> String {
        redirect_uri(&self.core, id)
    }

    /// Lists the providers, oldest first, without their secrets.
    pub async fn list(&self, caller: &Caller, project: Option<ProjectId>) -> Result<Vec<IdentityProvider>, Error> {
        self.permit(caller, project, Operation::ServiceProviderList, Operation::IdentityProviderList).await?;

        Ok(self.core.ports.identity_providers.identity_providers(project).await?)
    }

    /// Returns a provider without its secret.
    pub async fn get(
        &self,
        caller: &Caller,
        project: Option<ProjectId>,
        id: IdentityProviderId,
    ) -> Result<IdentityProvider, Error> {
        self.permit(caller, project, Operation::ServiceProviderList, Operation::IdentityProviderGet).await?;

        self.one(project, id).await
    }

    /// Reads the metadata of a provider again. The error says why nobody can sign in there. GitHub has no metadata.
    pub async fn test(&self, caller: &Caller, project: Option<ProjectId>, id: IdentityProviderId) -> Result<(), Error> {
        let provider = self.get(caller, project, id).await?;

        self.named_issuer(&provider).await.map(drop)
    }

    /// Returns the last sign-ins at a provider that failed because of the provider, newest first, with the claim that was refused.
    pub async fn failed_sign_ins(
        &self,
        caller: &Caller,
        project: Option<ProjectId>,
        id: IdentityProviderId,
    ) -> Result<Vec<FailedProviderSignIn>, Error> {
        let provider = self.get(caller, project, id).await?;

        failed_sign_ins::last(&self.core, &provider).await
    }

    async fn one(&self, project: Option<ProjectId>, id: IdentityProviderId) -> Result<IdentityProvider, Error> {
        let found = self.core.ports.identity_providers.identity_provider(id).await?;
        found.filter(|found| found.project_id == project).ok_or(Error::NotFound(ResourceKind::IdentityProvider))
    }

    /// Adds a provider, at which people can sign in from now on. Its metadata is read first, and names the issuer.
    pub async fn create(
        &self,
        caller: &Caller,
        project: Option<ProjectId>,
        command: CreateIdentityProvider,
    ) -> Result<IdentityProvider, Error> {
        let operations = (Operation::ServiceProviderCreate, Operation::IdentityProviderCreate);
        self.permit(caller, project, operations.0, operations.1).await?;
        if project.is_some() && !command.email_domains.is_empty() {
            return Err(only_of_service());
        }
        if project.is_some() {
            check_new_name("name", command.name.as_str(), None)?;
        } else {
            let count = self.core.ports.identity_providers.identity_providers(None).await?.len();
            if count >= MAX_SERVICE_PROVIDERS {
                let message = format!("The service can have {MAX_SERVICE_PROVIDERS} providers. Delete one first.");
                return Err(Error::invalid("name", message));
            }
        }

        let id = command.id.unwrap_or_else(|| IdentityProviderId::from(self.core.next_id()));
        if command.id.is_some() && self.core.ports.identity_providers.identity_provider(id).await?.is_some() {
            return Err(Error::invalid("id", "is the ID of another provider"));
        }
        let provider = IdentityProvider {
            id,
            project_id: project,
            kind: command.kind,
            name: command.name,
            issuer: command.issuer,
            client_id: command.client_id,
            client_secret: command.client_secret.map(|secret| self.encrypt(id, &secret)).transpose()?,
            email_domains: command.email_domains,
            is_enabled: true,
            created_by: caller.person(),
            configured_by: None,
            created_at: self.core.now(),
            revision: Revision::FIRST,
        };
        let issuer =
            if provider.has_own_issuer() { self.named_issuer(&provider).await? } else { provider.issuer.clone() };
        let provider = IdentityProvider { issuer, ..provider };

        // While the provider responded, the caller may have lost the permission, or the sign-in may have ended.
        if let Some(person) = caller.person() {
            let account = self.core.ports.accounts.account(person).await?;
            let still_counts = |found: &Account| found.is_active() && found.password_set_at <= provider.created_at;
            account.filter(still_counts).ok_or(AuthenticationError::RevokedToken)?;
        }
        let permit = self.permit(caller, project, operations.0, operations.1).await?;
        let changes = Changes::by(permit, provider.created_at).insert(provider.clone());
        self.core.commit(changes).await.map_err(|error| match error {
            // The ID is that of a provider that was deleted, whose linked identities are not deleted yet.
            CommitError::Taken(Unique::Id) => Error::NotFound(ResourceKind::IdentityProvider),
            error => error.within(ResourceKind::Project),
        })?;
        Ok(provider)
    }

    /// Returns the issuer of a new provider as its metadata names it: with another one, nobody could sign in.
    async fn named_issuer(&self, provider: &IdentityProvider) -> Result<Issuer, Error> {
        match self.core.ports.provider_client.issuer(provider).await {
            Ok(named) => provider.issuer.as_named(&named).map_err(|reason| Error::invalid("issuer", reason)),
            Err(ProviderError::Busy) => Err(Error::TooMany { retry_after: TimeDelta::seconds(1) }),
            Err(error) => {
                let reason = error.to_string();
                let reason = reason.trim_end_matches('.');
                Err(Error::invalid("issuer", format!("Check the issuer, because {reason}.")))
            }
        }
    }

    fn encrypt(&self, id: IdentityProviderId, secret: &Secret) -> Result<Vec<u8>, Error> {
        self.core.system.encrypter.encrypt(&secret_purpose(id), secret.expose().as_bytes())
    }

    /// Updates a provider.
    pub async fn update(
        &self,
        caller: &Caller,
        project: Option<ProjectId>,
        id: IdentityProviderId,
        command: UpdateIdentityProvider,
        when: &Precondition,
    ) -> Result<IdentityProvider, Error> {
        retry_stale(async || {
            let operations = (Operation::ServiceProviderUpdate, Operation::IdentityProviderUpdate);
            let permit = self.permit(caller, project, operations.0, operations.1).await?;
            let command = command.clone();
            if project.is_some() && command.email_domains.as_ref().is_some_and(|domains| !domains.is_empty()) {
                return Err(only_of_service().into());
            }

            let loaded = self.one(project, id).await?;
            when.check(ResourceKind::IdentityProvider, loaded.revision)?;
            let name = command.name.unwrap_or_else(|| loaded.name.clone());
            if project.is_some() {
                check_new_name("name", name.as_str(), Some(loaded.name.as_str()))?;
            }
            let new_secret = command.client_secret.map(|secret| self.encrypt(id, &secret)).transpose()?;
            let has_new_secret = new_secret.is_some();
            let changed = IdentityProvider {
                name,
                client_id: command.client_id.unwrap_or_else(|| loaded.client_id.clone()),
                client_secret: new_secret.or_else(|| loaded.client_secret.clone()),
                email_domains: command.email_domains.unwrap_or_else(|| loaded.email_domains.clone()),
                is_enabled: command.is_enabled.unwrap_or(loaded.is_enabled),
                ..loaded.clone()
            };
            let is_enabled_now = changed.is_enabled && !loaded.is_enabled;
            let is_configured = has_new_secret || is_enabled_now || changed.client_id != loaded.client_id;
            let configured_by = caller.person().filter(|_| is_configured).or(loaded.configured_by);
            let changed = IdentityProvider { configured_by, ..changed };

            let changes = Changes::by(permit, self.core.now()).replace(loaded, changed.clone());
            self.core.commit(changes).await?;
            Ok(IdentityProvider { revision: changed.revision.next(), ..changed })
        })
        .await
    }

    /// Deletes a provider. Nobody can sign in there any more; sessions that began there go on. The identities that are linked
    /// to it are deleted in the background.
    pub async fn delete(
        &self,
        caller: &Caller,
        project: Option<ProjectId>,
        id: IdentityProviderId,
        when: &Precondition,
    ) -> Result<(), Error> {
        retry_stale(async || {
            let operations = (Operation::ServiceProviderDelete, Operation::IdentityProviderDelete);
            let permit = self.permit(caller, project, operations.0, operations.1).await?;

            let loaded = self.one(project, id).await?;
            when.check(ResourceKind::IdentityProvider, loaded.revision)?;

            self.core.save(Changes::by(permit, self.core.now()).remove(loaded)).await
        })
        .await
    }

    async fn permit(
        &self,
        caller: &Caller,
        project: Option<ProjectId>,
        of_service: Operation,
        of_project: Operation,
    ) -> Result<Permit, Error> {
        match project {
            Some(project) => self.core.access.project(caller, project).await?.permit(of_project).await,
            None => {
                let account = self.core.ports.accounts.account(account_of(caller)?).await?;
                Permit::by_operator(of_service, caller, &account.ok_or(AuthenticationError::UnknownAccount)?)
            }
        }
    }
}

fn redirect_uri(core: &IdentityCore, id: IdentityProviderId) -> String {
    core.address.at(&format!("/auth/provider/{id}"))
}

/// Returns the purpose for which the secret of a provider is encrypted, so that no other provider can use it.
fn secret_purpose(id: IdentityProviderId) -> String {
    format!("identity provider {id}")
}

fn only_of_service() -> Error {
    Error::invalid("email_domains", "Only providers of the whole service can be required for email domains.")
}
