//! Backups of SQLite.

use std::path::Path;

use anyhow::Context as _;
use diesel::connection::{DefaultLoadingMode, SimpleConnection as _};
use diesel::dsl::sql as literal;
use diesel::sql_types::{Bool, Text};
use diesel::{Connection as _, RunQueryDsl as _, SqliteConnection, sql_query};

use super::batches::insert_rows;
use super::rows::{BackupColumn, RowSink, RowSource};
use super::sql;
use super::tables::{PROGRESS, TABLES, Table, names, skipped};

/// Settings of the connection. Another process can hold the write lock for a short time.
const SESSION: &str = "PRAGMA busy_timeout = 30000; PRAGMA foreign_keys = ON; PRAGMA synchronous = FULL; \
     PRAGMA secure_delete = ON";

fn connect(path: &str) -> anyhow::Result<SqliteConnection> {
    let mut conn = SqliteConnection::establish(path).context("Unable to open the database")?;
    conn.batch_execute(SESSION)?;
    Ok(conn)
}

pub(super) fn export(path: &str, sink: &mut dyn RowSink) -> anyhow::Result<()> {
    // All reads of the transaction see the state at its first one. Writers do not wait for it.
    connect(path)?.transaction(|conn| {
        for table in TABLES {
            let columns = columns(conn, table.name)?;
            sink.table(table.name, &columns)?;
            for row in literal::<Text>(&select(table, &columns)).load_iter::<String, DefaultLoadingMode>(conn)? {
                sink.row(&row?)?;
            }
        }
        Ok(())
    })
}

pub(super) fn check_empty(path: &str) -> anyhow::Result<()> {
    // Opening a file that does not exist would create it.
    if Path::new(path).exists() { check_no_rows(&mut connect(path)?) } else { Ok(()) }
}

fn check_no_rows(conn: &mut SqliteConnection) -> anyhow::Result<()> {
    for table in names().chain(skipped()).filter(|table| *table != PROGRESS) {
        let exists = literal::<Bool>("EXISTS (SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ");
        let exists = exists.bind::<Text, _>(table).sql(")");
        let has_rows = literal::<Bool>(&format!("EXISTS (SELECT 1 FROM {table})"));
        if diesel::select(exists).get_result(conn)? && diesel::select(has_rows).get_result(conn)? {
            return Err(sql::not_empty(table));
        }
    }
    Ok(())
}

pub(super) fn import(path: &str, source: &mut dyn RowSource) -> anyhow::Result<()> {
    let mut conn = connect(path)?;
    conn.immediate_transaction(|conn| {
        check_no_rows(conn)?;
        conn.batch_execute(&format!("DELETE FROM {PROGRESS}"))?;
        for table in TABLES {
            let own = columns(conn, table.name)?;
            let stored = sql::check_columns(table.name, &own, source)?;
            let insert = insert(table.name, &own, &stored);
            let rows = source.rows(table.name)?;
            insert_rows(table.name, rows, |batch| sql_query(&insert).bind::<Text, _>(batch).execute(conn))?;
        }
        Ok::<_, anyhow::Error>(())
    })?;
    Ok(conn.batch_execute("PRAGMA wal_checkpoint(TRUNCATE)")?)
}

/// Returns the columns, with their types: `TEXT`, `INTEGER` or `BLOB`.
fn columns(conn: &mut SqliteConnection, table: &str) -> anyhow::Result<Vec<BackupColumn>> {
    let columns = sql_query("SELECT name, type AS sql_type FROM pragma_table_info($1) ORDER BY name");
    Ok(sql::without_skipped(table, columns.bind::<Text, _>(table).load(conn)?))
}

fn select(table: &Table, columns: &[BackupColumn]) -> String {
    let arguments = sql::object_arguments(table, columns, |column| {
        let name = format!("\"{}\"", column.name);
        match column.sql_type.as_str() {
            "BLOB" => format!("CASE WHEN {name} IS NULL THEN NULL ELSE lower(hex({name})) END"),
            _ => name,
        }
    });
    format!("SELECT json_object({arguments}) FROM {} WHERE {}", table.name, table.condition)
}

/// `stored`: the columns of the backup, in the same order.
fn insert(table: &str, own: &[BackupColumn], stored: &[BackupColumn]) -> String {
    let value = |(own, stored): (&BackupColumn, &BackupColumn)| {
        let extracted = format!("json_extract(value, '$.\"{}\"')", own.name);
        match (own.sql_type.as_str(), stored.sql_type.as_str()) {
            ("BLOB", _) => format!("unhex({extracted})"),
            // PostgreSQL writes this type with spaces, which SQLite would store.
            (_, "jsonb") => format!("json({extracted})"),
            _ => extracted,
        }
    };
    let values = own.iter().zip(stored).map(value).collect::<Vec<_>>().join(", ");
    format!("INSERT INTO {table} ({}) SELECT {values} FROM json_each($1)", sql::quoted(own))
}
