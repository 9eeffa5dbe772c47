//! The audit log, read and sealed.

use diesel::dsl::sql;
use diesel::prelude::*;
use diesel::sql_types::Bool;
use serde_json::{Value, json};
use steward_domain::error::Kind;
use steward_domain::model::{
    AuditEvent, AuditFilter, AuditScope, Cursor, EventSelection, Page, PageRequest, PageSize, RecordedActor, Seal,
    TeamId, Time, Webhook,
};
use steward_domain::ports::Wake;
use uuid::Uuid;

use super::page::{Part, Weighed, json_bytes};
use super::{Conn, RowByRow, STILL_WANTED, page, webhook};
use crate::error::Fault;
use crate::sql_types::{At, Id, Json, JsonText, Uid};
use crate::tables::audit_events;

#[derive(Queryable, Selectable)]
#[diesel(table_name = audit_events)]
struct Row {
    seq: i64,
    at: At,
    team_id: Option<Id>,
    project_id: Option<Id>,
    actor_kind: String,
    actor_id: Option<Id>,
    token_id: Option<Id>,
    operation: String,
    action: String,
    target_kind: String,
    target_id: String,
    before: Option<Json>,
    after: Option<Json>,
    request_id: String,
    address: Option<String>,
    position: Option<i64>,
    prev: Option<String>,
    hash: Option<String>,
}

impl TryFrom<Row> for AuditEvent {
    type Error = Fault;

    fn try_from(row: Row) -> Result<Self, Fault> {
        Ok(Self {
            number: row.seq,
            at: row.at.0,
            team_id: row.team_id.map(|id| id.0.into()),
            project_id: row.project_id.map(|id| id.0.into()),
            actor: RecordedActor {
                kind: row.actor_kind,
                id: row.actor_id.map(|id| id.0),
                token_id: row.token_id.map(|id| id.0.into()),
            },
            operation: row.operation,
            action: row.action,
            target_kind: row.target_kind,
            target_id: row.target_id,
            before: shown(row.before)?,
            after: shown(row.after)?,
            request_id: row.request_id,
            address: row.address,
            seal: seal(row.position, row.prev, row.hash)?,
        })
    }
}

impl Weighed for Row {
    fn bytes(&self) -> usize {
        json_bytes([self.before.as_ref(), self.after.as_ref()])
    }
}

fn shown(json: Option<Json>) -> Result<Option<Value>, Fault> {
    json.map(|json| serde_json::from_str(&json.0).map_err(Fault::corrupt)).transpose()
}

fn seal(position: Option<i64>, prev: Option<String>, hash: Option<String>) -> Result<Option<Seal>, Fault> {
    match (position, prev, hash) {
        (None, None, None) => Ok(None),
        (Some(position), Some(prev), Some(hash)) => Ok(Some(Seal { position, prev, hash })),
        _ => Err(Fault::corrupt("half of a seal")),
    }
}

pub(super) fn list(
    conn: &mut Conn,
    scope: AuditScope,
    filter: &AuditFilter,
    request: &PageRequest,
) -> Result<Page<AuditEvent>, Fault> {
    let place = |event: &AuditEvent| Cursor { at: event.at, id: event.number.to_string() };
    page::of_large(request, Row::try_into, place, |request, part: &mut Part<Row>| {
        let mut query = audit_events::table
            .filter(audit_events::team_id.eq(Id(scope.team().uuid())))
            .filter(sql::<Bool>(STILL_WANTED))
            .select(Row::as_select())
            .order((audit_events::at.desc(), audit_events::seq.desc()))
            .limit(part.limit())
            .into_boxed();
        if let AuditScope::Project(_, project) = scope {
            query = query.filter(audit_events::project_id.eq(Id(project.uuid())));
        }
        if let Some(actor) = filter.actor.map(Id) {
            query = query.filter(audit_events::actor_id.eq(actor).or(audit_events::token_id.eq(actor)));
        }
        if let Some(action) = &filter.action {
            query = query.filter(audit_events::action.eq(action.clone()));
        }
        if let Some(target) = &filter.target {
            query = query.filter(audit_events::target_id.eq(target.clone()));
        }
        if let Some(from) = filter.from {
            query = query.filter(audit_events::at.ge(At(from)));
        }
        if let Some(to) = filter.to {
            query = query.filter(audit_events::at.lt(At(to)));
        }
        if let Some(Cursor { at, id }) = &request.after {
            let (at, seq) = (At(*at), id.parse::<i64>().unwrap_or_default());
            query = query.filter(audit_events::at.lt(at).or(audit_events::at.eq(at).and(audit_events::seq.lt(seq))));
        }
        part.take(query.load_iter::<Row, RowByRow>(conn)?)
    })
}

