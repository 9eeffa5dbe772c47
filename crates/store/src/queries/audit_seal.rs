//! Seals in rows, how far the log is sealed, and from when on it is kept.

use chrono::TimeDelta;
use diesel::dsl::sql;
use diesel::prelude::*;
use diesel::query_builder::AsQuery;
use diesel::sql_types::BigInt;
use serde_json::Value;
use steward_domain::model::{AuditChain, AuditEvent, AuditSeal, SealedPart, TeamId, Time};
use steward_domain::ports::{RetentionCutoff, SealedBatch, UnsealedEvents};
use uuid::Uuid;

use super::statement::Statement;
use super::{BEGUN_POSITION, Conn, IDS, audit_log, webhook};
use crate::error::JobError;
use crate::sql_types::{At, Id, Json};
use crate::tables::{audit_progress, audit_seals, event_marks};

/// How far apart the marks are.
const MARK_EVERY: TimeDelta = TimeDelta::minutes(10);

#[derive(Queryable, Selectable, Insertable)]
#[diesel(table_name = audit_seals)]
struct Row {
    chain_id: Id,
    number: i64,
    team_id: Id,
    after_position: i64,
    through_position: i64,
    at: At,
    first_at: At,
    events: i64,
    events_hash: String,
    item_changes: i64,
    item_changes_hash: String,
    prev: String,
    hash: String,
}

impl From<Row> for AuditSeal {
    fn from(row: Row) -> Self {
        Self {
            chain: chain(row.team_id, row.chain_id),
            number: row.number,
            after: row.after_position,
            through: row.through_position,
            at: row.at.0,
            first_at: row.first_at.0,
            events: SealedPart { count: row.events, hash: row.events_hash },
            item_changes: SealedPart { count: row.item_changes, hash: row.item_changes_hash },
            prev: row.prev,
            hash: row.hash,
        }
    }
}

impl From<&AuditSeal> for Row {
    fn from(seal: &AuditSeal) -> Self {
        Self {
            chain_id: Id(seal.chain.id()),
            number: seal.number,
            team_id: Id(seal.chain.team.uuid()),
            after_position: seal.after,
            through_position: seal.through,
            at: At(seal.at),
            first_at: At(seal.first_at),
            events: seal.events.count,
            events_hash: seal.events.hash.clone(),
            item_changes: seal.item_changes.count,
            item_changes_hash: seal.item_changes.hash.clone(),
            prev: seal.prev.clone(),
            hash: seal.hash.clone(),
        }
    }
}

/// The chain with this id.
fn chain(team: Id, id: Id) -> AuditChain {
    AuditChain { team: team.0.into(), project: (id != team).then(|| id.0.into()) }
}

pub(super) fn position(conn: &mut Conn) -> Result<i64, JobError> {
    Ok(audit_progress::table.select(audit_progress::position).first(conn)?)
}

pub(super) fn unsealed(conn: &mut Conn, most: u16) -> Result<UnsealedEvents, JobError> {
    let after = position(conn)?;
    let events = audit_log::unsealed(conn, after, most)?;
    let mut chains: Vec<AuditChain> = events.iter().filter_map(AuditEvent::chain).collect();
    chains.sort_unstable();
    chains.dedup();
    let last_seals = if chains.is_empty() { Vec::new() } else { last_seals(conn, &chains)? };
    Ok(UnsealedEvents { after, events, last_seals })
}

/// One look at the index for each chain, in one statement.
fn last_seals(conn: &mut Conn, chains: &[AuditChain]) -> Result<Vec<AuditSeal>, JobError> {
    let ids: Value = chains.iter().map(|chain| chain.id().to_string()).collect();
    let mut seals: Statement<<audit_seals::table as AsQuery>::SqlType> = Statement::new();
    seals.sql(
        "SELECT s.chain_id, s.number, s.team_id, s.after_position, s.through_position, s.at, s.first_at, s.events, \
         s.events_hash, s.item_changes, s.item_changes_hash, s.prev, s.hash FROM ",
    );
    seals.sql(IDS.0);
    seals.json(Json(ids.to_string()));
    seals.sql(IDS.1);
    seals.sql(
        " AS c JOIN audit_seals s ON s.chain_id = c.id \
         AND s.number = (SELECT max(l.number) FROM audit_seals l WHERE l.chain_id = c.id)",
    );
    let rows: Vec<Row> = seals.load(conn)?;
    Ok(rows.into_iter().map(Into::into).collect())
}

