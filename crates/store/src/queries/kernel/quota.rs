//! Usage counts of tenants, and quotas that hold under concurrent writes.
//!
//! Resources that are few are counted in the transaction that adds one, while their team or project is locked. Items
//! are too many for that: each statement that writes items counts them in one of several counter rows of the project. A
//! counter row may grow up to its share of the quota and no further.

use const_format::concatcp;
use diesel::RunQueryDsl as _;
use diesel::result::DatabaseErrorKind;
use diesel::sql_types::BigInt;
use steward_domain::administration::ProjectUsage;
use steward_domain::kernel::changes::{Changes, Write};
use steward_domain::kernel::policy::Quota;
use steward_domain::kernel::{ProjectId, Time};
use uuid::Uuid;

use super::Conn;
use super::dialect::ROW_LOCK;
use super::statement::{Fragment, Statement};
use crate::error::JobError;

/// Number of counter rows for the items of a project.
const SHARDS: i64 = 8;
/// Maximum number of items that a counter row is assigned at a time, so that a lowered quota takes effect soon.
const ITEM_SHARE: i64 = 10_000;
/// Maximum number of bytes that a counter row is assigned at a time.
const BYTE_SHARE: i64 = 256 * 1024 * 1024;

/// Locks the row of a team or project.
const TEAM: &str = concatcp!("SELECT count(*) FROM (SELECT 1 FROM teams WHERE id = $1", ROW_LOCK, ") AS root");
const PROJECT: &str = concatcp!("SELECT count(*) FROM (SELECT 1 FROM projects WHERE id = $1", ROW_LOCK, ") AS root");

/// Returns the statements that lock rows while a quota is counted (see [`lock`]), and the statement that counts. $1 is the
/// team or project, and $2, if there is one, the time of the change. `None` for quotas that are counted by the statements
/// that write items.
fn counting(quota: Quota) -> Option<(&'static [&'static str], &'static str)> {
    Some(match quota {
        Quota::ItemsPerProject | Quota::BytesPerProject => return None,
        Quota::ProjectsPerTeam => (&[TEAM], "SELECT count(*) FROM projects WHERE team_id = $1 AND deleted_at IS NULL"),
        Quota::MembersPerTeam => (&[TEAM], "SELECT count(*) FROM members WHERE team_id = $1"),
        Quota::PendingInvitesPerTeam => {
            (&[TEAM], "SELECT count(*) FROM invites WHERE team_id = $1 AND state = 'pending' AND expires_at > $2")
        }
        Quota::KeysPerProject => (&[PROJECT], "SELECT count(*) FROM api_keys WHERE project_id = $1"),
        Quota::WebhooksPerProject => (
            &[TEAM, PROJECT],
            "SELECT count(*) FROM webhooks WHERE project_id = $1 OR team_id = $1 AND project_id IS NULL",
        ),
        Quota::IdentityProvidersPerProject => {
            (&[PROJECT], "SELECT count(*) FROM identity_providers WHERE project_id = $1 AND deleted_at IS NULL")
        }
        Quota::ClientsPerProject => (
            &[PROJECT],
            "SELECT count(*) FROM project_clients WHERE project_id = $1 AND deleted_at IS NULL AND NOT registered_itself",
        ),
        Quota::SelfRegisteredClientsPerProject => (
            &[PROJECT],
            "SELECT count(*) FROM project_clients WHERE project_id = $1 AND deleted_at IS NULL AND registered_itself",
        ),
        Quota::SchemaVersionsPerProject => (&[PROJECT], "SELECT count(*) FROM schema_versions WHERE project_id = $1"),
        Quota::ReservedSlugsPerTeam => (
            &[TEAM],
            "SELECT (SELECT count(*) FROM team_slugs WHERE team_id = $1) + (SELECT count(*) FROM project_slugs s \
             JOIN projects p ON p.id = s.project_id WHERE p.team_id = $1)",
        ),
    })
}

/// Runs a statement that counts. Most of them do not use the time.
fn count(conn: &mut Conn, statement: &'static str, id: Uuid, at: Time) -> Result<i64, JobError> {
    Ok(Statement::<BigInt>::numbered(statement, &[Fragment::id(id), Fragment::at(at)]).get_result(conn)?)
}