pub(super) fn sealed(conn: &mut Conn, scope: AuditScope, after: i64, most: u16) -> Result<Vec<AuditEvent>, Fault> {
    let size = PageSize { rows: most, ..PageSize::MAX };
    let position = |event: &AuditEvent| event.seal.as_ref().map_or(after, |seal| seal.position);
    let rows = page::read(size, after, Row::try_into, position, |after, part: &mut Part<Row>| {
        let mut query = audit_events::table
            .filter(audit_events::team_id.eq(Id(scope.team().uuid())))
            .filter(audit_events::position.gt(after))
            .select(Row::as_select())
            .order(audit_events::position.asc())
            .limit(part.limit())
            .into_boxed();
        if let AuditScope::Project(_, project) = scope {
            query = query.filter(audit_events::project_id.eq(Id(project.uuid())));
        }
        part.take(query.load_iter::<Row, RowByRow>(conn)?)
    })?;
    Ok(rows.items)
}

pub(super) fn wanted(
    conn: &mut Conn,
    webhook: &Webhook,
    after: i64,
    through: i64,
    most: u16,
) -> Result<Vec<AuditEvent>, Fault> {
    let mut query = audit_events::table
        .filter(audit_events::team_id.eq(Id(webhook.scope.team().uuid())))
        .filter(audit_events::position.gt(after))
        .filter(audit_events::position.le(through))
        .filter(audit_events::at.ge(At(webhook.created_at)))
        .select(Row::as_select())
        .order(audit_events::position.asc())
        .limit(i64::from(most))
        .into_boxed();
    if let AuditScope::Project(_, project) = webhook.scope {
        query = query.filter(audit_events::project_id.eq(Id(project.uuid())));
    }
    if let EventSelection::Names(names) = &webhook.events {
        query = query.filter(audit_events::action.eq_any(names.clone()));
    }
    let rows: Vec<Row> = query.load(conn)?;
    rows.into_iter().map(TryInto::try_into).collect()
}

pub(super) fn last_position(conn: &mut Conn, team: TeamId) -> Result<i64, Fault> {
    let last: Option<Option<i64>> = audit_events::table
        .filter(audit_events::team_id.eq(Id(team.uuid())))
        .filter(audit_events::position.is_not_null())
        .select(audit_events::position)
        .order(audit_events::position.desc())
        .first(conn)
        .optional()?;
    Ok(last.flatten().unwrap_or_default())
}

pub(super) fn next_unsealed_team(conn: &mut Conn, after: Option<TeamId>) -> Result<Option<TeamId>, Fault> {
    let after = Id(after.map_or(Uuid::nil(), TeamId::uuid));
    let next: Option<Option<Id>> = audit_events::table
        .filter(audit_events::position.is_null())
        .filter(audit_events::team_id.gt(after))
        .select(audit_events::team_id)
        .order(audit_events::team_id.asc())
        .first(conn)
        .optional()?;
    Ok(next.flatten().map(|id| id.0.into()))
}

/// One look at the index for each team, however long its chain is.
pub(super) fn sealed_teams(conn: &mut Conn, after: Option<TeamId>, most: u16) -> Result<Vec<TeamId>, Fault> {
    let (mut after, mut teams) = (Id(after.map_or(Uuid::nil(), TeamId::uuid)), Vec::new());
    while teams.len() < usize::from(most) {
        let next: Option<Option<Id>> = audit_events::table
            .filter(audit_events::position.is_not_null())
            .filter(audit_events::team_id.gt(after))
            .select(audit_events::team_id)
            .order(audit_events::team_id.asc())
            .first(conn)
            .optional()?;
        let Some(next) = next.flatten() else { break };
        teams.push(next.0.into());
        after = next;
    }
    Ok(teams)
}

