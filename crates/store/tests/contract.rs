//! Both stores obey the same rules.

use std::sync::Arc;

use steward_domain::ports::Store;
use steward_store::scratch::ScratchDatabase;
use steward_store::{PostgresStore, SqliteStore};
use tempfile::TempDir;

mod sqlite {
    use super::*;

    async fn fresh() -> (Arc<dyn Store>, TempDir) {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("store.db").display().to_string();
        SqliteStore::migrate(&path).unwrap();
        (Arc::new(SqliteStore::open(&path, 4).unwrap()), directory)
    }

    steward_store_contract::store_contract!(fresh);
}

mod postgres {
    use super::*;

    async fn fresh() -> (Arc<dyn Store>, ScratchDatabase) {
        let server = std::env::var("TEST_DATABASE_URL")
            .expect("TEST_DATABASE_URL names no PostgreSQL server; `make test` starts one");
        let database = ScratchDatabase::create(&server, uuid::Uuid::new_v4()).unwrap();
        PostgresStore::migrate(&database.url()).unwrap();
        (Arc::new(PostgresStore::open(&database.url(), 8).unwrap()), database)
    }

    steward_store_contract::store_contract!(fresh);
}
