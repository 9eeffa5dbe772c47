//! Distributes the data of items by project over the nodes of a Citus cluster (docs/decisions/0053-citus.md).

use std::thread;
use std::time::Duration;

use diesel::connection::SimpleConnection as _;
use diesel::dsl::sql;
use diesel::result::Error as DieselError;
use diesel::sql_types::{BigInt, Bool};
use diesel::{Connection as _, PgConnection, QueryResult, RunQueryDsl as _};

use crate::error::OpenError;
use crate::postgres::connection::establish::connect;

/// The tables that are distributed. All have the same shards, so that the rows of a project are on one node.
const TABLES: [&str; 6] = ["items", "item_keys", "item_tombstones", "item_changes", "project_usage", "sync_receipts"];

/// Foreign keys to tables that are not distributed. What they delete is deleted by the statements that delete users and
/// projects, and what they lock is locked by `item_proof`.
const DROP_FOREIGN_KEYS: &str = "ALTER TABLE items DROP CONSTRAINT items_project_id_user_id_fkey; \
     ALTER TABLE item_tombstones DROP CONSTRAINT item_tombstones_project_id_user_id_fkey; \
     ALTER TABLE sync_receipts DROP CONSTRAINT sync_receipts_project_id_user_id_fkey; \
     ALTER TABLE project_usage DROP CONSTRAINT project_usage_project_id_fkey";

const HAS_CITUS: &str = "to_regclass('pg_catalog.pg_dist_partition') IS NOT NULL";
const IS_DISTRIBUTED: &str =
    "EXISTS (SELECT FROM pg_dist_partition WHERE logicalrelid = to_regclass('items') AND partmethod = 'h')";
const WORKERS: &str = "(SELECT count(*) FROM pg_dist_node WHERE isactive AND noderole = 'primary' AND groupid > 0)";

/// Connections of programs other than Citus, and Patroni, which watches the server.
const OTHER_CONNECTIONS: &str = "(SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() \
     AND coalesce(backend_type, 'client backend') = 'client backend' AND pid <> pg_backend_pid() \
     AND application_name NOT LIKE 'citus%' AND application_name NOT LIKE 'Patroni%')";
/// Keeps processes waiting that start to use the items.
const LOCK: &str = "LOCK TABLE items IN ACCESS EXCLUSIVE MODE";
const MAX_CHECKS: u32 = 20;
const CHECK_INTERVAL: Duration = Duration::from_millis(100);

/// Where the rows of items are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ItemLayout {
    /// In the same database as all other tables.
    Local,
    /// By project on the nodes of a Citus cluster. A statement writes them without reading local tables.
    Distributed,
}

impl ItemLayout {
    pub(in crate::postgres) fn is_local(self) -> bool {
        self == Self::Local
    }
}

/// Returns where the rows of items are. Waits for a process that distributes them.
pub(super) fn layout(conn: &mut PgConnection) -> QueryResult<ItemLayout> {
    // Reads nothing and asks no node, but needs the lock.
    conn.batch_execute("SELECT 1 FROM items WHERE false")?;
    let is_distributed = holds(conn, HAS_CITUS)? && holds(conn, IS_DISTRIBUTED)?;
    Ok(if is_distributed { ItemLayout::Distributed } else { ItemLayout::Local })
}

/// Distributes the tables over `shards` shards: all of them or, after an error, none. If they are distributed already, only
/// deletes the copies that an interrupted run left.
pub(in crate::postgres) fn distribute(url: &str, shards: u32) -> Result<(), OpenError> {
    let conn = &mut connect(url)?;
    let failed = |error: DieselError| OpenError::Distribute(error.into());
    if !holds(conn, HAS_CITUS).map_err(failed)? || count(conn, WORKERS).map_err(failed)? == 0 {
        return Err(OpenError::NoWorkers);
    }
    if layout(conn).map_err(failed)?.is_local() {
        let others = conn.transaction(|conn| distribute_unused(conn, shards)).map_err(failed)?;
        if others > 0 {
            return Err(OpenError::InUse(others));
        }
    }
    // The rows were copied to the nodes; those here are not visible any more.
    for table in TABLES {
        tracing::info!(table, "Deleting the copy on the coordinator.");
        conn.batch_execute(&format!("SELECT truncate_local_data_after_distributing_table('{table}')"))
            .map_err(failed)?;
    }
    conn.batch_execute("ANALYZE").map_err(failed)
}

/// Distributes the tables unless other processes use the database: they would go on with the statements for tables that
/// are not distributed. Those that start now wait for the locks before they ask where the tables are. Returns how many
/// other connections are open.
fn distribute_unused(conn: &mut PgConnection, shards: u32) -> QueryResult<i64> {
    conn.batch_execute("SET LOCAL client_min_messages = warning; SET LOCAL lock_timeout = '10s'")?;
    conn.batch_execute(LOCK)?;
    let others = other_connections(conn)?;
    if others == 0 {
        move_rows(conn, shards)?;
    }
    Ok(others)
}

fn move_rows(conn: &mut PgConnection, shards: u32) -> QueryResult<()> {
    conn.batch_execute(DROP_FOREIGN_KEYS)?;
    conn.batch_execute(&format!("SET LOCAL citus.shard_count = {shards}"))?;
    for table in TABLES {
        tracing::info!(table, shards, "Distributing a table.");
        let colocated = if table == "items" { "none" } else { "items" };
        conn.batch_execute(&format!(
            "SELECT create_distributed_table('{table}', 'project_id', colocate_with => '{colocated}')"
        ))?;
    }
    Ok(())
}

/// Counts the connections of other programs. Those that were just closed take a moment to end.
fn other_connections(conn: &mut PgConnection) -> QueryResult<i64> {
    let mut others = count(conn, OTHER_CONNECTIONS)?;
    for _ in 0..MAX_CHECKS {
        if others == 0 {
            break;
        }
        thread::sleep(CHECK_INTERVAL);
        // A transaction sees the connections as they were when it first asked.
        conn.batch_execute("SELECT pg_stat_clear_snapshot()")?;
        others = count(conn, OTHER_CONNECTIONS)?;
    }
    Ok(others)
}

fn holds(conn: &mut PgConnection, condition: &'static str) -> QueryResult<bool> {
    diesel::select(sql::<Bool>(condition)).get_result(conn)
}

fn count(conn: &mut PgConnection, number: &'static str) -> QueryResult<i64> {
    diesel::select(sql::<BigInt>(number)).get_result(conn)
}
