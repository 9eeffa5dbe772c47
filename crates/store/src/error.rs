//! Maps database errors to the error types of the domain's ports.

use anyhow::anyhow;
use diesel::result::{DatabaseErrorKind, Error as DieselError};
use steward_domain::kernel::error::ResourceKind;
use steward_domain::kernel::policy::Quota;
use steward_domain::kernel::{CommitError, StoreError, Unique};

/// Why a store could not be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The database address is not valid.
    #[error("The database address is not valid: {0}")]
    Address(&'static str),
    /// Connecting to the database failed.
    #[error("Unable to connect to the database")]
    Connect(#[source] anyhow::Error),
    /// The schema is missing or belongs to an earlier version.
    #[error(
        "The database is empty or not up to date. Check `DATABASE_URL` and `STEWARD_DATA_DIR`, then run `steward migrate` or start this version of the service."
    )]
    Outdated,
    /// A table of another program has the name of one of the tables that the first migration creates.
    #[error(
        "The database contains a table `{0}` of another program. Set `DATABASE_URL` to an empty database, or restore a backup of this service."
    )]
    ForeignTable(String),
    /// The tables differ from those that the applied migrations create.
    #[error(
        "The database does not match its recorded migrations ({0}). It belongs to another program, was restored in part, or was changed by hand. Check `DATABASE_URL`, or restore a backup."
    )]
    Different(String),
    /// A pooler in front of PostgreSQL does not support prepared statements.
    #[error(
        "The pooler in front of PostgreSQL does not support prepared statements. Use PgBouncer 1.21 or later with `max_prepared_statements` above 0, or its session mode."
    )]
    Pooler,
    /// The messages of PostgreSQL are in this locale.
    #[error(
        "PostgreSQL reports errors in the language of `{0}`, in which this program cannot distinguish them. As a superuser, run: ALTER ROLE ... SET lc_messages = 'C'"
    )]
    Language(String),
    /// The database is not the coordinator of a Citus cluster, or the cluster has no workers.
    #[error(
        "The database is not the coordinator of a Citus cluster with workers. Run `CREATE EXTENSION citus` on all nodes, then \
         `citus_set_coordinator_host` and `citus_add_node` for each worker."
    )]
    NoWorkers,
    /// Other programs are connected to the database that is to be distributed.
    #[error(
        "{0} other connections to the database are open. Stop all processes of the service, and poolers in front of the database, \
         then repeat the command."
    )]
    InUse(i64),
    /// Distributing the database failed.
    #[error("Unable to distribute the database")]
    Distribute(#[source] anyhow::Error),
    /// The file with the highest known position could not be read.
    #[error("Unable to read the file with the last known position")]
    PositionFile(#[source] std::io::Error),
    /// A migration failed.
    #[error("Unable to migrate the database")]
    Migrate(#[source] anyhow::Error),
    /// Starting a worker thread failed.
    #[error("Unable to start a database thread")]
    Thread(#[source] std::io::Error),
}

/// The unique constraints: the name in PostgreSQL, and the columns that SQLite reports instead.
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
    (Unique::KeyDigest, "api_keys_earlier_digest", "api_keys.earlier_digest"),
    (Unique::KeyDigest, "personal_tokens_digest", "personal_tokens.digest"),
    (Unique::SchemaNumber, "schema_versions_number", "schema_versions.project_id, schema_versions.number"),
    (Unique::ProjectUser, "project_users_once", "project_users.project_id, project_users.account_id"),
    (Unique::Grant, "grants_once", "grants.account_id, grants.project_id"),
    (Unique::TokenDigest, "authorization_requests_digest", "authorization_requests.digest"),
    (Unique::TokenDigest, "device_authorizations_digest", "device_authorizations.digest"),
    (Unique::UserCode, "device_authorizations_user_code", "device_authorizations.user_code"),
    (Unique::TokenDigest, "authorization_codes_digest", "authorization_codes.digest"),
    (Unique::TokenDigest, "refresh_tokens_digest", "refresh_tokens.digest"),
    (Unique::TokenDigest, "sessions_digest", "sessions.digest"),
    (Unique::TokenDigest, "email_links_digest", "email_links.digest"),
    (Unique::AuthenticatorApp, "authenticator_apps_account", "authenticator_apps.account_id"),
    (Unique::Passkey, "passkeys_credential", "passkeys.credential_id"),
    (Unique::LinkedIdentity, "linked_identities_subject", "linked_identities.provider_id, linked_identities.subject"),
    (
        Unique::LinkedIdentity,
        "linked_identities_account",
        "linked_identities.account_id, linked_identities.provider_id",
    ),
    (Unique::RecoveryCodes, "recovery_codes_account", "recovery_codes.account_id"),
    (Unique::ServerKeyGeneration, "server_keys_generation", "server_keys.kind, server_keys.generation"),
];

/// Error of a job on a connection.
#[derive(Debug, thiserror::Error)]
pub enum JobError {
    /// A row to replace has changed since it was loaded.
    #[error("A {0} has changed since it was loaded.")]
    Stale(ResourceKind),
    /// A unique value is already in use.
    #[error("The value of {0:?} is already in use.")]
    Taken(Unique),
    /// The change would exceed the quota, with this limit.
    #[error("The quota of {0} is {1}.")]
    OverQuota(Quota, u64),
    /// A row contains a value that the domain rejects.
    #[error("{0:#}")]
    Corrupt(anyhow::Error),
    /// The transaction has no positions for events, because a domain of positions must be opened first.
    #[error("The transaction has no positions.")]
    NoPosition,
    /// The database returned an error.
    #[error("{0}")]
    Database(DieselError),
    /// The database returned an error after it wrote a part of the change. The transaction MUST NOT be committed.
    #[error("{0}")]
    Unfinished(DieselError),
}

impl From<DieselError> for JobError {
    fn from(error: DieselError) -> Self {
        Self::Database(error)
    }
}

impl JobError {
    /// Creates the error for a row with an invalid value. `problem` describes what is wrong with it.
    pub fn corrupt(problem: impl std::fmt::Display) -> Self {
        Self::Corrupt(anyhow!("A row contains invalid data: {problem}"))
    }

    /// Returns whether the database aborted this transaction because of a deadlock.
    pub fn is_deadlock(&self) -> bool {
        // SQLSTATE 40P01. Diesel has no error kind for it and does not expose the code. The second text is that of Citus.
        ["deadlock detected", "a distributed deadlock"].iter().any(|text| self.message().contains(text))
    }

    /// Returns whether an event had no position, because a domain of positions must be opened first.
    pub fn lacks_position(&self) -> bool {
        match self {
            Self::NoPosition => true,
            Self::Database(DieselError::DatabaseError(DatabaseErrorKind::NotNullViolation, info)) => {
                info.column_name() == Some("position")
            }
            _ => false,
        }
    }

    /// Returns whether the database reported that it wrote nothing. Otherwise the outcome of a write is not known.
    pub fn was_rolled_back(&self) -> bool {
        match self {
            Self::NoPosition => true,
            Self::Database(error) if is_full(error) => true,
            Self::Database(DieselError::DatabaseError(
                DatabaseErrorKind::CheckViolation
                | DatabaseErrorKind::ExclusionViolation
                | DatabaseErrorKind::ForeignKeyViolation
                | DatabaseErrorKind::NotNullViolation
                | DatabaseErrorKind::ReadOnlyTransaction
                | DatabaseErrorKind::SerializationFailure
                | DatabaseErrorKind::UniqueViolation,
                _,
            )) => true,
            _ => self.is_deadlock() || self.is_lock_timeout(),
        }
    }

    /// Returns whether PostgreSQL ended the statement because it waited too long for a lock.
    fn is_lock_timeout(&self) -> bool {
        // SQLSTATE 55P03. Diesel has no error kind for it either.
        self.message().contains("lock timeout")
    }

    fn message(&self) -> &str {
        if let Self::Database(error) = self { message(error) } else { "" }
    }

    /// Returns whether the connection must not be reused.
    pub fn breaks_connection(&self) -> bool {
        use DatabaseErrorKind::{ClosedConnection, ReadOnlyTransaction, UnableToSendCommand, Unknown};
        match self {
            Self::Database(error) if lost_worker(error) => false,
            // The connection works. Replacing it would cost others its prepared statements.
            _ if self.is_deadlock() || self.is_lock_timeout() => false,
            Self::Database(
                DieselError::DatabaseError(ClosedConnection | ReadOnlyTransaction | UnableToSendCommand | Unknown, _)
                | DieselError::BrokenTransactionManager
                | DieselError::AlreadyInTransaction
                | DieselError::RollbackErrorOnCommit { .. },
            ) => true,
            _ => false,
        }
    }
}

/// Returns [`JobError::Stale`] unless a conditional statement affected exactly one row.
pub fn expect_one(rows: usize, kind: ResourceKind) -> Result<(), JobError> {
    if rows == 1 { Ok(()) } else { Err(JobError::Stale(kind)) }
}

impl From<JobError> for StoreError {
    fn from(error: JobError) -> Self {
        match error {
            JobError::Corrupt(cause) => Self::Corrupt(cause),
            JobError::Stale(kind) => Self::Corrupt(anyhow!("A read reported a stale {kind}.")),
            JobError::Taken(unique) => Self::Corrupt(anyhow!("A read reported a conflict of {unique:?}.")),
            JobError::OverQuota(quota, _) => Self::Corrupt(anyhow!("A read exceeded the quota of {quota}.")),
            JobError::NoPosition => Self::Unavailable(error.into()),
            JobError::Database(error) if is_outage(&error) => Self::Unavailable(error.into()),
            JobError::Database(error) | JobError::Unfinished(error) => Self::Corrupt(error.into()),
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
            JobError::NoPosition => Self::Unavailable(error.into()),
            JobError::Database(error) | JobError::Unfinished(error) => commit_error(error),
        }
    }
}

fn commit_error(error: DieselError) -> CommitError {
    match &error {
        DieselError::DatabaseError(DatabaseErrorKind::UniqueViolation, info) => {
            CommitError::Taken(unique_of(info.constraint_name(), info.message()))
        }
        DieselError::DatabaseError(DatabaseErrorKind::ForeignKeyViolation, _) => CommitError::Orphaned,
        DieselError::DatabaseError(DatabaseErrorKind::SerializationFailure, _) => {
            CommitError::Stale(ResourceKind::Team)
        }
        other if is_full(other) => CommitError::Full(error.into()),
        other if broke_connection(other) => CommitError::Unknown(error.into()),
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

/// The error of a job whose caller stopped waiting after it had begun. A write may have been stored.
#[derive(Debug, thiserror::Error)]
#[error("{0:#} It had begun.")]
pub(crate) struct Begun(pub(crate) anyhow::Error);

/// The error of each of the changes that were not committed together.
#[derive(Debug, Clone, thiserror::Error)]
#[error("The change was not committed: {cause}")]
pub(crate) struct NotCommitted {
    cause: String,
    is_full: bool,
}

impl From<&DieselError> for NotCommitted {
    fn from(error: &DieselError) -> Self {
        Self { cause: error.to_string(), is_full: is_full(error) }
    }
}

/// Maps the error of a change that was refused, or whose result was not awaited.
pub(crate) fn refused_commit(error: anyhow::Error) -> CommitError {
    if error.downcast_ref::<NotCommitted>().is_some_and(|error| error.is_full) {
        CommitError::Full(error)
    } else if error.is::<Begun>() {
        CommitError::Unknown(error)
    } else {
        CommitError::Unavailable(error)
    }
}

/// The message of the database; empty if Diesel reported the error.
fn message(error: &DieselError) -> &str {
    if let DieselError::DatabaseError(_, info) = error { info.message() } else { "" }
}

/// Returns whether the disk of the database is full. Diesel has no error kind for it, and does not expose the code.
fn is_full(error: &DieselError) -> bool {
    // SQLite, and PostgreSQL (SQLSTATE 53100) with the text of the operating system.
    ["disk is full", "No space left on device"].iter().any(|text| message(error).contains(text))
}

/// Returns whether the coordinator of Citus lost its connection to a worker before it committed there. The connection to the
/// coordinator is not affected, and nothing was stored.
fn lost_worker(error: &DieselError) -> bool {
    ["connection to the remote node", "failure on connection marked as essential"]
        .iter()
        .any(|text| message(error).starts_with(text))
}

/// Returns whether the connection broke, so that it is not known whether the transaction was committed.
fn broke_connection(error: &DieselError) -> bool {
    if lost_worker(error) {
        return false;
    }
    match error {
        DieselError::DatabaseError(DatabaseErrorKind::ClosedConnection | DatabaseErrorKind::UnableToSendCommand, _)
        | DieselError::BrokenTransactionManager
        | DieselError::RollbackErrorOnCommit { .. } => true,
        // Diesel has no error kind for a lost connection.
        DieselError::DatabaseError(DatabaseErrorKind::Unknown, info) => {
            // The second text is that of Citus, whose worker may have committed.
            info.message().contains("connection")
                || info.message().starts_with("could not commit transaction for shard")
        }
        _ => false,
    }
}

/// Returns whether the database was unavailable, as opposed to rejecting the statement. `Unknown` covers a busy or full
/// database in SQLite, and a statement timeout, a deadlock, and a shutdown in PostgreSQL.
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
