//! The kinds of things that the service knows, as errors and the audit log name them.

use std::fmt;

/// A kind of thing that may be missing or in conflict.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ResourceKind {
    /// An account.
    Account,
    /// A team.
    Team,
    /// A member of a team.
    Member,
    /// An invite.
    Invite,
    /// A project.
    Project,
    /// An API key.
    ApiKey,
    /// A version of a schema.
    Schema,
    /// A user of a project.
    ProjectUser,
    /// A table of a schema.
    Table,
    /// An item.
    Item,
    /// A key of the server's own.
    ServerKey,
    /// A request that waits for a person to sign in.
    AuthorizationRequest,
    /// An authorization code.
    AuthorizationCode,
    /// What a person allowed a project.
    Grant,
    /// The tokens that follow from one sign-in.
    TokenFamily,
    /// A refresh token.
    RefreshToken,
    /// A browser's session.
    Session,
    /// A link in an email.
    EmailLink,
    /// An event of the audit log.
    AuditEvent,
    /// A personal access token.
    PersonalToken,
    /// A claim on an idempotency key.
    IdempotencyClaim,
    /// A webhook.
    Webhook,
    /// An attempt to tell a webhook of an event.
    Delivery,
    /// An image of a project.
    Image,
}

impl ResourceKind {
    /// The name in the audit trail.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Account => "account",
            Self::Team => "team",
            Self::Member => "member",
            Self::Invite => "invite",
            Self::Project => "project",
            Self::ApiKey => "api_key",
            Self::Schema => "schema",
            Self::ProjectUser => "project_user",
            Self::Table => "table",
            Self::Item => "item",
            Self::ServerKey => "server_key",
            Self::AuthorizationRequest => "authorization_request",
            Self::AuthorizationCode => "authorization_code",
            Self::Grant => "grant",
            Self::TokenFamily => "token_family",
            Self::RefreshToken => "refresh_token",
            Self::Session => "session",
            Self::EmailLink => "email_link",
            Self::AuditEvent => "audit_event",
            Self::PersonalToken => "personal_token",
            Self::IdempotencyClaim => "idempotency_claim",
            Self::Webhook => "webhook",
            Self::Delivery => "delivery",
            Self::Image => "image",
        }
    }
}

impl fmt::Display for ResourceKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::ApiKey => "API key",
            Self::Schema => "schema version",
            Self::ProjectUser => "user",
            Self::ServerKey => "server key",
            Self::AuthorizationRequest => "sign-in",
            Self::AuthorizationCode => "code",
            Self::TokenFamily => "sign-in",
            Self::RefreshToken => "refresh token",
            Self::EmailLink => "link",
            other => other.as_str(),
        })
    }
}
