//! The directory of a `steward.json`. The file may come from someone else, in a repository for example, so the paths in
//! it never lead out of this directory, and a file that another user could have written is not used at all.

use std::io::{self, ErrorKind, Read as _, Write as _};
use std::path::{Component, Path, PathBuf};

use anyhow::{Context as _, bail};
use cap_std::ambient_authority;
use cap_std::fs::{Dir, File, Metadata, MetadataExt as _, OpenOptions, OpenOptionsExt as _};
use rustix::fs::OFlags;
use rustix::io::Errno;

use crate::files::if_exists;
use crate::remote::profile::TRUSTED_DIRECTORY;
use crate::terminal::UsageError;

/// Maximum number of bytes that are read of a file.
const MAX_BYTES: u64 = 16 * 1024 * 1024;

/// Permission bits of a group and of all others to write.
const GROUP_WRITES: u32 = 0o020;
const OTHERS_WRITE: u32 = 0o002;

/// A directory that stays the same one, also if someone gives its name to another.
#[derive(Debug)]
pub struct ProjectDirectory {
    directory: Dir,
    pub path: PathBuf,
}

impl ProjectDirectory {
    /// Opens a directory.
    pub fn open(path: &Path) -> io::Result<Self> {
        let directory = Dir::open_ambient_dir(path, ambient_authority())?;
        Ok(Self { directory, path: path.to_owned() })
    }

    /// Opens the current directory.
    pub fn current() -> anyhow::Result<Self> {
        let path = std::env::current_dir().context("Cannot get the current directory")?;
        Self::open(&path).with_context(|| format!("Cannot read {}", path.display()))
    }

    /// Reads a file in the directory itself; `None` if there is none. Refuses a symbolic link, and a file that another
    /// user owns or can replace, unless the person trusts the directory.
    pub fn read_trusted(&self, name: &str) -> anyhow::Result<Option<Vec<u8>>> {
        let path = self.path.join(name);
        let cannot_read = || format!("Cannot read {}", path.display());
        let mut options = OpenOptions::new();
        let file = match self.directory.open_with(name, options.read(true).custom_flags(flags(OFlags::NOFOLLOW))) {
            Ok(file) => file,
            Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::PermissionDenied) => return Ok(None),
            Err(error) if error.raw_os_error() == Some(Errno::LOOP.raw_os_error()) => {
                let path = path.display();
                bail!(UsageError(format!(
                    "{path} is not used, because it is a symbolic link. Replace it by the file."
                )));
            }
            Err(error) => return Err(error).with_context(cannot_read),
        };
        if !self.is_trusted() {
            self.check_owner(&path, &path, &file.metadata().with_context(cannot_read)?)?;
            self.check_owner(&path, &self.path, &self.directory.dir_metadata().with_context(cannot_read)?)?;
        }
        content(file).map(Some).with_context(cannot_read)
    }

    fn is_trusted(&self) -> bool {
        let Some(trusted) = std::env::var_os(TRUSTED_DIRECTORY) else { return false };
        let trusted = Dir::open_ambient_dir(trusted, ambient_authority()).and_then(|trusted| trusted.dir_metadata());
        match (trusted, self.directory.dir_metadata()) {
            (Ok(trusted), Ok(own)) => (trusted.dev(), trusted.ino()) == (own.dev(), own.ino()),
            _ => false,
        }
    }

    fn check_owner(&self, path: &Path, checked: &Path, metadata: &Metadata) -> anyhow::Result<()> {
        let user = (rustix::process::geteuid().as_raw(), rustix::process::getegid().as_raw());
        let Some(reason) = distrust(metadata, user) else { return Ok(()) };
        let (path, checked, directory) = (path.display(), checked.display(), self.path.display());
        bail!(UsageError(format!(
            "{path} is not used, because {checked} {reason}. Change its owner and permissions, or set \
             {TRUSTED_DIRECTORY} to {directory} if you trust its content."
        )))
    }

    /// Returns a file in the directory, or below it. The file does not have to exist.
    pub fn file(&self, path: &Path) -> anyhow::Result<ConfinedFile> {
        let shown = self.path.join(path);
        if path.file_name().is_none() || path.components().any(|part| matches!(part, Component::RootDir)) {
            return Err(outside(&shown));
        }
        let directory = self.directory.try_clone().with_context(|| format!("Cannot read {}", self.path.display()))?;
        Ok(ConfinedFile { directory, path: path.to_owned(), shown })
    }
}

/// Returns the flags with which a file is opened whose name another person may have chosen: a pipe must not block.
fn flags(others: OFlags) -> i32 {
    (OFlags::NONBLOCK | others).bits().cast_signed()
}

