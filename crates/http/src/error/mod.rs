//! Error responses: the status, the body and the headers of each error.

mod request;

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use actix_web::http::StatusCode;
use actix_web::http::header::{CACHE_CONTROL, HeaderName, HeaderValue, PRAGMA, RETRY_AFTER, WWW_AUTHENTICATE};
use actix_web::{HttpResponse, ResponseError};
use serde_json::{Value, json};
use steward_api::ErrorBody;
use steward_domain::administration::ImageError;
use steward_domain::identity::{AssuranceLevel, ClientAlgorithm};
use steward_domain::kernel::error::{AuthenticationError, Cause, Conflict, Error, ErrorCode, Forbidden, LoggedError};
use steward_domain::kernel::policy::CONFIRMATION_TTL;
use steward_domain::kernel::violations::{Violation, Violations};
use steward_domain::kernel::{HealthError, StoreError};

use crate::schema_diff::schema_diff;

pub(crate) use request::{RequestError, codes};

/// An error response.
#[derive(Debug)]
pub(crate) struct ApiError {
    status: StatusCode,
    body: Box<ErrorBody>,
    headers: Vec<(HeaderName, String)>,
    /// Cause of a server error. It is only logged, never sent.
    cause: Option<Arc<Cause>>,
}

impl ApiError {
    fn new(status: StatusCode, code: &'static str, message: String) -> Self {
        Self {
            status,
            body: Box::new(ErrorBody { error: code.into(), message, ..ErrorBody::default() }),
            headers: Vec::new(),
            cause: None,
        }
    }

    fn with(mut self, name: HeaderName, value: impl Into<String>) -> Self {
        self.headers.push((name, value.into()));
        self
    }

    /// Adds the violations.
    fn with_violations(mut self, violations: Violations<Value>) -> Self {
        self.body.truncated = violations.is_truncated().then_some(true);
        self.body.errors = Some(violations.as_slice().to_vec());
        self
    }

    /// Returns whether the body lists violations of a request.
    pub(crate) fn lists_violations(&self) -> bool {
        self.body.valid.is_none() && self.body.errors.is_some()
    }

    /// Adds the index of the failed operation of a batch.
    pub(crate) fn in_batch(mut self, index: usize) -> Self {
        self.body.index = Some(index);
        self
    }

    fn with_cause(self, cause: Cause) -> Self {
        Self { cause: Some(Arc::new(cause)), ..self }
    }

    pub(crate) fn status(&self) -> StatusCode {
        self.status
    }

    pub(crate) fn body(&self) -> Value {
        serde_json::to_value(&self.body).unwrap_or_default()
    }

    /// Adds the headers to a response that shows the error, and what `frame` logs: the code, and the cause of a server
    /// error.
    pub(crate) fn complete(&self, mut response: HttpResponse) -> HttpResponse {
        for (name, value) in &self.headers {
            if let Ok(value) = HeaderValue::from_str(value) {
                response.headers_mut().insert(name.clone(), value);
            }
        }
        response.extensions_mut().insert(LoggedError { code: self.body.error.clone(), cause: self.cause.clone() });
        response
    }

    /// Adds what OAuth requires: `error_description`, and headers that forbid caching (RFC 6749 §5.2).
    pub(crate) fn into_oauth(mut self) -> Self {
        self.body.error_description.get_or_insert_with(|| self.body.message.clone());
        self.with(CACHE_CONTROL, "no-store").with(PRAGMA, "no-cache")
    }

    /// The error for a client that used HTTP Basic and is not known (RFC 6749 §5.2).
    pub(crate) fn invalid_client(description: &str) -> Self {
        Self::new(StatusCode::UNAUTHORIZED, ErrorCode::InvalidClient.as_str(), description.to_owned())
            .with(WWW_AUTHENTICATE, "Basic realm=\"clients\"")
            .into_oauth()
    }

