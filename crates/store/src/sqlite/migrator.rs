//! Migrates an SQLite database: each step in a transaction of its own, so that a process that is killed loses one step, and
//! reads go on.

use std::collections::{BTreeSet, HashMap};
use std::thread;
use std::time::Instant;

use anyhow::anyhow;
use diesel::dsl::sql;
use diesel::migration::MigrationSource;
use diesel::sql_types::{BigInt, Text};
use diesel::sqlite::Sqlite;
use diesel::{QueryResult, RunQueryDsl as _, SqliteConnection, sql_query};
use diesel_migrations::{EmbeddedMigrations, MigrationHarness as _, embed_migrations};

use crate::error::OpenError;
use crate::migration::{self, Batches, MigrationStatus, StepKind, name_of, version_of};
use crate::schema_check;

/// The migrations of this version.
pub(super) const MIGRATIONS: EmbeddedMigrations = embed_migrations!("../../migrations/sqlite");
/// What each migration creates. `make generate` writes it.
const SCHEMA: &str = include_str!("../../../../migrations/sqlite-schema.txt");
/// One line for each column and index.
const FOUND_SCHEMA: &str = r#"SELECT 'column ' || m.name || '.' || c.name || ' ' || lower(c.type)
    || CASE WHEN c."notnull" THEN ' not null' ELSE '' END || CASE WHEN c.dflt_value IS NULL THEN '' ELSE ' default' END AS text
    FROM sqlite_master m, pragma_table_info(m.name) c
    WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite%' AND m.name NOT LIKE '\_\_%' ESCAPE '\'
    UNION ALL SELECT 'index ' || name FROM sqlite_master WHERE type = 'index' AND name NOT LIKE 'sqlite_autoindex%'"#;

/// The result of a step.
enum Step {
    /// A migration was applied.
    Applied,
    /// A batch of a migration was applied.
    Batch,
    /// No migration is pending.
    None,
}

/// Applies all pending migrations.
pub(super) fn migrate(conn: &mut SqliteConnection, source: &impl MigrationSource<Sqlite>) -> Result<(), OpenError> {
    let applied = applied(conn).map_err(|error| OpenError::Migrate(error.into()))?;
    check(conn, &applied)?;
    let mut batches = HashMap::new();
    loop {
        let began = Instant::now();
        let step = conn.immediate_transaction(|conn| step(conn, source, &mut batches)).map_err(OpenError::Migrate)?;
        match step {
            Step::None => return Ok(()),
            Step::Applied => {}
            // Other writers get at least half of the time.
            Step::Batch => thread::sleep(began.elapsed()),
        }
    }
}

/// Applies the next migration, or its next batch. Reads first what is pending: another process may migrate as well. `batches`
/// are those of each migration so far.
fn step(
    conn: &mut SqliteConnection,
    source: &impl MigrationSource<Sqlite>,
    batches: &mut HashMap<String, Batches>,
) -> anyhow::Result<Step> {
    // Creates the table of the applied versions.
    conn.applied_migrations().map_err(|error| anyhow!(error))?;
    let pending = migration::pending(source, &applied(conn)?)?;
    let Some(migration) = pending.first() else { return Ok(Step::None) };
    let (name, before) = (name_of(&**migration), changed_rows(conn)?);
    migration.run(conn).map_err(|error| anyhow!(error).context(format!("Migration {name} failed")))?;
    let changed = changed_rows(conn)? - before;
    if StepKind::of(&**migration) == StepKind::Batches
        && !batches.entry(name.clone()).or_default().are_complete_after(changed)
    {
        return Ok(Step::Batch);
    }
    let recorded = sql_query("INSERT INTO __diesel_schema_migrations (version) VALUES ($1)");
    recorded.bind::<Text, _>(version_of(&**migration)).execute(conn)?;
    tracing::debug!(migration = name, "Migrated the database.");
    Ok(Step::Applied)
}

/// Returns which migrations have been applied. Writes nothing.
pub(super) fn status(
    conn: &mut SqliteConnection,
    source: &impl MigrationSource<Sqlite>,
) -> anyhow::Result<MigrationStatus> {
    migration::status(source, &applied(conn)?, None)
}

/// Returns the versions that have been applied. Writes nothing.
pub(super) fn applied(conn: &mut SqliteConnection) -> QueryResult<BTreeSet<String>> {
    let exists = sql::<BigInt>("count(*) FROM sqlite_master WHERE name = '__diesel_schema_migrations'");
    if diesel::select(exists).get_result::<i64>(conn)? == 0 {
        return Ok(BTreeSet::new());
    }
    let versions: Vec<String> = sql::<Text>("SELECT version FROM __diesel_schema_migrations").load(conn)?;
    Ok(versions.into_iter().collect())
}

/// Returns an error unless the database has what the applied migrations create.
pub(super) fn check(conn: &mut SqliteConnection, applied: &BTreeSet<String>) -> Result<(), OpenError> {
    let found = found_schema(conn).map_err(|error| OpenError::Migrate(error.into()))?;
    let newest = migration::newest::<Sqlite>(&MIGRATIONS).map_err(OpenError::Migrate)?;
    schema_check::check((SCHEMA, &newest), applied, &found)
}

fn found_schema(conn: &mut SqliteConnection) -> QueryResult<BTreeSet<String>> {
    Ok(sql::<Text>(FOUND_SCHEMA).load(conn)?.into_iter().collect())
}

/// Returns the number of rows that this connection has changed.
fn changed_rows(conn: &mut SqliteConnection) -> QueryResult<i64> {
    diesel::select(sql::<BigInt>("total_changes()")).get_result(conn)
}

#[cfg(test)]
mod tests {
    use diesel::Connection as _;

    use super::*;
    use crate::migration::sorted;

    #[test]
    fn the_file_lists_what_each_migration_creates() {
        let mut conn = SqliteConnection::establish(":memory:").unwrap();
        conn.applied_migrations().unwrap();
        let steps = sorted(&MIGRATIONS).unwrap().into_iter().map(|migration| {
            conn.run_migration(&*migration).unwrap();
            (version_of(&*migration), found_schema(&mut conn).unwrap())
        });
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../migrations/sqlite-schema.txt");
        schema_check::compare_file(path, steps);
    }
}
