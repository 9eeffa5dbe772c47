//! Export of what a project stores about a user (docs/contract.md#project-users).

use crate::openapi::ToSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::data::project_user::ProjectUser;
use crate::operation::operations;
use crate::values::Timestamp;

operations! {
    ROWS, "project-users";

    /// Export a user's data
    ///
    /// Returns all data that a project stores about a user. The response is streamed; if it is interrupted, the body is not
    /// valid JSON. Requires the permissions `user:read` and `db:read`.
    ExportUser Get "/project/{id}/user/{user_id}/export", Costly Safe, at(Project, User), 200(UserExport),
        deviates("an export is a file"), command("user export");
}

operations! {
    OWN_ROWS, "account";

    /// Export your data
    ///
    /// Returns all data that a project stores about the caller. The response is streamed; if it is interrupted, the body is
    /// not valid JSON.
    ExportOwnData Get "/account/apps/{project_id}/export", Costly Safe, at(App), 200(UserExport),
        deviates("an export is a file"), command("app export");
}

/// All data that a project stores about a user.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct UserExport {
    /// When the export started.
    pub exported_at: Timestamp,
    /// The user of the project.
    pub user: ProjectUser,
    /// Scopes that the user granted to the project; null if there is no grant.
    pub grant: Option<ExportedGrant>,
    /// Days in UTC on which the user was active, oldest first.
    #[schema(format = Date, example = json!(["2026-01-30", "2026-01-31"]))]
    pub active_days: Vec<String>,
    /// All items of the user: an object with a list of items for each table that has items.
    #[schema(value_type = Object, example = json!({"notes": [{
        "id": "018f2a41-2d47-7e8a-9c16-3b5f0d8e7a24",
        "created_at": "2026-01-31T12:00:00.000Z",
        "updated_at": "2026-01-31T12:00:00.000Z",
        "title": "Groceries",
    }]}))]
    pub items: Map<String, Value>,
}

/// Scopes that a user granted to a project.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct ExportedGrant {
    /// Granted scopes, separated by spaces.
    #[schema(example = "openid profile app:db:read")]
    pub scope: String,
    /// When the user first granted scopes to the project.
    pub created_at: Timestamp,
    /// When the grant last changed.
    pub updated_at: Timestamp,
}
