//! `ends_of_rows.txt` says of each table who deletes its rows. It is compared with the foreign keys of both databases
//! and with the statements of the store, so that neither a table nor a deletion is added without a line.

#![expect(clippy::unwrap_used, reason = "a test panics if its setup fails")]

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use diesel::sql_types::Text;
use diesel::{Connection as _, PgConnection, QueryableByName, RunQueryDsl as _, SqliteConnection, sql_query};
use steward_domain::identity::Expiring;
use steward_store::scratch::ScratchDatabase;
use steward_store::{SqliteStore, backup};

/// Pairs of a table and what deletes its rows.
type Ends = BTreeSet<(String, String)>;

fn listed() -> Ends {
    let lines = include_str!("ends_of_rows.txt").lines().filter(|line| !line.starts_with([' ', '#']));
    let ends = lines
        .filter_map(|line| line.split_once(": "))
        .flat_map(|(table, ends)| ends.split(", ").map(|end| (table.to_owned(), end.to_owned())));
    ends.collect()
}

/// The listed ends with this beginning, and the others.
fn parted(beginning: &str) -> (Ends, Ends) {
    listed().into_iter().partition(|(_, end)| end.starts_with(beginning))
}

fn source(path: &str) -> String {
    std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).unwrap()
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries.flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] }).collect()
}

fn word(text: &str) -> String {
    text.chars().take_while(|character| character.is_alphanumeric() || *character == '_').collect()
}

/// The tables from which a source deletes rows, and how many of its deletions do not say from which.
fn deletions(source: &str) -> (BTreeSet<String>, usize) {
    let production = source.split("#[cfg(test)]").next().unwrap();
    let after = |text| production.split(text).skip(1);
    let mut tables: Vec<String> = after("DELETE FROM ").chain(after("expired!(\"")).map(word).collect();
    for target in after("diesel::delete(") {
        let first = word(target);
        let rest = target.get(first.len()..).unwrap();
        tables.push(if rest.starts_with("::table") {
            first
        } else {
            rest.strip_prefix(".filter(").map_or_else(String::new, word)
        });
    }
    let unnamed = tables.iter().filter(|table| table.is_empty()).count();
    (tables.into_iter().filter(|table| !table.is_empty()).collect(), unnamed)
}

#[test]
fn each_table_says_who_deletes_its_rows_and_what_limits_them() {
    let tables: BTreeSet<String> = listed().into_iter().map(|(table, _)| table).collect();
    // Another test compares these with both databases.
    assert_eq!(tables, backup::names().chain(backup::skipped()).map(str::to_owned).collect());
    let entries = include_str!("ends_of_rows.txt").split("\n\n").skip(1);
    let silent: Vec<&str> = entries.filter(|entry| !entry.contains("\n    ")).collect();
    assert!(silent.is_empty(), "Without an explanation: {silent:?}");
    let (never, _) = parted("never");
    let others = listed().into_iter().filter(|(_, end)| end != "never").map(|(table, _)| table);
    assert!(others.collect::<BTreeSet<_>>().is_disjoint(&never.into_iter().map(|(table, _)| table).collect()));
}

#[derive(QueryableByName)]
struct Cascade {
    #[diesel(sql_type = Text)]
    child: String,
    #[diesel(sql_type = Text)]
    parent: String,
}

fn cascades(rows: Vec<Cascade>) -> Ends {
    rows.into_iter().map(|row| (row.child, format!("with {}", row.parent))).collect()
}

#[test]
fn rows_end_with_others_by_the_foreign_keys_of_sqlite() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("store.db").display().to_string();
    SqliteStore::migrate(&path).unwrap();
    let mut conn = SqliteConnection::establish(&path).unwrap();
    let found = "SELECT t.name AS child, k.\"table\" AS parent FROM sqlite_master t, pragma_foreign_key_list(t.name) k \
         WHERE t.type = 'table' AND k.on_delete = 'CASCADE'";
    assert_eq!(cascades(sql_query(found).load(&mut conn).unwrap()), parted("with ").0);
}

