//! PostgreSQL under Patroni in synchronous mode, with etcd, and HAProxy in front of the primary: three servers, with
//! PgBouncer in front of that if a trial needs it, or a Citus cluster of a coordinator and a worker with a standby
//! each.

use std::fmt::Write as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use steward_tests::{eventually, free_port, has_citus, install_python_packages};
use tempfile::TempDir;
use tokio::task::spawn_blocking;

use super::group::{Group, GroupKind};
use crate::pooler::Pooler;
use crate::proxy::HaProxy;

const PACKAGES: &[(&str, &str)] = &[("requirements.txt", include_str!("../patroni/requirements.txt"))];
/// Sessions of PgBouncer: fewer than all replicas have connections.
const SESSIONS: u32 = 16;

/// As Patroni's documentation recommends ("HAProxy"): only the primary responds with 200, and the sessions of a former
/// one end.
const PRIMARY: &str = "
defaults
    mode tcp
    timeout connect 2s
    timeout client 1h
    timeout server 1h
    timeout check 2s
listen primary
    option httpchk OPTIONS /primary
    http-check expect status 200
    default-server inter 500ms fall 2 rise 1 on-marked-down shutdown-sessions
";

/// A process that ends when this value is dropped.
pub struct Process(pub Child);

impl Drop for Process {
    fn drop(&mut self) {
        drop(self.0.kill());
        drop(self.0.wait());
    }
}

/// How the database is arranged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Arrangement {
    Direct,
    /// Behind PgBouncer.
    Pooled,
    /// Items are distributed over a Citus cluster.
    Citus,
}

impl Arrangement {
    /// The groups of servers. The first is the one that the service connects to.
    fn groups(self) -> &'static [GroupKind] {
        match self {
            Self::Direct | Self::Pooled => &[GroupKind::Single],
            Self::Citus => &[GroupKind::Citus(0), GroupKind::Citus(1)],
        }
    }
}

pub struct Fleet {
    pub groups: Vec<Group>,
    pooler: Option<Pooler>,
    _balancer: HaProxy,
    _etcd: (Process, TempDir),
    port: u16,
}

impl Fleet {
    /// Starts all programs. Returns `None` if PgBouncer or Citus is needed and not installed.
    pub async fn start(arrangement: Arrangement) -> Option<Self> {
        let port = free_port();
        if arrangement == Arrangement::Citus && !has_citus() {
            return None;
        }
        let pooler = match arrangement {
            Arrangement::Pooled => Some(Pooler::start(&format!("127.0.0.1:{port}"), SESSIONS, 200)?),
            Arrangement::Direct | Arrangement::Citus => None,
        };
        let install = || install_python_packages(env!("CARGO_TARGET_TMPDIR"), "patroni", PACKAGES);
        let program = spawn_blocking(install).await.unwrap().join("venv/bin/patroni");
        let etcd_port = free_port();
        let etcd = start_etcd(etcd_port);
        let mut groups = Vec::new();
        for kind in arrangement.groups() {
            groups.push(Group::start(*kind, etcd_port, &program).await);
        }
        let mut settings = PRIMARY.to_owned();
        writeln!(settings, "    bind 127.0.0.1:{port}").unwrap();
        for (number, (server, api)) in groups[0].ports().enumerate() {
            writeln!(settings, "    server node{number} 127.0.0.1:{server} check port {api}").unwrap();
        }
        let balancer = HaProxy::start(&settings);
        let fleet = Self { groups, pooler, _balancer: balancer, _etcd: etcd, port };
        fleet.until_redundant().await;
        let url = fleet.url();
        // Patroni adds the workers to the cluster.
        let is_ready = match arrangement {
            Arrangement::Direct | Arrangement::Pooled => "SELECT 1",
            Arrangement::Citus => {
                "SELECT 1 / count(*) FROM pg_dist_node WHERE groupid = 1 AND noderole = 'primary' AND hasmetadata"
            }
        };
        eventually(async || steward_store::scratch::execute_sql(&url, is_ready).ok()).await;
        Some(fleet)
    }

    /// Returns the URL at which the service reaches the primary.
    pub fn url(&self) -> String {
        let direct = || format!("postgres://steward@127.0.0.1:{}/postgres?sslmode=disable", self.port);
        self.pooler.as_ref().map_or_else(direct, Pooler::url)
    }

    /// Waits until each group has a primary, and all of its other servers follow.
    pub async fn until_redundant(&self) {
        for group in &self.groups {
            group.until_redundant().await;
        }
    }
}

fn start_etcd(port: u16) -> (Process, TempDir) {
    let (directory, peer) = (tempfile::tempdir().unwrap(), format!("http://127.0.0.1:{}", free_port()));
    let client = format!("http://127.0.0.1:{port}");
    // The program that tests/install-tools.sh extracted, or that of the system.
    let extracted = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/tools/etcd");
    let mut command = Command::new(if extracted.exists() { extracted.as_path() } else { Path::new("etcd") });
    command.arg("--data-dir").arg(directory.path()).args(["--log-outputs", "stderr"]);
    command.args(["--listen-client-urls", &client, "--advertise-client-urls", &client]);
    command.args(["--listen-peer-urls", &peer, "--initial-advertise-peer-urls", &peer]);
    command.args(["--initial-cluster", &format!("default={peer}")]);
    let child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
    let child = child.unwrap_or_else(|error| panic!("etcd failed to start: {error}. Run tests/install-tools.sh."));
    (Process(child), directory)
}
