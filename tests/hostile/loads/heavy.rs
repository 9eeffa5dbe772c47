//! Requests that no index limits: queries, dry runs of schema changes, exports.

use futures_util::future::BoxFuture;
use serde_json::{Map, Value, json};

use super::{Load, proof};
use crate::callers::Callers;
use crate::scene::Scene;

pub const QUERIES: Load = Load {
    name: "12 queries that no index serves",
    prepare: fill,
    start: |scene| {
        Box::pin(async move {
            let (http, key) = (scene.http.clone(), scene.key().to_owned());
            let query = "title=ilike.*nothing*of*this*&rank=not.eq.7&order=rank.desc,title";
            let url = scene.url(&format!("{}?{query}", scene.world.notes()));
            Callers::default().send(12, move |_, _| http.get(&url).bearer_auth(&key))
        })
    },
    proofs: &[proof("200", |seconds| 2 * seconds, 3)],
    leaves_work: false,
};

pub const DRY_RUNS: Load = Load {
    name: "8 dry runs",
    prepare: fill,
    start: |scene| {
        Box::pin(async move {
            let (http, key) = (scene.http.clone(), scene.key().to_owned());
            let url = scene.url(&format!("/project/{}/schema?dry_run=true", scene.world.project));
            let change = json!({"schema": {"version": 2, "tables": {"notes": {"fields": all_required()}}}});
            Callers::default().send(8, move |_, _| http.post(&url).bearer_auth(&key).json(&change))
        })
    },
    proofs: &[proof("200", |seconds| 2 * seconds, 5)],
    leaves_work: false,
};

pub const EXPORTS: Load = Load {
    name: "8 exports and logs",
    prepare: fill,
    start: |scene| {
        Box::pin(async move {
            let (http, key) = (scene.http.clone(), scene.another_key().await);
            let export = scene.url(&format!("/project/{}/user/{}/export", scene.world.project, scene.world.user));
            let log = scene.url(&format!("/project/{}/audit", scene.world.project));
            let get = move |url: &str| http.get(url).bearer_auth(&key);
            let get_log = get.clone();
            let exports = Callers::default().send_as("export ", 4, move |_, _| get(&export));
            exports.send_as("log ", 4, move |_, _| get_log(&log).header("Accept", "text/csv"))
        })
    },
    proofs: &[proof("export 200", |seconds| seconds / 2, 1), proof("log 200", |seconds| seconds / 2, 1)],
    leaves_work: false,
};

fn fill(scene: &Scene) -> BoxFuture<'_, ()> {
    Box::pin(scene.fill(scene.number(20_000, 1_000)))
}

/// Returns the fields of the schema and two more, all required. A change of a type would be rejected without reading
/// items; this change is checked against each of them.
fn all_required() -> Map<String, Value> {
    let fields = [
        ("title", "string"),
        ("done", "boolean"),
        ("rank", "number"),
        ("more", "json"),
        ("kind", "string"),
        ("size", "number"),
    ];
    fields.into_iter().map(|(name, kind)| (name.to_owned(), json!({"type": kind, "required": true}))).collect()
}