#[test]
fn rows_end_with_others_by_the_foreign_keys_of_postgres() {
    let database = ScratchDatabase::migrated().unwrap();
    let mut conn = PgConnection::establish(&database.url()).unwrap();
    let found = "SELECT conrelid::regclass::text AS child, confrelid::regclass::text AS parent FROM pg_constraint \
         WHERE contype = 'f' AND confdeltype = 'c' AND connamespace = 'public'::regnamespace";
    assert_eq!(cascades(sql_query(found).load(&mut conn).unwrap()), parted("with ").0);
}

#[test]
fn rows_expire_by_the_statements_of_the_sweep() {
    let sweep = source("src/queries/kernel/sweep.rs");
    // The further statements of a kind.
    let constants: BTreeMap<String, &str> = sweep
        .split("const ")
        .filter_map(|part| {
            part.split_once(": &str =").map(|(name, text)| (name.to_owned(), text.split(';').next().unwrap()))
        })
        .collect();
    let mut found = Ends::new();
    for arm in sweep.split("Expiring::").skip(1) {
        let arm = arm.split("\n}").next().unwrap();
        let Some(kind) = Expiring::ALL.into_iter().find(|kind| arm.starts_with(&format!("{kind:?} =>"))) else {
            continue;
        };
        let days = match kind.retention().num_days() {
            0 => String::new(),
            1 => " 1 day".to_owned(),
            days => format!(" {days} days"),
        };
        let used = constants.iter().filter(|(name, _)| arm.contains(*name)).map(|(_, text)| *text);
        let tables = std::iter::once(arm).chain(used).flat_map(|text| deletions(text).0);
        found.extend(tables.map(|table| (table, format!("expiry {kind:?}{days}"))));
    }
    assert_eq!(found, parted("expiry ").0);
}

#[test]
fn rows_are_removed_by_changes_of_their_entities() {
    let tables: String = files(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src/tables"))
        .iter()
        .map(|file| std::fs::read_to_string(file).unwrap())
        .collect();
    let (commit, entities) = (source("src/queries/kernel/commit.rs"), source("../domain/src/kernel/changes/entity.rs"));
    let removed =
        entities.lines().filter_map(|line| line.trim().strip_suffix("Remove;")?.split_once("): ")?.0.split_once('('));
    // Some are only marked, and deleted later.
    let is_marked = |name: &str| {
        let arm = commit.split(&format!("Write::Remove(Entity::{name}(")).nth(1);
        arm.and_then(|arm| arm.lines().next()).is_some_and(|arm| arm.ends_with(", at),"))
    };
    let table = |entity: &str| word(tables.split(&format!("Row for {entity} in ")).nth(1).unwrap());
    let removed = removed.filter(|(name, _)| !is_marked(name)).map(|(_, entity)| (table(entity), "change".to_owned()));
    assert_eq!(removed.collect::<Ends>(), parted("change").0);
}

#[test]
fn rows_are_deleted_by_statements_of_the_listed_files() {
    let listed: Ends = listed().into_iter().filter(|(_, end)| end.ends_with(".rs")).collect();
    let folders =
        ["src/queries", "src/postgres/items"].map(|folder| Path::new(env!("CARGO_MANIFEST_DIR")).join(folder));
    let mut found = Ends::new();
    for path in folders.iter().flat_map(|folder| files(folder)) {
        let file = path.file_name().unwrap().to_string_lossy().into_owned();
        let (mut tables, unnamed) = deletions(&std::fs::read_to_string(&path).unwrap());
        if ["sweep.rs", "commit.rs"].contains(&file.as_str()) {
            continue;
        }
        let own: BTreeSet<String> =
            listed.iter().filter(|(_, end)| *end == file).map(|(table, _)| table.clone()).collect();
        if file == "audit_log.rs" {
            tables = ["postgres", "sqlite"].into_iter().flat_map(row_deleted).collect();
        } else if own.difference(&tables).count() == unnamed {
            // A deletion that does not say from which table: nothing else explains the line.
            tables.extend(own);
        }
        found.extend(tables.into_iter().map(|table| (table, file.clone())));
    }
    assert_eq!(found, listed);
}

/// The tables of events whose rows are deleted when the retention period is over.
fn row_deleted(database: &str) -> Vec<String> {
    let dialect = source(&format!("src/{database}/dialect.rs"));
    let names = dialect.split("const ROW_DELETED_TABLES").nth(1).unwrap().lines().next().unwrap().to_owned();
    names.split('"').skip(1).step_by(2).map(|name| name.trim_end_matches("_default").to_owned()).collect()
}
