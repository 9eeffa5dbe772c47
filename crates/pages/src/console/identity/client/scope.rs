//! The client in the path, and the layout and the address of its pages.

use steward_domain::identity::ProjectClient;
use steward_domain::kernel::error::{Error, ResourceKind};
use steward_domain::kernel::policy::Operation;
use steward_domain::kernel::{ProjectClientId, ProjectId};

use crate::console::frame::{ProjectScope, Shell, Signed};
use crate::error::PageError;

/// Returns the client in the path, and its project.
pub(crate) async fn load(signed: &Signed) -> Result<(ProjectScope, ProjectClient), PageError> {
    let scope = signed.project().await?;
    let client = signed.steward().clients.get(&signed.caller, scope.project.id, client_id(signed)?).await?;
    Ok((scope, client))
}

/// Returns the ID of the client in the path.
pub(crate) fn client_id(signed: &Signed) -> Result<ProjectClientId, PageError> {
    Ok(ProjectClientId::parse(signed.parameter("client")).ok_or(Error::NotFound(ResourceKind::Client))?)
}

/// Returns the address of the list of clients.
pub(crate) fn list_address(project: ProjectId) -> String {
    format!("/console/projects/{project}/clients")
}

/// Returns the address of the page of a client.
pub(crate) fn address(project: ProjectId, client: ProjectClientId) -> String {
    format!("{}/{client}", list_address(project))
}

/// Returns the layout of the list of clients.
pub(crate) async fn list_shell(signed: &Signed, scope: &ProjectScope) -> Result<Shell, PageError> {
    Ok(scope.shell(signed, "Sign-in").await?.below(scope.at("/sign-in"), "Clients"))
}

/// Turns the layout of the list into that of a page below it.
pub(crate) fn below_list(list: Shell, scope: &ProjectScope, label: &str) -> Shell {
    list.below(list_address(scope.project.id), label)
}

/// Turns the layout of the list into that of a page below a client.
pub(crate) fn below_client(list: Shell, scope: &ProjectScope, client: &ProjectClient, label: &str) -> Shell {
    let page = below_list(list, scope, client.settings.name.as_str());
    page.below(address(client.project_id, client.id), label)
}

/// Whether the person may rotate the secret of the client. They receive the new one and with it the roles of the
/// client.
pub(crate) fn may_rotate(scope: &ProjectScope, client: &ProjectClient) -> bool {
    let is_granted = client.settings.roles.as_ref().is_none_or(|roles| scope.permitted.may_grant(roles.permissions()));
    client.secret.is_some() && scope.permitted.may(Operation::ClientSecretRotate) && is_granted
}
