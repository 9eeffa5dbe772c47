//! Errors: [`Error`], which every use case returns, and the codes by which clients distinguish errors.

mod code;
mod kind;
mod violations;

use std::fmt;

use chrono::TimeDelta;

use crate::model::schema::{ItemViolation, SchemaDiff, SchemaViolation};
use crate::model::{ImageError, Scope, Slug};
use crate::policy::{Permission, Quota};

pub use code::{ErrorCode, ViolationCode};
pub use kind::ResourceKind;
pub use violations::{MAX_VIOLATIONS, Violation, Violations, quoted};

/// Internal cause of a failure. It is logged and never sent to the caller.
pub type Cause = anyhow::Error;

/// Why authentication failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum AuthenticationError {
    /// The request has no credential.
    #[error("No credential was sent. Send `Authorization: Bearer <access token or API key>`.")]
    Missing,
    /// The `Authorization` header does not use the Bearer scheme.
    #[error("The Authorization header is not valid. Send `Authorization: Bearer <access token or API key>`.")]
    NotBearer,
    /// The access token was not issued by this service, was modified, or has another audience.
    #[error("The access token is not valid. Sign in again.")]
    InvalidToken,
    /// The access token has expired.
    #[error("The access token has expired. Sign in again.")]
    ExpiredToken,
    /// The API key or personal access token is malformed or its checksum is wrong.
    #[error("The API key or personal access token is mistyped: its checksum does not match. Copy it again in full.")]
    MistypedKey,
    /// No such API key or personal access token: it was deleted, regenerated, or never created by this service.
    #[error("The API key or personal access token does not exist. Check whether it was deleted or regenerated.")]
    UnknownKey,
    /// The API key or personal access token has expired.
    #[error("The API key or personal access token has expired. Create a new one.")]
    ExpiredKey,
    /// A browser sent a private API key.
    #[error("A private API key must not be sent from a browser, where anyone can read it. Use a public key.")]
    PrivateKeyInBrowser,
    /// The email, username or password is wrong. The message does not say which one.
    #[error("The email, username or password is wrong. Check them and try again.")]
    WrongPassword,
    /// The account of the access token was deleted.
    #[error("The account of this access token no longer exists. Sign in with another account.")]
    UnknownAccount,
    /// The sign-in for which the access token was issued has ended.
    #[error("The access token was revoked. Sign in again.")]
    RevokedToken,
    /// The access token was issued for a project, but the operation requires one for this service.
    #[error("This access token was issued for a project. Use an access token that was issued for this service.")]
    ProjectToken,
    /// The access token was issued for this service, but the operation requires one for a project.
    #[error("This access token was not issued for a project. Sign in to the project.")]
    ServiceToken,
}

/// Why an authenticated caller is not allowed to do something.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Forbidden {
    /// The caller does not have the permission.
    #[error("This operation requires the permission `{0}`. Use a credential that has it.")]
    MissingPermission(Permission),
    /// The operation does not accept API keys.
    #[error("This operation does not accept API keys. Use an access token.")]
    ApiKeyNotAccepted,
    /// The operation does not accept personal access tokens.
    #[error("This operation does not accept personal access tokens. Sign in and use an access token.")]
    PersonalTokenNotAccepted,
    /// The operation does not accept public API keys.
    #[error("This operation does not accept public API keys. Use a private key from a server.")]
    PublicKey,
    /// The access token does not have the scope.
    #[error("This operation requires the scope `{}`. Use an access token that has it.", .0.as_str())]
    WrongScope(Scope),
    /// The caller tried to grant permissions that they do not have.
    #[error("You can grant only permissions that you have. You do not have: {}.", names(.0))]
    ExceedsOwnPermissions(Vec<Permission>),
    /// The caller tried to add, change or remove an owner without being an owner.
    #[error("Only owners can add, change or remove owners. Ask an owner of the team to do it.")]
    OwnersOnly,
    /// Only the operator can create accounts.
    #[error("Sign-up is closed. Ask the operator of this service for an account.")]
    SignUpClosed,
    /// Only email addresses with a pending invite can sign up.
    #[error("Sign-up requires an invite to this email address. Ask a team to invite you.")]
    SignUpByInvite,
    /// Only email addresses of these domains can sign up. Holds the comma-separated domains.
    #[error("Sign-up requires an email address at one of these domains: {0}.")]
    SignUpDomain(String),
    /// The project has blocked this user.
    #[error("The user is blocked in this project. Contact the team that owns the project.")]
    Blocked,
}

