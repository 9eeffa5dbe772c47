//! Queries for the days on which users were active, stored as one row per user and day.

use async_trait::async_trait;
use diesel::dsl::{case_when, count, count_star, sql};
use diesel::prelude::*;
use diesel::sql_types::Bool;
use steward_domain::administration::{ActivityCounts, ActivityWindow, Day};
use steward_domain::data::UserActivityRecorder;
use steward_domain::kernel::{ProjectId, ProjectUserId, StoreError, Time};

use super::dialect::NOT_CANCELLED;
use super::{Conn, Database};
use crate::error::JobError;
use crate::sql_types::{At, Id, Instant, OnDay};
use crate::tables::{project_users, user_activity};

#[async_trait]
impl UserActivityRecorder for Database {
    async fn record_seen(&self, project: ProjectId, user: ProjectUserId, at: Time) -> Result<(), StoreError> {
        self.write(move |conn| {
            let target = project_users::table
                .filter(project_users::project_id.eq(Id(project.uuid())))
                .filter(project_users::id.eq(Id(user.uuid())));
            let seen = diesel::update(target).set(project_users::last_seen_at.eq(latest(at))).execute(conn)?;
            if seen == 0 { Ok(()) } else { record_day(conn, project, user, at) }
        })
        .await
    }
}

/// Records the day, unless it is already recorded.
pub(crate) fn record_day(conn: &mut Conn, project: ProjectId, user: ProjectUserId, at: Time) -> Result<(), JobError> {
    let row = (
        user_activity::project_id.eq(Id(project.uuid())),
        user_activity::user_id.eq(Id(user.uuid())),
        user_activity::day.eq(OnDay(at.date_naive())),
    );
    diesel::insert_into(user_activity::table).values(row).on_conflict_do_nothing().execute(conn)?;
    Ok(())
}

/// The later of this timestamp and the stored one.
#[diesel::dsl::auto_type(no_type_alias)]
pub(crate) fn latest(at: Time) -> _ {
    let at: At = At(at);
    let earlier = project_users::last_seen_at.lt(at);
    case_when(earlier, at.into_sql::<Instant>()).otherwise(project_users::last_seen_at)
}

pub(crate) fn counts(conn: &mut Conn, project: ProjectId, window: &ActivityWindow) -> Result<ActivityCounts, JobError> {
    let id = Id(project.uuid());
    let total = project_users::table
        .filter(project_users::project_id.eq(id))
        .filter(sql::<Bool>(NOT_CANCELLED))
        .count()
        .get_result(conn)?;
    let days = user_activity::table
        .filter(user_activity::project_id.eq(id))
        .filter(user_activity::day.ge(OnDay(window.since)))
        .filter(sql::<Bool>(NOT_CANCELLED))
        .group_by(user_activity::day)
        .select((user_activity::day, count_star()));
    let days: Vec<(OnDay, i64)> = days.load(conn)?;
    Ok(ActivityCounts {
        total: number(total)?,
        week: active_since(conn, project, window.week)?,
        month: active_since(conn, project, window.month)?,
        by_day: days.into_iter().map(|(day, users)| Ok((day.0, number(users)?))).collect::<Result<_, JobError>>()?,
    })
}

fn active_since(conn: &mut Conn, project: ProjectId, since: Day) -> Result<u64, JobError> {
    let active = user_activity::table
        .filter(user_activity::project_id.eq(Id(project.uuid())))
        .filter(user_activity::day.ge(OnDay(since)))
        .filter(sql::<Bool>(NOT_CANCELLED))
        .select(count(user_activity::user_id).aggregate_distinct());
    number(active.get_result(conn)?)
}

fn number(count: i64) -> Result<u64, JobError> {
    u64::try_from(count).map_err(JobError::corrupt)
}
