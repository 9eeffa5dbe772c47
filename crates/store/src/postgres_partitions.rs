//! What PostgreSQL does for tables of events: a partition for each week, which is dropped as a whole, and positions that keep
//! growing when the database moves to another cluster.

use chrono::{DateTime, Datelike as _, Days, NaiveDate, NaiveTime, Utc};
use diesel::connection::SimpleConnection as _;
use diesel::dsl::sql;
use diesel::result::{DatabaseErrorKind, Error as DieselError};
use diesel::sql_types::{BigInt, Bool, Text};
use diesel::{Connection as _, PgConnection, QueryResult, QueryableByName, RunQueryDsl as _, sql_query};
use steward_domain::model::Time;
use steward_domain::ports::RetentionCutoff;

use crate::error::JobError;

/// The tables that are partitioned.
const TABLES: [&str; 2] = ["audit_events", "item_changes"];
/// How many weeks beyond this one have partitions.
const WEEKS_AHEAD: u64 = 2;
/// How long to wait for a lock that others wait behind.
const LOCK_TIMEOUT: &str = "SET LOCAL lock_timeout = '200ms'";

#[derive(QueryableByName)]
struct Name {
    #[diesel(sql_type = Text)]
    name: String,
}

/// Makes the partitions of this week and the next ones. Where that is not possible now, or not allowed, events are kept in
/// the default partition.
pub(super) fn prepare(conn: &mut PgConnection, now: Time) -> Result<(), JobError> {
    let today = now.date_naive();
    let Some(monday) = today.checked_sub_days(Days::new(today.weekday().num_days_from_monday().into())) else {
        return Ok(());
    };
    for table in TABLES {
        for week in 0..=WEEKS_AHEAD {
            let Some((from, to)) = monday.checked_add_days(Days::new(7 * week)).and_then(week_of) else { continue };
            if let Err(error) = make_partition(conn, table, from, to) {
                tracing::warn!(table, %from, %error, "a partition could not be made");
            }
        }
    }
    Ok(())
}

/// The same by the clock of the database.
pub(super) fn prepare_now(conn: &mut PgConnection) -> Result<(), JobError> {
    let micros = sql::<BigInt>("(extract(epoch FROM now()) * 1000000)::bigint");
    let micros: i64 = diesel::select(micros).get_result(conn)?;
    prepare(conn, DateTime::<Utc>::from_timestamp_micros(micros).ok_or_else(|| JobError::corrupt("the time"))?)
}

/// The week that begins on this Monday.
fn week_of(monday: NaiveDate) -> Option<(NaiveDate, NaiveDate)> {
    Some((monday, monday.checked_add_days(Days::new(7))?))
}

fn partition(table: &str, from: NaiveDate) -> String {
    format!("{table}_{}", from.format("%Y%m%d"))
}

fn make_partition(conn: &mut PgConnection, table: &str, from: NaiveDate, to: NaiveDate) -> QueryResult<()> {
    let name = partition(table, from);
    let exists = sql::<Bool>("to_regclass(").bind::<Text, _>(&name).sql(") IS NOT NULL");
    if diesel::select(exists).get_result(conn)? {
        return Ok(());
    }
    // Attaching locks the default partition while it looks for such events, so they are looked for first.
    let is_late = format!("EXISTS (SELECT FROM {table}_default WHERE at >= '{from} 00:00Z' AND at < '{to} 00:00Z')");
    if diesel::select(sql::<Bool>(&is_late)).get_result(conn)? {
        tracing::warn!(table, %from, "a partition could not be made: events of its week are in the default partition");
        return Ok(());
    }
    // Attached instead of made as a partition: that would lock the whole table.
    conn.transaction(|conn| {
        conn.batch_execute(&format!(
            "{LOCK_TIMEOUT}; CREATE TABLE {name} (LIKE {table} INCLUDING ALL); \
             ALTER TABLE {table} ATTACH PARTITION {name} FOR VALUES FROM ('{from} 00:00Z') TO ('{to} 00:00Z')"
        ))
    })
}

