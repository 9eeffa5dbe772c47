//! What went wrong, as a page.

use std::fmt;
use std::sync::Arc;

use actix_web::http::StatusCode;
use actix_web::http::header::{ALLOW, HeaderValue, RETRY_AFTER};
use actix_web::{HttpResponse, ResponseError};
use steward_domain::error::{Cause, Error, Forbidden, ResourceKind};

use crate::answer::{AllowedOrigins, page_with};
use crate::views;

/// Why there is no page.
#[derive(Debug)]
pub(crate) enum PageError {
    /// A use case refused.
    Refused(Error),
    /// A form came back that was not shown to this browser, or too long ago.
    ForeignForm,
    /// A link that is for who is signed in.
    SignInFirst,
    /// Nothing is there, or not by this method.
    NoPage(StatusCode),
    /// What was sent cannot be read.
    BadForm(StatusCode),
}

impl From<Error> for PageError {
    fn from(error: Error) -> Self {
        Self::Refused(error)
    }
}

impl PageError {
    fn words(&self) -> (&'static str, String, Option<&'static str>) {
        match self {
            Self::Refused(Error::NotFound(ResourceKind::AuthorizationRequest)) => (
                "This sign-in has ended",
                "It was finished already, or it waited for more than ten minutes. Go back to the app and start again."
                    .into(),
                None,
            ),
            Self::Refused(Error::NotFound(ResourceKind::EmailLink)) => (
                "This link does not work any more",
                "A link works once, for an hour. Ask for another one.".into(),
                Some("/auth/forgot-password"),
            ),
            Self::Refused(Error::NotFound(ResourceKind::Invite)) => (
                "This link is broken",
                "It is no link to an invite. Open the one that you were sent, whole.".into(),
                Some("/auth/sign-in"),
            ),
            Self::Refused(error @ Error::Forbidden(Forbidden::SignUpClosed)) => {
                ("Sign-up is closed", sentence(error), Some("/auth/sign-in"))
            }
            Self::Refused(error @ Error::TooMany { .. }) => ("Too many attempts", sentence(error), None),
            Self::Refused(error @ (Error::Unavailable(_) | Error::Internal(_))) => {
                ("Something is wrong with us", sentence(error), None)
            }
            Self::Refused(error) => ("This did not work", sentence(error), Some("/auth/sessions")),
            Self::ForeignForm => (
                "This form is out of date",
                "It was opened in another browser, or you signed in or out since. Go back, reload the page and send it \
                 again; cookies must be allowed."
                    .into(),
                Some("/auth/sign-in"),
            ),
            Self::SignInFirst => (
                "Sign in first",
                "The link is for who is signed in to the account. Sign in, then open it again; if you made no account, do \
                 nothing."
                    .into(),
                Some("/auth/sign-in"),
            ),
            Self::NoPage(_) => ("There is no such page", "The address leads nowhere.".into(), Some("/auth/sign-in")),
            Self::BadForm(_) => ("This form cannot be read", "Go back and send it again.".into(), None),
        }
    }

    fn cause(&self) -> Option<String> {
        match self {
            Self::Refused(Error::Unavailable(cause) | Error::Internal(cause)) => Some(format!("{cause:#}")),
            _ => None,
        }
    }
}

/// The error as a sentence of its own.
pub(crate) fn sentence(error: &Error) -> String {
    let text = error.to_string();
    let mut characters = text.chars();
    let first = characters.next().map(|c| c.to_uppercase().to_string()).unwrap_or_default();
    let end = if text.ends_with('.') { "" } else { "." };
    format!("{first}{}{end}", characters.as_str())
}

impl fmt::Display for PageError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.words().1)
    }
}

impl ResponseError for PageError {
    fn status_code(&self) -> StatusCode {
        match self {
            Self::Refused(Error::NotFound(_)) => StatusCode::NOT_FOUND,
            Self::Refused(Error::TooMany { .. }) => StatusCode::TOO_MANY_REQUESTS,
            Self::Refused(Error::Unavailable(_)) => StatusCode::SERVICE_UNAVAILABLE,
            Self::Refused(Error::Internal(_)) => StatusCode::INTERNAL_SERVER_ERROR,
            Self::Refused(Error::Forbidden(_)) | Self::ForeignForm | Self::SignInFirst => StatusCode::FORBIDDEN,
            Self::Refused(Error::Conflict(_)) => StatusCode::CONFLICT,
            Self::Refused(_) => StatusCode::BAD_REQUEST,
            Self::NoPage(status) | Self::BadForm(status) => *status,
        }
    }

    fn error_response(&self) -> HttpResponse {
        let (title, message, back) = self.words();
        let mut response = page(self.status_code(), title, &message, back);
        if let Self::Refused(Error::TooMany { retry_after }) = self {
            response.headers_mut().insert(RETRY_AFTER, retry_after.num_seconds().into());
        }
        if self.status_code() == StatusCode::SERVICE_UNAVAILABLE {
            response.headers_mut().insert(RETRY_AFTER, HeaderValue::from_static("1"));
        }
        if self.status_code() == StatusCode::METHOD_NOT_ALLOWED {
            response.headers_mut().insert(ALLOW, HeaderValue::from_static("GET, HEAD, POST"));
        }
        if let Some(cause) = self.cause() {
            // For the log, which is written where the request's id is known.
            response.extensions_mut().insert(Arc::new(Cause::msg(cause)));
        }
        response
    }
}

/// The error page.
pub(crate) fn page(status: StatusCode, title: &str, message: &str, back: Option<&str>) -> HttpResponse {
    let shown = page_with(status, &views::ErrorPage { title, message, back }, &AllowedOrigins::default());
    shown.unwrap_or_else(|_| HttpResponse::build(status).body("This did not work."))
}
