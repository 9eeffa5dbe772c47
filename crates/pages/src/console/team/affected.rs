//! What depends on permissions that a member loses.

use steward_domain::model::ApiKey;
use steward_domain::policy::Operation;
use steward_domain::usecases::AffectedResources;

use crate::console::frame::TeamScope;

/// Resources that a change of a member affects. Its template is `affected.html`.
pub(crate) struct Affected {
    pub(crate) keys: Vec<AffectedKey>,
    /// Recipients and roles of invites.
    pub(crate) invites: Vec<String>,
    /// URLs of webhooks.
    pub(crate) webhooks: Vec<String>,
}

/// An API key that the member knows.
pub(crate) struct AffectedKey {
    pub(crate) label: String,
    pub(crate) hint: String,
    /// `None` if the person may not read the key.
    pub(crate) address: Option<String>,
}

impl Affected {
    pub(crate) fn of(found: &AffectedResources, scope: &TeamScope) -> Self {
        let may_read_keys = scope.permitted.may(Operation::KeyGet);
        let key = |key: &ApiKey| AffectedKey {
            label: key.label.to_string(),
            hint: key.hint.clone(),
            address: may_read_keys.then(|| format!("/console/projects/{}/keys/{}", key.project_id, key.id)),
        };
        let invites = found.invites.iter().map(|invite| format!("{} ({})", invite.recipient, invite.roles));
        Self {
            keys: found.keys.iter().map(key).collect(),
            invites: invites.collect(),
            webhooks: found.webhooks.iter().map(|webhook| webhook.url.as_str().to_owned()).collect(),
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.keys.is_empty() && self.invites.is_empty() && self.webhooks.is_empty()
    }
}
