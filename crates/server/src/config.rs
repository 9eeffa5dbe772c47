//! Settings from the environment and an optional TOML file. They are parsed at startup, and all errors are reported
//! together.

use std::collections::BTreeMap;
use std::fmt;
use std::net::{IpAddr, SocketAddr};
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context as _, bail};
use chrono::TimeDelta;
use ipnet::IpNet;
use steward_crypto::ServerSecret;
use steward_delivery::{InvalidEmailSettings, S3Settings, SmtpMailer};
use steward_domain::model::{EmailDomain, Secret, ServiceAddress, SignUpMode, SignUpPolicy, SigningAlgorithm};
use steward_domain::policy::{Quota, Quotas};
use steward_domain::usecases::AuditRetention;
use steward_http::RateLimits;
use steward_store::WorkerCounts;
use url::Url;

use crate::unknown_setting;

/// A setting: the name of its environment variable, its default and its description.
pub struct Key {
    pub name: &'static str,
    pub default: &'static str,
    pub about: &'static str,
}

/// All settings. In the TOML file, names are in lower case and without `STEWARD_`.
pub const KEYS: &[Key] = &[
    key(
        "DATABASE_URL",
        "sqlite://steward.db",
        "SQLite file, as sqlite://path relative to the data directory, or PostgreSQL URL, as postgres://...",
    ),
    key("STEWARD_DATA_DIR", "data", "directory of the SQLite database and its secret"),
    key("STEWARD_BIND", "127.0.0.1:3003", "address and port to listen on"),
    key(
        "STEWARD_PUBLIC_URL",
        "http://localhost:<port>",
        "URL at which clients reach the service; also the issuer of its tokens",
    ),
    key(
        "STEWARD_SECRET",
        "generated on SQLite",
        "secret that encrypts the server's keys, at least 32 characters; required on PostgreSQL",
    ),
    key("STEWARD_SECRET_FILE", "", "file that contains the secret, instead of STEWARD_SECRET"),
    key("STEWARD_SIGNING_ALGORITHM", "ES256", "algorithm that signs tokens: ES256, EdDSA or RS256"),
    key("STEWARD_SIGNING_KEY_DAYS", "90", "days after which a new signing key replaces the current one; 0 for never"),
    key(
        "STEWARD_SIGNUP",
        "open",
        "who can sign up: open (anyone), invite (email addresses with a pending invite) or closed (the operator creates accounts)",
    ),
    key("STEWARD_SIGNUP_DOMAINS", "", "email domains that can sign up, such as example.com,example.org; if empty, all"),
    key("STEWARD_DATABASE_WORKERS", "8", "connections to PostgreSQL, or readers of SQLite, for interactive requests"),
    key(
        "STEWARD_DATABASE_HEAVY_WORKERS",
        "2",
        "connections to PostgreSQL, or readers of SQLite, for requests that no index bounds, such as exports and audit logs",
    ),
    key("STEWARD_ENV", "production", "name of this deployment, shown at /"),
    key(
        "STEWARD_RATE_LIMITS",
        "on",
        "on or off: limits how often callers can send requests, sign in, present tokens and trigger emails",
    ),
    key(
        "STEWARD_RATE_READS",
        "200/s burst 2000",
        "read requests per credential; half of it per IP address without a credential",
    ),
    key(
        "STEWARD_RATE_WRITES",
        "100/s burst 1000",
        "write requests per credential; half of it per IP address without a credential",
    ),
    key(
        "STEWARD_RATE_COSTLY",
        "10/s burst 100",
        "costly requests (dry runs, exports, audit logs) per credential; half of it per IP address without a credential",
    ),
    key(
        "STEWARD_RATE_SIGN_INS",
        "10/s burst 100",
        "requests to sign in, to sign up, and for tokens and email links, per IP address",
    ),
    key(
        "STEWARD_TRUSTED_PROXIES",
        "",
        "networks of trusted proxies, such as 10.0.0.0/8,::1; their X-Forwarded-For header is used",
    ),
    key(
        "STEWARD_SMTP_URL",
        "",
        "mail server, as smtps://user:password@host or smtp://...?tls=required; if empty, emails are written to the log",
    ),
    key(
        "STEWARD_MAIL_FROM",
        "",
        "sender of emails, such as Steward <no-reply@example.com>; required with STEWARD_SMTP_URL",
    ),
    key(
        "STEWARD_BLOBS",
        "blobs",
        "storage of uploaded images: a directory, relative to that of the SQLite database or, on PostgreSQL, to the data directory; or s3://bucket/prefix",
    ),
    key(
        "STEWARD_S3_ENDPOINT",
        "",
        "URL of an S3-compatible service other than Amazon S3, such as https://s3.example.com",
    ),
    key("STEWARD_S3_REGION", "us-east-1", "region of the bucket"),
    key("STEWARD_S3_ACCESS_KEY_ID", "", "ID of the access key; required with s3://"),
    key("STEWARD_S3_SECRET_ACCESS_KEY", "", "secret access key; required with s3://"),
    key(
        "STEWARD_SHUTDOWN_DELAY_SECONDS",
        "3",
        "seconds (0 to 300) for which the service still listens after SIGTERM while it reports that it is not ready",
    ),
    key(
        "STEWARD_WEBHOOK_ALLOW_PRIVATE",
        "false",
        "true allows webhooks to private networks and over plain HTTP, for development",
    ),
    key("STEWARD_AUDIT_RETENTION_DAYS", "", "days to retain events in the audit log, at least 30; if empty, forever"),
    key(
        "STEWARD_ITEM_CHANGE_RETENTION_DAYS",
        "",
        "days to retain item changes in the audit log; if empty, as long as other events",
    ),
    quota(Quota::ItemsPerProject),
    quota(Quota::BytesPerProject),
    quota(Quota::ProjectsPerTeam),
    quota(Quota::MembersPerTeam),
    quota(Quota::KeysPerProject),
    quota(Quota::WebhooksPerProject),
    quota(Quota::SchemaVersionsPerProject),
    quota(Quota::ReservedSlugsPerTeam),
    key(
        "STEWARD_READER_TIMEOUT_SECONDS",
        "30",
        "seconds (1 to 600) after which a connection is closed if the client does not read pending data",
    ),
    key("STEWARD_METRICS_BIND", "", "address and port of /metrics for Prometheus; if empty, no metrics are served"),
    key(
        "OTEL_EXPORTER_OTLP_ENDPOINT",
        "",
        "URL of an OpenTelemetry collector that receives traces over HTTP, such as http://localhost:4318; if empty, no traces are sent",
    ),
    key("STEWARD_LOG", "info", "log level, or a filter such as info,steward_http=debug"),
    key("STEWARD_LOG_FORMAT", "json", "json or text"),
    key(
        "STEWARD_CONFIG",
        "",
        "TOML file with these settings, in lower case and without STEWARD_; environment variables take precedence",
    ),
];