fn names(permissions: &[Permission]) -> String {
    permissions.iter().map(|permission| permission.as_str()).collect::<Vec<_>>().join(", ")
}

fn slugs(slugs: &[Slug]) -> String {
    slugs.iter().map(Slug::as_str).collect::<Vec<_>>().join(", ")
}

/// Why a change conflicts with the current state.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Conflict {
    /// Another team or project has the slug.
    #[error("The slug \"{slug}\" is already taken. Choose another one, such as \"{free}\".")]
    SlugTaken {
        /// The requested slug.
        slug: Slug,
        /// A similar slug that is available.
        free: Slug,
    },
    /// Another account has the email.
    #[error("An account with this email already exists. Sign in instead.")]
    EmailTaken,
    /// Another account has the username.
    #[error("This username is already taken. Choose another one.")]
    UsernameTaken,
    /// The change would leave the team without an owner.
    #[error("A team must have at least one owner. Make another member an owner first.")]
    LastOwner,
    /// The change would leave these teams without an owner.
    #[error(
        "The account is the last owner of these teams: {}. Make another member an owner or delete the teams first.",
        slugs(.0)
    )]
    LastOwnerOf(Vec<Slug>),
    /// A new signing key is already published and not in use yet. Holds the RFC 3339 time from which it is used.
    #[error("A new signing key is already published and is used from {0}. Use --now to use it immediately.")]
    SigningKeyPending(String),
    /// The account is already a member of the team.
    #[error("The account is already a member of the team.")]
    AlreadyMember,
    /// The team still owns projects.
    #[error("The team still owns projects. Delete them first.")]
    TeamOwnsProjects,
    /// The schema version is already published.
    #[error(
        "Schema version {current} is already published. Read it, apply your changes to it and publish version {}.",
        .current.saturating_add(1)
    )]
    VersionTaken {
        /// The newest published version.
        current: u32,
    },
    /// Stored items would no longer match the schema.
    #[error(
        "Some stored items would no longer match the schema (see `diff`). To publish it anyway, add \
         ?allow_destructive=true. No data is deleted."
    )]
    SchemaBreaking(SchemaDiff),
    /// Checking the stored items against the schema takes too long.
    #[error(
        "The changed tables contain too many items to check them against the schema. To publish it without the check, \
         add ?allow_destructive=true. No data is deleted."
    )]
    TooManyItems,
    /// The user is disconnected or blocked, so their data cannot be changed.
    #[error(
        "The user is not connected to the project, so their data cannot be changed. Connect or unblock the user first."
    )]
    UserNotConnected,
    /// The `Idempotency-Key` was used for a different request.
    #[error("This Idempotency-Key was already used for a different request. Use a new key for each request.")]
    IdempotencyMismatch,
    /// The first request with the `Idempotency-Key` has not finished yet.
    #[error("The first request with this Idempotency-Key is still in progress. Try again in a moment.")]
    IdempotencyInProgress,
    /// The first request with the `Idempotency-Key` was completed, but its response was not stored.
    #[error(
        "The first request with this Idempotency-Key was completed, but its response was lost. Read the resource to \
         see the result."
    )]
    IdempotencyResponseLost,
    /// The change would exceed a quota.
    #[error("The limit of {limit} {quota} is reached. Delete some, or ask the operator to raise {}.", .quota.setting())]
    QuotaExceeded {
        /// The quota that would be exceeded.
        quota: Quota,
        /// Its limit.
        limit: u64,
    },
    /// Other requests changed the resource between read and write, in every attempt.
    #[error("The {0} is being changed by other requests. Try again.")]
    Contended(ResourceKind),
}

/// An OAuth error response (RFC 6749 §4.1.2.1 and §5.2, OpenID Connect Core §3.1.2.6).
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{description}")]
pub struct OAuthError {
    /// The `error` parameter.
    pub code: ErrorCode,
    /// The `error_description` parameter: printable ASCII without quotes and backslashes.
    pub description: String,
}

