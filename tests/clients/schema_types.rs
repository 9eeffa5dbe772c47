//! Compiles types that are generated from a schema. Tests of the domain compare the generated files with these.

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::npm::install;
use crate::openapi::{start, text};

#[expect(dead_code, reason = "Not all generated types are used.")]
#[path = "../../crates/domain/src/data/schema/types/snapshot.rs"]
mod snapshot;

const TYPE_SCRIPT: &str = include_str!("../../crates/domain/src/data/schema/types/snapshot.ts");

/// A program that uses the types: assignments that must compile, and some that must not.
const PROGRAM: &str = r#"
import type { Notes, String as Words, SyncLog, Tables } from "./snapshot.js";

const note: Notes = { title: "Buy milk", rank: 1, meta: { tags: ["a", null, { deep: [1, true] }] } };
export const absent: Notes = { title: "", done: null, rank: 0, tags: [], meta: [] };
export const entry: SyncLog = { type: "push", "2nd": true };
export const same: Tables["notes"] = note;
export const inherited: Words = { new: "a" };
export const owned: Words = { new: "a", constructor: "b" };

// @ts-expect-error The rank is required.
export const incomplete: Notes = { title: "", meta: [] };
// @ts-expect-error A number is not a boolean.
export const mistyped: Notes = { title: "", rank: 0, meta: [], done: 1 };
// @ts-expect-error A number is not a string, whatever every object has.
export const misnamed: Words = { new: "a", constructor: 1 };
// @ts-expect-error A string is neither an object nor an array.
export const scalar: Notes = { title: "", rank: 0, meta: "text" };
"#;

fn assert_round_trip<T: DeserializeOwned + Serialize>(item: &Value) {
    let parsed: T = serde_json::from_value(item.clone()).unwrap();
    assert_eq!(serde_json::to_value(&parsed).unwrap(), *item);
}

#[test]
fn generated_structs_read_and_write_items() {
    assert_round_trip::<snapshot::Notes>(&json!({"title": "Buy milk", "rank": 1.5, "meta": {"a": [1]}, "done": true}));
    assert_round_trip::<snapshot::SyncLog>(
        &json!({"type": "push", "firstName": "Ann", "first_name": 1.5, "2nd": false}),
    );
    assert_round_trip::<snapshot::SyncLogItem>(&json!({}));
    let note: snapshot::Notes =
        serde_json::from_value(json!({"id": "n", "title": "", "rank": 1, "meta": [], "done": null})).unwrap();
    assert_eq!((note.done, note.rank), (None, 1.0));
    assert!(serde_json::from_value::<snapshot::Notes>(json!({"title": ""})).is_err());
    assert_eq!(snapshot::SyncLog::TABLE, "sync_log");
}

#[tokio::test]
async fn generated_interfaces_type_check() {
    let directory = tokio::task::spawn_blocking(install).await.unwrap();
    let program = tempfile::tempdir_in(&directory).unwrap();
    std::fs::write(program.path().join("snapshot.ts"), TYPE_SCRIPT).unwrap();
    std::fs::write(program.path().join("program.ts"), PROGRAM).unwrap();
    let tsc = directory.join("node_modules/.bin/tsc");
    let arguments = ["--strict", "--exactOptionalPropertyTypes", "--noEmit", "--module", "nodenext", "program.ts"];
    let output = start(program.path(), &tsc, &arguments).await;
    assert!(output.status.success(), "{}", text(&output));
}
