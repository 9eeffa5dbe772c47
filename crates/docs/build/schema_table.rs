//! Schemas as tables in Markdown.

use serde_json::Value;

use crate::operation::{members, resolved, text};

/// How deep members of members are listed.
const DEPTH: usize = 3;

/// Returns a table of the members of an object; nothing if it has none.
pub(crate) fn table(document: &Value, schema: &Value) -> String {
    let mut rows = Vec::new();
    add_members(document, schema, "", DEPTH, &mut rows);
    if rows.is_empty() {
        return String::new();
    }
    format!("| Field | Type | |\n|---|---|---|\n{}\n", rows.concat())
}

fn add_members(document: &Value, schema: &Value, prefix: &str, depth: usize, rows: &mut Vec<String>) {
    let schema = resolved(document, schema);
    for part in schema["allOf"].as_array().into_iter().flatten() {
        add_members(document, part, prefix, depth, rows);
    }
    let required: Vec<&str> = schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    for (name, member) in members(&schema["properties"]).filter(|(_, member)| member["readOnly"] != true) {
        let is_required = if required.contains(&name) { ", required" } else { "" };
        let target = target(document, member);
        let description = [text(member, "description"), text(target, "description")];
        let description = description.into_iter().find(|text| !text.is_empty()).unwrap_or_default();
        let kind = cell(&kind(document, member));
        rows.push(format!("| `{prefix}{name}` | {kind}{is_required} | {} |\n", cell(description)));
        if depth > 1 {
            let (inner, suffix) = match target["type"].as_str() {
                Some("array") => (&target["items"], "[]"),
                _ => (target, ""),
            };
            add_members(document, inner, &format!("{prefix}{name}{suffix}."), depth - 1, rows);
        }
    }
}

/// Returns the schema that a member refers to, also if it can be null.
fn target<'a>(document: &'a Value, member: &'a Value) -> &'a Value {
    let options = member["oneOf"].as_array().into_iter().flatten();
    let of_option = options.filter(|option| option["type"] != "null").map(|option| resolved(document, option)).next();
    of_option.unwrap_or_else(|| resolved(document, member))
}

/// Returns the name of a type.
pub(crate) fn kind(document: &Value, schema: &Value) -> String {
    let is_null = |value: &&Value| value["type"] == "null" || *value == "null";
    if let Some(options) = schema["oneOf"].as_array().or(schema["anyOf"].as_array()) {
        let kinds: Vec<String> = options.iter().map(|option| kind(document, option)).collect();
        return kinds.join(" or ");
    }
    let schema = resolved(document, schema);
    if let Some(values) = schema["enum"].as_array() {
        let names: Vec<&str> = values.iter().filter_map(Value::as_str).collect();
        let shown: Vec<String> = names.iter().take(8).map(|name| format!("`{name}`")).collect();
        let more = if names.len() > shown.len() { ", …" } else { "" };
        return format!("{}{more}", shown.join(", "));
    }
    let of = |name: &str| match name {
        "array" => format!("array of {}", plural(&kind(document, &schema["items"]))),
        "string" if schema["format"] == "date-time" => "timestamp".to_owned(),
        "string" if schema["format"] == "uuid" => "UUID".to_owned(),
        name => name.to_owned(),
    };
    match &schema["type"] {
        Value::String(name) => of(name),
        Value::Array(names) => {
            let has_null = names.iter().any(|name| is_null(&name));
            let names: Vec<String> =
                names.iter().filter_map(Value::as_str).filter(|name| *name != "null").map(of).collect();
            format!("{}{}", names.join(" or "), if has_null { " or null" } else { "" })
        }
        _ if schema["properties"].is_object() || schema["allOf"].is_array() => "object".to_owned(),
        _ => "any".to_owned(),
    }
}

fn plural(kind: &str) -> String {
    match kind {
        "string" | "object" | "integer" | "timestamp" | "UUID" | "number" | "boolean" => format!("{kind}s"),
        kind => kind.to_owned(),
    }
}

/// Returns text as the content of a cell.
pub(crate) fn cell(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").replace('|', "\\|")
}
