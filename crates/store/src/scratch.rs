//! Databases for tests. Each test gets its own database, which is deleted after the test.

use std::sync::OnceLock;

use anyhow::anyhow;
use diesel::connection::SimpleConnection as _;
use diesel::dsl::sql;
use diesel::sql_types::Text;
use diesel::{Connection as _, RunQueryDsl as _, SqliteConnection};
use uuid::Uuid;

use crate::error::OpenError;
use crate::postgres::{PostgresStore, establish};

/// An empty database on a running PostgreSQL server, or on all nodes of a Citus cluster. Dropping this value drops the
/// database.
pub struct ScratchDatabase {
    server: String,
    /// The worker nodes; empty without Citus.
    workers: Vec<CitusWorker>,
    name: String,
}

/// A worker node of the Citus cluster in `TEST_CITUS_WORKERS`.
#[derive(Clone)]
struct CitusWorker {
    host: String,
    port: String,
    /// Connection URL of the node.
    server: String,
}

/// Number of shards of each distributed table in tests: enough to use all workers.
const TEST_SHARDS: u32 = 4;

impl ScratchDatabase {
    /// Creates a database on the server in `TEST_DATABASE_URL`. Its role must be allowed to create databases.
    pub fn create() -> Result<Self, OpenError> {
        Self::create_with(None)
    }

    /// Creates a database with the current schema. All of them are copies of one, because migrating takes longer.
    pub fn migrated() -> Result<Self, OpenError> {
        static TEMPLATE: OnceLock<Result<ScratchDatabase, OpenError>> = OnceLock::new();
        let template = TEMPLATE.get_or_init(|| {
            let template = Self::create()?;
            PostgresStore::migrate(&template.url())?;
            template.distribute()?;
            Ok(template)
        });
        template.as_ref().map_err(|error| OpenError::Migrate(anyhow!("{error:?}")))?.copy()
    }

    /// Creates a copy of this database, to which nobody may be connected.
    pub fn copy(&self) -> Result<Self, OpenError> {
        // The background worker of Citus is connected. It soon starts again.
        const MAX_ATTEMPTS: u32 = 20;
        for _ in 1..MAX_ATTEMPTS {
            if !self.workers.is_empty() {
                self.disconnect_all()?;
            }
            match Self::create_with(Some(&self.name)) {
                Err(OpenError::Connect(error)) if format!("{error:#}").contains("accessed by other users") => {}
                created => return created,
            }
        }
        Self::create_with(Some(&self.name))
    }

    /// Distributes the migrated database by project if the tests use Citus.
    pub fn distribute(&self) -> Result<(), OpenError> {
        if self.workers.is_empty() { Ok(()) } else { PostgresStore::distribute(&self.url(), TEST_SHARDS) }
    }

    #[expect(clippy::disallowed_methods, reason = "the environment configures the server for tests")]
    fn create_with(template: Option<&str>) -> Result<Self, OpenError> {
        const MISSING: OpenError =
            OpenError::Address("TEST_DATABASE_URL is not set. Run `make test`, which starts a server.");
        let server = with_long_connect_timeout(&std::env::var("TEST_DATABASE_URL").map_err(|_| MISSING)?);
        let workers = std::env::var("TEST_CITUS_WORKERS").unwrap_or_default();
        let workers = workers.split(',').filter_map(|address| CitusWorker::parse(&server, address)).collect();
        let name = format!("steward_test_{}", Uuid::new_v4().as_simple());
        let database = Self { server, workers, name };
        for server in database.servers() {
            create_database(server, &database.name, template).map_err(OpenError::Connect)?;
        }
        if template.is_none() {
            database.add_workers()?;
        }
        Ok(database)
    }

    /// Makes the databases on all nodes one cluster.
    fn add_workers(&self) -> Result<(), OpenError> {
        if self.workers.is_empty() {
            return Ok(());
        }
        for server in self.servers() {
            run(&self.url_on(server), "CREATE EXTENSION citus")?;
        }
        run(&self.url(), "SELECT citus_set_coordinator_host('127.0.0.1', current_setting('port')::integer)")?;
        for CitusWorker { host, port, .. } in &self.workers {
            run(&self.url(), &format!("SELECT citus_add_node('{host}', {port})"))?;
        }
        Ok(())
    }

