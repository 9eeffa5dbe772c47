//! The server secret on SQLite: generated once, next to the database, in a file that only its owner can read.

use std::fs;
use std::io::{ErrorKind, Write as _};
use std::path::Path;

use anyhow::Context as _;
use steward_crypto::{ServerSecret, SystemSecrets};
use steward_domain::kernel::{SecretGenerator as _, hex};

use super::temporary_file;

/// Reads the secret, or generates it if it does not exist. Two processes that generate it at the same time read the
/// same secret.
pub fn read_or_generate(path: &Path) -> anyhow::Result<ServerSecret> {
    let text = match fs::read_to_string(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => {
            generate(path).with_context(|| format!("Cannot create the server secret {}", path.display()))?;
            fs::read_to_string(path)
        }
        read => read,
    };
    let text = text.with_context(|| format!("Cannot read the server secret {}", path.display()))?;
    ServerSecret::parse(text.trim()).with_context(|| format!("The server secret in {} is not valid", path.display()))
}

/// Writes a complete file first, then gives it its name. That fails if another process was faster; its secret is used
/// then.
fn generate(path: &Path) -> anyhow::Result<()> {
    let mut file = temporary_file::create(path)?;
    writeln!(file, "{}", hex::encode(SystemSecrets::new()?.entropy().as_slice()))?;
    file.as_file().sync_all()?;
    match file.persist_noclobber(path) {
        Err(failed) if failed.error.kind() != ErrorKind::AlreadyExists => Err(failed.error.into()),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    #[test]
    fn the_secret_is_generated_once_and_only_its_owner_can_read_it() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("steward.secret");
        read_or_generate(&path).unwrap();
        let first = fs::read(&path).unwrap();
        read_or_generate(&path).unwrap();
        assert_eq!(fs::read(&path).unwrap(), first);
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 1);
    }
}
