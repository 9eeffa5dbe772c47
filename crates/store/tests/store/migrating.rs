//! Migrations during reads and writes, of processes that are killed, and of databases that are not this program's.
//! `MIGRATION_ROWS` and `MIGRATION_KILLS` make the trial larger.

#![expect(clippy::unwrap_used, reason = "a test panics if its setup fails")]

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use diesel::connection::SimpleConnection as _;
use diesel::sql_types::BigInt;
use diesel::{Connection as _, PgConnection, QueryableByName, RunQueryDsl as _, SqliteConnection, sql_query};
use diesel_migrations::FileBasedMigrations;
use serde_json::json;
use steward_domain::Store;
use steward_domain::kernel::Precondition;
use steward_store::scratch::ScratchDatabase;
use steward_store::{OpenError, PostgresStore, SqliteStore};
use steward_store_contract::fixture::Fixture;
use tempfile::TempDir;
use tokio::time::sleep;

/// The address of the database that a process migrates, and the folder of the migrations.
const CHILD: &str = "STEWARD_TEST_MIGRATES";

#[derive(QueryableByName)]
struct Count {
    #[diesel(sql_type = BigInt)]
    count: i64,
}

#[expect(clippy::disallowed_methods, reason = "The environment makes the trial larger.")]
fn setting(name: &str, default: i64) -> i64 {
    std::env::var(name).map_or(default, |text| text.parse().unwrap())
}

/// A folder with migrations: of each the name, the statement, and whether it runs in a transaction.
fn migrations(steps: &[(&str, &str, bool)]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, sql, in_transaction) in steps {
        let step = folder.path().join(name);
        std::fs::create_dir(&step).unwrap();
        std::fs::write(step.join("up.sql"), sql).unwrap();
        std::fs::write(step.join("down.sql"), "SELECT 1").unwrap();
        std::fs::write(step.join("metadata.toml"), format!("run_in_transaction = {in_transaction}")).unwrap();
    }
    folder
}

fn source(folder: &Path) -> FileBasedMigrations {
    FileBasedMigrations::from_path(folder).unwrap()
}

/// A database, by its address: a URL of PostgreSQL, or a path.
#[derive(Clone)]
struct Address(String);

impl Address {
    fn is_postgres(&self) -> bool {
        self.0.starts_with("postgres")
    }

    fn count(&self, query: &str) -> i64 {
        let query = sql_query(format!("SELECT count(*) AS count FROM {query}"));
        let count: Count = if self.is_postgres() {
            query.get_result(&mut PgConnection::establish(&self.0).unwrap()).unwrap()
        } else {
            let mut conn = SqliteConnection::establish(&self.0).unwrap();
            conn.batch_execute("PRAGMA busy_timeout = 20000").unwrap();
            query.get_result(&mut conn).unwrap()
        };
        count.count
    }

    fn execute(&self, sql: &str) {
        if self.is_postgres() {
            PgConnection::establish(&self.0).unwrap().batch_execute(sql).unwrap();
        } else {
            SqliteConnection::establish(&self.0).unwrap().batch_execute(sql).unwrap();
        }
    }

    fn migrate(&self, folder: &Path) -> Result<(), OpenError> {
        if self.is_postgres() {
            PostgresStore::migrate_with(&self.0, &source(folder))
        } else {
            SqliteStore::migrate_with(&self.0, &source(folder))
        }
    }

    /// Starts a process that migrates: this program, with one test.
    fn start_process(&self, folder: &Path) -> Child {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(["--exact", "migrating::migrates_in_a_process", "--ignored"]);
        command.env(CHILD, format!("{}\n{}", self.0, folder.display()));
        command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
    }
}

#[test]
#[ignore = "Other tests start it in a process, and kill that."]
#[expect(clippy::disallowed_methods, reason = "The other test passes the database.")]
fn migrates_in_a_process() {
    let Ok(arguments) = std::env::var(CHILD) else { return };
    let (address, folder) = arguments.split_once('\n').unwrap();
    Address(address.to_owned()).migrate(Path::new(folder)).unwrap();
}

/// Stores and reads items until it is stopped. Returns their number and the longest time of one.
async fn use_store(store: Arc<dyn Store>, world: Fixture, stop: Arc<AtomicBool>) -> (u32, Duration) {
    let (mut number, mut longest) = (0, Duration::ZERO);
    while !stop.load(Ordering::Relaxed) {
        let began = Instant::now();
        world.put(&store, &format!("w{number}"), json!({"n": number}), Precondition::None).await.unwrap();
        let project = store.project(world.project.id).await.unwrap();
        assert!(project.is_some());
        longest = longest.max(began.elapsed());
        number += 1;
        sleep(Duration::from_millis(5)).await;
    }
    (number, longest)
}

