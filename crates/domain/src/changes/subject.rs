//! Entities that are written as a whole, and their representation in the audit log.

use serde_json::{Value, json};

use crate::error::ResourceKind;
use crate::model::schema::SchemaVersion;
use crate::model::{
    Account, ApiKey, AuditScope, AuthorizationCode, AuthorizationRequest, EmailLink, Grant, Invite, Member,
    PersonalToken, Project, ProjectId, ProjectUser, RefreshToken, ServerKey, ServerKeyPurpose, Session, Team, TeamId,
    TokenFamily, Webhook,
};

/// An entity that is written as a whole.
#[derive(Debug, Clone, PartialEq)]
#[expect(missing_docs, reason = "each variant holds the entity it is named after")]
pub enum Subject {
    Account(Account),
    Team(Team),
    Member(Member),
    Invite(Invite),
    Project(Project),
    ApiKey(ApiKey),
    Schema(SchemaVersion),
    ProjectUser(ProjectUser),
    ServerKey(ServerKey),
    AuthorizationRequest(AuthorizationRequest),
    AuthorizationCode(AuthorizationCode),
    Grant(Grant),
    TokenFamily(TokenFamily),
    RefreshToken(RefreshToken),
    Session(Session),
    EmailLink(EmailLink),
    PersonalToken(PersonalToken),
    Webhook(Webhook),
}

macro_rules! subjects {
    ($($variant:ident($entity:ty))+) => {$(
        impl From<$entity> for Subject {
            fn from(entity: $entity) -> Self {
                Self::$variant(entity)
            }
        }
    )+};
}

subjects! {
    Account(Account) Team(Team) Member(Member) Invite(Invite) Project(Project) ApiKey(ApiKey) Schema(SchemaVersion)
    ProjectUser(ProjectUser) ServerKey(ServerKey) AuthorizationRequest(AuthorizationRequest)
    AuthorizationCode(AuthorizationCode) Grant(Grant) TokenFamily(TokenFamily) RefreshToken(RefreshToken)
    Session(Session) EmailLink(EmailLink) PersonalToken(PersonalToken) Webhook(Webhook)
}

impl Subject {
    /// Returns the team and the project that own the entity, as far as it names them. Entities that belong to an account
    /// or to the service have none.
    pub(super) fn owner(&self) -> (Option<TeamId>, Option<ProjectId>) {
        match self {
            Self::Team(team) => (Some(team.id), None),
            Self::Member(member) => (Some(member.team_id), None),
            Self::Invite(invite) => (Some(invite.team_id), None),
            Self::Project(project) => (Some(project.team_id), Some(project.id)),
            Self::ApiKey(key) => (None, Some(key.project_id)),
            Self::Schema(version) => (None, Some(version.project_id)),
            Self::ProjectUser(user) => (None, Some(user.project_id)),
            Self::Grant(grant) => (None, Some(grant.project_id)),
            Self::Webhook(webhook) => match webhook.scope {
                AuditScope::Team(team) => (Some(team), None),
                AuditScope::Project(team, project) => (Some(team), Some(project)),
            },
            Self::Account(_)
            | Self::ServerKey(_)
            | Self::AuthorizationRequest(_)
            | Self::AuthorizationCode(_)
            | Self::TokenFamily(_)
            | Self::RefreshToken(_)
            | Self::Session(_)
            | Self::EmailLink(_)
            | Self::PersonalToken(_) => (None, None),
        }
    }

    /// Returns the resource kind of the entity.
    pub fn kind(&self) -> ResourceKind {
        match self {
            Self::Account(_) => ResourceKind::Account,
            Self::Team(_) => ResourceKind::Team,
            Self::Member(_) => ResourceKind::Member,
            Self::Invite(_) => ResourceKind::Invite,
            Self::Project(_) => ResourceKind::Project,
            Self::ApiKey(_) => ResourceKind::ApiKey,
            Self::Schema(_) => ResourceKind::Schema,
            Self::ProjectUser(_) => ResourceKind::ProjectUser,
            Self::ServerKey(_) => ResourceKind::ServerKey,
            Self::AuthorizationRequest(_) => ResourceKind::AuthorizationRequest,
            Self::AuthorizationCode(_) => ResourceKind::AuthorizationCode,
            Self::Grant(_) => ResourceKind::Grant,
            Self::TokenFamily(_) => ResourceKind::TokenFamily,
            Self::RefreshToken(_) => ResourceKind::RefreshToken,
            Self::Session(_) => ResourceKind::Session,
            Self::EmailLink(_) => ResourceKind::EmailLink,
            Self::PersonalToken(_) => ResourceKind::PersonalToken,
            Self::Webhook(_) => ResourceKind::Webhook,
        }
    }

