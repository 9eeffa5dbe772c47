//! Settings from the environment and an optional TOML file. They are parsed at startup, and all errors are reported
//! together.

mod blobs;
mod database;
mod effective;
mod file;
mod first_party_clients;
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

use anyhow::bail;
use steward_domain::kernel::policy::Quotas;
use steward_domain::kernel::{EffectiveSetting, ServiceAddress};
use steward_web::RateLimits;

pub use blobs::Blobs;
pub use database::{Database, absolute};
pub use secret_source::SecretSource;
pub use settings::{LogFormat, help};

use mail::MailServer;
use settings::{CONFIG_FILE, Reader, ValidValues, Values};

/// The parsed settings.
#[derive(Debug)]
pub struct Config {
    /// Those that are used as they are set.
    pub values: ValidValues,
    pub database: Database,
    pub public_url: ServiceAddress,
    pub secret: SecretSource,
    /// `None` if rate limits are off.
    pub rate_limits: Option<RateLimits>,
    pub mail: Option<MailServer>,
    pub quotas: Quotas,
    pub blobs: Blobs,
    /// File outside the database with the highest known position.
    pub position_file: PathBuf,
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
            let existing = database.existing(url.as_deref(), directory);
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
        let server = mail.as_ref().and_then(Option::as_ref);
        let warnings = plaintext::check(reader, &values, database.as_ref(), server, blobs.as_ref());
        let quotas = reader.quotas();
        let rate_limits = rate_limits(&values);
        let (bind, secret, mut warnings) = (values.bind?, secret?, warnings?);
        let public_url = values.public_url.clone()?.or_else(|| ServiceAddress::parse(&local_url(bind)).ok())?;
        let settings = effective::settings(reader, &public_url, &secret);
        warnings.extend(plaintext::address_warning(bind, &public_url));
        warnings.extend(earlier_name);
        Some(Self {
            values: values.valid()?,
            database: database?,
            public_url,
            secret,
            rate_limits: rate_limits?,
            mail: mail?,
            quotas: quotas?,
            blobs: blobs?,
            position_file: position_file?,
            settings,
            warnings,
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
