//! Files of the service: who can read them, and what remains in them.

use std::collections::BTreeSet;
use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use serde_json::json;
use steward_tests::{App, Backend, PASSWORD, World, eventually, on_both_in_full};

/// How password hashes begin.
const HASH: &[u8] = b"$argon2id$";

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o777
}

fn set_mode(path: &Path, mode: u32) {
    fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
}

/// All files below a directory.
fn files_below(directory: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path());
    entries.flat_map(|path| if path.is_dir() { files_below(&path) } else { vec![path] }).collect()
}

async fn doctor(app: &App) -> String {
    String::from_utf8(app.run(&["doctor"], "").await.stdout).unwrap()
}

/// The password hashes in the files of the database.
fn stored_hashes(app: &App) -> BTreeSet<Vec<u8>> {
    let stored = app.stored();
    let starts = stored.windows(HASH.len()).enumerate().filter(|(_, window)| *window == HASH);
    let hash = |(start, _): (usize, &[u8])| {
        let end = stored[start..].iter().position(|byte| !b"$,=+/".contains(byte) && !byte.is_ascii_alphanumeric());
        stored[start..start + end.unwrap()].iter().take(97).copied().collect()
    };
    starts.map(hash).collect()
}

on_both_in_full! {
    // The tests run every command with the umask 000.
    async fn files_are_readable_by_their_owner_only_whatever_the_umask_and_the_directory(app: &App) {
        set_mode(app.directory(), 0o755);
        let world = World::make(app, "acme").await;
        let image = include_bytes!("../../images/small.png");
        let form = [&b"--cut\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a\"\r\n\r\n"[..], image, b"\r\n--cut--\r\n"];
        let body = Some(("multipart/form-data; boundary=cut", form.concat()));
        let path = format!("/project/{}/upload/icon", world.project);
        world.owner.send_raw(reqwest::Method::POST, &path, body, &[]).await.ok();
        let archive = app.directory().join("backup.tar");
        let backup = app.run(&["backup", archive.to_str().unwrap()], "").await;
        assert!(backup.status.success() && archive.exists(), "{}", String::from_utf8_lossy(&backup.stderr));

        let (files, is_sqlite) = (files_below(app.directory()), app.backend() == Backend::Sqlite);
        assert!(files.len() >= if is_sqlite { 5 } else { 3 }, "{files:?}");
        for file in files {
            assert_eq!(mode(&file) & 0o077, 0, "{}", file.display());
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_generated_secret_and_the_first_database_are_readable_by_their_owner_only() {
    let directory = tempfile::tempdir().unwrap();
    set_mode(directory.path(), 0o755);
    let app = App::start(Backend::Sqlite).await;
    let settings = [("STEWARD_DATA_DIR", directory.path().to_str().unwrap()), ("STEWARD_SECRET", "")];
    let created = ["account", "create", "--email", "ann@example.com", "--username", "ann"];
    let operator = app.operator().with(&settings);
    assert!(operator.run(&["migrate"], "").await.status.success());
    let output = operator.run(&created, PASSWORD).await;
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let files = files_below(directory.path());
    assert!(files.iter().any(|file| file.ends_with("steward.secret")), "{files:?}");
    for file in files {
        assert_eq!(mode(&file) & 0o077, 0, "{}", file.display());
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn wider_permissions_are_reported_and_removed_at_the_start() {
    let mut app = App::start(Backend::Sqlite).await;
    let database = app.directory().join("steward.db");
    assert!(doctor(&app).await.contains("ok      files: only their owner can access them"), "{}", doctor(&app).await);
    set_mode(&database, 0o644);
    set_mode(app.directory(), 0o777);
    let report = doctor(&app).await;
    let warning = format!("WARNING files: Other users can access {} (mode 644). Run: chmod go= ", database.display());
    assert!(report.contains(&warning), "{report}");
    let replaceable = format!("WARNING files: Other users can replace files in {}", app.directory().display());
    assert!(report.contains(&replaceable), "{report}");

    app.restart().await;
    assert_eq!(mode(&database), 0o600);
    let log = app.complete_log().await;
    assert!(
        log.contains("steward.db (mode 644). Now only its owner can.") && log.contains(&replaceable[15..]),
        "{log}"
    );
    set_mode(app.directory(), 0o700);
    assert!(doctor(&app).await.contains("ok      files"), "{}", doctor(&app).await);

    let config = app.directory().join("steward.toml");
    fs::write(&config, "secret = \"a secret for tests, and for tests only\"\n").unwrap();
    set_mode(&config, 0o640);
    app.set("STEWARD_CONFIG", config.to_str().unwrap());
    assert!(doctor(&app).await.contains("steward.toml (mode 640)"), "{}", doctor(&app).await);
    app.restart().await;
    assert_eq!(mode(&config), 0o640, "The file belongs to the operator.");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_deleted_account_leaves_no_password_hash_in_the_files_of_sqlite() {
    let app = App::start(Backend::Sqlite).await;
    app.person("bob").await;
    let others = stored_hashes(&app);
    app.person("ann").await;
    // A changed row is written again.
    let login = json!({"username": "ann", "password": PASSWORD});
    app.anonymous().post("/auth/login", login).await.ok();
    assert_eq!(stored_hashes(&app).difference(&others).count(), 1, "The hash of ann is stored.");

    let deleted = app.run(&["account", "delete", "--yes", "--email", "ann@example.com"], "").await;
    assert!(deleted.status.success(), "{}", String::from_utf8_lossy(&deleted.stderr));
    eventually(async || (stored_hashes(&app) == others).then_some(())).await;
    assert!(
        app.directory().join("steward.db-wal").exists(),
        "The service runs, so the log was not deleted at its end."
    );
}
