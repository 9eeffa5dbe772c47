//! Checks the OpenAPI document with the linters Redocly and Spectral, and uses the API with a TypeScript client that is
//! generated from it.

use std::path::Path;
use std::process::{Output, Stdio};

use serde_json::{Value, json};
use steward_tests::{App, Backend, TIMEOUT, report_missing};
use tokio::process::Command;

use crate::npm::install;

/// The committed document. Another test compares it with the served one.
pub const DOCUMENT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/openapi.json");

#[tokio::test]
async fn redocly_finds_no_problems_in_the_document() {
    let directory = tokio::task::spawn_blocking(install).await.unwrap();
    let output = run(&directory, "redocly", &["lint", DOCUMENT, "--config", "redocly.yaml", "--format", "json"]).await;
    let report: Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{}", text(&output)));
    assert_eq!(report["totals"], json!({"errors": 0, "warnings": 0, "ignored": 0}), "{:#}", report["problems"]);
}

#[tokio::test]
async fn spectral_finds_no_problems_in_the_document() {
    let directory = tokio::task::spawn_blocking(install).await.unwrap();
    let arguments = ["lint", DOCUMENT, "--ruleset", ".spectral.yaml", "--fail-severity", "warn"];
    let output = run(&directory, "spectral", &arguments).await;
    assert!(output.status.success(), "{}", text(&output));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_generated_typescript_client_uses_the_api() {
    let directory = tokio::task::spawn_blocking(install).await.unwrap();
    let client = tempfile::tempdir_in(&directory).unwrap();
    for name in ["package.json", "tour.mts", "tsconfig.json"] {
        std::fs::copy(directory.join(name), client.path().join(name)).unwrap();
    }
    for (program, arguments) in [("openapi-typescript", &[DOCUMENT, "--output", "openapi.d.ts"][..]), ("tsc", &[])] {
        let program = directory.join("node_modules/.bin").join(program);
        let output = start(client.path(), &program, arguments).await;
        assert!(output.status.success(), "{}", text(&output));
    }
    for backend in [Backend::Sqlite, Backend::Postgres] {
        let app = App::start(backend).await;
        let output = start(client.path(), Path::new("node"), &["tour.mjs", &app.base]).await;
        let result: Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{}", text(&output)));
        let expected =
            json!({"users": ["connected"], "item": "Buy milk", "missing": "not_found", "taken": "slug_taken"});
        assert_eq!(result, expected);
    }
}

/// Runs a program of the packages.
async fn run(directory: &Path, name: &str, arguments: &[&str]) -> Output {
    start(directory, &directory.join("node_modules/.bin").join(name), arguments).await
}

pub async fn start(directory: &Path, program: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(program);
    command.args(arguments).current_dir(directory).stdin(Stdio::null()).kill_on_drop(true);
    // Redocly would report its use and look for updates.
    command.env("REDOCLY_TELEMETRY", "off").env("REDOCLY_SUPPRESS_UPDATE_NOTICE", "true");
    // These programs compute much, beside all other tests.
    let output = tokio::time::timeout(4 * TIMEOUT, command.output()).await;
    let output = output.unwrap_or_else(|_| panic!("{} exceeded its time limit.", program.display()));
    output.unwrap_or_else(|error| report_missing(&program.display().to_string(), &error))
}

pub fn text(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}
