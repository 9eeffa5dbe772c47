//! The service behind PgBouncer in transaction mode, in front of a real server. The tests need PgBouncer 1.21 or later,
//! which Debian 12 does not have: `STEWARD_TEST_PGBOUNCER` names the program. Without it they report that they are
//! skipped.

use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use serde_json::json;
use steward_tests::{App, Cluster, World, eventually, free_port};
use tempfile::TempDir;

use crate::until_ready;

/// A running PgBouncer.
pub struct Pooler {
    process: Child,
    _directory: TempDir,
    port: u16,
}

impl Pooler {
    /// Starts a pooler with few sessions, so that clients share them. Returns `None` if the program is not installed.
    pub fn start(server: &str, sessions: u32, max_prepared_statements: u32) -> Option<Self> {
        let Some(program) = std::env::var_os("STEWARD_TEST_PGBOUNCER").map(PathBuf::from) else {
            eprintln!("Skipped: set STEWARD_TEST_PGBOUNCER to the path of PgBouncer 1.21 or later.");
            return None;
        };
        let (directory, port) = (tempfile::tempdir().unwrap(), free_port());
        let (host, server_port) = server.rsplit_once(':').unwrap();
        let users = directory.path().join("users.txt");
        std::fs::write(&users, "\"steward\" \"\"\n").unwrap();
        let settings = format!(
            "[databases]\npostgres = host={host} port={server_port}\n[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = {port}\n\
             unix_socket_dir =\nauth_type = trust\nauth_file = {}\npool_mode = transaction\ndefault_pool_size = {sessions}\n\
             max_client_conn = 500\nmax_prepared_statements = {max_prepared_statements}\nuser = postgres\n",
            users.display()
        );
        let file = directory.path().join("pgbouncer.ini");
        std::fs::write(&file, settings).unwrap();
        // PgBouncer does not run as root.
        assert!(Command::new("chmod").args(["-R", "a+rX"]).arg(directory.path()).status().unwrap().success());
        let process = Command::new(program).arg("-q").arg(&file).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
        Some(Self { process: process.unwrap(), _directory: directory, port })
    }

    pub fn url(&self) -> String {
        format!("postgres://steward@127.0.0.1:{}/postgres?sslmode=disable", self.port)
    }

    async fn until_ready(&self) {
        eventually(async || steward_store::scratch::execute_sql(&self.url(), "SELECT 1").ok()).await;
    }
}

impl Drop for Pooler {
    fn drop(&mut self) {
        drop(self.process.kill());
        drop(self.process.wait());
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn replicas_start_together_behind_a_pooler_and_leave_nothing_in_its_sessions() {
    let cluster = Cluster::start().await;
    for setting in ["statement_timeout = '21s'", "lock_timeout = '3s'", "idle_in_transaction_session_timeout = '10s'"] {
        assert!(cluster.accepts(&format!("ALTER ROLE steward SET {setting}")));
    }
    let Some(pooler) = Pooler::start(&cluster.host(), 4, 200) else { return };
    pooler.until_ready().await;
    let app = App::start_on_database(&pooler.url(), &[]).await;
    let (second, third) = tokio::join!(app.start_replica(), app.start_replica());
    let world = World::make(&app, "acme").await;
    let key = world.key.credential.clone().unwrap();
    let writes = (0..90).map(|number| {
        let (app, path) = ([&app, &second, &third][number % 3], format!("{}/p{number}", world.notes()));
        let caller = app.bearer(&key);
        async move {
            caller.put(&path, json!({"value": {"title": "x"}})).await.created();
            caller.get(&path).await.ok();
            caller.patch(&path, json!({"value": {"title": "y"}})).await.ok();
        }
    });
    futures_util::future::join_all(writes).await;
    let listed = second.bearer(&key).get(&format!("{}?limit=100", world.notes())).await.ok();
    let ids = listed["data"].as_array().unwrap().iter().map(|item| item["id"].as_str().unwrap());
    assert_eq!(ids.filter(|id| id.starts_with('p')).count(), 90);
    for replica in [&app, &second, &third] {
        until_ready(replica).await;
        assert!(!replica.log().contains("prepared statement"), "{}", replica.log());
    }

    // Each statement may get another session, so several look at all of them.
    let leaked = "DO $$ BEGIN IF current_setting('statement_timeout') <> '21s' OR current_setting('lock_timeout') <> '3s' \
         OR current_setting('enable_seqscan') <> 'on' OR current_setting('plan_cache_mode') <> 'auto' \
         OR EXISTS (SELECT FROM pg_listening_channels()) OR EXISTS (SELECT FROM pg_locks WHERE locktype = 'advisory') \
         THEN RAISE EXCEPTION 'leaked'; END IF; PERFORM pg_sleep(0.05); END $$";
    let urls = (0..12).map(|_| pooler.url());
    let looks = urls.map(|url| tokio::task::spawn_blocking(move || steward_store::scratch::execute_sql(&url, leaked)));
    for look in futures_util::future::join_all(looks).await {
        look.unwrap().unwrap();
    }
    let doctor = app.run(&["doctor"], "").await;
    assert!(doctor.status.success(), "{}", String::from_utf8_lossy(&doctor.stdout));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_pooler_without_prepared_statements_is_refused() {
    let cluster = Cluster::start().await;
    let Some(pooler) = Pooler::start(&cluster.host(), 4, 0) else { return };
    pooler.until_ready().await;
    let app = App::start_on_database(&cluster.url(), &[]).await;
    let (url, bind) = (pooler.url(), format!("127.0.0.1:{}", free_port()));
    let settings = [("DATABASE_URL", url.as_str()), ("STEWARD_BIND", bind.as_str())];
    for command in ["serve", "migrate"] {
        let output = app.run_with(&[command], &settings).await;
        let printed = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!output.status.success() && printed.contains("does not support prepared statements"), "{printed}");
    }
}
