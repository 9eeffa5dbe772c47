//! A PostgreSQL server for a single test, which can be stopped, frozen, made read-only and replaced.

use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use tempfile::TempDir;
use tokio::task::spawn_blocking;

use crate::{TIMEOUT, free_port};

/// Options of every server. Acknowledged writes must survive a crash of the server, but not of the machine. A killed
/// server leaves its shared memory, which is therefore in its directory.
const OPTIONS: &str = "-c listen_addresses=127.0.0.1 -c unix_socket_directories= -c max_connections=200 -c fsync=off \
    -c dynamic_shared_memory_type=mmap";

/// A running server. Dropping the value stops it and deletes its files.
pub struct Cluster {
    directory: TempDir,
    port: u16,
    /// Options of this server, in addition to those of every server.
    options: String,
    /// Environment variables of the server.
    environment: Vec<(String, String)>,
}

impl Cluster {
    /// Starts an empty server.
    pub async fn start() -> Self {
        Self::unstarted().launch().await
    }

    /// Starts an empty server with additional options.
    pub async fn start_with(options: &str) -> Self {
        let mut cluster = Self::unstarted();
        cluster.options = options.to_owned();
        cluster.launch().await
    }

    /// Starts an empty server with these environment variables.
    pub async fn start_in(environment: &[(&str, &str)]) -> Self {
        let mut cluster = Self::unstarted();
        cluster.environment =
            environment.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        cluster.launch().await
    }

    async fn launch(self) -> Self {
        spawn_blocking(move || {
            self.run("initdb", &["-A", "trust", "-U", "steward", "-E", "UTF8", "--locale", "C", "--no-sync"]);
            self.control(&["start"]);
            self
        })
        .await
        .unwrap()
    }

    /// Starts a standby that follows this server.
    pub async fn standby(&self) -> Self {
        let primary = self.port.to_string();
        spawn_blocking(move || {
            let standby = Self::unstarted();
            let from = ["-h", "127.0.0.1", "-p", &primary, "-U", "steward", "-R", "-c", "fast", "--no-sync"];
            standby.run("pg_basebackup", &from);
            standby.control(&["start"]);
            standby
        })
        .await
        .unwrap()
    }

    /// Returns the URL of its database.
    pub fn url(&self) -> String {
        format!("postgres://steward@{}/postgres?sslmode=disable", self.host())
    }

    /// Returns its host and port.
    pub fn host(&self) -> String {
        format!("127.0.0.1:{}", self.port)
    }

    /// Stops all of its processes immediately. Nothing listens on its port afterwards.
    pub fn stop(&self) {
        self.control(&["stop", "-m", "immediate"]);
    }

    /// Starts the stopped server again.
    pub fn resume(&self) {
        self.control(&["start"]);
    }

    /// Restarts the server immediately, without closing connections properly.
    pub fn restart(&self) {
        self.control(&["restart", "-m", "immediate"]);
    }

    /// Pauses all of its processes: connections stay open without responses.
    pub fn freeze(&self) {
        self.signal_all("-STOP");
    }

    /// Resumes a frozen server.
    pub fn thaw(&self) {
        self.signal_all("-CONT");
    }

    /// Makes the server read-only, or writable again.
    pub fn refuse_writes(&self, refuse: bool) {
        let setting = if refuse { "on" } else { "off" };
        self.execute(&format!("ALTER SYSTEM SET default_transaction_read_only = {setting}"));
        self.execute("SELECT pg_reload_conf()");
    }

    /// Copies the files of the stopped server. Returns the copy.
    pub fn copy_data(&self) -> PathBuf {
        let copy = self.directory.path().join("copy");
        copy_directory(&self.data(), &copy);
        copy
    }

    /// Replaces the files of the stopped server by a copy.
    pub fn replace_data(&self, copy: &Path) {
        std::fs::remove_dir_all(self.data()).unwrap();
        copy_directory(copy, &self.data());
    }

    /// Archives the write-ahead log from now on.
    pub fn archive_log(&self) {
        let archive = self.archive();
        std::fs::create_dir(&archive).unwrap();
        assert!(!is_root() || Command::new("chown").arg("postgres").arg(&archive).status().unwrap().success());
        let command = format!("cp %p {}/%f", archive.display());
        self.execute(&format!("ALTER SYSTEM SET archive_command = '{command}'"));
        self.execute("ALTER SYSTEM SET archive_mode = on");
        self.control(&["restart", "-m", "fast"]);
    }

