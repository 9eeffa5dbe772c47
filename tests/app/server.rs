//! Starts the real binary and stops it at the end of the test.

use std::fs::OpenOptions;
use std::net::TcpListener;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::atomic::{AtomicU16, Ordering};
use std::sync::{Arc, LazyLock};
use std::time::{Duration, Instant};

use reqwest::Method;
use serde_json::Value;
use steward_store::scratch::ScratchDatabase;
use tempfile::TempDir;
use tokio::sync::OnceCell;

use crate::template::Template;
use crate::{Actor, Mailbox, OpenApi, Operator, SecretLeaks, TIMEOUT, eventually};

/// Secret of every tested service.
pub const SECRET: &str = "a secret for tests, and for tests only";

/// Whether an unoptimized service hashes passwords without their cost. Tests of this cost set it to `false`.
pub const WEAK_PASSWORD_HASHES: &str = "WEAK_PASSWORD_HASHES";

/// Number of lines of the log that a failed test shows.
const LAST_LINES: usize = 100;

/// Database of the service.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Backend {
    Sqlite,
    Postgres,
}

/// A running service with its own database. Dropping this value stops the service and deletes its files.
pub struct App {
    pub base: String,
    pub openapi: Arc<OpenApi>,
    /// Secrets that the service returned. Dropping [`App`] asserts that neither the log nor the database contains them.
    pub canaries: Arc<SecretLeaks>,
    pub client: reqwest::Client,
    settings: Vec<(String, String)>,
    child: Option<Child>,
    directory: TempDir,
    database: Option<ScratchDatabase>,
}

/// All tests run the same binary, so its OpenAPI document is read and compiled only once.
static OPENAPI: OnceCell<Arc<OpenApi>> = OnceCell::const_new();

/// First port of the first block. All blocks are below the range that the operating system assigns to outgoing
/// connections, so that none of them can take a port first, and above those that browsers refuse to open, the last of
/// which is 10080 (WHATWG Fetch, "bad ports").
const FIRST_PORT: u16 = 11_000;

/// Number of ports in a block.
const BLOCK: u16 = 1_000;

/// Offset of the next port to try in the block of this process.
static NEXT_PORT: AtomicU16 = AtomicU16::new(0);

/// Returns a free port. Each process of tests has a block of ports of its own: two that look for a free port at the
/// same time would find the same one.
pub fn free_port() -> u16 {
    static OWNED: LazyLock<TcpListener> = LazyLock::new(own_block);
    let first = OWNED.local_addr().unwrap().port() + 1;
    loop {
        let port = first + NEXT_PORT.fetch_add(1, Ordering::Relaxed) % (BLOCK - 1);
        if TcpListener::bind(("127.0.0.1", port)).is_ok() {
            return port;
        }
    }
}

/// Listens on the first port of a block until the process ends, so that no other process of tests has the same block.
fn own_block() -> TcpListener {
    let mut first_ports = (FIRST_PORT..32_000).step_by(usize::from(BLOCK));
    first_ports.find_map(|port| TcpListener::bind(("127.0.0.1", port)).ok()).expect("All ports are in use.")
}

/// A client that follows no redirects. It closes idle connections before the service does, which would otherwise close
/// some of them as they are used.
pub(crate) fn http_client() -> reqwest::ClientBuilder {
    reqwest::Client::builder().redirect(reqwest::redirect::Policy::none()).pool_idle_timeout(Duration::from_secs(30))
}

impl App {
    /// Starts the service on a database without visible accounts, which is claimed: anyone may sign up.
    pub async fn start(backend: Backend) -> Self {
        Self::start_with(backend, &[]).await
    }

    /// Starts the service on an existing PostgreSQL database, with additional settings.
    pub async fn start_on_database(url: &str, more: &[(&str, &str)]) -> Self {
        Self::start_with(Backend::Sqlite, &[&[("DATABASE_URL", url)], more].concat()).await
    }

    /// A service with these settings that sends its emails to this mail server.
    pub async fn start_with_mail(backend: Backend, mail: &Mailbox, more: &[(&str, &str)]) -> Self {
        let of_mail = mail.settings();
        let of_mail = of_mail.iter().map(|(name, value)| (name.as_str(), value.as_str()));
        Self::start_with(backend, &of_mail.chain(more.iter().copied()).collect::<Vec<_>>()).await
    }

    /// Starts the service on a new database, with additional settings.
    pub async fn start_with(backend: Backend, more: &[(&str, &str)]) -> Self {
        // The signing keys are encrypted with the secret, and `start_on_database` brings its own database.
        if more.iter().any(|(name, _)| ["STEWARD_SECRET", "DATABASE_URL"].contains(name)) {
            let app = Self::start_empty(backend, more).await;
            app.claim();
            return app;
        }
        let template = Template::get(backend).await;
        Self::start_from(backend, more, Some(template)).await
    }

