//! HAProxy in front of several replicas, configured as in production.

use std::fmt::Write as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use steward_tests::{App, eventually, free_port};
use tempfile::TempDir;

const SETTINGS: &str = "
defaults
    mode http
    timeout connect 2s
    timeout client 60s
    timeout server 60s
    timeout check 2s
    default-server check inter 300ms fall 2 rise 2
backend replicas
    balance roundrobin
    option httpchk GET /health/ready
";

/// What the proxy does with a request if the replica that it chose refuses the connection.
#[derive(Debug, Clone, Copy)]
pub enum RefusedConnection {
    /// The request fails.
    Fails,
    /// The proxy tries other replicas. No replica can have received the request.
    IsRetried,
}

impl RefusedConnection {
    fn settings(self) -> &'static str {
        match self {
            Self::Fails => "    retries 0\n",
            Self::IsRetried => "    retries 3\n    option redispatch\n",
        }
    }
}

/// A running HAProxy. Dropping the value stops it.
pub struct HaProxy {
    child: Child,
    _directory: TempDir,
}

impl HaProxy {
    pub fn start(settings: &str) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("haproxy.cfg");
        std::fs::write(&file, settings).unwrap();
        let mut command = Command::new(program());
        command.arg("-db").arg("-q").arg("-f").arg(&file);
        let child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        Self { child, _directory: directory }
    }
}

/// A running proxy in front of replicas. Dropping the value stops it.
pub struct Proxy {
    /// The base URL of the proxy.
    pub base: String,
    _process: HaProxy,
}

impl Proxy {
    /// Starts a proxy on this port, and waits until it reaches the replicas.
    pub async fn start(port: u16, replicas: &[App], refused: RefusedConnection) -> Self {
        let mut settings = SETTINGS.to_owned() + refused.settings();
        for (number, replica) in replicas.iter().enumerate() {
            let address = replica.base.replace("http://localhost", "127.0.0.1");
            writeln!(settings, "    server replica{number} {address}").unwrap();
        }
        writeln!(settings, "frontend steward\n    bind 127.0.0.1:{port}\n    default_backend replicas").unwrap();
        let proxy = Self { base: base(port), _process: HaProxy::start(&settings) };
        let ready = format!("{}/health/ready", proxy.base);
        eventually(async || reqwest::get(&ready).await.ok().filter(|response| response.status().is_success())).await;
        proxy
    }
}

impl Drop for HaProxy {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

/// Starts replicas with one PostgreSQL database, and a proxy in front of them. The first replica owns the database.
pub async fn replicas(count: usize, more: &[(&str, &str)], refused: RefusedConnection) -> (Proxy, Vec<App>) {
    let port = free_port();
    let base_url = base(port);
    let settings = [&[("STEWARD_PUBLIC_URL", base_url.as_str())], more].concat();
    let first = App::start_with(steward_tests::Backend::Postgres, &settings).await;
    let url = first.database().url();
    let mut replicas = vec![first];
    for _ in 1..count {
        replicas.push(App::start_on_database(&url, &settings).await);
    }
    (Proxy::start(port, &replicas, refused).await, replicas)
}

/// The base URL of a proxy on this port.
pub fn base(port: u16) -> String {
    format!("http://127.0.0.1:{port}")
}

/// Returns the path of HAProxy. Debian installs it in `/usr/sbin`, which may not be in `PATH`.
fn program() -> &'static str {
    let debian = "/usr/sbin/haproxy";
    if Path::new(debian).exists() { debian } else { "haproxy" }
}