    /// The response to all requests before the database is available for the first time.
    pub(crate) fn starting(reason: &str) -> Self {
        Self::unavailable(format!("The service is starting. {reason}"), "database")
    }

    /// The response to a readiness check during shutdown.
    pub(crate) fn shutting_down() -> Self {
        let message = "The service is shutting down. Send requests to another instance.";
        Self::unavailable(message.to_owned(), "shutting down")
    }

    /// The response to a health check, with the failing part of the service.
    fn unavailable(message: String, part: &'static str) -> Self {
        let mut error = Self::new(StatusCode::SERVICE_UNAVAILABLE, ErrorCode::Unavailable.as_str(), message);
        error.body.status = Some("fail".into());
        error.body.failing = Some(part.into());
        error.with(RETRY_AFTER, "1")
    }

    /// Adds a valid slug that is derived from the text that was sent.
    pub(crate) fn with_slugified(mut self, slugified: String) -> Self {
        self.body.slugified = Some(slugified);
        self
    }
}

impl From<HealthError> for ApiError {
    fn from(error: HealthError) -> Self {
        let part = match &error {
            HealthError::Unreachable(_) => "database",
            HealthError::ReadOnly | HealthError::CommitsHang => "database writes",
        };
        Self::unavailable(error.to_string(), part).with_cause(error.into())
    }
}

impl From<StoreError> for ApiError {
    fn from(error: StoreError) -> Self {
        Error::from(error).into()
    }
}

impl From<Error> for ApiError {
    fn from(error: Error) -> Self {
        let error = match error {
            Error::InBatch { index, error } => return Self::from(*error).in_batch(index),
            other => other,
        };
        let mut response = Self::new(status(&error), error.code().as_str(), error.to_string());
        let body = &mut *response.body;
        match error {
            Error::Unauthenticated(error) => {
                // docs/contract.md#sessions
                if error == AuthenticationError::SignInEnded {
                    (body.active, body.reauth_required) = (Some(false), Some(true));
                }
                response.with(WWW_AUTHENTICATE, challenge(error))
            }
            Error::Forbidden(Forbidden::WrongScope(scope)) => {
                let challenge = format!("Bearer error=\"insufficient_scope\", scope=\"{}\"", scope.as_str());
                response.with(WWW_AUTHENTICATE, challenge)
            }
            Error::Conflict(Conflict::SchemaBreaking(diff)) => {
                body.diff = Some(schema_diff(&diff));
                response
            }
            Error::Conflict(Conflict::QuotaExceeded { quota, limit }) => {
                body.quota = Some(quota.as_str().into());
                body.limit = Some(limit);
                body.setting = Some(quota.setting().into());
                response
            }
            Error::OAuth(_) => response.into_oauth(),
            Error::TooMany { retry_after } => response.with(RETRY_AFTER, retry_after.num_seconds().to_string()),
            Error::Invalid(violations) => response.with_violations(violations.map(|violation| {
                let Violation { field, code, message } = violation;
                json!({"field": field, "code": code.as_str(), "message": message})
            })),
            Error::InvalidSchema { errors, .. } => {
                body.valid = Some(false);
                response.with_violations(errors)
            }
            Error::InvalidItem(errors) => {
                let violations = errors.map(|error| json!({"message": error.message, "path": error.path}));
                body.valid = Some(false);
                response.with_violations(violations)
            }
            Error::Unavailable(cause) | Error::OutcomeUnknown(cause) => {
                response.with(RETRY_AFTER, "1").with_cause(cause)
            }
            Error::StorageFull(cause) => response.with(RETRY_AFTER, "30").with_cause(cause),
            Error::Internal(cause) => response.with_cause(cause),
            _ => response,
        }
    }
}

