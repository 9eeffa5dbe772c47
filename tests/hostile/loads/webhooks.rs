//! Webhooks that subscribe to rare events, in a team with many events.

use futures_util::future::BoxFuture;
use serde_json::json;
use steward_tests::World;

use super::Load;
use crate::scene::{Callers, Scene};

pub const QUIET: Load = Load {
    name: "300 quiet webhooks, 20,000 events",
    prepare: create_idle_webhooks,
    // The webhooks only have to exist.
    start: |_| Box::pin(async { Callers::default() }),
    leaves_work: false,
};

/// Maximum number of webhooks per project.
const MAX_PER_PROJECT: usize = 50;

fn create_idle_webhooks(scene: &Scene) -> BoxFuture<'_, ()> {
    Box::pin(async move {
        create_webhooks(&scene.world, &scene.world.project).await;
        for number in 1..scene.number(6, 2) {
            let project = json!({"name": format!("Project {number}"), "team_id": scene.world.team});
            let project = scene.world.owner.post("/project/", project).await.created().id();
            create_webhooks(&scene.world, &project).await;
        }
        scene.fill(scene.number(20_000, 1_000)).await;
    })
}

async fn create_webhooks(world: &World, project: &str) {
    for number in 0..MAX_PER_PROJECT {
        let hook = json!({"url": format!("https://hooks.example.com/{number}"), "events": ["project.deleted"]});
        world.owner.post(&format!("/project/{project}/webhook"), hook).await.created();
    }
}
