//! Personal access tokens, and the identity and permissions of the credential of a request.

use std::borrow::Cow;
use steward_api as wire;
use steward_domain::identity::{CreateToken, PersonalToken};
use steward_domain::kernel::error::{Error, FieldViolations};
use steward_domain::kernel::policy::{PermissionSet, RoleSet};
use steward_domain::kernel::{Identity, Issued, Label, ProjectId, TeamId};
use uuid::Uuid;

use crate::extract::body::parse_timestamp;
use crate::route::serve;
use crate::serve::{Call, Outcome, Tag};

serve! {
    GetOwnCredential => whoami;
    ListPersonalTokens => list;
    CreatePersonalToken => create;
    RevokePersonalToken => revoke;
}

fn personal_token(token: PersonalToken) -> wire::PersonalToken {
    wire::PersonalToken {
        id: token.id.uuid().into(),
        label: token.label.to_string(),
        roles: token.roles.to_string(),
        teams: token.teams.iter().map(|id| id.uuid().into()).collect(),
        projects: token.projects.iter().map(|id| id.uuid().into()).collect(),
        created_at: token.created_at.into(),
        expires_at: token.expires_at.into(),
        last_used: token.last_used.map(Into::into),
        hint: token.hint,
    }
}

fn parse_new_personal_token(body: wire::NewPersonalToken, mut errors: FieldViolations) -> Result<CreateToken, Error> {
    let label = errors.check("label", Label::parse(&body.label));
    let roles = errors.check("roles", RoleSet::parse(&body.roles));
    let expires_at = errors.check("expires_at", parse_timestamp(&body.expires_at));
    let teams = errors.check("teams", ids(body.teams, TeamId::parse));
    let projects = errors.check("projects", ids(body.projects, ProjectId::parse));
    let all = label.zip(roles).zip(expires_at).zip(teams.zip(projects));
    errors.finish(all.map(|(((label, roles), expires_at), (teams, projects))| CreateToken {
        label,
        roles,
        teams,
        projects,
        expires_at,
    }))
}

fn ids<T>(texts: Option<Vec<String>>, parse: impl Fn(&str) -> Option<T>) -> Result<Vec<T>, &'static str> {
    let ids = texts.unwrap_or_default().iter().map(|text| parse(text)).collect::<Option<_>>();
    ids.ok_or("must contain only UUIDs")
}

fn current_credential(identity: Identity) -> wire::CurrentCredential {
    let of = |kind: &'static str, id: Uuid| wire::CurrentCredential {
        kind: kind.into(),
        id: id.into(),
        account_id: None,
        label: None,
        team_id: None,
        project_id: None,
        teams: None,
        projects: None,
        permissions: None,
        scope: None,
        expires_at: None,
    };
    match identity {
        Identity::Account(id) => {
            wire::CurrentCredential { account_id: Some(id.uuid().into()), ..of("account", id.uuid()) }
        }
        Identity::Token(token) => wire::CurrentCredential {
            account_id: Some(token.account_id.uuid().into()),
            label: Some(token.label.to_string()),
            teams: Some(token.teams.iter().map(|id| id.uuid().into()).collect()),
            projects: Some(token.projects.iter().map(|id| id.uuid().into()).collect()),
            permissions: Some(names(token.roles.permissions())),
            expires_at: Some(Some(token.expires_at.into())),
            ..of("personal_token", token.id.uuid())
        },
        Identity::Key(bearer) => wire::CurrentCredential {
            label: Some(bearer.key.label.to_string()),
            team_id: Some(bearer.project.project.team_id.uuid().into()),
            project_id: Some(bearer.project.project.id.uuid().into()),
            permissions: Some(names(bearer.key.roles.permissions())),
            expires_at: Some(bearer.key.expires_at.map(Into::into)),
            ..of("key", bearer.key.id.uuid())
        },
        Identity::Client(bearer) => wire::CurrentCredential {
            label: Some(bearer.client.settings.name.to_string()),
            team_id: Some(bearer.project.project.team_id.uuid().into()),
            project_id: Some(bearer.project.project.id.uuid().into()),
            permissions: Some(names(bearer.permissions())),
            ..of("client", bearer.client.id.uuid())
        },
        Identity::User(bearer) => wire::CurrentCredential {
            project_id: Some(bearer.project.project.id.uuid().into()),
            scope: Some(bearer.scopes.to_string()),
            ..of("user", bearer.user.id.uuid())
        },
    }
}

fn names(permissions: PermissionSet) -> Vec<Cow<'static, str>> {
    permissions.iter().map(|permission| permission.as_str().into()).collect()
}

async fn whoami(call: Call<wire::GetOwnCredential>) -> Outcome<wire::GetOwnCredential> {
    call.reply(current_credential(call.caller.identity.clone()))
}

async fn list(call: Call<wire::ListPersonalTokens>) -> Outcome<wire::ListPersonalTokens> {
    call.list(personal_token, async move |steward, caller, page| steward.personal_tokens.list(&caller, &page).await)
        .await
}

async fn create(call: Call<wire::CreatePersonalToken>) -> Outcome<wire::CreatePersonalToken> {
    let command = call.body()?.read(parse_new_personal_token)?;
    let Issued { value, secret } = call.api.steward.personal_tokens.create(&call.caller, command).await?;
    let (revision, token) = (value.revision, personal_token(value));
    call.about(Tag::of(revision, &token), wire::CreatedPersonalToken { value: secret.expose().into(), token })
}

async fn revoke(call: Call<wire::RevokePersonalToken>) -> Outcome<wire::RevokePersonalToken> {
    call.api.steward.personal_tokens.revoke(&call.caller, call.path, call.when()).await?;
    call.done()
}
