//! The server secret of the embedded default: made once, beside its database, for its owner's eyes only.

use std::fs::{self, OpenOptions};
use std::io::{ErrorKind, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;

use anyhow::Context as _;
use steward_crypto::{ServerSecret, SystemSecrets};
use steward_domain::ports::SecretGenerator as _;

/// Reads the secret, or makes it. Of two processes that make it at once, one does and both read the same.
pub fn read_or_make(path: &Path) -> anyhow::Result<ServerSecret> {
    let text = match fs::read_to_string(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => {
            make(path).with_context(|| format!("the server secret {} cannot be made", path.display()))?;
            fs::read_to_string(path)
        }
        read => read,
    };
    let text = text.with_context(|| format!("the server secret {} cannot be read", path.display()))?;
    ServerSecret::parse(text.trim()).with_context(|| format!("the server secret {}", path.display()))
}

/// Writes a whole file first and then gives it the name, which fails when somebody else was faster: that is as good.
fn make(path: &Path) -> anyhow::Result<()> {
    let entropy = SystemSecrets::new()?.entropy();
    let secret: String = entropy.iter().map(|byte| format!("{byte:02x}")).collect();
    let draft = path.with_extension(format!("secret.{}", std::process::id()));
    let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&draft)?;
    writeln!(file, "{secret}")?;
    file.sync_all()?;
    let linked = fs::hard_link(&draft, path);
    fs::remove_file(&draft)?;
    match linked {
        Err(error) if error.kind() != ErrorKind::AlreadyExists => Err(error.into()),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    #[test]
    fn the_secret_is_made_once_and_only_its_owner_reads_it() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("steward.secret");
        read_or_make(&path).unwrap();
        let first = fs::read(&path).unwrap();
        read_or_make(&path).unwrap();
        assert_eq!(fs::read(&path).unwrap(), first);
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 1);
    }
}
