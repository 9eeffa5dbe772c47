//! Settings from the environment and an optional TOML file. They are parsed at startup, and all errors are reported
//! together.

mod blobs;
mod database;
mod effective;
mod file;
mod first_party_clients;
mod log_format;
mod mail;
mod parts;
mod plaintext;
mod replaced;
mod secret_source;
mod settings;
mod sqlite_file;
mod this_machine;
mod unknown_setting;

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::net::{IpAddr, SocketAddr};
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::bail;
use chrono::TimeDelta;
use ipnet::IpNet;
use steward_domain::administration::AuditRetention;
use steward_domain::identity::{
    FamilyLifetime, FirstPartyClients, SecondFactorPolicy, SessionLifetime, SignUpPolicy, SigningAlgorithms,
};
use steward_domain::kernel::policy::Quotas;
use steward_domain::kernel::{EffectiveSetting, ProjectId, SecurityContacts, ServiceAddress};
use steward_http::SyncLimits;
use steward_store::WorkerCounts;
use steward_web::RateLimits;
use url::Url;

pub use blobs::Blobs;
pub use database::{Database, absolute};
pub use log_format::LogFormat;
pub use secret_source::SecretSource;
pub use settings::help;

use mail::MailServer;
use settings::{CONFIG_FILE, Reader, Values};

/// The parsed settings.
#[derive(Debug)]
pub struct Config {
    pub database: Database,
    pub bind: SocketAddr,
    pub metrics_bind: Option<SocketAddr>,
    /// URL of the OpenTelemetry collector. `None` if traces are not sent.
    pub trace_collector: Option<Url>,
    pub public_url: ServiceAddress,
    pub secret: SecretSource,
    pub signing_algorithms: SigningAlgorithms,
    /// Age at which the signing key is replaced. `None` if it is never replaced.
    pub signing_key_age: Option<TimeDelta>,
    pub sign_up: SignUpPolicy,
    pub email_codes: bool,
    pub second_factor: SecondFactorPolicy,
    pub open_registration: Option<ProjectId>,
    pub first_party_clients: FirstPartyClients,
    pub password_tokens: bool,
    pub session_lifetime: SessionLifetime,
    pub family_lifetime: FamilyLifetime,
    /// `None` if rate limits are off.
    pub rate_limits: Option<RateLimits>,
    pub sync_limits: SyncLimits,
    pub trusted_proxies: Vec<IpNet>,
    pub mail: Option<MailServer>,
    /// Service that knows passwords from data breaches. `None` if new passwords are not compared with them.
    pub breached_passwords: Option<Url>,
    pub audit_retention: AuditRetention,
    pub quotas: Quotas,
    pub webhook_allow_private: bool,
    pub security_contacts: SecurityContacts,
    pub shutdown_delay: Duration,
    pub reader_timeout: Duration,
    pub blobs: Blobs,
    /// File outside the database with the highest known position.
    pub position_file: PathBuf,
    pub database_workers: WorkerCounts,
    /// Whether the service migrates a PostgreSQL database when it starts.
    pub migrates: bool,
    pub environment: String,
    pub log: String,
    /// `None` if it depends on whether the log is written to a terminal.
    pub log_format: Option<LogFormat>,
    /// Every setting with its value in effect, without secrets.
    pub settings: Vec<EffectiveSetting>,
    /// Problems that do not prevent the service from starting, such as unknown settings.
    pub warnings: Vec<String>,
}

impl Config {
    /// Reads the environment variables and the TOML file in `STEWARD_CONFIG`.
    pub fn load() -> anyhow::Result<Self> {
        let environment: BTreeMap<String, String> = std::env::vars().collect();
        let file = match environment.get(CONFIG_FILE.name).filter(|path| !path.is_empty()) {
            Some(path) => file::read(Path::new(path))?,
            None => BTreeMap::new(),
        };
        let mut warnings = unknown_setting::warnings(&environment, &file);
        let config = Self::from_lookup(|name| environment.get(name).or_else(|| file.get(name)).cloned())?;
        warnings.extend(config.warnings);
        Ok(Self { warnings, ..config })
    }

    /// Parses the settings that `lookup` returns by name.
    fn from_lookup(lookup: impl Fn(&str) -> Option<String>) -> anyhow::Result<Self> {
        let mut reader = Reader { lookup: &lookup, errors: Vec::new() };
        match Self::read(&mut reader) {
            Some(config) if reader.errors.is_empty() => Ok(config),
            _ => bail!("Some settings are not valid:\n  {}", reader.errors.join("\n  ")),
        }
    }

