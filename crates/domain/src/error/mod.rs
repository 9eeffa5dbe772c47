//! What can go wrong, with a meaning: the one error of every use case, and the codes that programs tell them apart by.

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

/// The cause of a failure that is nobody's violation: for the log only.
pub type Cause = anyhow::Error;

/// Why a credential was refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum AuthenticationError {
    /// None came.
    #[error("send a credential: Authorization: Bearer <access token or API key>")]
    Missing,
    /// The header is not of the Bearer scheme.
    #[error("the Authorization header must be of the form: Bearer <access token or API key>")]
    NotBearer,
    /// The access token is not one of ours, was altered, or is not for this service.
    #[error("the access token is not valid here; sign in again")]
    BadToken,
    /// The access token is past its time.
    #[error("the access token has expired; sign in again")]
    ExpiredToken,
    /// The key has a typo.
    #[error("the API key is mistyped: its checksum does not fit")]
    MistypedKey,
    /// The key is unknown: deleted, regenerated, or never made here.
    #[error("the API key is not known; it may have been deleted or regenerated")]
    UnknownKey,
    /// The key is past its time.
    #[error("the API key has expired; create another")]
    ExpiredKey,
    /// A private key came from a browser.
    #[error("a private API key must not be sent from a browser: anybody there can read it; use a public one")]
    PrivateKeyInBrowser,
    /// Email, username or password is wrong; which one is not told.
    #[error("the email, username or password is wrong")]
    WrongPassword,
    /// The account of the token is gone.
    #[error("the account of this access token is gone")]
    UnknownAccount,
    /// The sign-in that the token follows from has ended.
    #[error("the access token was revoked; sign in again")]
    RevokedToken,
    /// A token for one project, where the person's own is needed.
    #[error("this access token is for using a project; send one of this service itself")]
    TokenOfProject,
    /// A token of this service itself, where one for a project is needed.
    #[error("this access token is not for using a project; sign in to the project")]
    TokenOfService,
}

/// Why a known caller is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Forbidden {
    /// A permission is missing.
    #[error("this needs the permission {0}")]
    Requirement(Permission),
    /// The operation is for people.
    #[error("API keys may not do this; use an access token")]
    KeyRefused,
    /// The operation is for people who are signed in.
    #[error("personal access tokens may not do this; sign in")]
    PersonalTokenRefused,
    /// A public key, where what it asks for is for servers.
    #[error("a public API key may not do this; use a private one, from a server")]
    PublicKey,
    /// The token's scope does not cover it.
    #[error("this needs an access token with the scope {}", .0.as_str())]
    WrongScope(Scope),
    /// Somebody would grant what they do not hold.
    #[error("you cannot grant what you do not hold: {}", names(.0))]
    GrantsMore(Vec<Permission>),
    /// Only owners touch owners.
    #[error("only owners make, change or remove owners")]
    OwnersOnly,
    /// Only the operator creates accounts.
    #[error("Sign-up is closed here. Ask the operator of this service for an account.")]
    SignUpClosed,
    /// Only invited addresses may sign up.
    #[error("Sign-up here needs an invite to this email address. Ask a team to invite it.")]
    SignUpByInvite,
    /// Only addresses of some domains may sign up.
    #[error("Sign-up here is for email addresses of {0}. Use one of those.")]
    SignUpDomain(String),
    /// The project shut this person out.
    #[error("this user is blocked in this project")]
    Blocked,
}

fn names(permissions: &[Permission]) -> String {
    permissions.iter().map(|permission| permission.as_str()).collect::<Vec<_>>().join(", ")
}

fn slugs(slugs: &[Slug]) -> String {
    slugs.iter().map(Slug::as_str).collect::<Vec<_>>().join(", ")
}

