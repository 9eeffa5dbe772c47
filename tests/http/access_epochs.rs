//! Access that is remembered is never used once it has ended: the statement that reads or writes an item proves it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use reqwest::Method;
use serde_json::json;
use steward_tests::{Actor, App, Backend, Client, World, on_both, schema_of_notes};

/// How many keys are deleted while they are in use, on each database.
const ROUNDS: usize = 1_000;

/// The same caller at another replica.
fn at(app: &App, actor: &Actor) -> Actor {
    app.bearer(actor.credential.as_ref().unwrap())
}

/// Uses the caller's access, so that it is remembered.
async fn warm(actor: &Actor, items: &str) {
    for _ in 0..3 {
        actor.get(&format!("{items}/first")).await.ok();
        actor.get(items).await.ok();
    }
}

/// What a caller gets who reads, lists, writes and deletes.
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

/// Ends the access with `end`, as the project's owner, where others do not serve; claims what follows at each replica.
async fn claim_ended(replicas: &[&App], actor: &Actor, items: &str, expected: &[u16], end: impl AsyncFnOnce()) {
    let at_each: Vec<Actor> = replicas.iter().map(|app| at(app, actor)).collect();
    for actor in &at_each {
        warm(actor, items).await;
    }
    end().await;
    for actor in &at_each {
        assert_eq!(statuses(actor, items).await, expected, "{items}");
    }
}

/// Ends access in each way, with remembered access at the replica that does it and at another.
async fn each_way(app: &App, replicas: &[&App]) {
    let world = World::make(app, "acme").await;
    let (owner, notes) = (&world.owner, world.notes());
    let project = format!("/project/{}", world.project);

    let key = owner.post(&format!("{project}/key"), json!({"label": "a", "roles": "read,write"})).await.ok();
    let path = format!("{project}/key/{}", key["key"]["id"].as_str().unwrap());
    let value = app.bearer(key["key"]["value"].as_str().unwrap());
    claim_ended(replicas, &value, &notes, &[200, 200, 403, 403, 403, 403], async || {
        owner.patch(&path, json!({"roles": "read"})).await.ok();
    })
    .await;
    claim_ended(replicas, &value, &notes, &[401; 6], async || drop(owner.delete(&path).await.ok())).await;

    let adam = world.member(app, "adam", "admin").await;
    let member = format!("/team/{}/member/{}", world.team, adam.id);
    claim_ended(replicas, &adam, &notes, &[200, 200, 403, 403, 403, 403], async || {
        owner.patch(&member, json!({"roles": "viewer,db:read"})).await.ok();
    })
    .await;
    claim_ended(replicas, &adam, &notes, &[404; 6], async || drop(owner.delete(&member).await.ok())).await;

    app.person("ann").await;
    let tokens = Client::of(app, &world).tokens(app, "ann", &[("scope", "openid app:db:write")]).await;
    let ann = app.bearer(tokens["access_token"].as_str().unwrap());
    let own = format!("/account/{}/db/notes", world.project);
    ann.put(&format!("{own}/first"), json!({"value": {"title": "Mine"}})).await.created();
    let users = owner.get(&format!("{project}/user?q=ann")).await.ok();
    let user = format!("{project}/user/{}", users["data"][0]["id"].as_str().unwrap());
    claim_ended(replicas, &ann, &own, &[403; 6], async || {
        owner.patch(&user, json!({"status": "blocked"})).await.ok();
    })
    .await;

    let with_new_field = json!({"value": {"title": "First", "later": "x"}});
    let at_each: Vec<Actor> = replicas.iter().map(|app| at(app, &world.key)).collect();
    for key in &at_each {
        warm(key, &notes).await;
        key.put(&world.item("first"), with_new_field.clone()).await.refused(400, "invalid_item");
    }
    let mut schema = schema_of_notes();
    schema["tables"]["notes"]["fields"]["later"] = json!({"type": "string"});
    owner.post(&format!("{project}/schema"), json!({"schema": schema})).await.ok();
    for key in &at_each {
        key.put(&world.item("first"), with_new_field.clone()).await.ok();
    }
}

on_both! {
    async fn access_that_ended_is_refused_by_the_next_request(app: &App) {
        if app.backend() == Backend::Postgres {
            let other = app.start_replica().await;
            each_way(app, &[app, &other]).await;
        } else {
            each_way(app, &[app]).await;
        }
    }

    async fn no_write_begins_after_its_key_was_deleted(app: &App) {
        let world = World::make(app, "acme").await;
        let replica = if app.backend() == Backend::Postgres { Some(app.start_replica().await) } else { None };
        let serving = replica.as_ref().unwrap_or(app);
        let (keys, item) = (format!("/project/{}/key", world.project), world.item("first"));
        for round in 0..ROUNDS {
            let made = world.owner.post(&keys, json!({"label": "short", "roles": "read,write"})).await.ok();
            let key = serving.bearer(made["key"]["value"].as_str().unwrap());
            let deleted = Arc::new(AtomicBool::new(false));
            let writer = {
                let (key, item, deleted) = (key.clone(), item.clone(), deleted.clone());
                tokio::spawn(async move {
                    loop {
                        // What is sent before the deletion is acknowledged may be answered either way.
                        let was_deleted = deleted.load(Ordering::SeqCst);
                        let body = json!({"value": {"title": "Late"}});
                        let status = key.send(Method::PUT, &item, Some(body), &[]).await.status.as_u16();
                        assert!(status == 401 || !was_deleted && status == 200, "round {round}: {status}");
                        if was_deleted {
                            return;
                        }
                    }
                })
            };
            tokio::time::sleep(std::time::Duration::from_millis(round as u64 % 5)).await;
            world.owner.delete(&format!("{keys}/{}", made["key"]["id"].as_str().unwrap())).await.ok();
            deleted.store(true, Ordering::SeqCst);
            key.get(&item).await.refused(401, "unauthorized");
            writer.await.unwrap();
        }
    }
}
