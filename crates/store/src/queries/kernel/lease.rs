//! Queries for leases on shares of the background work.

use async_trait::async_trait;
use diesel::prelude::*;
use steward_domain::kernel::{StoreError, Time, WorkLeases};
use uuid::Uuid;

use super::Database;
use crate::sql_types::{At, Id};
use crate::tables::work_leases;

#[async_trait]
impl WorkLeases for Database {
    async fn acquire_lease(&self, share: &str, holder: Uuid, now: Time, until: Time) -> Result<bool, StoreError> {
        let share = share.to_owned();
        self.write(move |conn| {
            let own_or_expired = work_leases::holder.eq(Id(holder)).or(work_leases::leased_until.le(At(now)));
            let row = || work_leases::table.filter(work_leases::share.eq(share.to_owned()));
            let updated = diesel::update(row().filter(own_or_expired))
                .set((work_leases::holder.eq(Id(holder)), work_leases::leased_until.eq(At(until))))
                .execute(conn)?;
            if updated > 0 || diesel::select(diesel::dsl::exists(row())).get_result(conn)? {
                return Ok(updated > 0);
            }
            let lease = (
                work_leases::share.eq(&share),
                work_leases::holder.eq(Id(holder)),
                work_leases::leased_until.eq(At(until)),
            );
            let inserted =
                diesel::insert_into(work_leases::table).values(lease).on_conflict_do_nothing().execute(conn)?;
            Ok(inserted > 0)
        })
        .await
    }

    async fn release_leases_of(&self, holder: Uuid) -> Result<(), StoreError> {
        self.execute(diesel::delete(work_leases::table.filter(work_leases::holder.eq(Id(holder))))).await
    }
}
