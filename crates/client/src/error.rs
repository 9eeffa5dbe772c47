//! Errors of the API and of its transport.

use std::error::Error as StdError;
use std::fmt;
#[cfg(any(feature = "live", feature = "sign-in"))]
use std::sync::Arc;
use std::time::Duration;

use reqwest::header::{HeaderMap, RETRY_AFTER};
#[cfg(feature = "live")]
use serde_json::json;
use serde_json::{Map, Value};

/// Why a request failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The request is not valid (status 400, 405, 413 or 415).
    #[error("{0}")]
    Invalid(Box<ApiError>),
    /// The credential is missing, invalid or expired (status 401).
    #[error("{0}")]
    Unauthorized(Box<ApiError>),
    /// The credential does not have the permission (status 403).
    #[error("{0}")]
    Forbidden(Box<ApiError>),
    /// The resource does not exist, or the caller may not know that it does (status 404).
    #[error("{0}")]
    NotFound(Box<ApiError>),
    /// The request conflicts with the state of the service, such as a slug that is taken (status 409).
    #[error("{0}")]
    Conflict(Box<ApiError>),
    /// The resource changed since the version in `If-Match` (status 412).
    #[error("{0}")]
    PreconditionFailed(Box<ApiError>),
    /// A rate limit is exceeded (status 429), and retries did not help.
    #[error("{0}")]
    RateLimited(Box<ApiError>),
    /// The service is not available (status 502, 503 or 504), and retries did not help.
    #[error("{0}")]
    Unavailable(Box<ApiError>),
    /// Another status, such as 500.
    #[error("{0}")]
    Other(Box<ApiError>),
    /// The service could not be reached, or the connection was lost.
    #[error("Cannot reach {server}")]
    Transport {
        /// URL of the service.
        server: String,
        /// The cause.
        #[source]
        source: reqwest::Error,
    },
    /// The body of a response does not have the expected form.
    #[error("The response of the service is not valid")]
    Decode(#[source] serde_json::Error),
    /// The body of a response is too large.
    #[error("The response is larger than {0} bytes.")]
    ResponseTooLarge(usize),
    /// The URL of the service is not valid.
    #[error("{0}")]
    InvalidServer(String),
    /// The request cannot be sent, for example because an ID or a header is not valid.
    #[error("{0}")]
    InvalidRequest(String),
    /// A WebSocket connection was lost, or a message is not valid. Live items connect again.
    #[error("{0}")]
    Connection(String),
    /// The person was not signed in.
    #[error("{message}")]
    SignInFailed {
        /// Code of OAuth 2.0, such as `access_denied`, or `sign_in_failed`.
        code: String,
        /// What is wrong.
        message: String,
    },
    /// The sign-in has ended, or its tokens are unknown.
    #[error("The sign-in has ended. Sign in again.")]
    SignedOut,
    /// The [`TokenSource`](crate::TokenSource) returned no token.
    #[error("Cannot get an access token")]
    Token(#[source] TokenError),
}

impl Error {
    /// Returns the error of the API, unless the error is one of the transport.
    pub fn api(&self) -> Option<&ApiError> {
        match self {
            Self::Invalid(error)
            | Self::Unauthorized(error)
            | Self::Forbidden(error)
            | Self::NotFound(error)
            | Self::Conflict(error)
            | Self::PreconditionFailed(error)
            | Self::RateLimited(error)
            | Self::Unavailable(error)
            | Self::Other(error) => Some(error),
            _ => None,
        }
    }

    /// Returns an error of the transport. It does not name the URL of the request, whose query can contain secrets.
    pub(crate) fn transport(server: &str, source: reqwest::Error) -> Self {
        Self::Transport { server: server.to_owned(), source: source.without_url() }
    }

    /// Returns the error of a token that the service did not accept, when no response says so.
    #[cfg(feature = "live")]
    pub(crate) fn unauthorized(message: &str) -> Self {
        let body = json!({"error": "unauthorized", "message": message});
        Self::of_response(401, &HeaderMap::new(), body.to_string().as_bytes())
    }

    /// Returns whether the next attempt may succeed.
    #[cfg(any(feature = "live", feature = "sign-in"))]
    pub(crate) fn is_temporary(&self) -> bool {
        match self {
            Self::Transport { source, .. } => !source.is_builder(),
            Self::Connection(_) | Self::RateLimited(_) | Self::Unavailable(_) => true,
            Self::Other(error) => error.status >= 500,
            // A token source that refreshes tokens has errors of this type, and can share them.
            Self::Token(error) => match (error.downcast_ref::<Self>(), error.downcast_ref::<Arc<Self>>()) {
                (Some(error), _) => error.is_temporary(),
                (None, error) => error.is_some_and(|error| error.is_temporary()),
            },
            _ => false,
        }
    }

    pub(crate) fn of_response(status: u16, headers: &HeaderMap, body: &[u8]) -> Self {
        let error = Box::new(ApiError::of_response(status, headers, body));
        match status {
            400 | 405 | 413 | 415 => Self::Invalid(error),
            401 => Self::Unauthorized(error),
            403 => Self::Forbidden(error),
            404 => Self::NotFound(error),
            409 => Self::Conflict(error),
            412 => Self::PreconditionFailed(error),
            429 => Self::RateLimited(error),
            502..=504 => Self::Unavailable(error),
            _ => Self::Other(error),
        }
    }
}

/// The error in a response.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ApiError {
    /// Status of the response.
    pub status: u16,
    /// Machine-readable error code, such as `slug_taken`. Empty if the response is not from the service itself.
    pub code: String,
    /// What is wrong and how to fix it.
    pub message: String,
    /// All violations of the request, at most 100.
    pub errors: Vec<Violation>,
    /// ID of the request in the log of the service.
    pub request_id: Option<String>,
    /// How long to wait before the next attempt.
    pub retry_after: Option<Duration>,
    /// The other members of the error, such as `quota` or `diff`.
    pub details: Map<String, Value>,
}