pub(super) fn unsealed(conn: &mut Conn, team: TeamId, most: u16) -> Result<(Option<Seal>, Vec<AuditEvent>), Fault> {
    let of_team = audit_events::table.filter(audit_events::team_id.eq(Id(team.uuid())));
    let waiting: Vec<Row> = of_team
        .filter(audit_events::position.is_null())
        .select(Row::as_select())
        .order(audit_events::seq.asc())
        .limit(i64::from(most))
        .load(conn)?;
    if waiting.is_empty() {
        return Ok((None, Vec::new()));
    }
    let last: Option<(Option<i64>, Option<String>, Option<String>)> = of_team
        .filter(audit_events::position.is_not_null())
        .select((audit_events::position, audit_events::prev, audit_events::hash))
        .order(audit_events::position.desc())
        .first(conn)
        .optional()?;
    let last = last.map(|(position, prev, hash)| seal(position, prev, hash)).transpose()?.flatten();
    Ok((last, waiting.into_iter().map(TryInto::try_into).collect::<Result<_, _>>()?))
}

/// Gives the events their places. `Err(Fault::Stale)`: one has a place already.
pub(super) fn give_seals(
    conn: &mut Conn,
    team: TeamId,
    seals: &[(i64, Seal)],
    wakes: &[Wake],
    now: Time,
) -> Result<(), Fault> {
    conn.transaction(|conn| {
        let sealed = match super::SEAL_ALL {
            Some(statement) => seal_all(conn, statement, team, seals)?,
            None => seal_each(conn, team, seals)?,
        };
        if sealed != seals.len() {
            return Err(Fault::Stale(Kind::AuditEvent));
        }
        wakes.iter().try_for_each(|wake| webhook::wake(conn, wake, now))
    })
}

fn seal_all(conn: &mut Conn, statement: &str, team: TeamId, seals: &[(i64, Seal)]) -> Result<usize, Fault> {
    let given = |(number, seal): &(i64, Seal)| json!({"seq": number, "position": seal.position, "prev": seal.prev, "hash": seal.hash});
    let given = Value::Array(seals.iter().map(given).collect()).to_string();
    let query = diesel::sql_query(statement).bind::<Uid, _>(Id(team.uuid()));
    Ok(query.bind::<JsonText, _>(Json(given)).execute(conn)?)
}

fn seal_each(conn: &mut Conn, team: TeamId, seals: &[(i64, Seal)]) -> Result<usize, Fault> {
    let mut sealed = 0;
    for (number, seal) in seals {
        let target = audit_events::table
            .filter(audit_events::team_id.eq(Id(team.uuid())))
            .filter(audit_events::seq.eq(number))
            .filter(audit_events::position.is_null());
        sealed += diesel::update(target)
            .set((
                audit_events::position.eq(seal.position),
                audit_events::prev.eq(&seal.prev),
                audit_events::hash.eq(&seal.hash),
            ))
            .execute(conn)?;
    }
    Ok(sealed)
}

/// Of a chain the beginning goes, and never its last link; of what no chain holds what was written first.
pub(super) fn forget(conn: &mut Conn, team: Option<TeamId>, before: Time, most: u16) -> Result<usize, Fault> {
    let limit = i64::from(most) + 1;
    let oldest: Vec<(i64, At)> = match team {
        Some(team) => audit_events::table
            .filter(audit_events::team_id.eq(Id(team.uuid())))
            .filter(audit_events::position.gt(0))
            .select((audit_events::seq, audit_events::at))
            .order(audit_events::position.asc())
            .limit(limit)
            .load(conn)?,
        None => audit_events::table
            .filter(audit_events::team_id.is_null())
            .select((audit_events::seq, audit_events::at))
            .order(audit_events::seq.asc())
            .limit(limit)
            .load(conn)?,
    };
    // One is looked at beyond what may go: without it, the last link might.
    let may_go = if team.is_some() { oldest.len().saturating_sub(1) } else { usize::from(most).min(oldest.len()) };
    let old: Vec<i64> = oldest.iter().take(may_go).take_while(|(_, at)| at.0 < before).map(|(seq, _)| *seq).collect();
    if old.is_empty() {
        return Ok(0);
    }
    Ok(diesel::delete(audit_events::table.filter(audit_events::seq.eq_any(old))).execute(conn)?)
}