/// Prevents other transactions from adding to the bounded resources until this transaction ends.
pub(crate) fn lock(conn: &mut Conn, changes: &Changes) -> Result<(), JobError> {
    for (of, (statements, _)) in changes.bounds().iter().filter_map(|bound| Some((bound.of, counting(bound.quota)?))) {
        for statement in statements {
            count(conn, statement, of, changes.at())?;
        }
    }
    Ok(())
}

/// Prevents other transactions that call this, or add to bounded resources of the project, from running until this one
/// ends.
pub(crate) fn lock_project(conn: &mut Conn, project: ProjectId) -> Result<(), JobError> {
    count(conn, PROJECT, project.uuid(), Time::UNIX_EPOCH).map(drop)
}

/// Rejects the change if a count now exceeds its bound.
pub(crate) fn verify(conn: &mut Conn, changes: &Changes) -> Result<(), JobError> {
    for (bound, (_, statement)) in changes.bounds().iter().filter_map(|bound| Some((bound, counting(bound.quota)?))) {
        if count(conn, statement, bound.of, changes.at())? > number(bound.limit) {
            return Err(JobError::OverQuota(bound.quota, bound.limit));
        }
    }
    Ok(())
}

/// Returns the counter row for the items of a change. All of them use the same row, so that changes cannot deadlock.
pub(crate) fn shard(changes: &Changes) -> i16 {
    let item_id = changes.writes().find_map(|write| match write {
        Write::PutItem(item, _) | Write::RestoreItem(item, _) | Write::ImportItem(item, _) => Some(item.id.as_str()),
        Write::RemoveItem(place, _) => Some(place.id.as_str()),
        _ => None,
    });
    let sum = item_id.unwrap_or_default().bytes().fold(0_i64, |sum, byte| (sum * 31 + i64::from(byte)) % 65_521);
    i16::try_from(sum % SHARDS).unwrap_or_default()
}

/// Adds to a counter row how a statement changed the number of items and bytes of a project.
pub(crate) fn counted(conn: &mut Conn, project: Uuid, shard: i16, items: i64, bytes: i64) -> Result<(), JobError> {
    const COUNT: &str =
        "UPDATE project_usage SET items = items + $1, bytes = bytes + $2 WHERE project_id = $3 AND shard = $4";
    let row = [Fragment::Count(items), Fragment::Count(bytes), Fragment::id(project), Fragment::Count(shard.into())];
    Ok(Statement::<()>::numbered(COUNT, &row).execute(conn).map(drop)?)
}

/// Creates the counter rows of a new project.
pub(crate) fn begin(conn: &mut Conn, project: ProjectId) -> Result<(), JobError> {
    const BEGIN: &str = "INSERT INTO project_usage (project_id, shard) VALUES ($1, $2)";
    for shard in 0..SHARDS {
        Statement::<()>::numbered(BEGIN, &[Fragment::id(project), Fragment::Count(shard)]).execute(conn)?;
    }
    Ok(())
}

/// Returns the usage of a project.
pub(crate) fn usage(conn: &mut Conn, project: ProjectId) -> Result<ProjectUsage, JobError> {
    let used = shares(conn, project.uuid(), "")?;
    let mut count_of = |quota| match counting(quota) {
        Some((_, statement)) => Ok::<_, JobError>(unsigned(count(conn, statement, project.uuid(), Time::UNIX_EPOCH)?)),
        None => Ok(0),
    };
    Ok(ProjectUsage {
        items: total(&used, |(_, items, _)| *items),
        bytes: total(&used, |(.., bytes)| *bytes),
        keys: count_of(Quota::KeysPerProject)?,
        webhooks: count_of(Quota::WebhooksPerProject)?,
        schema_versions: count_of(Quota::SchemaVersionsPerProject)?,
    })
}

/// A counter row: its number, and the items and bytes that it counts.
type Share = (i64, i64, i64);

