//! Checks the bodies of requests: that they are closed, that what was read can be sent back, and their names.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value, json};

use super::super::openapi_json;
use super::{REGISTRATION, Row, components, member_names};

fn document() -> Value {
    serde_json::from_str(openapi_json()).unwrap()
}

/// Returns the operations with a JSON body, and the name of its schema.
fn json_rows() -> impl Iterator<Item = (&'static Row, String)> {
    let rows = steward_api::rows().filter_map(|row| Some((row, row.request.as_ref()?)));
    let rows = rows.filter(|(row, body)| body.media_types == ["application/json"] && row.name != REGISTRATION);
    rows.map(|(row, body)| (row, components(body).remove(0).0))
}

/// Returns the names of the components with members in the JSON bodies that refuse unknown members.
pub(crate) fn json_bodies(document: &Value) -> BTreeSet<String> {
    let schemas = &document["components"]["schemas"];
    let mut waiting: Vec<String> = json_rows().map(|(_, name)| name).collect();
    let mut found = BTreeSet::new();
    while let Some(name) = waiting.pop() {
        let text = schemas[&name].to_string();
        let inside = text.split("#/components/schemas/").skip(1).map(|rest| rest.split('"').next().unwrap().to_owned());
        waiting.extend(inside);
        found.insert(name);
    }
    found.retain(|name| schemas[name].get("properties").is_some());
    found
}

#[test]
fn a_body_refuses_the_members_that_the_service_refuses() {
    let document = document();
    for name in json_bodies(&document) {
        assert_eq!(document["components"]["schemas"][&name]["additionalProperties"], false, "{name}");
    }
    for open in ["ClientRegistration", "TokenRequest", "Key", "Webhook"] {
        assert!(document["components"]["schemas"][open].get("additionalProperties").is_none(), "{open}");
    }
}

#[test]
fn all_operations_with_the_same_body_ignore_the_same_members() {
    let mut ignored = BTreeMap::new();
    for (row, name) in json_rows() {
        let names = row.ignored.map(member_names).unwrap_or_default();
        let first = ignored.entry(name).or_insert_with(|| names.clone());
        assert_eq!(*first, names, "{}", row.name);
    }
}

#[test]
fn what_was_read_can_be_sent_back() {
    let document = document();
    let mut tried = 0;
    for operation in document["paths"].as_object().unwrap().values().filter_map(|item| item.get("patch")) {
        let row = steward_api::row(operation["operationId"].as_str().unwrap()).unwrap();
        let read = row.ignored.map(member_names).unwrap_or_default();
        if read.is_empty() {
            continue;
        }
        let media = |content: &Value| content["content"]["application/json"].clone();
        let mut schema = media(&operation["requestBody"])["schema"].clone();
        schema["components"] = document["components"].clone();
        let validator = jsonschema::draft202012::new(&schema).unwrap();
        let shown = media(&operation["responses"]["200"])["examples"]["default"]["value"].clone();
        let shown = ["data", "key"].iter().find_map(|name| shown.get(name)).unwrap_or(&shown);
        let members = shown.as_object().unwrap().clone().into_iter().filter(|(name, _)| read.contains(name));
        let members = Value::Object(members.collect());
        let errors: Vec<String> = validator.iter_errors(&members).map(|error| error.to_string()).collect();
        assert!(errors.is_empty(), "{}: {members}: {errors:?}", row.name);
        tried += 1;
    }
    assert!(tried >= 9, "{tried}");
}

#[test]
fn changes_have_at_least_one_member() {
    let document = document();
    for name in ["UpdateKeyBody", "UpdateProjectBody", "UpdateTeamBody", "UpdateWebhookBody"] {
        assert_eq!(document["components"]["schemas"][name]["minProperties"], 1, "{name}");
    }
}

#[test]
fn the_settings_are_changed_directly_or_in_data() {
    let mut schema = document()["components"]["schemas"]["UpdateSettingsBody"].clone();
    assert!(schema["example"]["auth"].is_object());
    schema.as_object_mut().unwrap().remove("example");
    let validator = jsonschema::draft202012::new(&schema).unwrap();
    for valid in [json!({}), json!({"auth": null}), json!({"data": {"auth": {"require_pkce": true}}})] {
        assert!(validator.is_valid(&valid), "{valid}");
    }
    for invalid in [json!({"require_pkce": true}), json!({"auth": {}, "data": {}})] {
        assert!(!validator.is_valid(&invalid), "{invalid}");
    }
}

#[test]
fn no_component_has_the_name_of_a_function_that_creates_another() {
    let document = document();
    let schemas = document["components"]["schemas"].as_object().unwrap();
    for name in schemas.keys() {
        for function in [format!("New{name}"), format!("New{name}WithDefaults")] {
            assert!(!schemas.contains_key(&function), "{function}");
        }
    }
    for (before, now) in [("NewKey", "CreateKeyBody"), ("KeyChanges", "UpdateKeyBody")] {
        assert!(schemas.contains_key(now) && !schemas.contains_key(before), "{now}");
    }
}

#[test]
fn the_parameters_of_an_operation_have_different_names() {
    let document = document();
    for (path, item) in document["paths"].as_object().unwrap() {
        for operation in item.as_object().unwrap().values() {
            let parameters = operation["parameters"].as_array().into_iter().flatten();
            let mut names = BTreeSet::new();
            for parameter in parameters.filter(|parameter| parameter["in"] != "header") {
                let name = parameter["name"].as_str().unwrap();
                assert!(names.insert(name), "{path}: {name}");
                assert!(parameter["in"] != "path" || path.contains(&format!("{{{name}}}")), "{path}: {name}");
            }
        }
    }
    let paths = json!(document["paths"].as_object().unwrap().keys().collect::<Vec<_>>());
    let renamed = "/project/{project_id}/user/{user_id}/db/{table_id}";
    assert!(paths.as_array().unwrap().contains(&json!(renamed)), "{renamed}");
}

#[test]
fn the_examples_of_requests_are_valid() {
    let document = document();
    for (path, item) in document["paths"].as_object().unwrap() {
        for operation in item.as_object().unwrap().values() {
            for (media_type, media) in operation["requestBody"]["content"].as_object().into_iter().flatten() {
                let mut schema = media["schema"].clone();
                schema["components"] = document["components"].clone();
                let validator = jsonschema::draft202012::new(&schema).unwrap();
                for example in media["examples"].as_object().into_iter().flat_map(Map::values) {
                    let errors: Vec<String> =
                        validator.iter_errors(&example["value"]).map(|error| error.to_string()).collect();
                    assert!(errors.is_empty(), "{path} {media_type}: {}: {errors:?}", example["value"]);
                }
            }
        }
    }
}
