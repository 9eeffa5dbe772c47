//! The table of settings, and how their values are read.

use std::convert::Infallible;
use std::fmt::Display;
use std::net::{IpAddr, SocketAddr};
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use chrono::TimeDelta;
use clap::ValueEnum;
use ipnet::IpNet;
use steward_crypto::ServerSecret;
use steward_delivery::{S3Settings, SmtpName};
use steward_domain::identity::{
    EmailDomain, FirstPartyClients, SecondFactorMode, SignUpMode, SigningAlgorithm, parse_due_time,
};
use steward_domain::kernel::policy::{Quota, Quotas};
use steward_domain::kernel::{ProjectId, Secret, SecurityContacts, ServiceAddress, Time};
use steward_web::RateLimit;
use url::Url;

use super::database::Database;
use super::first_party_clients;
use super::this_machine::is_this_machine;

/// Maximum number of days for which events are retained.
const MAX_RETENTION_DAYS: i64 = 36_500;

/// The file is read before the other settings, so it is not in the table.
pub const CONFIG_FILE: Key = key(
    "STEWARD_CONFIG",
    "",
    "TOML file with these settings, in lower case and without STEWARD_; environment variables take precedence",
);

/// A setting: the name of its environment variable, its default and its description.
#[derive(Clone, Copy)]
pub struct Key {
    pub name: &'static str,
    pub default: &'static str,
    pub description: &'static str,
}

const fn key(name: &'static str, default: &'static str, description: &'static str) -> Key {
    Key { name, default, description }
}

const fn quota_key(quota: Quota) -> Key {
    key(quota.setting(), quota.default_text(), quota.description())
}

/// Returns all settings.
pub fn keys() -> impl Iterator<Item = Key> {
    KEYS.iter().copied().chain(Quota::ALL.iter().copied().map(quota_key)).chain([CONFIG_FILE])
}

/// Returns the list of settings for `--help`.
pub fn help() -> String {
    let lines = keys().map(|key| {
        let default = if key.default.is_empty() { String::new() } else { format!(" [{}]", key.default) };
        format!("  {:<30} {}{default}\n", key.name, key.description)
    });
    std::iter::once("Settings (environment variables):\n".to_owned()).chain(lines).collect()
}

/// Defines `KEYS`, `Values` and `ValidValues` from rows of: field, type, name, default, description, and how the value is read.
macro_rules! settings {
    ($($field:ident: $type:ty = $name:literal, $default:literal, $description:literal, $read:ident($parse:expr);)+) => {
        const KEYS: &[Key] = &[$(key($name, $default, $description)),+];

        /// The value of each setting in the table. `None` if it is not valid.
        pub struct Values { $(pub $field: Option<$type>),+ }

        impl Values {
            /// Reads all settings, so that all errors are reported together.
            pub fn read(reader: &mut Reader<'_>) -> Self {
                Self { $($field: reader.$read(&key($name, $default, $description), $parse)),+ }
            }

            /// Returns the values if all of them are valid.
            pub fn valid(self) -> Option<ValidValues> {
                Some(ValidValues { $($field: self.$field?),+ })
            }
        }

        /// The value of each setting in the table.
        #[derive(Debug)]
        #[expect(dead_code, reason = "Some are used only together with others, while they are read.")]
        pub struct ValidValues { $(pub $field: $type),+ }
    };
}

