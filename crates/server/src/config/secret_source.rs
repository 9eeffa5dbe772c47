//! The secret that encrypts the server's keys in the database.

use std::fmt;
use std::path::PathBuf;

use steward_crypto::ServerSecret;

use super::database::Database;
use super::settings::{Reader, Values};

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