/// Drops the oldest partition of each table in which nothing has to be kept. How many those were.
pub(super) fn drop_partitions(conn: &mut PgConnection, retention_cutoff: &RetentionCutoff) -> Result<usize, JobError> {
    let mut dropped = 0_usize;
    for (table, retention_cutoff) in TABLES.into_iter().zip([retention_cutoff.events, retention_cutoff.item_changes]) {
        let Some(retention_cutoff) = retention_cutoff else { continue };
        let oldest = sql_query(
            "SELECT c.relname::text AS name FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid \
             WHERE i.inhparent = $1::regclass AND c.relname <> $1 || '_default' ORDER BY c.relname LIMIT 1",
        );
        let oldest: Vec<Name> = oldest.bind::<Text, _>(table).load(conn)?;
        for Name { name } in oldest {
            let monday = name.rsplit('_').next().and_then(|date| NaiveDate::parse_from_str(date, "%Y%m%d").ok());
            let end = monday.and_then(week_of).map(|(_, to)| to.and_time(NaiveTime::MIN).and_utc());
            if end.is_some_and(|end| end <= retention_cutoff) && drop_sealed(conn, &name)? {
                dropped = dropped.saturating_add(1);
            }
        }
    }
    Ok(dropped)
}

/// Drops a partition unless something in it is not sealed, or others use it for long. Whether it did.
fn drop_sealed(conn: &mut PgConnection, name: &str) -> QueryResult<bool> {
    let dropped = conn.transaction(|conn| {
        let unsealed = format!("EXISTS (SELECT FROM {name} WHERE position > (SELECT position FROM audit_progress))");
        if diesel::select(sql::<Bool>(&unsealed)).get_result(conn)? {
            return Ok(false);
        }
        conn.batch_execute(&format!("{LOCK_TIMEOUT}; DROP TABLE {name}"))?;
        Ok(true)
    });
    match dropped {
        Err(DieselError::DatabaseError(DatabaseErrorKind::Unknown, error)) => {
            tracing::warn!(partition = name, error = error.message(), "a partition could not be dropped");
            Ok(false)
        }
        dropped => dropped,
    }
}

