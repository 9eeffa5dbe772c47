//! A person's access to their own items in a project, with their own token (docs/contract.md#own-data).

use serde_json::json;
use steward_tests::{Actor, App, Client, World, on_both, on_sqlite};

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
}

on_sqlite! {
    async fn a_list_without_a_limit_contains_all_of_a_persons_items(app: &App) {
        let world = World::make(app, "acme").await;
        app.person("ann").await;
        let ann = ann(app, &world, "openid app:db:write").await;
        let notes = format!("/account/{}/db/notes", world.project);
        for first in (0..620).step_by(100) {
            let put = |rank| json!({"op": "put", "id": format!("n{rank:03}"), "value": {"title": "x", "rank": rank}});
            let operations: Vec<_> = (first..620.min(first + 100)).map(put).collect();
            ann.post(&format!("{notes}/batch"), json!({"operations": operations})).await.ok();
        }
        let ids = |listed: &steward_tests::Body| -> Vec<String> {
            let items = listed["data"].as_array().unwrap().iter();
            let mut ids: Vec<_> = items.map(|item| item["id"].as_str().unwrap().to_owned()).collect();
            ids.sort();
            ids
        };
        let expected: Vec<_> = (0..620).map(|rank| format!("n{rank:03}")).collect();
        let did = format!("did:web:localhost:projects:{}", world.project.replace('-', ""));
        let by_did = format!("/account/{did}/db/notes");
        for path in [notes.clone(), format!("{notes}/"), by_did, format!("{notes}?order=rank")] {
            let all = ann.get(&path).await.ok();
            assert_eq!(ids(&all), expected, "{path}");
            assert_eq!(all["pagination"], json!({"limit": null, "offset": 0, "count": 620}));
        }
        let some = ann.get(&format!("{notes}?rank=gte.20&offset=100")).await.ok();
        assert_eq!((ids(&some).len(), &some["pagination"]["count"]), (500, &json!(500)));
        let page = ann.get(&format!("{notes}?limit=100")).await.ok();
        assert_eq!(ids(&page).len(), 100);
        let rest = ann.get(&format!("{notes}?cursor={}", page["next_cursor"].as_str().unwrap())).await.ok();
        assert_eq!(ids(&rest).len(), 520, "A page with more items has a cursor, which leads to all of them.");
    }

    async fn a_project_with_legacy_scopes_gives_old_programs_access_until_it_is_turned_off(app: &App) {
        let world = World::make(app, "acme").await;
        app.person("ann").await;
        let (legacy, narrow) = (ann(app, &world, "openid profile email").await, ann(app, &world, "app:db:read").await);
        let notes = format!("/account/{}/db/notes", world.project);
        let settings = format!("/project/{}/settings", world.project);
        let note = || json!({"value": {"title": "Mine"}});
        legacy.get(&notes).await.is_forbidden();

        world.owner.patch(&settings, json!({"auth": {"legacy_scopes": true}})).await.ok();
        let item = format!("{notes}/{}", legacy.post(&notes, note()).await.created().id());
        legacy.get(&item).await.ok();
        narrow.get(&item).await.ok();
        narrow.post(&notes, note()).await.is_forbidden();
        legacy.get("/team/").await.refused(401, "unauthorized");
        for path in [world.notes(), format!("/project/{}", world.project)] {
            legacy.get(&path).await.refused(401, "unauthorized");
        }

        world.owner.patch(&settings, json!({"auth": {"legacy_scopes": null}})).await.ok();
        legacy.get(&item).await.is_forbidden();
        legacy.delete(&item).await.is_forbidden();
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