const fn quota(quota: Quota) -> Key {
    key(quota.setting(), quota.default_text(), quota.about())
}

const fn key(name: &'static str, default: &'static str, about: &'static str) -> Key {
    Key { name, default, about }
}

/// Returns the list of settings for `--help`.
pub fn help() -> String {
    let lines = KEYS.iter().map(|key| {
        let default = if key.default.is_empty() { String::new() } else { format!(" [{}]", key.default) };
        format!("  {:<30} {}{default}\n", key.name, key.about)
    });
    std::iter::once("Settings (environment variables):\n".to_owned()).chain(lines).collect()
}

/// The database to use.
#[derive(Clone, PartialEq, Eq)]
pub enum Database {
    Sqlite(PathBuf),
    Postgres(String),
}

impl fmt::Debug for Database {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Sqlite(path) => write!(f, "sqlite at {}", path.display()),
            Self::Postgres(_) => f.write_str("postgres"),
        }
    }
}

/// Where the server secret comes from.
pub enum SecretSource {
    Configured(ServerSecret),
    /// In a file next to the SQLite database. The file is generated if it does not exist.
    File(PathBuf),
}

impl fmt::Debug for SecretSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Configured(_) => f.write_str("given"),
            Self::File(path) => write!(f, "in {}", path.display()),
        }
    }
}

/// The mail server and the sender of emails.
#[derive(Debug)]
pub struct MailServer {
    pub url: Secret,
    pub from: String,
}