    /// Starts the service for the first time, without a database. Until its first account exists, or until
    /// [`App::claim`], it accepts only the link of the first operator and the command line.
    pub async fn start_empty(backend: Backend, more: &[(&str, &str)]) -> Self {
        Self::start_from(backend, more, None).await
    }

    async fn start_from(backend: Backend, more: &[(&str, &str)], template: Option<&'static Template>) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let port = free_port();
        let base = format!("http://localhost:{port}");
        let mut settings = vec![
            ("STEWARD_BIND".to_owned(), format!("127.0.0.1:{port}")),
            ("STEWARD_DATA_DIR".to_owned(), directory.path().display().to_string()),
            ("STEWARD_SECRET".to_owned(), SECRET.to_owned()),
            // Few, because each connection of PostgreSQL is a process, but enough that two write at the same time.
            ("STEWARD_DATABASE_WORKERS".to_owned(), "3".to_owned()),
            ("STEWARD_ENV".to_owned(), "test".to_owned()),
            // All tests send their requests from one IP address.
            ("STEWARD_RATE_LIMITS".to_owned(), "off".to_owned()),
            // Otherwise, hashing takes a sixth of the time of the tests.
            (WEAK_PASSWORD_HASHES.to_owned(), "true".to_owned()),
        ];
        let directory_path = directory.path().to_owned();
        let create = move || match (template, backend) {
            (Some(template), _) => template.copy(&directory_path),
            (None, Backend::Sqlite) => None,
            (None, Backend::Postgres) => Some(ScratchDatabase::create().unwrap()),
        };
        let database = tokio::task::spawn_blocking(create).await.unwrap();
        settings.extend(database.iter().map(|database| ("DATABASE_URL".to_owned(), database.url())));
        settings.extend(more.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())));
        let mut app = Self {
            base,
            openapi: Arc::new(OpenApi::default()),
            canaries: Arc::default(),
            client: http_client().build().unwrap(),
            settings,
            child: None,
            directory,
            database,
        };
        app.launch().await;
        let read_openapi = async || Arc::new(OpenApi::of(&app.anonymous().get("/docs/json").await.json()));
        app.openapi = OPENAPI.get_or_init(read_openapi).await.clone();
        app
    }

    /// Starts a second process on the same PostgreSQL database and with the same public URL, as a replica behind a load
    /// balancer.
    pub async fn start_replica(&self) -> Self {
        let port = free_port();
        let mut settings = self.settings.clone();
        settings.retain(|(name, _)| name != "STEWARD_BIND" && name != "STEWARD_PUBLIC_URL");
        settings.push(("STEWARD_BIND".to_owned(), format!("127.0.0.1:{port}")));
        settings.push(("STEWARD_PUBLIC_URL".to_owned(), self.base.clone()));
        let mut replica = Self {
            base: format!("http://localhost:{port}"),
            openapi: self.openapi.clone(),
            canaries: self.canaries.clone(),
            client: self.client.clone(),
            settings,
            child: None,
            directory: tempfile::tempdir().unwrap(),
            database: None,
        };
        replica.launch().await;
        replica
    }

    async fn launch(&mut self) {
        self.begin();
        self.until_ready().await;
    }

    /// Starts the process, and does not wait until it is ready.
    pub fn begin(&mut self) {
        let log = OpenOptions::new().create(true).append(true).mode(0o600).open(self.log_path()).unwrap();
        let child = self.command(&["serve"]).stdout(Stdio::null()).stderr(log).spawn().unwrap();
        self.child = Some(child);
    }

    /// Waits until the service is ready.
    pub async fn until_ready(&mut self) {
        let deadline = Instant::now() + TIMEOUT;
        let ready = format!("{}/health/ready", self.base);
        while !self.client.get(&ready).send().await.is_ok_and(|response| response.status() == 200) {
            let ended = self.child.as_mut().unwrap().try_wait().unwrap();
            let waiting = ended.is_none() && Instant::now() < deadline;
            assert!(waiting, "The service did not become ready ({ended:?}):\n{}", self.log());
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }

    fn command(&self, arguments: &[&str]) -> Command {
        self.operator().command(arguments)
    }

    /// An operator who runs commands of the binary on the service's host.
    pub fn operator(&self) -> Operator {
        Operator::new(self.settings.clone(), self.directory.path())
    }

    /// Runs a command of the binary with the service's settings and this standard input.
    pub async fn run(&self, arguments: &[&str], input: &str) -> Output {
        self.operator().run(arguments, input).await
    }

    /// Runs a command of the binary with overridden settings.
    pub async fn run_with(&self, arguments: &[&str], settings: &[(&str, &str)]) -> Output {
        self.operator().with(settings).run(arguments, "").await
    }

    /// Starts a long-running command of the binary with piped standard output and standard error. Dropping the returned
    /// process kills it.
    pub fn spawn(&self, arguments: &[&str]) -> tokio::process::Child {
        self.operator().spawn(arguments)
    }

    /// Database that the service uses.
    pub fn backend(&self) -> Backend {
        if self.database.is_some() { Backend::Postgres } else { Backend::Sqlite }
    }

    /// The service's PostgreSQL database. Panics with SQLite.
    pub fn database(&self) -> &ScratchDatabase {
        self.database.as_ref().unwrap()
    }

    /// Executes a SQL statement directly on the service's database.
    pub fn execute_sql(&self, statement: &str) {
        let file = self.directory.path().join("steward.db").display().to_string();
        let database = self.database.as_ref().map_or(file, ScratchDatabase::url);
        steward_store::scratch::execute_sql(&database, statement).unwrap();
    }

    /// Returns whether a condition holds in the database.
    pub fn holds(&self, condition: &str) -> bool {
        let file = self.directory.path().join("steward.db").display().to_string();
        let database = self.database.as_ref().map_or(file, ScratchDatabase::url);
        // The smallest integer has no absolute value, so the statement fails if the condition does not hold.
        let statement = format!("SELECT abs(CASE WHEN {condition} THEN 0 ELSE -9223372036854775807 - 1 END)");
        steward_store::scratch::execute_sql(&database, &statement).is_ok()
    }

    /// Lets the scheduled removals of lost factors be due, and waits until they are done.
    pub async fn perform_factor_removals(&self) {
        let scheduled = "accounts WHERE factors_removal_at IS NOT NULL";
        assert!(self.holds(&format!("EXISTS (SELECT 1 FROM {scheduled})")), "No removal is scheduled.");
        self.execute_sql(
            "UPDATE accounts SET factors_removal_at = '2020-01-01T00:00:00.000000Z' WHERE factors_removal_at IS NOT NULL",
        );
        eventually(async || self.holds(&format!("NOT EXISTS (SELECT 1 FROM {scheduled})")).then_some(())).await;
    }

    /// Returns the rows `numbers (n)`, for `FROM`. Citus does not join recursive queries with distributed tables.
    pub fn numbers(&self, first: u64, last: u64) -> String {
        match self.backend() {
            Backend::Postgres => format!("generate_series({first}, {last}) AS numbers (n)"),
            Backend::Sqlite => format!(
                "(WITH RECURSIVE numbers (n) AS (SELECT {first} UNION ALL SELECT n + 1 FROM numbers WHERE n < {last}) \
                 SELECT n FROM numbers) AS numbers"
            ),
        }
    }

    /// Makes the service claimed, without an account that anyone could see: stores the row that a deleted account
    /// leaves.
    pub fn claim(&self) {
        let given = self.settings.iter().rev().find(|(name, _)| name == "DATABASE_URL");
        let file = self.directory.path().join("steward.db").display().to_string();
        let database = given.map_or(file, |(_, url)| url.trim_start_matches("sqlite://").to_owned());
        let at = "2020-01-01T00:00:00.000000Z";
        let id = "00000000-0000-7000-8000-000000000000";
        let statement = format!(
            "INSERT INTO accounts (id, email, email_folded, email_verified, password_hash, password_set_at, created_at, \
             disabled_at, deleted_at, revision) VALUES ('{id}', '{id}@deleted.invalid', '{id}@deleted.invalid', FALSE, \
             '', '{at}', '{at}', '{at}', '{at}', 1) ON CONFLICT DO NOTHING"
        );
        steward_store::scratch::execute_sql(&database, &statement).unwrap();
    }

    /// Raw contents of the database.
    pub fn stored(&self) -> Vec<u8> {
        match &self.database {
            Some(database) => database.contents().unwrap().into_bytes(),
            None => self.database_files().into_iter().flat_map(|path| std::fs::read(path).unwrap()).collect(),
        }
    }

    /// Files of the SQLite database.
    pub fn database_files(&self) -> Vec<PathBuf> {
        let files = std::fs::read_dir(self.directory.path()).unwrap().map(|entry| entry.unwrap().path());
        files.filter(|path| path.to_string_lossy().contains("steward.db")).collect()
    }

    /// Creates an account with a verified email using the CLI and returns the printed JSON.
    pub async fn provision(&self, username: &str) -> Value {
        let email = format!("{username}@example.com");
        let arguments = ["account", "create", "--email", &email, "--username", username, "--name", username];
        let output = self.run(&arguments, crate::actor::PASSWORD).await;
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        serde_json::from_slice(&output.stdout).unwrap()
    }

    /// Kills the process (`kill -9`) and starts it again on the same data.
    pub async fn kill_and_restart(&mut self) {
        self.kill();
        self.launch().await;
    }

    /// Stops the process gracefully, waits until it exits, and starts it again.
    pub async fn restart(&mut self) {
        self.terminate();
        assert!(self.exited_successfully().await, "The service did not exit successfully:\n{}", self.log());
        self.launch().await;
    }

    /// Changes a setting. The change takes effect at the next start.
    pub fn set(&mut self, name: &str, value: &str) {
        self.settings.retain(|(other, _)| other != name);
        self.settings.push((name.to_owned(), value.to_owned()));
    }

    /// Kills the process (`kill -9`).
    pub fn kill(&mut self) {
        if let Some(mut child) = self.child.take() {
            drop(child.kill());
            drop(child.wait());
        }
    }

    /// Process ID of the running service.
    pub fn process_id(&self) -> u32 {
        self.child.as_ref().unwrap().id()
    }

    /// Requests a graceful shutdown (`kill -TERM`).
    pub fn terminate(&self) {
        self.signal("TERM");
    }

    /// Sends a signal to the process. The name has no `SIG` prefix, for example `TERM`.
    pub fn signal(&self, name: &str) {
        let id = self.process_id().to_string();
        assert!(Command::new("kill").args([format!("-{name}"), id]).status().unwrap().success());
    }

    /// Waits until the process exits and returns whether its exit code was 0.
    pub async fn exited_successfully(&mut self) -> bool {
        let mut child = self.child.take().unwrap();
        tokio::task::spawn_blocking(move || child.wait().unwrap().success()).await.unwrap()
    }

    /// Resets the peak memory usage that [`App::peak_memory`] returns.
    pub fn reset_peak_memory(&self) {
        let id = self.child.as_ref().unwrap().id();
        std::fs::write(format!("/proc/{id}/clear_refs"), "5").unwrap();
    }

    /// Peak resident memory of the service in MiB, since its start or the last [`App::reset_peak_memory`].
    pub fn peak_memory(&self) -> u64 {
        let id = self.child.as_ref().unwrap().id();
        let status = std::fs::read_to_string(format!("/proc/{id}/status")).unwrap();
        let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
        peak.trim().trim_end_matches(" kB").parse::<u64>().unwrap() / 1024
    }

    /// Returns the log including all requests so far. Lines are written in order, so this sends one more request and
    /// waits for its line.
    pub async fn complete_log(&self) -> String {
        static NEXT: AtomicU16 = AtomicU16::new(0);
        let id = format!("complete-log-{}", NEXT.fetch_add(1, Ordering::Relaxed));
        // Not a health check, because those are not logged by default, and without a rate limit.
        let request = self.client.request(Method::OPTIONS, format!("{}/docs", self.base)).header("X-Request-Id", &id);
        request.send().await.unwrap();
        eventually(async || Some(self.log()).filter(|log| log.contains(&id))).await
    }

    /// Current contents of the service's log.
    pub fn log(&self) -> String {
        std::fs::read_to_string(self.log_path()).unwrap_or_default()
    }

    fn log_path(&self) -> PathBuf {
        self.directory.path().join("log")
    }

    /// Data directory of the service, which contains the SQLite database.
    pub fn directory(&self) -> &Path {
        self.directory.path()
    }

    /// A caller without a credential.
    pub fn anonymous(&self) -> Actor {
        Actor::new(self, None)
    }

    /// A caller with this credential.
    pub fn bearer(&self, credential: &str) -> Actor {
        Actor::new(self, Some(credential.to_owned()))
    }
}

impl Drop for App {
    fn drop(&mut self) {
        self.kill();
        if std::thread::panicking() {
            let log = self.log();
            let last = log.lines().count().saturating_sub(LAST_LINES);
            let lines: Vec<&str> = log.lines().skip(last).collect();
            eprintln!("--- last lines of the service's log ---\n{}", lines.join("\n"));
            return;
        }
        for (location, bytes) in [("log", self.log().into_bytes()), ("database", self.stored())] {
            let leaked = self.canaries.found_in(&bytes);
            assert!(leaked.is_empty(), "The {location} contains secrets: {leaked:?}");
        }
    }
}
