//! What a database says went wrong, in the words of the domain's ports.

use anyhow::anyhow;
use diesel::result::{DatabaseErrorKind, Error as DieselError};
use steward_domain::error::ResourceKind;
use steward_domain::policy::Quota;
use steward_domain::ports::{CommitError, StoreError, Unique};

/// Why a store could not be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The address is none of a database.
    #[error("the database address is not valid: {0}")]
    Address(&'static str),
    /// The database cannot be reached.
    #[error("the database cannot be reached")]
    Connect(#[source] anyhow::Error),
    /// The tables are those of an earlier version, or not there.
    #[error("The database is not up to date. Run `steward migrate`, or start this version of the service, first.")]
    Outdated,
    /// The tables could not be brought up to date.
    #[error("the database could not be migrated")]
    Migrate(#[source] anyhow::Error),
    /// A worker thread could not be started.
    #[error("a database thread could not be started")]
    Thread(#[source] std::io::Error),
}

/// Each rule of uniqueness: its constraint in PostgreSQL, and the columns that SQLite names for it.
const UNIQUES: &[(Unique, &str, &str)] = &[
    (Unique::AccountEmail, "accounts_email", "accounts.email_folded"),
    (Unique::AccountUsername, "accounts_username", "accounts.username_folded"),
    (Unique::TeamSlug, "teams_slug", "teams.slug"),
    (Unique::TeamSlug, "team_slugs_once", "team_slugs.slug"),
    (Unique::ProjectSlug, "projects_slug", "projects.slug"),
    (Unique::ProjectSlug, "project_slugs_once", "project_slugs.slug"),
    (Unique::Member, "members_once", "members.team_id, members.account_id"),
    (Unique::PendingInvite, "invites_pending", "invites.team_id, invites.recipient_folded"),
    (Unique::KeyDigest, "api_keys_digest", "api_keys.digest"),
    (Unique::KeyDigest, "api_keys_previous_digest", "api_keys.previous_digest"),
    (Unique::KeyDigest, "personal_tokens_digest", "personal_tokens.digest"),
    (Unique::SchemaNumber, "schema_versions_number", "schema_versions.project_id, schema_versions.number"),
    (Unique::ProjectUser, "project_users_once", "project_users.project_id, project_users.account_id"),
    (Unique::Grant, "grants_once", "grants.account_id, grants.project_id"),
    (Unique::TokenDigest, "authorization_requests_digest", "authorization_requests.digest"),
    (Unique::TokenDigest, "authorization_codes_digest", "authorization_codes.digest"),
    (Unique::TokenDigest, "refresh_tokens_digest", "refresh_tokens.digest"),
    (Unique::TokenDigest, "sessions_digest", "sessions.digest"),
    (Unique::TokenDigest, "email_links_digest", "email_links.digest"),
    (Unique::ServerKeyGeneration, "server_keys_generation", "server_keys.kind, server_keys.generation"),
];

/// Why a job on a connection did not do its work.
#[derive(Debug)]
pub enum JobError {
    /// What was to be replaced is not as it was loaded.
    Stale(ResourceKind),
    /// Something else has what must be there once.
    Taken(Unique),
    /// There would be more than the quota allows.
    OverQuota(Quota, u64),
    /// A row holds something the domain refuses.
    Corrupt(anyhow::Error),
    /// The database says no.
    Database(DieselError),
}

impl From<DieselError> for JobError {
    fn from(error: DieselError) -> Self {
        Self::Database(error)
    }
}

impl JobError {
    /// A row holds something the domain refuses.
    pub fn corrupt(what: impl std::fmt::Display) -> Self {
        Self::Corrupt(anyhow!("a row holds {what}"))
    }

    /// Whether the database ended this transaction because others waited for it, and it for them.
    pub fn is_deadlock(&self) -> bool {
        // SQLSTATE 40P01; diesel names no kind for it and hides the code.
        let is_deadlock = |message: &str| message.contains("deadlock detected");
        matches!(self, Self::Database(DieselError::DatabaseError(_, info)) if is_deadlock(info.message()))
    }

    /// Whether the connection should not be used again.
    pub fn breaks_connection(&self) -> bool {
        use DatabaseErrorKind::{ClosedConnection, ReadOnlyTransaction, UnableToSendCommand, Unknown};
        matches!(
            self,
            Self::Database(
                DieselError::DatabaseError(ClosedConnection | ReadOnlyTransaction | UnableToSendCommand | Unknown, _)
                    | DieselError::BrokenTransactionManager
                    | DieselError::AlreadyInTransaction
                    | DieselError::RollbackErrorOnCommit { .. }
            )
        )
    }
}

impl From<JobError> for StoreError {
    fn from(error: JobError) -> Self {
        match error {
            JobError::Corrupt(cause) => Self::Corrupt(cause),
            JobError::Stale(kind) => Self::Corrupt(anyhow!("a read found a stale {kind}")),
            JobError::Taken(unique) => Self::Corrupt(anyhow!("a read found a conflict of {unique:?}")),
            JobError::OverQuota(quota, _) => Self::Corrupt(anyhow!("a read went over the quota of {quota}")),
            JobError::Database(error) if is_outage(&error) => Self::Unavailable(error.into()),
            JobError::Database(error) => Self::Corrupt(error.into()),
        }
    }
}

impl From<JobError> for CommitError {
    fn from(error: JobError) -> Self {
        match error {
            JobError::Stale(kind) => Self::Stale(kind),
            JobError::Taken(unique) => Self::Taken(unique),
            JobError::OverQuota(quota, limit) => Self::OverQuota(quota, limit),
            JobError::Corrupt(cause) => Self::Refused(cause),
            JobError::Database(error) => of_database(error),
        }
    }
}

fn of_database(error: DieselError) -> CommitError {
    match &error {
        DieselError::DatabaseError(DatabaseErrorKind::UniqueViolation, info) => {
            CommitError::Taken(unique_of(info.constraint_name(), info.message()))
        }
        DieselError::DatabaseError(DatabaseErrorKind::ForeignKeyViolation, _) => CommitError::Orphaned,
        DieselError::DatabaseError(DatabaseErrorKind::SerializationFailure, _) => {
            CommitError::Stale(ResourceKind::Team)
        }
        other if is_outage(other) => CommitError::Unavailable(error.into()),
        _ => CommitError::Refused(error.into()),
    }
}

fn unique_of(constraint: Option<&str>, message: &str) -> Unique {
    let columns = message.strip_prefix("UNIQUE constraint failed: ").unwrap_or_default();
    UNIQUES
        .iter()
        .find(|(_, name, sqlite)| constraint == Some(*name) || columns == *sqlite)
        .map_or(Unique::Id, |(unique, ..)| *unique)
}

/// Whether the database could not be asked, rather than refused. SQLite tells a busy or full database as `Unknown`, and
/// PostgreSQL a statement that took too long, a deadlock and a shutdown.
fn is_outage(error: &DieselError) -> bool {
    match error {
        DieselError::DatabaseError(kind, _) => matches!(
            kind,
            DatabaseErrorKind::ClosedConnection
                | DatabaseErrorKind::UnableToSendCommand
                | DatabaseErrorKind::ReadOnlyTransaction
                | DatabaseErrorKind::Unknown
        ),
        DieselError::BrokenTransactionManager
        | DieselError::AlreadyInTransaction
        | DieselError::RollbackTransaction
        | DieselError::RollbackErrorOnCommit { .. } => true,
        _ => false,
    }
}
