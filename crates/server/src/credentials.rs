//! The tokens of a person who signed in at the command line: in one file, for its owner's eyes only.

use std::fs::{self, DirBuilder};
use std::io::{ErrorKind, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};
use serde::{Deserialize, Serialize};

/// What signing in left behind.
#[derive(Clone, Serialize, Deserialize)]
pub struct Credentials {
    /// The address of the service.
    pub server: String,
    pub access_token: String,
    pub refresh_token: String,
}

/// The file that holds them: the one that was named, or the usual one.
pub fn path(named: Option<&Path>) -> anyhow::Result<PathBuf> {
    if let Some(path) = named {
        return Ok(path.to_owned());
    }
    let set = |name| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let settings = set("XDG_CONFIG_HOME").or_else(|| set("HOME").map(|home| home.join(".config")));
    let settings = settings.context("neither HOME nor XDG_CONFIG_HOME is set; name a file with --credentials")?;
    Ok(settings.join("steward").join("credentials.json"))
}

/// Reads them, to use them. Fails when nobody is signed in, and when others may read the file.
pub fn read(path: &Path) -> anyhow::Result<Credentials> {
    let credentials = read_to_forget(path)?;
    let mode = fs::metadata(path)?.permissions().mode();
    if mode & 0o077 != 0 {
        bail!("others may read {0}; run steward logout, and steward login again", path.display());
    }
    Ok(credentials)
}

/// Reads them, to end them: also when others may read the file.
pub fn read_to_forget(path: &Path) -> anyhow::Result<Credentials> {
    let text = match fs::read_to_string(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => bail!("nobody is signed in; run steward login"),
        read => read.with_context(|| format!("{} cannot be read", path.display()))?,
    };
    serde_json::from_str(&text).with_context(|| format!("{} is damaged; run steward login", path.display()))
}

/// Stores them whole, over those that were there.
pub fn write(path: &Path, credentials: &Credentials) -> anyhow::Result<()> {
    let directory = path.parent().filter(|directory| !directory.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let stored = || -> anyhow::Result<()> {
        DirBuilder::new().recursive(true).mode(0o700).create(directory)?;
        // Made for its owner alone, and given the name only once it is whole.
        let mut draft = tempfile::NamedTempFile::new_in(directory)?;
        serde_json::to_writer_pretty(&mut draft, credentials)?;
        draft.flush()?;
        draft.as_file().sync_all()?;
        draft.persist(path)?;
        Ok(())
    };
    stored().with_context(|| format!("{} cannot be written", path.display()))
}

/// Forgets them.
pub fn remove(path: &Path) -> anyhow::Result<()> {
    fs::remove_file(path).with_context(|| format!("{} cannot be removed", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_their_owner_reads_them() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("settings").join("credentials.json");
        let error = read(&path).err().unwrap().to_string();
        assert!(error.contains("steward login"), "{error}");
        let token = || "secret".to_owned();
        let credentials = Credentials { server: "x".into(), access_token: token(), refresh_token: token() };
        for _ in 0..2 {
            write(&path, &credentials).unwrap();
        }
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        assert_eq!(read(&path).unwrap().refresh_token, "secret");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
        assert!(read(&path).err().unwrap().to_string().contains("steward logout"));
        assert!(read_to_forget(&path).is_ok());
    }
}