/// What stands against a change.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Conflict {
    /// A team or project has the slug.
    #[error("the slug \"{slug}\" is taken; \"{free}\" is free")]
    SlugTaken {
        /// What was wanted.
        slug: Slug,
        /// What could be had instead.
        free: Slug,
    },
    /// An account has the email.
    #[error("an account with this email exists; sign in instead")]
    EmailTaken,
    /// An account has the username.
    #[error("this username is taken; choose another")]
    UsernameTaken,
    /// The team's last owner would go.
    #[error("a team always keeps an owner; make somebody else an owner first")]
    LastOwner,
    /// Some teams' last owner would go.
    #[error("The account is the last owner of {}. Make somebody else an owner there, or delete these teams, first.", slugs(.0))]
    LastOwnerOf(Vec<Slug>),
    /// A signing key waits for its use already.
    #[error("A new signing key is published already and is used from {0}. Use --now to use it at once.")]
    SigningKeyWaits(String),
    /// The account is a member already.
    #[error("this account is a member of the team already")]
    AlreadyMember,
    /// The team still owns projects.
    #[error("the team still owns projects; delete them first")]
    TeamOwnsProjects,
    /// Somebody else published this version.
    #[error("version {current} is published already; read it, apply your change to it and publish version {}", .current.saturating_add(1))]
    VersionTaken {
        /// The newest version.
        current: u32,
    },
    /// Stored items would no longer fit.
    #[error(
        "stored items would no longer fit, see diff; to publish all the same, which deletes nothing, add ?allow_destructive=true"
    )]
    SchemaBreaking(SchemaDiff),
    /// Whether stored items would still fit takes too long to find out.
    #[error(
        "the changed tables hold too many items to find those that would no longer fit; to publish without looking, which deletes nothing, add ?allow_destructive=true"
    )]
    TooManyItems,
    /// The user is not connected, so nothing is written for them.
    #[error("this user is not connected to the project, so their data cannot be written")]
    UserNotConnected,
    /// The key of a repeated request was used for another one.
    #[error("this Idempotency-Key was used for another request; use a new one for each")]
    IdempotencyMismatch,
    /// The request is still being done.
    #[error("the first request with this Idempotency-Key is still being done; ask again in a moment")]
    IdempotencyInProgress,
    /// The request was done, and nobody knows its answer.
    #[error(
        "the first request with this Idempotency-Key was done, but its answer was lost; read what it was to change"
    )]
    IdempotencyAnswerLost,
    /// There are as many as the service allows.
    #[error(
        "There are already {limit} {quota}, which is the limit. Delete some, or ask the operator to raise {}.", .quota.setting()
    )]
    QuotaExceeded {
        /// What there is too much of.
        quota: Quota,
        /// How many there may be.
        limit: u64,
    },
    /// The thing changed between reading and writing, time and again.
    #[error("the {0} is being changed by others right now; try again")]
    Contended(ResourceKind),
}

/// A refusal in the words of OAuth (RFC 6749 §4.1.2.1 and §5.2, OpenID Connect Core §3.1.2.6).
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{description}")]
pub struct OAuthError {
    /// The `error`.
    pub code: ErrorCode,
    /// The `error_description`: printable ASCII, without quotes and backslashes.
    pub description: String,
}

impl OAuthError {
    /// A refusal. What of the description RFC 6749 does not allow is left out.
    pub fn new(code: ErrorCode, description: impl fmt::Display) -> Self {
        let allowed = |c: &char| matches!(c, ' '..='~') && !matches!(c, '"' | '\\');
        Self { code, description: description.to_string().chars().filter(allowed).collect() }
    }

    /// The request itself is malformed.
    pub fn request(description: impl fmt::Display) -> Self {
        Self::new(ErrorCode::InvalidRequest, description)
    }

    /// The code or refresh token is not good, or not for this client.
    pub fn grant(description: impl fmt::Display) -> Self {
        Self::new(ErrorCode::InvalidGrant, description)
    }
}