impl fmt::Display for ApiError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl ApiError {
    fn of_response(status: u16, headers: &HeaderMap, body: &[u8]) -> Self {
        let header = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
        let mut details: Map<String, Value> = serde_json::from_slice(body).unwrap_or_default();
        let (message, errors) = (text(details.remove("message")), details.remove("errors"));
        Self {
            status,
            code: text(details.remove("error")).unwrap_or_default(),
            message: message.unwrap_or_else(|| format!("The service responded with status {status}.")),
            errors: errors.iter().filter_map(Value::as_array).flatten().map(Violation::of).collect(),
            request_id: header("x-request-id").map(str::to_owned),
            retry_after: header(RETRY_AFTER.as_str()).and_then(|value| value.parse().ok()).map(Duration::from_secs),
            details,
        }
    }
}

/// One reason why a request is not valid.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Violation {
    /// The field of the request, or the path in a document.
    pub field: Option<String>,
    /// Machine-readable code, such as `missing_field`.
    pub code: Option<String>,
    /// What is wrong.
    pub message: String,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.field {
            Some(field) => write!(f, "{field}: {}", self.message),
            None => f.write_str(&self.message),
        }
    }
}

impl Violation {
    /// Reads a violation from JSON, such as an entry of [`SchemaCheck::errors`](crate::SchemaCheck::errors). The message
    /// includes the allowed values, if there are any.
    pub fn of(error: &Value) -> Self {
        let member = |name: &str| error.get(name).and_then(Value::as_str).filter(|text| !text.is_empty());
        let field = member("field").or_else(|| member("path")).or_else(|| member("instancePath"));
        let mut message = member("message").unwrap_or_default().to_owned();
        if let Some(allowed) = error.pointer("/params/allowedValues").and_then(Value::as_array) {
            let allowed: Vec<String> =
                allowed.iter().map(|value| value.as_str().map_or_else(|| value.to_string(), str::to_owned)).collect();
            message = format!("{message}: {}", allowed.join(", "));
        }
        Self { field: field.map(str::to_owned), code: member("code").map(str::to_owned), message }
    }
}

fn text(value: Option<Value>) -> Option<String> {
    value?.as_str().map(str::to_owned)
}

/// Error of a [`TokenSource`](crate::TokenSource).
pub type TokenError = Box<dyn StdError + Send + Sync>;
