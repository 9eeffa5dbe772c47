//! On which days users were active, in rows: one a user and day.

use diesel::dsl::{case_when, count, count_star, sql};
use diesel::prelude::*;
use diesel::sql_types::Bool;
use steward_domain::model::{ActivityCounts, ActivityWindow, Day, ProjectId, ProjectUserId, Time};

use super::{Conn, STILL_WANTED};
use crate::error::Fault;
use crate::sql_types::{At, Id, Instant, OnDay};
use crate::tables::{project_users, user_activity};

/// Notes the day, unless it is noted.
pub(super) fn note_day(conn: &mut Conn, project: ProjectId, user: ProjectUserId, at: Time) -> Result<(), Fault> {
    let row = (
        user_activity::project_id.eq(Id(project.uuid())),
        user_activity::user_id.eq(Id(user.uuid())),
        user_activity::day.eq(OnDay(at.date_naive())),
    );
    diesel::insert_into(user_activity::table).values(row).on_conflict_do_nothing().execute(conn)?;
    Ok(())
}

/// Notes the moment and its day, of a user who is still there.
pub(super) fn note_seen(conn: &mut Conn, project: ProjectId, user: ProjectUserId, at: Time) -> Result<(), Fault> {
    let target = project_users::table
        .filter(project_users::project_id.eq(Id(project.uuid())))
        .filter(project_users::id.eq(Id(user.uuid())));
    let seen = diesel::update(target).set(project_users::last_seen_at.eq(latest(at))).execute(conn)?;
    if seen == 0 { Ok(()) } else { note_day(conn, project, user, at) }
}

/// The moment, or what is stored if that is later.
#[diesel::dsl::auto_type(no_type_alias)]
pub(super) fn latest(at: Time) -> _ {
    let at: At = At(at);
    let earlier = project_users::last_seen_at.lt(at);
    case_when(earlier, at.into_sql::<Instant>()).otherwise(project_users::last_seen_at)
}

pub(super) fn counts(conn: &mut Conn, project: ProjectId, window: &ActivityWindow) -> Result<ActivityCounts, Fault> {
    let id = Id(project.uuid());
    let total = project_users::table.filter(project_users::project_id.eq(id)).count().get_result(conn)?;
    let days = user_activity::table
        .filter(user_activity::project_id.eq(id))
        .filter(user_activity::day.ge(OnDay(window.since)))
        .filter(sql::<Bool>(STILL_WANTED))
        .group_by(user_activity::day)
        .select((user_activity::day, count_star()));
    let days: Vec<(OnDay, i64)> = days.load(conn)?;
    Ok(ActivityCounts {
        total: number(total)?,
        week: active_since(conn, project, window.week)?,
        month: active_since(conn, project, window.month)?,
        by_day: days.into_iter().map(|(day, users)| Ok((day.0, number(users)?))).collect::<Result<_, Fault>>()?,
    })
}

fn active_since(conn: &mut Conn, project: ProjectId, since: Day) -> Result<u64, Fault> {
    let active = user_activity::table
        .filter(user_activity::project_id.eq(Id(project.uuid())))
        .filter(user_activity::day.ge(OnDay(since)))
        .filter(sql::<Bool>(STILL_WANTED))
        .select(count(user_activity::user_id).aggregate_distinct());
    number(active.get_result(conn)?)
}

fn number(count: i64) -> Result<u64, Fault> {
    u64::try_from(count).map_err(Fault::corrupt)
}

pub(super) fn days_of(conn: &mut Conn, project: ProjectId, user: ProjectUserId) -> Result<Vec<Day>, Fault> {
    let days: Vec<OnDay> = user_activity::table
        .filter(user_activity::project_id.eq(Id(project.uuid())))
        .filter(user_activity::user_id.eq(Id(user.uuid())))
        .select(user_activity::day)
        .order(user_activity::day.asc())
        .load(conn)?;
    Ok(days.into_iter().map(|day| day.0).collect())
}