/// Where the bytes of uploaded images are stored.
#[derive(Debug)]
pub enum Blobs {
    Directory(PathBuf),
    S3(S3Settings),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LogFormat {
    Json,
    Text,
}

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
    pub signing_algorithm: SigningAlgorithm,
    /// Age at which the signing key is replaced. `None` if it is never replaced.
    pub signing_key_age: Option<TimeDelta>,
    pub sign_up: SignUpPolicy,
    /// `None` if rate limits are off.
    pub rate_limits: Option<RateLimits>,
    pub trusted_proxies: Vec<IpNet>,
    pub mail: Option<MailServer>,
    pub audit_retention: AuditRetention,
    pub quotas: Quotas,
    pub webhook_allow_private: bool,
    pub shutdown_delay: Duration,
    pub reader_timeout: Duration,
    pub blobs: Blobs,
    pub database_workers: WorkerCounts,
    pub environment: String,
    pub log: String,
    pub log_format: LogFormat,
    /// Problems that do not prevent the service from starting, such as unknown settings.
    pub warnings: Vec<String>,
}

impl Config {
    /// Reads the environment variables and the TOML file in `STEWARD_CONFIG`.
    pub fn load() -> anyhow::Result<Self> {
        let environment: BTreeMap<String, String> = std::env::vars().collect();
        let file = match environment.get("STEWARD_CONFIG").filter(|path| !path.is_empty()) {
            Some(path) => read_file(Path::new(path))?,
            None => BTreeMap::new(),
        };
        let warnings = unknown_setting::warnings(&environment, &file);
        let config = Self::from_lookup(|name| environment.get(name).or_else(|| file.get(name)).cloned())?;
        Ok(Self { warnings, ..config })
    }

    /// Parses the settings that `lookup` returns by name. An empty value counts as absent.
    pub fn from_lookup(lookup: impl Fn(&str) -> Option<String>) -> anyhow::Result<Self> {
        let mut settings = Settings { lookup: &lookup, errors: Vec::new() };
        let config = settings.config();
        match config {
            Some(config) if settings.errors.is_empty() => Ok(config),
            _ => bail!("Some settings are not valid:\n  {}", settings.errors.join("\n  ")),
        }
    }
}

/// Parses the settings one by one and collects the errors.
struct Settings<'a> {
    lookup: &'a dyn Fn(&str) -> Option<String>,
    errors: Vec<String>,
}

