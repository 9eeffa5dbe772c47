//! Personal access tokens, and what any credential is and may do.

use std::sync::Arc;

use actix_web::http::Method;
use actix_web::{HttpResponse, web};
use serde::{Deserialize, Serialize};
use steward_domain::error::{Error, FieldViolations};
use steward_domain::model::{Identity, Issued, Label, PersonalToken, ProjectId, TeamId};
use steward_domain::policy::{PermissionSet, RoleSet};
use steward_domain::usecases::{CreateToken, Steward};
use utoipa::ToSchema;

use super::{Address, at};
use crate::Api;
use crate::answer::{self, Data, Listing, Success, moment};
use crate::body::{JsonBody, parse_timestamp};
use crate::error::{ApiError, ErrorBody};
use crate::extract::page::PageParameters;
use crate::extract::{Authenticated, PathIds, Query};
use crate::streamed;

pub(crate) fn mount(routes: &mut Vec<Address>) {
    at("/auth/pat").get(list).on(Method::POST, create).mount(routes);
    at("/auth/pat/{token_id}").on(Method::DELETE, revoke).mount(routes);
}

#[derive(Serialize, ToSchema)]
pub(crate) struct TokenListed {
    id: String,
    label: String,
    roles: String,
    /// The teams it reaches; with neither teams nor projects, all of the person's.
    teams: Vec<String>,
    /// The projects it reaches besides those of its teams.
    projects: Vec<String>,
    #[schema(format = DateTime)]
    created_at: String,
    #[schema(format = DateTime)]
    expires_at: String,
    /// When it was last used, exact to a minute; null before.
    #[schema(format = DateTime)]
    last_used: Option<String>,
    /// Prefix and last characters of the value.
    hint: String,
}

impl From<PersonalToken> for TokenListed {
    fn from(token: PersonalToken) -> Self {
        Self {
            id: token.id.to_string(),
            label: token.label.to_string(),
            roles: token.roles.to_string(),
            teams: token.teams.iter().map(ToString::to_string).collect(),
            projects: token.projects.iter().map(ToString::to_string).collect(),
            created_at: moment(token.created_at),
            expires_at: moment(token.expires_at),
            last_used: token.last_used.map(moment),
            hint: token.hint,
        }
    }
}

#[derive(Serialize, ToSchema)]
pub(crate) struct TokenIssued {
    #[serde(flatten)]
    token: TokenListed,
    /// The secret. It is shown here and never again.
    value: String,
}

impl From<Issued<PersonalToken>> for TokenIssued {
    fn from(issued: Issued<PersonalToken>) -> Self {
        Self { value: issued.secret.expose().to_owned(), token: issued.value.into() }
    }
}

#[derive(Deserialize, ToSchema)]
pub(crate) struct CreateTokenBody {
    label: String,
    /// Comma-separated: role names and permissions. It can do of these what you can.
    roles: String,
    /// Ids of teams, to reach only these and their projects.
    teams: Option<Vec<String>>,
    /// Ids of projects, to reach only these.
    projects: Option<Vec<String>>,
    /// At most 366 days away.
    #[schema(format = DateTime)]
    expires_at: String,
}

impl CreateTokenBody {
    fn parse(self, mut errors: FieldViolations) -> Result<CreateToken, Error> {
        let label = errors.note("label", Label::parse(&self.label));
        let roles = errors.note("roles", RoleSet::parse(&self.roles));
        let expires_at = errors.note("expires_at", parse_timestamp(&self.expires_at));
        let teams = errors.note("teams", ids(self.teams, TeamId::parse));
        let projects = errors.note("projects", ids(self.projects, ProjectId::parse));
        let all = label.zip(roles).zip(expires_at).zip(teams.zip(projects));
        errors.or(all.map(|(((label, roles), expires_at), (teams, projects))| CreateToken {
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
    ids.ok_or("must be a list of ids")
}

/// List your personal access tokens, without their values
#[utoipa::path(get, path = "/auth/pat", operation_id = "listPersonalTokens", tag = "auth", params(PageParameters),
    responses((status = 200, body = inline(Listing<TokenListed>))))]
pub(crate) async fn list(
    api: web::Data<Api>,
    caller: Authenticated,
    named: PathIds,
    query: Query,
) -> Result<HttpResponse, ApiError> {
    let read = async move |steward: Arc<Steward>, caller, page| steward.personal_tokens.list(&caller, &page).await;
    streamed::list(&api, &caller, named.request(), query.page()?, read, TokenListed::from).await
}

/// Make a personal access token
#[utoipa::path(post, path = "/auth/pat", operation_id = "createPersonalToken", tag = "auth",
    request_body = CreateTokenBody, responses((status = 201, body = inline(Data<TokenIssued>))))]
