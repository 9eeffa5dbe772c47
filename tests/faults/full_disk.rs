//! A full disk: reads go on, writes are refused with a reason, nothing acknowledged is lost, and writes work again once
//! there is space. The tests mount a small file system, so they need root.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::json;
use steward_tests::{Actor, App, Backend, Cluster, World, eventually};
use tempfile::TempDir;

/// A file system of a few megabytes in memory.
struct SmallDisk(TempDir);

impl SmallDisk {
    /// Returns `None` without the permission to mount.
    fn mount(megabytes: u32) -> Option<Self> {
        let directory = tempfile::tempdir().unwrap();
        let options = format!("size={megabytes}m,mode=0777");
        let mut mount = Command::new("mount");
        let mounted = mount.args(["-t", "tmpfs", "-o", &options, "none"]).arg(directory.path()).output();
        if mounted.is_ok_and(|output| output.status.success()) {
            return Some(Self(directory));
        }
        eprintln!("Skipped: mounting a file system needs root.");
        None
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    /// Uses up all space. Returns the file to delete.
    fn fill(&self) -> PathBuf {
        let path = self.path().join("ballast");
        let mut ballast = File::create(&path).unwrap();
        let copied = std::io::copy(&mut std::io::repeat(1), &mut ballast);
        assert!(copied.is_err(), "The disk is not full.");
        path
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        drop(Command::new("umount").arg("-l").arg(self.path()).status());
    }
}

/// Writes items until one is refused. Returns the paths of those that were stored.
async fn write_until_refused(key: &Actor, world: &World) -> Vec<String> {
    let mut stored = Vec::new();
    for number in 0..2_000 {
        let path = format!("{}/full{number}", world.notes());
        let response = key.put(&path, json!({"value": {"title": "x".repeat(4_000)}})).await;
        if response.status.as_u16() == 503 {
            let body = response.json();
            assert_eq!(body["error"], "storage_full", "{body}");
            assert!(body["message"].as_str().unwrap().contains("no space left"), "{body}");
            return stored;
        }
        response.created();
        stored.push(path);
    }
    panic!("The disk did not get full.");
}

async fn reads_go_on(app: &App, world: &World, disk: &SmallDisk) {
    let key = &world.key;
    let ballast = disk.fill();
    let mut stored = write_until_refused(key, world).await;
    for path in &stored {
        key.get(path).await.ok();
    }
    key.get(&format!("{}?limit=10", world.notes())).await.ok();
    assert_eq!(app.anonymous().get("/health/live").await.status.as_u16(), 200);

    std::fs::remove_file(ballast).unwrap();
    let path = format!("{}/after", world.notes());
    eventually(async || {
        let response = key.put(&path, json!({"value": {"title": "x"}})).await;
        (response.status.as_u16() == 201).then_some(())
    })
    .await;
    stored.push(path);
    for path in &stored {
        key.get(path).await.ok();
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn reads_go_on_while_the_disk_is_full_on_sqlite() {
    let Some(disk) = SmallDisk::mount(24) else { return };
    let directory = disk.path().join("data").display().to_string();
    let url = format!("sqlite://{directory}/steward.db");
    std::fs::create_dir(&directory).unwrap();
    let app = App::start_with(Backend::Sqlite, &[("DATABASE_URL", &url)]).await;
    let world = World::make(&app, "acme").await;
    reads_go_on(&app, &world, &disk).await;
}

/// The write-ahead log is on another disk, as PostgreSQL recommends: without space for it, the server stops.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn reads_go_on_while_the_disk_is_full_on_postgres() {
    let Some(disk) = SmallDisk::mount(64) else { return };
    let cluster = Cluster::start().await;
    let tables = disk.path().join("tables");
    std::fs::create_dir(&tables).unwrap();
    assert!(Command::new("chown").arg("postgres").arg(&tables).status().unwrap().success());
    assert!(cluster.accepts(&format!("CREATE TABLESPACE small LOCATION '{}'", tables.display())));
    assert!(cluster.accepts("CREATE DATABASE small TABLESPACE small"));
    let url = cluster.url().replace("/postgres?", "/small?");
    let app = App::start_on_database(&url, &[]).await;
    let world = World::make(&app, "acme").await;
    reads_go_on(&app, &world, &disk).await;
}
