//! Error pages.

use std::fmt;
use std::sync::Arc;

use actix_web::http::StatusCode;
use actix_web::http::header::{ALLOW, HeaderValue, RETRY_AFTER};
use actix_web::{HttpResponse, ResponseError};
use askama::Template;
use steward_domain::error::{AuthenticationError, Cause, Error, ErrorCode, Forbidden, LoggedCode, ResourceKind};

use crate::intent::SignInIntent;
use crate::response::{AllowedOrigins, page_with, see_other};

/// The page that asks a person to confirm the address of the account.
const CONFIRM_EMAIL: &str = "/auth/confirm-email";

/// Why a page cannot be shown.
#[derive(Debug)]
pub(crate) enum PageError {
    /// A use case failed.
    Failed(Error),
    /// The form was submitted by another site, or shown in another browser or before the person signed in or out.
    ForeignForm,
    /// The link requires the person to be signed in.
    SignInFirst,
    /// The page requires the person to be signed in. Holds the address of the page of the console to return to.
    SignIn {
        /// Path and query.
        next: String,
    },
    /// The link with which the first person signs up as operator is not valid, or the service has an account.
    OperatorLink,
    /// The page does not exist.
    NoPage(StatusCode),
    /// The page does not support this method.
    OtherMethod {
        /// The methods that it supports, in the format of the `Allow` header.
        allowed: &'static str,
    },
    /// The form cannot be parsed.
    InvalidForm(StatusCode),
}

impl From<Error> for PageError {
    fn from(error: Error) -> Self {
        Self::Failed(error)
    }
}

impl PageError {
    /// Returns the title, the message and the link to start again.
    pub(crate) fn content(&self) -> (&'static str, String, Option<&'static str>) {
        match self {
            Self::Failed(Error::NotFound(ResourceKind::AuthorizationRequest)) => (
                "This sign-in has ended",
                "It was already completed, or it expired after ten minutes. Go back to the app and start again.".into(),
                None,
            ),
            Self::Failed(Error::NotFound(ResourceKind::EmailLink)) => (
                "This link is no longer valid",
                "A link can be used once and expires after one hour. Request a new one.".into(),
                Some("/auth/forgot-password"),
            ),
            Self::Failed(Error::NotFound(ResourceKind::Invite)) => (
                "This invite link is not valid",
                "The link is incomplete or mistyped. Open the complete link from your invite.".into(),
                Some("/auth/sign-in"),
            ),
            Self::Failed(error @ Error::Forbidden(Forbidden::NotSetUp)) => {
                ("This service has not been set up", sentence(error), None)
            }
            Self::Failed(error @ Error::Forbidden(Forbidden::UnconfirmedEmail)) => {
                ("Confirm your email address", sentence(error), Some(CONFIRM_EMAIL))
            }
            Self::Failed(error @ Error::Unauthenticated(AuthenticationError::SecondFactorMissing)) => {
                ("Set up a second factor", sentence(error), Some("/console/account/two-factor"))
            }
            Self::Failed(Error::Unauthenticated(AuthenticationError::SecondFactorUnused)) => (
                "Sign in with your second factor",
                "A sign-in with your second factor is required here. Sign in again.".into(),
                Some("/auth/sign-in?prompt=login"),
            ),
            Self::Failed(error @ Error::Forbidden(Forbidden::SignUpClosed)) => {
                ("Sign-up is closed", sentence(error), Some("/auth/sign-in"))
            }
            Self::Failed(error @ Error::TooMany { .. }) => ("Too many attempts", sentence(error), None),
            Self::Failed(error) if error.is_failure() => ("Something went wrong", sentence(error), None),
            Self::Failed(error @ (Error::NotFound(_) | Error::UnknownTable(_))) => {
                ("Not found", sentence(error), Some("/"))
            }
            Self::Failed(error) => ("The request failed", sentence(error), Some("/")),
            Self::ForeignForm => (
                "This form has expired",
                "It was opened in another browser, or you have signed in or out since. Go back, reload the page and \
                 submit the form again. Cookies must be enabled."
                    .into(),
                Some("/auth/sign-in"),
            ),
            Self::SignInFirst | Self::SignIn { .. } => (
                "Sign in to continue",
                "This link requires you to be signed in to the account. Sign in, then open the link again. If you did \
                 not create an account, ignore the email."
                    .into(),
                Some("/auth/sign-in"),
            ),
            Self::OperatorLink => (
                "This link is no longer valid",
                "It can be used once within 24 hours, until the service has its first account. Before that, a restart \
                 writes a new link to its log. After that, run `steward account operator add` on \
                 the host."
                    .into(),
                Some("/auth/sign-in"),
            ),
            Self::NoPage(_) | Self::OtherMethod { .. } => {
                ("Page not found", "There is no page at this address.".into(), Some("/"))
            }
            Self::InvalidForm(_) => ("The form is not valid", "Go back and submit it again.".into(), None),
        }
    }