pub(crate) async fn create(
    api: web::Data<Api>,
    caller: Authenticated,
    body: JsonBody,
) -> Result<HttpResponse, ApiError> {
    let command = body.of_entity::<TokenListed>().read(CreateTokenBody::parse)?;
    let issued = api.steward.personal_tokens.create(&caller.0, command).await?;
    Ok(answer::secret_created(&Data { data: TokenIssued::from(issued) }))
}

/// Revoke a personal access token; it stops at once
#[utoipa::path(delete, path = "/auth/pat/{token_id}", operation_id = "revokePersonalToken", tag = "auth",
    params(("token_id" = String, Path)), responses((status = 200, body = Success), (status = 409, body = ErrorBody)))]
pub(crate) async fn revoke(
    api: web::Data<Api>,
    caller: Authenticated,
    named: PathIds,
) -> Result<HttpResponse, ApiError> {
    api.steward.personal_tokens.revoke(&caller.0, named.personal_token()?).await?;
    Ok(answer::ok(&Success { success: true }))
}

/// What a credential is and may do.
#[derive(Serialize, ToSchema)]
pub(crate) struct CredentialBody {
    /// `account`, `personal_token`, `key` or `user`.
    #[serde(rename = "type")]
    kind: &'static str,
    /// The id of the token, key or project user; the account's for a person who is signed in.
    id: String,
    /// The person behind it.
    #[serde(skip_serializing_if = "Option::is_none")]
    account_id: Option<String>,
    /// What people call it.
    #[serde(skip_serializing_if = "Option::is_none")]
    label: Option<String>,
    /// The team of a key.
    #[serde(skip_serializing_if = "Option::is_none")]
    team_id: Option<String>,
    /// The one project that it is for.
    #[serde(skip_serializing_if = "Option::is_none")]
    project_id: Option<String>,
    /// The teams that it is narrowed to.
    #[serde(skip_serializing_if = "Option::is_none")]
    teams: Option<Vec<String>>,
    /// The projects that it is narrowed to.
    #[serde(skip_serializing_if = "Option::is_none")]
    projects: Option<Vec<String>>,
    /// What it may do at most; a person's depends on the team.
    #[serde(skip_serializing_if = "Option::is_none")]
    permissions: Option<Vec<&'static str>>,
    /// What a person's token for a project allows.
    #[serde(skip_serializing_if = "Option::is_none")]
    scope: Option<String>,
    /// Until when it is good; null: forever. Left out where the token itself says it.
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
                expires_at: Some(Some(moment(token.expires_at))),
                ..Self::new("personal_token", token.id.to_string())
            },
            Identity::Key(bearer) => Self {
                label: Some(bearer.key.label.to_string()),
                team_id: Some(bearer.project.project.team_id.to_string()),
                project_id: Some(bearer.project.project.id.to_string()),
                permissions: Some(names(bearer.key.roles.permissions())),
                expires_at: Some(bearer.key.expires_at.map(moment)),
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

/// Tell what the credential of this request is and may do
#[utoipa::path(get, path = "/auth/token", operation_id = "getOwnCredential", tag = "auth",
    responses((status = 200, body = inline(Data<CredentialBody>))))]
pub(crate) async fn whoami(caller: Authenticated) -> HttpResponse {
    answer::ok(&Data { data: CredentialBody::from(caller.0.identity) })
}
