//! Validates responses against the OpenAPI document.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use jsonschema::Validator;
use reqwest::Method;
use serde_json::Value;
use steward_api::{Fact, SERVICE};

use crate::Answer;
use crate::canary::secrets_in;

/// An operation of the OpenAPI document.
pub struct Described {
    pub method: Method,
    /// Path template, for example `/team/{team_id}`.
    pub path: String,
    pub id: String,
    pub operation: Value,
    /// Schema of the JSON body by status; `None` if the response has no JSON body.
    responses: BTreeMap<u16, Option<BodySchema>>,
}

impl Described {
    /// Panics if a successful response contains a secret, and may be cached. Documents about the service have examples
    /// of secrets.
    fn check_secrets(&self, body: &Value, response: &Answer) {
        let row = steward_api::row(&self.id).unwrap();
        if response.status.is_success() && row.tag != SERVICE && !secrets_in(body).is_empty() {
            assert!(row.is(Fact::Secret), "The row of {} does not state `Secret`: {response}", self.id);
            assert_eq!(response.header("Cache-Control"), "no-store", "{response}");
        }
    }
}

/// A schema that is compiled when it is first used: most test runs need few of them, and to compile all takes long.
struct BodySchema {
    schema: Value,
    components: Arc<Value>,
    validator: OnceLock<Validator>,
}

impl BodySchema {
    fn validator(&self) -> &Validator {
        self.validator.get_or_init(|| {
            let mut schema = self.schema.clone();
            if let Some(members) = schema.as_object_mut() {
                members.insert("components".into(), Value::clone(&self.components));
            }
            jsonschema::draft202012::new(&schema).unwrap()
        })
    }
}

/// All operations of the document. An empty document accepts every response.
#[derive(Default)]
pub struct OpenApi {
    pub operations: Vec<Described>,
}

impl OpenApi {
    /// Reads an OpenAPI 3.1 document.
    pub fn of(document: &Value) -> Self {
        let mut operations = Vec::new();
        let components = Arc::new(document["components"].clone());
        let body_schema = |schema: &Value| BodySchema {
            schema: schema.clone(),
            components: components.clone(),
            validator: OnceLock::new(),
        };
        for (path, item) in document["paths"].as_object().unwrap() {
            for (method, operation) in item.as_object().unwrap() {
                let Ok(method) = method.to_uppercase().parse::<Method>() else { continue };
                let responses = operation["responses"].as_object().unwrap().iter().map(|(status, response)| {
                    let response = resolved(response, document);
                    let schema = response["content"].as_object().and_then(|content| {
                        content.iter().find(|(kind, _)| kind.ends_with("json")).map(|(_, media)| &media["schema"])
                    });
                    (status.parse().unwrap(), schema.map(body_schema))
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
        let Some(schema) = described.responses.get(&status) else {
            panic!("The operation {} does not describe this status: {response}", described.id);
        };
        if let Some(schema) = schema
            && response.header("Content-Type").starts_with("application/json")
            && !response.body.is_empty()
        {
            let body = response.json();
            let violations: Vec<String> =
                schema.validator().iter_errors(&body).map(|error| error.to_string()).collect();
            assert!(
                violations.is_empty(),
                "The body violates the schema of {}: {response}: {violations:?}",
                described.id
            );
            described.check_secrets(&body, response);
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

/// What a response is, also if it is a reference to one in the components.
fn resolved<'a>(response: &'a Value, document: &'a Value) -> &'a Value {
    let reference = response["$ref"].as_str().and_then(|reference| document.pointer(reference.strip_prefix('#')?));
    reference.unwrap_or(response)
}
