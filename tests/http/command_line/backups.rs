//! `steward backup` and `steward restore`: a backup of a running service restores into the other kind of database.

use std::process::{Command, Output};

use reqwest::Method;
use serde_json::{Value, json};
use steward_store::scratch::ScratchDatabase;
use steward_tests::{Actor, App, Backend, World, on_both};
use tempfile::TempDir;

const PNG: &[u8] = include_bytes!("../../images/small.png");

/// An empty database of the other kind, with its own storage of images.
struct Other {
    directory: TempDir,
    database: Option<ScratchDatabase>,
}

impl Other {
    fn of(backend: Backend) -> Self {
        let database = (backend == Backend::Sqlite).then(|| ScratchDatabase::create().unwrap());
        Self { directory: tempfile::tempdir().unwrap(), database }
    }

    fn path(&self, name: &str) -> String {
        self.directory.path().join(name).display().to_string()
    }

    fn settings(&self) -> [(&'static str, String); 2] {
        let file = || format!("sqlite://{}", self.path("restored.db"));
        let database = self.database.as_ref().map_or_else(file, ScratchDatabase::url);
        [("DATABASE_URL", database), ("STEWARD_BLOBS", self.path("restored-blobs"))]
    }

    async fn restore(&self, app: &App, file: &str, more: &[(&str, &str)]) -> Output {
        let settings = self.settings();
        let settings = settings.iter().map(|(name, value)| (*name, value.as_str()));
        app.run_with(&["restore", file], &settings.chain(more.iter().copied()).collect::<Vec<_>>()).await
    }

    /// Starts a service on the restored database.
    async fn start(&self) -> App {
        let settings = self.settings();
        let settings: Vec<(&str, &str)> = settings.iter().map(|(name, value)| (*name, value.as_str())).collect();
        App::start_with(Backend::Sqlite, &settings).await
    }
}

fn failure(output: &Output) -> String {
    assert!(!output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn printed(output: &Output) -> Value {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

/// The names of the files in a directory, in order.
fn files(directory: &TempDir) -> Vec<String> {
    let entries = std::fs::read_dir(directory.path()).unwrap();
    let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// Fills every part of the service that a backup contains.
async fn fill(world: &World) {
    let notes = format!("/project/{}/user/{}/db/notes", world.project, world.user);
    for number in 0..30 {
        let value = json!({"title": format!("Note {number} \"quoted\" 😀"), "done": number % 2 == 0, "rank": number});
        world.key.put(&format!("{notes}/n{number}"), json!({"value": value})).await.created();
    }
    world.key.delete(&format!("{notes}/n7")).await.ok();
    let head =
        "--cut\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.png\"\r\nContent-Type: image/png\r\n\r\n";
    let form = [head.as_bytes(), PNG, b"\r\n--cut--\r\n"].concat();
    let upload = format!("/project/{}/upload/icon", world.project);
    let client = json!({"name": "Shop", "type": "public", "redirect_uris": ["https://shop.example/"]});
    let clients = format!("/project/{}/client", world.project);
    let client = world.owner.post(&clients, client).await.created().id();
    for path in [upload, format!("{clients}/{client}/logo")] {
        let form = Some(("multipart/form-data; boundary=cut", form.clone()));
        world.owner.send_raw(Method::POST, &path, form, &[]).await.ok();
    }
}

/// What the key sees, without the addresses of the service: now, and when the data was stored.
async fn seen(key: &Actor, world: &World, addresses: [&str; 2]) -> Vec<Value> {
    let project = format!("/project/{}", world.project);
    let user = format!("{project}/user/{}", world.user);
    let mut seen = Vec::new();
    for path in [
        project.clone(),
        format!("{project}/upload"),
        format!("{project}/schema"),
        format!("{project}/user/"),
        format!("{project}/audit"),
        format!("{user}/db/notes?order=id"),
        format!("{user}/db/notes?rank=gt.20&order=rank.desc"),
    ] {
        let body = key.get(&path).await.ok().0.to_string();
        let body = addresses.iter().fold(body, |body, address| body.replace(address, ""));
        seen.push(serde_json::from_str(&body).unwrap());
    }
    seen
}

on_both! {
    async fn a_backup_of_a_running_service_restores_into_the_other_kind_of_database(app: &App) {
        let world = World::make(app, "acme").await;
        fill(&world).await;
        // Sealed events are verified after the restore.
        steward_tests::eventually(async || {
            let output = app.run(&["audit", "verify"], "").await;
            String::from_utf8_lossy(&output.stdout).contains("\"holds\":true").then_some(())
        })
        .await;
        let other = Other::of(app.backend());
        let file = other.path("backup.tar");
        let made = printed(&app.run(&["backup", &file], "").await);
        assert!(made["rows"].as_u64().unwrap() > 60, "{made}");
        assert_eq!(made["images"], 2, "{made}");
        let before = seen(&world.key, &world, [&app.base, &app.base]).await;

        let secret = ("STEWARD_SECRET", "another secret of at least 32 characters");
        assert!(failure(&other.restore(app, &file, &[secret]).await).contains("STEWARD_SECRET does not match"));
        let mut bytes = std::fs::read(&file).unwrap();
        assert!(!String::from_utf8_lossy(&bytes).contains("a secret for tests"));
        let accounts = b"database/accounts.ndjson.gz";
        let header = bytes.windows(accounts.len()).position(|window| window == accounts).unwrap();
        bytes[header + 512 + 30] ^= 1;
        let damaged = other.path("damaged.tar");
        std::fs::write(&damaged, &bytes).unwrap();
        assert!(failure(&other.restore(app, &damaged, &[]).await).contains("damaged"));
        std::fs::write(&damaged, &bytes[..bytes.len() / 3]).unwrap();
        assert!(failure(&other.restore(app, &damaged, &[]).await).contains("truncated"));

        let restored = printed(&other.restore(app, &file, &[]).await);
        assert_eq!((&restored["rows"], &restored["images"]), (&made["rows"], &json!(2)));
        assert!(restored["audit_chains"].as_u64().unwrap() >= 1, "{restored}");
        assert!(failure(&other.restore(app, &file, &[]).await).contains("already contains data"));

        let service = other.start().await;
        let key = service.bearer(world.key.credential.as_ref().unwrap());
        assert_eq!(seen(&key, &world, [&service.base, &app.base]).await, before);
        let icon = before[1].pointer("/images/icon/icon_url").unwrap().as_str().unwrap().to_owned();
        assert_eq!(service.anonymous().get(&icon).await.status, 200);
        let clients = world.owner.get(&format!("/project/{}/client", world.project)).await.ok();
        let logo = clients["data"][0]["logo_url"].as_str().unwrap().replace(&app.base, "");
        assert_eq!(service.anonymous().get(&logo).await.status, 200);
        let sign_in = json!({"username": "acme-owner", "password": steward_tests::PASSWORD});
        service.anonymous().post("/auth/login", sign_in).await.ok();
        let notes = format!("/project/{}/user/{}/db/notes", world.project, world.user);
        key.put(&format!("{notes}/later"), json!({"value": {"title": "After the restore"}})).await.created();
        assert!(service.run(&["audit", "verify"], "").await.status.success());
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_restore_does_not_generate_a_secret() {
    let app = App::start(Backend::Sqlite).await;
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("backup.tar").display().to_string();
    printed(&app.run(&["backup", &file], "").await);
    let database = format!("sqlite://{}", directory.path().join("restored.db").display());
    let settings = [("DATABASE_URL", database.as_str()), ("STEWARD_SECRET", "")];
    let refused = failure(&app.run_with(&["restore", &file], &settings).await);
    assert!(refused.contains("does not exist"), "{refused}");
    assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 1, "Nothing must be written.");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_interrupted_backup_leaves_no_file() {
    let app = App::start(Backend::Sqlite).await;
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("backup.tar").display().to_string();
    // The backup takes much longer to read this table than to create its file.
    app.execute_sql(
        "WITH RECURSIVE numbers (number) AS (SELECT 1 UNION ALL SELECT number + 1 FROM numbers WHERE number < 400000) \
         INSERT INTO attempts SELECT 'attempt' || number, 0 FROM numbers",
    );
    for signal in ["-INT", "-TERM"] {
        let backup = app.spawn(&["backup", &file]);
        steward_tests::eventually(async || (!files(&directory).is_empty()).then_some(())).await;
        let id = backup.id().unwrap().to_string();
        assert!(Command::new("kill").args([signal, &id]).status().unwrap().success());
        let message = failure(&backup.wait_with_output().await.unwrap());
        assert!(message.contains("The backup was interrupted."), "{signal}: {message}");
        assert_eq!(files(&directory), [""; 0], "{signal}");
    }
    printed(&app.run(&["backup", &file], "").await);
    assert_eq!(files(&directory), ["backup.tar"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_incomplete_backup_is_reported_and_not_deleted() {
    let app = App::start(Backend::Sqlite).await;
    let directory = tempfile::tempdir().unwrap();
    std::fs::write(directory.path().join(".unfinished-abcdef"), "").unwrap();
    let file = directory.path().join("backup.tar").display().to_string();
    let output = app.run(&["backup", &file], "").await;
    printed(&output);
    let log = String::from_utf8_lossy(&output.stderr);
    assert!(log.contains("incomplete backups") && log.contains(".unfinished-abcdef"), "{log}");
    assert_eq!(files(&directory), [".unfinished-abcdef", "backup.tar"]);
}
