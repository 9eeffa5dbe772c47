//! PostgreSQL servers under one Patroni cluster: a primary and its standbys.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use serde_json::{Value, json};
use steward_tests::{as_postgres, directory_of_postgres, eventually, free_port, processes_in, program_directory};
use tempfile::TempDir;

use super::fleet::Process;
use super::link::Link;

/// How the servers of a Citus cluster connect to each other: as the service does, they abandon a lost connection soon.
const NODE_CONNECTIONS: &str = "sslmode=disable connect_timeout=2 keepalives=1 keepalives_idle=4 keepalives_interval=2 \
     keepalives_count=3 tcp_user_timeout=5000";

/// What the servers of a group are for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GroupKind {
    /// The whole database.
    Single,
    /// A part of a Citus cluster, by its number there: 0 is the coordinator.
    Citus(u32),
}

impl GroupKind {
    fn servers(self) -> usize {
        match self {
            Self::Single => 3,
            Self::Citus(_) => 2,
        }
    }

    /// With two servers, writes must go on without a standby.
    fn is_strict(self) -> bool {
        self == Self::Single
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

/// A primary and its standbys.
pub struct Group {
    nodes: Vec<Node>,
    client: reqwest::Client,
}

impl Group {
    /// Starts the servers. Other programs wait until they are ready.
    pub async fn start(kind: GroupKind, etcd: u16, program: &Path) -> Self {
        let mut nodes = Vec::new();
        for number in 0..kind.servers() {
            nodes.push(Node::start(kind, number, etcd, program).await);
        }
        Self { nodes, client: reqwest::Client::builder().timeout(Duration::from_secs(2)).build().unwrap() }
    }

    /// Number of its servers.
    pub fn servers(&self) -> usize {
        self.nodes.len()
    }

    /// The ports of each server and of its Patroni, as others reach them.
    pub fn ports(&self) -> impl Iterator<Item = (u16, u16)> {
        self.nodes.iter().map(|node| (node.links[0].port, node.links[1].port))
    }

    /// Waits until there are a primary and a synchronous standby, and all other servers follow. Returns the number of
    /// the primary.
    pub async fn until_redundant(&self) -> usize {
        eventually(async || {
            let members = self.members(None).await?;
            let primary = members.iter().position(|member| member.role == "leader" && member.state == "running")?;
            let follows = |member: &&Member| {
                member.state == "streaming" && member.timeline == members[primary].timeline && member.role != "leader"
            };
            let is_synchronous = members.iter().any(|member| member.role == "sync_standby");
            (members.iter().filter(follows).count() == self.nodes.len() - 1 && is_synchronous).then_some(primary)
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
            return Some((0..self.nodes.len()).map(member).collect());
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
    async fn start(kind: GroupKind, number: usize, etcd: u16, program: &Path) -> Self {
        let (server, api, directory) = (free_port(), free_port(), directory_of_postgres());
        let links = [Link::to(server).await, Link::to(api).await, Link::to(etcd).await];
        let settings = settings(kind, number, (server, api), &links, directory.path());
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
        // A frozen postmaster starts no more children, and those of a killed one have another parent.
        let before = processes_in(&data);
        before.first().into_iter().for_each(|first| kill(std::slice::from_ref(first)));
        kill(&[before, processes_in(&data)].concat());
    }
}

impl Drop for Node {
    fn drop(&mut self) {
        if std::thread::panicking() {
            let log = std::fs::read_to_string(self.directory.path().join("log")).unwrap_or_default();
            // Each request for the state of the cluster may write a line.
            let is_routine = |line: &&str| !line.contains("not owner of the lease") && !line.contains("no action");
            let last: Vec<&str> = log.lines().rev().filter(is_routine).take(60).collect();
            let last: Vec<&str> = last.into_iter().rev().collect();
            eprintln!("--- log of Patroni ---\n{}", last.join("\n"));
        }
        self.signal("-KILL");
    }
}

/// The settings of a Patroni. JSON is YAML, too.
fn settings(kind: GroupKind, number: usize, (server, api): (u16, u16), links: &[Link; 3], directory: &Path) -> Value {
    let address = |port: u16| format!("127.0.0.1:{port}");
    let [server_link, api_link, etcd_link] = links;
    let mut settings = json!({
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
                "synchronous_mode_strict": kind.is_strict(),
                "postgresql": {
                    "use_pg_rewind": true,
                    "parameters": {"max_connections": 200, "fsync": "off", "dynamic_shared_memory_type": "mmap"},
                },
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
    });
    if let GroupKind::Citus(group) = kind {
        settings["citus"] = json!({"group": group, "database": "postgres"});
        settings["bootstrap"]["dcs"]["postgresql"]["parameters"]["citus.node_conninfo"] = json!(NODE_CONNECTIONS);
    }
    settings
}

fn run_patroni(program: &Path, directory: &Path) -> Process {
    let log = std::fs::OpenOptions::new().create(true).append(true).open(directory.join("log")).unwrap();
    let mut command = as_postgres(program);
    command.arg("patroni.yaml").current_dir(directory).stdin(Stdio::null());
    Process(command.stdout(log.try_clone().unwrap()).stderr(log).spawn().unwrap())
}