settings! {
    database: Database = "DATABASE_URL", "sqlite://steward.db",
        "SQLite file, as sqlite://path relative to the data directory and percent-encoded, or PostgreSQL URL, as postgres://...",
        value(Database::parse);
    data_directory: PathBuf = "STEWARD_DATA_DIR", "data",
        "directory of the SQLite database and its secret",
        value(str::parse);
    bind: SocketAddr = "STEWARD_BIND", "127.0.0.1:3003",
        "address and port to listen on",
        value(socket_address);
    public_url: Option<ServiceAddress> = "STEWARD_PUBLIC_URL", "http://localhost:<port>",
        "URL at which clients reach the service; also the issuer of its tokens",
        optional(ServiceAddress::parse);
    secret: Option<ServerSecret> = "STEWARD_SECRET", "generated on SQLite",
        "secret that encrypts the server's keys, at least 32 characters; required on PostgreSQL",
        optional(ServerSecret::parse);
    secret_file: Option<ServerSecret> = "STEWARD_SECRET_FILE", "",
        "file that contains the secret, instead of STEWARD_SECRET",
        optional(secret_in_file);
    signing_algorithm: SigningAlgorithm = "STEWARD_SIGNING_ALGORITHM", "ES256",
        "algorithm that signs access tokens: ES256, EdDSA or RS256",
        value(signing_algorithm);
    id_token_algorithm: SigningAlgorithm = "STEWARD_ID_TOKEN_ALGORITHM", "RS256",
        "algorithm that signs ID tokens: RS256, which most client libraries expect, ES256 or EdDSA",
        value(signing_algorithm);
    signing_key_age: Option<TimeDelta> = "STEWARD_SIGNING_KEY_DAYS", "90",
        "days after which a new signing key replaces the current one; 0 for never",
        value(days_or_never);
    sign_up_mode: SignUpMode = "STEWARD_SIGNUP", "open",
        "who can sign up: open (anyone), invite (email addresses with a pending invite) or closed (the operator creates accounts)",
        value(|text| SignUpMode::parse(text).ok_or("must be open, invite or closed"));
    sign_up_domains: Vec<EmailDomain> = "STEWARD_SIGNUP_DOMAINS", "",
        "email domains that can sign up, such as example.com,example.org; if empty, all",
        value(|text| list(text, |domain| EmailDomain::parse(domain).ok())
            .ok_or("must be domains, such as example.com,example.org"));
    email_codes: bool = "STEWARD_EMAIL_CODES", "on",
        "on or off: whether people can sign in with a code that they receive by email; projects can turn it off for themselves",
        value(on_or_off);
    second_factor: SecondFactorMode = "STEWARD_SECOND_FACTOR", "optional",
        "who has to use a second factor: optional (nobody), operators or everyone; teams and projects can require more",
        value(|text| SecondFactorMode::parse(text).ok_or("must be optional, operators or everyone"));
    second_factor_from: Option<Time> = "STEWARD_SECOND_FACTOR_FROM", "",
        "date or RFC 3339 timestamp from which STEWARD_SECOND_FACTOR applies; if empty, at once",
        optional(parse_due_time);
    factor_removal_delay: TimeDelta = "STEWARD_FACTOR_REMOVAL_HOURS", "24",
        "hours after which second factors and passkeys that a person has lost are removed, and in which the holder can object",
        value(|text| number(text, "number of hours", 0..=720).map(TimeDelta::hours));
    open_registration: Option<ProjectId> = "STEWARD_OPEN_REGISTRATION", "",
        "ID of the project in which OAuth clients may register themselves without a token, such as programs that use MCP",
        optional(|text| ProjectId::parse(text).ok_or("must be the ID of a project"));
    first_party_clients: FirstPartyClients = "STEWARD_FIRST_PARTY_CLIENTS", "",
        "further first-party clients, separated by semicolons: ID, exact redirect URIs, and pkce=optional for old programs, such as my-cli http://localhost:8080/callback pkce=optional",
        value(first_party_clients::parse);
    password_tokens: bool = "STEWARD_PASSWORD_TOKENS", "on",
        "on or off: whether POST /auth/login exchanges a password for tokens, outside of OAuth",
        value(on_or_off);
    session_total: TimeDelta = "STEWARD_SESSION_MAX_HOURS", "720",
        "hours after which people sign in to the web pages again",
        value(|text| number(text, "number of hours", 1..=8_760).map(TimeDelta::hours));
    session_idle: TimeDelta = "STEWARD_SESSION_IDLE_MINUTES", "43200",
        "minutes without a request after which people sign in to the web pages again",
        value(|text| number(text, "number of minutes", 5..=525_600).map(TimeDelta::minutes));
    sign_in_total: TimeDelta = "STEWARD_SIGN_IN_MAX_DAYS", "180",
        "days after which the sign-in of a client ends, even if its refresh token is used",
        value(|text| days(text, 1..=3_650));
    sign_in_idle: TimeDelta = "STEWARD_SIGN_IN_IDLE_DAYS", "60",
        "days without use after which the sign-in of a client ends; a refresh token expires after at most 30 days",
        value(|text| days(text, 1..=3_650));
    database_workers: u32 = "STEWARD_DATABASE_WORKERS", "8",
        "connections to PostgreSQL, or readers of SQLite, for interactive requests",
        value(|text| number(text, "number", 1..=200));
    database_heavy_workers: u32 = "STEWARD_DATABASE_HEAVY_WORKERS", "2",
        "connections to PostgreSQL, or readers of SQLite, for requests that no index bounds, such as exports and audit logs",
        value(|text| number(text, "number", 1..=100));
    database_allow_plaintext: bool = "STEWARD_DATABASE_ALLOW_PLAINTEXT", "false",
        "true allows PostgreSQL on another host without TLS, in a network that nobody else can access",
        value(|text| text.parse().map_err(|_| "must be true or false"));
    migrates: bool = "STEWARD_MIGRATE", "auto",
        "auto or off: whether the service migrates a PostgreSQL database when it starts, or waits until the command steward migrate did it",
        value(|text| match text { "auto" => Ok(true), "off" => Ok(false), _ => Err("must be auto or off") });
    environment: String = "STEWARD_ENV", "production",
        "name of this deployment, shown at /",
        value(str::parse);
    rate_limits: bool = "STEWARD_RATE_LIMITS", "on",
        "on or off: limits how often callers can send requests, sign in, present tokens and trigger emails",
        value(|text| match text { "on" => Ok(true), "off" => Ok(false), _ => Err("must be on or off") });
    rate_reads: RateLimit = "STEWARD_RATE_READS", "200/s burst 2000",
        "read requests per credential; half of it per IP address without a credential",
        value(rate_limit);
    rate_writes: RateLimit = "STEWARD_RATE_WRITES", "100/s burst 1000",
        "write requests per credential; half of it per IP address without a credential",
        value(rate_limit);
    rate_costly: RateLimit = "STEWARD_RATE_COSTLY", "10/s burst 100",
        "costly requests (dry runs, exports, audit logs) per credential; half of it per IP address without a credential",
        value(rate_limit);
    rate_sign_ins: RateLimit = "STEWARD_RATE_SIGN_INS", "10/s burst 100",
        "requests to sign in, to sign up, and for tokens and email links, per IP address",
        value(rate_limit);
    sync_connections: usize = "STEWARD_SYNC_CONNECTIONS", "20000",
        "connections of devices that each process accepts",
        value(|text| number(text, "number", 1..=1_000_000));
    sync_unauthenticated: usize = "STEWARD_SYNC_UNAUTHENTICATED", "500",
        "connections of devices per IP address that have not sent their token yet, which each has to do within 5 seconds",
        value(|text| number(text, "number", 1..=1_000_000));
    trusted_proxies: Vec<IpNet> = "STEWARD_TRUSTED_PROXIES", "",
        "networks of trusted proxies, such as 10.0.0.0/8,::1; their X-Forwarded-For header is used",
        value(|text| list(text, network).ok_or("must be networks, such as 10.0.0.0/8,::1"));
    smtp_url: Option<Secret> = "STEWARD_SMTP_URL", "",
        "mail server, as smtps://user:password@host or smtp://...?tls=required; if empty, emails are written to the log",
        optional(secret);
    mail_from: Option<String> = "STEWARD_MAIL_FROM", "",
        "sender of emails, such as Steward <no-reply@example.com>; required with STEWARD_SMTP_URL",
        optional(str::parse);
    smtp_name: Option<SmtpName> = "STEWARD_SMTP_NAME", "",
        "host name with which the service greets the mail server (EHLO), such as mail.example.com; if empty, that of STEWARD_PUBLIC_URL",
        optional(SmtpName::parse);
    mail_allow_plaintext: bool = "STEWARD_MAIL_ALLOW_PLAINTEXT", "false",
        "true allows a mail server on another host without TLS, in a network that nobody else can access",
        value(|text| text.parse().map_err(|_| "must be true or false"));
    breached_passwords: Option<Url> = "STEWARD_BREACHED_PASSWORDS_URL", "",
        "URL of the range interface that knows passwords from data breaches, such as https://api.pwnedpasswords.com/range; if empty, new passwords are not compared with them",
        optional(secure_url);
    blobs: String = "STEWARD_BLOBS", "blobs",
        "storage of uploaded images: a directory, relative to that of the SQLite database or, on PostgreSQL, to the data directory; or s3://bucket/prefix",
        value(str::parse);
    s3_endpoint: Option<String> = "STEWARD_S3_ENDPOINT", "",
        "URL of an S3-compatible service other than Amazon S3, such as https://s3.example.com",
        optional(S3Settings::parse_endpoint);
    s3_region: String = "STEWARD_S3_REGION", "us-east-1",
        "region of the bucket",
        value(str::parse);
    s3_access_key_id: Option<String> = "STEWARD_S3_ACCESS_KEY_ID", "",
        "ID of the access key; required with s3://",
        optional(str::parse);
    s3_secret_access_key: Option<Secret> = "STEWARD_S3_SECRET_ACCESS_KEY", "",
        "secret access key; required with s3://",
        optional(secret);
    shutdown_delay: Duration = "STEWARD_SHUTDOWN_DELAY_SECONDS", "3",
        "seconds (0 to 300) for which the service still listens after SIGTERM while it reports that it is not ready",
        value(|text| seconds(text, 0..=300));
    webhook_allow_private: bool = "STEWARD_WEBHOOK_ALLOW_PRIVATE", "false",
        "true allows webhooks and identity providers of projects in private networks and over plain HTTP, for development",
        value(|text| text.parse().map_err(|_| "must be true or false"));
    security_contacts: SecurityContacts = "STEWARD_SECURITY_CONTACT", "",
        "email addresses or https: URLs at which people report vulnerabilities of the service, separated by commas, for /.well-known/security.txt; if empty, it does not exist",
        value(SecurityContacts::parse);
    audit_retention: Option<TimeDelta> = "STEWARD_AUDIT_RETENTION_DAYS", "",
        "days to retain events in the audit log, at least 30; if empty, forever",
        optional(|text| days(text, 30..=MAX_RETENTION_DAYS));
    item_change_retention: Option<TimeDelta> = "STEWARD_ITEM_CHANGE_RETENTION_DAYS", "",
        "days to retain item changes in the audit log; if empty, as long as other events",
        optional(|text| days(text, 1..=MAX_RETENTION_DAYS));
    reader_timeout: Duration = "STEWARD_READER_TIMEOUT_SECONDS", "30",
        "seconds (1 to 600) after which a connection is closed if the client does not read pending data",
        value(|text| seconds(text, 1..=600));
    metrics_bind: Option<SocketAddr> = "STEWARD_METRICS_BIND", "",
        "address and port of /metrics for Prometheus; if empty, no metrics are served",
        optional(socket_address);
    trace_collector: Option<Url> = "OTEL_EXPORTER_OTLP_ENDPOINT", "",
        "URL of an OpenTelemetry collector that receives traces over HTTP, such as http://localhost:4318; if empty, no traces are sent",
        optional(web_url);
    log: String = "STEWARD_LOG", "info",
        "log level, or a filter such as info,steward_http=debug",
        value(str::parse);
    log_format: Option<LogFormat> = "STEWARD_LOG_FORMAT", "",
        "json or text; if empty, text on a terminal and else json",
        optional(|text| <LogFormat as ValueEnum>::from_str(text, false).map_err(|_| "must be json or text"));
}

