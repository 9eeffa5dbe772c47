//! What PostgreSQL itself does on this machine, by `pgbench`: the measure of everything else.

use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use tempfile::TempDir;
use tokio::process::Command;

/// The upsert of one jsonb row of 200 bytes that writes are compared with.
const UPSERT: &str = "\\set id random(1, 100000)
INSERT INTO upserts (id, value) VALUES (:id, jsonb_build_object('title', repeat('x', 180)))
ON CONFLICT (id) DO UPDATE SET value = excluded.value;
";

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

/// A database that `pgbench` has filled.
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
        let table = "CREATE TABLE IF NOT EXISTS upserts (id int PRIMARY KEY, value jsonb NOT NULL)";
        let made = Command::new("psql").args(["-q", "-c", table, &database()]).status().await.unwrap();
        assert!(made.success(), "the table of the upserts cannot be made");
        baseline
    }

    pub async fn measure(&self, lasting: Duration) -> Measured {
        let seconds = lasting.as_secs().to_string();
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

/// The newest `pgbench` that Debian's packages installed.
fn program() -> PathBuf {
    let versions = std::fs::read_dir("/usr/lib/postgresql").unwrap();
    let programs = versions.map(|version| version.unwrap().path().join("bin/pgbench"));
    programs.filter(|program| Path::exists(program)).max().expect("pgbench comes with Debian's postgresql")
}

#[expect(clippy::disallowed_methods, reason = "the database is named by the environment")]
fn database() -> String {
    std::env::var("TEST_DATABASE_URL").expect("TEST_DATABASE_URL: run `make bench`")
}

fn per_second(output: &str) -> f64 {
    let line = output.lines().find_map(|line| line.strip_prefix("tps = ")).expect("pgbench prints its rate");
    line.split(' ').next().unwrap().parse().unwrap()
}
