//! Citus 13.2 keeps what it plans for each execution of a prepared statement on the shards of its own node, some 40
//! KiB. So the service prepares none there.

use serde_json::json;
use steward_tests::{World, eventually};

use crate::nodes::CitusCluster;

const ITEMS: usize = 800;
/// Far less than the plans of that many writes or reads.
const MAX_GROWTH_BYTES: u64 = 12 * 1024 * 1024;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_memory_of_a_node_does_not_grow_with_each_item() {
    let Some(cluster) = CitusCluster::start().await else { return };
    // Few connections, which soon have everything that they keep.
    let app = cluster.distributed(&[("STEWARD_DATABASE_WORKERS", "4")]).await;
    let world = World::make(&app, "acme").await;
    let worker = cluster.workers.iter().find(|worker| cluster.is_on(worker, &world.project)).unwrap();
    let path = |number: usize| format!("{}/n{}", world.notes(), number % 20);
    let use_items = async |count: usize| {
        for number in 0..count {
            world.key.put(&path(number), json!({"value": {"title": "x"}})).await;
            world.key.get(&path(number)).await.ok();
        }
    };
    eventually(async || {
        use_items(20).await;
        cluster.was_written_to(worker).then_some(())
    })
    .await;
    use_items(200).await;

    let before = worker.memory();
    use_items(ITEMS).await;
    let growth = worker.memory().saturating_sub(before);
    println!("{ITEMS} writes and reads: {} KiB more", growth / 1024);
    assert!(growth < MAX_GROWTH_BYTES, "The memory of the node grew by {growth} bytes.");
}
