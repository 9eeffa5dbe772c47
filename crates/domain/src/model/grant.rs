//! Grants: what a person allowed a project.

use super::{AccountId, GrantId, Project, ProjectId, Revision, ScopeSet, Time};

/// What a person allowed a project. Asked for less or as much again, it is not asked about again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Grant {
    /// Its id.
    pub id: GrantId,
    /// Who allowed it.
    pub account_id: AccountId,
    /// The project.
    pub project_id: ProjectId,
    /// What was allowed.
    pub scopes: ScopeSet,
    /// When it was first allowed.
    pub created_at: Time,
    /// When it was last widened.
    pub updated_at: Time,
    /// For compare-and-set.
    pub revision: Revision,
}

/// A grant with the project it is for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GrantedProject {
    /// The grant.
    pub grant: Grant,
    /// The project.
    pub project: Project,
}
