//! The database and the secret that encrypts the server's keys in it.

use std::fmt;
use std::path::{Path, PathBuf};

use steward_crypto::ServerSecret;

use super::settings::{Reader, Values};

/// The database to use.
#[derive(Clone, PartialEq, Eq)]
pub enum Database {
    Sqlite(PathBuf),
    Postgres(String),
}

impl Database {
    pub fn parse(url: &str) -> Result<Self, &'static str> {
        if let Some(path) = url.strip_prefix("sqlite://").filter(|path| !path.is_empty()) {
            Ok(Self::Sqlite(path.into()))
        } else if url.starts_with("postgres://") || url.starts_with("postgresql://") {
            Ok(Self::Postgres(url.to_owned()))
        } else {
            Err("must start with sqlite:// or postgres://")
        }
    }

    /// Returns the database. A relative path of SQLite is in the data directory.
    pub fn read(values: &Values) -> Option<Self> {
        let data_directory = values.data_directory.as_deref()?;
        Some(match values.database.clone()? {
            Self::Sqlite(path) => Self::Sqlite(data_directory.join(path)),
            postgres @ Self::Postgres(_) => postgres,
        })
    }

    /// Returns the directory of the SQLite database.
    pub fn directory(&self) -> Option<&Path> {
        match self {
            Self::Sqlite(path) => path.parent(),
            Self::Postgres(_) => None,
        }
    }
}

impl fmt::Debug for Database {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Sqlite(path) => write!(f, "sqlite at {}", absolute(path).display()),
            Self::Postgres(_) => f.write_str("postgres"),
        }
    }
}

/// Returns the absolute path, so that messages name the same file wherever they are read.
pub fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}

/// Where the server secret comes from.
pub enum SecretSource {
    Configured(ServerSecret),
    /// In a file next to the SQLite database. The file is generated if it does not exist.
    File(PathBuf),
}

impl SecretSource {
    pub fn read(reader: &mut Reader<'_>, values: &Values, database: Option<&Database>) -> Option<Self> {
        let source = match (values.secret.clone()?, values.secret_file.clone()?, database?) {
            (Some(_), Some(_), _) => Err("and STEWARD_SECRET_FILE are both set. Set only one of them"),
            (Some(secret), None, _) | (None, Some(secret), _) => Ok(Self::Configured(secret)),
            (None, None, Database::Sqlite(path)) => Ok(Self::File(path.with_extension("secret"))),
            (None, None, Database::Postgres(_)) => {
                Err("is required on PostgreSQL. Use at least 32 random characters, the same on every server")
            }
        };
        reader.record("STEWARD_SECRET", source)
    }
}

impl fmt::Debug for SecretSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Configured(_) => f.write_str("given"),
            Self::File(path) => write!(f, "in {}", path.display()),
        }
    }
}

/// Reads the secret from the file at this path.
pub fn secret_in_file(path: &str) -> Result<ServerSecret, String> {
    let text = std::fs::read_to_string(path).map_err(|error| format!("could not be read from {path}: {error}"))?;
    ServerSecret::parse(text.trim()).map_err(|error| format!("contains a secret that {error}"))
}
