//! Generates clients from the OpenAPI document with the default settings of three generators, compiles all of their
//! code, and writes several items at once and regenerates a key with each client.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Output;

use serde_json::{Value, json};
use steward_tests::{App, install_npm_package, install_python_packages};
use tempfile::TempDir;

use crate::backends;
use crate::openapi::{DOCUMENT, start, text};

/// The TypeScript programs: names and contents. The versions of the generators are the newest that run on Node.js 18.
const NPM_FILES: &[(&str, &str)] = &[
    (".npmrc", include_str!("npm-generators/.npmrc")),
    ("hey_api.mts", include_str!("npm-generators/hey_api.mts")),
    ("orval.mts", include_str!("npm-generators/orval.mts")),
    ("package.json", include_str!("npm-generators/package.json")),
    ("package-lock.json", include_str!("npm-generators/package-lock.json")),
    ("tsconfig.json", include_str!("npm-generators/tsconfig.json")),
];

/// The Python program: names and contents.
const PYTHON_FILES: &[(&str, &str)] = &[
    ("requirements.txt", include_str!("python-generators/requirements.txt")),
    ("tour.py", include_str!("python-generators/tour.py")),
];

/// Modules of the Python client that lack an import, because the bodies of their operations have two content types:
/// <https://github.com/openapi-generators/openapi-python-client/issues/1451>. Programs can use all others.
const BROKEN_MODULES: [&str; 3] = [
    "steward_client/api/auth/exchange_token.py",
    "steward_client/api/auth/introspect_token.py",
    "steward_client/api/auth/revoke_token.py",
];

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_client_of_hey_api_writes_items_and_regenerates_a_key() {
    run_typescript("hey_api", &["openapi-ts", "--input", DOCUMENT, "--output", "client"]).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_client_of_orval_writes_items_and_regenerates_a_key() {
    run_typescript("orval", &["orval", "--input", DOCUMENT, "--output", "client.ts"]).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_client_of_openapi_python_client_type_checks_writes_items_and_regenerates_a_key() {
    let client = PythonClient::generate().await;
    // It runs once, so a cache would be of no use.
    let output = client.run(&["mypy", "--cache-dir=/dev/null", "."]).await;
    let report = String::from_utf8_lossy(&output.stdout);
    let errors = report.lines().filter_map(|line| line.split_once(':').filter(|(_, rest)| rest.contains(" error: ")));
    let modules: BTreeSet<_> = errors.map(|(module, _)| module).collect();
    assert_eq!(modules, BTreeSet::from(BROKEN_MODULES), "{}", text(&output));
    for backend in backends() {
        let app = App::start(*backend).await;
        assert_results(&client.run(&["python", "tour.py", &app.base]).await);
    }
}

/// Asserts that a program printed the expected results: three operations that took effect together, operations of which
/// the second failed, and a key that kept its ID while its values changed. The first value does not work after a
/// regeneration without a body, and the second one still does after a regeneration with a grace period.
pub fn assert_results(output: &Output) {
    let result: Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{}", text(output)));
    let expected = json!({
        "batch": [["third", "Buy eggs", null], ["first", "Buy milk", true], ["second", "Buy bread", null]],
        "conflict": ["precondition_failed", 1],
        "ids": [true, true],
        "first": "unauthorized",
        "second": "Rocket",
        "third": "Rocket",
    });
    assert_eq!(result, expected);
}

/// Generates a client beside a program, compiles both once, and runs the program with a service on each database.
async fn run_typescript(name: &str, generator: &[&str]) {
    let install = || install_npm_package(env!("CARGO_TARGET_TMPDIR"), "npm-generators", NPM_FILES);
    let directory = tokio::task::spawn_blocking(install).await.unwrap();
    // Several tests use the packages at the same time, but each has its own client.
    let client = tempfile::tempdir_in(&directory).unwrap();
    let program = format!("{name}.mts");
    for name in ["package.json", "tsconfig.json", &program] {
        std::fs::copy(directory.join(name), client.path().join(name)).unwrap();
    }
    for command in [generator, &["tsc"]] {
        let program = directory.join("node_modules/.bin").join(command[0]);
        let output = start(client.path(), &program, &command[1..]).await;
        assert!(output.status.success(), "{}", text(&output));
    }
    for backend in backends() {
        let app = App::start(*backend).await;
        assert_results(&start(client.path(), Path::new("node"), &[&format!("{name}.mjs"), &app.base]).await);
    }
}

/// A generated Python client and the program that uses it.
struct PythonClient {
    directory: TempDir,
    /// The virtual environment of the packages.
    environment: String,
}

impl PythonClient {
    async fn generate() -> Self {
        let install = || install_python_packages(env!("CARGO_TARGET_TMPDIR"), "python-generators", PYTHON_FILES);
        let packages = tokio::task::spawn_blocking(install).await.unwrap();
        let environment = packages.join("venv").to_str().unwrap().to_owned();
        let client = Self { directory: tempfile::tempdir_in(&packages).unwrap(), environment };
        let generator = ["openapi-python-client", "generate", "--path", DOCUMENT];
        let output = client.run_in(client.directory.path(), &generator).await;
        assert!(output.status.success(), "{}", text(&output));
        let program = client.directory.path().join("steward-client/tour.py");
        std::fs::copy(packages.join("tour.py"), program).unwrap();
        client
    }

    /// Runs a program in the directory of the generated client.
    async fn run(&self, command: &[&str]) -> Output {
        self.run_in(&self.directory.path().join("steward-client"), command).await
    }

    /// Runs a program with the activated virtual environment: the generator starts a formatter that is in the path.
    async fn run_in(&self, directory: &Path, command: &[&str]) -> Output {
        let script = [&["-c", r#". "$0/bin/activate" && exec "$@""#, &self.environment], command].concat();
        start(directory, Path::new("sh"), &script).await
    }
}
