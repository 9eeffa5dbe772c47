//! Generates clients in Go and in Python with OpenAPI Generator, compiles all of their code, and writes several items at
//! once and regenerates a key with each client. A short run leaves this out.

use std::path::{Path, PathBuf};

use steward_tests::{App, install_python_packages};

use crate::backends;
use crate::generated_clients::assert_results;
use crate::openapi::{DOCUMENT, start, text};
use crate::program::{GO_PACKAGES, build_go};

/// The generator and the Python program: names and contents.
const FILES: &[(&str, &str)] = &[
    ("requirements.txt", include_str!("python-openapi-generator/requirements.txt")),
    ("tour.py", include_str!("python-openapi-generator/tour.py")),
];

/// The Go program.
const GO_PROGRAM: &str = include_str!("go/tour.go");

/// A member of the Go client has another name than it would have: a method of the member `client_secret` has that name.
const GO_OPTIONS: [&str; 2] = ["--name-mappings", "has_client_secret=ClientSecretIsStored"];

/// Installs the generator. Returns its directory.
async fn install() -> PathBuf {
    let install = || install_python_packages(env!("CARGO_TARGET_TMPDIR"), "openapi-generator", FILES);
    tokio::task::spawn_blocking(install).await.unwrap()
}

/// Generates a client of a language in a directory.
async fn generate(packages: &Path, language: &str, directory: &Path, options: &[&str]) {
    let generator = packages.join("venv/bin/openapi-generator-cli");
    let output = directory.to_str().unwrap();
    let arguments = ["generate", "--generator-name", language, "--input-spec", DOCUMENT, "--output", output];
    let output = start(packages, &generator, &[&arguments, options].concat()).await;
    assert!(output.status.success(), "{}", text(&output));
}

mod full {
    use super::*;

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn a_client_in_go_writes_items_and_regenerates_a_key() {
        let packages = install().await;
        let directory = tempfile::tempdir_in(&packages).unwrap();
        let (client, tour) = (directory.path().join("src/steward"), directory.path().join("src/tour"));
        generate(&packages, "go", &client, &GO_OPTIONS).await;
        std::fs::create_dir(&tour).unwrap();
        std::fs::write(tour.join("main.go"), GO_PROGRAM).unwrap();
        let path = format!("{}:{GO_PACKAGES}", directory.path().display());
        let compile = move || build_go(&tour, Path::new(&path), &["-o", "../../program", "."]);
        tokio::task::spawn_blocking(compile).await.unwrap();
        for backend in backends() {
            let app = App::start(*backend).await;
            let program = directory.path().join("program");
            assert_results(&start(directory.path(), &program, &[&app.base]).await);
        }
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn a_client_in_python_type_checks_writes_items_and_regenerates_a_key() {
        let packages = install().await;
        let directory = tempfile::tempdir_in(&packages).unwrap();
        generate(&packages, "python", directory.path(), &[]).await;
        std::fs::copy(packages.join("tour.py"), directory.path().join("tour.py")).unwrap();
        // It runs once, so a cache would be of no use.
        let mypy = ["--cache-dir=/dev/null", "--config-file=", "tour.py", "openapi_client"];
        let output = start(directory.path(), &packages.join("venv/bin/mypy"), &mypy).await;
        assert!(output.status.success(), "{}", text(&output));
        let python = packages.join("venv/bin/python");
        for backend in backends() {
            let app = App::start(*backend).await;
            assert_results(&start(directory.path(), &python, &["tour.py", &app.base]).await);
        }
    }
}
