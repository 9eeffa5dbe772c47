//! A person's access to their own items in a project, with their own token (contract 7).

use serde_json::json;
use steward_tests::{Actor, App, Client, World, on_both};

/// A caller with ann's token for the project and these scopes.
async fn ann(app: &App, world: &World, scope: &str) -> Actor {
    let tokens = Client::of(app, world).tokens(app, "ann", &[("scope", scope)]).await;
    app.bearer(tokens["access_token"].as_str().unwrap())
}

on_both! {
    async fn a_person_reads_and_writes_their_own_items_and_the_project_can_read_them(app: &App) {
        let world = World::make(app, "acme").await;
        app.person("ann").await;
        let ann = ann(app, &world, "openid app:db:write").await;
        let notes = format!("/account/{}/db/notes", world.project);
        let created = ann.post(&notes, json!({"value": {"title": "Mine"}})).await.created();
        let item = format!("{notes}/{}", created.id());
        let tag = ann.get(&item).await.header("ETag").to_owned();
        ann.patch(&item, json!({"value": {"done": true}})).await.ok();
        ann.send(reqwest::Method::PUT, &item, Some(json!({"value": {"title": "X"}})), &[("If-Match", &tag)]).await
            .refused(412, "precondition_failed");
        let listed = ann.get(&notes).await.ok();
        assert_eq!((&listed["data"][0]["done"], &listed["pagination"]["count"]), (&json!(true), &json!(1)));
        let own = ann.get(&format!("/account/apps/{}", world.project)).await.ok();
        assert_eq!((&own["data"]["name"], &own["data"]["status"]), (&json!("acme"), &json!("connected")));
        let users = world.owner.get(&format!("/project/{}/user", world.project)).await.ok();
        let project_path = format!("/project/{}/user/{}/db/notes", world.project, users["data"][0]["id"].as_str().unwrap());
        let read = world.key.get(&format!("{project_path}/{}", created.id())).await.ok();
        assert_eq!(read["data"]["title"], "Mine");
        ann.put(&format!("{notes}/second"), json!({"value": {"title": "Two"}})).await.created();
        ann.post(&notes, json!({"value": {"title": 1}})).await.refused(400, "invalid_item");
        ann.delete(&item).await.ok();
        ann.get(&item).await.is_not_found();
    }

    async fn the_project_can_be_identified_by_its_did(app: &App) {
        let world = World::make(app, "acme").await;
        app.person("ann").await;
        let ann = ann(app, &world, "app:db:read").await;
        let host = app.base.trim_start_matches("http://").replace(':', "%253A");
        let did = format!("did:web:{host}:projects:{}", world.project.replace('-', ""));
        for name in [did.clone(), did.replace("%253A", "%3A"), did.replace("%253A", ":")] {
            ann.get(&format!("/account/apps/{name}")).await.ok();
            ann.get(&format!("/account/{name}/db/notes")).await.ok();
        }
    }

    async fn a_persons_token_grants_access_only_to_their_own_items(app: &App) {
        let (world, other) = (World::make(app, "acme").await, World::make(app, "other").await);
        app.person("ann").await;
        let ann = ann(app, &world, "openid app:admin").await;
        for foreign in [other.project.as_str(), "x", "did:web:elsewhere:projects:0194"] {
            ann.get(&format!("/account/apps/{foreign}")).await.is_not_found();
            ann.get(&format!("/account/{foreign}/db/notes")).await.is_not_found();
            ann.post(&format!("/account/{foreign}/db/notes"), json!({"value": {"title": "x"}})).await.is_not_found();
        }
        ann.get(&format!("/account/{}/db/notes/first", world.project)).await.is_not_found();
        for path in [world.notes(), world.item("first"), "/team/".into(), format!("/project/{}", world.project)] {
            ann.get(&path).await.refused(401, "unauthorized");
        }
        let own = format!("/account/{}/db/notes", world.project);
        world.owner.get(&own).await.refused(401, "unauthorized");
        world.key.get(&own).await.is_forbidden();
        app.anonymous().get(&own).await.refused(401, "unauthorized");
    }

    async fn an_insufficient_scope_is_403_and_reports_the_required_scope(app: &App) {
        let world = World::make(app, "acme").await;
        app.person("ann").await;
        let notes = format!("/account/{}/db/notes", world.project);
        let (reader, without_scope) = (ann(app, &world, "app:db:read").await, ann(app, &world, "openid profile").await);
        reader.get(&notes).await.ok();
        for (actor, scope) in [(&reader, "app:db:write"), (&without_scope, "app:db:write")] {
            let response = actor.post(&notes, json!({"value": {"title": "x"}})).await;
            assert!(response.header("WWW-Authenticate").contains(&format!("scope=\"{scope}\"")));
            response.is_forbidden();
        }
        without_scope.get(&notes).await.is_forbidden();
    }
}