fn shares(conn: &mut Conn, project: Uuid, lock_clause: &'static str) -> Result<Vec<Share>, JobError> {
    const SHARES: &str = "SELECT CAST(shard AS bigint), items, bytes FROM project_usage WHERE project_id = $1 \
         ORDER BY project_usage.shard";
    let mut shares: Statement<(BigInt, BigInt, BigInt)> = Statement::numbered(SHARES, &[Fragment::id(project)]);
    shares.sql(lock_clause);
    Ok(shares.load(conn)?)
}

fn total(shares: &[Share], count: impl Fn(&Share) -> i64) -> u64 {
    unsigned(shares.iter().map(count).fold(0, i64::saturating_add))
}

/// How the remaining quota is divided among the counter rows.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sharing {
    /// Evenly, each row up to a maximum share.
    Evenly,
    /// All of it to the row that the change uses.
    AllToOne,
}

/// Divides the remaining item quotas again. Returns the quota of which too little remains for all items that the change
/// writes.
pub(crate) fn share_out(conn: &mut Conn, changes: &Changes, sharing: Sharing) -> Result<Option<Quota>, JobError> {
    const SHARE: &str = "UPDATE project_usage SET max_items = items + $1, max_bytes = bytes + $2 \
         WHERE project_id = $3 AND shard = $4";
    let Some(bound) = changes.bounds().iter().find(|bound| bound.quota == Quota::ItemsPerProject) else {
        return Ok(Some(Quota::ItemsPerProject));
    };
    let shares = shares(conn, bound.of, ROW_LOCK)?;
    let remaining = |quota, used: u64| number(changes.limit(quota).unwrap_or(u64::MAX).saturating_sub(used));
    let items = remaining(Quota::ItemsPerProject, total(&shares, |(_, items, _)| *items));
    let bytes = remaining(Quota::BytesPerProject, total(&shares, |(.., bytes)| *bytes));
    let own_shard = i64::from(shard(changes));
    for (shard, ..) in shares {
        let (more_items, more_bytes) = match sharing {
            Sharing::Evenly => ((items / SHARDS).min(ITEM_SHARE), (bytes / SHARDS).min(BYTE_SHARE)),
            Sharing::AllToOne if shard == own_shard => (items, bytes),
            Sharing::AllToOne => (0, 0),
        };
        let [items, bytes, shard] = [more_items, more_bytes, shard].map(Fragment::Count);
        Statement::<()>::numbered(SHARE, &[items, bytes, Fragment::id(bound.of), shard]).execute(conn)?;
    }
    let (new_items, new_bytes) = changes.writes().fold((0_i64, 0_i64), |(items, bytes), write| match write {
        Write::PutItem(item, _) | Write::RestoreItem(item, _) | Write::ImportItem(item, _) => (
            items.saturating_add(1),
            bytes.saturating_add(i64::try_from(item.value.as_str().len()).unwrap_or(i64::MAX)),
        ),
        _ => (items, bytes),
    });
    let lacks = [(Quota::ItemsPerProject, items < new_items), (Quota::BytesPerProject, bytes < new_bytes)];
    Ok(lacks.into_iter().find_map(|(quota, is_lacking)| is_lacking.then_some(quota)))
}

/// Returns the item quota whose share a statement used up, based on the constraint that it violated.
pub(crate) fn used_up(error: &JobError) -> Option<Quota> {
    let JobError::Database(diesel::result::Error::DatabaseError(DatabaseErrorKind::CheckViolation, info)) = error
    else {
        return None;
    };
    // Citus reports the constraint only in the message of the node, in quotes.
    let violates =
        |name: &str| info.constraint_name() == Some(name) || info.message().trim_end_matches('"').ends_with(name);
    let constraints =
        [("project_usage_items", Quota::ItemsPerProject), ("project_usage_bytes", Quota::BytesPerProject)];
    constraints.into_iter().find_map(|(name, quota)| violates(name).then_some(quota))
}

/// Converts a limit to the integer type of the database, capped at half its range. That exceeds any real usage and
/// leaves room for additions.
fn number(limit: u64) -> i64 {
    i64::try_from(limit).unwrap_or(i64::MAX / 2).min(i64::MAX / 2)
}

/// Converts a count of the database, which is never negative.
pub(crate) fn unsigned(count: i64) -> u64 {
    u64::try_from(count).unwrap_or_default()
}
