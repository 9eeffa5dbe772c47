//! Users of a project (docs/contract.md#project-users).

use std::borrow::Cow;

use crate::openapi::{IntoParams, ToSchema};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::administration::request_stats::DaysParameter;
use crate::list::PageParameters;
use crate::operation::operations;
use crate::response::Deleted;
use crate::values::{Secret, Timestamp, UserId};

operations! {
    ROWS, "project-users";

    /// List the users of a project
    ///
    /// Returns the users that match the filter, newest first.
    ListUsers Get "/project/{id}/user", Reads Safe, at(Project), query(UserParameters, PageParameters),
        200(list ProjectUser), command("user list");

    /// Get user statistics
    ///
    /// Returns the number of users of a project, and how many of them were active on each day up to today.
    GetUserStats Get "/project/{id}/user/stats", Costly Safe, at(Project), query(DaysParameter), 200(UserStats),
        deviates("docs/contract.md#responses"), command("user stats");

    /// Connect a user
    ///
    /// Connects the person of an access token to a project. A user who left the project is connected again. Requires no
    /// credential besides the token in the body.
    ConnectUser Post "/project/{id}/user/connect", Writes Unsupported, at(Project), body(UserConnection),
        200(ConnectedUser), deviates("docs/contract.md#responses"), command("user join");

    /// Get a user of a project
    ///
    /// Returns a user of the project with the data that the project stores about them.
    GetUser Get "/project/{id}/user/{user_id}", Reads Safe, at(Project, User), 200(data ProjectUser),
        304("The user has the ETag in `If-None-Match`."), shows(ProjectUser), errors("precondition_failed"),
        command("user get");

    /// Delete a user
    ///
    /// Deletes a user with all data that the project stores about them, and revokes their tokens for the project. The deletion
    /// of a user with much data continues in the background: until it is complete, `deletion_started_at` of the user is set,
    /// their data is not found, and they cannot connect.
    DeleteUser Delete "/project/{id}/user/{user_id}", Writes Keyed, at(Project, User), 200(Deleted),
        deviates("docs/contract.md#responses"), errors("precondition_failed"), command("user delete");

    /// Update a user
    ///
    /// Merges changes into the data that the project stores about a user, or blocks or unblocks the user.
    UpdateUser Patch "/project/{id}/user/{user_id}", Writes Keyed, at(Project, User), body(UserChanges),
        200(data ProjectUser), shows(ProjectUser), errors("precondition_failed"), command("user update");
}

/// A user of a project.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct ProjectUser {
    /// Unique ID of the user in the project. It differs from the account ID.
    pub id: UserId,
    /// DID of the user's account.
    pub user_did: String,
    /// Base URL of the service that stores the user's data.
    pub pds_url: String,
    /// `connected`, `disconnected` (the user left the project) or `blocked` (by the project). Data can be written only
    /// for connected users.
    #[schema(example = "connected")]
    pub status: Cow<'static, str>,
    /// Data that the project stores about the user.
    #[schema(value_type = Object, example = json!({"plan": "pro"}))]
    pub meta: Map<String, Value>,
    /// Name and username of the account, if they are set.
    #[schema(value_type = Object, example = json!({"name": "Ann", "username": "ann"}))]
    pub profile: Map<String, Value>,
    /// Current email address of the account. Null unless the user granted the scope `email` to the project: request it
    /// when users sign in. Null again when the user revokes the grant.
    #[schema(format = Email)]
    pub email: Option<String>,
    /// When the user last used the project, with a precision of 15 minutes.
    pub last_seen_at: Timestamp,
    /// When the user first connected to the project.
    pub created_at: Timestamp,
    /// When the deletion of the user started; null if it has not. It continues in the background. Until it is complete,
    /// the user is blocked, and their items and exports are not found.
    pub deletion_started_at: Option<Timestamp>,
}

/// Changes to a user of a project. At least one field is required.
#[derive(Debug, Clone, Default, Serialize, Deserialize, ToSchema)]
pub struct UserChanges {
    /// Merged into the stored data about the user (RFC 7396): null removes a member. At most 64 KiB as JSON.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>, example = json!({"plan": "pro"}))]
    pub meta: Option<Map<String, Value>>,
    /// `blocked` blocks the user; `connected` unblocks them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<String>,
}

/// A filter for listing the users of a project.
#[derive(Debug, Clone, Default, Serialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct UserParameters {
    /// Only users with this status: `connected`, `disconnected` or `blocked`.
    #[param(example = "connected")]
    pub status: Option<String>,
    /// Only users whose name, username or DID contains this text, or who granted this email address, ignoring case.
    #[param(example = "ann")]
    pub q: Option<String>,
}

/// Statistics of a project's users. Days are in UTC.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct UserStats {
    /// Number of users of the project.
    #[schema(example = 1280)]
    pub total: u64,
    /// Number of users who were active today.
    #[schema(example = 42)]
    pub dau: u64,
    /// Number of users who were active in the last 7 days, including today.
    #[schema(example = 210)]
    pub wau: u64,
    /// Number of users who were active in the last 30 days, including today.
    #[schema(example = 640)]
    pub mau: u64,
    /// Activity of each requested day, oldest first.
    pub series: Vec<ActiveUsers>,
}

/// Activity of one day.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct ActiveUsers {
    /// Day in UTC.
    #[schema(format = Date)]
    pub date: String,
    /// Number of users who were active on this day.
    #[schema(example = 42)]
    pub active_users: u64,
}

/// The access token of the person to connect.
#[derive(Debug, Clone, Default, Serialize, Deserialize, ToSchema)]
pub struct UserConnection {
    /// Access token (JWT) of the person, for this project or for this service.
    #[schema(value_type = String, example = "eyJhbGciOiJFUzI1NiJ9.e30.c2lnbmF0dXJl")]
    pub token: Secret,
}

/// A user who is connected to a project.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct ConnectedUser {
    /// Always `true`.
    pub ok: bool,
    /// DID of the user's account.
    pub user_did: String,
    /// Base URL of the service that stores the user's data.
    pub pds_url: String,
}
