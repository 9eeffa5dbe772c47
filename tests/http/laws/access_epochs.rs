//! Cached access is never used after it was revoked: the statement that reads or writes an item checks it again.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use reqwest::Method;
use serde_json::json;
use steward_tests::{Actor, App, Backend, Client, PASSWORD, World, is_short, notes_schema, on_both};

/// Number of keys that are deleted while in use, per database.
const ROUNDS: usize = 1_000;
/// In a short run.
const SHORT_ROUNDS: usize = 100;

/// The same caller on another replica.
fn on_replica(app: &App, actor: &Actor) -> Actor {
    app.bearer(actor.credential.as_ref().unwrap())
}

/// Signs in the owner of the fixture `acme`.
async fn sign_in_owner(app: &App) -> Actor {
    let login = json!({"username": "acme-owner", "password": PASSWORD});
    let session = app.anonymous().post("/auth/login", login).await.ok();
    app.bearer(session["access_token"].as_str().unwrap())
}

/// Uses the caller's access, so that the service caches it.
async fn warm_cache(actor: &Actor, items: &str) {
    for _ in 0..3 {
        actor.get(&format!("{items}/first")).await.ok();
        actor.get(items).await.ok();
    }
}

/// Response statuses of reading, listing, writing and deleting items.
async fn statuses(actor: &Actor, items: &str) -> Vec<u16> {
    let item = format!("{items}/first");
    let body = json!({"value": {"title": "Late"}});
    let mut statuses = Vec::new();
    for (method, path, body) in [
        (Method::GET, item.as_str(), None),
        (Method::GET, items, None),
        (Method::PUT, &item, Some(&body)),
        (Method::PATCH, &item, Some(&body)),
        (Method::POST, items, Some(&body)),
        (Method::DELETE, &item, None),
    ] {
        statuses.push(actor.send(method, path, body.cloned(), &[]).await.status.as_u16());
    }
    statuses
}

/// Caches the access on all replicas, revokes it with `revoke`, and asserts the resulting statuses on each replica.
async fn assert_revoked(replicas: &[&App], actor: &Actor, items: &str, expected: &[u16], revoke: impl AsyncFnOnce()) {
    let per_replica: Vec<Actor> = replicas.iter().map(|app| on_replica(app, actor)).collect();
    for actor in &per_replica {
        warm_cache(actor, items).await;
    }
    revoke().await;
    for actor in &per_replica {
        assert_eq!(statuses(actor, items).await, expected, "{items}");
    }
}

/// Revokes access in each possible way while all replicas have it cached.
async fn assert_each_revocation(app: &App, replicas: &[&App]) {
    let world = World::make(app, "acme").await;
    let (owner, notes) = (&world.owner, world.notes());
    let project = format!("/project/{}", world.project);

    let key = owner.post(&format!("{project}/key"), json!({"label": "a", "roles": "read,write"})).await.ok();
    let path = format!("{project}/key/{}", key["key"]["id"].as_str().unwrap());
    let value = app.bearer(key["key"]["value"].as_str().unwrap());
    assert_revoked(replicas, &value, &notes, &[200, 200, 403, 403, 403, 403], async || {
        owner.patch(&path, json!({"roles": "read"})).await.ok();
    })
    .await;
    assert_revoked(replicas, &value, &notes, &[401; 6], async || drop(owner.delete(&path).await.ok())).await;

    let adam = world.member(app, "adam", "admin").await;
    let member = format!("/team/{}/member/{}", world.team, adam.id);
    assert_revoked(replicas, &adam, &notes, &[200, 200, 403, 403, 403, 403], async || {
        owner.patch(&member, json!({"roles": "viewer,db:read"})).await.ok();
    })
    .await;
    assert_revoked(replicas, &adam, &notes, &[404; 6], async || drop(owner.delete(&member).await.ok())).await;

    app.person("ann").await;
    let tokens = Client::of(app, &world).tokens(app, "ann", &[("scope", "openid app:db:write")]).await;
    let ann = app.bearer(tokens["access_token"].as_str().unwrap());
    let own = format!("/account/{}/db/notes", world.project);
    ann.put(&format!("{own}/first"), json!({"value": {"title": "Mine"}})).await.created();
    let users = owner.get(&format!("{project}/user?q=ann")).await.ok();
    let user = format!("{project}/user/{}", users["data"][0]["id"].as_str().unwrap());
    assert_revoked(replicas, &ann, &own, &[403; 6], async || {
        owner.patch(&user, json!({"status": "blocked"})).await.ok();
    })
    .await;

    let with_new_field = json!({"value": {"title": "First", "later": "x"}});
    let per_replica: Vec<Actor> = replicas.iter().map(|app| on_replica(app, &world.key)).collect();
    for key in &per_replica {
        warm_cache(key, &notes).await;
        key.put(&world.item("first"), with_new_field.clone()).await.refused(400, "invalid_item");
    }
    let mut schema = notes_schema();
    schema["tables"]["notes"]["fields"]["later"] = json!({"type": "string"});
    owner.post(&format!("{project}/schema"), json!({"schema": schema})).await.ok();
    for key in &per_replica {
        key.put(&world.item("first"), with_new_field.clone()).await.ok();
    }
}

on_both! {
    async fn revoked_access_is_refused_at_the_next_request(app: &App) {
        if app.backend() == Backend::Postgres {
            let other = app.start_replica().await;
            assert_each_revocation(app, &[app, &other]).await;
        } else {
            assert_each_revocation(app, &[app]).await;
        }
    }

    async fn no_write_starts_after_its_key_was_deleted(app: &App) {
        let world = World::make(app, "acme").await;
        let replica = if app.backend() == Backend::Postgres { Some(app.start_replica().await) } else { None };
        let serving = replica.as_ref().unwrap_or(app);
        let (keys, item) = (format!("/project/{}/key", world.project), world.item("first"));
        let mut owner = world.owner.clone();
        let rounds = if is_short() { SHORT_ROUNDS } else { ROUNDS };
        for round in 1..=rounds {
            // On a busy machine, a token expires before the last round.
            if round % 100 == 0 {
                owner = sign_in_owner(app).await;
            }
            let created = owner.post(&keys, json!({"label": "short", "roles": "read,write"})).await.ok();
            let key = serving.bearer(created["key"]["value"].as_str().unwrap());
            let deleted = Arc::new(AtomicBool::new(false));
            let writer = {
                let (key, item, deleted) = (key.clone(), item.clone(), deleted.clone());
                tokio::spawn(async move {
                    let deadline = Instant::now() + Duration::from_secs(60);
                    loop {
                        // Requests sent before the deletion is acknowledged may succeed or fail.
                        let was_deleted = deleted.load(Ordering::SeqCst);
                        let body = json!({"value": {"title": "Late"}});
                        let status = key.send(Method::PUT, &item, Some(body), &[]).await.status.as_u16();
                        // On a busy machine, a request may time out.
                        let timed_out = status == 503 && Instant::now() < deadline;
                        let is_expected = status == 401 || timed_out || !was_deleted && status == 200;
                        assert!(is_expected, "Unexpected status {status} in round {round}.");
                        if was_deleted && status == 401 {
                            return;
                        }
                    }
                })
            };
            tokio::time::sleep(Duration::from_millis(round as u64 % 5)).await;
            owner.delete(&format!("{keys}/{}", created["key"]["id"].as_str().unwrap())).await.ok();
            deleted.store(true, Ordering::SeqCst);
            key.get(&item).await.refused(401, "unauthorized");
            writer.await.unwrap();
        }
    }
}
