//! Errors that are detected before a use case runs.

use actix_web::http::StatusCode;
use actix_web::http::header::{ALLOW, RETRY_AFTER};
use steward_domain::kernel::error::ErrorCode;
use steward_domain::kernel::violations::quoted;
use steward_web::{Rejection, TooManyReceived};

use super::ApiError;
use crate::sync::TooManyConnections;

/// An error that is detected before a use case runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum RequestError {
    UnknownRoute {
        path: String,
        /// The most similar path that exists.
        nearest: Option<&'static str>,
    },
    MethodNotAllowed {
        allowed: String,
    },
    /// The body is larger than this number of bytes.
    BodyTooLarge {
        limit: usize,
    },
    ExpectedJson,
    ExpectedForm,
    /// The text of the body is in another charset than UTF-8.
    UnsupportedCharset(String),
    /// The body is compressed.
    UnsupportedContentEncoding(String),
    InvalidJson(String),
    BodyTooSlow,
    ExpectedMultipart,
    InvalidMultipart(String),
    /// Too many bytes of responses wait to be read: by this caller, or by all callers together.
    TooManyInFlight {
        by_caller: bool,
    },
    /// Too many bytes of request bodies are in memory.
    TooManyReceived,
    /// Too many devices are connected.
    TooManyConnections(TooManyConnections),
}

/// Value of `Retry-After` when too many requests, responses or connections are in flight, in seconds.
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
    ("too_many_connections", StatusCode::TOO_MANY_REQUESTS),
];

/// Returns all error codes, each once.
pub(crate) fn codes() -> Vec<&'static str> {
    let request_codes = REQUEST_ERRORS.iter().map(|(code, _)| *code).filter(|code| *code != "not_found");
    ErrorCode::ALL.iter().map(|code| code.as_str()).chain(request_codes).collect()
}

impl RequestError {
    fn position(&self) -> usize {
        match self {
            Self::UnknownRoute { .. } => 0,
            Self::MethodNotAllowed { .. } => 1,
            Self::BodyTooLarge { .. } => 2,
            Self::ExpectedJson
            | Self::ExpectedForm
            | Self::ExpectedMultipart
            | Self::UnsupportedCharset(_)
            | Self::UnsupportedContentEncoding(_) => 3,
            Self::InvalidJson(_) => 4,
            Self::BodyTooSlow => 5,
            Self::InvalidMultipart(_) => 6,
            Self::TooManyInFlight { .. } | Self::TooManyReceived => 7,
            Self::TooManyConnections(_) => 8,
        }
    }

    fn message(&self) -> String {
        match self {
            Self::UnknownRoute { path, nearest: Some(nearest) } => {
                format!("There is no resource at {}. Did you mean {nearest}?", quoted(path))
            }
            Self::UnknownRoute { path, nearest: None } => {
                format!("There is no resource at {}. See /docs for all endpoints.", quoted(path))
            }
            Self::MethodNotAllowed { allowed } => {
                format!("The method is not allowed at this path. Use one of: {allowed}.")
            }
            Self::BodyTooLarge { limit } => {
                format!("The request body is larger than {}. Send a smaller one.", size(*limit))
            }
            Self::ExpectedJson => {
                "The Content-Type is not supported. Send JSON with `Content-Type: application/json`.".into()
            }
            Self::ExpectedForm => "The Content-Type is not supported. \
                Send the parameters with `Content-Type: application/x-www-form-urlencoded`."
                .into(),
            Self::UnsupportedCharset(name) => {
                format!("The charset {} is not supported. Send the body in UTF-8.", quoted(name))
            }
            Self::UnsupportedContentEncoding(name) => {
                format!("The Content-Encoding {} is not supported. Send the body without compression.", quoted(name))
            }
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
            Self::TooManyReceived => "Too many large request bodies are being processed. \
                Send the request again in a few seconds."
                .into(),
            Self::TooManyConnections(TooManyConnections::Network) => {
                "Too many devices of your network are signing in. \
                Connect again in a few seconds."
                    .into()
            }
            Self::TooManyConnections(TooManyConnections::Process) => "Too many devices are connected. \
                Connect again in a few seconds."
                .into(),
            Self::InvalidMultipart(reason) => format!("The request body is not a valid multipart form: {reason}."),
            Self::InvalidJson(reason) => format!("The request body is not valid JSON: {reason}."),
        }
    }
}

/// Returns a number of bytes as text.
fn size(bytes: usize) -> String {
    const KIB: usize = 1024;
    match bytes {
        bytes if bytes.is_multiple_of(KIB * KIB) => format!("{} MiB", bytes / KIB / KIB),
        bytes => format!("{} KiB", bytes / KIB),
    }
}

impl From<TooManyReceived> for RequestError {
    fn from(_: TooManyReceived) -> Self {
        Self::TooManyReceived
    }
}

impl From<Rejection> for ApiError {
    fn from(rejection: Rejection) -> Self {
        match rejection {
            Rejection::TooManyInFlight { by_caller } => RequestError::TooManyInFlight { by_caller }.into(),
            Rejection::TooManyReceived => RequestError::TooManyReceived.into(),
            Rejection::Failed(error) => error.into(),
        }
    }
}

impl From<RequestError> for ApiError {
    fn from(error: RequestError) -> Self {
        let unknown = ("internal_error", StatusCode::INTERNAL_SERVER_ERROR);
        let (code, status) = REQUEST_ERRORS.get(error.position()).copied().unwrap_or(unknown);
        let response = Self::new(status, code, error.message());
        match error {
            RequestError::MethodNotAllowed { allowed } => response.with(ALLOW, allowed),
            RequestError::TooManyInFlight { by_caller: true }
            | RequestError::TooManyConnections(TooManyConnections::Network) => {
                response.with(RETRY_AFTER, IN_FLIGHT_RETRY)
            }
            RequestError::TooManyInFlight { by_caller: false }
            | RequestError::TooManyReceived
            | RequestError::TooManyConnections(TooManyConnections::Process) => {
                let status = StatusCode::SERVICE_UNAVAILABLE;
                Self { status, ..response.with(RETRY_AFTER, IN_FLIGHT_RETRY) }
            }
            _ => response,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_error_of_a_body_that_is_too_large_names_its_limit() {
        for (limit, text) in [(1024 * 1024, "1 MiB"), (64 * 1024, "64 KiB"), (8256 * 1024, "8256 KiB")] {
            let message = RequestError::BodyTooLarge { limit }.message();
            assert_eq!(message, format!("The request body is larger than {text}. Send a smaller one."));
        }
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
