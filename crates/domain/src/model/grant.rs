//! Grants: the access that a person gave to a project.

use serde_json::json;

use super::{
    AccountId, AuditView, Audited, GrantId, OwnerIds, Project, ProjectId, ResourceKind, Revision, ScopeSet, Time,
};

/// The access that a person gave to a project. A later request for the same or fewer scopes needs no new consent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Grant {
    /// Unique ID of the grant.
    pub id: GrantId,
    /// The account that gave access.
    pub account_id: AccountId,
    /// The project that has access.
    pub project_id: ProjectId,
    /// The granted scopes.
    pub scopes: ScopeSet,
    /// When access was first granted.
    pub created_at: Time,
    /// When scopes were last added.
    pub updated_at: Time,
    /// The revision, for compare-and-set.
    pub revision: Revision,
}

impl Audited for Grant {
    const KIND: ResourceKind = ResourceKind::Grant;

    fn owner_ids(&self) -> OwnerIds {
        (None, Some(self.project_id))
    }

    fn audit_view(&self) -> Option<AuditView> {
        Some(AuditView { id: self.id.to_string(), state: json!({"scope": self.scopes.to_string()}) })
    }
}

/// A grant with its project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GrantedProject {
    /// The grant.
    pub grant: Grant,
    /// The project.
    pub project: Project,
}
