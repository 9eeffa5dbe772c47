//! Queries for audit seals, the position up to which the log is sealed, and the retention cutoff.

use chrono::TimeDelta;
use const_format::concatcp;
use diesel::dsl::sql;
use diesel::prelude::*;
use diesel::query_builder::AsQuery;
use diesel::sql_types::BigInt;
use serde_json::Value;
use steward_domain::administration::{AuditChain, AuditSeal, RetentionCutoff, SealedBatch};
use steward_domain::kernel::{TeamId, Time};
use uuid::Uuid;

use super::Conn;
use super::dialect::{IDS, LAST_STARTED_POSITION};
use super::kernel::statement::{Fragment, Statement};
use super::outbox;
use crate::error::JobError;
use crate::sql_types::{At, Id, Json};
use crate::tables::{AuditSealRow, audit_progress, audit_seals, chain, event_marks};

/// Minimum interval between marks.
const MARK_INTERVAL: TimeDelta = TimeDelta::minutes(10);

pub(crate) fn position(conn: &mut Conn) -> Result<i64, JobError> {
    Ok(audit_progress::table.select(audit_progress::position).first(conn)?)
}

/// Reads the last seal of each chain in one statement, with one index lookup per chain.
pub(crate) fn last_seals(conn: &mut Conn, chains: &[AuditChain]) -> Result<Vec<AuditSeal>, JobError> {
    let ids: Value = chains.iter().map(|chain| chain.id().to_string()).collect();
    const LAST: &str = concatcp!(
        "SELECT s.number, s.after_position, s.through_position, s.at, s.first_at, s.events, s.events_hash, \
         s.item_changes, s.item_changes_hash, s.prev, s.hash, s.team_id, s.chain_id FROM ",
        IDS.0,
        "$1",
        IDS.1,
        " AS c JOIN audit_seals s ON s.chain_id = c.id \
         AND s.number = (SELECT max(l.number) FROM audit_seals l WHERE l.chain_id = c.id)"
    );
    let seals: Statement<<audit_seals::table as AsQuery>::SqlType> =
        Statement::numbered(LAST, &[Fragment::Json(Json(ids.to_string()))]);
    let rows: Vec<AuditSealRow> = seals.load(conn)?;
    rows.into_iter().map(TryInto::try_into).collect()
}

/// Stores the batch. Returns `false` and stores nothing unless the log is sealed exactly up to the start of the batch.
pub(crate) fn seal(conn: &mut Conn, batch: &SealedBatch) -> Result<bool, JobError> {
    conn.transaction(|conn| {
        let expected = audit_progress::table.filter(audit_progress::position.eq(batch.after));
        let updated = diesel::update(expected).set(audit_progress::position.eq(batch.through)).execute(conn)?;
        if updated == 0 {
            return Ok(false);
        }
        let seals: Vec<AuditSealRow> = batch.seals.iter().map(TryInto::try_into).collect::<Result<_, _>>()?;
        diesel::insert_into(audit_seals::table).values(seals).execute(conn)?;
        for wake in &batch.wakes {
            outbox::wake(conn, wake, batch.at)?;
        }
        mark(conn, batch.at)?;
        Ok(true)
    })
}

/// Records the last position of transactions that have begun by now, unless the newest mark is recent. This is not the
/// position up to which events are settled or sealed: events that are not may be much older than this timestamp.
fn mark(conn: &mut Conn, at: Time) -> Result<(), JobError> {
    let newest: Option<At> =
        event_marks::table.select(event_marks::at).order(event_marks::at.desc()).first(conn).optional()?;
    if newest.is_none_or(|newest| newest.0 + MARK_INTERVAL <= at) {
        let mark = (event_marks::at.eq(At(at)), event_marks::position.eq(sql::<BigInt>(LAST_STARTED_POSITION)));
        diesel::insert_into(event_marks::table).values(mark).execute(conn)?;
    }
    Ok(())
}

/// Lists chains with index lookups only, regardless of their length.
pub(crate) fn chains(
    conn: &mut Conn,
    of_team: Option<TeamId>,
    after: Option<AuditChain>,
    limit: u16,
) -> Result<Vec<AuditChain>, JobError> {
    let nil = Id(Uuid::nil());
    let (mut team, mut id) = after.map_or((nil, nil), |after| (Id(after.team.uuid()), Id(after.id())));
    let mut chains = Vec::new();
    while chains.len() < usize::from(limit) {
        let next = || audit_seals::table.select((audit_seals::team_id, audit_seals::chain_id)).limit(1);
        let of_same_team = next()
            .filter(audit_seals::team_id.eq(of_team.map_or(team, |team| Id(team.uuid()))))
            .filter(audit_seals::chain_id.gt(id))
            .order(audit_seals::chain_id);
        let mut found: Option<(Id, Id)> = of_same_team.first(conn).optional()?;
        if found.is_none() && of_team.is_none() {
            let of_next_team = next().filter(audit_seals::team_id.gt(team));
            found = of_next_team.order((audit_seals::team_id, audit_seals::chain_id)).first(conn).optional()?;
        }
        let Some(next) = found else { break };
        (team, id) = next;
        chains.push(chain(team, id));
    }
    Ok(chains)
}

/// Deletes seals from the beginning of the chain, but never the last seal.
pub(crate) fn forget(conn: &mut Conn, chain: AuditChain, before: Time, limit: u16) -> Result<usize, JobError> {
    let of_chain = || audit_seals::table.filter(audit_seals::chain_id.eq(Id(chain.id())));
    // Few chains have an old seal, so only one is read of the others.
    let first: Option<At> = of_chain().select(audit_seals::at).order(audit_seals::number).first(conn).optional()?;
    if first.is_none_or(|at| at.0 >= before) {
        return Ok(0);
    }
    let oldest: Vec<(i64, At)> = of_chain()
        .select((audit_seals::number, audit_seals::at))
        .order(audit_seals::number)
        // Reads one seal more than may be deleted, so that the last seal is never deleted.
        .limit(i64::from(limit) + 1)
        .load(conn)?;
    let deletable = oldest.len().saturating_sub(1);
    let old = oldest.into_iter().take(deletable).take_while(|(_, at)| at.0 < before).last();
    let Some((last, _)) = old else { return Ok(0) };
    Ok(diesel::delete(of_chain().filter(audit_seals::number.le(last))).execute(conn)?)
}

pub(crate) fn retention_cutoff(conn: &mut Conn) -> Result<RetentionCutoff, JobError> {
    let columns = (audit_progress::events_kept_from, audit_progress::item_changes_kept_from);
    let (events, item_changes): (Option<At>, Option<At>) = audit_progress::table.select(columns).first(conn)?;
    Ok(RetentionCutoff { events: events.map(|at| at.0), item_changes: item_changes.map(|at| at.0) })
}

/// Records the retention cutoff before events are deleted, so that a concurrent verification does not expect them. The
/// cutoff never moves back.
pub(crate) fn record_retention_cutoff(conn: &mut Conn, requested: &RetentionCutoff) -> Result<(), JobError> {
    let stored = retention_cutoff(conn)?;
    let latest = (
        audit_progress::events_kept_from.eq(stored.events.max(requested.events).map(At)),
        audit_progress::item_changes_kept_from.eq(stored.item_changes.max(requested.item_changes).map(At)),
    );
    Ok(diesel::update(audit_progress::table).set(latest).execute(conn).map(drop)?)
}
