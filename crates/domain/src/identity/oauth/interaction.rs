//! What a person must do before a code is issued, and the error of a client that excludes it.

use crate::identity::{AuthorizationRequest, AuthorizationStep};
use crate::kernel::Secret;
use crate::kernel::error::{ErrorCode, OAuthError};

/// What the user must do before a code is issued.
#[derive(Clone, Copy)]
pub(crate) enum Interaction {
    SignIn,
    /// The account can do nothing until its address is confirmed.
    ConfirmEmail,
    /// The account has no second factor, which is required.
    SetUpSecondFactor,
    Consent,
    /// Consent was given before, but the redirect does not prove which program sent the request (RFC 8252 §8.6).
    Confirm,
    /// The client needs no consent, but the person must notice the first sign-in there.
    Continue,
}

impl Interaction {
    /// Returns the step for the user. `request` is the one-time ID of the authorization request.
    pub(crate) fn step(self, request: Secret, authorization: &AuthorizationRequest) -> AuthorizationStep {
        match self {
            Self::SignIn => AuthorizationStep::SignIn { request, create: authorization.parameters.prompt.create },
            Self::Consent => AuthorizationStep::Consent { request },
            Self::ConfirmEmail => AuthorizationStep::ConfirmEmail { request },
            Self::SetUpSecondFactor => AuthorizationStep::SetUpSecondFactor { request, due: None },
            Self::Confirm | Self::Continue => AuthorizationStep::Confirm { request },
        }
    }

    /// The error if the client has excluded interactions (OpenID Connect IdentityCore §3.1.2.6).
    pub(crate) fn error(self) -> OAuthError {
        let (code, reason) = match self {
            Self::SignIn => (ErrorCode::LoginRequired, "is not signed in"),
            Self::Consent => (ErrorCode::ConsentRequired, "has not consented yet"),
            Self::ConfirmEmail => (ErrorCode::InteractionRequired, "must confirm their email address first"),
            Self::SetUpSecondFactor => (ErrorCode::InteractionRequired, "must set up a second factor first"),
            Self::Continue => (ErrorCode::InteractionRequired, "must continue with a button the first time"),
            Self::Confirm => (
                ErrorCode::InteractionRequired,
                "must confirm each request of a client that other programs can impersonate",
            ),
        };
        let or = if matches!(self, Self::Confirm) { ", or register an https redirect URI" } else { "" };
        OAuthError::new(code, format_args!("The user {reason}. Send the request without `prompt=none`{or}."))
    }
}
