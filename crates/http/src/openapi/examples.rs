//! Examples of requests and responses, generated from the schemas. The value of a property is its own example, or else
//! depends on its name or format.

use serde_json::{Map, Value, json};

/// Maximum depth of an example.
const MAX_DEPTH: usize = 12;

/// Values by property name.
const BY_NAME: &[(&str, &str)] = &[
    ("id", "018f2a3c-7d1e-7cc4-9b3a-2f6d1c0e8a55"),
    ("name", "Acme"),
    ("slug", "acme"),
    ("email", "ann@example.com"),
    ("username", "ann"),
    ("password", "correct horse battery staple"),
    ("label", "Server"),
    ("website", "https://example.com"),
    ("url", "https://example.com/hooks"),
    ("role_name", "Developer"),
    ("roles", "developer"),
    ("user_did", "did:web:steward.example.com:u:018f2a3c91b77e028d546a0f3be27c19"),
    ("pds_url", "https://steward.example.com"),
    ("email_or_username", "ann@example.com"),
    ("team_name", "Acme"),
    ("team_slug", "acme"),
    ("table", "notes"),
    ("status", "active"),
    ("event", "project.updated"),
    ("action", "project.updated"),
    ("message", "Done."),
    ("access_token", "eyJhbGciOiJFUzI1NiJ9.e30.c2lnbmF0dXJl"),
    ("client_assertion", "eyJhbGciOiJFUzI1NiJ9.e30.c2lnbmF0dXJl"),
    ("client_secret", "stw_cs_ExampleExampleExampleExampleExampleExampleE"),
    ("request_uri", "urn:ietf:params:oauth:request_uri:stw_pr_ExampleExampleExampleExampleExampleExampleE"),
];

/// Adds an example to each JSON body and form of an operation that does not have one. All are in `examples`, as the
/// reference page ignores `example`.
pub(super) fn add(operation: &mut Value, components: &Value) {
    if let Some(content) = operation.get_mut("requestBody").and_then(|body| body.get_mut("content")) {
        add_to(content, components);
    }
    let responses = operation.get_mut("responses").and_then(Value::as_object_mut);
    for response in responses.into_iter().flat_map(Map::values_mut) {
        if let Some(content) = response.get_mut("content") {
            add_to(content, components);
        }
    }
}

fn add_to(content: &mut Value, components: &Value) {
    for (media_type, media) in content.as_object_mut().into_iter().flatten() {
        let Some(media) = media.as_object_mut().filter(|media| !media.contains_key("examples")) else { continue };
        let is_generated = media_type.ends_with("json") || media_type == "application/x-www-form-urlencoded";
        let generate = || value(None, media.get("schema")?, components, 0).filter(|_| is_generated);
        if let Some(example) = media.get("example").cloned().or_else(generate) {
            media.remove("example");
            media.insert("examples".to_owned(), json!({"default": {"value": example}}));
        }
    }
}

/// Returns an example of a schema, or `None` if the value should be omitted. `name` is the name of the property.
fn value(name: Option<&str>, schema: &Value, components: &Value, depth: usize) -> Option<Value> {
    if depth > MAX_DEPTH {
        return None;
    }
    if let Some(example) = schema.get("example").or_else(|| schema.get("examples")?.get(0)) {
        return Some(example.clone());
    }
    if let Some(reference) = schema.get("$ref").and_then(Value::as_str) {
        let component = components.pointer(reference.strip_prefix("#/components")?)?;
        return value(name, component, components, depth.saturating_add(1));
    }
    if let Some(parts) = schema.get("allOf").and_then(Value::as_array) {
        let parts = parts.iter().filter_map(|part| value(name, part, components, depth.saturating_add(1)));
        let members = parts.filter_map(|part| part.as_object().cloned()).flatten();
        return Some(Value::Object(members.collect()));
    }
    if let Some(options) = schema.get("oneOf").or_else(|| schema.get("anyOf")).and_then(Value::as_array) {
        return options
            .iter()
            .filter(|option| option.get("type").is_none_or(|one| one != "null"))
            .find_map(|option| value(name, option, components, depth.saturating_add(1)));
    }
    if let Some(constant) = schema.get("const").or_else(|| schema.get("enum")?.get(0)) {
        return Some(constant.clone());
    }
    match type_of(schema) {
        Some("object") => Some(object(schema, components, depth)),
        Some("array") => {
            let item = value(name, schema.get("items")?, components, depth.saturating_add(1));
            Some(Value::Array(item.into_iter().collect()))
        }
        Some("string") => Some(json!(string(name, schema))),
        Some("integer" | "number") => {
            Some(schema.get("minimum").filter(|minimum| *minimum != &json!(0)).cloned().unwrap_or(json!(1)))
        }
        Some("boolean") => Some(json!(true)),
        _ => None,
    }
}

fn object(schema: &Value, components: &Value, depth: usize) -> Value {
    let properties = schema.get("properties").and_then(Value::as_object).into_iter().flatten();
    let sent = properties.filter(|(_, property)| property.get("readOnly").is_none());
    let members = sent.filter_map(|(name, property)| {
        Some((name.clone(), value(Some(name), property, components, depth.saturating_add(1))?))
    });
    Value::Object(members.collect())
}

fn string(name: Option<&str>, schema: &Value) -> &'static str {
    let format = schema.get("format").and_then(Value::as_str);
    match (format, name.unwrap_or_default()) {
        (Some("date-time"), _) => "2026-01-31T12:00:00.000Z",
        (Some("date"), _) => "2026-01-31",
        (_, name) => {
            let usual = BY_NAME.iter().find(|(other, _)| *other == name).map(|(_, value)| *value);
            let id = || name.ends_with("_id").then_some("018f2a3c-7d1e-7cc4-9b3a-2f6d1c0e8a55");
            usual.or_else(id).unwrap_or("text")
        }
    }
}

/// Returns the type of a schema, ignoring `null`.
pub(super) fn type_of(schema: &Value) -> Option<&str> {
    match schema.get("type")? {
        Value::String(one) => Some(one),
        Value::Array(several) => several.iter().filter_map(Value::as_str).find(|one| *one != "null"),
        _ => None,
    }
}
