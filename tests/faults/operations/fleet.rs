//! Three PostgreSQL servers under Patroni in synchronous mode, with etcd, and HAProxy in front of the primary. PgBouncer
//! can be in front of that.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde_json::{Value, json};
use steward_tests::{
    as_postgres, directory_of_postgres, eventually, free_port, install_python_packages, processes_in, program_directory,
};
use tempfile::TempDir;
use tokio::task::spawn_blocking;

use super::link::Link;
use crate::pooler::Pooler;
use crate::proxy::HaProxy;

const PACKAGES: &[(&str, &str)] = &[("requirements.txt", include_str!("../patroni/requirements.txt"))];
/// Number of servers.
pub const NODES: usize = 3;
/// Sessions of PgBouncer: fewer than all replicas have connections.
const SESSIONS: u32 = 16;

/// As Patroni's documentation recommends ("HAProxy"): only the primary responds with 200, and the sessions of a former one end.
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
struct Process(Child);

impl Drop for Process {
    fn drop(&mut self) {
        drop(self.0.kill());
        drop(self.0.wait());
    }
}

/// A server and its Patroni.
struct Node {
    directory: TempDir,
    program: PathBuf,
    /// Where Patroni itself listens.
    api: u16,
    patroni: Option<Process>,
    /// How others reach PostgreSQL and Patroni, and how Patroni reaches etcd.
    links: [Link; 3],
}

/// The role of a server and whether it is running or follows the primary.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Member {
    role: String,
    state: String,
    timeline: i64,
}

pub struct Fleet {
    nodes: Vec<Node>,
    pooler: Option<Pooler>,
    _balancer: HaProxy,
    _etcd: (Process, TempDir),
    port: u16,
    client: reqwest::Client,
}

impl Fleet {
    /// Starts all programs. Returns `None` if PgBouncer is needed and not installed.
    pub async fn start(is_pooled: bool) -> Option<Self> {
        let port = free_port();
        let pooler = match is_pooled {
            true => Some(Pooler::start(&format!("127.0.0.1:{port}"), SESSIONS, 200)?),
            false => None,
        };
        let install = || install_python_packages(env!("CARGO_TARGET_TMPDIR"), "patroni", PACKAGES);
        let program = spawn_blocking(install).await.unwrap().join("venv/bin/patroni");
        let etcd_port = free_port();
        let etcd = start_etcd(etcd_port);
        let mut nodes = Vec::new();
        for number in 0..NODES {
            nodes.push(Node::start(number, etcd_port, &program).await);
        }
        let mut settings = PRIMARY.to_owned();
        writeln!(settings, "    bind 127.0.0.1:{port}").unwrap();
        for (number, node) in nodes.iter().enumerate() {
            let [server, api, _] = &node.links;
            writeln!(settings, "    server node{number} 127.0.0.1:{} check port {}", server.port, api.port).unwrap();
        }
        let client = reqwest::Client::builder().timeout(Duration::from_secs(2)).build().unwrap();
        let balancer = HaProxy::start(&settings);
        let fleet = Self { nodes, pooler, _balancer: balancer, _etcd: etcd, port, client };
        fleet.until_redundant().await;
        let url = fleet.url();
        eventually(async || steward_store::scratch::execute_sql(&url, "SELECT 1").ok()).await;
        Some(fleet)
    }

    /// Returns the URL at which the service reaches the primary.
    pub fn url(&self) -> String {
        let direct = || format!("postgres://steward@127.0.0.1:{}/postgres?sslmode=disable", self.port);
        self.pooler.as_ref().map_or_else(direct, Pooler::url)
    }

    /// Waits until there are a primary, a synchronous standby and another standby. Returns the number of the primary.
    pub async fn until_redundant(&self) -> usize {
        eventually(async || {
            let members = self.members(None).await?;
            let primary = members.iter().position(|member| member.role == "leader" && member.state == "running")?;
            let follows = |member: &&Member| {
                member.state == "streaming" && member.timeline == members[primary].timeline && member.role != "leader"
            };
            let is_synchronous = members.iter().any(|member| member.role == "sync_standby");
            (members.iter().filter(follows).count() == NODES - 1 && is_synchronous).then_some(primary)
        })
        .await
    }

    /// Waits until another server is the primary.
    pub async fn until_primary_is_not(&self, former: usize) {
        eventually(async || {
            let members = self.members(Some(former)).await?;
            let is_primary = |(number, member): (usize, &Member)| {
                number != former && member.role == "leader" && member.state == "running"
            };
            members.iter().enumerate().any(is_primary).then_some(())
        })
        .await;
    }

    /// What the first Patroni that responds knows of all servers. One of them may know only what was true before.
    async fn members(&self, outdated: Option<usize>) -> Option<Vec<Member>> {
        for (_, node) in self.nodes.iter().enumerate().filter(|(number, _)| Some(*number) != outdated) {
            let Ok(response) = self.client.get(node.api("cluster")).send().await else { continue };
            let Ok(cluster) = response.json::<Value>().await else { continue };
            let members = cluster["members"].as_array().cloned().unwrap_or_default();
            // Patroni forgets a server that it does not hear of.
            let member = |number: usize| {
                let name = format!("node{number}");
                let member = members.iter().find(|member| member["name"] == name).cloned().unwrap_or_default();
                let text = |name: &str| member[name].as_str().unwrap_or_default().to_owned();
                let timeline = member["timeline"].as_i64().unwrap_or_default();
                Member { role: text("role"), state: text("state"), timeline }
            };
            return Some((0..NODES).map(member).collect());
        }
        None
    }

