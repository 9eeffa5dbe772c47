//! Quota errors and reported usage.

use serde_json::json;
use steward_tests::{App, Backend, World};

const LIMITS: &[(&str, &str)] = &[
    ("STEWARD_MAX_KEYS_PER_PROJECT", "2"),
    ("STEWARD_MAX_ITEMS_PER_PROJECT", "3"),
    ("STEWARD_MAX_MEMBERS_PER_TEAM", "1"),
    ("STEWARD_MAX_PROJECTS_PER_TEAM", "1"),
    ("STEWARD_MAX_RESERVED_SLUGS_PER_TEAM", "3"),
];

async fn a_quota_error_contains_the_quota_its_limit_and_its_setting(backend: Backend) {
    let app = App::start_with(backend, LIMITS).await;
    let world = World::make(&app, "acme").await;
    let project = format!("/project/{}", world.project);
    let assert_quota = |refused: steward_tests::Body, quota: &str, limit: u64| {
        let setting = format!("STEWARD_MAX_{}", quota.to_uppercase());
        assert_eq!(
            (&refused["quota"], &refused["limit"], &refused["setting"]),
            (&json!(quota), &json!(limit), &json!(setting))
        );
    };

    let key = json!({"label": "more", "roles": "read"});
    world.owner.post(&format!("{project}/key"), key.clone()).await.ok();
    let refused = world.owner.post(&format!("{project}/key"), key).await;
    assert_quota(refused.refused(409, "quota_exceeded"), "keys_per_project", 2);

    for id in ["one", "two"] {
        world.key.put(&world.item(id), json!({"value": {"title": id}})).await.created();
    }
    let third = json!({"value": {"title": "three"}});
    assert_quota(
        world.key.put(&world.item("three"), third.clone()).await.refused(409, "quota_exceeded"),
        "items_per_project",
        3,
    );
    world.key.put(&world.item("two"), third.clone()).await.ok();
    world.key.delete(&world.item("one")).await.ok();
    world.key.put(&world.item("three"), third).await.created();

    let more = json!({"name": "More", "team_id": world.team});
    let refused = world.owner.post("/project", more).await;
    assert_quota(refused.refused(409, "quota_exceeded"), "projects_per_team", 1);

    world.owner.patch(&project, json!({"slug": "renamed-once"})).await.ok();
    let renamed = world.owner.patch(&project, json!({"slug": "renamed-twice"})).await;
    assert_quota(renamed.refused(409, "quota_exceeded"), "reserved_slugs_per_team", 3);
    world.owner.patch(&project, json!({"name": "Another name"})).await.ok();

    let shown = world.owner.get(&project).await.ok();
    let usage = &shown["data"]["usage"];
    assert_eq!((&usage["items"], &usage["keys"]), (&json!({"used": 3, "limit": 3}), &json!({"used": 2, "limit": 2})));
    assert!(usage["bytes"]["used"].as_u64().unwrap() > 2 * r#"{"title":"three"}"#.len() as u64 - 5);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_quota_error_contains_the_quota_its_limit_and_its_setting_on_sqlite() {
    a_quota_error_contains_the_quota_its_limit_and_its_setting(Backend::Sqlite).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_quota_error_contains_the_quota_its_limit_and_its_setting_on_postgres() {
    a_quota_error_contains_the_quota_its_limit_and_its_setting(Backend::Postgres).await;
}
