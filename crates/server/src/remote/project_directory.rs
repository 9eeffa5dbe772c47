//! The directory of a `steward.json`. The file may come from someone else, in a repository for example, so the paths in
//! it never lead out of this directory, and a file that another user could have written is not used at all.

use std::fs::{self, Metadata};
use std::io::{self, ErrorKind, Read as _, Write as _};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Component, Path, PathBuf};

use anyhow::Context as _;
use cap_std::ambient_authority;
use cap_std::fs::{Dir, OpenOptions};

use super::UsageError;
use super::profile::TRUSTED_DIRECTORY;

/// Permission bits of a group and of all others to write.
const GROUP_WRITES: u32 = 0o020;
const OTHERS_WRITE: u32 = 0o002;

/// Refuses a file that another user owns or can replace, unless the person trusts its directory.
pub fn check_owner(path: &Path, directory: &Path) -> anyhow::Result<()> {
    let is_trusted = std::env::var_os(TRUSTED_DIRECTORY).is_some_and(|trusted| {
        let resolved = |path: &Path| path.canonicalize().ok();
        resolved(Path::new(&trusted)).is_some_and(|trusted| resolved(directory) == Some(trusted))
    });
    if is_trusted {
        return Ok(());
    }
    let user = (rustix::process::geteuid().as_raw(), rustix::process::getegid().as_raw());
    for checked in [path, directory] {
        let metadata = fs::metadata(checked).with_context(|| format!("Cannot read {}", checked.display()))?;
        if let Some(reason) = distrust(&metadata, user) {
            return Err(UsageError(format!(
                "{} is not used, because {} {reason}. Change its owner and permissions, or set {TRUSTED_DIRECTORY} to {} if you trust its content.",
                path.display(),
                checked.display(),
                directory.display(),
            ))
            .into());
        }
    }
    Ok(())
}

/// Returns why another user could have written the file or directory.
fn distrust(metadata: &Metadata, (user, group): (u32, u32)) -> Option<&'static str> {
    let (mode, is_foreign_group) = (metadata.mode(), metadata.gid() != group);
    if metadata.uid() != user && metadata.uid() != 0 {
        Some("belongs to another user")
    } else if mode & OTHERS_WRITE != 0 || (mode & GROUP_WRITES != 0 && is_foreign_group) {
        Some("can be changed by other users")
    } else {
        None
    }
}

/// A file in a directory. Neither `..` nor a symbolic link leads out of the directory, also if it is changed while the
/// file is opened.
#[derive(Debug)]
pub struct ConfinedFile {
    directory: Dir,
    path: PathBuf,
    /// The path as people read it.
    shown: PathBuf,
}

impl ConfinedFile {
    /// Opens the directory. The file does not have to exist.
    pub fn new(directory: &Path, path: &Path) -> anyhow::Result<Self> {
        let shown = directory.join(path);
        if path.file_name().is_none() || path.components().any(|part| matches!(part, Component::RootDir)) {
            return Err(outside(&shown));
        }
        let opened = Dir::open_ambient_dir(directory, ambient_authority());
        let opened = opened.with_context(|| format!("Cannot read {}", directory.display()))?;
        Ok(Self { directory: opened, path: path.to_owned(), shown })
    }

    /// Returns the path as people read it.
    pub fn shown(&self) -> &Path {
        &self.shown
    }

    /// Returns the content; `None` if the file does not exist.
    pub fn read(&self) -> anyhow::Result<Option<Vec<u8>>> {
        let mut bytes = Vec::new();
        match self.directory.open(&self.path).and_then(|mut file| file.read_to_end(&mut bytes)) {
            Ok(_) => Ok(Some(bytes)),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(self.failed("read", error)),
        }
    }

    /// Writes a new file, with the directories above it.
    pub fn create(&self, text: &str) -> anyhow::Result<()> {
        let create = || -> io::Result<()> {
            if let Some(parent) = self.path.parent() {
                self.directory.create_dir_all(parent)?;
            }
            let mut file = self.directory.open_with(&self.path, OpenOptions::new().write(true).create_new(true))?;
            file.write_all(text.as_bytes())?;
            file.sync_all()
        };
        create().map_err(|error| self.failed("write", error))
    }

    /// Replaces the content at once. A file that exists keeps its permissions, and a symbolic link to it stays.
    pub fn replace(&self, text: &str) -> anyhow::Result<()> {
        self.try_replace(text).map_err(|error| self.failed("write", error))
    }

    fn try_replace(&self, text: &str) -> io::Result<()> {
        let target = match self.directory.canonicalize(&self.path) {
            Ok(target) => target,
            Err(error) if error.kind() == ErrorKind::NotFound => self.path.clone(),
            Err(error) => return Err(error),
        };
        let parent = target.parent().filter(|parent| !parent.as_os_str().is_empty());
        let parent = self.directory.open_dir(parent.unwrap_or(Path::new(".")))?;
        let name = target.file_name().ok_or(ErrorKind::InvalidInput)?;
        let mut temporary = name.to_owned();
        temporary.push(format!(".{}.tmp", std::process::id()));
        let mut file = parent.open_with(&temporary, OpenOptions::new().write(true).create_new(true))?;
        let mut complete = || -> io::Result<()> {
            if let Ok(replaced) = parent.metadata(name) {
                file.set_permissions(replaced.permissions())?;
            }
            file.write_all(text.as_bytes())?;
            file.sync_all()?;
            parent.rename(&temporary, &parent, name)?;
            // The name is on disk only once the directory is.
            parent.open(".")?.sync_all()
        };
        complete().inspect_err(|_| drop(parent.remove_file(&temporary)))
    }