    /// Makes the synchronous standby the primary.
    pub async fn switch_over(&self) {
        let former = self.until_redundant().await;
        let request = json!({"leader": format!("node{former}")});
        let node = &self.nodes[former];
        // Refused while Patroni is still busy with an earlier change.
        eventually(async || {
            let sent = self.client.post(node.api("switchover")).timeout(Duration::from_secs(60)).json(&request);
            sent.send().await.ok().filter(|response| response.status().is_success())
        })
        .await;
        self.until_primary_is_not(former).await;
    }

    /// Restarts a server.
    pub async fn restart(&self, number: usize) {
        let node = &self.nodes[number];
        eventually(async || {
            let sent = self.client.post(node.api("restart")).timeout(Duration::from_secs(60)).json(&json!({}));
            sent.send().await.ok().filter(|response| response.status().is_success())
        })
        .await;
        self.until_redundant().await;
    }

    /// Kills a server and its Patroni (`kill -9`).
    pub fn kill(&mut self, number: usize) {
        let node = &mut self.nodes[number];
        node.signal("-KILL");
        node.patroni = None;
    }

    /// Starts a killed server again.
    pub fn revive(&mut self, number: usize) {
        let node = &mut self.nodes[number];
        node.patroni = Some(run_patroni(&node.program, node.directory.path()));
    }

    /// Pauses a server and its Patroni: connections stay open without responses.
    pub fn freeze(&self, number: usize) {
        self.nodes[number].signal("-STOP");
    }

    pub fn thaw(&self, number: usize) {
        self.nodes[number].signal("-CONT");
    }

    /// Separates a server from all others, from etcd and from its clients.
    pub fn cut(&self, number: usize) {
        self.nodes[number].links.iter().for_each(Link::cut);
    }

    pub fn mend(&self, number: usize) {
        self.nodes[number].links.iter().for_each(Link::mend);
    }
}

impl Node {
    async fn start(number: usize, etcd: u16, program: &Path) -> Self {
        let (server, api, directory) = (free_port(), free_port(), directory_of_postgres());
        let links = [Link::to(server).await, Link::to(api).await, Link::to(etcd).await];
        let settings = settings(number, (server, api), &links, directory.path());
        std::fs::write(directory.path().join("patroni.yaml"), settings.to_string()).unwrap();
        let patroni = Some(run_patroni(program, directory.path()));
        Self { directory, program: program.to_owned(), api, patroni, links }
    }

    fn api(&self, operation: &str) -> String {
        format!("http://127.0.0.1:{}/{operation}", self.api)
    }

    /// Sends a signal to Patroni and to the server, which Patroni starts again otherwise.
    fn signal(&self, signal: &str) {
        let patroni = self.patroni.iter().map(|process| process.0.id().to_string());
        let kill = |ids: &[String]| drop(Command::new("kill").arg(signal).args(ids).stderr(Stdio::null()).status());
        kill(&patroni.collect::<Vec<_>>());
        let data = self.directory.path().join("data");
        // A frozen postmaster starts no more children.
        processes_in(&data).first().into_iter().for_each(|first| kill(std::slice::from_ref(first)));
        kill(&processes_in(&data));
    }
}

impl Drop for Node {
    fn drop(&mut self) {
        if std::thread::panicking() {
            let log = std::fs::read_to_string(self.directory.path().join("log")).unwrap_or_default();
            let last: Vec<&str> = log.lines().rev().take(60).collect();
            let last: Vec<&str> = last.into_iter().rev().collect();
            eprintln!("--- log of Patroni ---\n{}", last.join("\n"));
        }
        self.signal("-KILL");
    }
}

/// The settings of a Patroni. JSON is YAML, too.
fn settings(number: usize, (server, api): (u16, u16), links: &[Link; 3], directory: &Path) -> Value {
    let address = |port: u16| format!("127.0.0.1:{port}");
    let [server_link, api_link, etcd_link] = links;
    json!({
        "scope": "steward",
        "name": format!("node{number}"),
        "restapi": {"listen": address(api), "connect_address": address(api_link.port)},
        // Without proxies, Patroni would look up the address of etcd itself.
        "etcd3": {"host": address(etcd_link.port), "use_proxies": true},
        "bootstrap": {
            "dcs": {
                "ttl": 20,
                "loop_wait": 2,
                "retry_timeout": 4,
                "synchronous_mode": true,
                "synchronous_mode_strict": true,
                "postgresql": {"use_pg_rewind": true, "parameters": {"max_connections": 200, "fsync": "off"}},
            },
            "initdb": [{"encoding": "UTF8"}, {"locale": "C"}, "no-sync"],
        },
        "postgresql": {
            "listen": address(server),
            "connect_address": address(server_link.port),
            "data_dir": directory.join("data"),
            "bin_dir": program_directory(),
            "pgpass": directory.join("pgpass"),
            "authentication": {
                "superuser": {"username": "steward", "password": "steward"},
                "replication": {"username": "replicator", "password": "replicator"},
            },
            "parameters": {"unix_socket_directories": ""},
            "pg_hba": ["host all all 127.0.0.1/32 trust", "host replication all 127.0.0.1/32 trust"],
        },
    })
}

fn run_patroni(program: &Path, directory: &Path) -> Process {
    let log = std::fs::OpenOptions::new().create(true).append(true).open(directory.join("log")).unwrap();
    let mut command = as_postgres(program);
    command.arg("patroni.yaml").current_dir(directory).stdin(Stdio::null());
    Process(command.stdout(log.try_clone().unwrap()).stderr(log).spawn().unwrap())
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
