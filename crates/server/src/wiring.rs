//! Puts the layers together: opens the database, readies the keys, and gives the use cases their ports.

use std::fs::DirBuilder;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::Path;
use std::sync::Arc;

use anyhow::Context as _;
use steward_crypto::{
    Argon2Passwords, ComputePool, HmacSigner, Keys, ServerSecret, SystemClock, SystemSecrets, UuidV7Ids, Vault,
};
use steward_delivery::{DirectoryBlobs, HttpWebhookSender, LogMailer, S3Blobs, SmtpMailer};
use steward_domain::model::Request;
use steward_domain::ports::{BlobStore, EmailDeliveryStore, IdGenerator as _, Mailer, Store};
use steward_domain::usecases::{Deployment, Ports, RateLimiter, Steward};
use steward_store::{PostgresStore, SqliteStore};

use crate::config::{Blobs, Config, Database, SecretSource};
use crate::secret_file;

/// Brings the database up to date.
pub fn migrate(config: &Config) -> anyhow::Result<()> {
    match &config.database {
        Database::Sqlite(path) => {
            make_directory(path)?;
            SqliteStore::migrate(&path.to_string_lossy())?;
        }
        Database::Postgres(url) => PostgresStore::migrate(url)?,
    }
    Ok(())
}

/// Fails unless the database is up to date. Only `serve` and `migrate` change its tables: no other command waits for
/// their locks, beside a service that is busy or of another version.
pub fn check_schema(config: &Config) -> anyhow::Result<()> {
    match &config.database {
        Database::Sqlite(path) => SqliteStore::check_schema(&path.to_string_lossy())?,
        Database::Postgres(url) => PostgresStore::check_schema(url)?,
    }
    Ok(())
}

/// A database that is up to date, keys ready, and all use cases over them.
pub async fn wire(config: &Config) -> anyhow::Result<Arc<Steward>> {
    check_schema(config)?;
    let store = open(config)?;
    let mailer = mailer(config, store.clone())?;
    let keys = Arc::new(Keys::new(secret(config)?, config.public_url.clone())?);
    let steward = Steward::new(
        Ports {
            store,
            clock: Arc::new(SystemClock),
            ids: Arc::new(UuidV7Ids),
            secrets: Arc::new(SystemSecrets::new()?),
            digester: keys.clone(),
            passwords: Arc::new(Argon2Passwords::new()?),
            compute: Arc::new(ComputePool::default()),
            tokens: keys.clone(),
            generator: keys.clone(),
            ring: keys.clone(),
            encrypter: keys,
            signer: Arc::new(HmacSigner),
            webhook_sender: Arc::new(HttpWebhookSender::new(config.webhook_allow_private)?),
            vault: Arc::new(Vault),
            mailer,
            blobs: blobs(config)?,
        },
        Deployment {
            address: config.public_url.clone(),
            sign_up: config.sign_up.clone(),
            signing_key_age: config.signing_key_age,
            rate_limiter: if config.rate_limits.is_some() { RateLimiter::on() } else { RateLimiter::off() },
            audit_retention: config.audit_retention,
            quotas: config.quotas.clone(),
        },
    );
    let prepared = steward.server_keys.prepare(command_request(), config.signing_algorithm).await;
    prepared.context("the server's keys cannot be used")?;
    Ok(Arc::new(steward))
}

/// The request that a command counts as in the audit trail.
pub fn command_request() -> Request {
    Request { id: UuidV7Ids.next().to_string(), address: None, claim: None }
}

fn open(config: &Config) -> anyhow::Result<Arc<dyn Store>> {
    Ok(match &config.database {
        Database::Sqlite(path) => Arc::new(SqliteStore::open_with(&path.to_string_lossy(), config.database_workers)?),
        Database::Postgres(url) => Arc::new(PostgresStore::open_with(url, config.database_workers)?),
    })
}

fn mailer(config: &Config, notes: Arc<dyn EmailDeliveryStore>) -> anyhow::Result<Arc<dyn Mailer>> {
    Ok(match &config.mail {
        Some(server) => Arc::new(SmtpMailer::start(&server.url, &server.from, notes)?),
        None => Arc::new(LogMailer),
    })
}

fn blobs(config: &Config) -> anyhow::Result<Arc<dyn BlobStore>> {
    Ok(match &config.blobs {
        Blobs::Directory(path) => Arc::new(DirectoryBlobs::new(path.clone())),
        Blobs::S3(settings) => Arc::new(S3Blobs::open(settings).context("the bucket of images cannot be used")?),
    })
}

fn secret(config: &Config) -> anyhow::Result<ServerSecret> {
    match &config.secret {
        SecretSource::Given(secret) => Ok(secret.clone()),
        SecretSource::Beside(path) => {
            make_directory(path)?;
            secret_file::read_or_make(path)
        }
    }
}

fn make_directory(file: &Path) -> anyhow::Result<()> {
    let Some(directory) = file.parent().filter(|directory| !directory.as_os_str().is_empty()) else { return Ok(()) };
    // People's data is in it: for its owner's eyes only.
    DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(directory)
        .with_context(|| format!("the data directory {} cannot be made", directory.display()))
}