/// Formats of the log.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum LogFormat {
    Json,
    Text,
}

/// Reads settings one by one and collects the errors.
pub struct Reader<'a> {
    /// Returns the text of a setting by name. An empty text counts as absent.
    pub lookup: &'a dyn Fn(&str) -> Option<String>,
    pub errors: Vec<String>,
}

impl Reader<'_> {
    /// Returns the text of a setting, or `None` if it is absent.
    pub fn text(&self, name: &str) -> Option<String> {
        (self.lookup)(name).map(|text| text.trim().to_owned()).filter(|text| !text.is_empty())
    }

    /// Parses a setting, or its default if it is absent.
    fn value<T, E: Display>(&mut self, key: &Key, parse: impl Fn(&str) -> Result<T, E>) -> Option<T> {
        let text = self.text(key.name);
        self.record(key.name, parse(text.as_deref().unwrap_or(key.default)))
    }

    /// Parses a setting. Returns `Some(None)` if it is absent.
    fn optional<T, E: Display>(&mut self, key: &Key, parse: impl Fn(&str) -> Result<T, E>) -> Option<Option<T>> {
        let parsed = self.text(key.name).map(|text| parse(&text)).transpose();
        self.record(key.name, parsed)
    }

    /// Reads the limits of all quotas.
    pub fn quotas(&mut self) -> Option<Quotas> {
        let mut quotas = Some(Quotas::default());
        // Also after an error, so that all errors are reported.
        for quota in Quota::ALL {
            let limit = self.value(&quota_key(quota), positive);
            quotas = quotas.zip(limit).map(|(quotas, limit)| quotas.with(quota, limit));
        }
        quotas
    }

    /// Returns the value, or records the error under the name of its setting.
    pub fn record<T>(&mut self, name: &str, parsed: Result<T, impl Display>) -> Option<T> {
        parsed.map_err(|error| self.errors.push(format!("{name} {error}."))).ok()
    }
}