/// Why a use case did not do what was asked.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Fields of the input, each with the sentence that mends it.
    #[error("{}", sentences(.0))]
    Invalid(Violations<Violation>),
    /// The slug is kept for the service.
    #[error("the slug \"{0}\" is reserved; choose another")]
    SlugReserved(Slug),
    /// The document is no schema, or may not follow the newest one.
    #[error("{message}")]
    InvalidSchema {
        /// The violation in words.
        message: String,
        /// The violations.
        errors: Violations<serde_json::Value>,
    },
    /// The value does not fit its table.
    #[error("{}", .0.as_slice().first().map_or("the value does not fit its table", |violation| violation.summary))]
    InvalidItem(Violations<ItemViolation>),
    /// The value is larger than an item may be.
    #[error("an item holds at most 256 KiB of JSON; split it")]
    ItemTooLarge,
    /// The file is no image that a project can have.
    #[error("file: {0}")]
    Image(ImageError),
    /// One operation of a batch stands against all of it.
    #[error("operation {index}: {error}")]
    InBatch {
        /// Its place, counted from 0.
        index: usize,
        /// What is wrong with it.
        error: Box<Error>,
    },
    /// No or no good credential.
    #[error("{0}")]
    Unauthenticated(AuthenticationError),
    /// Known, but not allowed.
    #[error("{0}")]
    Forbidden(Forbidden),
    /// Missing, or nothing the caller may know of.
    #[error("there is no such {0}")]
    NotFound(ResourceKind),
    /// Against what is there.
    #[error("{0}")]
    Conflict(Conflict),
    /// A precondition of the request does not hold.
    #[error("the precondition does not hold: the {0} is not in the state that If-Match or If-None-Match wants")]
    PreconditionFailed(ResourceKind),
    /// What the caller may do has changed since it was read: authenticate again, and try once more.
    #[error("The caller's access changed while the request was running. Try again")]
    AccessChanged,
    /// Refused in the words of OAuth.
    #[error("{0}")]
    OAuth(OAuthError),
    /// Tried too often.
    #[error("too many attempts; try again in {} s", .retry_after.num_seconds())]
    TooMany {
        /// How long to wait, in whole seconds.
        retry_after: TimeDelta,
    },
    /// A part of the service cannot be reached, or has too much to do.
    #[error("the service cannot answer right now; try again")]
    Unavailable(#[source] Cause),
    /// Something is wrong with us.
    #[error("the request could not be completed")]
    Internal(#[source] Cause),
}

/// How many violations the message of a refusal spells out; all are listed beside it.
const MAX_SENTENCES: usize = 5;

fn sentences(violations: &Violations<Violation>) -> String {
    let all = violations.as_slice();
    let listed = all.iter().take(MAX_SENTENCES).map(|Violation { field, message, .. }| format!("{field}: {message}"));
    let listed = listed.collect::<Vec<_>>().join("; ");
    let more = if violations.is_truncated() { " at least" } else { "" };
    match all.len().saturating_sub(MAX_SENTENCES) {
        0 => listed,
        rest => format!("{listed}; and {rest}{more} more, see errors"),
    }
}

impl Error {
    /// The stable code.
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
            Self::Image(ImageError::OtherFormat) => ErrorCode::UnsupportedImage,
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
                Conflict::IdempotencyAnswerLost => ErrorCode::IdempotencyAnswerLost,
                Conflict::QuotaExceeded { .. } => ErrorCode::QuotaExceeded,
                Conflict::SigningKeyWaits(_) | Conflict::Contended(_) => ErrorCode::Contended,
            },
            Self::PreconditionFailed(_) => ErrorCode::PreconditionFailed,
            Self::AccessChanged => ErrorCode::Contended,
            Self::OAuth(violation) => violation.code,
            Self::TooMany { .. } => ErrorCode::TooManyRequests,
            Self::Unavailable(_) => ErrorCode::Unavailable,
            Self::Internal(_) => ErrorCode::Internal,
        }
    }

    /// One field is wrong.
    pub fn invalid(field: &'static str, violation: impl fmt::Display) -> Self {
        Self::Invalid(std::iter::once(Violation::invalid(field, violation)).collect())
    }

    /// The operator wants something for an account that is disabled.
    pub(crate) fn account_disabled() -> Self {
        Self::invalid("email", "The account is disabled. Enable it with `steward account enable` first")
    }

    /// The violation of one operation of a batch.
    pub fn in_batch(self, index: usize) -> Self {
        Self::InBatch { index, error: Box::new(self) }
    }

    /// A document with violations.
    pub fn schema_faults(violations: Violations<SchemaViolation>) -> Self {
        Self::InvalidSchema {
            message: "the schema is not valid; see errors".into(),
            errors: violations.map(|violation| violation.to_value()),
        }
    }
}

impl From<AuthenticationError> for Error {
    fn from(violation: AuthenticationError) -> Self {
        Self::Unauthenticated(violation)
    }
}

impl From<Forbidden> for Error {
    fn from(reason: Forbidden) -> Self {
        Self::Forbidden(reason)
    }
}

impl From<ImageError> for Error {
    fn from(violation: ImageError) -> Self {
        Self::Image(violation)
    }
}

impl From<OAuthError> for Error {
    fn from(violation: OAuthError) -> Self {
        Self::OAuth(violation)
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
    /// The value, or its violation noted. Of a field that has one already nothing more is said.
    pub fn note<T, E: fmt::Display>(&mut self, field: &'static str, parsed: Result<T, E>) -> Option<T> {
        parsed.map_err(|violation| self.add(Violation::invalid(field, violation))).ok()
    }

    /// Notes what is wrong with a field, unless something is known already.
    pub fn add(&mut self, violation: Violation) {
        if !self.0.as_slice().iter().any(|known| known.field == violation.field) {
            self.0.push(violation);
        }
    }

    /// Notes the members of an object that are not known. `within` is where the object stands: empty, or such as `auth.`.
    pub fn only(&mut self, within: &str, members: &serde_json::Map<String, serde_json::Value>, known: &[&str]) {
        let unknown = members.keys().filter(|name| !known.contains(&name.as_str()));
        self.0.extend(unknown.map(|name| {
            let violation = Violation::unknown(name, known);
            Violation { field: format!("{within}{}", violation.field), ..violation }
        }));
    }

    /// What was made of the values, unless one was not valid.
    pub fn or<T>(self, value: Option<T>) -> Result<T, Error> {
        match value {
            Some(value) if self.0.is_empty() => Ok(value),
            _ => Err(Error::Invalid(self.0)),
        }
    }
}

impl From<Violations<Violation>> for FieldViolations {
    fn from(found: Violations<Violation>) -> Self {
        Self(found)
    }
}
