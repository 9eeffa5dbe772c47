//! Says so when a start creates a database beside files of another one: `DATABASE_URL` may have the wrong name.

use std::ffi::OsStr;
use std::fs::{self, DirEntry, File};
use std::io::Read as _;
use std::path::Path;

use crate::config::{Config, Database};

/// How every file of SQLite begins.
const SQLITE_HEADER: &[u8; 16] = b"SQLite format 3\0";
/// Endings of the files that the service keeps next to a database.
const ENDINGS: [&str; 2] = ["secret", "positions"];
/// Maximum number of files that are looked at.
const MAX_FILES: usize = 1_000;
/// Maximum number of files that are named.
const MAX_NAMES: usize = 5;

/// Warns if the database does not exist, but other files of the service are in its directory.
pub fn warn(config: &Config) {
    let Database::Sqlite(path) = &config.database else { return };
    if let Some(found) = files_beside(path) {
        let path = path.display();
        tracing::warn!(
            "A new, empty database {path} is created beside {found}. If the service has data, stop it and correct \
             DATABASE_URL."
        );
    }
}

/// Returns the names of files of the service beside a database that does not exist.
fn files_beside(database: &Path) -> Option<String> {
    if database.exists() {
        return None;
    }
    let entries = fs::read_dir(database.parent()?).ok()?.flatten().take(MAX_FILES);
    let name = |entry: DirEntry| entry.file_name().to_string_lossy().into_owned();
    let mut names: Vec<String> = entries.filter(is_of_service).map(name).collect();
    names.sort();
    names.truncate(MAX_NAMES);
    Some(names.join(", ")).filter(|names| !names.is_empty())
}

fn is_of_service(entry: &DirEntry) -> bool {
    let path = entry.path();
    let is_beside_database = path.extension().and_then(OsStr::to_str).is_some_and(|ending| ENDINGS.contains(&ending));
    // Anything but a file may block.
    entry.file_type().is_ok_and(|kind| kind.is_file()) && (is_beside_database || is_database(&path))
}

fn is_database(path: &Path) -> bool {
    let mut start = [0; SQLITE_HEADER.len()];
    let read = File::open(path).and_then(|mut file| file.read_exact(&mut start));
    read.is_ok() && start == *SQLITE_HEADER
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_new_database_beside_files_of_the_service_is_noticed() {
        let directory = tempfile::tempdir().unwrap();
        let path = |name: &str| directory.path().join(name);
        let new = path("new.db");
        assert_eq!(files_beside(&path("nowhere/new.db")), None);
        fs::write(path("service.log"), "SQLite").unwrap();
        assert_eq!(files_beside(&new), None);
        fs::write(path("old"), [SQLITE_HEADER.as_slice(), b"more"].concat()).unwrap();
        fs::write(path("old.secret"), "x").unwrap();
        assert_eq!(files_beside(&new).as_deref(), Some("old, old.secret"));
        fs::write(&new, "").unwrap();
        assert_eq!(files_beside(&new), None);
    }
}