/// Whether it was exactly this batch's turn.
pub(super) fn seal(conn: &mut Conn, batch: &SealedBatch) -> Result<bool, JobError> {
    conn.transaction(|conn| {
        let turn = audit_progress::table.filter(audit_progress::position.eq(batch.after));
        let taken = diesel::update(turn).set(audit_progress::position.eq(batch.through)).execute(conn)?;
        if taken == 0 {
            return Ok(false);
        }
        let seals: Vec<Row> = batch.seals.iter().map(Into::into).collect();
        diesel::insert_into(audit_seals::table).values(seals).execute(conn)?;
        for wake in &batch.wakes {
            webhook::wake(conn, wake, batch.at)?;
        }
        mark(conn, batch.at)?;
        Ok(true)
    })
}

/// Notes up to which position transactions have begun by now, unless that was noted just before. Not how far events are
/// settled or sealed: those that wait may be much older than this moment.
fn mark(conn: &mut Conn, at: Time) -> Result<(), JobError> {
    let newest: Option<At> =
        event_marks::table.select(event_marks::at).order(event_marks::at.desc()).first(conn).optional()?;
    if newest.is_none_or(|newest| newest.0 + MARK_EVERY <= at) {
        let mark = (event_marks::at.eq(At(at)), event_marks::position.eq(sql::<BigInt>(BEGUN_POSITION)));
        diesel::insert_into(event_marks::table).values(mark).execute(conn)?;
    }
    Ok(())
}

pub(super) fn list(conn: &mut Conn, chain: AuditChain, after: i64, most: u16) -> Result<Vec<AuditSeal>, JobError> {
    let rows: Vec<Row> = audit_seals::table
        .filter(audit_seals::chain_id.eq(Id(chain.id())))
        .filter(audit_seals::number.gt(after))
        .select(Row::as_select())
        .order(audit_seals::number)
        .limit(most.into())
        .load(conn)?;
    Ok(rows.into_iter().map(Into::into).collect())
}

/// One look at the index for each chain, however long it is.
pub(super) fn chains(
    conn: &mut Conn,
    of_team: Option<TeamId>,
    after: Option<AuditChain>,
    most: u16,
) -> Result<Vec<AuditChain>, JobError> {
    let nil = Id(Uuid::nil());
    let (mut team, mut id) = after.map_or((nil, nil), |after| (Id(after.team.uuid()), Id(after.id())));
    let mut chains = Vec::new();
    while chains.len() < usize::from(most) {
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

/// The beginning of the chain goes, and never its last seal.
pub(super) fn forget(conn: &mut Conn, chain: AuditChain, before: Time, most: u16) -> Result<usize, JobError> {
    let of_chain = || audit_seals::table.filter(audit_seals::chain_id.eq(Id(chain.id())));
    let oldest: Vec<(i64, At)> = of_chain()
        .select((audit_seals::number, audit_seals::at))
        .order(audit_seals::number)
        // One is looked at beyond what may go: without it, the last one might.
        .limit(i64::from(most) + 1)
        .load(conn)?;
    let may_go = oldest.len().saturating_sub(1);
    let old = oldest.into_iter().take(may_go).take_while(|(_, at)| at.0 < before).last();
    let Some((last, _)) = old else { return Ok(0) };
    Ok(diesel::delete(of_chain().filter(audit_seals::number.le(last))).execute(conn)?)
}

pub(super) fn retention_cutoff(conn: &mut Conn) -> Result<RetentionCutoff, JobError> {
    let columns = (audit_progress::events_kept_from, audit_progress::item_changes_kept_from);
    let (events, item_changes): (Option<At>, Option<At>) = audit_progress::table.select(columns).first(conn)?;
    Ok(RetentionCutoff { events: events.map(|at| at.0), item_changes: item_changes.map(|at| at.0) })
}

/// Notes from when on events are kept, before any is forgotten: whoever verifies meanwhile must not miss them. Never goes
/// back.
pub(super) fn record_retention_cutoff(conn: &mut Conn, wanted: &RetentionCutoff) -> Result<(), JobError> {
    let noted = retention_cutoff(conn)?;
    let kept = RetentionCutoff {
        events: noted.events.max(wanted.events),
        item_changes: noted.item_changes.max(wanted.item_changes),
    };
    diesel::update(audit_progress::table)
        .set((
            audit_progress::events_kept_from.eq(kept.events.map(At)),
            audit_progress::item_changes_kept_from.eq(kept.item_changes.map(At)),
        ))
        .execute(conn)?;
    Ok(())
}
