//! Queries for idempotency keys.

use async_trait::async_trait;
use diesel::prelude::*;
use steward_domain::kernel::error::ResourceKind;
use steward_domain::kernel::{IdempotencyStore, IdempotentRequest, IdempotentRequestId, StoreError, Time};

use super::{Conn, Database};
use crate::error::{JobError, expect_one};
use crate::sql_types::{At, Id};
use crate::tables::{IdempotentRequestRow, idempotency_claims};

#[async_trait]
impl IdempotencyStore for Database {
    async fn claim(&self, claim: &IdempotentRequest) -> Result<bool, StoreError> {
        let claim = claim.clone();
        self.write(move |conn| {
            let stored = diesel::insert_into(idempotency_claims::table)
                .values(IdempotentRequestRow::try_from(&claim)?)
                .on_conflict((idempotency_claims::caller, idempotency_claims::key_digest))
                .do_nothing()
                .execute(conn)?;
            Ok(stored == 1)
        })
        .await
    }

    async fn claimed(&self, caller: &str, key_digest: &str) -> Result<Option<IdempotentRequest>, StoreError> {
        self.first(idempotency_claims::table.find((caller.to_owned(), key_digest.to_owned()))).await
    }

    async fn take_over(
        &self,
        previous: IdempotentRequestId,
        claim: &IdempotentRequest,
        now: Time,
    ) -> Result<bool, StoreError> {
        let claim = claim.clone();
        self.write(move |conn| {
            let is_unused = idempotency_claims::is_effective.eq(false).and(idempotency_claims::answer.is_null());
            let target = idempotency_claims::table
                .find((&claim.caller, &claim.key_digest))
                .filter(idempotency_claims::id.eq(Id(previous.uuid())))
                .filter(idempotency_claims::expires_at.le(At(now)).or(is_unused));
            let updated = diesel::update(target).set(IdempotentRequestRow::try_from(&claim)?).execute(conn)?;
            Ok(updated == 1)
        })
        .await
    }

    async fn answer(&self, id: IdempotentRequestId, answer: &[u8]) -> Result<(), StoreError> {
        let target = idempotency_claims::table.filter(idempotency_claims::id.eq(Id(id.uuid())));
        self.execute(diesel::update(target).set(idempotency_claims::answer.eq(answer.to_vec()))).await
    }

    async fn give_up(&self, id: IdempotentRequestId, now: Time) -> Result<(), StoreError> {
        self.transact(move |conn| {
            let target = idempotency_claims::table.filter(idempotency_claims::id.eq(Id(id.uuid())));
            diesel::delete(target.filter(idempotency_claims::is_effective.eq(false))).execute(conn)?;
            Ok(diesel::update(target).set(idempotency_claims::leased_until.eq(At(now))).execute(conn).map(drop)?)
        })
        .await
    }
}

/// Records, in the transaction of a change, that the claim of the request has changed something.
pub(crate) fn take_effect(conn: &mut Conn, id: IdempotentRequestId) -> Result<(), JobError> {
    let target = idempotency_claims::table.filter(idempotency_claims::id.eq(Id(id.uuid())));
    let found = diesel::update(target).set(idempotency_claims::is_effective.eq(true)).execute(conn)?;
    expect_one(found, ResourceKind::IdempotencyClaim)
}
