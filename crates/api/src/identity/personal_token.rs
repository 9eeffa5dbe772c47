//! Personal access tokens, and the identity and permissions of a credential.

use std::borrow::Cow;

use crate::openapi::ToSchema;
use serde::{Deserialize, Serialize};

use crate::list::PageParameters;
use crate::operation::operations;
use crate::response::Success;
use crate::values::{AccountId, AnyId, PersonalTokenId, ProjectId, Secret, TeamId, Timestamp};

operations! {
    ROWS, "auth";

    /// List personal access tokens
    ///
    /// Returns the caller's tokens, newest first, without their values.
    ListPersonalTokens Get "/auth/pat", Reads Safe, query(PageParameters), 200(list PersonalToken),
        command("token list");

    /// Create a personal access token
    ///
    /// The response contains the value of the token, which is not shown again. A personal access token cannot create
    /// another one.
    CreatePersonalToken Post "/auth/pat", Writes Keyed Secret, body(NewPersonalToken), 201(data CreatedPersonalToken),
        shows(PersonalToken), command("token create");

    /// Revoke a personal access token
    ///
    /// The token stops working immediately.
    RevokePersonalToken Delete "/auth/pat/{token_id}", Writes Keyed, at(PersonalToken), 200(Success),
        errors("precondition_failed"), command("token revoke");

    /// Get the current credential
    ///
    /// Returns the identity and permissions of the credential that authenticates this request.
    GetOwnCredential Get "/auth/token", Reads Safe Unchanging, 200(data CurrentCredential), command("whoami");
}

/// A personal access token, without its value.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct PersonalToken {
    /// Unique ID of the token.
    pub id: PersonalTokenId,
    /// Display name of the token.
    pub label: String,
    /// Comma-separated role names and permissions. They apply only if the person has them too.
    pub roles: String,
    /// IDs of the teams that the token can access. If `teams` and `projects` are both empty, the token can access all
    /// teams and projects of the person.
    #[schema(example = json!(["018f2a3b-5c90-7a41-8f27-1e0d4b6a9c53"]))]
    pub teams: Vec<TeamId>,
    /// IDs of the projects that the token can access in addition to those of `teams`.
    #[schema(example = json!(["018f2a3c-7d1e-7cc4-9b3a-2f6d1c0e8a55"]))]
    pub projects: Vec<ProjectId>,
    /// When the token was created.
    pub created_at: Timestamp,
    /// When the token expires.
    pub expires_at: Timestamp,
    /// When the token was last used, with a precision of one minute; null if it was never used.
    pub last_used: Option<Timestamp>,
    /// Prefix and last 4 characters of the value.
    #[schema(example = "stw_pat_...0000")]
    pub hint: String,
}

/// A new personal access token, with its value.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct CreatedPersonalToken {
    /// The token.
    #[serde(flatten)]
    pub token: PersonalToken,
    /// Secret value of the token, which is sent as a bearer token. It is not shown again.
    #[schema(value_type = String, example = "stw_pat_ExampleExampleExampleExampleExampleExampleE000000")]
    pub value: Secret,
}

/// Values of a new personal access token.
#[derive(Debug, Clone, Default, Serialize, Deserialize, ToSchema)]
pub struct NewPersonalToken {
    /// Display name of the token: 1 to 100 characters.
    pub label: String,
    /// Comma-separated role names (`owner`, `admin`, `developer`, `viewer`) and permissions (such as `key:read`). The
    /// token has them only if you have them too.
    pub roles: String,
    /// IDs of up to 100 teams. The token can access only these teams and their projects, and `projects`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = json!(["018f2a3b-5c90-7a41-8f27-1e0d4b6a9c53"]))]
    pub teams: Option<Vec<String>>,
    /// IDs of up to 100 projects. The token can access only these projects, and `teams`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = json!(["018f2a3c-7d1e-7cc4-9b3a-2f6d1c0e8a55"]))]
    pub projects: Option<Vec<String>>,
    /// When the token expires: in the future and at most 366 days from now.
    #[schema(format = DateTime, example = "2027-01-31T12:00:00.000Z")]
    pub expires_at: String,
}

/// Identity and permissions of a credential.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[schema(example = json!({
    "type": "key",
    "id": "018f2a3d-0b6f-7d93-a1c8-5e7f2d4b8061",
    "label": "Server",
    "team_id": "018f2a3b-5c90-7a41-8f27-1e0d4b6a9c53",
    "project_id": "018f2a3c-7d1e-7cc4-9b3a-2f6d1c0e8a55",
    "permissions": ["user:read", "db:read", "db:write"],
    "expires_at": null,
}))]
pub struct CurrentCredential {
    /// `account` (first-party access token), `personal_token`, `key` (API key), `client` (token of an OAuth client that acts
    /// on its own behalf) or `user` (access token of a person for a project).
    #[serde(rename = "type")]
    pub kind: Cow<'static, str>,
    /// ID of the account, personal access token, API key, client or project user, depending on `type`.
    pub id: AnyId,
    /// Account ID of the person. Only for `account` and `personal_token`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub account_id: Option<AccountId>,
    /// Display name of the credential. Only for `personal_token`, `key` and `client`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// ID of the team that owns the project. Only for `key` and `client`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub team_id: Option<TeamId>,
    /// ID of the only project that the credential can access. Only for `key`, `client` and `user`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub project_id: Option<ProjectId>,
    /// IDs of the teams that the token is limited to. If `teams` and `projects` are both empty, it is not limited. Only
    /// for `personal_token`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub teams: Option<Vec<TeamId>>,
    /// IDs of the projects that the token is limited to, in addition to those of `teams`. Only for `personal_token`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub projects: Option<Vec<ProjectId>>,
    /// Permissions of the credential. Those of a `personal_token` apply only if the person has them in the team.
    /// Only for `personal_token`, `key` and `client`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub permissions: Option<Vec<Cow<'static, str>>>,
    /// Scopes of the token, separated by spaces. Only for `user`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scope: Option<String>,
    /// When the credential expires; null if it never expires. Only for `personal_token` and `key`: an access token
    /// (JWT) contains its own expiry.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<Option<Timestamp>>,
}
