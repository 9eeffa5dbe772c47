//! Performance of PostgreSQL itself on this machine, measured with `pgbench`: the baseline of all results.

use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use tempfile::TempDir;
use tokio::process::Command;

/// The baseline of writes: an upsert of one jsonb row of 200 bytes.
const UPSERT: &str = "\\set id random(1, 100000)
INSERT INTO upserts (id, value) VALUES (:id, jsonb_build_object('title', repeat('x', 180)))
ON CONFLICT (id) DO UPDATE SET value = excluded.value;
";

/// Reads the tables and their keys. What was not used for a while may have to be read from the disk.
const WARM_UP: [&str; 5] = [
    "SELECT count(accounts) FROM pgbench_accounts AS accounts",
    "SELECT count(upserts) FROM upserts",
    "SET enable_seqscan = off",
    "SELECT count(aid) FROM pgbench_accounts",
    "SELECT count(id) FROM upserts",
];

/// Transactions per second.
#[derive(Debug, Clone, Copy)]
pub struct Measured {
    pub reads: f64,
    pub upserts: f64,
}

impl fmt::Display for Measured {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "pgbench -S {:.0}/s, upserts {:.0}/s", self.reads, self.upserts)
    }
}

/// A database filled by `pgbench`.
pub struct Baseline {
    program: PathBuf,
    script: TempDir,
}

impl Baseline {
    pub async fn prepare() -> Self {
        let script = tempfile::tempdir().unwrap();
        std::fs::write(script.path().join("upsert.sql"), UPSERT).unwrap();
        let baseline = Self { program: program(), script };
        baseline.run(&["-i", "-q", "-s", "10"]).await;
        execute(&["CREATE TABLE IF NOT EXISTS upserts (id int PRIMARY KEY, value jsonb NOT NULL)"]).await;
        baseline
    }

    pub async fn measure(&self, duration: Duration) -> Measured {
        execute(&WARM_UP).await;
        let seconds = duration.as_secs().to_string();
        let common = ["-n", "-M", "prepared", "-c", "8", "-j", "2", "-T", &seconds];
        let script = self.script.path().join("upsert.sql");
        let reads = self.run(&[&["-S"], common.as_slice()].concat()).await;
        let upserts = self.run(&[&["-f", &script.to_string_lossy()], common.as_slice()].concat()).await;
        Measured { reads: per_second(&reads), upserts: per_second(&upserts) }
    }

    async fn run(&self, arguments: &[&str]) -> String {
        let output = Command::new(&self.program).args(arguments).arg(database()).output().await.unwrap();
        assert!(output.status.success(), "pgbench: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8_lossy(&output.stdout).into_owned()
    }
}

/// Runs statements in one session, until one fails.
async fn execute(statements: &[&str]) {
    let commands = statements.iter().flat_map(|statement| ["-c", statement]);
    let mut psql = Command::new("psql");
    psql.args(["-q", "-v", "ON_ERROR_STOP=1"]).args(commands).arg(database());
    let ran = psql.output().await.unwrap();
    assert!(ran.status.success(), "psql: {}", String::from_utf8_lossy(&ran.stderr));
}

/// Returns the newest `pgbench` installed from Debian packages.
fn program() -> PathBuf {
    let versions = std::fs::read_dir("/usr/lib/postgresql").unwrap();
    let programs = versions.map(|version| version.unwrap().path().join("bin/pgbench"));
    programs
        .filter(|program| Path::exists(program))
        .max()
        .expect("pgbench is not installed. Install the Debian package postgresql.")
}

#[expect(clippy::disallowed_methods, reason = "The database is configured by an environment variable.")]
fn database() -> String {
    std::env::var("TEST_DATABASE_URL").expect("TEST_DATABASE_URL is not set. Run `make bench`.")
}

fn per_second(output: &str) -> f64 {
    let line =
        output.lines().find_map(|line| line.strip_prefix("tps = ")).expect("The output of pgbench contains no rate.");
    line.split(' ').next().unwrap().parse().unwrap()
}