    fn failed(&self, action: &str, error: io::Error) -> anyhow::Error {
        // What cap-std returns for a path that leads out of the directory has no error number of the system.
        if error.kind() == ErrorKind::PermissionDenied && error.raw_os_error().is_none() {
            return outside(&self.shown);
        }
        anyhow::Error::new(error).context(format!("Cannot {action} {}", self.shown.display()))
    }
}

fn outside(path: &Path) -> anyhow::Error {
    let message = format!(
        "The schema file {} is outside the directory of steward.json. Name a file in that directory, or pass --file.",
        path.display(),
    );
    UsageError(message).into()
}

#[cfg(test)]
mod tests {
    use std::fs::Permissions;
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    use super::*;

    fn confined(directory: &Path, path: &str) -> anyhow::Result<ConfinedFile> {
        ConfinedFile::new(directory, Path::new(path))
    }

    #[test]
    fn a_path_out_of_the_directory_is_neither_read_nor_written() {
        let root = tempfile::tempdir().unwrap();
        let (project, outer) = (root.path().join("project"), root.path().join("secret.json"));
        fs::create_dir_all(project.join("db")).unwrap();
        fs::write(&outer, "secret").unwrap();
        symlink(&outer, project.join("absolute.json")).unwrap();
        symlink("../secret.json", project.join("relative.json")).unwrap();
        symlink(root.path(), project.join("up")).unwrap();
        symlink("../new.json", project.join("dangling.json")).unwrap();
        let absolute = outer.to_str().unwrap().to_owned();
        for path in [
            absolute.as_str(),
            "../secret.json",
            "db/../../secret.json",
            "absolute.json",
            "relative.json",
            "up/secret.json",
            "up/new.json",
            "..",
        ] {
            let Ok(file) = confined(&project, path) else { continue };
            for result in [file.read().map(drop), file.replace("attack"), file.create("attack")] {
                let error = result.unwrap_err();
                assert!(error.is::<UsageError>() || path.ends_with(".json"), "{path}: {error:#}");
            }
        }
        drop(confined(&project, "dangling.json").unwrap().replace("attack"));
        assert_eq!(fs::read_to_string(&outer).unwrap(), "secret");
        assert!(!root.path().join("new.json").exists(), "A file outside was created.");
        assert_eq!(fs::read_dir(root.path()).unwrap().count(), 2);
        assert!(confined(&project, &absolute).unwrap_err().to_string().contains("outside the directory"));
        let error = confined(&project, "../secret.json").unwrap().read().unwrap_err();
        assert!(error.is::<UsageError>() && error.to_string().contains("--file"), "{error:#}");
    }

    #[test]
    fn a_file_in_the_directory_is_created_and_replaced_with_its_permissions() {
        let root = tempfile::tempdir().unwrap();
        fs::create_dir(root.path().join("shared")).unwrap();
        symlink("shared/schema.json", root.path().join("link.json")).unwrap();
        let file = confined(root.path(), "db/schema.json").unwrap();
        assert_eq!(file.read().unwrap(), None);
        file.create("1").unwrap();
        assert!(file.create("2").is_err(), "An existing file was overwritten.");
        fs::set_permissions(file.shown(), Permissions::from_mode(0o640)).unwrap();
        file.replace("3").unwrap();
        assert_eq!(file.read().unwrap().unwrap(), b"3");
        assert_eq!(file.shown().metadata().unwrap().permissions().mode() & 0o777, 0o640);
        assert_eq!(fs::read_dir(root.path().join("db")).unwrap().count(), 1, "A temporary file is left.");

        fs::write(root.path().join("shared/schema.json"), "old").unwrap();
        let link = confined(root.path(), "link.json").unwrap();
        link.replace("new").unwrap();
        assert!(root.path().join("link.json").is_symlink());
        assert_eq!(fs::read_to_string(root.path().join("shared/schema.json")).unwrap(), "new");
    }

    #[test]
    fn files_that_others_own_or_can_change_are_not_trusted() {
        let root = tempfile::tempdir().unwrap();
        let path = root.path().join("steward.json");
        fs::write(&path, "{}").unwrap();
        let metadata = |mode| {
            fs::set_permissions(&path, Permissions::from_mode(mode)).unwrap();
            fs::metadata(&path).unwrap()
        };
        let own = metadata(0o644);
        let user = (own.uid(), own.gid());
        assert_eq!(distrust(&own, user), None);
        assert_eq!(distrust(&metadata(0o664), user), None, "The group of the user is trusted.");
        assert!(distrust(&metadata(0o664), (user.0, user.1 + 1)).is_some());
        assert!(distrust(&metadata(0o666), user).is_some());
        let foreign = distrust(&metadata(0o644), (user.0 + 1, user.1));
        assert_eq!(foreign.is_none(), user.0 == 0, "Only the files of root are trusted.");
    }
}
