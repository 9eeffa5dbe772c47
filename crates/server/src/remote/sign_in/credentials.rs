//! The tokens of a person who signed in on the command line, in a file that only its owner can read.

use std::collections::BTreeMap;
use std::fs::{self, DirBuilder, File, OpenOptions, TryLockError};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context as _, bail};
use serde::{Deserialize, Serialize};
use tokio::time::sleep;

use crate::files::{if_exists, temporary_file};

/// The profile that is used unless another one is named.
pub const DEFAULT_PROFILE: &str = "default";

/// How often, and how many times, to try to lock the file. Another process holds the lock for one refresh at most.
const LOCK_INTERVAL: Duration = Duration::from_millis(50);
const MAX_LOCK_ATTEMPTS: u32 = 2_000;

/// The result of signing in.
#[derive(Clone, Serialize, Deserialize)]
pub struct Credentials {
    /// URL of the service.
    pub server: String,
    pub access_token: String,
    pub refresh_token: String,
}

/// The content of the file: one sign-in per profile. The default profile is at the top level, where versions without
/// profiles store their only sign-in.
#[derive(Default, Serialize, Deserialize)]
pub struct Profiles {
    #[serde(flatten)]
    default: Option<Credentials>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    profiles: BTreeMap<String, Credentials>,
}

impl Profiles {
    /// Returns the sign-in of a profile.
    pub fn get(&self, name: &str) -> Option<&Credentials> {
        if name == DEFAULT_PROFILE { self.default.as_ref() } else { self.profiles.get(name) }
    }

    /// Returns the names and sign-ins, the default profile first.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Credentials)> {
        let default = self.default.iter().map(|credentials| (DEFAULT_PROFILE, credentials));
        default.chain(self.profiles.iter().map(|(name, credentials)| (name.as_str(), credentials)))
    }

    /// Sets the sign-in of a profile, or removes the profile.
    pub fn set(&mut self, name: &str, credentials: Option<Credentials>) {
        match credentials {
            credentials if name == DEFAULT_PROFILE => self.default = credentials,
            Some(credentials) => drop(self.profiles.insert(name.to_owned(), credentials)),
            None => drop(self.profiles.remove(name)),
        }
    }
}

/// The file. It is created with the first sign-in.
#[derive(Clone)]
pub struct CredentialsFile {
    pub path: PathBuf,
}

/// The right to change the file. Without it, one process could overwrite the tokens that another one refreshed.
pub struct Lock {
    _file: File,
}

impl CredentialsFile {
    /// Returns the given file, or the default one.
    pub fn locate(named: Option<&Path>) -> anyhow::Result<Self> {
        if let Some(path) = named {
            return Ok(Self { path: path.to_owned() });
        }
        let set = |name| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
        let settings = set("XDG_CONFIG_HOME").or_else(|| set("HOME").map(|home| home.join(".config")));
        let settings = settings.context("Neither HOME nor XDG_CONFIG_HOME is set. Pass a file with --credentials.")?;
        Ok(Self { path: settings.join("steward").join("credentials.json") })
    }

    /// Reads the profiles to use them. Fails if other users can read the file.
    pub fn read(&self) -> anyhow::Result<Profiles> {
        let profiles = self.read_for_sign_out()?;
        match fs::metadata(&self.path) {
            Ok(metadata) if metadata.permissions().mode() & 0o077 != 0 => {
                bail!("Other users can read {0}. Run `steward logout`, then `steward login`.", self.path.display())
            }
            _ => Ok(profiles),
        }
    }

    /// Reads the profiles to sign out, even if other users can read the file. There are none if there is no file.
    pub fn read_for_sign_out(&self) -> anyhow::Result<Profiles> {
        let text = if_exists(fs::read_to_string(&self.path));
        let text = text.with_context(|| format!("Cannot read {}", self.path.display()))?;
        let Some(text) = text else { return Ok(Profiles::default()) };
        serde_json::from_str(&text).with_context(|| {
            format!("{} is not a valid credentials file; delete it and run `steward login`", self.path.display())
        })
    }