impl Settings<'_> {
    fn config(&mut self) -> Option<Config> {
        let bind = self.parsed("STEWARD_BIND", "must be an address and a port, such as 127.0.0.1:3003", |text| {
            text.parse::<SocketAddr>().ok()
        });
        let metrics_bind = self.parsed("STEWARD_METRICS_BIND", "must be an address and a port", |text| {
            if text.is_empty() { Some(None) } else { text.parse().ok().map(Some) }
        });
        let trace_collector = self.parsed("OTEL_EXPORTER_OTLP_ENDPOINT", "must be an http or https URL", |text| {
            let is_web = |url: &Url| matches!(url.scheme(), "http" | "https");
            if text.is_empty() { Some(None) } else { Url::parse(text).ok().filter(is_web).map(Some) }
        });
        let public_url = match self.text("STEWARD_PUBLIC_URL") {
            Some(text) => self.record("STEWARD_PUBLIC_URL", ServiceAddress::parse(&text).map_err(|e| e.to_string())),
            None => bind.and_then(|bind| ServiceAddress::parse(&local_url(bind)).ok()),
        };
        let data = PathBuf::from(self.or_default("STEWARD_DATA_DIR"));
        let database = self.database(&data);
        let secret = database.as_ref().and_then(|database| self.secret(database));
        let algorithm =
            self.parsed("STEWARD_SIGNING_ALGORITHM", "must be ES256, EdDSA or RS256", SigningAlgorithm::parse);
        let signing_key_age = self.parsed(
            "STEWARD_SIGNING_KEY_DAYS",
            "must be a number of days from 1 to 3650, or 0 for never",
            |text| {
                let days = text.parse::<i64>().ok().filter(|days| (0..=3_650).contains(days))?;
                Some((days > 0).then(|| TimeDelta::days(days)))
            },
        );
        let sign_up = self.sign_up();
        let workers = self.parsed("STEWARD_DATABASE_WORKERS", "must be a number from 1 to 200", |text| {
            text.parse().ok().filter(|workers| (1..=200).contains(workers))
        });
        let heavy_workers = self.parsed("STEWARD_DATABASE_HEAVY_WORKERS", "must be a number from 1 to 100", |text| {
            text.parse().ok().filter(|workers| (1..=100).contains(workers))
        });
        let rate_limits = self.rate_limits();
        let trusted_proxies =
            self.parsed("STEWARD_TRUSTED_PROXIES", "must be networks, such as 10.0.0.0/8,::1", |text| {
                text.split(',').map(str::trim).filter(|network| !network.is_empty()).map(network).collect()
            });
        let mail = self.mail();
        let blobs = self.blobs(database.as_ref(), &data);
        let retention = self.days("STEWARD_AUDIT_RETENTION_DAYS", 30);
        let changes_retention = self.days("STEWARD_ITEM_CHANGE_RETENTION_DAYS", 1);
        let allow_private =
            self.parsed("STEWARD_WEBHOOK_ALLOW_PRIVATE", "must be true or false", |text| text.parse().ok());
        let shutdown_delay =
            self.parsed("STEWARD_SHUTDOWN_DELAY_SECONDS", "must be a number of seconds from 0 to 300", |text| {
                text.parse().ok().filter(|seconds| (0..=300).contains(seconds)).map(Duration::from_secs)
            });
        let quotas = self.quotas();
        let reader_timeout =
            self.parsed("STEWARD_READER_TIMEOUT_SECONDS", "must be a number of seconds from 1 to 600", |text| {
                text.parse().ok().filter(|seconds| (1..=600).contains(seconds)).map(Duration::from_secs)
            });
        let log_format = self.parsed("STEWARD_LOG_FORMAT", "must be json or text", |text| match text {
            "json" => Some(LogFormat::Json),
            "text" => Some(LogFormat::Text),
            _ => None,
        });
        Some(Config {
            database: database?,
            bind: bind?,
            metrics_bind: metrics_bind?,
            trace_collector: trace_collector?,
            public_url: public_url?,
            secret: secret?,
            signing_algorithm: algorithm?,
            signing_key_age: signing_key_age?,
            sign_up: sign_up?,
            rate_limits: rate_limits?,
            trusted_proxies: trusted_proxies?,
            mail: mail?,
            audit_retention: AuditRetention { events: retention?, item_changes: changes_retention? },
            quotas: quotas?,
            webhook_allow_private: allow_private?,
            shutdown_delay: shutdown_delay?,
            reader_timeout: reader_timeout?,
            blobs: blobs?,
            database_workers: WorkerCounts { interactive: workers?, heavy: heavy_workers? },
            environment: self.or_default("STEWARD_ENV"),
            log: self.or_default("STEWARD_LOG"),
            log_format: log_format?,
            warnings: Vec::new(),
        })
    }

    fn sign_up(&mut self) -> Option<SignUpPolicy> {
        let mode = self.parsed("STEWARD_SIGNUP", "must be open, invite or closed", SignUpMode::parse);
        let domains =
            self.parsed("STEWARD_SIGNUP_DOMAINS", "must be domains, such as example.com,example.org", |text| {
                let domains = text.split(',').filter(|domain| !domain.trim().is_empty());
                domains.map(|domain| EmailDomain::parse(domain).ok()).collect()
            });
        Some(SignUpPolicy { mode: mode?, domains: domains? })
    }

    fn text(&self, name: &str) -> Option<String> {
        (self.lookup)(name).map(|text| text.trim().to_owned()).filter(|text| !text.is_empty())
    }

    fn or_default(&self, name: &str) -> String {
        let default = || KEYS.iter().find(|key| key.name == name).map(|key| key.default.to_owned());
        self.text(name).or_else(default).unwrap_or_default()
    }

    fn parsed<T>(&mut self, name: &str, error: &str, parse: impl Fn(&str) -> Option<T>) -> Option<T> {
        let parsed = parse(&self.or_default(name)).ok_or_else(|| error.to_owned());
        self.record(name, parsed)
    }

    /// Parses a number of days that is at least `min`. Returns `Some(None)` if the setting is empty.
    fn days(&mut self, name: &str, min: i64) -> Option<Option<TimeDelta>> {
        const MAX_DAYS: i64 = 36_500;
        self.parsed(name, &format!("must be a number of days from {min} to {MAX_DAYS}"), |text| {
            let days = |days: &i64| (min..=MAX_DAYS).contains(days);
            if text.is_empty() { Some(None) } else { text.parse().ok().filter(days).map(TimeDelta::days).map(Some) }
        })
    }

    fn record<T>(&mut self, name: &str, parsed: Result<T, String>) -> Option<T> {
        parsed.map_err(|error| self.errors.push(format!("{name} {error}."))).ok()
    }

    fn database(&mut self, data: &Path) -> Option<Database> {
        let url = self.or_default("DATABASE_URL");
        let database = if let Some(path) = url.strip_prefix("sqlite://").filter(|path| !path.is_empty()) {
            Ok(Database::Sqlite(data.join(path)))
        } else if url.starts_with("postgres://") || url.starts_with("postgresql://") {
            Ok(Database::Postgres(url))
        } else {
            Err("must start with sqlite:// or postgres://".to_owned())
        };
        self.record("DATABASE_URL", database)
    }

    fn quotas(&mut self) -> Option<Quotas> {
        let limits = Quota::ALL.iter().map(|quota| {
            let limit = self.parsed(quota.setting(), "must be a positive integer", |text| {
                text.parse().ok().filter(|limit: &u64| *limit > 0)
            });
            Some((*quota, limit?))
        });
        // All quotas are parsed first, so that all errors are reported together.
        let limits: Vec<Option<(Quota, u64)>> = limits.collect();
        let limits: Option<Vec<(Quota, u64)>> = limits.into_iter().collect();
        Some(limits?.into_iter().fold(Quotas::default(), |quotas, (quota, limit)| quotas.with(quota, limit)))
    }

    fn rate_limits(&mut self) -> Option<Option<RateLimits>> {
        let on = self.parsed("STEWARD_RATE_LIMITS", "must be on or off", |text| match text {
            "on" => Some(true),
            "off" => Some(false),
            _ => None,
        });
        let mut limit =
            |name| self.parsed(name, "must be a rate limit, such as 200/s burst 2000", |text| text.parse().ok());
        let [reads, writes] = [limit("STEWARD_RATE_READS"), limit("STEWARD_RATE_WRITES")];
        let [costly, sign_ins] = [limit("STEWARD_RATE_COSTLY"), limit("STEWARD_RATE_SIGN_INS")];
        let limits = RateLimits { reads: reads?, writes: writes?, costly: costly?, sign_ins: sign_ins? };
        Some(on?.then_some(limits))
    }

    fn mail(&mut self) -> Option<Option<MailServer>> {
        let (url, from) = (self.text("STEWARD_SMTP_URL"), self.text("STEWARD_MAIL_FROM"));
        let Some(url) = url.map(Secret::new) else { return Some(None) };
        let from =
            self.record("STEWARD_MAIL_FROM", from.ok_or_else(|| "is required with STEWARD_SMTP_URL".to_owned()))?;
        let (name, checked) = match SmtpMailer::check(&url, &from) {
            Err(error @ InvalidEmailSettings::From) => ("STEWARD_MAIL_FROM", Err(error.to_string())),
            checked => ("STEWARD_SMTP_URL", checked.map_err(|error| error.to_string())),
        };
        self.record(name, checked.map(|()| Some(MailServer { url, from })))
    }

    fn blobs(&mut self, database: Option<&Database>, data: &Path) -> Option<Blobs> {
        let location = self.or_default("STEWARD_BLOBS");
        if !location.contains("://") {
            let directory = match database {
                Some(Database::Sqlite(path)) => path.parent().unwrap_or(data),
                _ => data,
            };
            return Some(Blobs::Directory(directory.join(location)));
        }
        let address = S3Settings::parse_address(&location).map_err(|error| error.to_string());
        let address = self.record("STEWARD_BLOBS", address);
        let endpoint = self.text("STEWARD_S3_ENDPOINT").map(|text| S3Settings::parse_endpoint(&text)).transpose();
        let endpoint = self.record("STEWARD_S3_ENDPOINT", endpoint.map_err(|error| error.to_string()));
        let id = self.required("STEWARD_S3_ACCESS_KEY_ID", "STEWARD_BLOBS=s3://...");
        let secret = self.required("STEWARD_S3_SECRET_ACCESS_KEY", "STEWARD_BLOBS=s3://...");
        let (bucket, prefix) = address?;
        Some(Blobs::S3(S3Settings {
            bucket,
            prefix,
            endpoint: endpoint?,
            region: self.or_default("STEWARD_S3_REGION"),
            access_key_id: id?,
            secret_access_key: Secret::new(secret?),
        }))
    }

    fn required(&mut self, name: &str, with: &str) -> Option<String> {
        let text = self.text(name);
        self.record(name, text.ok_or_else(|| format!("is required with {with}")))
    }

    fn secret(&mut self, database: &Database) -> Option<SecretSource> {
        let configured = match (self.text("STEWARD_SECRET"), self.text("STEWARD_SECRET_FILE")) {
            (Some(_), Some(_)) => Some(Err("and STEWARD_SECRET_FILE are both set. Set only one of them".to_owned())),
            (Some(text), None) => Some(Ok(text)),
            (None, Some(path)) => {
                Some(std::fs::read_to_string(&path).map_err(|error| format!("could not be read from {path}: {error}")))
            }
            (None, None) => None,
        };
        let source = match (configured, database) {
            (Some(text), _) => text.and_then(|text| {
                ServerSecret::parse(text.trim()).map(SecretSource::Configured).map_err(|error| error.to_string())
            }),
            (None, Database::Sqlite(path)) => Ok(SecretSource::File(path.with_extension("secret"))),
            (None, Database::Postgres(_)) => {
                Err("is required on PostgreSQL. Use at least 32 random characters, the same on every server".to_owned())
            }
        };
        self.record("STEWARD_SECRET", source)
    }
}

