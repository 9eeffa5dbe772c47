//! How entities appear in the audit log.

use serde_json::Value;

use crate::kernel::{ProjectId, ResourceKind, TeamId};

/// The team and the project that an entity belongs to. `None` for those that it does not name.
pub(crate) type OwnerIds = (Option<TeamId>, Option<ProjectId>);

/// What the audit log records of an entity.
pub(crate) struct AuditView {
    /// The ID under which the entity is recorded.
    pub(crate) id: String,
    /// The state of the entity, without secrets, digests and personal data of project users.
    pub(crate) state: Value,
}

/// An entity that is written as a whole.
pub(crate) trait Audited {
    /// The resource kind of the entity.
    const KIND: ResourceKind;

    /// Returns the team and the project that the entity belongs to, which the scope of a change is checked against.
    /// Entities of an account or of the service have neither. There is no default: a forgotten owner would pass the check.
    fn owner_ids(&self) -> OwnerIds;

    /// Returns what the audit log records. `None` for short-lived steps of a protocol, because their results are
    /// recorded.
    fn audit_view(&self) -> Option<AuditView>;
}
