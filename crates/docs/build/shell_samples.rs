//! Samples of curl and the command line. Variables of the shell stand for IDs and the credential.

use serde_json::Value;

use crate::operation::{Operation, members, text};
use crate::page::{EXAMPLE_PROJECT, EXAMPLE_SERVICES};

/// The commands that send files: the command line sends only JSON to other operations.
const FILE_COMMANDS: [(&str, &str); 3] = [
    ("uploadIcon", "project image upload --project PROJECT icon FILE"),
    ("uploadBackground", "project image upload --project PROJECT background FILE"),
    ("uploadClientLogo", "client logo upload --project PROJECT $CLIENT_ID FILE"),
];

/// The samples of an operation.
pub(crate) struct ShellSamples<'a> {
    operation: &'a Operation<'a>,
    hints: &'a Value,
    /// Path and query.
    address: String,
}

impl<'a> ShellSamples<'a> {
    /// `hints`: the content of `sdks/samples.json`.
    pub(crate) fn of(operation: &'a Operation<'a>, hints: &'a Value) -> Self {
        let path = operation.path.split('/').map(|part| match part.strip_prefix('{') {
            Some(name) => placeholder(operation, hints, name.trim_end_matches('}')),
            None => part.to_owned(),
        });
        let (path, query) = (path.collect::<Vec<_>>().join("/"), query(operation, hints));
        let address = if query.is_empty() { path } else { format!("{path}?{}", query.join("&")) };
        Self { operation, hints, address }
    }

    pub(crate) fn curl(&self) -> String {
        let service = EXAMPLE_SERVICES[0];
        let mut lines = vec![match self.operation.method.as_str() {
            "GET" => format!("curl \"{service}{}\"", self.address),
            method => format!("curl -X {method} \"{service}{}\"", self.address),
        }];
        if self.operation.needs_credential() {
            lines.push("-H \"Authorization: Bearer $STEWARD_TOKEN\"".to_owned());
        }
        match (self.media_type(), self.body()) {
            (Some("application/json"), Some(body)) => {
                lines.push("-H \"Content-Type: application/json\"".to_owned());
                // A variable is outside of the single quotes.
                let body = self.json(&body).replace('\'', r"'\''");
                lines.push(format!("-d '{}'", with_variables(&body, |name| format!("'\"${name}\"'"))));
            }
            (Some("multipart/form-data"), _) => lines.push(format!("-F \"file=@{}\"", self.file())),
            (_, Some(body)) => {
                let fields = members(&body).map(|(name, value)| (name, text_of(value).replace('\'', r"'\''")));
                lines.extend(fields.map(|(name, value)| format!("--data-urlencode '{name}={value}'")));
            }
            _ => {}
        }
        lines.join(" \\\n  ")
    }

    /// Returns the sample of the command line. `None` if it cannot send the request: a form of OAuth.
    pub(crate) fn command(&self) -> Option<String> {
        let (method, address) = (&self.operation.method, &self.address);
        let file_command = FILE_COMMANDS.iter().find(|(operation, _)| *operation == self.operation.id());
        if let Some((_, command)) = file_command {
            return Some(format!(
                "steward {}",
                command.replace("PROJECT", EXAMPLE_PROJECT).replace("FILE", self.file())
            ));
        }
        match (self.media_type(), self.body()) {
            (Some("application/json"), Some(body)) => {
                let body = self.json(&body);
                let quote = if with_variables(&body, |_| String::new()) == body { "'" } else { "" };
                let body = with_variables(&body, |name| format!("${name}"));
                Some(format!("steward api {method} \"{address}\" --input - <<{quote}JSON{quote}\n{body}\nJSON"))
            }
            (None, _) => Some(format!("steward api {method} \"{address}\"")),
            _ => None,
        }
    }

    fn media_type(&self) -> Option<&'a str> {
        self.operation.request().map(|request| request.media_type)
    }

    /// Returns the body of the request.
    pub(crate) fn body(&self) -> Option<Value> {
        let hint = &self.hints["bodies"][self.operation.id()];
        let example = self.operation.request()?.example;
        Some(hint).filter(|hint| !hint.is_null()).or(example).cloned()
    }

    fn file(&self) -> &'a str {
        self.hints["files"][self.operation.id()].as_str().unwrap_or("image.png")
    }

    /// Returns a body with variables in place of IDs.
    fn json(&self, body: &Value) -> String {
        serde_json::to_string_pretty(&self.marked(body, "")).unwrap_or_default()
    }

    fn marked(&self, value: &Value, name: &str) -> Value {
        match value {
            Value::Array(entries) => entries.iter().map(|entry| self.marked(entry, name)).collect(),
            Value::Object(fields) => {
                fields.iter().map(|(name, value)| (name.clone(), self.marked(value, name))).collect()
            }
            Value::String(text) if name != "id" && text != EXAMPLE_PROJECT => match self.hints["ids"][text].as_str() {
                Some(variable) => variable_mark(variable).into(),
                None => value.clone(),
            },
            Value::String(_)
                if self.hints["members"].as_array().is_some_and(|all| all.iter().any(|each| each == name)) =>
            {
                variable_mark(name).into()
            }
            other => other.clone(),
        }
    }
}

/// Returns what stands for a variable until its text is quoted.
fn variable_mark(name: &str) -> String {
    format!("\u{1}{}\u{1}", name.to_uppercase())
}

/// Replaces the marks of variables in JSON.
fn with_variables(json: &str, variable: impl Fn(&str) -> String) -> String {
    let parts = json.split("\\u0001").enumerate();
    parts.map(|(number, part)| if number % 2 == 0 { part.to_owned() } else { variable(part) }).collect()
}

/// Returns what stands for a parameter of the path.
fn placeholder(operation: &Operation<'_>, hints: &Value, name: &str) -> String {
    match hints["arguments"][name].as_str() {
        Some(value) => value.to_owned(),
        None if name == "project_id" || name == "id" && is_of_project(operation.path) => EXAMPLE_PROJECT.to_owned(),
        None => format!("${}", name.to_uppercase()),
    }
}

/// Whether the parameter `id` of a path is the ID of a project.
fn is_of_project(path: &str) -> bool {
    ["/project", "/images"].iter().any(|start| path.starts_with(start))
}

/// Returns the parameters of the query: those of the hints, or those with an example, except for what selects a page of a list.
fn query(operation: &Operation<'_>, hints: &Value) -> Vec<String> {
    let hinted = &hints["query"][operation.id()];
    if hinted.is_object() {
        return members(hinted).flat_map(|(name, value)| parameters(name, value)).collect();
    }
    let all =
        operation.parameters("query").into_iter().map(|parameter| (text(parameter, "name"), &parameter["example"]));
    let with_example = all.filter(|(name, example)| !example.is_null() && !["limit", "cursor"].contains(name));
    with_example.flat_map(|(name, example)| parameters(name, example)).collect()
}

/// Returns the parameters for a value: those of the members of an object, and one for each entry of an array.
fn parameters(name: &str, value: &Value) -> Vec<String> {
    match value {
        Value::Object(fields) => fields.iter().flat_map(|(name, value)| parameters(name, value)).collect(),
        Value::Array(entries) => entries.iter().flat_map(|entry| parameters(name, entry)).collect(),
        value => vec![format!("{name}={}", encoded(&text_of(value)))],
    }
}

/// Returns text as a value of the query.
fn encoded(text: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~:/,@*".contains(&byte);
    text.bytes().map(|byte| if is_plain(byte) { char::from(byte).into() } else { format!("%{byte:02X}") }).collect()
}

fn text_of(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}
