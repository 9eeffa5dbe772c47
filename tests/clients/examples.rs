//! The examples and their guides: runs the tests in `examples/test`, which start each app and use it in Chromium,
//! against a service on SQLite and one on PostgreSQL.

use std::fs::{self, File};
use std::os::unix::fs::symlink;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use steward_tests::{App, Backend, PASSWORD, binary, install_npm_package, report_missing};

use crate::chrome::ProcessGuard;
use crate::typescript_sdk;

/// How long the tests may take. They install packages, compile and wait for browsers.
const TIMEOUT: Duration = Duration::from_mins(10);

/// The files that the dependencies of all examples are installed from: names and contents.
const PACKAGE_FILES: &[(&str, &str)] = &[
    (".npmrc", include_str!("../../examples/.npmrc")),
    ("package.json", include_str!("../../examples/package.json")),
    ("package-lock.json", include_str!("../../examples/package-lock.json")),
    ("express/package.json", include_str!("../../examples/express/package.json")),
    ("hono/package.json", include_str!("../../examples/hono/package.json")),
    ("html/package.json", include_str!("../../examples/html/package.json")),
    ("nextjs/package.json", include_str!("../../examples/nextjs/package.json")),
    ("react/package.json", include_str!("../../examples/react/package.json")),
    ("sveltekit/package.json", include_str!("../../examples/sveltekit/package.json")),
    ("vue/package.json", include_str!("../../examples/vue/package.json")),
];

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_app_signs_in_and_shows_changes_live() {
    let root = Path::new(env!("CARGO_TARGET_TMPDIR")).join("examples-root");
    tokio::task::spawn_blocking({
        let root = root.clone();
        move || install(&root)
    })
    .await
    .unwrap();
    run_test("examples.test.mjs", root).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_new_developer_has_a_react_app_in_five_minutes() {
    let root = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    run_test("five_minutes.test.mjs", root.path().to_owned()).await;
}

/// Runs a test in a copy of the parts of the repository that it uses.
async fn run_test(name: &str, root: PathBuf) {
    let services = [App::start(Backend::Sqlite).await, App::start(Backend::Postgres).await];
    for service in &services {
        service.person("dev").await;
    }
    let copy = root.clone();
    tokio::task::spawn_blocking(move || copy_repository(&copy)).await.unwrap();

    let log = root.join("log");
    let output = File::create(&log).unwrap();
    let mut node = Command::new("node");
    node.args(["--test", "--test-reporter=tap", &format!("test/{name}")]).current_dir(root.join("examples"));
    node.stdin(Stdio::null()).stdout(output.try_clone().unwrap()).stderr(output).process_group(0);
    let urls = services.iter().map(|service| service.base.as_str()).collect::<Vec<_>>().join(" ");
    node.envs([("STEWARD_TEST_URLS", urls.as_str()), ("STEWARD_TEST_USERNAME", "dev")]);
    node.env("STEWARD_TEST_PASSWORD", PASSWORD).env("STEWARD_TEST_BINARY", binary());
    let mut process = ProcessGuard(node.spawn().unwrap_or_else(|error| report_missing("node", &error)));
    let deadline = Instant::now() + TIMEOUT;
    let status = loop {
        if let Some(status) = process.0.try_wait().unwrap() {
            break Some(status);
        }
        if Instant::now() > deadline {
            break None;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    };
    let text = fs::read_to_string(&log).unwrap();
    assert!(status.is_some_and(|status| status.success()), "{status:?} within {TIMEOUT:?}:\n{text}");
    assert!(text.contains("# fail 0") && text.contains("# skipped 0"), "{text}");
    text.lines().filter(|line| line.starts_with("# \\#")).for_each(|line| println!("{line}"));
}

/// Installs the dependencies of all examples in the directory `examples`, once for each version of the lock file. What
/// an earlier run has copied there is deleted.
fn install(root: &Path) {
    let examples = root.join("examples");
    for entry in fs::read_dir(&examples).into_iter().flatten().map(Result::unwrap) {
        if entry.path().is_dir() && entry.file_name() != "node_modules" {
            fs::remove_dir_all(entry.path()).unwrap();
        }
    }
    // What Vite keeps of the SDK is found by the version of the lock file.
    drop(fs::remove_dir_all(examples.join("node_modules/.vite")));
    for (name, _) in PACKAGE_FILES {
        fs::create_dir_all(examples.join(name).parent().unwrap()).unwrap();
    }
    install_npm_package(root.to_str().unwrap(), "examples", PACKAGE_FILES);
}

/// Copies the examples, the guides and the SDK, whose dependencies are installed.
fn copy_repository(root: &Path) {
    let repository = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    for directory in ["sdks/typescript", "docs/guides"] {
        drop(fs::remove_dir_all(root.join(directory)));
        typescript_sdk::copy(&repository.join(directory), &root.join(directory));
    }
    let packages = PACKAGE_FILES.iter().filter_map(|(name, _)| name.strip_suffix("/package.json"));
    for directory in packages.chain(["expo", "nextjs-server", "sveltekit-server", "test"]) {
        typescript_sdk::copy(&repository.join("examples").join(directory), &root.join("examples").join(directory));
    }
    for file in ["schema.json", "tables.ts"] {
        fs::copy(repository.join("examples").join(file), root.join("examples").join(file)).unwrap();
    }
    symlink(typescript_sdk::install().join("node_modules"), root.join("sdks/typescript/node_modules")).unwrap();
}
