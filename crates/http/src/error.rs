//! Errors at the edge: one body, one place that knows statuses.

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

/// What went wrong and how to mend it.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub(crate) struct ErrorBody {
    /// A stable code, for programs.
    pub error: String,
    /// What is wrong and how to mend it, for people.
    pub message: String,
    /// `false` when a document or value was checked and has errors.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub valid: Option<bool>,
    /// What is wrong, all of it together: at most 100 violations. Of a request: `field`, `code` (`unknown_field`,
    /// `missing_field`, `invalid_type` or `invalid_value`) and `message` each.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Vec<Object>>)]
    pub errors: Option<Vec<Value>>,
    /// `true` when there are more violations than `errors` lists.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub truncated: Option<bool>,
    /// What a schema that was refused would change, and the items that would no longer fit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub diff: Option<DiffBody>,
    /// Which operation of a batch is wrong, counted from 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub index: Option<usize>,
    /// What is wrong, in the words of OAuth (RFC 6749 §5.2).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error_description: Option<String>,
    /// The slug that the given text would give.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub slugified: Option<String>,
    /// The quota that is used up.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub quota: Option<&'static str>,
    /// How many the quota allows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<u64>,
    /// The setting by which the operator of the service changes the quota.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub setting: Option<&'static str>,
    /// How the service is, where that was asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<&'static str>,
    /// The part of the service that fails.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failing: Option<&'static str>,
}

/// How any operation refuses a credential that it was sent and did not need (contract 1.2).
#[derive(IntoResponses)]
#[expect(dead_code, reason = "only describes what the extractor `Visitor` answers")]
pub(crate) enum CredentialError {
    /// a credential that is not valid
    #[response(status = 401)]
    Unauthorized(#[to_schema] ErrorBody),
    /// a credential that is good, but not for this
    #[response(status = 403)]
    Forbidden(#[to_schema] ErrorBody),
    /// the service cannot answer right now
    #[response(status = 503)]
    Unavailable(#[to_schema] ErrorBody),
}

/// What is wrong with a request before any use case sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum RequestError {
    UnknownRoute,
    MethodNotAllowed {
        allowed: String,
    },
    BodyTooLarge,
    NotJsonType,
    NotFormType,
    NotJson(String),
    BodyTooSlow,
    NotMultipartType,
    NotMultipart(String),
    /// No room for the response: because of the caller's own, or of all.
    TooManyInFlight {
        by_caller: bool,
    },
}

/// When there may be room for a response again, in seconds.
const IN_FLIGHT_RETRY: &str = "5";

/// Code and status of each error of a request. The codes of use cases are `ErrorCode::ALL`.
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

/// Every code an error can have, once each.
pub(crate) fn codes() -> Vec<&'static str> {
    let of_requests = REQUEST_ERRORS.iter().map(|(code, _)| *code).filter(|code| *code != "not_found");
    ErrorCode::ALL.iter().map(|code| code.as_str()).chain(of_requests).collect()
}

impl RequestError {
    fn place(&self) -> usize {
        match self {
            Self::UnknownRoute => 0,
            Self::MethodNotAllowed { .. } => 1,
            Self::BodyTooLarge => 2,
            Self::NotJsonType | Self::NotFormType | Self::NotMultipartType => 3,
            Self::NotJson(_) => 4,
            Self::BodyTooSlow => 5,
            Self::NotMultipart(_) => 6,
            Self::TooManyInFlight { .. } => 7,
        }
    }

    fn message(&self) -> String {
        match self {
            Self::UnknownRoute => "there is nothing at this address; see /docs".into(),
            Self::MethodNotAllowed { allowed } => format!("this address takes {allowed}"),
            Self::BodyTooLarge => "the body is larger than 1 MiB".into(),
            Self::NotJsonType => "send the body as JSON with Content-Type: application/json".into(),
            Self::NotFormType => "send the body with Content-Type: application/x-www-form-urlencoded".into(),
            Self::BodyTooSlow => "the body did not arrive in time; send it again".into(),
            Self::NotMultipartType => {
                "send the image in the field file of a form: Content-Type: multipart/form-data".into()
            }
            Self::TooManyInFlight { by_caller: true } => {
                "Too many of your responses are not read yet. Read or close them, then send the request again.".into()
            }
            Self::TooManyInFlight { by_caller: false } => {
                "Too many responses are not read yet. Send the request again in a few seconds.".into()
            }
            Self::NotMultipart(why) => format!("the body is no multipart form that can be taken: {why}"),
            Self::NotJson(why) => format!("the body is no JSON that can be taken: {why}"),
        }
    }
}

/// A refusal as it is answered.
#[derive(Debug)]
pub(crate) struct ApiError {
    status: StatusCode,
    body: Box<ErrorBody>,
    headers: Vec<(HeaderName, String)>,
    /// Why it could not be done: for the log only.
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

    /// The same refusal with what is wrong.
    fn with_violations(mut self, violations: Violations<Value>) -> Self {
        self.body.truncated = violations.is_truncated().then_some(true);
        self.body.errors = Some(violations.as_slice().to_vec());
        self
    }

    /// Whether it says what is wrong with the fields of a request.
    pub(crate) fn lists_violations(&self) -> bool {
        self.body.valid.is_none() && self.body.errors.is_some()
    }

    /// The same refusal of a document or value that was checked.
    fn not_valid(mut self) -> Self {
        self.body.valid = Some(false);
        self
    }