/// Adds a column to a table with many rows, fills it in batches and creates an index, in processes of which all but the last
/// are killed, during reads and writes.
async fn migrate_during_use(address: Address, store: Arc<dyn Store>) {
    let rows = setting("MIGRATION_ROWS", 30_000);
    let (batch, kills) = (rows / 60, setting("MIGRATION_KILLS", 1));
    let world = Fixture::make(&store, "acme").await;
    let (project, user) = (world.project.id, world.user.id);
    let numbers = if address.is_postgres() {
        format!("SELECT 'i' || n AS id FROM generate_series(1, {rows}) n")
    } else {
        format!(
            "WITH RECURSIVE g (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM g WHERE n < {rows}) SELECT 'i' || n AS id FROM g"
        )
    };
    let at = if address.is_postgres() { "now()" } else { "'2026-01-01T00:00:00.000000Z'" };
    address.execute(&format!(
        "INSERT INTO items (project_id, user_id, table_name, id, value, created_at, updated_at, revision, bytes, position) \
         SELECT '{project}', '{user}', 'notes', id, '{{}}', {at}, {at}, 1, 2, 0 FROM ({numbers}) AS ids"
    ));
    let (fill, index) = if address.is_postgres() {
        let keys = "project_id, user_id, table_name, id";
        let fill = format!(
            "UPDATE items SET note = id WHERE ({keys}) IN (SELECT {keys} FROM items WHERE note IS NULL \
             LIMIT {batch} FOR UPDATE SKIP LOCKED)"
        );
        (fill, "CREATE INDEX CONCURRENTLY IF NOT EXISTS items_note ON items (note)")
    } else {
        let fill = format!(
            "UPDATE items SET note = id WHERE rowid IN (SELECT rowid FROM items WHERE note IS NULL LIMIT {batch})"
        );
        (fill, "CREATE INDEX IF NOT EXISTS items_note ON items (note)")
    };
    let folder = migrations(&[
        ("0101_item_notes", "ALTER TABLE items ADD COLUMN note text", true),
        ("0102_fill_item_notes_in_batches", &fill, false),
        ("0103_item_notes_index", index, false),
    ]);

    let stop = Arc::new(AtomicBool::new(false));
    let traffic = tokio::spawn(use_store(store, world, stop.clone()));
    let is_filling = || address.count("__diesel_schema_migrations WHERE version = '0101'") == 1;
    for _ in 0..kills {
        let mut process = address.start_process(folder.path());
        let before = if is_filling() { address.count("items WHERE note IS NOT NULL") } else { 0 };
        while !is_filling() || address.count("items WHERE note IS NOT NULL") <= before {
            assert_eq!(process.try_wait().unwrap(), None, "The migration ended too early to be killed.");
            sleep(Duration::from_millis(20)).await;
        }
        process.kill().unwrap();
        process.wait().unwrap();
    }
    let filled = address.count("items WHERE note IS NOT NULL");
    assert!(filled > 0 && filled < rows, "{filled} of {rows} rows were filled before the last process.");
    let mut last = address.start_process(folder.path());
    let ended = tokio::task::spawn_blocking(move || last.wait().unwrap()).await.unwrap();
    assert!(ended.success());
    stop.store(true, Ordering::Relaxed);
    let (written, longest) = traffic.await.unwrap();

    assert_eq!(address.count("items WHERE note IS NULL AND id LIKE 'i%'"), 0);
    assert_eq!(address.count("__diesel_schema_migrations WHERE version > '0100'"), 3);
    assert!(written > 20 && longest < Duration::from_secs(10), "{written} writes, the longest took {longest:?}.");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_killed_migration_is_continued_during_reads_and_writes_on_postgres() {
    let database = ScratchDatabase::migrated().unwrap();
    let store = Arc::new(PostgresStore::open(&database.url(), 2).unwrap());
    migrate_during_use(Address(database.url()), store).await;
    let valid = "pg_index WHERE indexrelid = 'items_note'::regclass AND indisvalid";
    assert_eq!(Address(database.url()).count(valid), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_killed_migration_is_continued_during_reads_and_writes_on_sqlite() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("store.db").display().to_string();
    SqliteStore::migrate(&path).unwrap();
    let store = Arc::new(SqliteStore::open(&path, 1).unwrap());
    migrate_during_use(Address(path), store).await;
}

#[test]
fn an_index_is_created_during_a_long_read_and_replaces_one_that_was_not_completed() {
    const CREATE: &str = "CREATE INDEX CONCURRENTLY IF NOT EXISTS items_bytes ON items (bytes)";
    let database = ScratchDatabase::migrated().unwrap();
    let mut reader = PgConnection::establish(&database.url()).unwrap();
    reader.batch_execute("BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 1 FROM items").unwrap();
    let mut canceled = PgConnection::establish(&database.url()).unwrap();
    canceled.batch_execute("SET lock_timeout = '100ms'").unwrap();
    canceled.batch_execute(CREATE).unwrap_err();
    let address = Address(database.url());
    let index = |is_valid: &str| {
        address.count(&format!("pg_index WHERE indexrelid = to_regclass('items_bytes') AND {is_valid}"))
    };
    assert_eq!(index("NOT indisvalid"), 1, "A canceled statement leaves an invalid index.");
    let reading = std::thread::spawn(move || {
        // Longer than the lock timeout of a migration in a transaction.
        std::thread::sleep(Duration::from_secs(3));
        reader.batch_execute("COMMIT").unwrap();
    });
    let folder = migrations(&[("0101_item_bytes", CREATE, false)]);
    address.migrate(folder.path()).unwrap();
    reading.join().unwrap();
    assert_eq!(index("indisvalid"), 1);
}

#[test]
fn a_migration_that_waits_for_a_lock_is_canceled_and_repeated() {
    let database = ScratchDatabase::migrated().unwrap();
    let mut holder = PgConnection::establish(&database.url()).unwrap();
    holder.batch_execute("BEGIN; SELECT 1 FROM teams").unwrap();
    let holder = std::thread::spawn(move || {
        // Longer than the lock timeout of a migration.
        std::thread::sleep(Duration::from_secs(3));
        holder.batch_execute("COMMIT").unwrap();
    });
    let address = Address(database.url());
    let waits = std::thread::spawn(move || {
        let folder = migrations(&[("0101_team_note", "ALTER TABLE teams ADD COLUMN note text", true)]);
        address.migrate(folder.path())
    });
    // A reader waits behind the migration until it is canceled, and no longer.
    std::thread::sleep(Duration::from_millis(500));
    let began = Instant::now();
    Address(database.url()).count("teams");
    assert!(began.elapsed() < Duration::from_millis(2_300), "{:?}", began.elapsed());
    waits.join().unwrap().unwrap();
    holder.join().unwrap();
}

#[test]
fn processes_that_start_together_migrate_an_empty_database_once() {
    let database = ScratchDatabase::create().unwrap();
    let processes: Vec<_> = (0..4)
        .map(|_| {
            let url = database.url();
            std::thread::spawn(move || PostgresStore::migrate(&url))
        })
        .collect();
    for process in processes {
        process.join().unwrap().unwrap();
    }
    PostgresStore::check_schema(&database.url()).unwrap();
    let status = PostgresStore::migration_status(&database.url()).unwrap();
    assert!(status.applied > 0 && status.pending.is_empty() && status.later.is_empty() && status.running.is_none());
}

/// Returns the messages of the check and of a migration of a database that `change` has changed.
fn messages_after(change: &str, address: &Address) -> [String; 2] {
    address.execute(change);
    let results = if address.is_postgres() {
        [PostgresStore::check_schema(&address.0), PostgresStore::migrate(&address.0)]
    } else {
        [SqliteStore::check_schema(&address.0), SqliteStore::migrate(&address.0)]
    };
    results.map(|result| result.err().map(|error| error.to_string()).unwrap_or_default())
}

const OTHER_PROGRAM: &str = "CREATE TABLE __diesel_schema_migrations (version varchar PRIMARY KEY, run_on timestamp); \
     INSERT INTO __diesel_schema_migrations (version) VALUES ('0001'); CREATE TABLE users (id integer PRIMARY KEY)";

#[test]
fn the_database_of_another_program_is_refused_and_not_changed() {
    let (other, same_name) = (ScratchDatabase::create().unwrap(), ScratchDatabase::create().unwrap());
    let directory = tempfile::tempdir().unwrap();
    let path = |name: &str| Address(directory.path().join(name).display().to_string());
    for (other, same_name) in [(Address(other.url()), Address(same_name.url())), (path("other.db"), path("same.db"))] {
        for message in messages_after(OTHER_PROGRAM, &other) {
            assert!(message.contains("does not match") && message.contains("missing: "), "{message}");
        }
        let tables = if other.is_postgres() {
            "information_schema.tables WHERE table_schema = 'public'"
        } else {
            "sqlite_master WHERE type = 'table'"
        };
        assert_eq!(other.count(tables), 2);
        for message in messages_after("CREATE TABLE accounts (id integer)", &same_name) {
            assert!(message.contains("`accounts` of another program"), "{message}");
        }
        assert_eq!(same_name.count(tables), 1);
    }
}

#[test]
fn a_database_that_lacks_something_is_reported() {
    let database = ScratchDatabase::migrated().unwrap();
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("store.db").display().to_string();
    SqliteStore::migrate(&path).unwrap();
    for address in [Address(database.url()), Address(path)] {
        let [check, _] = messages_after("DROP INDEX items_list", &address);
        assert!(check.contains("(missing: index items_list)"), "{check}");
        let [check, _] = messages_after("ALTER TABLE teams ADD COLUMN extra text NOT NULL DEFAULT ''", &address);
        assert!(!check.contains("extra"), "{check}");
    }
}