    /// Returns the ID under which the audit log records the entity.
    pub(super) fn id(&self) -> String {
        match self {
            Self::Account(account) => account.id.to_string(),
            Self::Team(team) => team.id.to_string(),
            Self::Member(member) => member.account_id.to_string(),
            Self::Invite(invite) => invite.id.to_string(),
            Self::Project(project) => project.id.to_string(),
            Self::ApiKey(key) => key.id.to_string(),
            Self::Schema(schema) => schema.id.to_string(),
            Self::ProjectUser(user) => user.id.to_string(),
            Self::ServerKey(key) => key.id.to_string(),
            Self::AuthorizationRequest(request) => request.id.to_string(),
            Self::AuthorizationCode(code) => code.family_id.to_string(),
            Self::Grant(grant) => grant.id.to_string(),
            Self::TokenFamily(family) => family.id.to_string(),
            Self::RefreshToken(token) => token.id.to_string(),
            Self::Session(session) => session.id.to_string(),
            Self::EmailLink(link) => link.id.to_string(),
            Self::PersonalToken(token) => token.id.to_string(),
            Self::Webhook(webhook) => webhook.id.to_string(),
        }
    }

    /// Returns whether the audit log records changes of the entity. Short-lived steps of a protocol are not recorded,
    /// because their results are.
    pub(super) fn is_recorded(&self) -> bool {
        !matches!(
            self,
            Self::AuthorizationRequest(_) | Self::AuthorizationCode(_) | Self::RefreshToken(_) | Self::EmailLink(_)
        )
    }

    /// Returns the representation in the audit log, without secrets, digests and personal data of project users.
    pub(super) fn shown(&self) -> Value {
        match self {
            Self::Account(account) => json!({
                "email": account.email.as_str(), "email_verified": account.email_verified,
                "username": account.username.as_ref().map(|name| name.as_str()),
                "name": account.name.as_ref().map(|name| name.as_str()),
                "password_set_at": account.password_set_at.to_rfc3339(),
                "disabled_at": account.disabled_at.map(|at| at.to_rfc3339()),
            }),
            Self::Team(team) => json!({
                "name": team.name.as_str(), "slug": team.slug.as_str(), "owner_id": team.owner.to_string(),
            }),
            Self::Member(member) => {
                json!({"roles": member.roles.to_string(), "role_name": member.role_name.as_str()})
            }
            Self::Invite(invite) => json!({
                "recipient": invite.recipient.to_string(), "roles": invite.roles.to_string(),
                "role_name": invite.role_name.as_str(), "expires_at": invite.expires_at.to_rfc3339(),
                "state": invite.state.as_str(),
            }),
            Self::Project(project) => json!({
                "name": project.name.as_str(), "slug": project.slug.as_str(), "website": project.website.as_ref().map(|website| website.as_str()),
                "team_id": project.team_id.to_string(), "sign_in": project.sign_in.to_value(),
                "icon": project.images.icon.as_ref().map(|image| image.id.to_string()),
                "background": project.images.background.as_ref().map(|image| image.id.to_string()),
            }),
            Self::ApiKey(key) => json!({
                "label": key.label.as_str(), "roles": key.roles.to_string(), "is_private": key.is_private,
                "hint": key.hint, "expires_at": key.expires_at.map(|at| at.to_rfc3339()),
            }),
            Self::Schema(schema) => json!({"version": schema.number}),
            // Audit events outlive the user, so they must not identify the account.
            Self::ProjectUser(user) => json!({"status": user.status.as_str()}),
            Self::ServerKey(key) => json!({
                "purpose": match key.purpose {
                    ServerKeyPurpose::TokenSigning(algorithm) => algorithm.as_str(),
                    ServerKeyPurpose::UnknownTokenSigning => "unknown",
                    ServerKeyPurpose::KeyPepper => "key_pepper",
                },
                "generation": key.generation, "use_from": key.use_from.to_rfc3339(),
            }),
            Self::Grant(grant) => json!({"scope": grant.scopes.to_string()}),
            Self::TokenFamily(family) => json!({
                "account_id": family.account_id.to_string(), "client_id": family.client.as_str(),
                "scope": family.scopes.to_string(), "revoked_at": family.revoked_at.map(|at| at.to_rfc3339()),
            }),
            Self::Session(session) => json!({
                "account_id": session.account_id.to_string(), "expires_at": session.expires_at.to_rfc3339(),
            }),
            Self::Webhook(webhook) => json!({
                "url": webhook.url.as_str(), "events": webhook.events.texts(),
                "status": if webhook.pause.is_some() { "paused" } else { "active" },
            }),
            Self::PersonalToken(token) => json!({
                "label": token.label.as_str(), "roles": token.roles.to_string(), "hint": token.hint,
                "expires_at": token.expires_at.to_rfc3339(),
            }),
            Self::AuthorizationRequest(_) | Self::AuthorizationCode(_) | Self::RefreshToken(_) | Self::EmailLink(_) => {
                Value::Null
            }
        }
    }
}
