//! Personal access tokens, and the identity and permissions of the credential of a request.

use std::sync::Arc;

use actix_web::{HttpResponse, web};
use serde::{Deserialize, Serialize};
use steward_domain::error::{Error, FieldViolations};
use steward_domain::model::{Identity, Issued, Label, PersonalToken, ProjectId, TeamId};
use steward_domain::policy::{PermissionSet, RoleSet};
use steward_domain::usecases::{CreateToken, Steward};
use utoipa::ToSchema;

use crate::Api;
use crate::error::ApiError;
use crate::extract::body::{JsonBody, parse_timestamp};
use crate::extract::page::PageParameters;
use crate::extract::precondition::{self, ResourceTag};
use crate::extract::{Authenticated, PathIds, Query};
use crate::response::{self, Data, Listing, Success, format_timestamp};
use crate::route::{ApiRoute, operations};
use crate::streamed;

pub(crate) fn routes() -> Vec<ApiRoute> {
    operations! {
        CredentialGet => whoami;
        PersonalTokenList => list;
        PersonalTokenCreate => create;
        PersonalTokenRevoke => revoke [PreconditionFailed];
    }
}

/// A personal access token, without its value.
#[derive(Serialize, ToSchema)]
pub(crate) struct PersonalTokenBody {
    /// Unique ID of the token.
    id: String,
    /// Display name of the token.
    label: String,
    /// Comma-separated role names and permissions. They apply only if the person has them too.
    #[schema(example = "developer")]
    roles: String,
    /// IDs of the teams that the token can access. If `teams` and `projects` are both empty, the token can access all
    /// teams and projects of the person.
    #[schema(example = json!(["018f2a3b-5c90-7a41-8f27-1e0d4b6a9c53"]))]
    teams: Vec<String>,
    /// IDs of the projects that the token can access in addition to those of `teams`.
    #[schema(example = json!(["018f2a3c-7d1e-7cc4-9b3a-2f6d1c0e8a55"]))]
    projects: Vec<String>,
    /// When the token was created.
    #[schema(format = DateTime)]
    created_at: String,
    /// When the token expires.
    #[schema(format = DateTime, example = "2027-01-31T12:00:00.000Z")]
    expires_at: String,
    /// When the token was last used, with a precision of one minute; null if it was never used.
    #[schema(format = DateTime)]
    last_used: Option<String>,
    /// Prefix and last 4 characters of the value.
    #[schema(example = "stw_pat_...0000")]
    hint: String,
}

impl From<PersonalToken> for PersonalTokenBody {
    fn from(token: PersonalToken) -> Self {
        Self {
            id: token.id.to_string(),
            label: token.label.to_string(),
            roles: token.roles.to_string(),
            teams: token.teams.iter().map(ToString::to_string).collect(),
            projects: token.projects.iter().map(ToString::to_string).collect(),
            created_at: format_timestamp(token.created_at),
            expires_at: format_timestamp(token.expires_at),
            last_used: token.last_used.map(format_timestamp),
            hint: token.hint,
        }
    }
}

/// A new personal access token, with its value.
#[derive(Serialize, ToSchema)]
pub(crate) struct PersonalTokenCreated {
    #[serde(flatten)]
    token: PersonalTokenBody,
    /// Secret value of the token, which is sent as a bearer token. It is not shown again.
    #[schema(example = "stw_pat_ExampleExampleExampleExampleExampleExampleE000000")]
    value: String,
}

impl From<Issued<PersonalToken>> for PersonalTokenCreated {
    fn from(issued: Issued<PersonalToken>) -> Self {
        Self { value: issued.secret.expose().to_owned(), token: issued.value.into() }
    }
}

/// Values of a new personal access token.
#[derive(Deserialize, ToSchema)]
pub(crate) struct NewToken {
    /// Display name of the token: 1 to 100 characters.
    label: String,
    /// Comma-separated role names (`owner`, `admin`, `developer`, `viewer`) and permissions (such as `key:read`). The
    /// token has them only if you have them too.
    #[schema(example = "developer")]
    roles: String,
    /// IDs of up to 100 teams. The token can access only these teams and their projects, and `projects`.
    #[schema(example = json!(["018f2a3b-5c90-7a41-8f27-1e0d4b6a9c53"]))]
    teams: Option<Vec<String>>,
    /// IDs of up to 100 projects. The token can access only these projects, and `teams`.
    #[schema(example = json!(["018f2a3c-7d1e-7cc4-9b3a-2f6d1c0e8a55"]))]
    projects: Option<Vec<String>>,
    /// When the token expires: in the future and at most 366 days from now.
    #[schema(format = DateTime, example = "2027-01-31T12:00:00.000Z")]
    expires_at: String,
}

