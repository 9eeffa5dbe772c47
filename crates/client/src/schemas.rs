//! Schemas of a project.

use std::fmt;
use std::time::Duration;

use chrono::{DateTime, Utc};
use reqwest::Method;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::{Client, Error, List, Request};

/// Timeout of one attempt of a publication, which may read all items of a project.
const PUBLICATION_TIMEOUT: Duration = Duration::from_mins(2);

/// Operations of the schema of a project.
#[derive(Debug, Clone)]
pub struct Schemas {
    client: Client,
    project_id: String,
}

impl Schemas {
    pub(crate) fn new(client: Client, project_id: &str) -> Self {
        Self { client, project_id: project_id.to_owned() }
    }

    /// Lists all versions, newest first.
    pub fn list(&self) -> List<SchemaVersion> {
        List::new(self.client.clone(), &["project", self.project_id.as_str(), "schema"]).query("version", "all")
    }

    /// Returns the newest version; `None` if none is published.
    ///
    /// # Errors
    ///
    /// See [`Error`].
    pub async fn newest(&self) -> Result<Option<SchemaVersion>, Error> {
        let versions: Vec<SchemaVersion> = self.at(Method::GET, &[]).send().await?.data()?;
        Ok(versions.into_iter().next())
    }

    /// Returns the version with a number; `None` if it is not published.
    ///
    /// # Errors
    ///
    /// See [`Error`].
    pub async fn version(&self, number: u32) -> Result<Option<SchemaVersion>, Error> {
        let request = self.at(Method::GET, &[]).query("version", number);
        let versions: Vec<SchemaVersion> = request.send().await?.data()?;
        Ok(versions.into_iter().next())
    }

    /// Publishes a document as the next version. An absent `project_id` or `version` is filled in.
    ///
    /// # Errors
    ///
    /// See [`Error`].
    pub async fn publish(&self, document: &Map<String, Value>, options: PublishOptions) -> Result<Publication, Error> {
        self.publication(Method::POST, &[], options).json(&Wrapped { schema: document }).send().await?.json()
    }

    /// Merges changes into the newest version (RFC 7396) and publishes the result.
    ///
    /// # Errors
    ///
    /// See [`Error`].
    pub async fn patch(&self, changes: &Map<String, Value>, options: PublishOptions) -> Result<Publication, Error> {
        self.publication(Method::PATCH, &[], options).json(&Wrapped { schema: changes }).send().await?.json()
    }

    /// Publishes the document of an earlier version as the next version.
    ///
    /// # Errors
    ///
    /// See [`Error`].
    pub async fn roll_back(&self, version: u32, options: PublishOptions) -> Result<Publication, Error> {
        self.publication(Method::POST, &["rollback"], options).json(&Rollback { version }).send().await?.json()
    }

    /// Compares a document with the newest version of the project that it names.
    ///
    /// # Errors
    ///
    /// See [`Error`].
    pub async fn compare(&self, document: &Map<String, Value>) -> Result<SchemaComparison, Error> {
        let request = self.client.at(Method::POST, &["utils", "schema", "compareSchema"]);
        request.json(&Wrapped { schema: document }).send().await?.json()
    }

    /// Checks whether a document can be published as the next version of the project that it names. Requires no
    /// credential.
    ///
    /// # Errors
    ///
    /// See [`Error`].
    pub async fn check_update(&self, document: &Map<String, Value>) -> Result<SchemaCheck, Error> {
        let request = self.client.at(Method::POST, &["utils", "schema", "verifyUpdateSchema"]);
        request.json(&Wrapped { schema: document }).send().await?.json()
    }

    /// Returns the rules of schema documents as a JSON Schema (draft-07).
    ///
    /// # Errors
    ///
    /// See [`Error`].
    pub async fn json_schema(&self) -> Result<Value, Error> {
        self.client.at(Method::GET, &["schemas", "schema-document.json"]).send().await?.json()
    }

    fn at(&self, method: Method, path: &[&str]) -> Request {
        self.client.at(method, &[&["project", self.project_id.as_str(), "schema"][..], path].concat())
    }

    fn publication(&self, method: Method, path: &[&str], options: PublishOptions) -> Request {
        let mut request = self.at(method, path).idempotent().timeout(PUBLICATION_TIMEOUT);
        for (name, is_set) in [("dry_run", options.dry_run), ("allow_destructive", options.allow_destructive)] {
            if is_set {
                request = request.query(name, true);
            }
        }
        request
    }
}

#[derive(Serialize)]
struct Wrapped<'a> {
    schema: &'a Map<String, Value>,
}

#[derive(Serialize)]
struct Rollback {
    version: u32,
}

