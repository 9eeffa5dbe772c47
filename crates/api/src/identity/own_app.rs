//! Projects that the caller granted access to (docs/contract.md#own-data).

use std::borrow::Cow;

use crate::openapi::{IntoParams, ToSchema};
use serde::{Deserialize, Serialize};

use crate::administration::project_summary::{ProjectPresentation, ProjectSummary};
use crate::operation::operations;
use crate::response::Success;
use crate::values::{Timestamp, UserId};

operations! {
    ROWS, "account";

    /// Get a connected project
    ///
    /// Returns the project of the token, and the caller as its user.
    GetOwnApp Get "/account/apps/{project_id}", Reads Safe, at(App), 200(data ConnectedApp),
        304("The project and the user have the ETag in `If-None-Match`."), shows(ConnectedApp),
        errors("precondition_failed"), command("app get");

    /// Leave a project
    ///
    /// Disconnects the caller from the project and revokes all of the caller's tokens for it. With `erase=true`, the
    /// caller's items in the project are deleted first.
    LeaveOwnApp Delete "/account/apps/{project_id}", Writes Unsupported, at(App), query(EraseParameter), 200(Success),
        errors("precondition_failed"), command("app leave");
}

/// A project and the caller as its user.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct ConnectedApp {
    /// What identifies the project.
    #[serde(flatten)]
    pub summary: ProjectSummary,
    /// How the project presents itself.
    #[serde(flatten)]
    pub presentation: ProjectPresentation,
    /// ID of the caller as a user of the project. It differs from the account ID.
    pub user_id: UserId,
    /// DID of the caller's account.
    pub user_did: String,
    /// Base URL of the service that stores the caller's data.
    pub pds_url: String,
    /// `connected` or `disconnected`.
    #[schema(example = "connected")]
    pub status: Cow<'static, str>,
    /// Scopes of the token, separated by spaces.
    #[schema(example = "openid profile app:db:read")]
    pub scope: String,
    /// When the caller first connected to the project.
    pub created_at: Timestamp,
    /// When the caller last used the project, with a precision of 15 minutes.
    pub last_seen_at: Timestamp,
}

/// Whether to delete data.
#[derive(Debug, Clone, Default, Serialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct EraseParameter {
    /// Whether to delete the caller's items. Requires the scope `app:db:write`. Default: false.
    pub erase: Option<bool>,
}
