//! The npm package `openid-client`, in a small Node.js program.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use serde_json::{Value, json};
use steward_tests::{App, Browser, on_both};
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader, Lines};
use tokio::process::{Child, ChildStdout, Command};

use crate::{CALLBACK, ann_and_a_client};

/// The program: its name, and what is in it.
const FILES: &[(&str, &str)] = &[
    (".npmrc", include_str!("npm/.npmrc")),
    ("client.mjs", include_str!("npm/client.mjs")),
    ("package.json", include_str!("npm/package.json")),
    ("package-lock.json", include_str!("npm/package-lock.json")),
];

/// How long the program may take.
const PATIENCE: Duration = Duration::from_secs(60);

on_both! {
    async fn a_program_with_openid_client_signs_a_person_in(app: &App) {
        let directory = tokio::task::spawn_blocking(install).await.unwrap();
        for client_id in ann_and_a_client(app).await {
            let seen = tokio::time::timeout(PATIENCE, run(app, &directory, &client_id)).await.expect("in time");
            assert!(seen["sub"].as_str().is_some_and(|subject| !subject.is_empty()), "{seen}");
            let expected = json!({
                "sub": seen["sub"],
                "email": "ann@example.com",
                "name": "ann",
                "refreshed": true,
                "reuse": "invalid_grant",
                "revoked": "invalid_grant",
            });
            assert_eq!(seen, expected);
        }
    }
}

/// Runs the program while ann is at the browser; answers what it saw.
async fn run(app: &App, directory: &Path, client_id: &str) -> Value {
    let mut command = Command::new("node");
    command.args(["client.mjs", &app.base, client_id, CALLBACK]).current_dir(directory).kill_on_drop(true);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap_or_else(|error| lack("node", &error));
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();

    let request = told(&mut child, &mut lines).await;
    let callback = Browser::new(app).sign_in_and_allow(request["authorize"].as_str().unwrap(), "ann").await;
    let mut input = child.stdin.take().unwrap();
    input.write_all(format!("{callback}\n").as_bytes()).await.unwrap();
    told(&mut child, &mut lines).await
}

/// The next line that the program prints.
async fn told(child: &mut Child, lines: &mut Lines<BufReader<ChildStdout>>) -> Value {
    if let Some(line) = lines.next_line().await.unwrap() {
        return serde_json::from_str(&line).unwrap();
    }
    let mut complaint = String::new();
    child.stderr.take().unwrap().read_to_string(&mut complaint).await.unwrap();
    panic!("the program ended early:\n{complaint}");
}

/// Installs the program with its libraries, once for each version of its files; answers where it is.
fn install() -> PathBuf {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("openid-client");
    fs::create_dir_all(&directory).unwrap();
    // Other tests are here at the same time, and may be in other processes.
    let lock = File::create(directory.join("lock")).unwrap();
    lock.lock().unwrap();
    let installed = directory.join("installed");
    let version: String = FILES.iter().map(|(_, content)| *content).collect();
    if fs::read_to_string(&installed).is_ok_and(|found| found == version) {
        return directory;
    }

    for (name, content) in FILES {
        fs::write(directory.join(name), content).unwrap();
    }
    let mut npm = std::process::Command::new("npm");
    npm.args(["ci", "--no-audit", "--no-fund"]).current_dir(&directory).stdin(Stdio::null());
    let output = npm.output().unwrap_or_else(|error| lack("npm", &error));
    assert!(output.status.success(), "npm ci: {}", String::from_utf8_lossy(&output.stderr));
    fs::write(installed, version).unwrap();
    directory
}

fn lack(program: &str, error: &io::Error) -> ! {
    panic!("{program} did not start ({error}): run tests/install-tools.sh, or install Node.js 18 or newer, with npm")
}
