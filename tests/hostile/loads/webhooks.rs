//! Webhooks that subscribe to rare events, in a team with many events.

use futures_util::future::BoxFuture;
use serde_json::json;
use steward_tests::World;

use super::{Load, nothing, proof};
use crate::callers::Callers;
use crate::fill;
use crate::scene::Scene;

pub const QUIET: Load = Load {
    name: "300 quiet webhooks, 20,000 events",
    prepare: nothing,
    start: create_idle_webhooks,
    proofs: &[proof("200", |seconds| 40 * seconds, 20)],
    leaves_work: false,
};

/// Maximum number of webhooks per project.
const MAX_PER_PROJECT: usize = 50;

/// Creates the webhooks and then the events that they skip. More events follow during the load.
fn create_idle_webhooks(scene: &Scene) -> BoxFuture<'_, Callers> {
    Box::pin(async move {
        create_webhooks(&scene.world, &scene.world.project).await;
        for number in 1..scene.number(6, 1) {
            let project = json!({"name": format!("Project {number}"), "team_id": scene.world.team});
            let project = scene.world.owner.post("/project/", project).await.created().id();
            create_webhooks(&scene.world, &project).await;
        }
        fill::events(&scene.app, &scene.world, scene.number(20_000, 1_000));
        let (http, key, url) = (scene.http.clone(), scene.key().to_owned(), scene.url(&scene.world.notes()));
        Callers::default().send(4, move |caller, number| {
            let note = json!({"value": {"title": format!("Note {number} of {caller}")}});
            http.post(&url).bearer_auth(&key).json(&note)
        })
    })
}

/// Creates webhooks up to the maximum number. They exist already if the load has started before.
async fn create_webhooks(world: &World, project: &str) {
    let path = format!("/project/{project}/webhook");
    let existing = world.owner.get(&path).await.ok()["data"].as_array().unwrap().len();
    for number in existing..MAX_PER_PROJECT {
        let hook = json!({"url": format!("https://hooks.example.com/{number}"), "events": ["project.deleted"]});
        world.owner.post(&path, hook).await.created();
    }
}