    /// Names the current state, so that the server can recover to it.
    pub fn name_state(&self, name: &str) {
        self.execute(&format!("SELECT pg_create_restore_point('{name}')"));
    }

    /// Replaces the files of the running server by a copy, and replays the archived log up to a named state (PostgreSQL
    /// documentation, "Recovering Using a Continuous Archive Backup").
    pub fn recover(&self, copy: &Path, state: &str) {
        // Archives the rest of the log.
        self.control(&["stop", "-m", "fast"]);
        self.replace_data(copy);
        let settings = format!(
            "restore_command = 'cp {}/%f %p'\nrecovery_target_name = '{state}'\nrecovery_target_action = 'promote'\n",
            self.archive().display()
        );
        let file = self.data().join("postgresql.auto.conf");
        let before = std::fs::read_to_string(&file).unwrap();
        std::fs::write(file, before + &settings).unwrap();
        // Owned like the data, which the server requires.
        copy_directory(&self.data().join("PG_VERSION"), &self.data().join("recovery.signal"));
        self.control(&["start"]);
    }

    fn archive(&self) -> PathBuf {
        self.directory.path().join("archive")
    }

    /// Stops the replication of a standby. The server applies the setting some time after it is told to.
    pub fn stop_following(&self) {
        self.execute("ALTER SYSTEM SET primary_conninfo = ''");
        self.execute("SELECT pg_reload_conf()");
        let began = Instant::now();
        while !self.accepts("SELECT 1 / (count(*) = 0)::integer FROM pg_stat_wal_receiver") {
            assert!(began.elapsed() < TIMEOUT, "The standby still follows.");
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    /// Makes commits wait for a synchronous standby, which does not exist, or not.
    pub fn await_standby(&self, wait: bool) {
        self.execute(&format!("ALTER SYSTEM SET synchronous_standby_names = '{}'", if wait { "*" } else { "" }));
        self.execute("SELECT pg_reload_conf()");
        if wait {
            self.until_commits_wait();
        }
    }

    /// Waits until a commit waits for a standby. The server applies a setting some time after it is told to, and only
    /// commits show when. The last of these commits ends when commits no longer wait.
    fn until_commits_wait(&self) {
        let waits = "SELECT 1 / count(*) FROM pg_stat_activity WHERE wait_event = 'SyncRep'";
        let began = Instant::now();
        while !self.accepts(waits) {
            assert!(began.elapsed() < TIMEOUT, "Commits do not wait for a standby.");
            let url = self.url();
            let commit = std::thread::spawn(move || {
                steward_store::scratch::execute_sql(&url, "SELECT pg_logical_emit_message(true, '', '')").ok()
            });
            while !commit.is_finished() && !self.accepts(waits) {
                std::thread::sleep(Duration::from_millis(10));
            }
        }
    }

    /// Returns how many bytes of memory its processes have of their own.
    pub fn memory(&self) -> u64 {
        let own = |id: &String| {
            let status = std::fs::read_to_string(Path::new("/proc").join(id).join("status")).ok()?;
            let line = status.lines().find_map(|line| line.strip_prefix("RssAnon:"))?;
            line.trim().strip_suffix(" kB")?.parse::<u64>().ok()
        };
        1024 * self.processes().iter().filter_map(own).sum::<u64>()
    }

    /// Promotes a standby to primary.
    pub fn promote(&self) {
        self.control(&["promote"]);
    }

    /// Returns whether a statement succeeds.
    pub fn accepts(&self, statement: &str) -> bool {
        steward_store::scratch::execute_sql(&self.url(), statement).is_ok()
    }

    /// Runs a statement.
    pub fn execute(&self, statement: &str) {
        assert!(self.accepts(statement), "The statement failed: {statement}");
    }

    /// Reserves a directory and a port without starting a server.
    fn unstarted() -> Self {
        Self { directory: directory_of_postgres(), port: free_port(), options: String::new(), environment: Vec::new() }
    }

    fn data(&self) -> PathBuf {
        self.directory.path().join("data")
    }

    fn control(&self, arguments: &[&str]) {
        let log = self.directory.path().join("log");
        let options = format!("-p {} {OPTIONS} {}", self.port, self.options);
        let log = log.display().to_string();
        self.run("pg_ctl", &[&["-w", "-t", "60", "-l", &log, "-o", &options], arguments].concat());
    }

    /// Runs a PostgreSQL program on the data directory.
    fn run(&self, program: &str, arguments: &[&str]) {
        let output = self.command(program, arguments).output().unwrap();
        let log = std::fs::read_to_string(self.directory.path().join("log")).unwrap_or_default();
        assert!(output.status.success(), "{program}: {}\n{log}", String::from_utf8_lossy(&output.stderr));
    }

    fn command(&self, program: &str, arguments: &[&str]) -> Command {
        let mut command = as_postgres(&program_directory().join(program));
        command.arg("-D").arg(self.data()).args(arguments);
        command.envs(self.environment.iter().map(|(name, value)| (name, value)));
        command.current_dir(self.directory.path()).stdin(Stdio::null());
        command
    }

    fn signal_all(&self, signal: &str) {
        let processes = self.processes();
        assert!(!processes.is_empty(), "The server is not running.");
        assert!(Command::new("kill").args([signal, &processes[0]]).status().unwrap().success());
        // A frozen postmaster starts no more children. A child may end before it gets the signal.
        let children = self.processes().split_off(1);
        drop(Command::new("kill").arg(signal).args(children).stderr(Stdio::null()).status());
    }

    /// Returns its process IDs, the postmaster first.
    fn processes(&self) -> Vec<String> {
        processes_in(&self.data())
    }
}

/// Returns the process IDs of the server in a data directory, the postmaster first.
pub fn processes_in(data: &Path) -> Vec<String> {
    let Ok(file) = std::fs::read_to_string(data.join("postmaster.pid")) else { return Vec::new() };
    let first = file.lines().next().unwrap().to_owned();
    let running = std::fs::read_dir("/proc").unwrap().filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let children: Vec<String> = running.filter(|id| parent(id).as_ref() == Some(&first)).collect();
    [vec![first], children].concat()
}

/// Returns a command that runs a program as a user as which PostgreSQL runs: not as root.
pub fn as_postgres(program: &Path) -> Command {
    if !is_root() {
        return Command::new(program);
    }
    let mut command = Command::new("setpriv");
    command.args(["--reuid=postgres", "--regid=postgres", "--init-groups"]).arg(program);
    command
}

/// Creates a temporary directory of the user as which PostgreSQL runs.
pub fn directory_of_postgres() -> TempDir {
    let directory = tempfile::tempdir().unwrap();
    if is_root() {
        assert!(Command::new("chown").arg("postgres").arg(directory.path()).status().unwrap().success());
    }
    directory
}

/// Copies a directory with owners and permissions.
fn copy_directory(from: &Path, to: &Path) {
    assert!(Command::new("cp").arg("-a").args([from, to]).status().unwrap().success());
}

impl Drop for Cluster {
    fn drop(&mut self) {
        let processes = self.processes();
        if !processes.is_empty() {
            drop(Command::new("kill").arg("-CONT").args(&processes).stderr(Stdio::null()).status());
            drop(self.command("pg_ctl", &["-w", "-s", "stop", "-m", "immediate"]).stderr(Stdio::null()).status());
        }
    }
}

/// Returns the parent of a process; `None` if the process has ended.
fn parent(id: &str) -> Option<String> {
    let stat = std::fs::read_to_string(Path::new("/proc").join(id).join("stat")).ok()?;
    // The process name can contain any character, so parsing starts after its last parenthesis: the state, then the
    // parent.
    stat.rsplit_once(')')?.1.split_whitespace().nth(1).map(str::to_owned)
}

fn is_root() -> bool {
    std::fs::metadata("/proc/self").unwrap().uid() == 0
}

/// Returns whether PostgreSQL has Citus. Reports that the test is skipped if not.
pub fn has_citus() -> bool {
    let versions = std::fs::read_dir("/usr/share/postgresql").into_iter().flatten();
    let has_citus = |directory: &Path| directory.join("extension/citus.control").exists();
    let is_installed = versions.flatten().any(|version| has_citus(&version.path()));
    if !is_installed {
        eprintln!(
            "Skipped: install Citus 13 for PostgreSQL (postgresql-VERSION-citus-13 of Citus Data, or from source)."
        );
    }
    is_installed
}

/// Returns the program directory of the newest PostgreSQL installed from Debian packages.
pub fn program_directory() -> PathBuf {
    let versions =
        std::fs::read_dir("/usr/lib/postgresql").expect("PostgreSQL is not installed. Run tests/with-postgres.sh.");
    let version = |path: &PathBuf| path.file_name()?.to_str()?.parse::<u32>().ok();
    let newest = versions.map(|entry| entry.unwrap().path()).filter(|path| path.join("bin/initdb").exists());
    newest.max_by_key(version).unwrap().join("bin")
}
