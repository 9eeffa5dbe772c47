//! The Python SDK (`sdks/python`): runs its tests, those with a service on both databases.

use std::fs::{self, File};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use steward_tests::{App, Backend, PASSWORD, binary, install_python_packages};
use tempfile::TempDir;

use crate::chrome::ProcessGuard;

/// How long the tests of the SDK may take. They type-check all of it.
const TIMEOUT: Duration = Duration::from_mins(10);

/// The test that follows the quickstart and the guide for `FastAPI`, which installs packages.
const FIVE_MINUTES: &str = "test_five_minutes.py";

/// The packages that the tests need.
const FILES: &[(&str, &str)] = &[("requirements.txt", include_str!("../../sdks/python/tests/requirements.txt"))];

/// Tests that need no service.
const WITHOUT_SERVICE: [&str; 4] = ["test_operations.py", "test_package.py", "test_runtime.py", "test_types.py"];

#[tokio::test]
async fn the_operations_and_types_are_those_of_the_document() {
    let mut tests = Tests::prepare().await;
    tests.pytest.args(WITHOUT_SERVICE);
    tests.pass().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sqlite() {
    run_with_service(Backend::Sqlite).await;
}

/// A short run leaves this out.
mod full {
    use super::*;

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn postgres() {
        run_with_service(Backend::Postgres).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_new_developer_has_a_fastapi_app_in_five_minutes() {
    let app = start(Backend::Sqlite).await;
    let mut tests = Tests::prepare().await;
    tests.use_service(&app);
    tests.pytest.arg(FIVE_MINUTES);
    let printed = tests.pass().await;
    printed.lines().filter(|line| line.starts_with("fastapi: ")).for_each(|line| println!("{line}"));
}

/// Runs the other tests with the URL of a service and the account of a developer.
async fn run_with_service(backend: Backend) {
    let app = start(backend).await;
    let (schema, tables) = (sdk().join("tests/schema.json"), include_str!("../../sdks/python/tests/tables.py"));
    let printed = app.run(&["schema", "types", "--lang", "python", "--file", schema.to_str().unwrap()], "").await;
    assert_eq!(String::from_utf8_lossy(&printed.stdout), tables, "The tests of the SDK use what the command prints.");
    let mut tests = Tests::prepare().await;
    let ignored = WITHOUT_SERVICE.iter().chain([&FIVE_MINUTES]).map(|file| format!("--ignore={file}"));
    tests.pytest.args(ignored).arg(".");
    tests.use_service(&app);
    tests.pass().await;
}

async fn start(backend: Backend) -> App {
    let app = App::start_with(backend, &[("STEWARD_WEBHOOK_ALLOW_PRIVATE", "true")]).await;
    app.person("dev").await;
    app
}

fn sdk() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().join("sdks/python")
}

/// A run of pytest, which writes nothing to the directory of the SDK.
struct Tests {
    pytest: Command,
    directory: TempDir,
}

impl Tests {
    async fn prepare() -> Self {
        let install = || install_python_packages(env!("CARGO_TARGET_TMPDIR"), "python-sdk", FILES);
        let installed: PathBuf = tokio::task::spawn_blocking(install).await.unwrap();
        let directory = tempfile::tempdir().unwrap();
        let mut pytest = Command::new(installed.join("venv/bin/python"));
        pytest.args(["-m", "pytest", "-p", "no:cacheprovider", "--strict-markers"]).current_dir(sdk().join("tests"));
        pytest.env("PYTHONDONTWRITEBYTECODE", "1").env("MYPY_CACHE_DIR", directory.path().join("mypy"));
        Self { pytest, directory }
    }

    fn use_service(&mut self, app: &App) {
        self.pytest.envs([("STEWARD_TEST_URL", app.base.as_str()), ("STEWARD_TEST_USERNAME", "dev")]);
        self.pytest.env("STEWARD_TEST_PASSWORD", PASSWORD).env("STEWARD_TEST_BINARY", binary());
    }

    /// Asserts that all tests pass, and none is skipped. Returns what they print.
    async fn pass(mut self) -> String {
        let log = self.directory.path().join("log");
        let output = || Stdio::from(File::options().create(true).append(true).open(&log).unwrap());
        self.pytest.stdin(Stdio::null()).stdout(output()).stderr(output()).process_group(0);
        let mut process = ProcessGuard(self.pytest.spawn().unwrap());
        let deadline = Instant::now() + TIMEOUT;
        let status = loop {
            let ended = process.0.try_wait().unwrap();
            if ended.is_some() || Instant::now() > deadline {
                break ended;
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
        };
        let text = fs::read_to_string(&log).unwrap();
        let summary = text.lines().last().unwrap_or_default();
        let passed = status.is_some_and(|status| status.success()) && summary.contains(" passed");
        assert!(passed && !summary.contains("skipped"), "{status:?} within {TIMEOUT:?}:\n{text}");
        text
    }
}
