//! A database as the service leaves it after its first start, claimed, so that tests can sign up ([`App::claim`]).
//! Tests copy it, because migrating a database and generating its signing keys takes longer than most tests.

use std::ffi::OsString;
use std::fs::OpenOptions;
use std::io::Write as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;

use steward_store::scratch::ScratchDatabase;
use tokio::sync::OnceCell;

use crate::{App, Backend};

/// The database of a stopped service.
pub(crate) enum Template {
    /// Contents of the files by name.
    Sqlite(Vec<(OsString, Vec<u8>)>),
    /// Never dropped: it ends with the temporary server of the tests.
    Postgres(ScratchDatabase),
}

static SQLITE: OnceCell<Template> = OnceCell::const_new();
static POSTGRES: OnceCell<Template> = OnceCell::const_new();

impl Template {
    pub(crate) async fn get(backend: Backend) -> &'static Self {
        let shared = match backend {
            Backend::Sqlite => &SQLITE,
            Backend::Postgres => &POSTGRES,
        };
        shared.get_or_init(|| Self::create(backend)).await
    }

    async fn create(backend: Backend) -> Self {
        let mut app = App::start_empty(backend, &[]).await;
        app.claim();
        app.terminate();
        assert!(app.exited_successfully().await, "The service did not exit successfully:\n{}", app.log());
        match backend {
            Backend::Sqlite => {
                let files = app.database_files().into_iter();
                Self::Sqlite(
                    files.map(|path| (path.file_name().unwrap().into(), std::fs::read(&path).unwrap())).collect(),
                )
            }
            Backend::Postgres => {
                app.database().distribute().unwrap();
                Self::Postgres(app.database().copy().unwrap())
            }
        }
    }

    /// Copies the database: SQLite's files into the directory, or PostgreSQL's on its server.
    pub(crate) fn copy(&self, directory: &Path) -> Option<ScratchDatabase> {
        match self {
            Self::Sqlite(files) => {
                for (name, contents) in files {
                    let path = directory.join(name);
                    OpenOptions::new()
                        .write(true)
                        .create_new(true)
                        .mode(0o600)
                        .open(path)
                        .unwrap()
                        .write_all(contents)
                        .unwrap();
                }
                None
            }
            Self::Postgres(database) => Some(database.copy().unwrap()),
        }
    }
}
