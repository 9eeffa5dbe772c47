//! The files of the service contain password hashes, secrets and personal data, so only their owner may read them. New
//! ones are created like that, whatever the umask. Wider permissions of existing ones are reported and removed.

use std::fmt;
use std::fs::{self, File, Metadata, Permissions};
use std::io::stderr;
use std::os::fd::AsFd as _;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use crate::config::{Blobs, Config, Database, SecretSource};

/// The permissions of users other than the owner.
const OTHERS: u32 = 0o077;
/// The permissions that let users other than the owner replace the files of a directory, and the bit that prevents it.
const OTHERS_WRITE: u32 = 0o022;
const STICKY: u32 = 0o1000;
/// Endings of the files that SQLite keeps next to the database.
const SQLITE_FILES: [&str; 4] = ["", "-wal", "-shm", "-journal"];
/// Settings that name a file of the operator, which may contain secrets.
const OPERATOR_FILES: [&str; 2] = ["STEWARD_SECRET_FILE", "STEWARD_CONFIG"];
/// Beginnings of the lines of a configuration file that contain secrets.
const SECRET_LINES: [&str; 5] = ["secret", "database_url", "smtp_url", "s3_secret", "\"secret"];
/// Maximum number of images whose permissions are checked.
const MAX_IMAGES: usize = 10_000;

/// A file or directory whose permissions are too wide.
pub struct Exposed {
    name: String,
    mode: u32,
    /// The permissions that it should have. `None` if the operator decides.
    private: Option<u32>,
    target: Target,
}

enum Target {
    /// A directory that belongs to the operator.
    Directory,
    File(PathBuf),
    /// The file to which the log is written.
    Log(File),
}

impl fmt::Display for Exposed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, mode, .. } = self;
        let (verb, advice) = match &self.target {
            Target::Directory => ("replace files in", format!("Run: chmod go-w {name}")),
            Target::File(_) => ("access", format!("Run: chmod go= {name}")),
            Target::Log(_) => ("access", "Change the permissions of its file.".to_owned()),
        };
        write!(f, "Other users can {verb} {name} (mode {mode:03o}). {advice}")
    }
}

impl Exposed {
    /// Removes the permissions of other users. Returns whether it was possible.
    fn protect(&self) -> bool {
        let Some(private) = self.private.map(Permissions::from_mode) else { return false };
        match &self.target {
            Target::Directory => false,
            Target::File(path) => fs::set_permissions(path, private).is_ok(),
            Target::Log(file) => file.set_permissions(private).is_ok(),
        }
    }
}

/// Removes the permissions of other users from the files of the service, and logs which ones had them.
pub fn protect(config: &Config) {
    for exposed in exposed(config) {
        if exposed.protect() {
            let (name, mode) = (&exposed.name, exposed.mode);
            tracing::warn!("Other users could access {name} (mode {mode:03o}). Now only its owner can.");
        } else {
            tracing::warn!("{exposed}");
        }
    }
}

/// Returns the files that users other than the owner can access, and the directories in which they can replace files.
pub fn exposed(config: &Config) -> Vec<Exposed> {
    let mut found = Vec::new();
    if let Database::Sqlite(path) = &config.database {
        found.extend(SQLITE_FILES.iter().filter_map(|ending| own_file(with_ending(path, ending))));
        found.extend(path.parent().and_then(replaceable));
    }
    if let SecretSource::File(path) = &config.secret {
        found.extend(own_file(path.clone()));
    }
    if let Blobs::Directory(directory) = &config.blobs {
        found.extend(images(directory));
        found.extend(replaceable(directory));
    }
    found.extend(OPERATOR_FILES.iter().filter_map(|name| operator_file(config, name)));
    found.extend(log_file());
    found
}

fn with_ending(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    name.into()
}

/// Returns a file of the service if others can access it.
fn own_file(path: PathBuf) -> Option<Exposed> {
    accessible(path.display().to_string(), &fs::metadata(&path).ok()?, Target::File(path))
}

fn accessible(name: String, metadata: &Metadata, target: Target) -> Option<Exposed> {
    let mode = permissions(metadata);
    (mode & OTHERS != 0).then_some(Exposed { name, mode, private: Some(mode & !OTHERS), target })
}

/// Returns the images that others can access. Links are not followed.
fn images(directory: &Path) -> Vec<Exposed> {
    let Ok(entries) = fs::read_dir(directory) else { return Vec::new() };
    let is_file = |entry: &fs::DirEntry| entry.file_type().is_ok_and(|kind| kind.is_file());
    let files = entries.flatten().take(MAX_IMAGES).filter(is_file);
    files.filter_map(|entry| own_file(entry.path())).collect()
}

/// Returns a file that belongs to the operator if others can access it and it contains secrets.
fn operator_file(config: &Config, name: &str) -> Option<Exposed> {
    let setting = config.settings.iter().find(|setting| setting.name == name && !setting.is_default)?;
    let path = PathBuf::from(&setting.value);
    let exposed = own_file(path.clone())?;
    let holds_secret = name != "STEWARD_CONFIG"
        || fs::read_to_string(path).is_ok_and(|text| {
            text.lines().any(|line| SECRET_LINES.iter().any(|start| line.trim_start().starts_with(start)))
        });
    holds_secret.then_some(Exposed { private: None, ..exposed })
}

/// Returns a directory if others can replace its files.
fn replaceable(directory: &Path) -> Option<Exposed> {
    let directory = if directory.as_os_str().is_empty() { Path::new(".") } else { directory };
    let mode = permissions(&fs::metadata(directory).ok()?);
    let is_replaceable = mode & OTHERS_WRITE != 0 && mode & STICKY == 0;
    let name = directory.display().to_string();
    is_replaceable.then_some(Exposed { name, mode, private: None, target: Target::Directory })
}

/// Returns the log if it is a file that others can access: without a mail server it contains the links of emails.
fn log_file() -> Option<Exposed> {
    let file = File::from(stderr().as_fd().try_clone_to_owned().ok()?);
    let metadata = file.metadata().ok().filter(Metadata::is_file)?;
    accessible("the log (standard error)".to_owned(), &metadata, Target::Log(file))
}

fn permissions(metadata: &Metadata) -> u32 {
    metadata.mode() & 0o7777
}