/// Parses a network or a single IP address.
fn network(text: &str) -> Option<IpNet> {
    text.parse().ok().or_else(|| text.parse::<IpAddr>().ok().map(IpNet::from))
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

/// Reads the settings of a TOML file, by the names of their environment variables.
fn read_file(path: &Path) -> anyhow::Result<BTreeMap<String, String>> {
    let text = std::fs::read_to_string(path)
        .with_context(|| format!("Cannot read the configuration file {}", path.display()))?;
    let table: toml::Table = toml::from_str(&text)
        .with_context(|| format!("The configuration file {} is not valid TOML", path.display()))?;
    table
        .into_iter()
        .map(|(name, value)| {
            let value = match value {
                toml::Value::String(text) => text,
                toml::Value::Integer(number) => number.to_string(),
                _ => bail!("`{name}` in the configuration file {} must be a string or a number.", path.display()),
            };
            Ok((environment_name(&name), value))
        })
        .collect()
}

fn environment_name(name: &str) -> String {
    let upper = name.to_uppercase();
    if KEYS.iter().any(|key| key.name == upper) { upper } else { format!("STEWARD_{upper}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn config(settings: &[(&str, &str)]) -> anyhow::Result<Config> {
        let settings: BTreeMap<String, String> =
            settings.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        Config::from_lookup(|name| settings.get(name).cloned())
    }

    #[test]
    fn the_defaults_are_sqlite_and_a_generated_secret() {
        let config = config(&[]).unwrap();
        assert_eq!(config.database, Database::Sqlite("data/steward.db".into()));
        assert_eq!(config.public_url.as_str(), "http://localhost:3003");
        assert!(matches!(&config.secret, SecretSource::File(path) if path.ends_with("steward.secret")));
    }

    #[test]
    fn all_errors_are_reported_together() {
        let error = config(&[
            ("STEWARD_BIND", "everywhere"),
            ("DATABASE_URL", "mysql://x"),
            ("STEWARD_SIGNING_ALGORITHM", "HS256"),
            ("STEWARD_LOG_FORMAT", "xml"),
            ("STEWARD_RATE_LIMITS", "some"),
            ("STEWARD_RATE_READS", "many"),
            ("STEWARD_TRUSTED_PROXIES", "everybody"),
            ("STEWARD_SMTP_URL", "smtp://localhost"),
            ("STEWARD_SIGNUP", "some"),
            ("STEWARD_SIGNUP_DOMAINS", "example"),
            ("STEWARD_SIGNING_KEY_DAYS", "-1"),
            ("OTEL_EXPORTER_OTLP_ENDPOINT", "collector:4317"),
        ]);
        let error = error.unwrap_err().to_string();
        for name in [
            "STEWARD_BIND",
            "DATABASE_URL",
            "STEWARD_SIGNING_ALGORITHM",
            "STEWARD_LOG_FORMAT",
            "STEWARD_RATE_LIMITS",
            "STEWARD_RATE_READS",
            "STEWARD_TRUSTED_PROXIES",
            "STEWARD_MAIL_FROM",
            "STEWARD_SIGNUP ",
            "STEWARD_SIGNUP_DOMAINS",
            "STEWARD_SIGNING_KEY_DAYS",
            "OTEL_EXPORTER_OTLP_ENDPOINT",
        ] {
            assert!(error.contains(name), "{name} in {error}");
        }
    }

    #[test]
    fn postgres_requires_a_secret_and_debug_output_hides_secret_and_password() {
        let url = ("DATABASE_URL", "postgres://u:hunter2@db/steward");
        assert!(config(&[url]).unwrap_err().to_string().contains("STEWARD_SECRET"));
        let secret = "0123456789abcdef0123456789abcdef";
        let config = config(&[url, ("STEWARD_SECRET", secret)]).unwrap();
        let debug = format!("{config:?}");
        assert!(!debug.contains("hunter2") && !debug.contains(secret), "{debug}");
    }

    #[test]
    fn proxies_and_the_mail_server_are_parsed_and_debug_output_hides_the_password() {
        let settings = [
            ("STEWARD_TRUSTED_PROXIES", "10.0.0.0/8, ::1"),
            ("STEWARD_SMTP_URL", "smtps://u:hunter2@mail.example.com"),
            ("STEWARD_MAIL_FROM", "Steward <no-reply@example.com>"),
        ];
        let config = config(&settings).unwrap();
        assert_eq!(config.trusted_proxies.len(), 2);
        assert!(config.mail.is_some() && !format!("{config:?}").contains("hunter2"));
    }

    #[test]
    fn images_are_stored_next_to_the_database_unless_a_location_is_set() {
        let location = |settings: &[(&str, &str)]| match config(settings).unwrap().blobs {
            Blobs::Directory(path) => path.display().to_string(),
            Blobs::S3(settings) => format!("{} {} {:?}", settings.bucket, settings.prefix, settings.endpoint),
        };
        let secret = ("STEWARD_SECRET", "0123456789abcdef0123456789abcdef");
        assert_eq!(location(&[]), "data/blobs");
        assert_eq!(location(&[("DATABASE_URL", "sqlite:///var/lib/steward.db")]), "/var/lib/blobs");
        assert_eq!(location(&[("STEWARD_BLOBS", "/srv/images")]), "/srv/images");
        assert_eq!(location(&[("DATABASE_URL", "postgres://db/x"), secret, ("STEWARD_DATA_DIR", "d")]), "d/blobs");
        let keys = [("STEWARD_S3_ACCESS_KEY_ID", "id"), ("STEWARD_S3_SECRET_ACCESS_KEY", "hunter2")];
        let bucket = [("STEWARD_BLOBS", "s3://images/steward"), ("STEWARD_S3_ENDPOINT", "http://localhost:9000")];
        assert_eq!(location(&[bucket, keys].concat()), "images steward Some(\"http://localhost:9000\")");
        assert!(!format!("{:?}", config(&[bucket, keys].concat()).unwrap()).contains("hunter2"));
    }

    #[test]
    fn a_bucket_requires_an_access_key() {
        let error = config(&[("STEWARD_BLOBS", "s3://X"), ("STEWARD_S3_ENDPOINT", "x")]).unwrap_err().to_string();
        for name in ["BLOBS", "S3_ENDPOINT", "S3_ACCESS_KEY_ID", "S3_SECRET_ACCESS_KEY"] {
            assert!(error.contains(&format!("STEWARD_{name} ")), "{name} in {error}");
        }
        assert!(config(&[("STEWARD_BLOBS", "http://x")]).is_err());
    }

    #[test]
    fn the_readme_lists_every_setting() {
        let readme = include_str!("../../../README.md");
        for key in KEYS {
            assert!(readme.contains(&format!("`{}`", key.name)), "{}", key.name);
        }
    }
}
