//! `steward backup` and `steward restore`: one archive of the database and the images.
//!
//! The archive is a tar file: `database/<table>.ndjson.gz` with the rows of each table, `blobs/<name>` with each image,
//! and at the end `manifest.json` and its checksum. The rows are the same for both kinds of databases.

mod manifest;
mod reader;
mod tar;
mod writer;

use std::fs;
use std::io::Write as _;
use std::path::Path;

use anyhow::{Context as _, anyhow, bail};
use chrono::SecondsFormat;
use serde_json::json;
use steward_crypto::SystemClock;
use steward_domain::Steward;
use steward_domain::administration::{AuditChain, BlobStore, Image, Verification};
use steward_domain::kernel::{Clock as _, Time};
use steward_store::backup::{self, BackupDatabase};
use tempfile::NamedTempFile;

use crate::config::{Config, Database};
use crate::in_thread::in_thread;
use crate::service::shutdown::Signals;
use crate::terminal::{self, OutputFile, Progress};
use crate::wiring;

use super::audit;
use manifest::{FORMAT, MANIFEST, MANIFEST_CHECKSUM, Manifest, Part};
use reader::Archive;
use writer::{ArchiveWriter, RowWriter, image_named};

/// Folder of the images in the archive.
const IMAGES: &str = "blobs/";

/// Backs up the database and the images, and gives the archive its name once it is complete. Deletes the incomplete
/// archive if a signal stops the process.
pub async fn back_up(config: &Config, named: &OutputFile) -> anyhow::Result<()> {
    let path = &named.path;
    wiring::check_schema(config)?;
    warn_of_unfinished(path);
    let (mut signals, now) = (Signals::listen()?, SystemClock.now());
    let archive = ArchiveWriter::create(path, now)?;
    let unfinished = archive.path().to_owned();
    let (file, manifest) = tokio::select! {
        written = write(config, archive, now) => written?,
        _ = signals.next() => {
            // A thread may still use it. The thread ends with the process.
            drop(fs::remove_file(unfinished));
            bail!("The backup was interrupted. {} was not written.", path.display());
        }
    };
    named.persist(file)?;
    if !manifest.missing_images.is_empty() {
        let missing = manifest.missing_images.join(", ");
        tracing::warn!(missing, "Some images were deleted while the backup was made, so it does not contain them.");
    }
    terminal::print(&summary(path, &manifest).to_string())
}

/// Reports what a crash has left. It is not deleted, because another backup may be writing it.
fn warn_of_unfinished(path: &Path) {
    // A directory that cannot be listed may be writable.
    let files = writer::unfinished(path).unwrap_or_default();
    if !files.is_empty() {
        let files = files.iter().map(|file| file.display().to_string()).collect::<Vec<_>>().join(", ");
        tracing::warn!(files, "There are incomplete backups. Delete them, unless another backup is running.");
    }
}

/// Writes and verifies an archive: the database first, then the images that it refers to.
async fn write(config: &Config, archive: ArchiveWriter, now: Time) -> anyhow::Result<(NamedTempFile, Manifest)> {
    let (blobs, source) = (wiring::blobs(config)?, config.database.clone());
    let mut rows = RowWriter::new(archive, Progress::start(None)?);
    let (archive, tables, images, mut progress) = in_thread(move || {
        backup::export(database(&source), &mut rows).context("Cannot back up the database")?;
        rows.finish()
    })
    .await?;
    let (archive, images, missing_images) = add_images(archive, &images, &*blobs, &mut progress).await?;
    let manifest = Manifest {
        format: FORMAT,
        version: env!("CARGO_PKG_VERSION").to_owned(),
        created_at: now.to_rfc3339_opts(SecondsFormat::Micros, true),
        database: database(&config.database).kind().to_owned(),
        tables,
        images,
        missing_images,
    };
    in_thread(move || {
        let (archive, part) = archive.add(MANIFEST, &serde_json::to_vec_pretty(&manifest)?)?;
        let (archive, _) = archive.add(MANIFEST_CHECKSUM, format!("{}  {MANIFEST}\n", part.sha256).as_bytes())?;
        let file = archive.finish()?;
        Archive::open(file.path())?.verify(&mut progress)?;
        Ok((file, manifest))
    })
    .await
}

