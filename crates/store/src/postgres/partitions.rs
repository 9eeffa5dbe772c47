//! PostgreSQL-specific handling of the event tables: weekly partitions that are dropped as a whole, and positions that
//! keep increasing after the database moves to another cluster.

use chrono::{DateTime, Datelike as _, Days, NaiveDate, NaiveTime, Utc};
use diesel::connection::SimpleConnection as _;
use diesel::dsl::sql;
use diesel::result::{DatabaseErrorKind, Error as DieselError};
use diesel::sql_types::{BigInt, Bool, Text};
use diesel::{Connection as _, PgConnection, QueryResult, RunQueryDsl as _};
use steward_domain::administration::RetentionCutoff;
use steward_domain::kernel::Time;

use crate::error::JobError;

/// The partitioned tables.
const TABLES: [&str; 2] = ["audit_events", "item_changes"];
/// Number of weeks after the current one for which partitions are created in advance.
const WEEKS_AHEAD: u64 = 2;
/// Short lock timeout: other transactions queue behind a waiting lock request.
const LOCK_TIMEOUT: &str = "SET LOCAL lock_timeout = '200ms'";

/// Creates the partitions of the current week and the next ones. If a partition cannot be created, its events are
/// stored in the default partition.
pub(super) fn prepare(conn: &mut PgConnection, now: Time) -> Result<(), JobError> {
    let today = now.date_naive();
    let Some(monday) = today.checked_sub_days(Days::new(today.weekday().num_days_from_monday().into())) else {
        return Ok(());
    };
    for table in TABLES {
        for week in 0..=WEEKS_AHEAD {
            let Some((from, to)) = monday.checked_add_days(Days::new(7 * week)).and_then(week_of) else { continue };
            if let Err(error) = create_partition(conn, table, from, to) {
                tracing::warn!(table, %from, %error, "Unable to create a partition. Events are stored in the default partition.");
            }
        }
    }
    Ok(())
}

/// Same as [`prepare`], using the clock of the database.
pub(super) fn prepare_now(conn: &mut PgConnection) -> Result<(), JobError> {
    let micros = sql::<BigInt>("(extract(epoch FROM now()) * 1000000)::bigint");
    let micros: i64 = diesel::select(micros).get_result(conn)?;
    prepare(
        conn,
        DateTime::<Utc>::from_timestamp_micros(micros)
            .ok_or_else(|| JobError::corrupt("the current time of the database is out of range"))?,
    )
}

/// The range of the week that starts on `monday`; the end is exclusive.
fn week_of(monday: NaiveDate) -> Option<(NaiveDate, NaiveDate)> {
    Some((monday, monday.checked_add_days(Days::new(7))?))
}

fn partition(table: &str, from: NaiveDate) -> String {
    format!("{table}_{}", from.format("%Y%m%d"))
}

fn create_partition(conn: &mut PgConnection, table: &str, from: NaiveDate, to: NaiveDate) -> QueryResult<()> {
    let name = partition(table, from);
    let exists = sql::<Bool>("to_regclass(").bind::<Text, _>(&name).sql(") IS NOT NULL");
    if diesel::select(exists).get_result(conn)? {
        return Ok(());
    }
    // ATTACH PARTITION locks the default partition while it scans for events of this week, so check for them first.
    let has_default_events =
        format!("EXISTS (SELECT FROM {table}_default WHERE at >= '{from} 00:00Z' AND at < '{to} 00:00Z')");
    if diesel::select(sql::<Bool>(&has_default_events)).get_result(conn)? {
        tracing::warn!(table, %from, "Unable to create a partition: the default partition already contains events of its week.");
        return Ok(());
    }
    // Create and attach in two steps: CREATE TABLE ... PARTITION OF would lock the whole table.
    conn.transaction(|conn| {
        conn.batch_execute(&format!(
            "{LOCK_TIMEOUT}; CREATE TABLE {name} (LIKE {table} INCLUDING ALL); \
             ALTER TABLE {table} ATTACH PARTITION {name} FOR VALUES FROM ('{from} 00:00Z') TO ('{to} 00:00Z')"
        ))
    })
}

/// Drops the oldest partition of each table if none of its events must be retained. Returns the number of dropped
/// partitions.
pub(super) fn drop_partitions(conn: &mut PgConnection, retention_cutoff: &RetentionCutoff) -> Result<usize, JobError> {
    let mut dropped = 0_usize;
    for (table, retention_cutoff) in TABLES.into_iter().zip([retention_cutoff.events, retention_cutoff.item_changes]) {
        let Some(retention_cutoff) = retention_cutoff else { continue };
        let oldest = format!(
            "SELECT c.relname::text FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid \
             WHERE i.inhparent = '{table}'::regclass AND c.relname <> '{table}_default' ORDER BY c.relname LIMIT 1"
        );
        for name in sql::<Text>(&oldest).load::<String>(conn)? {
            let monday = name.rsplit('_').next().and_then(|date| NaiveDate::parse_from_str(date, "%Y%m%d").ok());
            let end = monday.and_then(week_of).map(|(_, to)| to.and_time(NaiveTime::MIN).and_utc());
            if end.is_some_and(|end| end <= retention_cutoff) && drop_sealed(conn, &name)? {
                dropped += 1;
            }
        }
    }
    Ok(dropped)
}

