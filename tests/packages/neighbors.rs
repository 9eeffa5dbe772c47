//! The example configurations of the programs beside the service: proxies, Patroni and PgBouncer. The program itself
//! checks each file. Where it is not installed, the test reports that it is skipped.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

use crate::{administration, packaging, repository, run, yaml};

/// How long the service keeps idle connections open, in seconds.
const KEEP_ALIVE: u32 = 75;
/// Default of `STEWARD_SHUTDOWN_DELAY_SECONDS`, in milliseconds.
const SHUTDOWN_DELAY: u32 = 3000;

fn example(file: &str) -> String {
    fs::read_to_string(packaging(file)).unwrap()
}

/// Returns the program that tests/install-tools.sh extracted, or that of the system, if there is one.
fn checker(program: &str) -> Option<Command> {
    let extracted = repository().join("target/tools").join(program);
    if extracted.exists() {
        return Some(Command::new(extracted));
    }
    let is_installed =
        administration("sh").args(["-c", "command -v \"$0\"", program]).output().unwrap().status.success();
    if !is_installed {
        eprintln!("Skipped: {program} is not installed.");
    }
    is_installed.then(|| administration(program))
}

/// A self-signed certificate and its key, in separate files and in one.
fn certificate() -> (TempDir, PathBuf, PathBuf, PathBuf) {
    let directory = tempfile::tempdir().unwrap();
    let path = |name| directory.path().join(name);
    let (chain, key, both) = (path("chain.pem"), path("key.pem"), path("both.pem"));
    run(Command::new("openssl")
        .args([
            "req",
            "-x509",
            "-newkey",
            "ec",
            "-pkeyopt",
            "ec_paramgen_curve:P-256",
            "-nodes",
            "-subj",
            "/CN=localhost",
        ])
        .args(["-out".as_ref(), chain.as_os_str(), "-keyout".as_ref(), key.as_os_str()]));
    fs::write(&both, fs::read_to_string(&chain).unwrap() + &fs::read_to_string(&key).unwrap()).unwrap();
    (directory, chain, key, both)
}

fn replaced(text: &str, from: &str, to: &Path) -> String {
    assert!(text.contains(from), "{from} is not in the file.");
    text.replace(from, &to.display().to_string())
}

/// Returns the number between `before` and `after`.
fn number(text: &str, before: &str, after: &str) -> u32 {
    let rest = text.split_once(before).unwrap_or_else(|| panic!("{before} is not in the file.")).1;
    rest.split_once(after).unwrap().0.parse().unwrap()
}

#[test]
fn haproxy_accepts_the_example() {
    let (directory, _, _, both) = certificate();
    let file = directory.path().join("haproxy.cfg");
    fs::write(&file, replaced(&example("proxies/haproxy.cfg"), "/etc/haproxy/steward.pem", &both)).unwrap();
    let Some(mut haproxy) = checker("haproxy") else { return };
    run(haproxy.args(["-c", "-f"]).arg(file));
}

#[test]
fn nginx_accepts_the_example() {
    let (directory, chain, key, _) = certificate();
    let server = replaced(&example("proxies/nginx.conf"), "/etc/ssl/steward/fullchain.pem", &chain);
    let server = replaced(&server, "/etc/ssl/steward/privkey.pem", &key);
    let path = directory.path().display();
    // The program opens its sockets, and creates its directories, which only root can do where they usually are.
    let server = server.replace("listen 80", &format!("listen unix:{path}/http"));
    let server = server.replace("listen 443", &format!("listen unix:{path}/https"));
    let temporary =
        ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(|name| format!("{name}_temp_path {path};\n"));
    let temporary = temporary.concat();
    let main =
        format!("pid {path}/pid;\nerror_log stderr;\nevents {{}}\nhttp {{\naccess_log off;\n{temporary}{server}}}\n");
    let file = directory.path().join("nginx.conf");
    fs::write(&file, main).unwrap();
    let Some(mut nginx) = checker("nginx") else { return };
    run(nginx.args(["-t", "-q", "-p"]).arg(directory.path()).arg("-c").arg(file));
}

#[test]
fn caddy_accepts_the_examples() {
    for file in ["proxies/Caddyfile", "compose/Caddyfile"] {
        let Some(mut caddy) = checker("caddy") else { return };
        let directory = tempfile::tempdir().unwrap();
        caddy.args(["validate", "--adapter", "caddyfile", "--config"]).arg(packaging(file));
        run(caddy.env("STEWARD_DOMAIN", "steward.example.com").env("HOME", directory.path()));
    }
}

#[test]
fn the_proxies_close_idle_connections_before_the_service_does() {
    assert!(number(&example("proxies/Caddyfile"), "keepalive ", "s") < KEEP_ALIVE);
    assert!(number(&example("compose/Caddyfile"), "keepalive ", "s") < KEEP_ALIVE);
    assert!(number(&example("proxies/nginx.conf"), "keepalive_timeout ", "s") < KEEP_ALIVE);
}

#[test]
fn the_proxies_notice_a_shutdown_while_the_service_still_listens() {
    let haproxy = example("proxies/haproxy.cfg");
    let noticed = number(&haproxy, "check inter ", "ms") * number(&haproxy, " fall ", " ");
    assert!(noticed < SHUTDOWN_DELAY, "HAProxy needs {noticed} ms.");
    assert!(number(&example("proxies/Caddyfile"), "health_interval ", "s") * 1000 < SHUTDOWN_DELAY);
}

#[test]
fn patroni_accepts_the_example() {
    let installed = run(Command::new("sh").args(["-c", "ls -d /usr/lib/postgresql/*/bin | sort -V | tail -n 1"]));
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("patroni.yaml");
    let example = example("patroni/patroni.yaml");
    fs::write(&file, replaced(&example, "/usr/lib/postgresql/15/bin", Path::new(installed.trim()))).unwrap();
    // Not in the virtual environment of the tests: some packages that it needs have no wheels.
    let Some(mut patroni) = checker("patroni") else { return };
    run(patroni.args(["--validate-config", "--ignore-listen-port"]).arg(file));
}

#[test]
fn a_failover_loses_no_acknowledged_change() {
    let settings = yaml::read(&packaging("patroni/patroni.yaml"));
    let cluster = &settings["bootstrap"]["dcs"];
    assert_eq!((&cluster["synchronous_mode"], &cluster["synchronous_mode_strict"]), (&true.into(), &true.into()));
    assert_eq!(cluster["postgresql"]["parameters"]["synchronous_commit"], "on");
    // Otherwise Patroni gives up the primary because of one slow request to etcd.
    let seconds = |name: &str| cluster[name].as_u64().unwrap();
    assert!(seconds("ttl") >= seconds("loop_wait") + 2 * seconds("retry_timeout"));
}

#[test]
fn the_pooler_keeps_prepared_statements_and_shares_sessions() {
    let pooler = example("pgbouncer/pgbouncer.ini");
    assert!(pooler.contains("\npool_mode = transaction\n"));
    assert!(number(&pooler, "\nmax_prepared_statements = ", "\n") > 0);
}