/// Reads a regular file of limited size.
fn content(file: File) -> io::Result<Vec<u8>> {
    if !file.metadata()?.is_file() {
        return Err(io::Error::other("It is not a regular file."));
    }
    let mut bytes = Vec::new();
    let read = file.take(MAX_BYTES + 1).read_to_end(&mut bytes)?;
    if u64::try_from(read).is_ok_and(|read| read > MAX_BYTES) {
        return Err(io::Error::other(format!("It is larger than {MAX_BYTES} bytes.")));
    }
    Ok(bytes)
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
    pub shown: PathBuf,
}

impl ConfinedFile {
    /// Returns the content; `None` if the file does not exist.
    pub fn read(&self) -> anyhow::Result<Option<Vec<u8>>> {
        let mut options = OpenOptions::new();
        let opened = self.directory.open_with(&self.path, options.read(true).custom_flags(flags(OFlags::empty())));
        if_exists(opened.and_then(content)).map_err(|error| self.failed("read", error))
    }

    /// Returns whether there is a file or anything else with this name, also a symbolic link that leads nowhere.
    pub fn exists(&self) -> anyhow::Result<bool> {
        match if_exists(self.directory.symlink_metadata(&self.path)) {
            // A file has the name of a directory above it.
            Err(error) if error.kind() == ErrorKind::NotADirectory => Ok(true),
            found => Ok(found.map_err(|error| self.failed("read", error))?.is_some()),
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
        let target = if_exists(self.directory.canonicalize(&self.path))?.unwrap_or_else(|| self.path.clone());
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
        "The file {} is outside the directory of steward.json. Name a file in that directory, or pass --file.",
        path.display(),
    );
    UsageError(message).into()
}

#[cfg(test)]
mod tests {
    use std::fs::{self, Permissions};
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    use super::*;

    fn confined(directory: &Path, path: &str) -> anyhow::Result<ConfinedFile> {
        ProjectDirectory::open(directory)?.file(Path::new(path))
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
        fs::set_permissions(&file.shown, Permissions::from_mode(0o640)).unwrap();
        file.replace("3").unwrap();
        assert_eq!(file.read().unwrap().unwrap(), b"3");
        assert_eq!(&file.shown.metadata().unwrap().permissions().mode() & 0o777, 0o640);
        assert_eq!(fs::read_dir(root.path().join("db")).unwrap().count(), 1, "A temporary file is left.");

        fs::write(root.path().join("shared/schema.json"), "old").unwrap();
        let link = confined(root.path(), "link.json").unwrap();
        link.replace("new").unwrap();
        assert!(root.path().join("link.json").is_symlink());
        assert_eq!(fs::read_to_string(root.path().join("shared/schema.json")).unwrap(), "new");
    }

    #[test]
    fn pipes_links_and_huge_files_are_not_read() {
        let root = tempfile::tempdir().unwrap();
        let directory = ProjectDirectory::open(root.path()).unwrap();
        assert_eq!(directory.read_trusted("steward.json").unwrap(), None);
        fs::write(root.path().join("other.json"), "{}").unwrap();
        symlink("other.json", root.path().join("steward.json")).unwrap();
        let error = directory.read_trusted("steward.json").unwrap_err();
        assert!(error.to_string().contains("symbolic link"), "{error:#}");
        fs::File::create(root.path().join("huge.json")).unwrap().set_len(MAX_BYTES + 1).unwrap();
        let pipe = std::process::Command::new("mkfifo").arg(root.path().join("pipe.json")).status();
        assert!(pipe.unwrap().success());
        for name in ["pipe.json", "huge.json", "."] {
            assert!(directory.read_trusted(name).is_err(), "{name}");
            assert!(directory.file(Path::new(name)).and_then(|file| file.read()).is_err(), "{name}");
        }
    }

    #[test]
    fn the_directory_stays_the_same_one() {
        let root = tempfile::tempdir().unwrap();
        let (before, after) = (root.path().join("project"), root.path().join("moved"));
        fs::create_dir(&before).unwrap();
        fs::write(before.join("schema.json"), "own").unwrap();
        let file = confined(&before, "schema.json").unwrap();
        fs::rename(&before, &after).unwrap();
        fs::create_dir(&before).unwrap();
        fs::write(before.join("schema.json"), "attack").unwrap();
        assert_eq!(file.read().unwrap().unwrap(), b"own");
    }

    #[test]
    fn files_that_others_own_or_can_change_are_not_trusted() {
        let root = tempfile::tempdir().unwrap();
        let path = root.path().join("steward.json");
        fs::write(&path, "{}").unwrap();
        let metadata = |mode| {
            fs::set_permissions(&path, Permissions::from_mode(mode)).unwrap();
            Dir::open_ambient_dir(root.path(), ambient_authority()).unwrap().metadata("steward.json").unwrap()
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
