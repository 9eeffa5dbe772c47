//! The TypeScript SDK (`sdks/typescript`): runs its tests, with a copy of its sources, against a service.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::os::unix::fs::symlink;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use steward_tests::{App, Backend, PASSWORD, install_npm_package, report_missing};
use tempfile::TempDir;

use crate::chrome::ProcessGuard;

/// How long the tests of the SDK may take. They wait for a browser and for compilers.
const TIMEOUT: Duration = Duration::from_mins(10);

/// The files that its dependencies are installed from: names and contents.
const PACKAGE_FILES: &[(&str, &str)] = &[
    (".npmrc", include_str!("../../sdks/typescript/.npmrc")),
    ("package.json", include_str!("../../sdks/typescript/package.json")),
    ("package-lock.json", include_str!("../../sdks/typescript/package-lock.json")),
];

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sqlite() {
    run_tests(Backend::Sqlite).await;
}

/// A short run leaves this out.
mod full {
    use super::*;

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn postgres() {
        run_tests(Backend::Postgres).await;
    }
}

/// Runs `npm test` with the URL of a service and the account of a developer.
async fn run_tests(backend: Backend) {
    let app = App::start_with(backend, &[("STEWARD_WEBHOOK_ALLOW_PRIVATE", "true")]).await;
    app.person("dev").await;
    let package = tokio::task::spawn_blocking(Package::copy).await.unwrap();
    let types = types(&app, &package.directory.join("test/schema.json")).await;
    fs::write(package.directory.join("test/types/tables.ts"), types).unwrap();

    let log = package.directory.join("log");
    let output = || Stdio::from(File::options().create(true).append(true).open(&log).unwrap());
    let mut npm = Command::new("npm");
    npm.args(["test"]).current_dir(&package.directory).stdin(Stdio::null()).stdout(output()).stderr(output());
    npm.envs([("STEWARD_TEST_URL", app.base.as_str()), ("STEWARD_TEST_USERNAME", "dev")]);
    npm.env("STEWARD_TEST_PASSWORD", PASSWORD).process_group(0);
    let mut process = ProcessGuard(npm.spawn().unwrap_or_else(|error| report_missing("npm", &error)));
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
    // The tests compile the sources.
    assert_committed(&package.directory.join("dist"));
}

/// Checks that the files which the service serves are those of the sources.
fn assert_committed(compiled: &Path) {
    let served = Path::new(env!("CARGO_MANIFEST_DIR")).join("../sdks/typescript/dist");
    let (compiled, served) = (files(compiled), files(&served));
    let changed = compiled.iter().chain(&served).filter(|(path, _)| compiled.get(*path) != served.get(*path));
    let changed: BTreeSet<&PathBuf> = changed.map(|(path, _)| path).collect();
    assert!(changed.is_empty(), "Run `make generate`, because files of the package differ: {changed:?}");
}

/// The files below a directory, without source maps: paths and contents.
fn files(directory: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    for path in fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path()) {
        let name = PathBuf::from(path.file_name().unwrap());
        if path.is_dir() {
            found.extend(files(&path).into_iter().map(|(below, content)| (name.join(below), content)));
        } else if path.extension().is_none_or(|extension| extension != "map") {
            found.insert(name, fs::read(&path).unwrap());
        }
    }
    found
}

/// The types that the command line prints for a schema.
async fn types(app: &App, schema: &Path) -> Vec<u8> {
    let output = app.run(&["schema", "types", "--lang", "typescript", "--file", schema.to_str().unwrap()], "").await;
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    output.stdout
}

/// A copy of the SDK, next to a copy of the document that it is generated from.
struct Package {
    directory: PathBuf,
    _parent: TempDir,
}

impl Package {
    fn copy() -> Self {
        let installed = install();
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
        let parent = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
        let directory = parent.path().join("sdks/typescript");
        copy(&root.join("sdks/typescript"), &directory);
        symlink(installed.join("node_modules"), directory.join("node_modules")).unwrap();
        copy(&root.join("examples/webhooks"), &parent.path().join("examples/webhooks"));
        fs::create_dir(parent.path().join("docs")).unwrap();
        let files = [
            "docs/openapi.json",
            "docs/asyncapi.json",
            "docs/sync.md",
            "README.md",
            "sdks/samples.json",
            "sdks/comparisons.json",
        ];
        for file in files {
            fs::copy(root.join(file), parent.path().join(file)).unwrap();
        }
        Self { directory, _parent: parent }
    }
}

/// Installs the dependencies of the SDK. Returns their directory.
pub fn install() -> PathBuf {
    install_npm_package(env!("CARGO_TARGET_TMPDIR"), "typescript-sdk", PACKAGE_FILES)
}

/// Copies a directory without what is installed or built.
pub fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let (path, name) = (entry.path(), entry.file_name());
        let is_cache = path.is_dir() && name.as_encoded_bytes().starts_with(b".");
        if name == "node_modules" || name == "dist" || is_cache {
            continue;
        }
        if path.is_dir() {
            copy(&path, &to.join(name));
        } else {
            fs::copy(&path, to.join(name)).unwrap();
        }
    }
}
