//! Sign-ins of the users of a project.

use crate::openapi::ToSchema;
use serde::{Deserialize, Serialize};

use crate::operation::operations;
use crate::response::Success;
use crate::values::Timestamp;

operations! {
    ROWS, "project-users";

    /// List a user's sessions
    ///
    /// Returns the active sign-ins of a user to the project, newest first: at most 1,000. A sign-in is active until it is
    /// revoked or its refresh token expires.
    ListUserSessions Get "/project/{id}/user/{user_id}/session", Reads Safe, at(Project, User), 200(data [UserSession]),
        deviates("a user has few sessions in a project, so the list has no pages"), command("user sessions");

    /// Sign out a user
    ///
    /// Ends all sign-ins of a user to the project. Their refresh tokens are revoked, and this service no longer accepts
    /// their access tokens. A service that only verifies the signature of an access token accepts it until it expires. The
    /// person stays signed in to this service and to other projects, and can sign in to the project again: block the user
    /// to prevent that.
    SignOutUser Delete "/project/{id}/user/{user_id}/session", Writes Keyed, at(Project, User), 200(Success),
        errors("precondition_failed"), command("user sign-out");
}

/// A sign-in of a user to a project.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct UserSession {
    /// Unique ID of the sign-in. `GET /auth/session` returns it as `session_id`.
    #[schema(example = "018f2a41-03d7-7a5e-8c19-5b2e6f7d8a90")]
    pub id: String,
    /// Scopes of the tokens.
    #[schema(example = json!(["openid", "profile", "app:db:read"]))]
    pub scopes: Vec<String>,
    /// When the person entered their password. A browser that is already signed in does not ask for it again.
    pub signed_in_at: Timestamp,
    /// When the project received its tokens.
    pub created_at: Timestamp,
}
