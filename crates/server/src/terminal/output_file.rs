//! A file that a person named for the output of a command. An existing file is replaced only if the person agrees.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};
use tempfile::NamedTempFile;

use crate::files::{if_exists, temporary_file};

use super::{UsageError, prompt};

/// A file that may be written: there is none with this name, or it may be replaced.
#[derive(Debug)]
pub struct OutputFile {
    pub path: PathBuf,
    replaces: bool,
}

impl OutputFile {
    /// Asks whether an existing file may be replaced, unless the person agreed before, with `--yes`. A symbolic link
    /// itself is replaced, never the file that it refers to.
    pub fn new(path: &Path, is_confirmed: bool) -> anyhow::Result<Self> {
        let shown = path.display();
        let found = if_exists(path.symlink_metadata()).with_context(|| format!("Cannot write {shown}"))?;
        if found.as_ref().is_some_and(|found| !found.is_file() && !found.is_symlink()) {
            bail!(UsageError(format!("{shown} is not a regular file. Name another one.")));
        }
        let replaces = found.is_some();
        if replaces && !is_confirmed {
            prompt::confirm(&format!("{shown} exists. Replace it?"))?;
        }
        Ok(Self { path: path.to_owned(), replaces })
    }

    /// Gives a complete file, which is in the same directory, its name.
    pub fn persist(&self, file: NamedTempFile) -> anyhow::Result<()> {
        let persist = if self.replaces { temporary_file::persist } else { temporary_file::persist_new };
        persist(file, &self.path).with_context(|| self.cannot_write())
    }

    /// Writes a file that is not secret.
    pub fn write(&self, bytes: &[u8]) -> anyhow::Result<()> {
        let complete = || -> io::Result<NamedTempFile> {
            let mut file = temporary_file::create_shared(&self.path)?;
            io::Write::write_all(&mut file, bytes)?;
            Ok(file)
        };
        self.persist(complete().with_context(|| self.cannot_write())?)
    }

    /// Creates the file empty, for output that is of use although the command does not complete.
    pub fn create(&self) -> anyhow::Result<File> {
        if self.replaces {
            fs::remove_file(&self.path).with_context(|| self.cannot_write())?;
        }
        File::create_new(&self.path).with_context(|| self.cannot_write())
    }

    fn cannot_write(&self) -> String {
        format!("Cannot write {}", self.path.display())
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn an_existing_file_is_replaced_only_if_the_person_agrees() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("types.ts");
        OutputFile::new(&path, false).unwrap().write(b"old").unwrap();
        // Nobody can be asked here.
        let error = OutputFile::new(&path, false).unwrap_err();
        assert!(error.is::<UsageError>() && error.to_string().contains("--yes"), "{error:#}");
        assert_eq!(fs::read(&path).unwrap(), b"old");
        OutputFile::new(&path, true).unwrap().write(b"new").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"new");
        OutputFile::new(&path, true).unwrap().create().unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"");
    }

    #[test]
    fn a_file_that_appears_before_it_is_written_is_not_replaced() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("types.ts");
        let (written, created) = (OutputFile::new(&path, true).unwrap(), OutputFile::new(&path, false).unwrap());
        fs::write(&path, "other").unwrap();
        assert!(written.write(b"new").is_err() && created.create().is_err());
        assert_eq!(fs::read(&path).unwrap(), b"other");
        assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 1, "A temporary file is left.");
    }

    #[test]
    fn what_a_link_refers_to_and_devices_are_never_written() {
        let directory = tempfile::tempdir().unwrap();
        let (secret, link) = (directory.path().join("secret"), directory.path().join("types.ts"));
        fs::write(&secret, "secret").unwrap();
        for write in [|file: OutputFile| file.write(b"new"), |file: OutputFile| file.create().map(drop)] {
            drop(fs::remove_file(&link));
            symlink("secret", &link).unwrap();
            assert!(OutputFile::new(&link, false).is_err());
            write(OutputFile::new(&link, true).unwrap()).unwrap();
            assert_eq!((fs::read_to_string(&secret).unwrap().as_str(), link.is_symlink()), ("secret", false));
        }
        for path in [Path::new("/dev/null"), directory.path()] {
            assert!(OutputFile::new(path, true).unwrap_err().is::<UsageError>(), "{}", path.display());
        }
    }
}
