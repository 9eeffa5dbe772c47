//! Why authentication failed.

use super::{ErrorCode, InvalidProof};

/// Why authentication failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum AuthenticationError {
    /// The request has no credential.
    #[error("No credential was sent. Send `Authorization: Bearer <access token or API key>`.")]
    Missing,
    /// A client was registered without a token, and the operator opened no project for that.
    #[error(
        "Registering a client requires an initial access token. Send `Authorization: Bearer <API key>` with a private key of the \
         project that has the permission `client:register`."
    )]
    NoInitialAccessToken,
    /// The `Authorization` header does not use the Bearer scheme.
    #[error("The Authorization header is not valid. Send `Authorization: Bearer <access token or API key>`.")]
    NotBearer,
    /// The access token was not issued by this service, was modified, or has another audience.
    #[error("The access token is not valid. Sign in again.")]
    InvalidToken,
    /// The access token is bound to a key (RFC 9449), and the request has no proof of it.
    #[error(
        "The access token is bound to a key. Send it with `Authorization: DPoP <access token>`, and a proof of the key in the \
         header `DPoP`."
    )]
    BoundToken,
    /// The request has a proof of a key, to which the credential is not bound.
    #[error(
        "The access token or API key is not bound to a key. Send it with `Authorization: Bearer <access token or API key>`."
    )]
    UnboundCredential,
    /// The proof of the key to which the access token is bound is not accepted.
    #[error(transparent)]
    InvalidProof(#[from] InvalidProof),
    /// The access token has expired.
    #[error("The access token has expired. Sign in again.")]
    ExpiredToken,
    /// The API key or personal access token is malformed or its checksum is wrong.
    #[error("The API key or personal access token is mistyped: its checksum does not match. Copy it again in full.")]
    MistypedKey,
    /// No such API key or personal access token: it was deleted, regenerated, or never created by this service.
    #[error("The API key or personal access token does not exist. Check whether it was deleted or regenerated.")]
    UnknownKey,
    /// The API key or personal access token has expired.
    #[error("The API key or personal access token has expired. Create a new one.")]
    ExpiredKey,
    /// A browser sent a private API key.
    #[error(
        "A private API key must not be sent from a browser, where anyone can read it. Use the access token of the signed-in user."
    )]
    PrivateKeyInBrowser,
    /// The email, username or password is wrong. The message does not say which one.
    #[error("The email, username or password is wrong. Check them and try again.")]
    WrongPassword,
    /// The password is correct, but the account has a second factor, which the endpoint does not ask for.
    #[error(
        "The account has a second factor, which only the sign-in in a browser asks for. Sign in at `/auth/authorize`, for \
         example with `steward login`, or use a personal access token."
    )]
    SecondFactorRequired,
    /// The one-time code or recovery code is wrong, expired or was used before. The message does not say which.
    #[error("The code is wrong, expired or already used. Enter the code that the app shows now.")]
    WrongCode,
    /// What was entered is neither a one-time code nor a recovery code, so it is not an attempt.
    #[error("This is not a code. Enter the six digits that the app shows, or a whole recovery code.")]
    MistypedCode,
    /// The code of an email is wrong, or was used before.
    #[error("The code is wrong or already used. Enter the six digits of the last email.")]
    WrongEmailCode,
    /// What was entered does not have the form of a code in an email, so it is not an attempt.
    #[error("This is not a code. Enter the six digits of the last email.")]
    MistypedEmailCode,
    /// The code of an email has expired, was entered wrongly too often, or was sent for another browser.
    #[error("The code has expired, or was wrong too often. Request a new one.")]
    OutdatedEmailCode,
    /// The passkey is not set up for any account, or was removed.
    #[error("No account here uses this passkey, or it is disabled. Sign in in another way.")]
    UnknownPasskey,
    /// The answer of the authenticator is not valid.
    #[error("The passkey could not be verified. Try again.")]
    WrongPasskey,
    /// The passkey belongs to another account than the one that is signed in.
    #[error("This passkey belongs to another account. Use one of yours, or enter the password.")]
    OtherPasskey,
    /// The counter of the authenticator did not increase (WebAuthn §6.1.1).
    #[error("There may be a copy of this passkey, so it is not accepted. Sign in in another way, and remove it.")]
    CopiedPasskey,
    /// The challenge is too old, was made for another browser, or was answered before.
    #[error("The request for the passkey has expired. Try again.")]
    OutdatedChallenge,
    /// The person did not sign in at the provider, or refused to share who they are.
    #[error("The sign-in at the provider was canceled. Try again, or sign in another way.")]
    ProviderDenied,
    /// The provider did not respond, refused this service, or sent a response that is not valid.
    #[error("The provider did not complete the sign-in. Try again, or sign in another way.")]
    ProviderFailed,
    /// The response of a provider is too old, was requested in another browser, or for an account that is not signed in any
    /// more.
    #[error("The sign-in has expired, or was started in another browser. Try again.")]
    OutdatedProviderSignIn,
    /// The account of the identity is disabled.
    #[error("The account is disabled. Contact the operator of this service.")]
    DisabledIdentity,
    /// The provider did not share an email address, which a new account needs.
    #[error(
        "The provider did not share an email address, which a new account needs. Allow it to share one, or sign in another \
         way and link the provider in your account."
    )]
    IdentityWithoutEmail,
    /// The identity is linked to another account.
    #[error("This identity is linked to another account. Sign in to that account and unlink it first.")]
    OtherIdentity,
    /// The account has another identity of the same provider.
    #[error("Your account already has a linked identity of this provider. Unlink it first.")]
    SecondIdentity,
    /// The account has as many identities as are possible.
    #[error("Your account has too many linked identities. Unlink one first.")]
    TooManyIdentities,
    /// The account with the address has another identity of the provider that it requires.
    #[error("The account with this address has another identity of this provider. Ask an operator to remove it.")]
    ReplacedIdentity,
    /// The address of the account requires an identity with an address of its domain.
    #[error("Your account requires an identity with an address of your company. Choose that one.")]
    OtherDomain,
    /// The account of the access token was deleted.
    #[error("The account of this access token no longer exists. Sign in with another account.")]
    UnknownAccount,
    /// A second factor is required, and the account has none, or the person signed in without the passkey that it has.
    #[error(
        "A second factor is required here. Set up an authenticator app or a passkey in your account, or sign in with the passkey \
         that you have."
    )]
    SecondFactorMissing,
    /// A second factor is required, and the person signed in without the one that the account has.
    #[error(
        "A sign-in with your second factor is required here. Sign in again, for example with `acr_values=aal2` at \
         `/auth/authorize`."
    )]
    SecondFactorUnused,
    /// Factors of an account with a passkey are changed, and the person signed in with the password only.
    #[error(
        "Your account has a passkey. Use it to confirm this change. If you have lost all of them, request on the page Passkeys \
         that they are removed."
    )]
    PasskeyUnused,
    /// The sign-in for which the access token was issued has ended.
    #[error("The access token was revoked. Sign in again.")]
    RevokedToken,
    /// The sign-in for which the access token was issued has ended, so that no new tokens can be requested.
    #[error("The sign-in has ended. Sign in again.")]
    SignInEnded,
    /// The operation widens authority, and the person signed in too long ago, or without the second factor that the account
    /// has now (RFC 9470).
    #[error(
        "This change requires a sign-in within the last 15 minutes, with the password and, if the account has one, the \
         second factor. Sign in again, for example with `max_age=900` at `/auth/authorize`, or use a personal access token."
    )]
    ConfirmationRequired,
    /// The access token was issued for a project, but the operation requires one for this service.
    #[error("This access token was issued for a project. Use an access token that was issued for this service.")]
    ProjectToken,
    /// The access token was issued for this service, but the operation requires one for a project.
    #[error("This access token was not issued for a project. Sign in to the project.")]
    ServiceToken,
}

