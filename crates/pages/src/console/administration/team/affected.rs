//! What depends on permissions that a member loses.

use steward_domain::administration::{AffectedResources, ApiKey};
use steward_domain::identity::{IdentityProvider, ProjectClient};
use steward_domain::kernel::ProjectId;
use steward_domain::kernel::error::Error;
use steward_domain::kernel::policy::{EndableKind, EndableKinds, Operation};

use crate::console::frame::{FormState, TeamScope};
use crate::request::form::Form;

/// The field with the kinds that end.
const END: &str = "end";

/// Resources that a change of a member affects. Its template is `affected.html`.
pub(crate) struct Affected {
    /// What goes on unless the person ends it. Kinds without resources are left out.
    pub(crate) endable: Vec<Endable>,
    /// Recipients and roles of invites.
    pub(crate) invites: Vec<String>,
    /// URLs of webhooks.
    pub(crate) webhooks: Vec<String>,
}

/// Resources of one kind that go on unless the person ends them.
pub(crate) struct Endable {
    /// The value of the checkbox.
    pub(crate) kind: &'static str,
    pub(crate) title: &'static str,
    pub(crate) note: &'static str,
    /// The label of the checkbox; `None` if the person may not delete the resources.
    pub(crate) label: Option<&'static str>,
    pub(crate) is_chosen: bool,
    pub(crate) resources: Vec<EndableResource>,
}

/// A resource that the member created or configured.
pub(crate) struct EndableResource {
    pub(crate) name: String,
    /// What distinguishes it from others with the same name.
    pub(crate) detail: String,
    /// `None` if the person may not read the resource.
    pub(crate) address: Option<String>,
}

impl Affected {
    /// Returns the resources as a page shows them. `chosen`: the kinds that the person chose to end so far.
    pub(crate) fn of(found: &AffectedResources, scope: &TeamScope, chosen: &EndableKinds) -> Self {
        let address = |operation: Operation, project: ProjectId, path: String| {
            scope.permitted.may(operation).then(|| format!("/console/projects/{project}/{path}"))
        };
        let key = |key: &ApiKey| EndableResource {
            name: key.label.to_string(),
            detail: key.hint.clone(),
            address: address(Operation::KeyGet, key.project_id, format!("keys/{}", key.id)),
        };
        let client = |client: &ProjectClient| EndableResource {
            name: client.settings.name.to_string(),
            detail: client.id.to_string(),
            address: address(Operation::ClientGet, client.project_id, format!("clients/{}", client.id)),
        };
        let provider = |provider: &IdentityProvider| EndableResource {
            name: provider.name.to_string(),
            detail: provider.issuer.as_str().to_owned(),
            address: provider.project_id.and_then(|project| {
                address(Operation::IdentityProviderGet, project, format!("providers/{}", provider.id))
            }),
        };
        let endable = EndableKind::ALL.map(|kind| {
            let (title, note, label) = texts(kind);
            Endable {
                kind: kind.as_str(),
                title,
                note,
                label: scope.permitted.may(kind.deletion()).then_some(label),
                is_chosen: chosen.contain(kind),
                resources: match kind {
                    EndableKind::Keys => found.keys.iter().map(key).collect(),
                    EndableKind::Clients => found.clients.iter().map(client).collect(),
                    EndableKind::IdentityProviders => found.identity_providers.iter().map(provider).collect(),
                },
            }
        });
        let invites = found.invites.iter().map(|invite| format!("{} ({})", invite.recipient.shown(), invite.roles));
        Self {
            endable: endable.into_iter().filter(|one| !one.resources.is_empty()).collect(),
            invites: invites.collect(),
            webhooks: found.webhooks.iter().map(|webhook| webhook.url.as_str().to_owned()).collect(),
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.endable.is_empty() && self.invites.is_empty() && self.webhooks.is_empty()
    }
}

/// Returns the title of a kind, what happens to its resources, and the label of the checkbox that ends them.
fn texts(kind: EndableKind) -> (&'static str, &'static str, &'static str) {
    match kind {
        EndableKind::Keys => (
            "API keys with a value that the member knows",
            "They continue to work unless you delete them. Rotate those that you keep.",
            "Delete these API keys",
        ),
        EndableKind::Clients => (
            "OAuth clients that the member set up",
            "They continue to work unless you delete them. Rotate the secrets and check the redirect URIs of those that \
             you keep.",
            "Delete these OAuth clients",
        ),
        EndableKind::IdentityProviders => (
            "Identity providers that the member set up",
            "People can still sign in there unless you delete them. Keep only those that you trust.",
            "Delete these identity providers",
        ),
    }
}

/// Returns the kinds that a form ends.
pub(crate) fn chosen(form: &Form) -> Result<EndableKinds, Error> {
    let names: Vec<&str> = form.fields().filter(|(name, _)| *name == END).map(|(_, value)| value).collect();
    EndableKinds::parse(&names.join(",")).map_err(|error| Error::invalid(END, error))
}

/// Returns the kinds that a form ended before it was refused.
pub(crate) fn kept(form: &FormState) -> EndableKinds {
    let names: Vec<&str> =
        EndableKind::ALL.iter().map(|kind| kind.as_str()).filter(|kind| form.has(END, kind)).collect();
    EndableKinds::parse(&names.join(",")).unwrap_or_default()
}