    /// The same refusal with what a schema would change.
    fn with_diff(mut self, diff: &SchemaDiff) -> Self {
        self.body.diff = Some(diff.into());
        self
    }

    /// The same refusal as that of one operation of a batch.
    pub(crate) fn in_batch(mut self, index: usize) -> Self {
        self.body.index = Some(index);
        self
    }

    /// The same refusal with the quota that is used up.
    fn over(mut self, quota: Quota, limit: u64) -> Self {
        self.body.quota = Some(quota.as_str());
        self.body.limit = Some(limit);
        self.body.setting = Some(quota.setting());
        self
    }

    fn because(self, cause: Cause) -> Self {
        Self { cause: Some(Arc::new(cause)), ..self }
    }

    /// Whether it is no error of the caller's: then its cause is to be logged with the answer.
    pub(crate) fn is_ours(&self) -> bool {
        self.cause.is_some()
    }

    /// The same refusal as OAuth tells it: described, and kept by nobody (RFC 6749 §5.2).
    pub(crate) fn of_oauth(mut self) -> Self {
        self.body.error_description.get_or_insert_with(|| self.body.message.clone());
        self.with(CACHE_CONTROL, "no-store").with(PRAGMA, "no-cache")
    }

    /// The refusal of a client that sent a secret, as none here has one (RFC 6749 §5.2).
    pub(crate) fn client_has_no_secret() -> Self {
        let message = "clients have no secrets here: send client_id in the body, and no Authorization header";
        Self::new(StatusCode::UNAUTHORIZED, ErrorCode::InvalidClient.as_str(), message.to_owned())
            .with(WWW_AUTHENTICATE, "Basic realm=\"clients\"")
            .of_oauth()
    }

    /// The answer of a service that is shutting down to whether it is ready.
    pub(crate) fn shutting_down() -> Self {
        let message = "The service is shutting down. Send requests to another instance.".to_owned();
        Self::new(StatusCode::SERVICE_UNAVAILABLE, ErrorCode::Unavailable.as_str(), message)
            .with(RETRY_AFTER, "1")
            .failing("shutting down")
    }

    /// The same refusal as an answer to how the service is.
    pub(crate) fn failing(mut self, part: &'static str) -> Self {
        self.body.status = Some("fail");
        self.body.failing = Some(part);
        self
    }

    /// The same refusal with the slug that the text would give.
    pub(crate) fn with_slugified(mut self, slugified: String) -> Self {
        self.body.slugified = Some(slugified);
        self
    }
}

impl From<RequestError> for ApiError {
    fn from(error: RequestError) -> Self {
        let unknown = ("internal_error", StatusCode::INTERNAL_SERVER_ERROR);
        let (code, status) = REQUEST_ERRORS.get(error.place()).copied().unwrap_or(unknown);
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
        let mut error = Self::from(Error::Unavailable(error.into())).failing(part);
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
        let answer = Self::new(status(&error), error.code().as_str(), error.to_string());
        match error {
            Error::Unauthenticated(error) => answer.with(WWW_AUTHENTICATE, challenge(error)),
            Error::Forbidden(Forbidden::WrongScope(scope)) => {
                let challenge = format!("Bearer error=\"insufficient_scope\", scope=\"{}\"", scope.as_str());
                answer.with(WWW_AUTHENTICATE, challenge)
            }
            Error::Conflict(Conflict::SchemaBreaking(diff)) => answer.with_diff(&diff),
            Error::Conflict(Conflict::QuotaExceeded { quota, limit }) => answer.over(quota, limit),
            Error::OAuth(_) => answer.of_oauth(),
            Error::TooMany { retry_after } => answer.with(RETRY_AFTER, retry_after.num_seconds().to_string()),
            Error::Invalid(violations) => answer.with_violations(violations.map(|violation| {
                let Violation { field, code, message } = violation;
                json!({"field": field, "code": code.as_str(), "message": message})
            })),
            Error::InvalidSchema { errors, .. } => answer.with_violations(errors).not_valid(),
            Error::InvalidItem(errors) => {
                let told = errors.map(|error| json!({"message": error.message, "path": error.path}));
                answer.with_violations(told).not_valid()
            }
            Error::Unavailable(cause) => answer.with(RETRY_AFTER, "1").because(cause),
            Error::Internal(cause) => answer.because(cause),
            _ => answer,
        }
    }
}

/// The status of each error (contract 1.4).
fn status(error: &Error) -> StatusCode {
    match error {
        Error::ItemTooLarge | Error::Image(ImageError::TooLarge(_)) => StatusCode::PAYLOAD_TOO_LARGE,
        Error::Image(ImageError::OtherFormat) => StatusCode::UNSUPPORTED_MEDIA_TYPE,
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

/// RFC 6750 §3.1: without a credential no error is told.
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
            // It is logged where the request's id is known.
            response.extensions_mut().insert(cause.clone());
        }
        response
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_outage_says_when_to_try_again_and_a_failure_says_nothing_of_its_cause() {
        let outage = ApiError::from(Error::Unavailable(anyhow::anyhow!("secret host"))).error_response();
        assert_eq!(outage.status(), 503);
        assert!(outage.headers().contains_key(RETRY_AFTER));
        let failure = ApiError::from(Error::Internal(anyhow::anyhow!("secret host")));
        assert!(!failure.to_string().contains("secret"));
    }

    #[test]
    fn every_code_stands_once() {
        let mut codes = codes();
        let count = codes.len();
        codes.sort_unstable();
        codes.dedup();
        assert_eq!(codes.len(), count);
    }
}