impl AuthenticationError {
    /// Returns whether only the proof of a key is refused. The credential may be valid.
    pub(crate) fn is_of_proof(&self) -> bool {
        matches!(self, Self::BoundToken | Self::UnboundCredential | Self::InvalidProof(_))
    }

    /// Returns whether a passkey was refused, so that the person can try again or choose another way.
    pub const fn is_of_passkey(&self) -> bool {
        matches!(
            self,
            Self::UnknownPasskey
                | Self::WrongPasskey
                | Self::OtherPasskey
                | Self::CopiedPasskey
                | Self::OutdatedChallenge
        )
    }

    /// Returns whether a sign-in at another provider failed, so that the person can try again or choose another way.
    pub const fn is_of_provider(&self) -> bool {
        matches!(
            self,
            Self::ProviderDenied
                | Self::ProviderFailed
                | Self::OutdatedProviderSignIn
                | Self::DisabledIdentity
                | Self::IdentityWithoutEmail
                | Self::OtherIdentity
                | Self::SecondIdentity
                | Self::TooManyIdentities
                | Self::ReplacedIdentity
                | Self::OtherDomain
        )
    }

    /// Returns whether what was entered cannot be a code. It is not an attempt, and does not count against a limit.
    pub const fn is_mistyped(&self) -> bool {
        matches!(self, Self::MistypedCode | Self::MistypedEmailCode)
    }

    pub(super) const fn code(self) -> ErrorCode {
        match self {
            Self::WrongPassword
            | Self::WrongCode
            | Self::MistypedCode
            | Self::WrongEmailCode
            | Self::MistypedEmailCode
            | Self::OutdatedEmailCode => ErrorCode::InvalidCredentials,
            _ if self.is_of_passkey() || self.is_of_provider() => ErrorCode::InvalidCredentials,
            Self::InvalidProof(_) => ErrorCode::InvalidDpopProof,
            Self::SecondFactorRequired => ErrorCode::SecondFactorRequired,
            Self::ConfirmationRequired | Self::SecondFactorMissing | Self::SecondFactorUnused | Self::PasskeyUnused => {
                ErrorCode::InsufficientUserAuthentication
            }
            _ => ErrorCode::Unauthorized,
        }
    }
}