    fn servers(&self) -> impl Iterator<Item = &str> {
        [self.server.as_str()].into_iter().chain(self.workers.iter().map(|worker| worker.server.as_str()))
    }

    /// Closes every connection to the database, like a server restart.
    pub fn disconnect_all(&self) -> Result<(), OpenError> {
        let statement =
            format!("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{}'", self.name);
        self.servers().try_for_each(|server| run(server, &statement))
    }

    /// Returns every row of every table as text.
    pub fn contents(&self) -> Result<String, OpenError> {
        let failed = |error: diesel::result::Error| OpenError::Connect(error.into());
        let mut conn = establish(&self.url()).map_err(|error| OpenError::Connect(error.into()))?;
        let tables = "SELECT table_name::text FROM information_schema.tables WHERE table_schema = 'public'";
        let tables: Vec<String> = sql::<Text>(tables).load(&mut conn).map_err(failed)?;
        let mut contents = String::new();
        for table in tables {
            let rows = sql::<Text>(&format!("SELECT t::text FROM \"{table}\" t"));
            let rows: Vec<String> = rows.load(&mut conn).map_err(failed)?;
            contents.extend(rows.into_iter().flat_map(|row| [row, "\n".to_owned()]));
        }
        Ok(contents)
    }

    /// Returns the connection URL of the database.
    pub fn url(&self) -> String {
        self.url_on(&self.server)
    }

    fn url_on(&self, server: &str) -> String {
        let (rest, query) = match server.split_once('?') {
            Some((rest, query)) => (rest, format!("?{query}")),
            None => (server, String::new()),
        };
        let stem = rest.rsplit_once('/').map_or(rest, |(stem, _)| stem);
        format!("{stem}/{}{query}", self.name)
    }
}

/// Runs a statement directly on the database of a store. `database` is a PostgreSQL URL or the path of a SQLite file.
pub fn execute_sql(database: &str, statement: &str) -> Result<(), OpenError> {
    if database.starts_with("postgres") {
        return run(database, statement);
    }
    let mut conn = SqliteConnection::establish(database).map_err(|error| OpenError::Connect(error.into()))?;
    let statement = format!("PRAGMA busy_timeout = 5000; {statement}");
    conn.batch_execute(&statement).map_err(|error| OpenError::Connect(error.into()))
}

impl Drop for ScratchDatabase {
    fn drop(&mut self) {
        for server in self.servers() {
            if let Err(error) = run(server, &format!("DROP DATABASE IF EXISTS {} WITH (FORCE)", self.name)) {
                tracing::warn!(%error, "Unable to drop a scratch database.");
            }
        }
    }
}

impl CitusWorker {
    /// Parses the host and port of a node, which has the same role and password as the coordinator.
    fn parse(coordinator: &str, address: &str) -> Option<Self> {
        let (host, port) = address.split_once(':')?;
        let (scheme, rest) = coordinator.split_once("://")?;
        let (authority, path) = rest.split_once('/')?;
        let role = authority.rsplit_once('@').map(|(role, _)| format!("{role}@")).unwrap_or_default();
        let server = format!("{scheme}://{role}{host}:{port}/{path}");
        Some(Self { host: host.to_owned(), port: port.to_owned(), server })
    }
}

/// Returns the URL with a long connection timeout: a loaded machine must not fail a test.
fn with_long_connect_timeout(server: &str) -> String {
    let separator = if server.contains('?') { '&' } else { '?' };
    format!("{server}{separator}connect_timeout=60")
}

fn create_database(server: &str, name: &str, template: Option<&str>) -> Result<(), anyhow::Error> {
    let mut conn = establish(server)?;
    let Some(template) = template else { return Ok(conn.batch_execute(&format!("CREATE DATABASE {name}"))?) };
    // Since PostgreSQL 15, a database is by default copied through the write-ahead log, which takes twice as long.
    let version: String = sql::<Text>("SELECT current_setting('server_version_num')").get_result(&mut conn)?;
    let strategy = if version.as_str() < "150000" { "" } else { "STRATEGY file_copy" };
    Ok(conn.batch_execute(&format!("CREATE DATABASE {name} TEMPLATE {template} {strategy}"))?)
}

fn run(server: &str, statement: &str) -> Result<(), OpenError> {
    let mut conn = establish(server).map_err(|error| OpenError::Connect(error.into()))?;
    conn.batch_execute(statement).map_err(|error| OpenError::Connect(error.into()))
}
