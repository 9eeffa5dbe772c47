//! Error responses: the one error body, and the status of each error.

use std::fmt;
use std::sync::Arc;

use actix_web::http::StatusCode;
use actix_web::http::header::{ALLOW, CACHE_CONTROL, HeaderName, HeaderValue, PRAGMA, RETRY_AFTER, WWW_AUTHENTICATE};
use actix_web::{HttpResponse, ResponseError};
use serde::Serialize;
use serde_json::{Value, json};
use steward_domain::error::{AuthenticationError, Cause, Conflict, Error, ErrorCode, Forbidden, Violation, Violations};
use steward_domain::model::ImageError;
use steward_domain::model::schema::SchemaDiff;
use steward_domain::policy::Quota;
use steward_domain::ports::{HealthError, StoreError};
use utoipa::{IntoResponses, ToSchema};

use crate::schema_diff::DiffBody;

/// An error: what is wrong and how to fix it.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub(crate) struct ErrorBody {
    /// Machine-readable error code. Codes never change.
    #[schema(example = "invalid_request")]
    pub error: String,
    /// Human-readable description of what is wrong and how to fix it.
    #[schema(example = "limit: must be a number from 1 to 1000.")]
    pub message: String,
    /// `false` if a document or value was validated and has errors; absent otherwise.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub valid: Option<bool>,
    /// All violations together, at most 100. A violation of a request has `field`, `code` (`unknown_field`,
    /// `missing_field`, `invalid_type` or `invalid_value`) and `message`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(
        value_type = Option<Vec<Object>>,
        example = json!([{"field": "limit", "code": "invalid_value", "message": "must be a number from 1 to 1000"}])
    )]
    pub errors: Option<Vec<Value>>,
    /// `true` if there are more violations than `errors` lists; absent otherwise.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub truncated: Option<bool>,
    /// Changes that the rejected schema would make, and the items that would no longer be valid.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub diff: Option<DiffBody>,
    /// Index of the failed operation of a batch, starting at 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub index: Option<usize>,
    /// Description of the error for OAuth clients (RFC 6749 §5.2).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error_description: Option<String>,
    /// A valid slug derived from the text that was sent; empty if no slug can be derived from it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "rock-roll")]
    pub slugified: Option<String>,
    /// Name of the quota that is exhausted.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "projects_per_team")]
    pub quota: Option<&'static str>,
    /// Limit of the quota.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = 200)]
    pub limit: Option<u64>,
    /// Setting with which the operator of the service changes the quota.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "STEWARD_MAX_PROJECTS_PER_TEAM")]
    pub setting: Option<&'static str>,
    /// `fail` in the responses of health checks; absent otherwise.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "fail")]
    pub status: Option<&'static str>,
    /// Part of the service that fails, in the responses of health checks: `database`, `database writes` or
    /// `shutting down`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "database")]
    pub failing: Option<&'static str>,
}

/// Responses of an operation that needs no credential to a credential that is not accepted (contract 1.2).
#[derive(IntoResponses)]
#[expect(dead_code, reason = "only describes the responses of the extractor `Visitor`")]
pub(crate) enum CredentialError {
    /// The credential is not valid.
    #[response(status = 401)]
    Unauthorized(#[to_schema] ErrorBody),
    /// The caller is not allowed to do this.
    #[response(status = 403)]
    Forbidden(#[to_schema] ErrorBody),
    /// The service is temporarily unavailable.
    #[response(status = 503)]
    Unavailable(#[to_schema] ErrorBody),
}

/// An error that is detected before a use case runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum RequestError {
    UnknownRoute,
    MethodNotAllowed {
        allowed: String,
    },
    BodyTooLarge,
    ExpectedJson,
    ExpectedForm,
    InvalidJson(String),
    BodyTooSlow,
    ExpectedMultipart,
    InvalidMultipart(String),
    /// Too many bytes of responses wait to be read: by this caller, or by all callers together.
    TooManyInFlight {
        by_caller: bool,
    },
}

/// Value of `Retry-After` when too many responses are in flight, in seconds.
const IN_FLIGHT_RETRY: &str = "5";

/// Code and status of each [`RequestError`]. `ErrorCode::ALL` has the codes of use cases.
const REQUEST_ERRORS: &[(&str, StatusCode)] = &[
    ("not_found", StatusCode::NOT_FOUND),
    ("method_not_allowed", StatusCode::METHOD_NOT_ALLOWED),
    ("payload_too_large", StatusCode::PAYLOAD_TOO_LARGE),
    ("unsupported_media_type", StatusCode::UNSUPPORTED_MEDIA_TYPE),
    ("invalid_json", StatusCode::BAD_REQUEST),
    ("body_too_slow", StatusCode::BAD_REQUEST),
    ("invalid_multipart", StatusCode::BAD_REQUEST),
    ("too_many_in_flight", StatusCode::TOO_MANY_REQUESTS),
];

/// Returns all error codes, each once.
pub(crate) fn codes() -> Vec<&'static str> {
    let request_codes = REQUEST_ERRORS.iter().map(|(code, _)| *code).filter(|code| *code != "not_found");
    ErrorCode::ALL.iter().map(|code| code.as_str()).chain(request_codes).collect()
}

impl RequestError {
    fn position(&self) -> usize {
        match self {
            Self::UnknownRoute => 0,
            Self::MethodNotAllowed { .. } => 1,
            Self::BodyTooLarge => 2,
            Self::ExpectedJson | Self::ExpectedForm | Self::ExpectedMultipart => 3,
            Self::InvalidJson(_) => 4,
            Self::BodyTooSlow => 5,
            Self::InvalidMultipart(_) => 6,
            Self::TooManyInFlight { .. } => 7,
        }
    }

