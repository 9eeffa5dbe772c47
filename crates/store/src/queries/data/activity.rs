//! Queries for the days on which users were active, stored as one row per user and day. The numbers of users by day are
//! counted with each of these rows, because a project can have millions of them.

use async_trait::async_trait;
use const_format::concatcp;
use diesel::dsl::case_when;
use diesel::prelude::*;
use steward_domain::administration::{ActivityCounts, ActivityWindow, Day};
use steward_domain::data::{ProjectUser, UserActivityRecorder};
use steward_domain::kernel::{ProjectId, ProjectUserId, StoreError, Time};

use super::dialect::ROW_LOCK;
use super::kernel::statement::{Fragment, Statement};
use super::{Conn, Database};
use crate::error::JobError;
use crate::sql_types::{At, Id, Instant, OnDay};
use crate::tables::{activity_counts, project_users, user_activity};

/// The day on which a user was last active. Until the transaction ends, no other one changes the days of the user: $1 is
/// the project, $2 the user.
const LAST_DAY: &str = concatcp!("SELECT last_seen_at FROM project_users WHERE project_id = $1 AND id = $2", ROW_LOCK);

/// Adds to the numbers of a day: $1 is the project, $2 the day, $3 and $4 what is added.
const COUNT: &str = "INSERT INTO activity_counts AS c (project_id, day, active, latest) VALUES ($1, $2, $3, $4) \
     ON CONFLICT (project_id, day) DO UPDATE SET active = c.active + $3, latest = c.latest + $4";

/// Statements that lock the numbers of the first days of a user, remove the user from them, and delete the days: $1 is the
/// project, $2 the user, $3 the maximum number of days. The order of the inner selections makes PostgreSQL read no more keys
/// than it deletes. All changes lock the numbers in the order of the days.
const ERASE: [&str; 3] = [
    concatcp!(
        "SELECT count(*) FROM (SELECT 1 FROM activity_counts WHERE project_id = $1 AND day IN \
         (SELECT day FROM user_activity WHERE project_id = $1 AND user_id = $2 ORDER BY day LIMIT $3) ORDER BY day",
        ROW_LOCK,
        ") AS locked"
    ),
    "UPDATE activity_counts SET active = active - 1 WHERE project_id = $1 AND day IN \
     (SELECT day FROM user_activity WHERE project_id = $1 AND user_id = $2 ORDER BY day LIMIT $3)",
    "DELETE FROM user_activity WHERE (project_id, user_id, day) IN \
     (SELECT project_id, user_id, day FROM user_activity \
     WHERE project_id = $1 AND user_id = $2 ORDER BY day LIMIT $3)",
];

#[async_trait]
impl UserActivityRecorder for Database {
    async fn record_seen(&self, project: ProjectId, user: ProjectUserId, at: Time) -> Result<(), StoreError> {
        self.transact(move |conn| {
            record_day(conn, project, user, at)?;
            let target = project_users::table.find((Id(project.uuid()), Id(user.uuid())));
            Ok(diesel::update(target).set(project_users::last_seen_at.eq(latest(at))).execute(conn).map(drop)?)
        })
        .await
    }
}

/// Records the first day of a new user.
pub(crate) fn begin(conn: &mut Conn, user: &ProjectUser) -> Result<(), JobError> {
    let day = user.last_seen_at.date_naive();
    insert_day(conn, user.project_id, user.id, day)?;
    count(conn, user.project_id, day, (1, 1))
}

/// Records the day, unless it is already recorded or there is no such user. Call it before `last_seen_at` is changed.
pub(crate) fn record_day(conn: &mut Conn, project: ProjectId, user: ProjectUserId, at: Time) -> Result<(), JobError> {
    let (before, day) = (last_day(conn, project, user)?, at.date_naive());
    let Some(before) = before.filter(|before| *before != day) else { return Ok(()) };
    if !insert_day(conn, project, user, day)? {
        return Ok(());
    }
    let is_latest = before < day;
    if is_latest {
        count(conn, project, before, (0, -1))?;
    }
    count(conn, project, day, (1, is_latest.into()))
}