impl NewToken {
    fn parse(self, mut errors: FieldViolations) -> Result<CreateToken, Error> {
        let label = errors.check("label", Label::parse(&self.label));
        let roles = errors.check("roles", RoleSet::parse(&self.roles));
        let expires_at = errors.check("expires_at", parse_timestamp(&self.expires_at));
        let teams = errors.check("teams", ids(self.teams, TeamId::parse));
        let projects = errors.check("projects", ids(self.projects, ProjectId::parse));
        let all = label.zip(roles).zip(expires_at).zip(teams.zip(projects));
        errors.finish(all.map(|(((label, roles), expires_at), (teams, projects))| CreateToken {
            label,
            roles,
            teams,
            projects,
            expires_at,
        }))
    }
}

fn ids<T>(texts: Option<Vec<String>>, parse: impl Fn(&str) -> Option<T>) -> Result<Vec<T>, &'static str> {
    let ids = texts.unwrap_or_default().iter().map(|text| parse(text)).collect::<Option<_>>();
    ids.ok_or("must contain only UUIDs")
}

/// List personal access tokens
///
/// Returns the caller's tokens, newest first, without their values.
#[utoipa::path(get, path = "/auth/pat", tag = "auth", params(PageParameters),
    responses((status = 200, body = inline(Listing<PersonalTokenBody>))))]
pub(crate) async fn list(
    api: web::Data<Api>,
    caller: Authenticated,
    path: PathIds,
    query: Query,
) -> Result<HttpResponse, ApiError> {
    let read = async move |steward: Arc<Steward>, caller, page| steward.personal_tokens.list(&caller, &page).await;
    streamed::list(&api, &caller, path.request(), query.page()?, read, PersonalTokenBody::from).await
}

/// Create a personal access token
///
/// The response contains the value of the token, which is not shown again. A personal access token cannot create
/// another one.
#[utoipa::path(post, path = "/auth/pat", tag = "auth", request_body = NewToken,
    responses((status = 201, body = inline(Data<PersonalTokenCreated>))))]
pub(crate) async fn create(
    api: web::Data<Api>,
    caller: Authenticated,
    body: JsonBody,
) -> Result<HttpResponse, ApiError> {
    let command = body.ignoring_fields_of::<PersonalTokenBody>().read(NewToken::parse)?;
    let issued = api.steward.personal_tokens.create(&caller.0, command).await?;
    let tag = ResourceTag::of(issued.value.revision, &PersonalTokenBody::from(issued.value.clone()));
    Ok(response::tagged(tag, response::secret_created(&Data { data: PersonalTokenCreated::from(issued) })))
}

/// Revoke a personal access token
///
/// The token stops working immediately.
#[utoipa::path(delete, path = "/auth/pat/{token_id}", tag = "auth", responses((status = 200, body = Success)))]
pub(crate) async fn revoke(
    api: web::Data<Api>,
    caller: Authenticated,
    path: PathIds,
) -> Result<HttpResponse, ApiError> {
    let (token, when) = (path.personal_token()?, precondition::for_write(path.request())?);
    api.steward.personal_tokens.revoke(&caller.0, token, &when).await?;
    Ok(response::ok(&Success { success: true }))
}

