//! The floor of a list on SQLite: the statement alone, which stays prepared, stepped through by the library of the
//! database.

use std::path::Path;
use std::time::{Duration, Instant};

use diesel::connection::DefaultLoadingMode;
use diesel::deserialize::{self, FromSql, FromSqlRow};
use diesel::prelude::*;
use diesel::sqlite::{Sqlite, SqliteValue};
use steward_tests::World;

use crate::{load, usage};

diesel::table! {
    items (project_id, user_id, table_name, id) {
        project_id -> Text,
        user_id -> Text,
        table_name -> Text,
        id -> Text,
        value -> Text,
        created_at -> Text,
        updated_at -> Text,
        revision -> BigInt,
    }
}

/// A column that the library has read, and nobody looks at.
#[derive(FromSqlRow)]
struct Unseen;

impl<T> FromSql<T, Sqlite> for Unseen {
    fn from_sql(_: SqliteValue<'_, '_, '_>) -> deserialize::Result<Self> {
        Ok(Self)
    }
}

type Row = (Unseen, Unseen, Unseen, Unseen, Unseen);

/// Returns the CPU time in microseconds of the statement for this number of items.
pub fn measure(file: &Path, world: &World, count: i64, duration: Duration) -> f64 {
    let mut connection = SqliteConnection::establish(&file.to_string_lossy()).unwrap();
    let (mut times, ends) = (0, Instant::now() + duration);
    let before = usage::of_process(std::process::id());
    while Instant::now() < ends {
        let list = items::table
            .filter(items::project_id.eq(&world.project))
            .filter(items::user_id.eq(&world.user))
            .filter(items::table_name.eq("notes"))
            .select((items::id, items::value, items::created_at, items::updated_at, items::revision))
            .order((items::created_at.desc(), items::id.desc()))
            .limit(count);
        let rows = list.load_iter::<Row, DefaultLoadingMode>(&mut connection).unwrap();
        assert!(rows.map(Result::unwrap).count() > 0);
        times += 1;
    }
    (usage::of_process(std::process::id()) - before) / load::to_number(times)
}
