//! `steward migrate --distribute`.

use serde_json::{Value, json};
use steward_tests::{App, Backend, Cluster, World, notes_schema};

use crate::nodes::CitusCluster;

const DISTRIBUTE: [&str; 4] = ["migrate", "--distribute", "--shards", "8"];

/// Everything that a caller sees of the project's items.
async fn contents(world: &World) -> Vec<Value> {
    let notes = world.notes();
    let sorted = format!("{notes}?order=rank.desc&limit=100");
    let audit = format!("/project/{}/audit?limit=100", world.project);
    let mut seen = Vec::new();
    for path in [format!("{notes}?limit=100"), sorted, audit] {
        seen.push(world.key.get(&path).await.ok().0);
    }
    seen
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_database_is_distributed_with_its_data_and_keeps_working() {
    let Some(cluster) = CitusCluster::start().await else { return };
    let mut app = App::start_on_database(&cluster.coordinator.url(), &[]).await;
    let world = World::make(&app, "acme").await;
    let mut schema = notes_schema();
    schema["tables"]["notes"]["fields"]["rank"]["indexed"] = json!(true);
    world.owner.post(&format!("/project/{}/schema", world.project), json!({"schema": schema})).await.ok();
    for number in 0..20 {
        let value = json!({"title": format!("Note {number}"), "done": number % 2 == 0, "rank": number});
        world.key.put(&format!("{}/n{number}", world.notes()), json!({"value": value})).await.created();
    }
    let before = contents(&world).await;

    let refused = app.run(&DISTRIBUTE, "").await;
    let printed = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(!refused.status.success() && printed.contains("connections to the database are open"), "{printed}");
    app.terminate();
    assert!(app.exited_successfully().await, "{}", app.log());
    for _ in 0..2 {
        // The second run finds everything done.
        let distributed = app.run(&DISTRIBUTE, "").await;
        assert!(distributed.status.success(), "{}", String::from_utf8_lossy(&distributed.stderr));
    }
    app.begin();
    app.until_ready().await;
    assert_eq!(contents(&world).await, before);
    assert!(cluster.workers.iter().any(|worker| cluster.is_on(worker, &world.project)));

    // Forgets the transactions in which partitions were created.
    cluster.coordinator.execute("SELECT recover_prepared_transactions()");
    let item = format!("{}/n1", world.notes());
    world.key.patch(&item, json!({"value": {"title": "Changed"}})).await.ok();
    assert_eq!(world.key.get(&item).await.ok()["data"]["title"], "Changed");
    world.key.delete(&item).await.ok();
    world.key.get(&item).await.is_not_found();
    let batch: Vec<Value> =
        (0..5).map(|n| json!({"op": "put", "id": format!("b{n}"), "value": {"title": "x"}})).collect();
    world.key.post(&format!("{}/batch", world.notes()), json!({"operations": batch})).await.ok();
    // A position is settled when its transaction on the coordinator has ended, so the workers must commit before.
    let in_two_phases = "SELECT 1 / (NOT EXISTS (SELECT FROM pg_dist_transaction))::integer";
    assert!(cluster.coordinator.accepts(in_two_phases), "A write of items was committed in two phases.");

    let there = contents(&world).await;
    let [from, to] = if cluster.is_on(&cluster.workers[0], &world.project) { [0, 1] } else { [1, 0] };
    cluster.move_project(&world.project, &cluster.workers[from], &cluster.workers[to]);
    assert!(cluster.is_on(&cluster.workers[to], &world.project));
    assert_eq!(contents(&world).await, there);
    world.key.patch(&format!("{}/n2", world.notes()), json!({"value": {"title": "Moved"}})).await.ok();
    let doctor = app.run(&["doctor"], "").await;
    assert!(doctor.status.success(), "{}", String::from_utf8_lossy(&doctor.stdout));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn only_the_coordinator_of_a_cluster_with_workers_can_be_distributed() {
    let server = Cluster::start().await;
    let app = App::start_empty(Backend::Sqlite, &[]).await;
    for (database, problem) in [
        (server.url(), "not the coordinator of a Citus cluster with workers"),
        (format!("sqlite://{}", app.directory().join("other.db").display()), "Only a PostgreSQL database"),
    ] {
        let refused = app.run_with(&DISTRIBUTE, &[("DATABASE_URL", &database)]).await;
        let printed = String::from_utf8_lossy(&refused.stderr).into_owned();
        assert!(!refused.status.success() && printed.contains(problem), "{printed}");
    }
}
