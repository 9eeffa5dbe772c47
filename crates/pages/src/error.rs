//! Error pages.

use std::fmt;
use std::sync::Arc;

use actix_web::http::StatusCode;
use actix_web::http::header::{ALLOW, HeaderValue, RETRY_AFTER};
use actix_web::{HttpResponse, ResponseError};
use askama::Template;
use steward_domain::kernel::error::{
    AuthenticationError, Cause, Error, ErrorCode, Forbidden, LoggedError, ResourceKind,
};

use crate::intent::SignInIntent;
use crate::response::{AllowedOrigins, page_with, see_other};
use crate::wording::explanation::Explanation;
use crate::wording::filters;
use crate::wording::message::Message;

/// The page that asks a person to confirm the address of the account.
const CONFIRM_EMAIL: &str = "/auth/confirm-email";

/// The response of a page.
pub(crate) type PageResult = Result<HttpResponse, PageError>;

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
    /// Returns the message of the title, the explanation and the link to start again.
    pub(crate) fn content(&self) -> (&'static str, Explanation, Option<&'static str>) {
        let (title, message, back) = match self {
            Self::Failed(error) => return of_failure(error),
            Self::ForeignForm => ("error-foreign-form", "error-foreign-form-lead", Some("/auth/sign-in")),
            Self::SignInFirst | Self::SignIn { .. } => {
                ("error-sign-in-first", "error-sign-in-first-lead", Some("/auth/sign-in"))
            }
            Self::OperatorLink => ("error-link", "error-operator-link-lead", Some("/auth/sign-in")),
            Self::NoPage(_) | Self::OtherMethod { .. } => ("error-no-page", "error-no-page-lead", Some("/")),
            Self::InvalidForm(_) => ("error-form", "error-form-lead", None),
        };
        (title, Message::new(message).into(), back)
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
        let cause = self.cause().map(|cause| Arc::new(Cause::msg(cause)));
        response.extensions_mut().insert(LoggedError { code: self.code().into(), cause });
    }

    fn cause(&self) -> Option<String> {
        match self {
            Self::Failed(error) => error.cause().map(|cause| format!("{cause:#}")),
            _ => None,
        }
    }
}

/// Returns the title, the explanation and the link to start again after a use case failed.
fn of_failure(error: &Error) -> (&'static str, Explanation, Option<&'static str>) {
    let (title, back) = match error {
        Error::NotFound(ResourceKind::AuthorizationRequest) => {
            return ("error-sign-in-ended", Message::new("error-sign-in-ended-lead").into(), None);
        }
        Error::NotFound(ResourceKind::EmailLink) => {
            return ("error-link", Message::new("error-link-lead").into(), Some("/auth/forgot-password"));
        }
        Error::NotFound(ResourceKind::Invite) => {
            return ("error-invite-link", Message::new("error-invite-link-lead").into(), Some("/auth/sign-in"));
        }
        Error::Unauthenticated(AuthenticationError::SecondFactorUnused) => {
            let lead = Message::new("error-second-factor-unused-lead");
            return ("error-second-factor-unused", lead.into(), Some("/auth/sign-in?prompt=login"));
        }
        Error::Forbidden(Forbidden::NotSetUp) => ("error-not-set-up", None),
        Error::Forbidden(Forbidden::UnconfirmedEmail) => ("confirm-title", Some(CONFIRM_EMAIL)),
        Error::Unauthenticated(AuthenticationError::SecondFactorMissing) => {
            ("set-up-title", Some("/console/account/two-factor"))
        }
        Error::Forbidden(Forbidden::SignUpClosed) => ("error-sign-up-closed", Some("/auth/sign-in")),
        Error::TooMany { .. } => ("error-too-many", None),
        error if error.is_failure() => ("error-failure", None),
        Error::NotFound(_) | Error::UnknownTable(_) => ("error-not-found", Some("/")),
        _ => ("error-request", Some("/")),
    };
    (title, error.into(), back)
}

impl fmt::Display for PageError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.content().1.fmt(f)
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
        let mut response = page(self.status_code(), title, message, back);
        self.annotate(&mut response);
        response
    }
}

/// Returns an error page.
pub(crate) fn page(
    status: StatusCode,
    title: &'static str,
    message: Explanation,
    back: Option<&'static str>,
) -> HttpResponse {
    let response = page_with(status, &ErrorPage { title, message, back }, &AllowedOrigins::default());
    response.unwrap_or_else(|_| HttpResponse::build(status).body("The request failed."))
}

/// Error page. `back` is the link to start again.
#[derive(Template)]
#[template(path = "error.html")]
struct ErrorPage {
    /// A message.
    title: &'static str,
    message: Explanation,
    back: Option<&'static str>,
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