    fn read(reader: &mut Reader<'_>) -> Option<Self> {
        let values = Values::read(reader);
        // Settings that depend on each other. All are read before the first `?`, so that all errors are reported.
        let (database, directory) = (values.database.clone(), values.data_directory.as_deref());
        let database = database.zip(directory).and_then(|(database, directory)| {
            let url = reader.text("DATABASE_URL");
            let existing = database.in_directory(directory).existing(url.as_deref(), directory);
            reader.record("DATABASE_URL", existing)
        });
        let (database, earlier_name) = database.map_or((None, None), |(database, warning)| (Some(database), warning));
        let secret = SecretSource::read(reader, &values, database.as_ref());
        let mail = MailServer::read(reader, &values);
        let blobs = Blobs::read(reader, &values, database.as_ref());
        let is_set = |name: &str| reader.text(name).is_some();
        let refused = [parts::refused(is_set), replaced::refused(is_set)].concat();
        reader.errors.extend(refused);
        let position_file = database.as_ref().zip(directory).map(|(database, data)| database.position_file(data));
        let warnings = plaintext::check(
            reader,
            &values,
            database.as_ref(),
            mail.as_ref().and_then(Option::as_ref),
            blobs.as_ref(),
        );
        let quotas = reader.quotas();
        let rate_limits = rate_limits(&values);
        let (bind, secret) = (values.bind?, secret?);
        let public_url = values.public_url?.or_else(|| ServiceAddress::parse(&local_url(bind)).ok())?;
        let settings = effective::settings(reader, &public_url, &secret);
        let warnings = warnings.map(|mut warnings| {
            warnings.extend(plaintext::address_warning(bind, &public_url));
            warnings.extend(earlier_name);
            warnings
        });
        Some(Self {
            database: database?,
            bind,
            metrics_bind: values.metrics_bind?,
            trace_collector: values.trace_collector?,
            public_url,
            secret,
            signing_algorithms: SigningAlgorithms {
                access_tokens: values.signing_algorithm?,
                id_tokens: values.id_token_algorithm?,
            },
            signing_key_age: values.signing_key_age?,
            sign_up: SignUpPolicy { mode: values.sign_up_mode?, domains: values.sign_up_domains? },
            email_codes: values.email_codes?,
            second_factor: SecondFactorPolicy {
                mode: values.second_factor?,
                from: values.second_factor_from?.unwrap_or_default(),
                removal_delay: values.factor_removal_delay?,
            },
            open_registration: values.open_registration?,
            first_party_clients: values.first_party_clients?,
            password_tokens: values.password_tokens?,
            session_lifetime: SessionLifetime { total: values.session_total?, idle: values.session_idle? },
            family_lifetime: FamilyLifetime { total: values.sign_in_total?, idle: values.sign_in_idle? },
            rate_limits: rate_limits?,
            sync_limits: SyncLimits {
                connections: values.sync_connections?,
                unauthenticated: values.sync_unauthenticated?,
            },
            trusted_proxies: values.trusted_proxies?,
            mail: mail?,
            breached_passwords: values.breached_passwords?,
            audit_retention: AuditRetention {
                events: values.audit_retention?,
                item_changes: values.item_change_retention?,
            },
            quotas: quotas?,
            webhook_allow_private: values.webhook_allow_private?,
            security_contacts: values.security_contacts?,
            shutdown_delay: values.shutdown_delay?,
            reader_timeout: values.reader_timeout?,
            blobs: blobs?,
            position_file: position_file?,
            database_workers: WorkerCounts {
                interactive: values.database_workers?,
                heavy: values.database_heavy_workers?,
            },
            migrates: values.migrates?,
            environment: values.environment?,
            log: values.log?,
            log_format: values.log_format?,
            settings,
            warnings: warnings?,
        })
    }
}

/// Returns `Some(None)` if rate limits are off.
fn rate_limits(values: &Values) -> Option<Option<RateLimits>> {
    let limits = RateLimits {
        reads: values.rate_reads?,
        writes: values.rate_writes?,
        costly: values.rate_costly?,
        sign_ins: values.rate_sign_ins?,
    };
    Some(values.rate_limits?.then_some(limits))
}

/// Returns the URL of the service on this machine. Loopback and wildcard addresses become `localhost`.
fn local_url(bind: SocketAddr) -> String {
    let host = match bind.ip() {
        ip if ip.is_loopback() || ip.is_unspecified() => "localhost".to_owned(),
        IpAddr::V4(ip) => ip.to_string(),
        IpAddr::V6(ip) => format!("[{ip}]"),
    };
    format!("http://{host}:{}", bind.port())
}
