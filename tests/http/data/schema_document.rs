//! The JSON Schema of schema documents: it is served to editors, and agrees with the service about which documents are
//! valid.

use reqwest::Method;
use serde_json::{Map, Value, json};
use steward_domain::data::schema::{MAX_BYTES, MAX_FIELDS, MAX_TABLES};
use steward_tests::{App, Body, World, on_sqlite};

const PATH: &str = "/schemas/schema-document.json";

/// Creates a project without a schema in the team. Returns its ID.
async fn empty_project(world: &World) -> String {
    world.owner.post("/project", json!({"name": "Empty", "team_id": world.team})).await.created().id()
}

/// The service's result for a document.
async fn verify(app: &App, document: &Value) -> Body {
    app.anonymous().post("/utils/schema/verifyUpdateSchema", json!({"schema": document})).await.ok()
}

/// A document with these tables.
fn with_tables(project: &str, tables: &Value) -> Value {
    json!({"project_id": project, "version": 1, "tables": tables})
}

/// A document with another value of a member.
fn with(project: &str, member: &str, value: Value) -> Value {
    let mut document = with_tables(project, &json!({}));
    document[member] = value;
    document
}

fn without(project: &str, member: &str) -> Value {
    let mut document = with_tables(project, &json!({}));
    document.as_object_mut().unwrap().shift_remove(member);
    document
}

/// Tables with one field.
fn field(field: &Value) -> Value {
    json!({"t": {"fields": {"f": field}}})
}

/// Tables with one table, which references a table.
fn origin(origin: &Value) -> Value {
    json!({"t": {"fields": {}, "origin": origin}})
}

/// An object with this number of members.
fn members(count: usize, value: &Value) -> Value {
    (0..count).map(|number| (format!("n{number}"), value.clone())).collect()
}

/// Valid documents of a project without a schema. `other` is a project with a table `notes`.
fn valid_documents(project: &str, other: &str) -> Vec<Value> {
    let (table, text, long) = (json!({"fields": {}}), json!({"type": "string"}), "n".repeat(50));
    let tables = [
        json!({}),
        json!({"t": table}),
        json!({"t": {"fields": {"a": text, "b": {"type": "boolean"}, "c": {"type": "number"}, "d": {"type": "json"}}}}),
        field(&json!({"type": "string", "required": true, "indexed": false})),
        field(&json!({"type": "json", "indexed": true, "note": {"any": [1]}})),
        json!({"9": {"fields": {"0_a": text}}, "a_": {"fields": {"identity": text}}}),
        json!({(long.clone()): {"fields": {(long): text}}}),
        json!({"t": {"fields": {}, "type": "collection", "name": "Any name!", "color": null}}),
        json!({"t": {"fields": {"title": text}, "origin": {"project_id": other, "table": "notes"}}}),
        origin(&json!({"type": "reference", "project_id": other, "table": "notes", "version": 1, "note": 1})),
        members(MAX_TABLES, &table),
        json!({"t": {"fields": members(MAX_FIELDS, &text)}}),
    ];
    let members = [
        ("$schema", json!("https://steward.example.com/schemas/schema-document.json")),
        ("version", json!(1.0)),
        ("namespace", json!("n")),
        ("other", json!([1, {"a b": null}])),
    ];
    let by_tables = tables.iter().map(|tables| with_tables(project, tables));
    by_tables.chain(members.map(|(member, value)| with(project, member, value))).collect()
}

fn invalid_documents(project: &str, other: &str) -> Vec<Value> {
    let (table, text) = (json!({"fields": {}}), json!({"type": "string"}));
    let mut tables = vec![
        json!(null),
        json!([]),
        json!({"t": 1}),
        json!({"t": {}}),
        json!({"t": {"fields": null}}),
        json!({"t": {"fields": []}}),
        json!({"t": {"fields": {}, "type": "view"}}),
        json!({"t": {"fields": {}, "name": 1}}),
        field(&json!("string")),
        field(&json!({})),
        field(&json!({"type": null})),
        field(&json!({"type": "text"})),
        field(&json!({"type": "String"})),
        field(&json!({"type": ["string"]})),
        field(&json!({"type": "string", "required": 1})),
        field(&json!({"type": "string", "required": null})),
        field(&json!({"type": "string", "indexed": "true"})),
        origin(&json!("notes")),
        origin(&json!({})),
        origin(&json!({"project_id": other})),
        origin(&json!({"type": "reference", "table": "notes"})),
        origin(&json!({"type": "copy", "project_id": other, "table": "notes"})),
        origin(&json!({"project_id": 1, "table": "notes"})),
        origin(&json!({"project_id": other, "table": "notes", "version": "1"})),
        origin(&json!({"project_id": other, "table": "notes", "version": 1.5})),
        members(MAX_TABLES + 1, &table),
        json!({"t": {"fields": members(MAX_FIELDS + 1, &text)}}),
    ];
    for name in ["", "id", "ID", "_a", "a-b", "a b", "a\n", "é", "$ref", &"n".repeat(51)] {
        tables.push(json!({name: table}));
        tables.push(json!({"t": {"fields": {name: text}}}));
        tables.push(json!({"t": {"fields": {}, name: 1}}));
    }
    let members = [
        ("project_id", json!(1)),
        ("project_id", json!(null)),
        ("version", json!("1")),
        ("version", json!(-1)),
        ("version", json!(1.5)),
        ("version", json!(null)),
        ("namespace", json!(null)),
    ];
    let by_tables = tables.iter().map(|tables| with_tables(project, tables));
    let by_member = members.into_iter().map(|(member, value)| with(project, member, value));
    let incomplete = ["project_id", "version", "tables"].map(|member| without(project, member));
    by_tables.chain(by_member).chain(incomplete).collect()
}

