//! The OpenAPI document as a judge: is an answer one that the document describes?

use std::collections::BTreeMap;

use jsonschema::Validator;
use reqwest::Method;
use serde_json::{Value, json};

use crate::Answer;

/// An operation as the document describes it.
pub struct Described {
    pub method: Method,
    /// The path template, like `/team/{team_id}`.
    pub path: String,
    pub id: String,
    pub operation: Value,
    /// For each status a validator of the JSON body, if there is one.
    answers: BTreeMap<u16, Option<Validator>>,
}

/// All operations. An empty one judges nothing.
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
                let answers = operation["responses"].as_object().unwrap().iter().map(|(status, response)| {
                    let schema = response["content"].as_object().and_then(|content| {
                        content.iter().find(|(kind, _)| kind.ends_with("json")).map(|(_, media)| &media["schema"])
                    });
                    (status.parse().unwrap(), schema.map(|schema| validator(schema, document)))
                });
                operations.push(Described {
                    method,
                    path: path.clone(),
                    id: operation["operationId"].as_str().unwrap().to_owned(),
                    answers: answers.collect(),
                    operation: operation.clone(),
                });
            }
        }
        Self { operations }
    }

    /// Panics when the document describes the operation but not this answer. Requests that are none of the document's
    /// operations (unknown routes, wrong methods) are not judged, but their errors have the shape of every error.
    pub fn check(&self, method: &Method, path: &str, answer: &Answer) {
        let method = if *method == Method::HEAD { &Method::GET } else { method };
        let Some(described) = self.described(method, path) else { return };
        let status = answer.status.as_u16();
        let Some(validator) = described.answers.get(&status) else {
            panic!("{} does not describe the status of {answer}", described.id);
        };
        if let Some(validator) = validator
            && answer.header("Content-Type").starts_with("application/json")
            && !answer.body.is_empty()
        {
            let body = answer.json();
            let faults: Vec<String> = validator.iter_errors(&body).map(|error| error.to_string()).collect();
            assert!(faults.is_empty(), "{} describes another body than {answer}: {faults:?}", described.id);
        }
    }

    fn described(&self, method: &Method, path: &str) -> Option<&Described> {
        let path = path.split('?').next().unwrap().trim_end_matches('/');
        let fits = |described: &&Described| described.method == *method && matches(&described.path, path);
        // A path without parameters wins over one with.
        self.operations.iter().filter(fits).min_by_key(|described| described.path.matches('{').count())
    }
}

fn matches(template: &str, path: &str) -> bool {
    let (template, path): (Vec<_>, Vec<_>) =
        (template.trim_end_matches('/').split('/').collect(), path.split('/').collect());
    let alike = |(wanted, given): (&&str, &&str)| wanted == given || wanted.starts_with('{') && !given.is_empty();
    template.len() == path.len() && template.iter().zip(&path).all(alike)
}

fn validator(schema: &Value, document: &Value) -> Validator {
    let mut schema = schema.clone();
    if let Some(members) = schema.as_object_mut() {
        members.insert("components".into(), json!(document["components"]));
    }
    jsonschema::draft202012::new(&schema).unwrap()
}
