//! The project whose providers a page is about, or the service. All pages of providers are the same for both.

use steward_domain::identity::IdentityProvider;
use steward_domain::kernel::error::{Error, ResourceKind};
use steward_domain::kernel::policy::Operation;
use steward_domain::kernel::{IdentityProviderId, ProjectId};

use crate::console::frame::{ProjectScope, Shell, Signed};
use crate::error::PageError;

/// The project in the path or, without one, the service.
pub(crate) struct ProviderScope(Option<ProjectScope>);

impl ProviderScope {
    /// Returns the project in the path or, if there is none, the service, for operators only.
    pub(crate) async fn of(signed: &Signed) -> Result<Self, PageError> {
        if signed.parameter("project").is_empty() {
            // Fails for others.
            signed.operator_shell("Providers").await?;
            return Ok(Self(None));
        }
        Ok(Self(Some(signed.project().await?)))
    }

    /// Returns the project; `None` for the service.
    pub(crate) fn project(&self) -> Option<ProjectId> {
        self.0.as_ref().map(|scope| scope.project.id)
    }

    /// Returns the address of a page of providers. `path` is empty, or starts with a slash.
    pub(crate) fn at(&self, path: &str) -> String {
        match &self.0 {
            None => format!("/console/operator/providers{path}"),
            Some(scope) => scope.at(&format!("/providers{path}")),
        }
    }

    /// Returns the layout of the list of providers.
    pub(crate) async fn shell(&self, signed: &Signed) -> Result<Shell, PageError> {
        match &self.0 {
            None => signed.operator_shell("Providers").await,
            Some(scope) => Ok(scope.shell(signed, "Sign-in").await?.below(scope.at("/sign-in"), "Providers")),
        }
    }

    /// Returns the layout of a page below the list.
    pub(crate) async fn shell_below(&self, signed: &Signed, label: &str) -> Result<Shell, PageError> {
        Ok(self.shell(signed).await?.below(self.at(""), label))
    }

    /// Returns the layout of a page below that of a provider.
    pub(crate) async fn shell_of(
        &self,
        signed: &Signed,
        provider: &IdentityProvider,
        label: &str,
    ) -> Result<Shell, PageError> {
        let list = self.shell_below(signed, provider.name.as_str()).await?;
        Ok(list.below(self.at(&format!("/{}", provider.id)), label))
    }

    /// Returns one operation for the service, and the other one for a project.
    pub(crate) fn choose(&self, of_service: Operation, of_project: Operation) -> Operation {
        if self.0.is_none() { of_service } else { of_project }
    }

    /// Whether the person may add, change and delete providers.
    pub(crate) fn may_write(&self) -> bool {
        self.0.as_ref().is_none_or(|scope| scope.permitted.may(Operation::IdentityProviderCreate))
    }

    /// Refuses to show a form to a person who may not change providers.
    pub(crate) fn require_write(&self) -> Result<(), Error> {
        self.0.as_ref().map_or(Ok(()), |scope| scope.permitted.require(Operation::IdentityProviderCreate))
    }
}

/// Returns the provider in the path, and its project or the service.
pub(crate) async fn load(signed: &Signed) -> Result<(ProviderScope, IdentityProvider), PageError> {
    let scope = ProviderScope::of(signed).await?;
    let id = IdentityProviderId::parse(signed.parameter("provider"));
    let id = id.ok_or(Error::NotFound(ResourceKind::IdentityProvider))?;
    let provider = signed.steward().identity_providers.get(&signed.caller, scope.project(), id).await?;
    Ok((scope, provider))
}
