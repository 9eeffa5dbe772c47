//! Claims on idempotency keys in rows.

use diesel::prelude::*;
use steward_domain::error::ResourceKind;
use steward_domain::model::{IdempotentRequest, IdempotentRequestId, Time};

use super::Conn;
use crate::error::JobError;
use crate::sql_types::{At, Id};
use crate::tables::idempotency_claims;

#[derive(Queryable, Selectable, Insertable)]
#[diesel(table_name = idempotency_claims)]
struct Row {
    id: Id,
    caller: String,
    key_digest: String,
    fingerprint: String,
    leased_until: At,
    expires_at: At,
    is_effective: bool,
    answer: Option<Vec<u8>>,
}

impl From<Row> for IdempotentRequest {
    fn from(row: Row) -> Self {
        Self {
            id: row.id.0.into(),
            caller: row.caller,
            key_digest: row.key_digest,
            fingerprint: row.fingerprint,
            leased_until: row.leased_until.0,
            expires_at: row.expires_at.0,
            is_effective: row.is_effective,
            answer: row.answer,
        }
    }
}

impl From<&IdempotentRequest> for Row {
    fn from(claim: &IdempotentRequest) -> Self {
        Self {
            id: Id(claim.id.uuid()),
            caller: claim.caller.clone(),
            key_digest: claim.key_digest.clone(),
            fingerprint: claim.fingerprint.clone(),
            leased_until: At(claim.leased_until),
            expires_at: At(claim.expires_at),
            is_effective: claim.is_effective,
            answer: claim.answer.clone(),
        }
    }
}

pub(super) fn claim(conn: &mut Conn, claim: &IdempotentRequest) -> Result<bool, JobError> {
    let stored = diesel::insert_into(idempotency_claims::table)
        .values(Row::from(claim))
        .on_conflict((idempotency_claims::caller, idempotency_claims::key_digest))
        .do_nothing()
        .execute(conn)?;
    Ok(stored == 1)
}

pub(super) fn claimed(conn: &mut Conn, caller: &str, key_digest: &str) -> Result<Option<IdempotentRequest>, JobError> {
    let row: Option<Row> = idempotency_claims::table
        .filter(idempotency_claims::caller.eq(caller))
        .filter(idempotency_claims::key_digest.eq(key_digest))
        .select(Row::as_select())
        .first(conn)
        .optional()?;
    Ok(row.map(IdempotentRequest::from))
}

pub(super) fn take_over(
    conn: &mut Conn,
    former: IdempotentRequestId,
    claim: &IdempotentRequest,
    now: Time,
) -> Result<bool, JobError> {
    let row = Row::from(claim);
    let idle = idempotency_claims::is_effective.eq(false).and(idempotency_claims::answer.is_null());
    let target = idempotency_claims::table
        .filter(idempotency_claims::caller.eq(row.caller))
        .filter(idempotency_claims::key_digest.eq(row.key_digest))
        .filter(idempotency_claims::id.eq(Id(former.uuid())))
        .filter(idempotency_claims::expires_at.le(At(now)).or(idle));
    let taken = diesel::update(target)
        .set((
            idempotency_claims::id.eq(row.id),
            idempotency_claims::fingerprint.eq(row.fingerprint),
            idempotency_claims::leased_until.eq(row.leased_until),
            idempotency_claims::expires_at.eq(row.expires_at),
            idempotency_claims::is_effective.eq(row.is_effective),
            idempotency_claims::answer.eq(row.answer),
        ))
        .execute(conn)?;
    Ok(taken == 1)
}

/// Notes, with a change, that the claim it was made under has changed something.
pub(super) fn take_effect(conn: &mut Conn, id: IdempotentRequestId) -> Result<(), JobError> {
    let target = idempotency_claims::table.filter(idempotency_claims::id.eq(Id(id.uuid())));
    let found = diesel::update(target).set(idempotency_claims::is_effective.eq(true)).execute(conn)?;
    super::commit::one(found, ResourceKind::IdempotencyClaim)
}

pub(super) fn answer(conn: &mut Conn, id: IdempotentRequestId, answer: &[u8]) -> Result<(), JobError> {
    let target = idempotency_claims::table.filter(idempotency_claims::id.eq(Id(id.uuid())));
    diesel::update(target).set(idempotency_claims::answer.eq(answer)).execute(conn)?;
    Ok(())
}

pub(super) fn give_up(conn: &mut Conn, id: IdempotentRequestId, now: Time) -> Result<(), JobError> {
    conn.transaction(|conn| {
        let target = idempotency_claims::table.filter(idempotency_claims::id.eq(Id(id.uuid())));
        diesel::delete(target.filter(idempotency_claims::is_effective.eq(false))).execute(conn)?;
        diesel::update(target).set(idempotency_claims::leased_until.eq(At(now))).execute(conn)?;
        Ok(())
    })
}