    /// Returns the code for the log.
    fn code(&self) -> &'static str {
        match self {
            Self::Failed(error) => error.code().as_str(),
            Self::ForeignForm => "foreign_form",
            Self::SignInFirst | Self::SignIn { .. } => "sign_in_required",
            Self::OperatorLink => ErrorCode::NotFound.as_str(),
            Self::NoPage(_) => ErrorCode::NotFound.as_str(),
            Self::OtherMethod { .. } => "method_not_allowed",
            Self::InvalidForm(_) => "invalid_form",
        }
    }

    /// Adds the headers of the error to a response that shows it, and the code and the cause for the log, which is
    /// written where the request ID is known.
    pub(crate) fn annotate(&self, response: &mut HttpResponse) {
        if let Self::Failed(Error::TooMany { retry_after }) = self {
            response.headers_mut().insert(RETRY_AFTER, retry_after.num_seconds().into());
        }
        if self.status_code() == StatusCode::SERVICE_UNAVAILABLE {
            response.headers_mut().insert(RETRY_AFTER, HeaderValue::from_static("1"));
        }
        if let Self::OtherMethod { allowed } = self {
            response.headers_mut().insert(ALLOW, HeaderValue::from_static(allowed));
        }
        response.extensions_mut().insert(LoggedCode(self.code().into()));
        if let Some(cause) = self.cause() {
            response.extensions_mut().insert(Arc::new(Cause::msg(cause)));
        }
    }

    fn cause(&self) -> Option<String> {
        match self {
            Self::Failed(error) => error.cause().map(|cause| format!("{cause:#}")),
            _ => None,
        }
    }
}

/// Returns the error as a sentence with a capital letter and a period.
pub(crate) fn sentence(error: &Error) -> String {
    let text = error.to_string();
    let mut characters = text.chars();
    let first = characters.next().map(|c| c.to_uppercase().to_string()).unwrap_or_default();
    let end = if text.ends_with('.') { "" } else { "." };
    format!("{first}{}{end}", characters.as_str())
}

/// Returns what is wrong with the password of a form; `None` if the error is about something else.
pub(crate) fn password_violation(error: &Error) -> Option<String> {
    let Error::Invalid(violations) = error else { return None };
    let violation = violations.as_slice().iter().find(|violation| violation.field == "password")?;
    Some(format!("The password {}.", violation.message))
}

impl fmt::Display for PageError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.content().1)
    }
}

impl ResponseError for PageError {
    fn status_code(&self) -> StatusCode {
        match self {
            Self::Failed(Error::NotFound(_) | Error::UnknownTable(_)) | Self::OperatorLink => StatusCode::NOT_FOUND,
            Self::Failed(Error::TooMany { .. }) => StatusCode::TOO_MANY_REQUESTS,
            Self::Failed(Error::Unavailable(_) | Error::OutcomeUnknown(_) | Error::StorageFull(_)) => {
                StatusCode::SERVICE_UNAVAILABLE
            }
            Self::Failed(Error::Internal(_)) => StatusCode::INTERNAL_SERVER_ERROR,
            Self::Failed(Error::Forbidden(_)) | Self::ForeignForm | Self::SignInFirst => StatusCode::FORBIDDEN,
            Self::Failed(Error::Conflict(_) | Error::AccessChanged) => StatusCode::CONFLICT,
            Self::Failed(Error::PreconditionFailed(_)) => StatusCode::PRECONDITION_FAILED,
            Self::SignIn { .. } => StatusCode::SEE_OTHER,
            Self::Failed(_) => StatusCode::BAD_REQUEST,
            Self::NoPage(status) | Self::InvalidForm(status) => *status,
            Self::OtherMethod { .. } => StatusCode::METHOD_NOT_ALLOWED,
        }
    }

    fn error_response(&self) -> HttpResponse {
        if let Self::SignIn { next } = self {
            let intent = SignInIntent::page(next);
            return see_other(&intent.map_or_else(|| "/auth/sign-in".to_owned(), |intent| intent.at("/auth/sign-in")));
        }
        if matches!(self, Self::Failed(Error::Forbidden(Forbidden::UnconfirmedEmail))) {
            return see_other(CONFIRM_EMAIL);
        }
        let (title, message, back) = self.content();
        let mut response = page(self.status_code(), title, &message, back);
        self.annotate(&mut response);
        response
    }
}

/// Returns an error page.
pub(crate) fn page(status: StatusCode, title: &str, message: &str, back: Option<&str>) -> HttpResponse {
    let response = page_with(status, &ErrorPage { title, message, back }, &AllowedOrigins::default());
    response.unwrap_or_else(|_| HttpResponse::build(status).body("The request failed."))
}

/// Error page. `back` is the link to start again.
#[derive(Template)]
#[template(path = "error.html")]
struct ErrorPage<'a> {
    title: &'a str,
    message: &'a str,
    back: Option<&'a str>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn temporary_errors_are_not_reported_as_bad_requests() {
        let unavailable = Error::Unavailable(Cause::msg("The disk is full."));
        for (error, status, retry_after) in [(Error::AccessChanged, 409, None), (unavailable, 503, Some("1"))] {
            let response = PageError::Failed(error).error_response();
            assert_eq!(response.status().as_u16(), status);
            assert_eq!(response.headers().get(RETRY_AFTER).map(|value| value.to_str().unwrap()), retry_after);
        }
    }
}