fn summary(path: &Path, manifest: &Manifest) -> serde_json::Value {
    json!({
        "file": path.display().to_string(), "created_at": manifest.created_at, "database": manifest.database,
        "rows": manifest.rows(), "images": manifest.images.len(),
    })
}

/// Adds the images. Returns the archive, what it contains, and the names of those that no longer exist.
async fn add_images(
    mut archive: ArchiveWriter,
    images: &[Image],
    blobs: &dyn BlobStore,
    progress: &mut Progress,
) -> anyhow::Result<(ArchiveWriter, Vec<Part>, Vec<String>)> {
    let (mut parts, mut missing) = (Vec::new(), Vec::new());
    for image in images {
        progress.show(|| format!("images: {} of {}", parts.len(), images.len()));
        let Some(mut bytes) = blobs.get(&image.key()).await? else {
            missing.push(image.file_name());
            continue;
        };
        let mut part = archive.begin(format!("{IMAGES}{}", image.file_name()))?;
        while let Some(piece) = bytes.next().await? {
            part.write_all(&piece)?;
        }
        let (next, part) = part.finish()?;
        archive = next;
        parts.push(part);
    }
    Ok((archive, parts, missing))
}

/// Verifies a backup, then restores it into an empty database. The images come first: extra images are harmless, so a
/// restore that fails can be repeated.
pub async fn restore(config: &Config, path: &Path) -> anyhow::Result<()> {
    let (mut archive, mut progress) = (Archive::open(path)?, Progress::start(None)?);
    archive.verify(&mut progress)?;
    backup::check_tables(&archive)?;
    check_secret(config, &mut archive)?;
    backup::check_empty(database(&config.database))?;
    wiring::migrate(&config.database)?;
    let blobs = wiring::blobs(config)?;
    for (done, part) in archive.manifest.images.iter().enumerate() {
        progress.show(|| format!("images: {done} of {}", archive.manifest.images.len()));
        let image = part.name.strip_prefix(IMAGES).and_then(image_named);
        let image = image.with_context(|| format!("{:?} is not the name of an image.", part.name))?;
        blobs.put(&image.key(), archive.image(part)?).await?;
    }
    progress.update(0, "restoring the database".to_owned());
    backup::import(database(&config.database), &mut archive).context("Nothing was restored")?;
    progress.update(0, "verifying the audit log".to_owned());
    let steward = wiring::wire(config).await.context("The database is restored, but the service cannot start")?;
    let chains = verify_audit_log(&steward).await?;
    drop(progress);
    let mut restored = summary(path, &archive.manifest);
    if let Some(members) = restored.as_object_mut() {
        members.insert("audit_chains".into(), json!(chains));
    }
    terminal::print(&restored.to_string())
}

/// Verifies every chain. Returns their number.
async fn verify_audit_log(steward: &Steward) -> anyhow::Result<usize> {
    let mut count = 0_usize;
    let see = |chain: AuditChain, found| {
        if let Verification::Broken { reason, .. } = found {
            let team = chain.team;
            bail!(
                "The database is restored, but a chain of the audit log of team {team} is broken: {reason}. \
                 Run `steward audit verify` on the service that was backed up and on this one."
            );
        }
        count += 1;
        Ok(())
    };
    audit::verify_each(steward, None, see).await?;
    Ok(count)
}

fn database(database: &Database) -> BackupDatabase<'_> {
    match database {
        // Paths are from settings, so they are text.
        Database::Sqlite(path) => BackupDatabase::Sqlite(path.to_str().unwrap_or_default()),
        Database::Postgres(url) => BackupDatabase::Postgres(url),
    }
}

/// Fails unless the configured secret decrypts the server's keys in the backup.
fn check_secret(config: &Config, archive: &mut Archive) -> anyhow::Result<()> {
    let secret = wiring::existing_secret(config)?;
    let keys = backup::server_keys(archive)?;
    let system = steward_crypto::system_ports(secret, config.public_url.clone())?;
    system.ring.install(&keys).map_err(|_| {
        anyhow!(
            "STEWARD_SECRET does not match the keys in this backup. Set the secret of the service that was backed up: \
             its STEWARD_SECRET, or its .secret file next to the SQLite database."
        )
    })
}
