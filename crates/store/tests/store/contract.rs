//! Runs the tests of `steward-store-contract` against both stores.

#![expect(clippy::unwrap_used, reason = "a test panics if its setup fails")]

use std::sync::Arc;

use steward_domain::Store;
use steward_store::scratch::ScratchDatabase;
use steward_store::{PostgresStore, SqliteStore};
use tempfile::TempDir;

mod sqlite {
    use std::sync::LazyLock;

    use super::*;

    /// A migrated database. Copying it takes less time than migrating another one.
    static TEMPLATE: LazyLock<Vec<u8>> = LazyLock::new(|| {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("store.db");
        SqliteStore::migrate(&path.to_string_lossy()).unwrap();
        std::fs::read(path).unwrap()
    });

    async fn fresh() -> (Arc<dyn Store>, TempDir) {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("store.db").display().to_string();
        std::fs::write(&path, &*TEMPLATE).unwrap();
        (Arc::new(SqliteStore::open(&path, 4).unwrap()), directory)
    }

    steward_store_contract::store_contract!(fresh);
}

mod postgres {
    use super::*;

    async fn fresh() -> (Arc<dyn Store>, ScratchDatabase) {
        let database = ScratchDatabase::migrated().unwrap();
        (Arc::new(PostgresStore::open(&database.url(), 8).unwrap()), database)
    }

    steward_store_contract::store_contract!(fresh);
}
