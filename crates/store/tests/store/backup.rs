//! Backups contain every table, and restore into either kind of database.

#![expect(clippy::unwrap_used, reason = "a test panics if its setup fails")]

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use diesel::sql_types::Text;
use diesel::{Connection as _, PgConnection, QueryableByName, RunQueryDsl as _, SqliteConnection, sql_query};
use serde_json::{Value, json};
use steward_domain::administration::Recipient;
use steward_domain::data::schema::FieldType;
use steward_domain::data::{ItemQuery, RawItemQuery};
use steward_domain::identity::{PersonalToken, ServerKey, ServerKeyPurpose, Username};
use steward_domain::kernel::{AccessBasis, PageSize, Precondition, Revision};
use steward_domain::mocks::a_personal_token;
use steward_store::backup::{self, BackupColumn, BackupDatabase, BackupRows, RowSink, RowSource};
use steward_store::scratch::{ScratchDatabase, execute_sql};
use steward_store::{PostgresStore, SqliteStore};
use steward_store_contract::fixture::{Fixture, TestStore, account, change, id, insert, invite, key, later, schema};
use tempfile::TempDir;

/// A backup in memory.
#[derive(Default)]
struct Memory(Vec<(String, Vec<BackupColumn>, Vec<String>)>);

impl RowSink for Memory {
    fn table(&mut self, name: &'static str, columns: &[BackupColumn]) -> anyhow::Result<()> {
        self.0.push((name.to_owned(), columns.to_vec(), Vec::new()));
        Ok(())
    }

    fn row(&mut self, json: &str) -> anyhow::Result<()> {
        assert!(!json.contains('\n'), "{json}");
        self.0.last_mut().unwrap().2.push(json.to_owned());
        Ok(())
    }
}

impl RowSource for Memory {
    fn tables(&self) -> Vec<&str> {
        self.0.iter().map(|(name, ..)| name.as_str()).collect()
    }

    fn columns(&self, table: &str) -> Option<&[BackupColumn]> {
        self.0.iter().find(|(name, ..)| name == table).map(|(_, columns, _)| columns.as_slice())
    }

    fn rows(&mut self, table: &str) -> anyhow::Result<BackupRows<'_>> {
        let (.., rows) = self.0.iter().find(|(name, ..)| name == table).unwrap();
        Ok(Box::new(rows.iter().cloned().map(Ok)))
    }
}

impl Memory {
    /// The rows of each table in no order. JSON columns are parsed, because PostgreSQL orders the members of `jsonb`,
    /// and Booleans are numbers, as in SQLite.
    fn contents(&self) -> BTreeMap<String, BTreeSet<String>> {
        let parsed = |value: Value| match value {
            Value::Bool(value) => json!(i32::from(value)),
            Value::String(text) if text.starts_with('{') => {
                let members: BTreeMap<String, Value> = serde_json::from_str(&text).unwrap();
                json!(members)
            }
            other => other,
        };
        let row = |row: &String| {
            let row: BTreeMap<String, Value> = serde_json::from_str(row).unwrap();
            json!(row.into_iter().map(|(name, value)| (name, parsed(value))).collect::<BTreeMap<_, _>>()).to_string()
        };
        self.0.iter().map(|(name, _, rows)| (name.clone(), rows.iter().map(row).collect())).collect()
    }
}

struct Sqlite {
    path: String,
    _directory: TempDir,
}

impl Sqlite {
    fn create() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("store.db").display().to_string();
        SqliteStore::migrate(&path).unwrap();
        Self { path, _directory: directory }
    }

    fn database(&self) -> BackupDatabase<'_> {
        BackupDatabase::Sqlite(&self.path)
    }

    fn store(&self) -> TestStore {
        Arc::new(SqliteStore::open(&self.path, 2).unwrap())
    }
}

fn postgres() -> ScratchDatabase {
    ScratchDatabase::migrated().unwrap()
}

fn exported(database: BackupDatabase<'_>) -> Memory {
    let mut rows = Memory::default();
    backup::export(database, &mut rows).unwrap();
    rows
}

