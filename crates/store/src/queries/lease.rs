//! Leases on shares of the background work.

use diesel::prelude::*;
use steward_domain::model::Time;
use uuid::Uuid;

use super::Conn;
use crate::error::JobError;
use crate::sql_types::{At, Id};
use crate::tables::work_leases;

pub(super) fn take(conn: &mut Conn, share: &str, holder: Uuid, now: Time, until: Time) -> Result<bool, JobError> {
    let mine_or_over = work_leases::holder.eq(Id(holder)).or(work_leases::leased_until.le(At(now)));
    let row = || work_leases::table.filter(work_leases::share.eq(share.to_owned()));
    let taken = diesel::update(row().filter(mine_or_over))
        .set((work_leases::holder.eq(Id(holder)), work_leases::leased_until.eq(At(until))))
        .execute(conn)?;
    if taken > 0 || diesel::select(diesel::dsl::exists(row())).get_result(conn)? {
        return Ok(taken > 0);
    }
    let first =
        (work_leases::share.eq(share), work_leases::holder.eq(Id(holder)), work_leases::leased_until.eq(At(until)));
    let made = diesel::insert_into(work_leases::table).values(first).on_conflict_do_nothing().execute(conn)?;
    Ok(made > 0)
}

pub(super) fn give_back(conn: &mut Conn, holder: Uuid) -> Result<(), JobError> {
    diesel::delete(work_leases::table.filter(work_leases::holder.eq(Id(holder)))).execute(conn)?;
    Ok(())
}
