//! Concurrent changes that lock the same rows must not block each other.

use futures_util::future::join_all;
use serde_json::{Value, json};
use steward_tests::{App, Backend, Browser, Client, World};

use crate::process::check_memory;

/// Number of users whose grants are revoked while the project erases them, and how often.
const USERS: usize = 8;
const ROUNDS: usize = 3;
/// Maximum number of attempts to change the rows without a 503. A pause of the machine disturbs one attempt. Replicas
/// that block each other disturb each.
const MAX_ATTEMPTS: usize = 3;

/// Two replicas change the same rows in different orders. No request fails because of the other replica.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_replicas_do_not_block_each_other() {
    let first = App::start(Backend::Postgres).await;
    let address = [("STEWARD_PUBLIC_URL", first.base.as_str())];
    let second = App::start_on_database(&first.database().url(), &address).await;
    let world = World::make(&first, "acme").await;
    let keys: Vec<String> = join_all((0..20).map(async |number| {
        let key = json!({"label": format!("key {number}"), "roles": "admin"});
        let key = world.owner.post(&format!("/project/{}/key", world.project), key).await.ok();
        key["key"]["value"].as_str().unwrap().to_owned()
    }))
    .await;
    let mut statuses = use_and_write([&first, &second], &world, &keys).await;
    for _ in 1..MAX_ATTEMPTS {
        if statuses.contains(&503) && statuses.iter().all(|status| matches!(status, 200 | 503)) {
            statuses = use_and_write([&first, &second], &world, &keys).await;
        }
    }
    assert!(statuses.iter().all(|status| *status == 200), "{statuses:?}");
    for app in [&first, &second] {
        assert_no_deadlock(app);
        check_memory(app);
    }
    assert_no_deadlock_in_postgres(&first);
}

/// Uses the keys and writes the same items with both replicas. Each use of a key is recorded, and both replicas write
/// these records at the same time. Returns the statuses.
async fn use_and_write(replicas: [&App; 2], world: &World, keys: &[String]) -> Vec<u16> {
    let credential = world.owner.credential.as_ref().unwrap();
    let statuses = join_all(replicas.into_iter().enumerate().map(|(replica, app)| {
        let owner = app.bearer(credential);
        async move {
            let mut statuses = Vec::new();
            for round in 0..20 {
                let responses =
                    join_all(keys.iter().map(async |key| app.bearer(key).get(&world.item("first")).await)).await;
                statuses.extend(responses.iter().map(|response| response.status.as_u16()));
                let batch = ordered_batch(round, replica == 0);
                statuses.push(owner.post(&format!("{}/batch", world.notes()), batch).await.status.as_u16());
            }
            statuses
        }
    }));
    statuses.await.into_iter().flatten().collect()
}

/// Returns a batch of the same items, in forward or reverse order.
fn ordered_batch(round: usize, forwards: bool) -> Value {
    let mut numbers: Vec<usize> = (0..50).collect();
    if !forwards {
        numbers.reverse();
    }
    let put =
        |number: &usize| json!({"op": "put", "id": format!("n{number}"), "value": {"title": format!("Round {round}")}});
    json!({"operations": numbers.iter().map(put).collect::<Vec<_>>()})
}

/// Users revoke their grants to a project while the project erases these users. Both changes delete the grant and its
/// tokens, and change the user.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn revoking_grants_and_erasing_their_users_do_not_deadlock() {
    let app = App::start(Backend::Postgres).await;
    let world = World::make(&app, "acme").await;
    let client = Client::of(&app, &world);
    let users = join_all((0..USERS).map(async |number| {
        let name = format!("user{number}");
        app.person(&name).await;
        (name, Browser::new(&app))
    }))
    .await;
    for _ in 0..ROUNDS {
        join_all(users.iter().map(async |(name, browser)| {
            let code = client.code(browser, name, &[]).await;
            client.redeem(&code, &[]).await.ok();
        }))
        .await;
        let (revoked, erased) = revoke_and_erase(&world, &users).await;
        // A change that others keep overtaking is refused with 409.
        for statuses in [revoked, erased] {
            assert!(statuses.iter().all(|status| matches!(status, 200 | 409)), "{statuses:?}");
            assert!(statuses.contains(&200), "{statuses:?}");
        }
    }
    assert_no_deadlock(&app);
    assert_no_deadlock_in_postgres(&app);
    check_memory(&app);
}

/// Revokes the grant of each user in their browser and erases all users of the project, at the same time. Returns the
/// statuses of both.
async fn revoke_and_erase(world: &World, users: &[(String, Browser)]) -> (Vec<u16>, Vec<u16>) {
    let path = format!("/project/{}/user", world.project);
    let listed = world.owner.get(&path).await.ok();
    let ids = listed["data"].as_array().unwrap().iter().map(|user| user["id"].as_str().unwrap());
    let ids: Vec<&str> = ids.filter(|id| *id != world.user).collect();
    assert_eq!(ids.len(), users.len());
    let pages = join_all(users.iter().map(async |(_, browser)| browser.open("/console/account/apps").await)).await;
    let revoked = users.iter().zip(&pages).map(async |((_, browser), page)| {
        let project = [("project_id", world.project.as_str())];
        browser.submit(page, "/console/account/apps/revoke", &project).await.status.as_u16()
    });
    let erased = ids.iter().map(async |id| world.owner.delete(&format!("{path}/{id}")).await.status.as_u16());
    tokio::join!(join_all(revoked), join_all(erased))
}

/// A change that runs into a deadlock is retried, and the service logs this.
fn assert_no_deadlock(app: &App) {
    assert!(!app.log().contains("deadlock"), "{}", app.log());
}

fn assert_no_deadlock_in_postgres(app: &App) {
    let count = "(SELECT deadlocks FROM pg_stat_database WHERE datname = current_database())";
    assert!(app.holds(&format!("{count} = 0")), "PostgreSQL detected deadlocks.");
}
