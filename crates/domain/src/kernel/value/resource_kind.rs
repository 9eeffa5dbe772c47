//! Kinds of resources, with their names in error messages and in the audit log.

use std::fmt;

/// Kind of a resource that an error or an audit event refers to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ResourceKind {
    /// An account of a person.
    Account,
    /// A team.
    Team,
    /// A member of a team.
    Member,
    /// An invite to a team.
    Invite,
    /// A project.
    Project,
    /// An API key of a project.
    ApiKey,
    /// An OAuth client that a project registered.
    Client,
    /// A published schema version of a project.
    Schema,
    /// A user of a project.
    ProjectUser,
    /// A table of a schema.
    Table,
    /// An item.
    Item,
    /// A key that the server uses itself: a token signing key or the pepper for API keys.
    ServerKey,
    /// An OAuth authorization request that waits for the user to sign in.
    AuthorizationRequest,
    /// The request of a device that waits for a person to enter its code.
    DeviceAuthorization,
    /// An OAuth authorization code.
    AuthorizationCode,
    /// The scopes that a user has granted to a project.
    Grant,
    /// All tokens that were issued for one sign-in.
    TokenFamily,
    /// An OAuth refresh token.
    RefreshToken,
    /// A browser session.
    Session,
    /// The authenticator app of an account.
    AuthenticatorApp,
    /// A passkey of an account.
    Passkey,
    /// A service at which people sign in.
    IdentityProvider,
    /// The identity of a person at a provider.
    LinkedIdentity,
    /// The recovery codes of an account.
    RecoveryCodes,
    /// A link in an email.
    EmailLink,
    /// An audit event.
    AuditEvent,
    /// A personal access token.
    PersonalToken,
    /// The record of a request that was sent with an `Idempotency-Key`.
    IdempotencyClaim,
    /// A webhook of a team or project.
    Webhook,
    /// An attempt to deliver an event to a webhook.
    Delivery,
    /// An icon or background image of a project.
    Image,
}

impl ResourceKind {
    /// Returns the name used in the audit log.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Account => "account",
            Self::Team => "team",
            Self::Member => "member",
            Self::Invite => "invite",
            Self::Project => "project",
            Self::ApiKey => "api_key",
            Self::Client => "client",
            Self::Schema => "schema",
            Self::ProjectUser => "project_user",
            Self::Table => "table",
            Self::Item => "item",
            Self::ServerKey => "server_key",
            Self::AuthorizationRequest => "authorization_request",
            Self::DeviceAuthorization => "device_authorization",
            Self::AuthorizationCode => "authorization_code",
            Self::Grant => "grant",
            Self::TokenFamily => "token_family",
            Self::RefreshToken => "refresh_token",
            Self::Session => "session",
            Self::AuthenticatorApp => "authenticator_app",
            Self::Passkey => "passkey",
            Self::IdentityProvider => "identity_provider",
            Self::LinkedIdentity => "linked_identity",
            Self::RecoveryCodes => "recovery_codes",
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
            Self::DeviceAuthorization => "sign-in of a device",
            Self::AuthorizationCode => "authorization code",
            Self::TokenFamily => "sign-in",
            Self::RefreshToken => "refresh token",
            Self::AuthenticatorApp => "authenticator app",
            Self::IdentityProvider => "identity provider",
            Self::LinkedIdentity => "linked identity",
            Self::RecoveryCodes => "recovery codes",
            Self::EmailLink => "link",
            Self::AuditEvent => "audit event",
            Self::PersonalToken => "personal access token",
            Self::IdempotencyClaim => "idempotency claim",
            other => other.as_str(),
        })
    }
}