impl OAuthError {
    /// Creates an error. Characters of the description that RFC 6749 does not allow are removed.
    pub fn new(code: ErrorCode, description: impl fmt::Display) -> Self {
        let allowed = |c: &char| matches!(c, ' '..='~') && !matches!(c, '"' | '\\');
        Self { code, description: description.to_string().chars().filter(allowed).collect() }
    }

    /// Creates an `invalid_request` error: the request is malformed.
    pub fn request(description: impl fmt::Display) -> Self {
        Self::new(ErrorCode::InvalidRequest, description)
    }

    /// Creates an `invalid_grant` error: the code or refresh token is not valid, or belongs to another client.
    pub fn grant(description: impl fmt::Display) -> Self {
        Self::new(ErrorCode::InvalidGrant, description)
    }
}

/// Why a use case failed.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Fields of the input are not valid.
    #[error("{}", sentences(.0))]
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
    #[error("{0}")]
    Image(ImageError),
    /// One operation of a batch failed, so the whole batch failed.
    #[error("Operation {index}: {error}")]
    InBatch {
        /// Index of the operation, starting at 0.
        index: usize,
        /// Why the operation failed.
        error: Box<Error>,
    },
    /// The credential is missing or not valid.
    #[error("{0}")]
    Unauthenticated(AuthenticationError),
    /// The caller is authenticated but not allowed.
    #[error("{0}")]
    Forbidden(Forbidden),
    /// The resource does not exist, or the caller is not allowed to know that it does.
    #[error("The {0} does not exist, or you do not have access to it.")]
    NotFound(ResourceKind),
    /// The change conflicts with the current state.
    #[error("{0}")]
    Conflict(Conflict),
    /// A precondition of the request does not hold.
    #[error("The {0} does not match the If-Match or If-None-Match header. Read it again, then retry.")]
    PreconditionFailed(ResourceKind),
    /// The access that the request was checked against is outdated. Authenticate again and retry once.
    #[error("The caller's access changed while the request was running. Try again.")]
    AccessChanged,
    /// An OAuth error.
    #[error("{0}")]
    OAuth(OAuthError),
    /// A rate limit was exceeded.
    #[error("Too many attempts. Try again in {} s.", .retry_after.num_seconds())]
    TooMany {
        /// How long to wait, in whole seconds.
        retry_after: TimeDelta,
    },
    /// A part of the service cannot be reached or is overloaded.
    #[error("The service is temporarily unavailable. Try again.")]
    Unavailable(#[source] Cause),
    /// An internal error. Only the log contains the cause.
    #[error("The request failed because of an internal error.")]
    Internal(#[source] Cause),
}

/// Maximum number of violations in the message of [`Error::Invalid`]. The response lists all of them in `errors`.
const MAX_SENTENCES: usize = 5;

/// Joins violations into one message such as `name: is required; slug: must not be empty.`
fn sentences(violations: &Violations<Violation>) -> String {
    let all = violations.as_slice();
    let listed = all.iter().take(MAX_SENTENCES).map(|Violation { field, message, .. }| {
        let message = message.strip_suffix('.').unwrap_or(message);
        format!("{field}: {message}")
    });
    let listed = listed.collect::<Vec<_>>().join("; ");
    let at_least = if violations.is_truncated() { "at least " } else { "" };
    match all.len().saturating_sub(MAX_SENTENCES) {
        0 => format!("{listed}."),
        rest => format!("{listed}; and {at_least}{rest} more (see `errors`)."),
    }
}

impl Error {
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
            Self::Unauthenticated(AuthenticationError::WrongPassword) => ErrorCode::InvalidCredentials,
            Self::Unauthenticated(_) => ErrorCode::Unauthorized,
            Self::Forbidden(Forbidden::SignUpClosed | Forbidden::SignUpByInvite | Forbidden::SignUpDomain(_)) => {
                ErrorCode::SignupClosed
            }
            Self::Forbidden(_) => ErrorCode::Forbidden,
            Self::NotFound(_) => ErrorCode::NotFound,
            Self::Conflict(conflict) => match conflict {
                Conflict::SlugTaken { .. } => ErrorCode::SlugTaken,
                Conflict::EmailTaken => ErrorCode::EmailTaken,
                Conflict::UsernameTaken => ErrorCode::UsernameTaken,
                Conflict::LastOwner | Conflict::LastOwnerOf(_) => ErrorCode::LastOwner,
                Conflict::AlreadyMember => ErrorCode::AlreadyMember,
                Conflict::TeamOwnsProjects => ErrorCode::TeamOwnsProjects,
                Conflict::VersionTaken { .. } => ErrorCode::VersionConflict,
                Conflict::SchemaBreaking(_) => ErrorCode::SchemaBreaking,
                Conflict::TooManyItems => ErrorCode::TooManyItems,
                Conflict::UserNotConnected => ErrorCode::UserNotConnected,
                Conflict::IdempotencyMismatch => ErrorCode::IdempotencyMismatch,
                Conflict::IdempotencyInProgress => ErrorCode::IdempotencyInProgress,
                Conflict::IdempotencyResponseLost => ErrorCode::IdempotencyResponseLost,
                Conflict::QuotaExceeded { .. } => ErrorCode::QuotaExceeded,
                Conflict::SigningKeyPending(_) | Conflict::Contended(_) => ErrorCode::Contended,
            },
            Self::PreconditionFailed(_) => ErrorCode::PreconditionFailed,
            Self::AccessChanged => ErrorCode::Contended,
            Self::OAuth(error) => error.code,
            Self::TooMany { .. } => ErrorCode::TooManyRequests,
            Self::Unavailable(_) => ErrorCode::Unavailable,
            Self::Internal(_) => ErrorCode::Internal,
        }
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
            message: "The schema is not valid. See `errors`.".into(),
            errors: violations.map(|violation| violation.to_value()),
        }
    }
}

