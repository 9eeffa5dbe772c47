//! `steward backup` and `steward restore`: one archive of the database and the images.
//!
//! The archive is a tar file: `database/<table>.ndjson.gz` with the rows of each table, `blobs/<name>` with each image,
//! and at the end `manifest.json` and its checksum. The rows are the same for both kinds of databases.

mod manifest;
mod progress;
mod reader;
mod tar;
mod writer;

use std::io::Write as _;
use std::path::Path;

use anyhow::{Context as _, anyhow, bail};
use chrono::SecondsFormat;
use serde::Deserialize;
use serde_json::json;
use steward_crypto::SystemClock;
use steward_domain::model::{
    Image, Revision, ServerKey, ServerKeyId, ServerKeyPurpose, SignedToken, SigningAlgorithm, Time,
};
use steward_domain::ports::{BlobStore, Clock as _};
use steward_domain::usecases::{Steward, Verification};
use steward_store::backup::{self, BackupDatabase, RowSource as _};

use crate::cli;
use crate::config::{Config, Database};
use crate::wiring;
use manifest::{FORMAT, MANIFEST, MANIFEST_CHECKSUM, Manifest, Part};
use progress::Progress;
use reader::Archive;
use writer::{ArchiveWriter, RowWriter, image_named};

/// Folder of the images in the archive.
const IMAGES: &str = "blobs/";

/// Backs up the database and then the images, verifies the archive, and gives it its name.
pub async fn back_up(config: &Config, path: &Path) -> anyhow::Result<()> {
    wiring::check_schema(config)?;
    let (blobs, now) = (wiring::blobs(config)?, SystemClock.now());
    let mut rows = RowWriter::new(ArchiveWriter::create(path, now)?, Progress::new());
    let address = address(config);
    backup::export(database(config, &address), &mut rows).context("Cannot back up the database")?;
    let (archive, tables, images, mut progress) = rows.finish()?;
    let (archive, images, missing_images) = add_images(archive, &images, &*blobs, &mut progress).await?;
    let manifest = Manifest {
        format: FORMAT,
        version: env!("CARGO_PKG_VERSION").to_owned(),
        created_at: now.to_rfc3339_opts(SecondsFormat::Micros, true),
        database: database(config, &address).kind().to_owned(),
        tables,
        images,
        missing_images,
    };
    let (archive, part) = archive.add(MANIFEST, &serde_json::to_vec_pretty(&manifest)?)?;
    let (archive, _) = archive.add(MANIFEST_CHECKSUM, format!("{}  {MANIFEST}\n", part.sha256).as_bytes())?;
    let file = archive.finish()?;
    Archive::open(file.path())?.verify(&mut progress)?;
    writer::persist(file, path)?;
    drop(progress);
    if !manifest.missing_images.is_empty() {
        let missing = manifest.missing_images.join(", ");
        tracing::warn!(missing, "Some images were deleted while the backup was made, so it does not contain them.");
    }
    cli::print(&summary(path, &manifest).to_string())
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
    let (mut archive, mut progress) = (Archive::open(path)?, Progress::new());
    archive.verify(&mut progress)?;
    check_secret(config, &mut archive)?;
    let address = address(config);
    backup::check_empty(database(config, &address))?;
    wiring::migrate(config)?;
    let blobs = wiring::blobs(config)?;
    for (done, part) in archive.manifest().images.iter().enumerate() {
        progress.show(|| format!("images: {done} of {}", archive.manifest().images.len()));
        let image = part.name.strip_prefix(IMAGES).and_then(image_named);
        let image = image.with_context(|| format!("{:?} is not the name of an image.", part.name))?;
        blobs.put(&image.key(), archive.image(part)?).await?;
    }
    progress.show(|| "restoring the database".to_owned());
    backup::import(database(config, &address), &mut archive).context("Nothing was restored")?;
    // New events must follow those of the backup.
    wiring::migrate(config)?;
    progress.show(|| "verifying the audit log".to_owned());
    let steward = wiring::wire(config).await.context("The database is restored, but the service cannot start")?;
    let chains = verify_audit_log(&steward).await?;
    drop(progress);
    let mut restored = summary(path, archive.manifest());
    if let Some(members) = restored.as_object_mut() {
        members.insert("audit_chains".into(), json!(chains));
    }
    cli::print(&restored.to_string())
}

/// Verifies every chain. Returns their number.
async fn verify_audit_log(steward: &Steward) -> anyhow::Result<usize> {
    let (mut count, mut last) = (0_usize, None);
    loop {
        let chains = steward.audit.chains(None, last).await?;
        for chain in &chains {
            if let Verification::Broken { reason, .. } = steward.audit.verify(*chain).await? {
                let team = chain.team;
                bail!(
                    "The database is restored, but a chain of the audit log of team {team} is broken: {reason}. \
                     Run `steward audit verify` on the service that was backed up and on this one."
                );
            }
            count = count.saturating_add(1);
        }
        last = chains.last().copied();
        if last.is_none() {
            return Ok(count);
        }
    }
}

fn address(config: &Config) -> String {
    match &config.database {
        Database::Sqlite(path) => path.to_string_lossy().into_owned(),
        Database::Postgres(url) => url.clone(),
    }
}

fn database<'a>(config: &Config, address: &'a str) -> BackupDatabase<'a> {
    match &config.database {
        Database::Sqlite(_) => BackupDatabase::Sqlite(address),
        Database::Postgres(_) => BackupDatabase::Postgres(address),
    }
}

/// Fails unless the configured secret decrypts the server's keys in the backup.
fn check_secret(config: &Config, archive: &mut Archive) -> anyhow::Result<()> {
    let secret = wiring::existing_secret(config)?;
    let mut keys: Vec<ServerKey> = Vec::new();
    for row in archive.rows("server_keys")? {
        keys.extend(serde_json::from_str::<KeyRow>(&row?)?.into_key());
    }
    let system = steward_crypto::system_ports(secret, config.public_url.clone())?;
    system.ring.install(&keys).map_err(|_| {
        anyhow!(
            "STEWARD_SECRET does not match the keys in this backup. Set the secret of the service that was backed up: \
             its STEWARD_SECRET, or its .secret file next to the SQLite database."
        )
    })
}

/// A row of the server's keys.
#[derive(Deserialize)]
struct KeyRow {
    id: String,
    kind: String,
    algorithm: Option<String>,
    generation: i64,
    encrypted: String,
}

impl KeyRow {
    /// Returns the key, or `None` if it is of a kind that this version does not know.
    fn into_key(self) -> Option<ServerKey> {
        let algorithm = self.algorithm.as_deref().and_then(SigningAlgorithm::parse);
        let purpose = match (self.kind.as_str(), algorithm) {
            ("signing", Some(algorithm)) => ServerKeyPurpose::TokenSigning(SignedToken::Access, algorithm),
            ("id_token_signing", Some(algorithm)) => ServerKeyPurpose::TokenSigning(SignedToken::Id, algorithm),
            ("pepper", None) => ServerKeyPurpose::KeyPepper,
            _ => return None,
        };
        let pair = |at: usize| u8::from_str_radix(self.encrypted.get(at..at + 2)?, 16).ok();
        Some(ServerKey {
            id: ServerKeyId::parse(&self.id)?,
            purpose,
            generation: self.generation,
            encrypted: (0..self.encrypted.len()).step_by(2).map(pair).collect::<Option<_>>()?,
            created_at: Time::UNIX_EPOCH,
            use_from: Time::UNIX_EPOCH,
            revision: Revision::FIRST,
        })
    }
}