/// Options of a publication.
#[derive(Debug, Clone, Copy, Default)]
pub struct PublishOptions {
    /// Only checks the publication and returns its effects.
    pub dry_run: bool,
    /// Publishes even if stored items no longer conform to the schema. They stay unchanged.
    pub allow_destructive: bool,
}

/// A published version of a schema.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[non_exhaustive]
pub struct SchemaVersion {
    /// Unique ID.
    pub id: String,
    /// ID of the project.
    pub project_id: String,
    /// The document, as it was published.
    pub schema: Map<String, Value>,
    /// When the version was published.
    pub updated_at: DateTime<Utc>,
}

impl SchemaVersion {
    /// Returns the number of the version.
    pub fn number(&self) -> Option<u64> {
        self.schema.get("version").and_then(Value::as_u64)
    }
}

/// A version that was published, or that would be published without `dry_run`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Publication {
    /// The version. After a dry run, its ID and timestamp are not stored.
    pub data: SchemaVersion,
    /// Effects on stored items; only after a dry run.
    pub diff: Option<SchemaDiff>,
    /// The first 100 members of the document that have no effect.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<SchemaWarning>,
}

/// A member of a schema document that is stored and has no effect, for example because it is misspelt.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[non_exhaustive]
pub struct SchemaWarning {
    /// JSON pointer to the member.
    pub path: String,
    /// What has no effect, and what may be meant.
    pub message: String,
}

impl fmt::Display for SchemaWarning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.path, self.message)
    }
}

/// Changes of a schema, and the stored items that no longer conform because of them.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[non_exhaustive]
pub struct SchemaDiff {
    /// Worst class of all changes: `compatible`, `risky` or `breaking`.
    pub class: String,
    /// The first 1,000 changes.
    pub changes: Vec<SchemaChange>,
    /// Whether there are more changes.
    #[serde(default)]
    pub truncated: bool,
}

/// A change from one document to the next.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[non_exhaustive]
pub struct SchemaChange {
    /// Type, such as `field_added`.
    #[serde(rename = "type")]
    pub kind: String,
    /// Name of the table, if the change is in one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub table: Option<String>,
    /// Name of the field, if the change is in one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub field: Option<String>,
    /// Name of the member of the document or field.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub property: Option<String>,
    /// The value before the change.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub old: Option<Value>,
    /// The value after the change.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub new: Option<Value>,
    /// `compatible`, `risky` (writes of existing programs may be rejected) or `breaking` (stored items no longer
    /// conform). `None` in a comparison.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub class: Option<String>,
    /// Number of stored items that no longer conform because of the change.
    #[serde(default)]
    pub affected_items: u64,
    /// Up to 5 of their IDs, if the caller may read items.
    #[serde(default)]
    pub sample_ids: Vec<String>,
}

/// The changes from the published schema to a document.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[non_exhaustive]
pub struct SchemaComparison {
    /// Whether there are no changes.
    pub valid: bool,
    /// The first 1,000 changes.
    pub changes: Vec<SchemaChange>,
    /// Whether there are more changes.
    #[serde(default)]
    pub truncated: bool,
}

/// Whether a document can be published as the next version.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[non_exhaustive]
pub struct SchemaCheck {
    /// Whether it can.
    pub valid: bool,
    /// The first 100 violations.
    pub errors: Vec<Value>,
    /// The first 1,000 changes.
    pub changes: Vec<SchemaChange>,
    /// Whether there are more violations or changes.
    #[serde(default)]
    pub truncated: bool,
    /// The first reason why the document cannot be published.
    pub message: Option<String>,
    /// The first 100 members of a valid document that have no effect.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<SchemaWarning>,
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_change_keeps_the_names_of_the_api() {
        let change = json!({
            "type": "field_removed", "table": "notes", "field": "rank", "class": "breaking", "affected_items": 1,
            "sample_ids": ["first"],
        });
        let parsed: SchemaChange = serde_json::from_value(change.clone()).unwrap();
        assert_eq!((parsed.kind.as_str(), parsed.affected_items), ("field_removed", 1));
        assert_eq!(serde_json::to_value(&parsed).unwrap(), change);
    }

    #[test]
    fn a_publication_without_a_dry_run_has_no_diff() {
        let publication = json!({"data": {
            "id": "s", "project_id": "p", "schema": {"version": 3, "tables": {}}, "updated_at": "2026-01-31T12:00:00.000Z",
        }});
        let publication: Publication = serde_json::from_value(publication).unwrap();
        assert_eq!(publication.data.number(), Some(3));
        assert!(publication.diff.is_none() && publication.warnings.is_empty());
    }
}