impl From<AuthenticationError> for Error {
    fn from(error: AuthenticationError) -> Self {
        Self::Unauthenticated(error)
    }
}

impl From<Forbidden> for Error {
    fn from(reason: Forbidden) -> Self {
        Self::Forbidden(reason)
    }
}

impl From<ImageError> for Error {
    fn from(error: ImageError) -> Self {
        Self::Image(error)
    }
}

impl From<OAuthError> for Error {
    fn from(error: OAuthError) -> Self {
        Self::OAuth(error)
    }
}

impl From<Conflict> for Error {
    fn from(conflict: Conflict) -> Self {
        Self::Conflict(conflict)
    }
}

/// Collects the violations of several fields, so that all are reported together.
#[derive(Debug, Default)]
pub struct FieldViolations(Violations<Violation>);

impl FieldViolations {
    /// Returns the parsed value, or records a violation and returns `None`. Only the first violation of a field is
    /// recorded.
    pub fn note<T, E: fmt::Display>(&mut self, field: &'static str, parsed: Result<T, E>) -> Option<T> {
        parsed.map_err(|violation| self.add(Violation::invalid(field, violation))).ok()
    }

    /// Records a violation, unless the field already has one.
    pub fn add(&mut self, violation: Violation) {
        if !self.0.as_slice().iter().any(|recorded| recorded.field == violation.field) {
            self.0.push(violation);
        }
    }

    /// Records a violation for each member of an object that is not in `known`. `within` is the path prefix of the
    /// object: empty, or for example `auth.`.
    pub fn only(&mut self, within: &str, members: &serde_json::Map<String, serde_json::Value>, known: &[&str]) {
        let unknown = members.keys().filter(|name| !known.contains(&name.as_str()));
        self.0.extend(unknown.map(|name| {
            let violation = Violation::unknown(name, known);
            Violation { field: format!("{within}{}", violation.field), ..violation }
        }));
    }

    /// Returns the value, or an error if any violation was recorded.
    pub fn or<T>(self, value: Option<T>) -> Result<T, Error> {
        match value {
            Some(value) if self.0.is_empty() => Ok(value),
            _ => Err(Error::Invalid(self.0)),
        }
    }
}

impl From<Violations<Violation>> for FieldViolations {
    fn from(violations: Violations<Violation>) -> Self {
        Self(violations)
    }
}
