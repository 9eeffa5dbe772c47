//! What depends on permissions that a member loses.

use steward_domain::model::ApiKey;
use steward_domain::policy::Operation;
use steward_domain::usecases::AffectedResources;

use super::scope::TeamScope;

/// Resources that a change of a member affects. Its template is `affected.html`.
pub(super) struct Affected {
    pub(super) keys: Vec<AffectedKey>,
    /// Recipients and roles of invites.
    pub(super) invites: Vec<String>,
    /// URLs of webhooks.
    pub(super) webhooks: Vec<String>,
}

/// An API key that the member knows.
pub(super) struct AffectedKey {
    pub(super) label: String,
    pub(super) hint: String,
    /// `None` if the person may not read the key.
    pub(super) address: Option<String>,
}

impl Affected {
    pub(super) fn of(found: &AffectedResources, scope: &TeamScope) -> Self {
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

    pub(super) fn is_empty(&self) -> bool {
        self.keys.is_empty() && self.invites.is_empty() && self.webhooks.is_empty()
    }
}
