//! Validates responses against the OpenAPI document.

use std::collections::BTreeMap;

use jsonschema::Validator;
use reqwest::Method;
use serde_json::{Value, json};

use crate::Answer;

/// An operation of the OpenAPI document.
pub struct Described {
    pub method: Method,
    /// Path template, for example `/team/{team_id}`.
    pub path: String,
    pub id: String,
    pub operation: Value,
    /// Validator of the JSON body by status; `None` if the response has no JSON body.
    responses: BTreeMap<u16, Option<Validator>>,
}

/// All operations of the document. An empty contract accepts every response.
#[derive(Default)]
pub struct Contract {
    pub operations: Vec<Described>,
}

impl Contract {
    /// Reads an OpenAPI 3.1 document.
    pub fn of(document: &Value) -> Self {
        let mut operations = Vec::new();
        for (path, item) in document["paths"].as_object().unwrap() {
            for (method, operation) in item.as_object().unwrap() {
                let Ok(method) = method.to_uppercase().parse::<Method>() else { continue };
                let responses = operation["responses"].as_object().unwrap().iter().map(|(status, response)| {
                    let response = resolved(response, document);
                    let schema = response["content"].as_object().and_then(|content| {
                        content.iter().find(|(kind, _)| kind.ends_with("json")).map(|(_, media)| &media["schema"])
                    });
                    (status.parse().unwrap(), schema.map(|schema| validator(schema, document)))
                });
                operations.push(Described {
                    method,
                    path: path.clone(),
                    id: operation["operationId"].as_str().unwrap().to_owned(),
                    responses: responses.collect(),
                    operation: operation.clone(),
                });
            }
        }
        Self { operations }
    }

    /// Panics if the document describes the operation but not this response. Requests that match no operation of the
    /// document (unknown routes, wrong methods) are not checked; their errors have the common error format.
    pub fn check(&self, method: &Method, path: &str, response: &Answer) {
        let method = if *method == Method::HEAD { &Method::GET } else { method };
        let Some(described) = self.described(method, path) else { return };
        let status = response.status.as_u16();
        let Some(validator) = described.responses.get(&status) else {
            panic!("The operation {} does not describe this status: {response}", described.id);
        };
        if let Some(validator) = validator
            && response.header("Content-Type").starts_with("application/json")
            && !response.body.is_empty()
        {
            let body = response.json();
            let violations: Vec<String> = validator.iter_errors(&body).map(|error| error.to_string()).collect();
            assert!(
                violations.is_empty(),
                "The body violates the schema of {}: {response}: {violations:?}",
                described.id
            );
        }
    }

    fn described(&self, method: &Method, path: &str) -> Option<&Described> {
        let path = path.split('?').next().unwrap().trim_end_matches('/');
        let candidate = |described: &&Described| described.method == *method && matches(&described.path, path);
        // A path with fewer parameters takes precedence.
        self.operations.iter().filter(candidate).min_by_key(|described| described.path.matches('{').count())
    }
}

fn matches(template: &str, path: &str) -> bool {
    let (template, path): (Vec<_>, Vec<_>) =
        (template.trim_end_matches('/').split('/').collect(), path.split('/').collect());
    let segment_matches =
        |(expected, actual): (&&str, &&str)| expected == actual || expected.starts_with('{') && !actual.is_empty();
    template.len() == path.len() && template.iter().zip(&path).all(segment_matches)
}

/// What a response is, be it a reference to one in the components.
fn resolved<'a>(response: &'a Value, document: &'a Value) -> &'a Value {
    let reference = response["$ref"].as_str().and_then(|reference| document.pointer(reference.strip_prefix('#')?));
    reference.unwrap_or(response)
}

fn validator(schema: &Value, document: &Value) -> Validator {
    let mut schema = schema.clone();
    if let Some(members) = schema.as_object_mut() {
        members.insert("components".into(), json!(document["components"]));
    }
    jsonschema::draft202012::new(&schema).unwrap()
}