/// Stores rows of many kinds, with each type of column.
async fn fill(store: &TestStore) -> Fixture {
    let world = Fixture::make(store, "acme").await;
    let token = PersonalToken { account_id: world.owner.id, ..a_personal_token("owner") };
    let server_key = ServerKey {
        id: id().into(),
        purpose: ServerKeyPurpose::KeyPepper,
        generation: 1,
        encrypted: vec![0, 1, 254, 255],
        created_at: later(1),
        use_from: later(0),
        revision: Revision::FIRST,
    };
    let bob = account("bob");
    let invited = invite(&world.team, &world.owner, Recipient::Username(Username::parse("bob").unwrap()));
    let document = json!({"project_id": "p", "version": 1, "tables": {}});
    insert(store, [bob.into(), invited.into(), token.into(), server_key.into()]).await;
    insert(store, [key(&world.project, &world.owner).into(), schema(&world.project, 1, document).into()]).await;
    for (id, value) in [
        ("one", json!({"text": "line\nbreak \"quoted\" \\ 😀", "number": 1.5, "large": 9_007_199_254_740_993_i64})),
        ("two", json!({"b": [1, {"a": null}], "a": true})),
        ("gone", json!({})),
    ] {
        world.put(store, id, value, Precondition::None).await.unwrap();
    }
    store.commit(change().remove_item(world.place("gone"), Precondition::None)).await.unwrap();
    world
}

