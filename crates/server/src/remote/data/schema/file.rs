//! The file with the schema of a project: a document without what a publication fills in.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use clap::Args;
use serde::Serialize;
use serde_json::{Map, Value, json};
use steward_client::SchemaVersion;

use crate::files::{if_exists, temporary_file};
use crate::remote::project_file::ProjectFile;
use crate::remote::project_file::directory::ConfinedFile;
use crate::remote::{ProjectOption, json_input};
use crate::terminal::UsageError;

#[derive(Debug, Args)]
pub struct SchemaFile {
    #[command(flatten)]
    pub project: ProjectOption,
    /// Schema file [default: the file in steward.json]
    #[arg(long, value_name = "FILE")]
    file: Option<PathBuf>,
}

impl SchemaFile {
    /// Returns where the file is.
    pub fn location(&self, project_file: Option<&ProjectFile>) -> anyhow::Result<SchemaLocation> {
        let message = "There is no steward.json here. Name the schema file with --file, or run `steward schema init`.";
        match (&self.file, project_file) {
            (Some(path), _) => Ok(SchemaLocation::Named(path.clone())),
            (None, Some(file)) => Ok(SchemaLocation::OfProject(file.schema_file()?)),
            (None, None) => Err(UsageError(message.to_owned()).into()),
        }
    }

    /// Reads the file.
    pub fn read(&self, project_file: Option<&ProjectFile>) -> anyhow::Result<Map<String, Value>> {
        existing(&self.location(project_file)?)
    }
}

/// Reads a schema document, or changes to one, from a file that the person named.
pub fn read(path: &Path) -> anyhow::Result<Map<String, Value>> {
    existing(&SchemaLocation::Named(path.to_owned()))
}

fn existing(location: &SchemaLocation) -> anyhow::Result<Map<String, Value>> {
    let document = location.read()?;
    document.with_context(|| format!("{} does not exist.", location.path().display()))
}

/// Where a schema file is.
pub enum SchemaLocation {
    /// The path that the person typed.
    Named(PathBuf),
    /// The file that `steward.json` names.
    OfProject(ConfinedFile),
}

impl SchemaLocation {
    /// Returns the path as people read it.
    pub fn path(&self) -> &Path {
        match self {
            Self::Named(path) => path,
            Self::OfProject(file) => &file.shown,
        }
    }

    /// Reads the schema document; `None` if the file does not exist.
    pub fn read(&self) -> anyhow::Result<Option<Map<String, Value>>> {
        let bytes = match self {
            Self::Named(path) => {
                if_exists(fs::read(path)).with_context(|| format!("Cannot read {}", path.display()))?
            }
            Self::OfProject(file) => file.read()?,
        };
        let parse = |bytes: Vec<u8>| {
            json_input::parse(&bytes).with_context(|| format!("{} is not a JSON object", self.path().display()))
        };
        bytes.map(parse).transpose()
    }

    /// Writes a schema document. An earlier file is replaced at once, and keeps its permissions.
    pub fn write(&self, document: &Map<String, Value>) -> anyhow::Result<()> {
        let text = format!("{}\n", serde_json::to_string_pretty(document)?);
        match self {
            Self::Named(path) => write(path, &text).with_context(|| format!("Cannot write {}", path.display())),
            Self::OfProject(file) => file.replace(&text),
        }
    }
}

fn write(path: &Path, text: &str) -> anyhow::Result<()> {
    // A symbolic link stays, and the file that it refers to is replaced.
    let path = if path.is_symlink() { path.canonicalize()? } else { path.to_owned() };
    let mut file = temporary_file::create_shared(&path)?;
    file.write_all(text.as_bytes())?;
    Ok(temporary_file::persist(file, &path)?)
}

/// Returns the content of the file for a published version. The number is left out, so that the file does not change
/// with each publication, and the project if it is the usual ID, so that the file can be published to others.
pub fn unpublished(version: SchemaVersion, project_id: &str) -> Map<String, Value> {
    let mut document = version.schema;
    document.shift_remove("version");
    if document.get("project_id").and_then(Value::as_str) == Some(project_id) {
        document.shift_remove("project_id");
    }
    document
}

/// Sets `project_id`, if it is absent, to that of the published document: it may be a DID, and it cannot change.
/// Removes the number from the file of the newest version, which has no changes: a file with another number, or with
/// changes, is meant for a certain version.
pub fn prepare(document: &mut Map<String, Value>, newest: Option<&SchemaVersion>) {
    let Some(newest) = newest else { return };
    if let Some(published) = newest.schema.get("project_id") {
        document.entry("project_id").or_insert_with(|| published.clone());
    }
    if *document == newest.schema {
        document.shift_remove("version");
    }
}

/// Makes a document the next version of a project, unless it names a project or a version itself.
pub fn number(document: &mut Map<String, Value>, project_id: &impl Serialize, newest: Option<&SchemaVersion>) {
    let next = newest.and_then(SchemaVersion::number).unwrap_or_default().saturating_add(1);
    document.entry("project_id").or_insert_with(|| json!(project_id));
    document.entry("version").or_insert_with(|| json!(next));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn version(project_id: &str) -> SchemaVersion {
        let schema = json!({"version": 3, "tables": {"b": {}, "a": {}}, "project_id": project_id, "namespace": "n"});
        let id = "018f2a3c-7d1e-7cc4-9b3a-2f6d1c0e8a55";
        let version = json!({"id": id, "project_id": id, "schema": schema, "updated_at": "2026-01-31T12:00:00Z"});
        serde_json::from_value(version).unwrap()
    }

    #[test]
    fn the_file_contains_what_a_person_writes() {
        let text = |id: &str| Value::Object(unpublished(version(id), "p")).to_string();
        assert_eq!(text("p"), r#"{"tables":{"b":{},"a":{}},"namespace":"n"}"#);
        assert_eq!(text("did:web:p"), r#"{"tables":{"b":{},"a":{}},"project_id":"did:web:p","namespace":"n"}"#);
    }

    #[test]
    fn a_file_with_a_duplicate_member_is_not_read() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("schema.json");
        fs::write(&path, r#"{"tables": {"a": {}, "a": {}}}"#).unwrap();
        assert!(format!("{:#}", SchemaLocation::Named(path).read().unwrap_err()).contains("two members named"));
    }

    #[test]
    fn a_symbolic_link_to_the_file_stays() {
        let directory = tempfile::tempdir().unwrap();
        let (path, link) = (directory.path().join("shared.json"), directory.path().join("schema.json"));
        fs::write(&path, "{}").unwrap();
        std::os::unix::fs::symlink("shared.json", &link).unwrap();
        let document = Map::from_iter([("tables".to_owned(), json!({}))]);
        let location = SchemaLocation::Named(link.clone());
        location.write(&document).unwrap();
        assert!(link.is_symlink());
        assert_eq!(fs::read_to_string(&path).unwrap(), "{\n  \"tables\": {}\n}\n");
        assert_eq!(location.read().unwrap().unwrap(), document);
    }

    #[test]
    fn a_document_keeps_its_project() {
        for (written, expected) in [(None, "did:web:p"), (Some("p"), "p")] {
            let mut document: Map<String, Value> =
                written.into_iter().map(|id: &str| ("project_id".to_owned(), json!(id))).collect();
            prepare(&mut document, Some(&version("did:web:p")));
            assert_eq!(document["project_id"], expected);
        }
        let mut document = Map::new();
        prepare(&mut document, None);
        assert!(document.is_empty());
    }
}