/// Raises the offset of positions beyond every event, where transaction ids are lower than those that wrote them: the
/// database is the restored dump of another cluster.
pub(super) fn keep_order(conn: &mut PgConnection) -> Result<(), JobError> {
    let behind = "greatest((SELECT position FROM audit_progress), (SELECT max(position) FROM audit_events), \
         (SELECT max(position) FROM item_changes)) / 4096 - event_position(0) / 4096";
    let behind: i64 = diesel::select(sql::<BigInt>(behind)).get_result(conn)?;
    if behind >= 0 {
        let offset: i64 = diesel::select(sql::<BigInt>("position_offset()")).get_result(conn)?;
        let offset = offset.saturating_add(behind).saturating_add(1);
        let replace = "CREATE OR REPLACE FUNCTION position_offset() RETURNS bigint LANGUAGE sql IMMUTABLE";
        conn.batch_execute(&format!("{replace} AS 'SELECT {offset}::bigint'"))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use chrono::TimeDelta;
    use steward_domain::mocks::instant;

    use super::*;
    use crate::postgres::PostgresStore;
    use crate::scratch::ScratchDatabase;

    fn migrated() -> (ScratchDatabase, PgConnection) {
        let database = ScratchDatabase::create().unwrap();
        PostgresStore::migrate(&database.url()).unwrap();
        let conn = PgConnection::establish(&database.url()).unwrap();
        (database, conn)
    }

    fn partitions(conn: &mut PgConnection) -> Vec<String> {
        let names = "SELECT c.relname::text AS name FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid \
             WHERE c.relkind = 'r' AND i.inhparent = 'item_changes'::regclass ORDER BY 1";
        sql_query(names).load(conn).unwrap().into_iter().map(|Name { name }| name).collect()
    }

    /// Which partition has the change of an item that happens now.
    fn write(conn: &mut PgConnection, at: Time) -> String {
        let insert = format!(
            "INSERT INTO item_changes (project_id, position, at, user_id, table_name, item_id, action, actor_kind, operation, \
             request_id) SELECT id, event_position(0), '{}', id, 't', 'i', 'item.updated', 'system', 'o', 'r' \
             FROM (SELECT '01940000-0000-7000-8000-000000000001'::uuid AS id) AS ids \
             RETURNING tableoid::regclass::text AS name",
            at.to_rfc3339()
        );
        sql_query(insert).get_result::<Name>(conn).unwrap().name
    }

    fn seal_all(conn: &mut PgConnection) {
        conn.batch_execute("UPDATE audit_progress SET position = (SELECT max(position) FROM item_changes)").unwrap();
    }

    #[test]
    fn each_week_has_a_partition_that_is_dropped_once_all_of_it_is_old_and_sealed() {
        let (_database, mut conn) = migrated();
        let before = partitions(&mut conn);
        // A Thursday.
        prepare(&mut conn, instant()).unwrap();
        prepare(&mut conn, instant()).unwrap();
        let weeks = ["item_changes_20251229", "item_changes_20260105", "item_changes_20260112"];
        let made: Vec<String> = partitions(&mut conn).into_iter().filter(|name| !before.contains(name)).collect();
        assert_eq!(made, weeks);
        assert_eq!(write(&mut conn, instant()), weeks[0]);
        assert_eq!(write(&mut conn, instant() - TimeDelta::days(30)), "item_changes_default");

        let retention_cutoff =
            |days| RetentionCutoff { events: None, item_changes: Some(instant() + TimeDelta::days(days)) };
        assert_eq!(drop_partitions(&mut conn, &retention_cutoff(9)).unwrap(), 0, "it is not sealed");
        seal_all(&mut conn);
        assert_eq!(drop_partitions(&mut conn, &retention_cutoff(3)).unwrap(), 0, "some of it is kept");
        assert_eq!(drop_partitions(&mut conn, &RetentionCutoff::default()).unwrap(), 0);
        assert_eq!(drop_partitions(&mut conn, &retention_cutoff(9)).unwrap(), 1);
        assert!(!partitions(&mut conn).contains(&weeks[0].to_owned()));
        assert_eq!(drop_partitions(&mut conn, &retention_cutoff(9)).unwrap(), 0, "one week after the other");
    }

    #[test]
    fn a_partition_that_cannot_be_made_or_dropped_now_stops_nobody() {
        let (database, mut conn) = migrated();
        assert_eq!(write(&mut conn, instant()), "item_changes_default");
        prepare(&mut conn, instant()).unwrap();
        assert_eq!(write(&mut conn, instant()), "item_changes_default", "where events of that week are already");
        seal_all(&mut conn);
        let mut reader = PgConnection::establish(&database.url()).unwrap();
        reader.batch_execute("BEGIN; SELECT count(*) FROM item_changes").unwrap();
        let retention_cutoff = RetentionCutoff { events: None, item_changes: Some(instant() + TimeDelta::days(99)) };
        assert_eq!(drop_partitions(&mut conn, &retention_cutoff).unwrap(), 0);
        reader.batch_execute("COMMIT").unwrap();
        assert_eq!(drop_partitions(&mut conn, &retention_cutoff).unwrap(), 1);
    }

    #[test]
    fn positions_grow_on_after_a_dump_is_restored_where_transaction_ids_are_lower() {
        let (database, mut conn) = migrated();
        write(&mut conn, instant());
        let far = "UPDATE item_changes SET position = position + 4096000000::bigint";
        conn.batch_execute(far).unwrap();
        let order = "SELECT item_id AS name FROM item_changes WHERE position < settled_position() ORDER BY position";
        assert_eq!(sql_query(order).load::<Name>(&mut conn).unwrap().len(), 0);
        PostgresStore::migrate(&database.url()).unwrap();
        PostgresStore::migrate(&database.url()).unwrap();
        let last = "SELECT (SELECT max(position) FROM item_changes)::text AS name";
        let before = sql_query(last).get_result::<Name>(&mut conn).unwrap().name;
        write(&mut conn, instant());
        let grown = "SELECT ((SELECT max(position) FROM item_changes) - event_position(0) < 0)::text AS name";
        assert_eq!(sql_query(grown).get_result::<Name>(&mut conn).unwrap().name, "true");
        assert_ne!(sql_query(last).get_result::<Name>(&mut conn).unwrap().name, before);
    }
}
