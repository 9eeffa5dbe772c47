//! What an input may cost: whatever is sent, the answer is small and comes soon.

use std::time::Duration;

use serde_json::{Map, Value, json};
use steward_tests::{App, Backend, PASSWORD, World, eventually, on_both};

/// The processor time that the service has used so far.
fn processor_time(app: &App) -> Duration {
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", app.process_id())).unwrap();
    let after_name = stat.rsplit_once(") ").unwrap().1;
    let ticks: u64 = after_name.split(' ').skip(11).take(2).map(|field| field.parse::<u64>().unwrap()).sum();
    // 100 ticks a second on every Linux.
    Duration::from_millis(ticks * 10)
}

/// A schema of one table with so many fields that are no fields.
fn with_bad_fields(project: &str, count: usize) -> Value {
    let fields: Map<String, Value> = (0..count).map(|n| (format!("{n:x}"), json!(1))).collect();
    json!({"schema": {"project_id": project, "version": 1, "tables": {"t": {"fields": fields}}}})
}

/// The service's resident memory, in MiB.
fn resident(app: &App) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{}/status", app.process_id())).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
    line.trim().trim_end_matches(" kB").parse::<u64>().unwrap() / 1024
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_hundred_sign_ins_leave_little_in_memory() {
    let app = App::start(Backend::Sqlite).await;
    app.person("ann").await;
    let (before, anon) = (resident(&app), app.anon());
    let login = json!({"username": "ann", "password": PASSWORD});
    for _ in 0..100 {
        anon.post("/auth/login", login.clone()).await.ok();
    }
    let after = resident(&app);
    assert!(after < 100, "{before} MiB before, {after} MiB after");

    let mut crowd = tokio::task::JoinSet::new();
    for _ in 0..24 {
        let (anon, login) = (anon.clone(), login.clone());
        crowd.spawn(async move { anon.post("/auth/login", login).await.ok() });
    }
    crowd.join_all().await;
    // What several hashes at once took is given back.
    eventually(async || Some(resident(&app)).filter(|now| *now < before + 25)).await;
}

on_both! {
    async fn a_document_of_many_violations_is_refused_in_few_words_and_little_time(app: &App) {
        let world = World::make(app, "acme").await;
        let anon = app.anon();
        for count in [30_000, 90_000] {
            for path in ["/utils/schema/compareSchema", "/utils/schema/verifyUpdateSchema"] {
                let before = processor_time(app);
                let answer = anon.post(path, with_bad_fields(&world.project, count)).await;
                let used = processor_time(app) - before;
                assert!(answer.body.len() < 1_024, "{answer}");
                assert!(answer.json()["errors"][0]["keyword"] == "maxProperties", "{answer}");
                // The tests run a build without optimisation, which takes some ten times as long.
                assert!(used < Duration::from_secs(1), "{count} fields: {used:?}");
            }
        }

        let tables: Map<String, Value> = (0..100)
            .map(|table| {
                let fields: Map<String, Value> = (0..200).map(|n| (format!("{n:x}"), json!(1))).collect();
                (format!("t{table}"), json!({"fields": fields}))
            })
            .collect();
        let largest = json!({"schema": {"project_id": world.project, "version": 1, "tables": tables}});
        let refusal = anon.post("/utils/schema/compareSchema", largest.clone()).await;
        assert!(refusal.body.len() < 64 * 1024, "{} bytes", refusal.body.len());
        let refusal = refusal.refused(400, "invalid_schema");
        assert_eq!((refusal["errors"].as_array().unwrap().len(), &refusal["truncated"]), (100, &json!(true)));
        let path = format!("/project/{}/schema", world.project);
        world.owner.post(&path, largest).await.refused(400, "invalid_schema");
    }

    async fn an_item_of_many_violations_is_refused_in_few_words(app: &App) {
        let world = World::make(app, "acme").await;
        let value: Map<String, Value> = (0..20_000).map(|n| (format!("{n:x}"), json!(1))).collect();
        let answer = world.owner.put(&world.item("wide"), json!({"value": value})).await;
        assert!(answer.body.len() < 16 * 1024, "{} bytes", answer.body.len());
        let refusal = answer.refused(400, "invalid_item");
        assert_eq!((refusal["errors"].as_array().unwrap().len(), &refusal["truncated"]), (100, &json!(true)));
        let long = "n".repeat(200_000);
        let answer = world.owner.put(&world.item("long"), json!({"value": {long: 1}})).await;
        assert!(answer.body.len() < 1_024, "{} bytes", answer.body.len());
        answer.refused(400, "invalid_item");
    }
}
