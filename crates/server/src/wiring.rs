//! Wires the layers together: opens the database, prepares the keys and passes the ports to the use cases.

use std::fs::DirBuilder;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::Path;
use std::sync::Arc;

use anyhow::{Context as _, bail};
use steward_crypto::{ServerSecret, UuidV7Ids};
use steward_delivery::{
    BreachRanges, DirectoryBlobs, HttpIdentityProviders, HttpWebhookSender, LogMailer, S3Blobs, SmtpMailer, SmtpName,
};
use steward_domain::administration::{AuditRetention, BlobStore};
use steward_domain::identity::{
    EmailDeliveryStore, FamilyLifetime, Mailer, SecondFactorPolicy, SessionLifetime, SignUpPolicy, SigningAlgorithms,
};
use steward_domain::kernel::error::Error;
use steward_domain::kernel::{ActionLimiter, IdGenerator as _, Request};
use steward_domain::{
    DeliveryPorts, Deployment, IdentitySettings, NoBreachedPasswords, Ports, Steward, Store, StorePorts,
};
use steward_pages::compose_email;
use steward_store::{PostgresStore, SqliteStore, WorkerCounts};

use crate::config::{Blobs, Config, Database, SecretSource};
use crate::files::secret_file;

/// Migrates the database to the current version.
pub fn migrate(database: &Database) -> anyhow::Result<()> {
    match database {
        Database::Sqlite(path) => {
            create_directory(path)?;
            SqliteStore::migrate(&path.to_string_lossy())?;
        }
        Database::Postgres(url) => PostgresStore::migrate(url)?,
    }
    Ok(())
}

/// Fails unless the database is up to date. Only `serve` and `migrate` change its tables, so that no other command
/// waits for table locks while a service is busy or runs another version.
pub fn check_schema(config: &Config) -> anyhow::Result<()> {
    match &config.database {
        Database::Sqlite(path) => SqliteStore::check_schema(&path.to_string_lossy())?,
        Database::Postgres(url) => PostgresStore::check_schema(url)?,
    }
    Ok(())
}

/// Checks that the database is up to date, prepares the keys and returns the use cases.
pub async fn wire(config: &Config) -> anyhow::Result<Arc<Steward>> {
    check_schema(config)?;
    let values = &config.values;
    let store = open(config)?;
    let delivery = DeliveryPorts {
        mailer: mailer(config, store.clone())?,
        webhook_sender: Arc::new(HttpWebhookSender::new(values.webhook_allow_private)?),
        blobs: blobs(config)?,
        breached_passwords: match &values.breached_passwords {
            Some(url) => Arc::new(BreachRanges::new(url.clone())?),
            None => Arc::new(NoBreachedPasswords),
        },
        provider_client: Arc::new(HttpIdentityProviders::new(values.webhook_allow_private)?),
    };
    let secret = if store.server_keys().await?.is_empty() { secret(config)? } else { existing_secret(config)? };
    let system = steward_crypto::system_ports(secret, config.public_url.clone())?;
    let steward = Steward::new(
        Ports { store: StorePorts::of(store), system, delivery },
        Deployment {
            address: config.public_url.clone(),
            identity: IdentitySettings {
                sign_up: SignUpPolicy { mode: values.sign_up_mode, domains: values.sign_up_domains.clone() },
                email_codes: values.email_codes,
                second_factor: SecondFactorPolicy {
                    mode: values.second_factor,
                    from: values.second_factor_from.unwrap_or_default(),
                    removal_delay: values.factor_removal_delay,
                },
                open_registration: values.open_registration,
                first_party_clients: values.first_party_clients.clone(),
                password_tokens: values.password_tokens,
                session_lifetime: SessionLifetime { total: values.session_total, idle: values.session_idle },
                family_lifetime: FamilyLifetime { total: values.sign_in_total, idle: values.sign_in_idle },
                signing_key_age: values.signing_key_age,
            },
            action_limiter: if config.rate_limits.is_some() { ActionLimiter::on() } else { ActionLimiter::off() },
            audit_retention: AuditRetention {
                events: values.audit_retention,
                item_changes: values.item_change_retention,
            },
            quotas: config.quotas.clone(),
            settings: config.settings.clone(),
        },
    );
    let algorithms =
        SigningAlgorithms { access_tokens: values.signing_algorithm, id_tokens: values.id_token_algorithm };
    let prepared = steward.server_keys.prepare(command_request(), algorithms).await;
    prepared.map_err(cause_of).context("Cannot use the server's keys")?;
    Ok(Arc::new(steward))
}

/// Returns the cause of an internal error, which says more to an operator than the error itself.
fn cause_of(error: Error) -> anyhow::Error {
    match error {
        Error::Internal(cause) => cause,
        error => error.into(),
    }
}

/// Returns the request under which the audit log records a command.
pub fn command_request() -> Request {
    Request { id: UuidV7Ids.next().to_string(), ..Request::default() }
}

fn open(config: &Config) -> anyhow::Result<Arc<dyn Store>> {
    let (file, values) = (&config.position_file, &config.values);
    let workers = WorkerCounts { interactive: values.database_workers, heavy: values.database_heavy_workers };
    Ok(match &config.database {
        Database::Sqlite(path) => {
            Arc::new(SqliteStore::open_with(&path.to_string_lossy(), workers)?.with_position_file(file)?)
        }
        Database::Postgres(url) => Arc::new(PostgresStore::open_with(url, workers)?.with_position_file(file)?),
    })
}

fn mailer(config: &Config, deliveries: Arc<dyn EmailDeliveryStore>) -> anyhow::Result<Arc<dyn Mailer>> {
    Ok(match &config.mail {
        Some(server) => {
            let name = server.name.clone().unwrap_or_else(|| SmtpName::of_service(&config.public_url));
            Arc::new(SmtpMailer::start(&server.url, &server.from, &name, deliveries, compose_email)?)
        }
        None => Arc::new(LogMailer),
    })
}

/// Returns the storage of images.
pub fn blobs(config: &Config) -> anyhow::Result<Arc<dyn BlobStore>> {
    Ok(match &config.blobs {
        Blobs::Directory(path) => Arc::new(DirectoryBlobs::new(path.clone())),
        Blobs::S3(settings) => Arc::new(S3Blobs::open(settings).context("Cannot use the bucket of images")?),
    })
}

/// Returns the secret of existing data. Fails if its file does not exist, instead of generating another one.
pub fn existing_secret(config: &Config) -> anyhow::Result<ServerSecret> {
    match &config.secret {
        SecretSource::File(path) if !path.exists() => bail!(
            "The secret {} does not exist. Copy it from the service that created the data, or set STEWARD_SECRET.",
            path.display()
        ),
        _ => secret(config),
    }
}

fn secret(config: &Config) -> anyhow::Result<ServerSecret> {
    match &config.secret {
        SecretSource::Configured(secret) => Ok(secret.clone()),
        SecretSource::File(path) => {
            create_directory(path)?;
            secret_file::read_or_generate(path)
        }
    }
}

fn create_directory(file: &Path) -> anyhow::Result<()> {
    let Some(directory) = file.parent().filter(|directory| !directory.as_os_str().is_empty()) else { return Ok(()) };
    // It contains personal data, so only its owner can read it.
    DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(directory)
        .with_context(|| format!("Cannot create the data directory {}", directory.display()))
}