/// Identity and permissions of a credential.
#[derive(Serialize, ToSchema)]
#[schema(example = json!({
    "type": "key",
    "id": "018f2a3d-0b6f-7d93-a1c8-5e7f2d4b8061",
    "label": "Server",
    "team_id": "018f2a3b-5c90-7a41-8f27-1e0d4b6a9c53",
    "project_id": "018f2a3c-7d1e-7cc4-9b3a-2f6d1c0e8a55",
    "permissions": ["user:read", "db:read", "db:write"],
    "expires_at": null,
}))]
pub(crate) struct CredentialBody {
    /// `account` (first-party access token), `personal_token`, `key` (API key) or `user` (access token of a person for
    /// a project).
    #[serde(rename = "type")]
    kind: &'static str,
    /// ID of the account, personal access token, API key or project user, depending on `type`.
    id: String,
    /// Account ID of the person. Only for `account` and `personal_token`.
    #[serde(skip_serializing_if = "Option::is_none")]
    account_id: Option<String>,
    /// Display name of the credential. Only for `personal_token` and `key`.
    #[serde(skip_serializing_if = "Option::is_none")]
    label: Option<String>,
    /// ID of the team that owns the project. Only for `key`.
    #[serde(skip_serializing_if = "Option::is_none")]
    team_id: Option<String>,
    /// ID of the only project that the credential can access. Only for `key` and `user`.
    #[serde(skip_serializing_if = "Option::is_none")]
    project_id: Option<String>,
    /// IDs of the teams that the token is limited to. If `teams` and `projects` are both empty, it is not limited. Only
    /// for `personal_token`.
    #[serde(skip_serializing_if = "Option::is_none")]
    teams: Option<Vec<String>>,
    /// IDs of the projects that the token is limited to, in addition to those of `teams`. Only for `personal_token`.
    #[serde(skip_serializing_if = "Option::is_none")]
    projects: Option<Vec<String>>,
    /// Permissions of the credential. Those of a `personal_token` apply only if the person has them in the team.
    /// Only for `personal_token` and `key`.
    #[serde(skip_serializing_if = "Option::is_none")]
    permissions: Option<Vec<&'static str>>,
    /// Scopes of the token, separated by spaces. Only for `user`.
    #[serde(skip_serializing_if = "Option::is_none")]
    scope: Option<String>,
    /// When the credential expires; null if it never expires. Only for `personal_token` and `key`: an access token
    /// (JWT) contains its own expiry.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(format = DateTime)]
    expires_at: Option<Option<String>>,
}

impl CredentialBody {
    fn new(kind: &'static str, id: String) -> Self {
        Self {
            kind,
            id,
            account_id: None,
            label: None,
            team_id: None,
            project_id: None,
            teams: None,
            projects: None,
            permissions: None,
            scope: None,
            expires_at: None,
        }
    }
}

impl From<Identity> for CredentialBody {
    fn from(identity: Identity) -> Self {
        match identity {
            Identity::Account(id) => Self { account_id: Some(id.to_string()), ..Self::new("account", id.to_string()) },
            Identity::Token(token) => Self {
                account_id: Some(token.account_id.to_string()),
                label: Some(token.label.to_string()),
                teams: Some(token.teams.iter().map(ToString::to_string).collect()),
                projects: Some(token.projects.iter().map(ToString::to_string).collect()),
                permissions: Some(names(token.roles.permissions())),
                expires_at: Some(Some(format_timestamp(token.expires_at))),
                ..Self::new("personal_token", token.id.to_string())
            },
            Identity::Key(bearer) => Self {
                label: Some(bearer.key.label.to_string()),
                team_id: Some(bearer.project.project.team_id.to_string()),
                project_id: Some(bearer.project.project.id.to_string()),
                permissions: Some(names(bearer.key.roles.permissions())),
                expires_at: Some(bearer.key.expires_at.map(format_timestamp)),
                ..Self::new("key", bearer.key.id.to_string())
            },
            Identity::User(bearer) => Self {
                project_id: Some(bearer.project.project.id.to_string()),
                scope: Some(bearer.scopes.to_string()),
                ..Self::new("user", bearer.user.id.to_string())
            },
        }
    }
}

fn names(permissions: PermissionSet) -> Vec<&'static str> {
    permissions.iter().map(|permission| permission.as_str()).collect()
}

/// Get the current credential
///
/// Returns the identity and permissions of the credential that authenticates this request.
#[utoipa::path(get, path = "/auth/token", tag = "auth",
    responses((status = 200, body = inline(Data<CredentialBody>))))]
pub(crate) async fn whoami(caller: Authenticated) -> HttpResponse {
    response::ok(&Data { data: CredentialBody::from(caller.0.identity) })
}