/// Returns the status of an error (docs/contract.md#errors).
fn status(error: &Error) -> StatusCode {
    match error {
        Error::ItemTooLarge | Error::Image(ImageError::TooLarge(_)) => StatusCode::PAYLOAD_TOO_LARGE,
        Error::Image(ImageError::UnsupportedFormat) => StatusCode::UNSUPPORTED_MEDIA_TYPE,
        Error::Invalid(_)
        | Error::SlugReserved(_)
        | Error::InvalidSchema { .. }
        | Error::InvalidItem(_)
        | Error::Image(_)
        | Error::OAuth(_) => StatusCode::BAD_REQUEST,
        Error::InBatch { error, .. } => status(error),
        Error::TooMany { .. } => StatusCode::TOO_MANY_REQUESTS,
        Error::Unauthenticated(_) => StatusCode::UNAUTHORIZED,
        Error::Forbidden(_) => StatusCode::FORBIDDEN,
        Error::NotFound(_) | Error::UnknownTable(_) => StatusCode::NOT_FOUND,
        Error::Conflict(_) | Error::AccessChanged => StatusCode::CONFLICT,
        Error::PreconditionFailed(_) => StatusCode::PRECONDITION_FAILED,
        Error::Unavailable(_) | Error::OutcomeUnknown(_) | Error::StorageFull(_) => StatusCode::SERVICE_UNAVAILABLE,
        Error::Internal(_) => StatusCode::INTERNAL_SERVER_ERROR,
    }
}

/// Returns the value of `WWW-Authenticate`. Without a credential it has no error code (RFC 6750 §3.1). A sign-in that is
/// too old or lacks a factor is reported with the age that is accepted (RFC 9470 §3): to ask for it also asks for all
/// factors of the account.
fn challenge(error: AuthenticationError) -> Cow<'static, str> {
    match error {
        AuthenticationError::Missing
        | AuthenticationError::WrongPassword
        | AuthenticationError::WrongCode
        | AuthenticationError::MistypedCode
        | AuthenticationError::SecondFactorRequired => "Bearer".into(),
        AuthenticationError::ConfirmationRequired => {
            let (code, max_age) = (ErrorCode::InsufficientUserAuthentication.as_str(), CONFIRMATION_TTL.num_seconds());
            let description = "The sign-in is too old for this change, or lacks the second factor of the account.";
            format!("Bearer error=\"{code}\", error_description=\"{description}\", max_age={max_age}").into()
        }
        AuthenticationError::SecondFactorMissing | AuthenticationError::SecondFactorUnused => {
            let code = ErrorCode::InsufficientUserAuthentication.as_str();
            let level = AssuranceLevel::TwoFactors.as_str();
            let description = "A sign-in with a second factor is required.";
            format!("Bearer error=\"{code}\", error_description=\"{description}\", acr_values=\"{level}\"").into()
        }
        AuthenticationError::BoundToken => proof_challenge("invalid_token"),
        AuthenticationError::InvalidProof(_) => proof_challenge(ErrorCode::InvalidDpopProof.as_str()),
        _ => "Bearer error=\"invalid_token\"".into(),
    }
}

/// Returns the challenge for a token that is bound to a key (RFC 9449 §7.1).
fn proof_challenge(code: &str) -> Cow<'static, str> {
    format!("DPoP error=\"{code}\", algs=\"{}\"", ClientAlgorithm::names()).into()
}

impl fmt::Display for ApiError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.body.message)
    }
}

impl ResponseError for ApiError {
    fn status_code(&self) -> StatusCode {
        self.status
    }

    fn error_response(&self) -> HttpResponse {
        self.complete(HttpResponse::build(self.status).json(&self.body))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_outage_has_retry_after_and_a_failure_does_not_reveal_its_cause() {
        let outage = ApiError::from(Error::Unavailable(anyhow::anyhow!("secret host"))).error_response();
        assert_eq!(outage.status(), 503);
        assert!(outage.headers().contains_key(RETRY_AFTER));
        let failure = ApiError::from(Error::Internal(anyhow::anyhow!("secret host")));
        assert!(!failure.to_string().contains("secret"));
    }
}