/// Drops a partition unless it contains unsealed events or cannot be locked in time. Returns whether it was dropped.
fn drop_sealed(conn: &mut PgConnection, name: &str) -> QueryResult<bool> {
    let dropped = conn.transaction(|conn| {
        // Not `EXISTS`, for which the planner reads the whole partition, because it expects to find a row soon.
        let unsealed =
            format!("coalesce((SELECT max(position) FROM {name}) > (SELECT position FROM audit_progress), false)");
        if diesel::select(sql::<Bool>(&unsealed)).get_result(conn)? {
            return Ok(false);
        }
        conn.batch_execute(&format!("{LOCK_TIMEOUT}; DROP TABLE {name}"))?;
        Ok(true)
    });
    match dropped {
        Err(DieselError::DatabaseError(DatabaseErrorKind::Unknown, error)) => {
            tracing::warn!(
                partition = name,
                error = error.message(),
                "Unable to drop a partition. It is retried later."
            );
            Ok(false)
        }
        dropped => dropped,
    }
}

#[cfg(test)]
mod tests {
    use chrono::TimeDelta;
    use steward_domain::mocks::instant;

    use super::*;
    use crate::scratch::ScratchDatabase;

    fn migrated() -> (ScratchDatabase, PgConnection) {
        let database = ScratchDatabase::migrated().unwrap();
        let conn = PgConnection::establish(&database.url()).unwrap();
        (database, conn)
    }

    fn partitions(conn: &mut PgConnection) -> Vec<String> {
        let names = "SELECT c.relname::text FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid \
             WHERE c.relkind = 'r' AND i.inhparent = 'item_changes'::regclass ORDER BY 1";
        sql::<Text>(names).load(conn).unwrap()
    }

    /// Inserts an item change and returns the name of its partition.
    fn write(conn: &mut PgConnection, at: Time) -> String {
        let insert = format!(
            "INSERT INTO item_changes (project_id, position, at, user_id, table_name, item_id, action, actor_kind, operation, \
             request_id) SELECT id, (SELECT count(*) + 1 FROM item_changes), '{}', id, 't', 'i', 'item.updated', 'system', 'o', 'r' \
             FROM (SELECT '01940000-0000-7000-8000-000000000001'::uuid AS id) AS ids \
             RETURNING tableoid::regclass::text",
            at.to_rfc3339()
        );
        sql::<Text>(&insert).get_result(conn).unwrap()
    }

    fn seal_all(conn: &mut PgConnection) {
        conn.batch_execute("UPDATE audit_progress SET position = (SELECT max(position) FROM item_changes)").unwrap();
    }

    #[test]
    fn a_weekly_partition_is_dropped_once_all_its_events_are_old_and_sealed() {
        let (_database, mut conn) = migrated();
        let before = partitions(&mut conn);
        // A Thursday.
        prepare(&mut conn, instant()).unwrap();
        prepare(&mut conn, instant()).unwrap();
        let weeks = ["item_changes_20251229", "item_changes_20260105", "item_changes_20260112"];
        let created: Vec<String> = partitions(&mut conn).into_iter().filter(|name| !before.contains(name)).collect();
        assert_eq!(created, weeks);
        assert_eq!(write(&mut conn, instant()), weeks[0]);
        assert_eq!(write(&mut conn, instant() - TimeDelta::days(30)), "item_changes_default");

        let retention_cutoff =
            |days| RetentionCutoff { events: None, item_changes: Some(instant() + TimeDelta::days(days)) };
        assert_eq!(drop_partitions(&mut conn, &retention_cutoff(9)).unwrap(), 0, "The partition is not sealed.");
        seal_all(&mut conn);
        assert_eq!(drop_partitions(&mut conn, &retention_cutoff(3)).unwrap(), 0, "Some events must be retained.");
        assert_eq!(drop_partitions(&mut conn, &RetentionCutoff::default()).unwrap(), 0);
        assert_eq!(drop_partitions(&mut conn, &retention_cutoff(9)).unwrap(), 1);
        assert!(!partitions(&mut conn).contains(&weeks[0].to_owned()));
        assert_eq!(drop_partitions(&mut conn, &retention_cutoff(9)).unwrap(), 0, "Newer weeks are retained.");
    }

    #[test]
    fn a_partition_that_cannot_be_created_or_dropped_blocks_nothing() {
        let (database, mut conn) = migrated();
        assert_eq!(write(&mut conn, instant()), "item_changes_default");
        prepare(&mut conn, instant()).unwrap();
        assert_eq!(write(&mut conn, instant()), "item_changes_default", "Events of that week are already there.");
        seal_all(&mut conn);
        let mut reader = PgConnection::establish(&database.url()).unwrap();
        reader.batch_execute("BEGIN; SELECT count(*) FROM item_changes").unwrap();
        let retention_cutoff = RetentionCutoff { events: None, item_changes: Some(instant() + TimeDelta::days(99)) };
        assert_eq!(drop_partitions(&mut conn, &retention_cutoff).unwrap(), 0);
        reader.batch_execute("COMMIT").unwrap();
        assert_eq!(drop_partitions(&mut conn, &retention_cutoff).unwrap(), 1);
    }
}
