//! The database.

use std::fmt;
use std::path::{Path, PathBuf};

use super::parts::missing;
use super::sqlite_file;

/// The database to use.
#[derive(Clone, PartialEq, Eq)]
pub enum Database {
    Sqlite(PathBuf),
    Postgres(String),
}

impl Database {
    pub fn parse(url: &str) -> Result<Self, String> {
        if let Some(path) = url.strip_prefix("sqlite://").filter(|path| !path.is_empty()) {
            sqlite_file::parse(path).map(Self::Sqlite)
        } else if url.starts_with("postgres://") || url.starts_with("postgresql://") {
            if cfg!(feature = "postgres") { Ok(Self::Postgres(url.to_owned())) } else { Err(missing("PostgreSQL")) }
        } else {
            Err("must start with sqlite:// or postgres://".to_owned())
        }
    }

    /// Returns the database that exists for a URL, whose relative path is in this directory, and what the operator
    /// should know. Only SQLite has a path.
    pub fn existing(self, url: Option<&str>, directory: &Path) -> Result<(Self, Option<String>), String> {
        let Self::Sqlite(path) = self else { return Ok((self, None)) };
        let path = directory.join(path);
        let earlier = url.and_then(|url| url.strip_prefix("sqlite://"));
        let Some(earlier) = earlier else { return Ok((Self::Sqlite(path), None)) };
        let (path, warning) = sqlite_file::existing(path, directory.join(earlier))?;
        Ok((Self::Sqlite(path), warning))
    }

    /// Returns the directory of the SQLite database.
    pub fn directory(&self) -> Option<&Path> {
        match self {
            Self::Sqlite(path) => path.parent(),
            Self::Postgres(_) => None,
        }
    }

    /// Returns the file beside the database with the highest known position.
    pub fn position_file(&self, data_directory: &Path) -> PathBuf {
        match self {
            Self::Sqlite(path) => path.with_extension("positions"),
            Self::Postgres(_) => data_directory.join("postgres.positions"),
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
