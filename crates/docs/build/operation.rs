//! An operation of the OpenAPI document.

use serde_json::{Map, Value};

use crate::page::{self, Parameter, Place};

/// Headers that a form does not ask for: one that the service sets, and one for repeated reads.
const HIDDEN_HEADERS: [&str; 2] = ["Idempotency-Key", "If-None-Match"];

/// An operation.
pub(crate) struct Operation<'a> {
    pub(crate) document: &'a Value,
    pub(crate) path: &'a str,
    /// In upper case.
    pub(crate) method: String,
    pub(crate) row: &'a Value,
}

/// A body of a request or a response.
pub(crate) struct Body<'a> {
    pub(crate) media_type: &'a str,
    pub(crate) schema: &'a Value,
    pub(crate) example: Option<&'a Value>,
}

/// Returns all operations, in the order of the document.
pub(crate) fn operations(document: &Value) -> Vec<Operation<'_>> {
    let paths = members(&document["paths"]);
    let all = paths.flat_map(|(path, methods)| members(methods).map(move |(method, row)| (path, method, row)));
    all.map(|(path, method, row)| Operation { document, path, method: method.to_uppercase(), row }).collect()
}

/// Returns the members of an object.
pub(crate) fn members(value: &Value) -> impl Iterator<Item = (&str, &Value)> {
    value.as_object().into_iter().flat_map(Map::iter).map(|(name, value)| (name.as_str(), value))
}

/// Returns a text, or an empty one.
pub(crate) fn text<'a>(value: &'a Value, name: &str) -> &'a str {
    value[name].as_str().unwrap_or_default()
}

/// Follows a reference to a component.
pub(crate) fn resolved<'a>(document: &'a Value, value: &'a Value) -> &'a Value {
    let reference = value["$ref"].as_str().and_then(|reference| reference.strip_prefix('#'));
    reference.and_then(|pointer| document.pointer(pointer)).unwrap_or(value)
}

impl<'a> Operation<'a> {
    pub(crate) fn id(&self) -> &'a str {
        text(self.row, "operationId")
    }

    pub(crate) fn summary(&self) -> &'a str {
        text(self.row, "summary")
    }

    pub(crate) fn tag(&self) -> &'a str {
        self.row["tags"][0].as_str().unwrap_or_default()
    }

    /// Returns the parameters of the path, the query or the header.
    pub(crate) fn parameters(&self, place: &str) -> Vec<&'a Value> {
        let all = self.row["parameters"].as_array().into_iter().flatten();
        let all = all.map(|parameter| resolved(self.document, parameter));
        all.filter(|parameter| parameter["in"] == place).collect()
    }

    pub(crate) fn request(&self) -> Option<Body<'a>> {
        body(&self.row["requestBody"])
    }

    /// Returns what a form that tries the operation needs, with an example of its body. `None` if its request is a form or a file,
    /// which programs send.
    pub(crate) fn for_form(&self, body: Option<Value>) -> Option<page::Operation> {
        if self.request().is_some_and(|request| request.media_type != "application/json") {
            return None;
        }
        let body =
            self.request().map(|_| body.and_then(|body| serde_json::to_string_pretty(&body).ok()).unwrap_or_default());
        let places = [(Place::Path, "path"), (Place::Query, "query"), (Place::Header, "header")];
        let all = places
            .into_iter()
            .flat_map(|(place, label)| self.parameters(label).into_iter().map(move |parameter| (place, parameter)));
        let asked = all.filter(|(_, parameter)| !HIDDEN_HEADERS.contains(&text(parameter, "name")));
        let parameters = asked.map(|(place, parameter)| Parameter {
            place: if parameter["schema"]["type"] == "object" { Place::Fields } else { place },
            name: text(parameter, "name").to_owned(),
            is_required: parameter["required"] == true,
        });
        Some(page::Operation {
            method: self.method.clone(),
            path: self.path.to_owned(),
            parameters: parameters.collect(),
            body,
            is_safe: self.method == "GET" || self.row["x-idempotency"] == "safe",
            needs_user: self.needs_user(),
            is_keyed: self.row["x-idempotency"] == "key",
        })
    }

    /// Returns whether callers are identified by a credential.
    pub(crate) fn needs_credential(&self) -> bool {
        let ways = self.row["security"].as_array();
        ways.is_some_and(|ways| {
            !ways.is_empty() && ways.iter().all(|way| way.as_object().is_some_and(|way| !way.is_empty()))
        })
    }

    /// Returns whether no credential is accepted but a token of a project's user.
    fn needs_user(&self) -> bool {
        let ways = self.row["security"].as_array().into_iter().flatten().flat_map(members);
        let (user, others): (Vec<&str>, Vec<&str>) = ways.map(|(name, _)| name).partition(|name| *name == "userToken");
        !user.is_empty() && others.is_empty()
    }

    /// Returns the responses: statuses and their descriptions, errors excluded.
    pub(crate) fn responses(&self) -> Vec<(&'a str, &'a Value)> {
        let all = members(&self.row["responses"]).map(|(status, value)| (status, resolved(self.document, value)));
        all.filter(|(status, _)| *status < "400").collect()
    }

    /// Returns the errors: statuses, codes and examples.
    pub(crate) fn errors(&self) -> Vec<(&'a str, &'a str, &'a Value)> {
        let all = members(&self.row["responses"]).filter(|(status, _)| *status >= "400");
        let all = all.map(|(status, value)| (status, resolved(self.document, value)));
        let examples = all.flat_map(|(status, value)| {
            let json = &value["content"]["application/json"]["examples"];
            members(json).map(move |(code, example)| (status, code, &example["value"]))
        });
        examples.collect()
    }
}

/// Returns the first body of a request or a response.
pub(crate) fn body(value: &Value) -> Option<Body<'_>> {
    let (media_type, content) = members(&value["content"]).next()?;
    let example = members(&content["examples"]).next().map(|(_, example)| &example["value"]);
    Some(Body { media_type, schema: &content["schema"], example })
}
