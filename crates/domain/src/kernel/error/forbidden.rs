//! Why an authenticated caller is refused.

use crate::identity::Scope;
use crate::kernel::policy::Permission;

use super::ErrorCode;

/// Why an authenticated caller is not allowed to do something.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Forbidden {
    /// The caller does not have the permission.
    #[error(
        "This operation requires the permission `{0}`. Ask an owner of the team for it, or use a key or token that has it."
    )]
    MissingPermission(Permission),
    /// The operation does not accept API keys.
    #[error("This operation does not accept API keys. Use an access token.")]
    ApiKeyNotAccepted,
    /// The operation does not accept the token of a client that acts on its own behalf.
    #[error("This operation does not accept tokens of the grant type client_credentials. Use the token of a person.")]
    ClientNotAccepted,
    /// The operation does not accept personal access tokens.
    #[error("This operation does not accept personal access tokens. Sign in and use an access token.")]
    PersonalTokenNotAccepted,
    /// The operation does not accept public API keys.
    #[error("This operation does not accept public API keys. Use a private key from a server.")]
    PublicKey,
    /// The operation accepts only programs that belong to a project.
    #[error("This operation requires an API key, or a token of the grant type client_credentials.")]
    KeyRequired,
    /// The access token does not have the scope.
    #[error("This operation requires the scope `{}`. Use an access token that has it.", .0.as_str())]
    WrongScope(Scope),
    /// The caller tried to grant permissions that they do not have.
    #[error("You can grant only permissions that you have. You do not have: {}.", names(.0))]
    ExceedsOwnPermissions(Vec<Permission>),
    /// The caller tried to add, change or remove an owner without being an owner.
    #[error("Only owners can add, change or remove owners. Ask an owner of the team to do it.")]
    OwnersOnly,
    /// Only operators of the service can administer it.
    #[error("This operation is for operators of this service. Ask one of them to add your account.")]
    OperatorsOnly,
    /// Operators cannot disable, sign out or delete their own account here.
    #[error("Operators cannot do this to their own account. Ask another operator, or use the command line.")]
    OwnAccount,
    /// The service has no operator yet, and accepts only the link for the first account.
    #[error(
        "This service has not been set up. To create its first account, open the link that the service printed in its log \
         when it started. If the link has expired, restart the service."
    )]
    NotSetUp,
    /// Tokens are issued only with OAuth.
    #[error(
        "This service does not exchange passwords for tokens. Sign in with OAuth (`/auth/authorize`), or use a personal access \
         token."
    )]
    NoPasswordTokens,
    /// Only the operator can create accounts.
    #[error("Sign-up is closed. Ask the operator of this service for an account.")]
    SignUpClosed,
    /// The account can do nothing until its email address is confirmed.
    #[error(
        "The email address of the account is not confirmed. Sign in to the service in a browser and open the link in the \
         confirmation email."
    )]
    UnconfirmedEmail,
    /// Only email addresses with a pending invite can sign up.
    #[error("Sign-up requires an invite to this email address. Ask a team to invite you.")]
    SignUpByInvite,
    /// Only email addresses of these domains can sign up. Holds the comma-separated domains.
    #[error("Sign-up requires an email address at one of these domains: {0}.")]
    SignUpDomain(String),
    /// The domain of the email address requires a provider. Holds its name.
    #[error("Accounts with an email address of this domain must sign in with {0}. Choose {0} on the sign-in page.")]
    ProviderRequired(String),
    /// The project has blocked this user.
    #[error("The user is blocked in this project. Contact the team that owns the project.")]
    Blocked,
}

impl Forbidden {
    pub(super) const fn code(&self) -> ErrorCode {
        match self {
            Self::NotSetUp => ErrorCode::NotSetUp,
            Self::SignUpClosed | Self::SignUpByInvite | Self::SignUpDomain(_) => ErrorCode::SignupClosed,
            _ => ErrorCode::Forbidden,
        }
    }
}

fn names(permissions: &[Permission]) -> String {
    permissions.iter().map(|permission| permission.as_str()).collect::<Vec<_>>().join(", ")
}
