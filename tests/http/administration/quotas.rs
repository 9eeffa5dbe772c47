//! Quota errors and reported usage.

use futures_util::future::join_all;
use serde_json::json;
use steward_tests::{Actor, Answer, App, Backend, Body, World};

const LIMITS: &[(&str, &str)] = &[
    ("STEWARD_MAX_KEYS_PER_PROJECT", "2"),
    ("STEWARD_MAX_ITEMS_PER_PROJECT", "3"),
    ("STEWARD_MAX_MEMBERS_PER_TEAM", "1"),
    ("STEWARD_MAX_PENDING_INVITES_PER_TEAM", "1"),
    ("STEWARD_MAX_PROJECTS_PER_TEAM", "1"),
    ("STEWARD_MAX_RESERVED_SLUGS_PER_TEAM", "3"),
];

/// Asserts which quota a request exceeded.
#[track_caller]
fn assert_quota(refused: &Body, quota: &str, limit: u64) {
    let setting = format!("STEWARD_MAX_{}", quota.to_uppercase());
    assert_eq!(
        (&refused["quota"], &refused["limit"], &refused["setting"]),
        (&json!(quota), &json!(limit), &json!(setting))
    );
}

async fn a_quota_error_contains_the_quota_its_limit_and_its_setting(backend: Backend) {
    let app = App::start_with(backend, LIMITS).await;
    let world = World::make(&app, "acme").await;
    let project = format!("/project/{}", world.project);

    let key = json!({"label": "more", "roles": "read"});
    world.owner.post(&format!("{project}/key"), key.clone()).await.ok();
    let refused = world.owner.post(&format!("{project}/key"), key).await;
    assert_quota(&refused.refused(409, "quota_exceeded"), "keys_per_project", 2);

    for id in ["one", "two"] {
        world.key.put(&world.item(id), json!({"value": {"title": id}})).await.created();
    }
    let third = json!({"value": {"title": "three"}});
    assert_quota(
        &world.key.put(&world.item("three"), third.clone()).await.refused(409, "quota_exceeded"),
        "items_per_project",
        3,
    );
    world.key.put(&world.item("two"), third.clone()).await.ok();
    world.key.delete(&world.item("one")).await.ok();
    world.key.put(&world.item("three"), third.clone()).await.created();
    let operations = json!([{"op": "put", "id": "four", "value": third["value"]}, {"op": "delete", "id": "two"}]);
    world.key.post(&format!("{}/batch", world.notes()), json!({"operations": operations})).await.ok();

    let invites = format!("/team/{}/invite", world.team);
    let invite = |email: &str| json!({"email": email, "roles": "viewer"});
    world.owner.post(&invites, invite("ann@example.com")).await.created();
    let refused = world.owner.post(&invites, invite("bob@example.com")).await;
    assert_quota(&refused.refused(409, "quota_exceeded"), "pending_invites_per_team", 1);
    world.owner.post(&invites, invite("ann@example.com")).await.created();

    let more = json!({"name": "More", "team_id": world.team});
    let refused = world.owner.post("/project", more).await;
    assert_quota(&refused.refused(409, "quota_exceeded"), "projects_per_team", 1);

    world.owner.patch(&project, json!({"slug": "renamed-once"})).await.ok();
    let renamed = world.owner.patch(&project, json!({"slug": "renamed-twice"})).await;
    assert_quota(&renamed.refused(409, "quota_exceeded"), "reserved_slugs_per_team", 3);
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

const RACE_LIMITS: &[(&str, &str)] =
    &[("STEWARD_MAX_MEMBERS_PER_TEAM", "3"), ("STEWARD_MAX_SCHEMA_VERSIONS_PER_PROJECT", "3")];

/// Asserts that all but two of the concurrent requests were rejected because of a conflict. The third one of its kind
/// exists already.
fn assert_two_succeeded(responses: &[Answer]) {
    let succeeded = responses.iter().filter(|response| response.status == 200).count();
    let conflicts = responses.iter().filter(|response| response.status == 409).count();
    let statuses: Vec<u16> = responses.iter().map(|response| response.status.as_u16()).collect();
    assert_eq!((succeeded, conflicts), (2, responses.len() - 2), "{statuses:?}");
}

async fn accept(guest: &Actor, invite: &str) -> Answer {
    guest.post("/team/accept-invite", json!({"invite_id": invite})).await
}

async fn concurrent_acceptances_cannot_exceed_the_members_of_a_team(backend: Backend) {
    let app = App::start_with(backend, RACE_LIMITS).await;
    let world = World::make(&app, "acme").await;
    let team = format!("/team/{}", world.team);
    let guests: Vec<(Actor, String)> = join_all((0..6).map(async |number| {
        let name = format!("guest{number}");
        let guest = app.person(&name).await;
        let invite = json!({"username": name, "roles": "viewer"});
        let invite = world.owner.post(&format!("{team}/invite"), invite).await.created().id();
        (guest, invite)
    }))
    .await;

    let responses = join_all(guests.iter().map(|(guest, invite)| accept(guest, invite))).await;
    assert_two_succeeded(&responses);
    let members = world.owner.get(&format!("{team}/member")).await.ok();
    assert_eq!(members["data"].as_array().unwrap().len(), 3);
    let (guest, invite) = guests.iter().zip(&responses).find(|(_, response)| response.status == 409).unwrap().0;
    assert_quota(&accept(guest, invite).await.refused(409, "quota_exceeded"), "members_per_team", 3);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn concurrent_acceptances_cannot_exceed_the_members_of_a_team_on_sqlite() {
    concurrent_acceptances_cannot_exceed_the_members_of_a_team(Backend::Sqlite).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn concurrent_acceptances_cannot_exceed_the_members_of_a_team_on_postgres() {
    concurrent_acceptances_cannot_exceed_the_members_of_a_team(Backend::Postgres).await;
}

/// Publishes a schema with another table.
async fn publish(world: &World, number: usize) -> Answer {
    let changes = json!({"tables": {format!("more{number}"): {"fields": {}}}});
    world.owner.patch(&format!("/project/{}/schema", world.project), json!({"schema": changes})).await
}

async fn concurrent_publications_cannot_exceed_the_versions_of_a_schema(backend: Backend) {
    let app = App::start_with(backend, RACE_LIMITS).await;
    let world = World::make(&app, "acme").await;

    let responses = join_all((0..6).map(|number| publish(&world, number))).await;
    assert_two_succeeded(&responses);
    let versions = world.owner.get(&format!("/project/{}/schema?version=all", world.project)).await.ok();
    assert_eq!(versions["count"], json!(3));
    assert_quota(&publish(&world, 6).await.refused(409, "quota_exceeded"), "schema_versions_per_project", 3);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn concurrent_publications_cannot_exceed_the_versions_of_a_schema_on_sqlite() {
    concurrent_publications_cannot_exceed_the_versions_of_a_schema(Backend::Sqlite).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn concurrent_publications_cannot_exceed_the_versions_of_a_schema_on_postgres() {
    concurrent_publications_cannot_exceed_the_versions_of_a_schema(Backend::Postgres).await;
}
