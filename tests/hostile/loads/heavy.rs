//! Requests that no index limits: queries, dry runs of schema changes, exports.

use futures_util::future::BoxFuture;
use serde_json::json;

use super::Load;
use crate::scene::{Callers, Scene};

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
    leaves_work: false,
};

pub const DRY_RUNS: Load = Load {
    name: "8 dry runs",
    prepare: fill,
    start: |scene| {
        Box::pin(async move {
            let (http, key) = (scene.http.clone(), scene.key().to_owned());
            let url = scene.url(&format!("/project/{}/schema?dry_run=true", scene.world.project));
            let fields = json!({"title": {"type": "number"}, "done": {"type": "string"}, "more": {"type": "json", "required": true}});
            let change = json!({"schema": {"version": 2, "tables": {"notes": {"fields": fields}}}});
            Callers::default().send(8, move |_, _| http.post(&url).bearer_auth(&key).json(&change))
        })
    },
    leaves_work: false,
};

pub const EXPORTS: Load = Load {
    name: "8 exports and logs",
    prepare: fill,
    start: |scene| {
        Box::pin(async move {
            let (http, key) = (scene.http.clone(), scene.key().to_owned());
            let export = scene.url(&format!("/project/{}/user/{}/export", scene.world.project, scene.world.user));
            let log = scene.url(&format!("/project/{}/audit", scene.world.project));
            Callers::default().send(8, move |caller, _| {
                let request =
                    if caller % 2 == 0 { http.get(&export) } else { http.get(&log).header("Accept", "text/csv") };
                request.bearer_auth(&key)
            })
        })
    },
    leaves_work: false,
};

fn fill(scene: &Scene) -> BoxFuture<'_, ()> {
    Box::pin(scene.fill(scene.number(20_000, 1_000)))
}
