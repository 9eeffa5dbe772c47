//! Backups of PostgreSQL.

use anyhow::Context as _;
use diesel::connection::SimpleConnection as _;
use diesel::dsl::sql as literal;
use diesel::pg::PgRowByRowLoadingMode;
use diesel::sql_types::{Bool, Text};
use diesel::{Connection as _, PgConnection, RunQueryDsl as _, sql_query};

use super::batches::insert_rows;
use super::rows::{BackupColumn, RowSink, RowSource};
use super::sql;
use super::tables::{PROGRESS, TABLES, Table, names, skipped};
use crate::postgres::establish;

/// Settings of a transaction. A statement may take as long as the largest table needs.
/// One connection to each node of a Citus cluster, and so one snapshot of each; without Citus, the setting means nothing.
const SETTINGS: &str = "SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = '30s'; SET LOCAL TIME ZONE 'UTC'; \
     SET LOCAL client_min_messages = warning; SET LOCAL citus.max_adaptive_executor_pool_size = 1";

fn connect(url: &str) -> anyhow::Result<PgConnection> {
    establish(url).context("Unable to connect to the database")
}

pub(super) fn export(url: &str, sink: &mut dyn RowSink) -> anyhow::Result<()> {
    let mut conn = connect(url)?;
    conn.build_transaction().read_only().repeatable_read().run(|conn| {
        conn.batch_execute(SETTINGS)?;
        // The locks are taken before the snapshot. They prevent that a partition is dropped before it is read.
        conn.batch_execute(&format!("LOCK TABLE {} IN ACCESS SHARE MODE", names().collect::<Vec<_>>().join(", ")))?;
        for table in TABLES {
            let columns = columns(conn, table.name)?;
            sink.table(table.name, &columns)?;
            for row in literal::<Text>(&select(table, &columns)).load_iter::<String, PgRowByRowLoadingMode>(conn)? {
                sink.row(&row?)?;
            }
        }
        Ok(())
    })
}

pub(super) fn check_empty(url: &str) -> anyhow::Result<()> {
    check_no_rows(&mut connect(url)?)
}

fn check_no_rows(conn: &mut PgConnection) -> anyhow::Result<()> {
    for table in names().chain(skipped()).filter(|table| *table != PROGRESS) {
        let exists = literal::<Bool>("to_regclass(").bind::<Text, _>(table).sql(") IS NOT NULL");
        let has_rows = literal::<Bool>(&format!("EXISTS (SELECT FROM {table})"));
        if diesel::select(exists).get_result(conn)? && diesel::select(has_rows).get_result(conn)? {
            return Err(sql::not_empty(table));
        }
    }
    Ok(())
}

pub(super) fn import(url: &str, source: &mut dyn RowSource) -> anyhow::Result<()> {
    let mut conn = connect(url)?;
    conn.transaction(|conn| {
        conn.batch_execute(SETTINGS)?;
        check_no_rows(conn)?;
        conn.batch_execute(&format!("DELETE FROM {PROGRESS}"))?;
        for table in TABLES {
            let columns = columns(conn, table.name)?;
            sql::check_columns(table.name, &columns, source)?;
            let insert = insert(table.name, &columns);
            let rows = source.rows(table.name)?;
            insert_rows(table.name, rows, |batch| sql_query(&insert).bind::<Text, _>(batch).execute(conn))?;
        }
        Ok::<_, anyhow::Error>(())
    })?;
    // Otherwise the first queries would run without statistics.
    Ok(conn.batch_execute("ANALYZE")?)
}

/// Returns the columns, with the names of their types.
fn columns(conn: &mut PgConnection, table: &str) -> anyhow::Result<Vec<BackupColumn>> {
    let columns = sql_query(
        "SELECT a.attname::text AS name, t.typname::text AS sql_type FROM pg_attribute a \
         JOIN pg_type t ON t.oid = a.atttypid WHERE a.attrelid = $1::regclass AND a.attnum > 0 AND NOT a.attisdropped \
         ORDER BY a.attname COLLATE \"C\"",
    );
    Ok(sql::without_skipped(table, columns.bind::<Text, _>(table).load(conn)?))
}

fn select(table: &Table, columns: &[BackupColumn]) -> String {
    let arguments = sql::object_arguments(table, columns, |column| {
        let name = format!("\"{}\"", column.name);
        match column.sql_type.as_str() {
            "timestamptz" => format!("to_char({name} AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS.US\"Z\"')"),
            "date" => format!("to_char({name}, 'YYYY-MM-DD')"),
            "bytea" => format!("encode({name}, 'hex')"),
            "json" | "jsonb" => format!("{name}::text"),
            _ => name,
        }
    });
    format!("SELECT json_build_object({arguments})::text FROM {} WHERE {}", table.name, table.condition)
}

fn insert(table: &str, columns: &[BackupColumn]) -> String {
    let value = |column: &BackupColumn| match column.sql_type.as_str() {
        "bytea" => format!("decode(x.\"{}\", 'hex')", column.name),
        sql_type => format!("x.\"{}\"::{sql_type}", column.name),
    };
    let values = columns.iter().map(value).collect::<Vec<_>>().join(", ");
    let texts = columns.iter().map(|column| format!("\"{}\" text", column.name)).collect::<Vec<_>>().join(", ");
    format!(
        "INSERT INTO {table} ({}) SELECT {values} FROM json_to_recordset($1::json) AS x ({texts})",
        sql::quoted(columns)
    )
}
