//! Requests that are repeated with the same `Idempotency-Key`.

use std::cmp::Reverse;

use reqwest::Method;
use serde_json::{Value, json};
use steward_domain::kernel::policy::Callers;
use steward_tests::{Actor, Answer, Client, Described, World, on_both, on_sqlite};

use crate::CONCURRENT;
use crate::laws::operations::{self, rule};

/// Sends a request with an `Idempotency-Key`.
async fn send_with_key(key: &str, actor: &Actor, method: Method, path: &str, body: Value) -> Answer {
    actor.send(method, path, Some(body), &[("Idempotency-Key", key)]).await
}

async fn post(key: &str, actor: &Actor, path: &str, body: Value) -> Answer {
    send_with_key(key, actor, Method::POST, path, body).await
}

on_both! {
    async fn a_repeated_request_has_no_effect_and_gets_the_same_response(app: &App) {
        let world = World::make(app, "acme").await;
        let path = format!("/project/{}/key", world.project);
        let body = json!({"label": "CI", "roles": "read"});
        let first = post("one", &world.owner, &path, body.clone()).await;
        assert_eq!(first.header("Idempotency-Replayed"), "");
        let again = post("one", &world.owner, &path, body.clone()).await;
        assert_eq!(again.header("Idempotency-Replayed"), "true");
        assert_eq!(again.header("Cache-Control"), "no-store");
        assert_eq!((again.status, &again.body), (first.status, &first.body), "The key's value must be replayed.");
        let other = post("two", &world.owner, &path, body).await.ok();
        assert_ne!(other["key"]["id"], first.json()["key"]["id"]);
        assert_eq!(world.owner.get(&path).await.ok()["data"].as_array().unwrap().len(), 3);
    }

    async fn a_response_too_long_to_be_stored_is_not_replayed(app: &App) {
        let world = World::make(app, "acme").await;
        let title = "x".repeat(9_000);
        let put = |number: usize| json!({"op": "put", "id": format!("n{number}"), "value": {"title": title}});
        let batch = json!({"operations": (0..100).map(put).collect::<Vec<_>>()});
        let patch = |number: usize| json!({"op": "patch", "id": format!("n{number}"), "value": {"more": {"y": title}}});
        let patches = json!({"operations": (0..100).map(patch).collect::<Vec<_>>()});
        let path = format!("{}/batch", world.notes());
        world.key.post(&path, batch).await.ok();
        post("long", &world.key, &path, patches.clone()).await.ok();
        post("long", &world.key, &path, patches).await.refused(409, "idempotency_answer_lost");
    }

    async fn of_concurrent_requests_with_one_key_one_has_an_effect(app: &App) {
        let world = World::make(app, "acme").await;
        let path = format!("/project/{}/key", world.project);
        let senders = (0..CONCURRENT).map(|_| {
            let (owner, path) = (world.owner.clone(), path.clone());
            tokio::spawn(async move { post("same", &owner, &path, json!({"label": "CI", "roles": "read"})).await })
        });
        let mut values = std::collections::BTreeSet::new();
        for sender in senders.collect::<Vec<_>>() {
            let response = sender.await.unwrap();
            match response.status.as_u16() {
                200 => drop(values.insert(response.json()["key"]["value"].as_str().unwrap().to_owned())),
                _ => drop(response.refused(409, "idempotency_in_progress")),
            }
        }
        assert_eq!(values.len(), 1, "All successful responses must contain the same key value.");
        assert_eq!(world.owner.get(&path).await.ok()["data"].as_array().unwrap().len(), 2);
        let late = post("same", &world.owner, &path, json!({"label": "CI", "roles": "read"})).await.ok();
        assert!(values.contains(late["key"]["value"].as_str().unwrap()));
    }

    async fn a_change_without_a_stored_response_is_not_repeated(app: &App) {
        let world = World::make(app, "acme").await;
        let path = format!("/project/{}/key", world.project);
        let body = json!({"label": "CI", "roles": "read"});
        post("lost", &world.owner, &path, body.clone()).await.ok();
        // As if the process had stopped between the change and its response.
        app.execute_sql("UPDATE idempotency_claims SET answer = NULL, leased_until = '2020-01-01T00:00:00.000000Z'");
        post("lost", &world.owner, &path, body.clone()).await.refused(409, "idempotency_answer_lost");
        app.execute_sql("UPDATE idempotency_claims SET leased_until = '2999-01-01T00:00:00.000000Z'");
        post("lost", &world.owner, &path, body.clone()).await.refused(409, "idempotency_in_progress");
        assert_eq!(world.owner.get(&path).await.ok()["data"].as_array().unwrap().len(), 2);
        // As if it had stopped before the change.
        app.execute_sql("UPDATE idempotency_claims SET is_effective = FALSE, leased_until = '2020-01-01T00:00:00.000000Z'");
        post("lost", &world.owner, &path, body).await.ok();
        assert_eq!(world.owner.get(&path).await.ok()["data"].as_array().unwrap().len(), 3);
    }
}