async fn value_of(store: &TestStore, world: &Fixture, id: &str) -> Value {
    let raw = RawItemQuery { parameters: Vec::new(), cursor: None, size: PageSize::MAX };
    let query = ItemQuery::parse(&raw, &[("a", FieldType::String)]).unwrap();
    let basis = AccessBasis::default();
    let found = store.items(world.project.id, world.user.id, "notes", &query, &basis).await.unwrap();
    let item = found.items.into_iter().find(|item| item.item.id.as_str() == id).unwrap();
    serde_json::from_str(item.item.value.as_str()).unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_backup_restores_into_the_other_kind_of_database_and_back() {
    let (first, second, third) = (Sqlite::create(), postgres(), Sqlite::create());
    let store = first.store();
    let world = fill(&store).await;
    let mut backup = exported(first.database());
    assert!(backup.contents().values().filter(|rows| !rows.is_empty()).count() > 15);

    let url = second.url();
    backup::import(BackupDatabase::Postgres(&url), &mut backup).unwrap();
    let mut returned = exported(BackupDatabase::Postgres(&url));
    assert_eq!(returned.contents(), backup.contents());
    let restored: TestStore = Arc::new(PostgresStore::open(&url, 2).unwrap());
    assert_eq!(value_of(&restored, &world, "one").await, value_of(&store, &world, "one").await);
    world.put(&restored, "three", json!({}), Precondition::None).await.unwrap();
    let events = exported(BackupDatabase::Postgres(&url)).contents().remove("item_changes").unwrap();
    let events = events.iter().map(|event| serde_json::from_str::<Value>(event).unwrap());
    let last = events.max_by_key(|event| event["position"].as_i64()).unwrap();
    assert_eq!(last["item_id"], "three", "New events must follow those of the backup.");

    backup::import(third.database(), &mut returned).unwrap();
    assert_eq!(exported(third.database()).contents(), backup.contents());
    assert_eq!(value_of(&third.store(), &world, "two").await, value_of(&store, &world, "two").await);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn only_an_empty_database_with_the_same_columns_is_restored() {
    let (filled, empty) = (Sqlite::create(), Sqlite::create());
    let world = fill(&filled.store()).await;
    let mut backup = exported(filled.database());
    for refused in [backup::check_empty(filled.database()), backup::import(filled.database(), &mut backup)] {
        assert!(refused.unwrap_err().to_string().contains("already contains data"));
    }
    backup::check_empty(empty.database()).unwrap();
    backup::check_empty(BackupDatabase::Sqlite("/nowhere/store.db")).unwrap();

    let mut other = Memory(backup.0.clone());
    other.0.first_mut().unwrap().1.pop();
    let refused = backup::import(empty.database(), &mut other).unwrap_err().to_string();
    assert!(refused.contains("columns"), "{refused}");
    let mut broken = Memory(backup.0.clone());
    broken.0.last_mut().unwrap().2.push("{\"account_id\": null}".to_owned());
    assert!(backup::import(empty.database(), &mut broken).is_err());
    backup::check_empty(empty.database()).unwrap();
    backup::import(empty.database(), &mut backup).unwrap();
    assert!(empty.store().account(world.owner.id).await.unwrap().is_some());
}

#[test]
fn a_backup_with_tables_that_this_version_does_not_know_is_not_restored() {
    let (source, empty) = (Sqlite::create(), Sqlite::create());
    let mut backup = exported(source.database());
    let known = backup.0.len();
    for table in ["invoices", "payments"] {
        backup.0.push((table.to_owned(), Vec::new(), vec!["{\"id\": 1}".to_owned()]));
    }
    for refused in [backup::check_tables(&backup), backup::import(empty.database(), &mut backup)] {
        let refused = refused.unwrap_err().to_string();
        assert!(refused.contains("invoices, payments"), "{refused}");
        assert!(refused.contains("Restore with the version that made the backup"), "{refused}");
    }
    backup.0.truncate(known);
    backup::check_tables(&backup).unwrap();
    backup::import(empty.database(), &mut backup).unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_server_keys_of_a_backup_are_read_without_those_of_a_newer_version() {
    let database = Sqlite::create();
    fill(&database.store()).await;
    let mut backup = exported(database.database());
    let (.., rows) = backup.0.iter_mut().find(|(name, ..)| name == "server_keys").unwrap();
    rows.push(rows[0].replace("\"pepper\"", "\"newer\""));
    let keys = backup::server_keys(&mut backup).unwrap();
    let [key] = keys.try_into().unwrap();
    assert_eq!((key.purpose, key.generation), (ServerKeyPurpose::KeyPepper, 1));
    assert_eq!(key.encrypted, [0_u8, 1, 254, 255]);
    let (.., rows) = backup.0.iter_mut().find(|(name, ..)| name == "server_keys").unwrap();
    rows.push(rows[0].replace("0001feff", "0001fef"));
    assert!(backup::server_keys(&mut backup).unwrap_err().to_string().contains("not valid"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn indexes_of_fields_are_built_again_after_a_restore() {
    let (filled, empty) = (Sqlite::create(), Sqlite::create());
    let world = fill(&filled.store()).await;
    let field = |id: i32, state: &str| {
        format!(
            "INSERT INTO indexed_fields (project_id, id, table_name, field, kind, state, filled_user, filled_table, \
             filled_item) VALUES ('{}', {id}, 'notes', 'text', 'string', '{state}', '{}', 'notes', 'one');",
            world.project.id, world.user.id
        )
    };
    execute_sql(&filled.path, &(field(1, "filled") + &field(2, "retired"))).unwrap();
    let mut backup = exported(filled.database());
    backup::import(empty.database(), &mut backup).unwrap();
    let rows = exported(empty.database()).contents().remove("indexed_fields").unwrap();
    let [row] = rows.into_iter().collect::<Vec<_>>().try_into().unwrap();
    let row: Value = serde_json::from_str(&row).unwrap();
    assert_eq!((&row["id"], &row["state"], &row["filled_item"]), (&json!(1), &json!("new"), &json!("")));
}

#[derive(QueryableByName)]
struct Name {
    #[diesel(sql_type = Text)]
    name: String,
}

/// A new table must be added to the backup, or to the tables that are skipped with a reason.
#[test]
fn every_table_of_a_migrated_database_is_backed_up_or_skipped() {
    let known: BTreeSet<String> = backup::names().chain(backup::skipped()).map(str::to_owned).collect();
    let database = postgres();
    let mut conn = PgConnection::establish(&database.url()).unwrap();
    let tables = "SELECT relname::text AS name FROM pg_class WHERE relkind IN ('r', 'p') AND NOT relispartition \
         AND relnamespace = 'public'::regnamespace AND relname NOT LIKE '\\_\\_%'";
    let tables: Vec<Name> = sql_query(tables).load(&mut conn).unwrap();
    assert_eq!(tables.into_iter().map(|table| table.name).collect::<BTreeSet<_>>(), known);

    let database = Sqlite::create();
    let mut conn = SqliteConnection::establish(&database.path).unwrap();
    let tables = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%' \
         AND name NOT LIKE '\\_\\_%' ESCAPE '\\'";
    let tables: Vec<Name> = sql_query(tables).load(&mut conn).unwrap();
    assert_eq!(tables.into_iter().map(|table| table.name).collect::<BTreeSet<_>>(), known);
}