    /// Waits until no other process changes the file.
    pub async fn lock(&self) -> anyhow::Result<Lock> {
        let path = self.path.with_added_extension("lock");
        let open = || -> anyhow::Result<File> {
            self.create_directory()?;
            Ok(OpenOptions::new().create(true).truncate(false).write(true).mode(0o600).open(&path)?)
        };
        let file = open().with_context(|| format!("Cannot lock {}", self.path.display()))?;
        for _ in 0..MAX_LOCK_ATTEMPTS {
            match file.try_lock() {
                Ok(()) => return Ok(Lock { _file: file }),
                Err(TryLockError::WouldBlock) => sleep(LOCK_INTERVAL).await,
                Err(TryLockError::Error(error)) => {
                    return Err(error).with_context(|| format!("Cannot lock {}", self.path.display()));
                }
            }
        }
        bail!("Another process is using {}. Try again.", self.path.display())
    }

    /// Replaces the file atomically, or deletes it if there are no profiles.
    pub fn write(&self, _lock: &Lock, profiles: &Profiles) -> anyhow::Result<()> {
        let store = || -> anyhow::Result<()> {
            if profiles.iter().next().is_none() {
                if_exists(fs::remove_file(&self.path))?;
                return Ok(());
            }
            self.create_directory()?;
            let mut file = temporary_file::create(&self.path)?;
            serde_json::to_writer_pretty(&mut file, profiles)?;
            Ok(temporary_file::persist(file, &self.path)?)
        };
        store().with_context(|| format!("Cannot write {}", self.path.display()))
    }

    fn create_directory(&self) -> anyhow::Result<()> {
        Ok(DirBuilder::new().recursive(true).mode(0o700).create(temporary_file::directory_of(&self.path))?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn credentials(server: &str) -> Credentials {
        Credentials { server: server.into(), access_token: "access".into(), refresh_token: "refresh".into() }
    }

    #[tokio::test]
    async fn only_the_owner_can_read_the_file() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("settings").join("credentials.json");
        let file = CredentialsFile::locate(Some(&path)).unwrap();
        assert!(file.read().unwrap().iter().next().is_none());
        let mut profiles = Profiles::default();
        profiles.set(DEFAULT_PROFILE, Some(credentials("x")));
        for _ in 0..2 {
            file.write(&file.lock().await.unwrap(), &profiles).unwrap();
        }
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        assert_eq!(file.read().unwrap().get(DEFAULT_PROFILE).unwrap().refresh_token, "refresh");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
        assert!(file.read().err().unwrap().to_string().contains("steward logout"));
        assert!(file.read_for_sign_out().is_ok());
        file.write(&file.lock().await.unwrap(), &Profiles::default()).unwrap();
        assert!(!path.exists());
    }

    #[test]
    fn a_file_without_profiles_is_the_default_profile() {
        let text = r#"{"server": "x", "access_token": "access", "refresh_token": "refresh"}"#;
        let mut profiles: Profiles = serde_json::from_str(text).unwrap();
        profiles.set("other", Some(credentials("y")));
        let stored = serde_json::to_value(&profiles).unwrap();
        assert_eq!((&stored["server"], &stored["profiles"]["other"]["server"]), (&"x".into(), &"y".into()));
        let names: Vec<_> = profiles.iter().map(|(name, _)| name).collect();
        assert_eq!(names, [DEFAULT_PROFILE, "other"]);
    }

    #[tokio::test]
    async fn only_one_process_changes_the_file_at_a_time() {
        let directory = tempfile::tempdir().unwrap();
        let file = CredentialsFile::locate(Some(&directory.path().join("credentials.json"))).unwrap();
        let lock = file.lock().await.unwrap();
        let other = file.clone();
        let waiting = tokio::spawn(async move { other.lock().await.map(drop) });
        tokio::task::yield_now().await;
        assert!(!waiting.is_finished());
        drop(lock);
        waiting.await.unwrap().unwrap();
    }
}