/// Deletes at most `limit` of the days of a user. Returns how many.
pub(crate) fn erase(conn: &mut Conn, project: ProjectId, user: ProjectUserId, limit: usize) -> Result<usize, JobError> {
    if last_day(conn, project, user)?.is_none() {
        return Ok(0);
    }
    let limit = Fragment::Count(i64::try_from(limit).map_err(JobError::corrupt)?);
    let values = [Fragment::id(project), Fragment::id(user), limit];
    let [lock, uncount, delete] = ERASE.map(|text| Statement::<()>::numbered(text, &values));
    lock.execute(conn)?;
    uncount.execute(conn)?;
    Ok(delete.execute(conn)?)
}

/// Removes a user from the numbers. Few of the days are left.
pub(crate) fn end(conn: &mut Conn, project: ProjectId, user: ProjectUserId, limit: usize) -> Result<(), JobError> {
    erase(conn, project, user, limit)?;
    last_day(conn, project, user)?.map_or(Ok(()), |day| count(conn, project, day, (0, -1)))
}

/// Returns whether the day was not recorded before.
fn insert_day(conn: &mut Conn, project: ProjectId, user: ProjectUserId, day: Day) -> Result<bool, JobError> {
    let row = (
        user_activity::project_id.eq(Id(project.uuid())),
        user_activity::user_id.eq(Id(user.uuid())),
        user_activity::day.eq(OnDay(day)),
    );
    let inserted = diesel::insert_into(user_activity::table).values(row).on_conflict_do_nothing().execute(conn)?;
    Ok(inserted > 0)
}

fn count(conn: &mut Conn, project: ProjectId, day: Day, (active, latest): (i64, i64)) -> Result<(), JobError> {
    let values = [Fragment::id(project), Fragment::Day(OnDay(day)), Fragment::Count(active), Fragment::Count(latest)];
    Ok(Statement::<()>::numbered(COUNT, &values).execute(conn).map(drop)?)
}

/// Returns the day on which the user was last active, and locks the user.
fn last_day(conn: &mut Conn, project: ProjectId, user: ProjectUserId) -> Result<Option<Day>, JobError> {
    let found = Statement::<Instant>::numbered(LAST_DAY, &[Fragment::id(project), Fragment::id(user)]);
    Ok(found.get_result::<At>(conn).optional()?.map(|at| at.0.date_naive()))
}

/// The later of this timestamp and the stored one.
#[diesel::dsl::auto_type(no_type_alias)]
pub(crate) fn latest(at: Time) -> _ {
    let at: At = At(at);
    let earlier = project_users::last_seen_at.lt(at);
    case_when(earlier, at.into_sql::<Instant>()).otherwise(project_users::last_seen_at)
}

/// Selects the numbers of all days of a project.
#[diesel::dsl::auto_type(no_type_alias)]
pub(crate) fn days(project: Id) -> _ {
    let own = activity_counts::table.filter(activity_counts::project_id.eq(project));
    own.select((activity_counts::day, activity_counts::active, activity_counts::latest))
}

pub(crate) fn counts(conn: &mut Conn, project: ProjectId, window: &ActivityWindow) -> Result<ActivityCounts, JobError> {
    // A day has too few users if some were active while a version ran that does not count them.
    let number = |count: i64| u64::try_from(count).unwrap_or_default();
    let days: Vec<(OnDay, i64, i64)> = days(Id(project.uuid())).load(conn)?;
    let since = |first: Day| {
        let latest = days.iter().filter(|(day, ..)| day.0 >= first).map(|(.., latest)| *latest);
        number(latest.fold(0, i64::saturating_add))
    };
    let by_day = days.iter().filter(|(day, active, _)| day.0 >= window.since && *active > 0);
    Ok(ActivityCounts {
        total: since(Day::MIN),
        week: since(window.week),
        month: since(window.month),
        by_day: by_day.map(|(day, active, _)| (day.0, number(*active))).collect(),
    })
}
