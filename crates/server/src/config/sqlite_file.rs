//! The file that a SQLite URL names.

use std::path::PathBuf;

use steward_domain::kernel::hex;
use url::form_urlencoded;

/// The only parameter that is understood: it asks for what the service does anyway.
const MODE: (&str, &str) = ("mode", "rwc");

/// Returns the file of a URL without its scheme.
pub fn parse(text: &str) -> Result<PathBuf, String> {
    let (path, query) = text.split_once('?').unwrap_or((text, ""));
    if let Some((name, _)) = form_urlencoded::parse(query.as_bytes()).find(|(name, value)| (&**name, &**value) != MODE)
    {
        return Err(format!(
            "has the parameter {name:?} with a value that is not supported: only mode=rwc is. Remove it, or write %3F \
             for a question mark in the name of the file"
        ));
    }
    if path.is_empty() || path == ":memory:" {
        return Err("must name a file, such as sqlite://steward.db: the data of the service is permanent".to_owned());
    }
    decoded(path).map(PathBuf::from).ok_or_else(|| "must be percent-encoded as UTF-8".to_owned())
}

/// Decodes bytes that are percent-encoded. A percent sign without two digits is that of a name.
fn decoded(text: &str) -> Option<String> {
    let mut parts = text.split('%');
    let mut bytes = parts.next().unwrap_or_default().as_bytes().to_vec();
    for part in parts {
        match part.split_at_checked(2).and_then(|(digits, rest)| Some((hex::decode(digits)?, rest))) {
            Some((byte, rest)) => {
                bytes.extend(byte);
                bytes.extend(rest.as_bytes());
            }
            None => {
                bytes.push(b'%');
                bytes.extend(part.as_bytes());
            }
        }
    }
    String::from_utf8(bytes).ok().filter(|text| !text.contains('\0'))
}

/// Returns the file to open, and what the operator should know. Earlier versions took all of the URL as the name of the
/// file, so their data may be in a file with that name, which is still used.
pub fn existing(path: PathBuf, earlier: PathBuf) -> Result<(PathBuf, Option<String>), String> {
    if earlier == path || !earlier.is_file() {
        return Ok((path, None));
    }
    let (new, old) = (path.display(), earlier.display());
    if path.exists() {
        return Err(format!(
            "names the file {new}, and earlier versions used {old}, which exists too. Move the one without your data \
             to another directory, together with its -wal and -shm files"
        ));
    }
    let warning = format!(
        "The database is the file {old}, because earlier versions took all of DATABASE_URL as the name of the file. \
         Stop the service, and rename the file to {new}, and its -wal, -shm, .secret and .positions files accordingly."
    );
    Ok((earlier, Some(warning)))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn parameters_and_encodings_are_understood_or_refused() {
        for (text, path) in [
            ("steward.db", "steward.db"),
            ("/var/lib/steward.db?mode=rwc", "/var/lib/steward.db"),
            ("/var/lib/my%20data.db?", "/var/lib/my data.db"),
            ("a%3Fmode=rwc", "a?mode=rwc"),
            ("%C3%A4%2525", "ä%25"),
            ("100%.db", "100%.db"),
            ("%zz%", "%zz%"),
            ("%é.db", "%é.db"),
        ] {
            assert_eq!(parse(text), Ok(PathBuf::from(path)), "{text}");
        }
        for (text, reason) in [
            ("a?mode=ro", "\"mode\""),
            ("a?mode=rwc&cache=shared", "\"cache\""),
            ("a?key=hunter2", "\"key\""),
            ("?mode=rwc", "must name a file"),
            (":memory:", "must name a file"),
            ("%FF", "UTF-8"),
            ("a%00", "UTF-8"),
        ] {
            let error = parse(text).unwrap_err();
            assert!(error.contains(reason) && !error.contains("hunter2"), "{text}: {error}");
        }
    }

    #[test]
    fn a_file_that_an_earlier_version_created_is_used_unless_both_exist() {
        let directory = tempfile::tempdir().unwrap();
        let (new, old) = (directory.path().join("steward.db"), directory.path().join("steward.db?mode=rwc"));
        let found = || existing(new.clone(), old.clone());
        assert_eq!(found(), Ok((new.clone(), None)));
        fs::write(&old, "").unwrap();
        let (path, warning) = found().unwrap();
        assert!(path == old && warning.unwrap().contains("rename the file"));
        fs::write(&new, "").unwrap();
        assert!(found().unwrap_err().contains("exists too"));
        fs::remove_file(&old).unwrap();
        assert_eq!(found(), Ok((new.clone(), None)));
    }
}
