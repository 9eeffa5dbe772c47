//! Hides the items of users that are being deleted.

use steward_domain::kernel::{ProjectId, ProjectUserId};

use super::kernel::statement::{Fragment, Statement};

/// Appends the condition that the user is not being deleted, so that nobody sees a part of their items.
pub(crate) fn push_not_being_deleted<T>(statement: &mut Statement<T>, project: ProjectId, user: ProjectUserId) {
    const CONDITION: &str = " AND NOT EXISTS (SELECT 1 FROM project_users WHERE project_users.project_id = $1 \
         AND project_users.id = $2 AND deletion_started_at IS NOT NULL)";
    statement.push(CONDITION, &[Fragment::id(project), Fragment::id(user)]);
}
