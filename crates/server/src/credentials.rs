//! The tokens of a person who signed in on the command line, in a file that only its owner can read.

use std::fs::{self, DirBuilder};
use std::io::{ErrorKind, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};
use serde::{Deserialize, Serialize};

/// The result of signing in.
#[derive(Clone, Serialize, Deserialize)]
pub struct Credentials {
    /// URL of the service.
    pub server: String,
    pub access_token: String,
    pub refresh_token: String,
}

/// Returns the path of the credentials file: the given one, or the default.
pub fn path(named: Option<&Path>) -> anyhow::Result<PathBuf> {
    if let Some(path) = named {
        return Ok(path.to_owned());
    }
    let set = |name| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let settings = set("XDG_CONFIG_HOME").or_else(|| set("HOME").map(|home| home.join(".config")));
    let settings = settings.context("Neither HOME nor XDG_CONFIG_HOME is set. Pass a file with --credentials.")?;
    Ok(settings.join("steward").join("credentials.json"))
}

/// Reads the credentials to use them. Fails if nobody is signed in, or if other users can read the file.
pub fn read(path: &Path) -> anyhow::Result<Credentials> {
    let credentials = read_for_sign_out(path)?;
    let mode = fs::metadata(path)?.permissions().mode();
    if mode & 0o077 != 0 {
        bail!("Other users can read {0}. Run `steward logout`, then `steward login`.", path.display());
    }
    Ok(credentials)
}

/// Reads the credentials to sign out, even if other users can read the file.
pub fn read_for_sign_out(path: &Path) -> anyhow::Result<Credentials> {
    let text = match fs::read_to_string(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => bail!("You are not signed in. Run `steward login`."),
        read => read.with_context(|| format!("Cannot read {}", path.display()))?,
    };
    serde_json::from_str(&text)
        .with_context(|| format!("{} is not a valid credentials file; run `steward login`", path.display()))
}

/// Replaces the credentials file atomically.
pub fn write(path: &Path, credentials: &Credentials) -> anyhow::Result<()> {
    let directory = path.parent().filter(|directory| !directory.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let store = || -> anyhow::Result<()> {
        DirBuilder::new().recursive(true).mode(0o700).create(directory)?;
        // Created with access for the owner only, and renamed once it is complete.
        let mut temporary = tempfile::NamedTempFile::new_in(directory)?;
        serde_json::to_writer_pretty(&mut temporary, credentials)?;
        temporary.flush()?;
        temporary.as_file().sync_all()?;
        temporary.persist(path)?;
        Ok(())
    };
    store().with_context(|| format!("Cannot write {}", path.display()))
}

/// Deletes the credentials file.
pub fn remove(path: &Path) -> anyhow::Result<()> {
    fs::remove_file(path).with_context(|| format!("Cannot delete {}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_owner_can_read_the_file() {
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
        assert!(read_for_sign_out(&path).is_ok());
    }
}
