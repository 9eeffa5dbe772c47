//! The reference and the documents that describe the API.

use serde_json::{Value, json};

use crate::operation::{SERVICE, operations};
use crate::response::AnyObject;

operations! {
    ROWS, SERVICE;

    /// Get the API reference page
    ///
    /// Returns an interactive page for browsers that displays the OpenAPI document.
    GetDocs Get "/docs", Reads Safe, 200(text String => "text/html", "The page."),
        304("The page has the ETag in `If-None-Match`."), shows(String);

    /// Get the OpenAPI document
    ///
    /// Returns the OpenAPI 3.1 document that describes this API.
    GetOpenApi Get "/docs/json", Reads Safe,
        200(text AnyObject => "application/json", "The OpenAPI document.", example document_example),
        304("The document has the ETag in `If-None-Match`."), shows(AnyObject);

    /// Get the JSON Schema of schema documents
    ///
    /// Returns the rules of schema documents as a JSON Schema (draft-07). Editors complete and check a document whose
    /// `$schema` is the URL of this operation.
    GetJsonSchema Get "/schemas/schema-document.json", Reads Safe,
        200(text AnyObject => "application/schema+json", "The JSON Schema.", example json_schema_example),
        304("The JSON Schema has the ETag in `If-None-Match`."), shows(AnyObject), command("schema json-schema");
}

fn document_example() -> Value {
    json!({"openapi": "3.1.0", "info": {"title": "Steward", "version": "1.0.0"}, "paths": {}})
}

fn json_schema_example() -> Value {
    json!({"$schema": "http://json-schema.org/draft-07/schema#", "type": "object", "required": ["project_id", "version", "tables"], "properties": {"version": {"type": "integer"}}})
}
