//! Files that appear under their names only once they are complete: until then, each has a temporary name in the same
//! directory.

use std::fs::{File, Permissions};
use std::io;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use tempfile::NamedTempFile;

use super::if_exists;

/// Permissions of a file that is not secret, before those that the user's umask removes.
const SHARED_MODE: u32 = 0o666;

/// Returns the directory of a file.
pub fn directory_of(path: &Path) -> &Path {
    path.parent().filter(|directory| !directory.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Creates a temporary file in the directory of a file. Only its owner can read it.
pub fn create(path: &Path) -> io::Result<NamedTempFile> {
    NamedTempFile::new_in(directory_of(path))
}

/// Creates a temporary file with the permissions of the file that it will replace, or else with the usual ones.
pub fn create_shared(path: &Path) -> io::Result<NamedTempFile> {
    let permissions = Permissions::from_mode(SHARED_MODE);
    let file = tempfile::Builder::new().permissions(permissions).tempfile_in(directory_of(path))?;
    if let Some(replaced) = if_exists(path.metadata())? {
        file.as_file().set_permissions(replaced.permissions())?;
    }
    Ok(file)
}

/// Gives a complete file its name, and replaces an earlier file with this name.
pub fn persist(file: NamedTempFile, path: &Path) -> io::Result<()> {
    named(file, path, |file| Ok(file.persist(path).map(drop)?))
}

/// Gives a complete file its name. Fails if there is a file with this name.
pub fn persist_new(file: NamedTempFile, path: &Path) -> io::Result<()> {
    named(file, path, |file| match file.persist_noclobber(path) {
        Ok(_) => Ok(()),
        // Some file systems cannot do it in one step.
        Err(failed) if failed.error.kind() != io::ErrorKind::AlreadyExists && path.symlink_metadata().is_err() => {
            Ok(failed.file.persist(path).map(drop)?)
        }
        Err(failed) => Err(failed.error),
    })
}

fn named(file: NamedTempFile, path: &Path, name: impl FnOnce(NamedTempFile) -> io::Result<()>) -> io::Result<()> {
    // Opened first, so that nothing is replaced if it cannot be read. The name is on disk only once the directory is.
    let directory = File::open(directory_of(path))?;
    file.as_file().sync_all()?;
    name(file)?;
    directory.sync_all()
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::io::Write as _;

    use super::*;

    #[test]
    fn a_file_is_replaced_at_once_and_keeps_its_permissions() {
        let directory = tempfile::tempdir().unwrap();
        let (path, link) = (directory.path().join("schema.json"), directory.path().join("link"));
        fs::write(&path, "old").unwrap();
        fs::set_permissions(&path, Permissions::from_mode(0o640)).unwrap();
        fs::hard_link(&path, &link).unwrap();

        let mut file = create_shared(&path).unwrap();
        file.write_all(b"new").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "old", "The file is incomplete.");
        persist(file, &path).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "new");
        assert_eq!(fs::read_to_string(&link).unwrap(), "old", "The old file was changed instead of replaced.");
        assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o640);
        assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 2);
    }

    #[test]
    fn a_new_file_has_the_usual_permissions() {
        let directory = tempfile::tempdir().unwrap();
        let (usual, path) = (directory.path().join("usual"), directory.path().join("schema.json"));
        fs::write(&usual, "").unwrap();
        persist(create_shared(&path).unwrap(), &path).unwrap();
        let mode = |path: &Path| path.metadata().unwrap().permissions().mode();
        assert_eq!(mode(&path), mode(&usual));
    }

    #[test]
    fn an_incomplete_file_is_deleted() {
        let directory = tempfile::tempdir().unwrap();
        drop(create(&directory.path().join("items.csv")).unwrap());
        drop(create_shared(&directory.path().join("schema.json")).unwrap());
        assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 0);
    }

    #[test]
    fn a_name_without_a_directory_is_in_the_current_one() {
        assert_eq!(directory_of(Path::new("schema.json")), Path::new("."));
        assert_eq!(directory_of(Path::new("db/schema.json")), Path::new("db"));
    }
}
