//! Kinds of resources, with their names in error messages and in the audit log.

use std::fmt;

use crate::kernel::named;

named! {
    /// Kind of a resource that an error or an audit event refers to.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum ResourceKind: "the name used in the audit log" {
        /// An account of a person.
        Account = "account",
        /// A team.
        Team = "team",
        /// A member of a team.
        Member = "member",
        /// An invite to a team.
        Invite = "invite",
        /// A project.
        Project = "project",
        /// An API key of a project.
        ApiKey = "api_key",
        /// An OAuth client that a project registered.
        Client = "client",
        /// A published schema version of a project.
        Schema = "schema",
        /// A user of a project.
        ProjectUser = "project_user",
        /// A table of a schema.
        Table = "table",
        /// An item.
        Item = "item",
        /// A key that the server uses itself: a token signing key or the pepper for API keys.
        ServerKey = "server_key",
        /// An OAuth authorization request that waits for the user to sign in.
        AuthorizationRequest = "authorization_request",
        /// The request of a device that waits for a person to enter its code.
        DeviceAuthorization = "device_authorization",
        /// An OAuth authorization code.
        AuthorizationCode = "authorization_code",
        /// The scopes that a user has granted to a project.
        Grant = "grant",
        /// All tokens that were issued for one sign-in.
        TokenFamily = "token_family",
        /// An OAuth refresh token.
        RefreshToken = "refresh_token",
        /// A browser session.
        Session = "session",
        /// The authenticator app of an account.
        AuthenticatorApp = "authenticator_app",
        /// A passkey of an account.
        Passkey = "passkey",
        /// A service at which people sign in.
        IdentityProvider = "identity_provider",
        /// The identity of a person at a provider.
        LinkedIdentity = "linked_identity",
        /// The recovery codes of an account.
        RecoveryCodes = "recovery_codes",
        /// A link in an email.
        EmailLink = "email_link",
        /// An audit event.
        AuditEvent = "audit_event",
        /// A personal access token.
        PersonalToken = "personal_token",
        /// The record of a request that was sent with an `Idempotency-Key`.
        IdempotencyClaim = "idempotency_claim",
        /// A webhook of a team or project.
        Webhook = "webhook",
        /// An attempt to deliver an event to a webhook.
        Delivery = "delivery",
        /// An icon or background image of a project.
        Image = "image",
    }
}

impl fmt::Display for ResourceKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = self.as_str().replace('_', " ");
        f.write_str(match self {
            Self::ApiKey => "API key",
            Self::Schema => "schema version",
            Self::ProjectUser => "user",
            Self::AuthorizationRequest | Self::TokenFamily => "sign-in",
            Self::DeviceAuthorization => "sign-in of a device",
            Self::EmailLink => "link",
            Self::PersonalToken => "personal access token",
            _ => &name,
        })
    }
}