fn socket_address(text: &str) -> Result<SocketAddr, &'static str> {
    text.parse().map_err(|_| "must be an address and a port, such as 127.0.0.1:3003")
}

fn secret(text: &str) -> Result<Secret, Infallible> {
    Ok(Secret::new(text.to_owned()))
}

fn signing_algorithm(text: &str) -> Result<SigningAlgorithm, &'static str> {
    SigningAlgorithm::parse(text).ok_or("must be ES256, EdDSA or RS256")
}

fn web_url(text: &str) -> Result<Url, &'static str> {
    let url = Url::parse(text).ok().filter(|url| matches!(url.scheme(), "http" | "https"));
    url.ok_or("must be an http or https URL")
}

/// Parses the URL of a service to which derived secrets are sent.
fn secure_url(text: &str) -> Result<Url, &'static str> {
    let is_secure = |url: &Url| url.scheme() == "https" || url.host_str().is_some_and(is_this_machine);
    web_url(text).ok().filter(is_secure).ok_or("must be an https URL, or an http URL on this machine")
}

fn rate_limit(text: &str) -> Result<RateLimit, &'static str> {
    text.parse().map_err(|_| "must be a rate limit, such as 200/s burst 2000")
}

fn number<T: FromStr + PartialOrd + Display>(text: &str, what: &str, range: RangeInclusive<T>) -> Result<T, String> {
    let number = text.parse::<T>().ok().filter(|number| range.contains(number));
    number.ok_or_else(|| format!("must be a {what} from {} to {}", range.start(), range.end()))
}

