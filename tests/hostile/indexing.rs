//! Indexing of items in the background takes turns between projects.

use std::time::{Duration, Instant};

use serde_json::json;
use steward_tests::{App, Backend, World, eventually};
use tokio::time::sleep;

use crate::fill;
use crate::scenario::scenarios;

/// How much longer the indexing may take, because the load of other tests differs between the two measurements. If a
/// project had to wait for the work of the other one, its indexing would never end.
const TOLERANCE: Duration = Duration::from_secs(30);

/// Publishes whether a field is indexed. Repeats a request that exceeds its time limit on a slow machine.
async fn set_indexed(world: &World, field: &str, indexed: bool) {
    let change = json!({"schema": {"tables": {"notes": {"fields": {field: {"indexed": indexed}}}}}});
    let path = format!("/project/{}/schema", world.project);
    let patched = eventually(async || {
        let response = world.owner.patch(&path, change.clone()).await;
        (response.status != 503).then_some(response)
    });
    patched.await.ok();
}

/// Marks a field as indexed and waits until the items of the project are indexed by `count` fields. Returns the elapsed
/// time.
async fn indexing_time(app: &App, world: &World, field: &str, count: usize) -> Duration {
    let began = Instant::now();
    set_indexed(world, field, true).await;
    let filled = format!(
        "(SELECT count(*) FROM indexed_fields WHERE project_id = '{}' AND state = 'filled') = {count}",
        world.project
    );
    eventually(async || app.holds(&filled).then_some(())).await;
    began.elapsed()
}

// The loop publishes versions until the other project is indexed, more than the default quota on a fast machine.
scenarios! { &[("STEWARD_MAX_SCHEMA_VERSIONS_PER_PROJECT", "1000000")];
    async fn frequent_schema_changes_of_one_project_do_not_starve_the_indexing_of_another(app: &App) {
        let (noisy, calm) = (World::make(app, "noisy").await, World::make(app, "calm").await);
        fill::items(app, &noisy, 20_000);
        fill::items(app, &calm, 1_000);
        let alone = indexing_time(app, &calm, "rank", 1).await;

        // Each change causes work for all items of the project, so this work never ends.
        let toggling = async {
            for number in 0_u32.. {
                set_indexed(&noisy, "title", number % 2 == 0).await;
            }
        };
        let indexing = async {
            sleep(Duration::from_secs(1)).await;
            indexing_time(app, &calm, "title", 2).await
        };
        let beside = tokio::select! {
            () = toggling => unreachable!("The loop does not end."),
            beside = indexing => beside,
        };
        assert!(beside < alone * 3 + TOLERANCE, "{beside:?}, alone {alone:?}");
    }
}
