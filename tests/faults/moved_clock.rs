//! A service and its database whose clock a test moves while they run.

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant, SystemTime};

use chrono::{DateTime, TimeDelta, Utc};
use steward_tests::{App, Backend, Clock, Cluster, TIMEOUT, eventually, free_port};
use tokio::time::sleep;

/// Interval at which a condition is checked.
const INTERVAL: Duration = Duration::from_millis(50);
/// The system calls in which an idle thread waits: `futex`, `epoll_wait`, `epoll_pwait`, `nanosleep`,
/// `clock_nanosleep`, and `restart_syscall` after the process was stopped.
const WAITS: &[&str] = if cfg!(target_arch = "x86_64") {
    &["202", "232", "281", "35", "230", "219"]
} else {
    &["98", "22", "101", "115", "128"]
};

/// The jobs that run at least once a minute, and the one that runs every ten minutes.
const JOBS: [&str; 3] = ["server_keys", "expiry", "audit_seal"];
const SLOW_JOB: &str = "audit_retention";

/// A service, its database and their clock.
pub struct MovedClock {
    pub app: App,
    /// The server of the database, with PostgreSQL.
    pub cluster: Option<Cluster>,
    clock: Clock,
    seconds: AtomicU32,
    metrics: String,
    /// Number of lines that the service logged when it started.
    first_lines: usize,
}

impl MovedClock {
    pub async fn start(backend: Backend, more: &[(&str, &str)]) -> Self {
        let clock = Clock::new(env!("CARGO_TARGET_TMPDIR")).await;
        let address = format!("127.0.0.1:{}", free_port());
        let own = [("CLOCK_SHIFT_TIMERS", "1"), ("STEWARD_METRICS_BIND", address.as_str())];
        let settings = [&clock.settings()[..], &own, more].concat();
        let (mut app, cluster) = match backend {
            Backend::Sqlite => (App::start_with(backend, &settings).await, None),
            Backend::Postgres => {
                let cluster = Cluster::start_in(&clock.settings()).await;
                (App::start_on_database(&cluster.url(), &settings).await, Some(cluster))
            }
        };
        // The service closes connections that seem idle for hours.
        app.client = reqwest::Client::builder().pool_max_idle_per_host(0).build().unwrap();
        let metrics = format!("http://{address}/metrics");
        let first_lines = app.log().lines().count();
        Self { app, cluster, clock, seconds: AtomicU32::new(0), metrics, first_lines }
    }

    /// The time of the service.
    #[expect(clippy::disallowed_methods, reason = "the service uses the system clock")]
    pub fn now(&self) -> DateTime<Utc> {
        DateTime::<Utc>::from(SystemTime::now()) + TimeDelta::seconds(self.seconds.load(Ordering::Relaxed).into())
    }

    /// Moves the clock, and waits until each job that is due has run.
    pub async fn pass(&self, duration: TimeDelta) {
        let seconds = u32::try_from(duration.num_seconds()).unwrap();
        self.stop_when_idle().await;
        let shift = self.seconds.fetch_add(seconds, Ordering::Relaxed) + seconds;
        self.clock.set(shift);
        // Threads that wait notice the new time when they continue.
        self.app.signal("CONT");
        let moved_at = self.now();
        self.until_requests_are_timed().await;
        let slow = (duration > TimeDelta::minutes(10)).then_some(SLOW_JOB);
        for job in JOBS.into_iter().chain(slow) {
            eventually(async || (self.last_run(job).await? >= moved_at).then_some(())).await;
        }
    }

    /// Waits until all threads of the HTTP server know the time: each counts the half seconds that have passed, and
    /// refuses requests in the meantime, because they seem to take too long.
    async fn until_requests_are_timed(&self) {
        let live = format!("{}/health/live", self.app.base);
        eventually(async || {
            for _ in 0..20 {
                let response = self.app.client.get(&live).send().await.ok()?;
                if response.status() == 408 {
                    return None;
                }
            }
            Some(())
        })
        .await;
    }

    /// Stops the process while none of its threads does anything: a request that runs in the meantime would seem to
    /// take hours.
    async fn stop_when_idle(&self) {
        eventually(async || {
            if !self.is_idle() {
                return None;
            }
            self.app.signal("STOP");
            let is_idle = self.is_idle();
            if !is_idle {
                self.app.signal("CONT");
            }
            is_idle.then_some(())
        })
        .await;
    }

    fn is_idle(&self) -> bool {
        let threads = std::fs::read_dir(format!("/proc/{}/task", self.app.process_id())).unwrap();
        let waits = |thread: std::io::Result<std::fs::DirEntry>| {
            let call = std::fs::read_to_string(thread.unwrap().path().join("syscall")).unwrap_or_default();
            call.split_whitespace().next().is_some_and(|number| WAITS.contains(&number))
        };
        threads.into_iter().all(waits)
    }

    /// A metric of the service, for example `steward_audit_unsealed_events`.
    pub async fn metric(&self, name: &str) -> Option<f64> {
        let text = self.app.client.get(&self.metrics).send().await.ok()?.text().await.ok()?;
        text.lines().find_map(|line| line.strip_prefix(name)?.trim().parse().ok())
    }

    async fn last_run(&self, job: &str) -> Option<DateTime<Utc>> {
        let seconds = self.metric(&format!("steward_job_last_run_timestamp_seconds{{job=\"{job}\"}}")).await?;
        DateTime::from_timestamp_micros((seconds * 1e6) as i64)
    }

    /// Waits until a condition in SQL is true. Panics if that takes too long.
    pub async fn until(&self, condition: &str) {
        let began = Instant::now();
        while !self.holds(condition) {
            assert!(began.elapsed() < TIMEOUT, "At {}, this is not true: {condition}", self.now());
            sleep(INTERVAL).await;
        }
    }

    fn holds(&self, condition: &str) -> bool {
        match &self.cluster {
            Some(cluster) => cluster.accepts(&format!("SELECT 1 / (CASE WHEN {condition} THEN 1 ELSE 0 END)")),
            None => {
                let file = self.app.directory().join("steward.db").display().to_string();
                // SQLite divides by zero without an error.
                let query = format!("SELECT CASE WHEN {condition} THEN 1 ELSE json('false condition') END");
                steward_store::scratch::execute_sql(&file, &query).is_ok()
            }
        }
    }

    /// Panics if the log has a warning or an error since the start. PostgreSQL ends a statement that runs while its
    /// clock moves, because the time limit seems to be over, and the service then refuses others until it has checked
    /// the database.
    pub fn check_log(&self) {
        let log = self.app.log();
        let is_problem = |line: &&str| line.contains("\"level\":\"ERROR\"") || line.contains("\"level\":\"WARN\"");
        let is_of_move = |line: &&str| self.cluster.is_some() && line.contains("The database does not respond.");
        let lines = log.lines().skip(self.first_lines);
        let problems: Vec<&str> = lines.filter(is_problem).filter(|line| !is_of_move(line)).take(10).collect();
        assert!(problems.is_empty(), "{problems:#?}");
    }
}
