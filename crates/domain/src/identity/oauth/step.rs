//! The steps of an authorization request.

use std::fmt;

use crate::kernel::{Secret, Time};

/// The next step for the user.
pub enum AuthorizationStep {
    /// Sign in.
    SignIn {
        /// One-time ID of the authorization request.
        request: Secret,
        /// Whether to show the sign-up page instead.
        create: bool,
    },
    /// Give or deny consent.
    Consent {
        /// One-time ID of the authorization request.
        request: Secret,
    },
    /// Confirm the email address of the account, which can do nothing before.
    ConfirmEmail {
        /// One-time ID of the authorization request.
        request: Secret,
    },
    /// Set up a second factor.
    SetUpSecondFactor {
        /// One-time ID of the authorization request.
        request: Secret,
        /// Until when the person can postpone that; `None` if not at all.
        due: Option<Time>,
    },
    /// Confirm a request that earlier consent covers, because any program could have sent it.
    Confirm {
        /// One-time ID of the authorization request.
        request: Secret,
    },
    /// Redirect to the client at this address, which carries a code or an error.
    Redirect(String),
    /// Post this form to the client, which carries a code or an error.
    Post(FormPost),
    /// Nothing: the device has its response.
    DeviceAnswered {
        /// Whether the person allowed its access.
        is_allowed: bool,
    },
}

/// A response that a browser posts to a client (OAuth 2.0 Form Post Response Mode §2).
pub struct FormPost {
    /// The redirect URI.
    pub action: String,
    /// The parameters of the response.
    pub fields: Vec<(String, String)>,
}

impl fmt::Debug for AuthorizationStep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The address in `Redirect` and the form in `Post` may contain a code, so they are not printed.
        f.write_str(match self {
            Self::SignIn { .. } => "SignIn",
            Self::Consent { .. } => "Consent",
            Self::ConfirmEmail { .. } => "ConfirmEmail",
            Self::SetUpSecondFactor { .. } => "SetUpSecondFactor",
            Self::Confirm { .. } => "Confirm",
            Self::Redirect(_) => "Redirect",
            Self::Post(_) => "Post",
            Self::DeviceAnswered { .. } => "DeviceAnswered",
        })
    }
}
