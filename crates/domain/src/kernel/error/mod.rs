//! Errors: [`Error`], which every use case returns, and the codes by which clients distinguish errors.
//!
//! A new code is declared in `code.rs` and returned by the `code` function of the error that it describes.

mod authentication;
mod code;
mod conflict;
mod field_violations;
mod forbidden;
mod invalid_proof;
mod oauth;
mod unknown_table;

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use chrono::TimeDelta;

use crate::administration::ImageError;
use crate::data::schema::{ItemViolation, SchemaViolation};
use crate::kernel::Slug;
use crate::kernel::violations::{Violation, ViolationCode, Violations};

pub use authentication::AuthenticationError;
pub use code::ErrorCode;
pub use conflict::Conflict;
pub use field_violations::FieldViolations;
pub use forbidden::Forbidden;
pub use invalid_proof::InvalidProof;
pub use oauth::OAuthError;
pub use unknown_table::UnknownTable;

// Most errors name the kind of the resource that they are about.
pub use crate::kernel::ResourceKind;

/// Internal cause of a failure. It is logged and never sent to the caller.
pub type Cause = anyhow::Error;

/// What is logged of an error. Adapters add it to the extensions of the error's response.
#[derive(Debug, Clone)]
pub struct LoggedError {
    /// The code.
    pub code: Cow<'static, str>,
    /// The cause of a server error.
    pub cause: Option<Arc<Cause>>,
}

impl LoggedError {
    /// An error that is not one of the server.
    pub fn of_request(code: impl Into<Cow<'static, str>>) -> Self {
        Self { code: code.into(), cause: None }
    }
}