on_sqlite! {
    async fn each_kind_of_change_is_made_only_once(app: &App) {
        let world = World::make(app, "acme").await;
        let project = format!("/project/{}", world.project);
        let key = format!("{project}/key/{}", world.key_id);
        let item = world.item("x");
        let (put, patch, remove) = (Method::PUT, Method::PATCH, Method::DELETE);
        for (method, path, body) in [
            (Method::POST, "/team/".to_owned(), json!({"name": "Second", "slug": "second"})),
            (patch.clone(), format!("/team/{}", world.team), json!({"name": "Renamed"})),
            (Method::POST, world.notes(), json!({"value": {"title": "made"}})),
            (put, item.clone(), json!({"value": {"title": "put"}})),
            (patch, item.clone(), json!({"value": {"rank": 1}})),
            (remove.clone(), item, Value::Null),
            (Method::POST, format!("{key}/regenerate"), json!({})),
            (remove, key, Value::Null),
        ] {
            let send = async || {
                let body = Some(body.clone()).filter(|body| !body.is_null());
                let key = format!("{method} {path}");
                world.owner.send(method.clone(), &path, body, &[("Idempotency-Key", &key)]).await
            };
            let (first, count) = (send().await, event_count(&world).await);
            assert!(first.status.is_success(), "{first}");
            let again = send().await;
            assert_eq!((again.status, &again.body, again.header("ETag")), (first.status, &first.body, first.header("ETag")));
            assert_eq!(again.header("Idempotency-Replayed"), "true", "{again}");
            assert_eq!(event_count(&world).await, count, "{method} {path} had an effect again.");
        }
    }

    async fn every_operation_with_a_key_is_performed_once(app: &App) {
        let world = World::make(app, "acme").await;
        app.person("ann").await;
        let tokens = Client::of(app, &world).tokens(app, "ann", &[]).await;
        let ann = app.bearer(tokens["access_token"].as_str().unwrap());
        // A stored response with a secret is returned only while its client exists.
        let client = json!({"name": "Server", "type": "confidential", "grant_types": ["client_credentials"], "roles": "read"});
        let client = world.owner.post(&format!("/project/{}/client", world.project), client).await.created();
        let client = client["data"]["id"].as_str().unwrap();
        let accepts_key = |described: &&Described| described.operation["x-idempotency"] == "key";
        let mut keyed: Vec<&Described> = app.openapi.operations.iter().filter(accepts_key).collect();
        // Deletions run last, children before their parents.
        keyed.sort_by_key(|described| (described.method == Method::DELETE, Reverse(described.path.len())));
        for described in keyed {
            let of_user = rule(described).unwrap().callers == Callers::User;
            let caller = if of_user { &ann } else { &world.owner };
            let path = operations::path(&described.path.replace("{client_id}", client), &world);
            let send = async || {
                let body = operations::body(described, &world);
                caller.send(described.method.clone(), &path, body, &[("Idempotency-Key", &described.id)]).await
            };
            let (first, count) = (send().await, event_count(&world).await);
            assert!(first.status.is_success() || first.status.is_client_error(), "{first}");
            let again = send().await;
            assert_eq!(again.header("Idempotency-Replayed"), "true", "{again}");
            assert_eq!((again.status, &again.body), (first.status, &first.body), "{again}");
            assert_eq!(event_count(&world).await, count, "{} had an effect again.", described.id);
        }
    }

    async fn a_key_belongs_to_one_caller_and_one_request(app: &App) {
        let world = World::make(app, "acme").await;
        let put = async |actor: &Actor, path: &str, value: Value, headers: &[(&str, &str)]| {
            let headers = [&[("Idempotency-Key", "k")], headers].concat();
            actor.send(Method::PUT, path, Some(json!({"value": value})), &headers).await
        };
        let title = |text: &str| json!({"title": text});
        put(&world.owner, &world.item("a"), title("one"), &[]).await.created();
        put(&world.owner, &world.item("a"), title("two"), &[]).await.refused(409, "idempotency_mismatch");
        put(&world.owner, &world.item("b"), title("one"), &[]).await.refused(409, "idempotency_mismatch");
        put(&world.owner, &world.item("a"), title("one"), &[("If-Match", "*")]).await.refused(409, "idempotency_mismatch");
        put(&world.key, &world.item("a"), title("two"), &[]).await.ok();
        assert_eq!(world.owner.get(&world.item("a")).await.ok()["data"]["title"], "two");
    }

    async fn errors_are_replayed_and_invalid_idempotency_keys_are_refused(app: &App) {
        let world = World::make(app, "acme").await;
        let path = format!("/team/{}/member/{}", world.team, world.owner.id);
        delete("leave", &world.owner, &path).await.refused(409, "last_owner");
        assert_eq!(delete("leave", &world.owner, &path).await.header("Idempotency-Replayed"), "true");
        let invalid = json!({"label": "", "roles": "read"});
        let keys = format!("/project/{}/key", world.project);
        post("invalid", &world.owner, &keys, invalid.clone()).await.refused(400, "invalid_request");
        post("invalid", &world.owner, &keys, invalid).await.refused(400, "invalid_request");
        for invalid in ["", &"x".repeat(256), "ä"] {
            let response = post(invalid, &world.owner, &keys, json!({"label": "x", "roles": "read"})).await;
            response.refused(400, "invalid_request");
        }
        let unauthenticated = app.bearer("stw_sk_nonsense");
        post("k", &unauthenticated, &keys, json!({})).await.refused(401, "unauthorized");
    }
}

async fn delete(key: &str, actor: &Actor, path: &str) -> Answer {
    actor.send(Method::DELETE, path, None, &[("Idempotency-Key", key)]).await
}

/// Number of event_count in the team's audit log.
async fn event_count(world: &World) -> usize {
    world.owner.get(&format!("/team/{}/audit?limit=1000", world.team)).await.ok()["data"].as_array().unwrap().len()
}
