//! What is known of positions outside the database, so that a database that was restored to an earlier state is noticed.

use std::fs::{self, DirBuilder, OpenOptions};
use std::hash::{BuildHasher as _, Hasher as _, RandomState};
use std::io::{self, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::sync::{Mutex, PoisonError};

/// The highest position that this process knows of, and those before it with the same file.
#[derive(Debug)]
pub(crate) struct PositionMarker {
    known: AtomicI64,
    /// Locked while it is written, so that it does not get an earlier position.
    file: Option<Mutex<PathBuf>>,
    has_failed: AtomicBool,
    /// Whether this process has committed a change with positions, so that it has a domain.
    pub(crate) has_domain: AtomicBool,
    /// A random number that identifies this process.
    pub(crate) process: i64,
}

impl Default for PositionMarker {
    /// Creates a marker that is kept in memory only.
    fn default() -> Self {
        let random = RandomState::new().build_hasher().finish();
        let process = i64::try_from(random >> 1).unwrap_or_default();
        Self {
            known: AtomicI64::new(0),
            file: None,
            has_failed: AtomicBool::new(false),
            has_domain: AtomicBool::new(false),
            process,
        }
    }
}

impl PositionMarker {
    /// Reads the marker in a file, which need not exist.
    pub(crate) fn in_file(file: &Path) -> io::Result<Self> {
        let known = read(file)?;
        Ok(Self { known: AtomicI64::new(known), file: Some(Mutex::new(file.to_owned())), ..Self::default() })
    }

    pub(crate) fn position(&self) -> i64 {
        self.known.load(Ordering::Relaxed)
    }

    /// Records a higher position. Only the first failure is logged: without the file, fewer restores are noticed.
    pub(crate) fn raise(&self, position: i64) {
        if self.known.fetch_max(position, Ordering::Relaxed) >= position {
            return;
        }
        let Some(file) = &self.file else { return };
        let file = file.lock().unwrap_or_else(PoisonError::into_inner);
        // Several processes may share the file.
        let part = file.with_extension(format!("{:x}.part", self.process));
        let highest = self.position().max(read(&file).unwrap_or_default());
        let written = write_private(&part, &format!("{highest}\n")).and_then(|()| fs::rename(&part, &*file));
        if let Err(error) = written
            && !self.has_failed.swap(true, Ordering::Relaxed)
        {
            tracing::warn!(file = %file.display(), %error, "Unable to record the last known position.");
        }
    }
}

/// Returns the position in a file; 0 if it does not exist, or is empty because the machine lost power.
fn read(file: &Path) -> io::Result<i64> {
    let text = match fs::read_to_string(file) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(0),
        text => text?,
    };
    let invalid = |error| io::Error::new(io::ErrorKind::InvalidData, format!("{}: {error}", file.display()));
    if text.is_empty() { Ok(0) } else { text.trim().parse().map_err(invalid) }
}

/// Writes a file that only its owner can read, whatever the umask, and creates its directory: with PostgreSQL, nothing
/// else may need the data directory.
fn write_private(file: &Path, text: &str) -> io::Result<()> {
    if let Some(directory) = file.parent().filter(|directory| !directory.as_os_str().is_empty()) {
        DirBuilder::new().recursive(true).mode(0o700).create(directory)?;
    }
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(true).mode(0o600).open(file)?.write_all(text.as_bytes())
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    #[test]
    fn a_marker_keeps_the_highest_position() {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("data/positions");
        let marker = PositionMarker::in_file(&file).unwrap();
        assert_eq!(marker.position(), 0);
        marker.raise(7);
        marker.raise(5);
        assert_eq!(PositionMarker::in_file(&file).unwrap().position(), 7);
        let other = PositionMarker::in_file(&file).unwrap();
        other.raise(9);
        marker.raise(8);
        assert_eq!(PositionMarker::in_file(&file).unwrap().position(), 9);
        fs::write(&file, "7,").unwrap();
        assert!(PositionMarker::in_file(&file).is_err());
        assert_eq!(fs::metadata(directory.path().join("data")).unwrap().permissions().mode() & 0o777, 0o700);
        assert_ne!(PositionMarker::default().process, PositionMarker::default().process);
    }
}