    fn message(&self) -> String {
        match self {
            Self::UnknownRoute => "There is no endpoint at this path. See /docs for all endpoints.".into(),
            Self::MethodNotAllowed { allowed } => {
                format!("The method is not allowed at this path. Use one of: {allowed}.")
            }
            Self::BodyTooLarge => "The request body is larger than 1 MiB. Send a smaller one.".into(),
            Self::ExpectedJson => {
                "The Content-Type is not supported. Send JSON with `Content-Type: application/json`.".into()
            }
            Self::ExpectedForm => "The Content-Type is not supported. \
                Send the parameters with `Content-Type: application/x-www-form-urlencoded`."
                .into(),
            Self::BodyTooSlow => "The request body did not arrive in time. Send the request again.".into(),
            Self::ExpectedMultipart => "The Content-Type is not supported. \
                Send the image in the field `file` of a form with `Content-Type: multipart/form-data`."
                .into(),
            Self::TooManyInFlight { by_caller: true } => {
                "Too many of your responses are still unread. Read or close them, then send the request again.".into()
            }
            Self::TooManyInFlight { by_caller: false } => {
                "Too many responses are still unread. Send the request again in a few seconds.".into()
            }
            Self::InvalidMultipart(reason) => format!("The request body is not a valid multipart form: {reason}."),
            Self::InvalidJson(reason) => format!("The request body is not valid JSON: {reason}."),
        }
    }
}

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
    fn new(status: StatusCode, code: &str, message: String) -> Self {
        let body = ErrorBody {
            error: code.to_owned(),
            message,
            valid: None,
            errors: None,
            truncated: None,
            diff: None,
            index: None,
            error_description: None,
            slugified: None,
            quota: None,
            limit: None,
            setting: None,
            status: None,
            failing: None,
        };
        Self { status, body: Box::new(body), headers: Vec::new(), cause: None }
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

    /// Adds `valid: false`, for a document or value that was validated.
    fn with_valid_false(mut self) -> Self {
        self.body.valid = Some(false);
        self
    }

    /// Adds the changes that a schema would make.
    fn with_diff(mut self, diff: &SchemaDiff) -> Self {
        self.body.diff = Some(diff.into());
        self
    }

    /// Adds the index of the failed operation of a batch.
    pub(crate) fn in_batch(mut self, index: usize) -> Self {
        self.body.index = Some(index);
        self
    }

    /// Adds the quota that is exhausted.
    fn with_quota(mut self, quota: Quota, limit: u64) -> Self {
        self.body.quota = Some(quota.as_str());
        self.body.limit = Some(limit);
        self.body.setting = Some(quota.setting());
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

    /// Returns whether this is a server error, whose cause must be logged.
    pub(crate) fn is_server_error(&self) -> bool {
        self.cause.is_some()
    }

    /// Adds what OAuth requires: `error_description`, and headers that forbid caching (RFC 6749 §5.2).
    pub(crate) fn into_oauth(mut self) -> Self {
        self.body.error_description.get_or_insert_with(|| self.body.message.clone());
        self.with(CACHE_CONTROL, "no-store").with(PRAGMA, "no-cache")
    }

    /// The error for a client that sent a secret. Clients of this service have none (RFC 6749 §5.2).
    pub(crate) fn client_has_no_secret() -> Self {
        let message = "Clients of this service have no secret. \
            Send `client_id` in the body, without an Authorization header.";
        Self::new(StatusCode::UNAUTHORIZED, ErrorCode::InvalidClient.as_str(), message.to_owned())
            .with(WWW_AUTHENTICATE, "Basic realm=\"clients\"")
            .into_oauth()
    }

    /// The response to a readiness check during shutdown.
    pub(crate) fn shutting_down() -> Self {
        let message = "The service is shutting down. Send requests to another instance.".to_owned();
        Self::new(StatusCode::SERVICE_UNAVAILABLE, ErrorCode::Unavailable.as_str(), message)
            .with(RETRY_AFTER, "1")
            .with_failing_part("shutting down")
    }

    /// Adds the failing part of the service, for the response to a health check.
    pub(crate) fn with_failing_part(mut self, part: &'static str) -> Self {
        self.body.status = Some("fail");
        self.body.failing = Some(part);
        self
    }

    /// Adds a valid slug that is derived from the text that was sent.
    pub(crate) fn with_slugified(mut self, slugified: String) -> Self {
        self.body.slugified = Some(slugified);
        self
    }
}

impl From<RequestError> for ApiError {
    fn from(error: RequestError) -> Self {
        let unknown = ("internal_error", StatusCode::INTERNAL_SERVER_ERROR);
        let (code, status) = REQUEST_ERRORS.get(error.position()).copied().unwrap_or(unknown);
        let response = Self::new(status, code, error.message());
        match error {
            RequestError::MethodNotAllowed { allowed } => response.with(ALLOW, allowed),
            RequestError::TooManyInFlight { by_caller } => {
                let status = if by_caller { StatusCode::TOO_MANY_REQUESTS } else { StatusCode::SERVICE_UNAVAILABLE };
                Self { status, ..response.with(RETRY_AFTER, IN_FLIGHT_RETRY) }
            }
            _ => response,
        }
    }
}

impl From<HealthError> for ApiError {
    fn from(error: HealthError) -> Self {
        let part = match &error {
            HealthError::Unreachable(_) => "database",
            HealthError::ReadOnly => "database writes",
        };
        let message = error.to_string();
        let mut error = Self::from(Error::Unavailable(error.into())).with_failing_part(part);
        error.body.message = message;
        error
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
        let response = Self::new(status(&error), error.code().as_str(), error.to_string());
        match error {
            Error::Unauthenticated(error) => response.with(WWW_AUTHENTICATE, challenge(error)),
            Error::Forbidden(Forbidden::WrongScope(scope)) => {
                let challenge = format!("Bearer error=\"insufficient_scope\", scope=\"{}\"", scope.as_str());
                response.with(WWW_AUTHENTICATE, challenge)
            }
            Error::Conflict(Conflict::SchemaBreaking(diff)) => response.with_diff(&diff),
            Error::Conflict(Conflict::QuotaExceeded { quota, limit }) => response.with_quota(quota, limit),
            Error::OAuth(_) => response.into_oauth(),
            Error::TooMany { retry_after } => response.with(RETRY_AFTER, retry_after.num_seconds().to_string()),
            Error::Invalid(violations) => response.with_violations(violations.map(|violation| {
                let Violation { field, code, message } = violation;
                json!({"field": field, "code": code.as_str(), "message": message})
            })),
            Error::InvalidSchema { errors, .. } => response.with_violations(errors).with_valid_false(),
            Error::InvalidItem(errors) => {
                let violations = errors.map(|error| json!({"message": error.message, "path": error.path}));
                response.with_violations(violations).with_valid_false()
            }
            Error::Unavailable(cause) => response.with(RETRY_AFTER, "1").with_cause(cause),
            Error::Internal(cause) => response.with_cause(cause),
            _ => response,
        }
    }
}

/// Returns the status of an error (contract 1.4).
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
        Error::NotFound(_) => StatusCode::NOT_FOUND,
        Error::Conflict(_) | Error::AccessChanged => StatusCode::CONFLICT,
        Error::PreconditionFailed(_) => StatusCode::PRECONDITION_FAILED,
        Error::Unavailable(_) => StatusCode::SERVICE_UNAVAILABLE,
        Error::Internal(_) => StatusCode::INTERNAL_SERVER_ERROR,
    }
}

/// Returns the value of `WWW-Authenticate`. Without a credential it has no error code (RFC 6750 §3.1).
fn challenge(error: AuthenticationError) -> &'static str {
    match error {
        AuthenticationError::Missing | AuthenticationError::WrongPassword => "Bearer",
        _ => "Bearer error=\"invalid_token\"",
    }
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
        let mut response = HttpResponse::build(self.status);
        for (name, value) in &self.headers {
            if let Ok(value) = HeaderValue::from_str(value) {
                response.insert_header((name.clone(), value));
            }
        }
        let mut response = response.json(&self.body);
        if let Some(cause) = &self.cause {
            // `frame` logs the cause together with the request ID.
            response.extensions_mut().insert(cause.clone());
        }
        response
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

    #[test]
    fn every_code_is_unique() {
        let mut codes = codes();
        let count = codes.len();
        codes.sort_unstable();
        codes.dedup();
        assert_eq!(codes.len(), count);
    }
}
