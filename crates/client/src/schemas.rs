//! Schemas of a project.

use std::time::Duration;

use serde_json::{Map, Value};
use steward_api::{
    CompareSchema, GetJsonSchema, GetSchema, Operation, PatchSchema, Publication, PublishParameters, PublishSchema,
    Rollback, RollbackSchema, SchemaCheck, SchemaComparison, SchemaDocument, SchemaListing, SchemaVersion,
    VerifyUpdateSchema,
};

use crate::{Call, Client, List};

/// Timeout of one attempt of a publication, which may read all items of a project.
const PUBLICATION_TIMEOUT: Duration = Duration::from_mins(2);

/// Operations of the schema of a project.
#[derive(Debug, Clone)]
pub struct Schemas {
    pub(crate) client: Client,
    pub(crate) project_id: String,
}

impl Schemas {
    /// Lists all versions, newest first.
    pub fn list(&self) -> List<SchemaVersion> {
        self.client.list::<GetSchema>(&[&self.project_id]).query("version", "all")
    }

    /// Returns the newest version, or the version with a number. The list is empty if it is not published.
    pub fn get(&self, number: Option<u32>) -> Call<(), SchemaListing> {
        self.client.call::<GetSchema>(&[&self.project_id]).optional_query("version", number)
    }

    /// Publishes a document as the next version. An absent `project_id` or `version` is filled in.
    pub fn publish(
        &self,
        document: Map<String, Value>,
        options: PublishParameters,
    ) -> Call<SchemaDocument, Publication> {
        self.publication::<PublishSchema>(options).body(&wrapped(document))
    }

    /// Merges changes into the newest version (RFC 7396) and publishes the result.
    pub fn patch(&self, changes: Map<String, Value>, options: PublishParameters) -> Call<SchemaDocument, Publication> {
        self.publication::<PatchSchema>(options).body(&wrapped(changes))
    }

    /// Publishes the document of an earlier version as the next version.
    pub fn roll_back(&self, version: u32, options: PublishParameters) -> Call<Rollback, Publication> {
        self.publication::<RollbackSchema>(options).body(&Rollback { version })
    }

    /// Compares a document with the newest version of the project that it names.
    pub fn compare(&self, document: Map<String, Value>) -> Call<SchemaDocument, SchemaComparison> {
        self.client.call::<CompareSchema>(&[]).body(&wrapped(document))
    }

    /// Checks whether a document can be published as the next version of the project that it names. Requires no
    /// credential.
    pub fn check_update(&self, document: Map<String, Value>) -> Call<SchemaDocument, SchemaCheck> {
        self.client.call::<VerifyUpdateSchema>(&[]).body(&wrapped(document))
    }

    /// Returns the rules of schema documents as a JSON Schema (draft-07).
    pub fn json_schema(&self) -> Call<(), ()> {
        self.client.call::<GetJsonSchema>(&[])
    }

    fn publication<O: Operation>(&self, options: PublishParameters) -> Call<O::Request, O::Response> {
        let call = self.client.call::<O>(&[&self.project_id]).timeout(PUBLICATION_TIMEOUT);
        call.optional_query("dry_run", options.dry_run).optional_query("allow_destructive", options.allow_destructive)
    }
}

fn wrapped(schema: Map<String, Value>) -> SchemaDocument {
    SchemaDocument { schema: Value::Object(schema) }
}
