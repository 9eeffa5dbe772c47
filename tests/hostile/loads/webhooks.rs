//! Webhooks that wait for events which hardly ever happen, in a team where very much happens.

use futures_util::future::BoxFuture;
use serde_json::json;
use steward_tests::World;

use super::Load;
use crate::scene::{Callers, Scene};

pub const QUIET: Load = Load {
    name: "300 quiet webhooks, 20,000 events",
    prepare: wait_for_rare_events,
    // They do nothing more: they are there.
    start: |_| Box::pin(async { Callers::default() }),
    leaves_work: false,
};

/// How many webhooks a project may have.
const OF_A_PROJECT: usize = 50;

fn wait_for_rare_events(scene: &Scene) -> BoxFuture<'_, ()> {
    Box::pin(async move {
        hooks(&scene.world, &scene.world.project).await;
        for number in 1..scene.number(6, 2) {
            let project = json!({"name": format!("Project {number}"), "team_id": scene.world.team});
            let project = scene.world.owner.post("/project/", project).await.created().id();
            hooks(&scene.world, &project).await;
        }
        scene.fill(scene.number(20_000, 1_000)).await;
    })
}

async fn hooks(world: &World, project: &str) {
    for number in 0..OF_A_PROJECT {
        let hook = json!({"url": format!("https://hooks.example.com/{number}"), "events": ["project.deleted"]});
        world.owner.post(&format!("/project/{project}/webhook"), hook).await.created();
    }
}