fn positive(text: &str) -> Result<u64, &'static str> {
    text.parse().ok().filter(|number| *number > 0).ok_or("must be a positive integer")
}

fn seconds(text: &str, range: RangeInclusive<u64>) -> Result<Duration, String> {
    number(text, "number of seconds", range).map(Duration::from_secs)
}

fn on_or_off(text: &str) -> Result<bool, &'static str> {
    match text {
        "on" => Ok(true),
        "off" => Ok(false),
        _ => Err("must be on or off"),
    }
}

fn days(text: &str, range: RangeInclusive<i64>) -> Result<TimeDelta, String> {
    number(text, "number of days", range).map(TimeDelta::days)
}

fn days_or_never(text: &str) -> Result<Option<TimeDelta>, &'static str> {
    let days = days(text, 0..=3_650).map_err(|_| "must be a number of days from 1 to 3650, or 0 for never")?;
    Ok(Some(days).filter(|days| !days.is_zero()))
}

/// Parses the parts of a comma-separated text.
fn list<T>(text: &str, parse: impl Fn(&str) -> Option<T>) -> Option<Vec<T>> {
    text.split(',').map(str::trim).filter(|part| !part.is_empty()).map(parse).collect()
}

/// Parses a network or a single IP address.
fn network(text: &str) -> Option<IpNet> {
    text.parse().ok().or_else(|| text.parse::<IpAddr>().ok().map(IpNet::from))
}

/// Reads the secret from the file at this path.
fn secret_in_file(path: &str) -> Result<ServerSecret, String> {
    let text = std::fs::read_to_string(path).map_err(|error| format!("could not be read from {path}: {error}"))?;
    ServerSecret::parse(text.trim()).map_err(|error| format!("contains a secret that {error}"))
}
