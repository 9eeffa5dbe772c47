//! Limits on the cost of input: responses to any input are small and fast.

use std::time::{Duration, Instant};

use serde_json::{Map, Value, json};
use steward_tests::{App, Backend, PASSWORD, WEAK_PASSWORD_HASHES, World, eventually, on_sqlite};

/// CPU time that the service has used so far.
fn cpu_time(app: &App) -> Duration {
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", app.process_id())).unwrap();
    let after_name = stat.rsplit_once(") ").unwrap().1;
    let ticks: u64 = after_name.split(' ').skip(11).take(2).map(|field| field.parse::<u64>().unwrap()).sum();
    // Linux reports 100 ticks per second.
    Duration::from_millis(ticks * 10)
}

/// A schema of one table with `count` invalid fields.
fn with_invalid_fields(project: &str, count: usize) -> Value {
    let fields: Map<String, Value> = (0..count).map(|n| (format!("{n:x}"), json!(1))).collect();
    json!({"schema": {"project_id": project, "version": 1, "tables": {"t": {"fields": fields}}}})
}

/// Resident memory of the service in MiB, without its files: the binary of a debug build is large.
fn resident(app: &App) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{}/status", app.process_id())).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("RssAnon:")).unwrap();
    line.trim().trim_end_matches(" kB").parse::<u64>().unwrap() / 1024
}

async fn a_hundred_sign_ins_do_not_increase_memory_usage(backend: Backend) {
    let app = App::start_with(backend, &[(WEAK_PASSWORD_HASHES, "false")]).await;
    app.person("ann").await;
    let (before, anon) = (resident(&app), app.anonymous());
    let login = json!({"username": "ann", "password": PASSWORD});
    for _ in 0..100 {
        anon.post("/auth/login", login.clone()).await.ok();
    }
    let after = resident(&app);
    assert!(after < 100, "{before} MiB before, {after} MiB after");

    let mut sign_ins = tokio::task::JoinSet::new();
    for _ in 0..24 {
        let (anon, login) = (anon.clone(), login.clone());
        sign_ins.spawn(async move {
            let deadline = Instant::now() + Duration::from_secs(60);
            loop {
                let response = anon.post("/auth/login", login.clone()).await;
                // On a busy machine, a sign-in may wait too long for its password hash.
                if response.status != 503 || Instant::now() > deadline {
                    return response.ok();
                }
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        });
    }
    sign_ins.join_all().await;
    // The memory of concurrent password hashes is returned to the operating system.
    eventually(async || Some(resident(&app)).filter(|now| *now < before + 25)).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_hundred_sign_ins_do_not_increase_memory_usage_on_sqlite() {
    a_hundred_sign_ins_do_not_increase_memory_usage(Backend::Sqlite).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_hundred_sign_ins_do_not_increase_memory_usage_on_postgres() {
    a_hundred_sign_ins_do_not_increase_memory_usage(Backend::Postgres).await;
}

on_sqlite! {
    async fn a_document_with_many_violations_gets_a_short_error_quickly(app: &App) {
        let world = World::make(app, "acme").await;
        let anon = app.anonymous();
        for path in ["/utils/schema/compareSchema", "/utils/schema/verifyUpdateSchema"] {
            let time = async |count| {
                let before = cpu_time(app);
                let response = anon.post(path, with_invalid_fields(&world.project, count)).await;
                let time = cpu_time(app) - before;
                assert!(response.body.len() < 1_024, "{response}");
                assert!(response.json()["errors"][0]["keyword"] == "maxProperties", "{response}");
                time
            };
            // Three times as many take three times as long, not nine times. Other processes on the same cores increase
            // the CPU time of an attempt.
            let (mut few, mut many) = (Duration::MAX, Duration::MAX);
            for _ in 0..5 {
                (few, many) = (few.min(time(30_000).await), many.min(time(90_000).await));
            }
            assert!(many < few * 6, "30,000 fields: {few:?}, 90,000 fields: {many:?}");
        }

        let tables: Map<String, Value> = (0..100)
            .map(|table| {
                let fields: Map<String, Value> = (0..200).map(|n| (format!("{n:x}"), json!(1))).collect();
                (format!("t{table}"), json!({"fields": fields}))
            })
            .collect();
        let largest = json!({"schema": {"project_id": world.project, "version": 1, "tables": tables}});
        let error = anon.post("/utils/schema/compareSchema", largest.clone()).await;
        assert!(error.body.len() < 64 * 1024, "{} bytes", error.body.len());
        let error = error.refused(400, "invalid_schema");
        assert_eq!((error["errors"].as_array().unwrap().len(), &error["truncated"]), (100, &json!(true)));
        let path = format!("/project/{}/schema", world.project);
        world.owner.post(&path, largest).await.refused(400, "invalid_schema");
    }

    async fn an_item_with_many_violations_gets_a_short_error(app: &App) {
        let world = World::make(app, "acme").await;
        let value: Map<String, Value> = (0..20_000).map(|n| (format!("{n:x}"), json!(1))).collect();
        let response = world.owner.put(&world.item("wide"), json!({"value": value})).await;
        assert!(response.body.len() < 16 * 1024, "{} bytes", response.body.len());
        let error = response.refused(400, "invalid_item");
        assert_eq!((error["errors"].as_array().unwrap().len(), &error["truncated"]), (100, &json!(true)));
        let long = "n".repeat(200_000);
        let response = world.owner.put(&world.item("long"), json!({"value": {long: 1}})).await;
        assert!(response.body.len() < 1_024, "{} bytes", response.body.len());
        response.refused(400, "invalid_item");
    }
}
