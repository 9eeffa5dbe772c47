//! Hides the items of users that are being deleted.

use steward_domain::kernel::{ProjectId, ProjectUserId};

use super::kernel::statement::Statement;

/// Appends the condition that the user is not being deleted, so that nobody sees a part of their items.
pub(crate) fn push_not_being_deleted<T>(statement: &mut Statement<T>, project: ProjectId, user: ProjectUserId) {
    statement.sql(" AND NOT EXISTS (SELECT 1 FROM project_users WHERE project_users.project_id = ");
    statement.id(project.uuid());
    statement.sql(" AND project_users.id = ");
    statement.id(user.uuid());
    statement.sql(" AND deletion_started_at IS NOT NULL)");
}