/// Documents that violate a rule that JSON Schema cannot express.
fn documents_that_only_the_service_rejects(project: &str) -> [(&'static str, Value); 3] {
    let text = json!({"type": "string"});
    let tables = json!({"t": {"fields": {}}, "T": {"fields": {}}});
    let fields = json!({"t": {"fields": {"f": text, "F": text}}});
    [
        ("caseInsensitiveDuplicate", with_tables(project, &tables)),
        ("caseInsensitiveDuplicate", with_tables(project, &fields)),
        ("maxLength", with(project, "note", json!("x".repeat(MAX_BYTES)))),
    ]
}

/// Asserts that each part of the JSON Schema has a description, and that its examples are valid.
fn check_descriptions_and_examples(part: &Value) {
    let validator = jsonschema::draft7::new(part).unwrap();
    assert!(part["description"].as_str().is_some_and(|text| !text.is_empty()), "{part}");
    for example in part["examples"].as_array().into_iter().flatten() {
        assert!(validator.is_valid(example), "{example} is not valid: {part}");
    }
    let properties = part["properties"].as_object().into_iter().flat_map(Map::values);
    properties.chain(part.get("additionalProperties")).for_each(check_descriptions_and_examples);
}

on_sqlite! {
    async fn the_json_schema_is_served_to_editors(app: &App) {
        let anon = app.anonymous();
        let served = anon.get(PATH).await;
        assert_eq!(served.header("Content-Type"), "application/schema+json");
        assert_eq!(served.header("Cache-Control"), "public, no-cache");
        assert_eq!(served.header("Access-Control-Allow-Origin"), "*");
        let tag = served.header("ETag").to_owned();
        let cached = anon.send(Method::GET, PATH, None, &[("If-None-Match", &tag)]).await;
        assert_eq!((cached.status.as_u16(), cached.body.len()), (304, 0));
        let schema = served.ok().0;
        assert_eq!(schema["$schema"], "http://json-schema.org/draft-07/schema#");
        check_descriptions_and_examples(&schema);
    }

    async fn a_document_that_names_its_json_schema_is_stored_unchanged(app: &App) {
        let world = World::make(app, "acme").await;
        let project = empty_project(&world).await;
        let document = with(&project, "$schema", json!(format!("{}{PATH}", app.base)));
        let path = format!("/project/{project}/schema");
        let published = world.owner.post(&path, json!({"schema": document})).await.ok();
        assert_eq!(published["data"]["schema"], document);
    }

    async fn the_json_schema_and_the_service_agree(app: &App) {
        let world = World::make(app, "acme").await;
        let project = empty_project(&world).await;
        let schema = app.anonymous().get(PATH).await.ok().0;
        let validator = jsonschema::draft7::new(&schema).unwrap();
        for document in valid_documents(&project, &world.project) {
            assert!(validator.is_valid(&document), "{document}");
            assert_eq!(verify(app, &document).await["valid"], true, "{document}");
        }
        for document in invalid_documents(&project, &world.project) {
            assert!(!validator.is_valid(&document), "{document}");
            let result = verify(app, &document).await;
            assert_eq!(result["message"], "schemas are invalid", "{document}");
            for violation in result["errors"].as_array().unwrap() {
                let rule = violation["schemaPath"].as_str().unwrap().strip_prefix('#').unwrap();
                let is_limit = violation["keyword"] == "maxProperties";
                assert!(is_limit || schema.pointer(rule).is_some(), "{violation}");
            }
        }
        for (keyword, document) in documents_that_only_the_service_rejects(&project) {
            assert!(validator.is_valid(&document), "{keyword}");
            assert_eq!(verify(app, &document).await["errors"][0]["keyword"], keyword);
        }
    }
}
