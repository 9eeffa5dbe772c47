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

impl AuditView {
    /// Returns what the audit log records of an entity with this ID.
    pub(crate) fn of(id: impl ToString, state: Value) -> Option<Self> {
        Some(Self { id: id.to_string(), state })
    }
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

/// States how an entity is written: its kind, the team and the project that it belongs to, and what the audit log records,
/// unless it records nothing. `nobody`: the entity belongs to an account or to the service.
macro_rules! audited {
    (@view $entity:ident) => { None };
    (@view $entity:ident |$it:ident| $state:tt) => {{
        let $it = $entity;
        Some($crate::kernel::AuditView { id: $it.id.to_string(), state: serde_json::json!($state) })
    }};
    ($entity:ident as $kind:ident of nobody $(, |$it:ident| $state:tt)?) => {
        $crate::kernel::audited!($entity as $kind of |_| (None, None) $(, |$it| $state)?);
    };
    ($entity:ident as $kind:ident of |$owned:pat_param| $owners:expr $(, |$it:ident| $state:tt)?) => {
        impl $crate::kernel::Audited for $entity {
            const KIND: $crate::kernel::ResourceKind = $crate::kernel::ResourceKind::$kind;

            fn owner_ids(&self) -> $crate::kernel::OwnerIds {
                let $owned = self;
                $owners
            }

            fn audit_view(&self) -> Option<$crate::kernel::AuditView> {
                $crate::kernel::audited!(@view self $(|$it| $state)?)
            }
        }
    };
}

pub(crate) use audited;
