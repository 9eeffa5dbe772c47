//! `steward.json`: the project and the schema file that belong to a directory and to all directories in it.

pub mod directory;

use std::fs;
use std::io::{ErrorKind, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};
use serde::{Deserialize, Serialize};
use steward_domain::kernel::strict_json::without_byte_order_mark;

use crate::terminal::UsageError;

use directory::{ConfinedFile, ProjectDirectory};

pub const NAME: &str = "steward.json";
pub const DEFAULT_SCHEMA: &str = "schema.json";

/// The content of the file.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Content {
    /// URL of the service.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub server: Option<String>,
    /// ID or slug of the project.
    pub project: String,
    /// File with the schema, relative to the directory of `steward.json`.
    #[serde(default = "default_schema")]
    schema: PathBuf,
}

/// A file that was read.
#[derive(Debug)]
pub struct ProjectFile {
    pub content: Content,
    pub directory: ProjectDirectory,
}

fn default_schema() -> PathBuf {
    PathBuf::from(DEFAULT_SCHEMA)
}

impl ProjectFile {
    /// Returns the file for the current directory: the one in it, or in the nearest directory above it.
    pub fn find() -> anyhow::Result<Option<Self>> {
        let current = std::env::current_dir().context("Cannot get the current directory")?;
        Self::find_from(&current)
    }

    fn find_from(start: &Path) -> anyhow::Result<Option<Self>> {
        for directory in start.ancestors() {
            let path = directory.join(NAME);
            let opened = match ProjectDirectory::open(directory) {
                Ok(opened) => opened,
                Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::PermissionDenied) => continue,
                Err(error) => return Err(error).with_context(|| format!("Cannot read {}", directory.display())),
            };
            if let Some(bytes) = opened.read_trusted(NAME)? {
                return Self::parse(&bytes, &path, opened).map(Some);
            }
        }
        Ok(None)
    }

    fn parse(bytes: &[u8], path: &Path, directory: ProjectDirectory) -> anyhow::Result<Self> {
        let invalid = |error: serde_json::Error| UsageError(format!("{} is not valid: {error}", path.display()));
        let mut content: Content = serde_json::from_slice(without_byte_order_mark(bytes)).map_err(invalid)?;
        // Messages name the server in commands that a person may paste into a shell.
        let is_plain = |c: char| c.is_ascii_alphanumeric() || "-._~:/[]".contains(c);
        if let Some(server) = content.server.as_ref().filter(|server| !server.chars().all(is_plain)) {
            let message = format!("`server` in {} is not the URL of a service: {server:?}", path.display());
            bail!(UsageError(format!("{message}. Name one such as https://steward.example.com.")));
        }
        content.server = content.server.map(|server| server.trim_end_matches('/').to_owned());
        Ok(Self { content, directory })
    }

    /// Creates the file in a directory. Fails if the directory has one.
    pub fn create(directory: ProjectDirectory, server: &str, project: &str, schema: &Path) -> anyhow::Result<Self> {
        let content =
            Content { server: Some(server.to_owned()), project: project.to_owned(), schema: schema.to_owned() };
        create_new(&directory.path.join(NAME), &serde_json::to_string_pretty(&content)?)?;
        Ok(Self { content, directory })
    }

    /// Returns the file with the schema, which is in the directory of this file.
    pub fn schema_file(&self) -> anyhow::Result<ConfinedFile> {
        self.directory.file(&self.content.schema)
    }
}

/// Writes a line-terminated text to a file that must not exist.
fn create_new(path: &Path, text: &str) -> anyhow::Result<()> {
    // Not writable by others, whatever the umask: the file would be refused.
    let mut file = fs::OpenOptions::new().write(true).create_new(true).mode(0o644).open(path).map_err(|error| {
        if error.kind() == ErrorKind::AlreadyExists {
            anyhow::Error::new(UsageError(format!("{} already exists.", path.display())))
        } else {
            anyhow::Error::new(error).context(format!("Cannot write {}", path.display()))
        }
    })?;
    writeln!(file, "{text}").with_context(|| format!("Cannot write {}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_file_applies() {
        let root = tempfile::tempdir().unwrap();
        let (outer, inner) = (root.path().join("app"), root.path().join("app/src/models"));
        fs::create_dir_all(&inner).unwrap();
        assert!(ProjectFile::find_from(&inner).unwrap().is_none());

        fs::write(outer.join(NAME), r#"{"server": "https://a.example/", "project": "acme"}"#).unwrap();
        let found = ProjectFile::find_from(&inner).unwrap().unwrap();
        assert_eq!(
            (found.content.server.as_deref(), found.content.project.as_str()),
            (Some("https://a.example"), "acme")
        );
        assert_eq!(found.schema_file().unwrap().shown, outer.join("schema.json"));

        let opened = ProjectDirectory::open(&inner).unwrap();
        ProjectFile::create(opened, "https://b.example", "other", Path::new("db/schema.json")).unwrap();
        let found = ProjectFile::find_from(&inner).unwrap().unwrap();
        assert_eq!(found.content.project, "other");
        assert_eq!(found.schema_file().unwrap().shown, inner.join("db/schema.json"));
    }

    #[test]
    fn a_misspelled_member_is_an_error() {
        let root = tempfile::tempdir().unwrap();
        fs::write(root.path().join(NAME), r#"{"project": "acme", "sever": "https://a.example"}"#).unwrap();
        let error = ProjectFile::find_from(root.path()).unwrap_err();
        assert!(error.is::<UsageError>() && error.to_string().contains("sever"), "{error}");
    }

    #[test]
    fn an_existing_file_is_not_overwritten() {
        let root = tempfile::tempdir().unwrap();
        let opened = || ProjectDirectory::open(root.path()).unwrap();
        let create = || ProjectFile::create(opened(), "https://a.example", "acme", Path::new("schema.json"));
        create().unwrap();
        let error = create().unwrap_err();
        assert!(error.is::<UsageError>(), "{error}");
    }
}