/// Why a use case failed.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Fields of the input are not valid.
    #[error("{0}")]
    Invalid(Violations<Violation>),
    /// The slug is reserved for the service.
    #[error("The slug \"{0}\" is reserved. Choose another one.")]
    SlugReserved(Slug),
    /// The document is not a valid schema, or it cannot follow the newest version.
    #[error("{message}")]
    InvalidSchema {
        /// Summary of the violations.
        message: String,
        /// The violations, as they appear in `errors`.
        errors: Violations<serde_json::Value>,
    },
    /// The value does not match its table.
    #[error("{}", .0.as_slice().first().map_or("The value does not match its table.", |violation| violation.summary))]
    InvalidItem(Violations<ItemViolation>),
    /// The value exceeds the maximum size of an item.
    #[error("The value is too large: an item can hold at most 256 KiB of JSON. Split it into several items.")]
    ItemTooLarge,
    /// The file is not an image that a project can use.
    #[error(transparent)]
    Image(#[from] ImageError),
    /// One operation of a batch failed, so the whole batch failed.
    #[error("Operation {index}: {error}")]
    InBatch {
        /// Index of the operation, starting at 0.
        index: usize,
        /// Why the operation failed.
        error: Box<Error>,
    },
    /// The credential is missing or not valid.
    #[error(transparent)]
    Unauthenticated(#[from] AuthenticationError),
    /// The caller is authenticated but not allowed.
    #[error(transparent)]
    Forbidden(#[from] Forbidden),
    /// The resource does not exist, or the caller is not allowed to know that it does.
    #[error("The {0} does not exist, or you do not have access to it.")]
    NotFound(ResourceKind),
    /// The newest schema of the project does not have the table.
    #[error("{0}")]
    UnknownTable(UnknownTable),
    /// The change conflicts with the current state.
    #[error(transparent)]
    Conflict(#[from] Conflict),
    /// A precondition of the request does not hold.
    #[error("The {0} does not match the If-Match or If-None-Match header. Read it again, then retry.")]
    PreconditionFailed(ResourceKind),
    /// The access that the request was checked against is outdated. Authenticate again and retry once.
    #[error("The caller's access changed while the request was running. Try again.")]
    AccessChanged,
    /// An OAuth error.
    #[error(transparent)]
    OAuth(#[from] OAuthError),
    /// A rate limit was exceeded.
    #[error("Too many attempts. Try again in {} s.", .retry_after.num_seconds())]
    TooMany {
        /// How long to wait, in whole seconds.
        retry_after: TimeDelta,
    },
    /// A part of the service cannot be reached or is overloaded.
    #[error("The service is temporarily unavailable. Try again.")]
    Unavailable(#[source] Cause),
    /// The connection to the database broke, or its time limit passed, while it stored the change.
    #[error(
        "It is not known whether the change was stored. Repeat the request with the same Idempotency-Key to find out, or read \
         the resource."
    )]
    OutcomeUnknown(#[source] Cause),
    /// The disk of the database is full. Nothing was stored.
    #[error("The service has no space left to store data. Reading still works. Its operator has to free disk space.")]
    StorageFull(#[source] Cause),
    /// An internal error. Only the log contains the cause.
    #[error("The request failed because of an internal error.")]
    Internal(#[source] Cause),
}

impl Error {
    /// Returns the cause of an error of the service itself. It is for the log, and not part of the message.
    pub fn cause(&self) -> Option<&Cause> {
        match self {
            Self::Unavailable(cause)
            | Self::OutcomeUnknown(cause)
            | Self::StorageFull(cause)
            | Self::Internal(cause) => Some(cause),
            _ => None,
        }
    }

    /// Returns the stable, machine-readable code.
    pub fn code(&self) -> ErrorCode {
        match self {
            Self::Invalid(violations) => {
                let unknown = violations.as_slice().iter().any(|one| one.code == ViolationCode::UnknownField);
                if unknown { ErrorCode::UnknownField } else { ErrorCode::InvalidRequest }
            }
            Self::SlugReserved(_) => ErrorCode::SlugReserved,
            Self::InvalidSchema { .. } => ErrorCode::InvalidSchema,
            Self::InvalidItem(_) => ErrorCode::InvalidItem,
            Self::ItemTooLarge => ErrorCode::ItemTooLarge,
            Self::Image(ImageError::TooLarge(_)) => ErrorCode::ImageTooLarge,
            Self::Image(ImageError::UnsupportedFormat) => ErrorCode::UnsupportedImage,
            Self::Image(_) => ErrorCode::InvalidImage,
            Self::InBatch { error, .. } => error.code(),
            Self::Unauthenticated(error) => error.code(),
            Self::Forbidden(reason) => reason.code(),
            Self::NotFound(_) | Self::UnknownTable(_) => ErrorCode::NotFound,
            Self::Conflict(conflict) => conflict.code(),
            Self::PreconditionFailed(_) => ErrorCode::PreconditionFailed,
            Self::AccessChanged => ErrorCode::Contended,
            Self::OAuth(error) => error.code,
            Self::TooMany { .. } => ErrorCode::TooManyRequests,
            Self::Unavailable(_) => ErrorCode::Unavailable,
            Self::OutcomeUnknown(_) => ErrorCode::OutcomeUnknown,
            Self::StorageFull(_) => ErrorCode::StorageFull,
            Self::Internal(_) => ErrorCode::Internal,
        }
    }

    /// Returns whether the service itself failed, so that the request may succeed later.
    pub fn is_failure(&self) -> bool {
        self.cause().is_some()
    }

    /// Creates an error for one field that is not valid.
    pub fn invalid(field: &'static str, violation: impl fmt::Display) -> Self {
        Self::Invalid(std::iter::once(Violation::invalid(field, violation)).collect())
    }

    /// Creates the error of an operator command for an account that is disabled.
    pub(crate) fn account_disabled() -> Self {
        Self::invalid("email", "The account is disabled. Enable it with `steward account enable` first.")
    }

    /// Wraps the error of one operation of a batch. `index` starts at 0.
    pub fn in_batch(self, index: usize) -> Self {
        Self::InBatch { index, error: Box::new(self) }
    }

    /// Creates the error for a schema document with violations.
    pub fn invalid_schema(violations: Violations<SchemaViolation>) -> Self {
        Self::InvalidSchema {
            message: format!("The schema is not valid. {}", SchemaViolation::summary(&violations)),
            errors: violations.map(|violation| violation.to_value()),
        }
    }
}
