//! Clients that act on their own behalf: what a token of the grant type `client_credentials` allows, and when it ends.

use reqwest::Method;
use serde_json::{Value, json};
use steward_tests::{Actor, App, Backend, World, on_both_in_full, on_sqlite};

use super::{Registered, WEB, bearer, claims, clients, did, is_not_authenticated, machine, own_token, text};

/// A caller with a token of the client, with all of its roles.
async fn caller(app: &App, client: &Registered) -> Actor {
    bearer(app, &own_token(app, "", client.basic()).await.ok())
}

fn ids(list: &Value) -> Vec<&str> {
    list.as_array().unwrap().iter().map(|resource| resource["id"].as_str().unwrap()).collect()
}

/// Events of the project's log that have this value in this filter, newest first.
async fn log(world: &World, filter: &str) -> Vec<Value> {
    let path = format!("/project/{}/audit?{filter}", world.project);
    world.owner.get(&path).await.ok()["data"].as_array().unwrap().clone()
}

on_both_in_full! {
    async fn a_change_of_the_client_applies_to_its_tokens_at_once(app: &App) {
        let world = World::make(app, "acme").await;
        // Both have cached the token before the change.
        let replica = if app.backend() == Backend::Postgres { Some(app.start_replica().await) } else { None };
        let worker = machine(app, &world, "read,write").await;
        let (item, keys) = (world.item("first"), format!("/project/{}/key", world.project));
        let token = text(&own_token(app, "", worker.basic()).await.ok(), "access_token");
        let note = json!({"value": {"title": "Late"}});
        let callers: Vec<Actor> = [app].into_iter().chain(&replica).map(|app| app.bearer(&token)).collect();
        for caller in callers.iter().cycle().take(6) {
            caller.get(&item).await.ok();
            caller.get(&world.notes()).await.ok();
            caller.put(&item, note.clone()).await.ok();
        }
        let change = async |changes: Value| drop(world.owner.patch(&worker.path, changes).await.ok());
        change(json!({"roles": "db:read"})).await;
        for caller in &callers {
            caller.get(&item).await.ok();
            caller.put(&item, note.clone()).await.is_forbidden();
            caller.get(&keys).await.is_forbidden();
        }
        change(json!({"roles": "project:read"})).await;
        for caller in &callers {
            caller.get(&item).await.is_forbidden();
            caller.get(&world.notes()).await.is_forbidden();
        }
        // The token has the roles that it was issued with, and not those that the client receives later.
        change(json!({"roles": "read"})).await;
        let narrow = own_token(app, "db:read", worker.basic()).await.ok();
        change(json!({"roles": "read,write"})).await;
        bearer(app, &narrow).put(&item, note.clone()).await.is_forbidden();
        for caller in &callers {
            caller.put(&item, note.clone()).await.ok();
        }
        change(json!({"grant_types": ["authorization_code"], "roles": "", "redirect_uris": [WEB]})).await;
        for caller in &callers {
            for path in [&item, &world.notes(), &keys] {
                caller.get(path).await.refused(401, "unauthorized");
            }
            caller.put(&item, note.clone()).await.refused(401, "unauthorized");
        }
        own_token(app, "", worker.basic()).await.refused(400, "unauthorized_client");
    }

    async fn deleting_a_client_ends_its_own_tokens_at_once(app: &App) {
        let world = World::make(app, "acme").await;
        let replica = if app.backend() == Backend::Postgres { Some(app.start_replica().await) } else { None };
        let (worker, other) = (machine(app, &world, "read").await, machine(app, &world, "read").await);
        let token = text(&own_token(app, "", worker.basic()).await.ok(), "access_token");
        let callers: Vec<Actor> = [app].into_iter().chain(&replica).map(|app| app.bearer(&token)).collect();
        let (item, kept) = (world.item("first"), caller(app, &other).await);
        for caller in callers.iter().cycle().take(6) {
            caller.get(&item).await.ok();
        }
        world.owner.delete(&worker.path).await.ok();
        for caller in &callers {
            for path in [item.as_str(), "/auth/token", "/project/"] {
                caller.get(path).await.refused(401, "unauthorized");
            }
        }
        is_not_authenticated(own_token(app, "", worker.basic()).await, worker.basic());
        kept.get(&item).await.ok();

        world.owner.delete(&format!("/project/{}", world.project)).await.ok();
        for path in [item.as_str(), "/auth/token"] {
            kept.get(path).await.refused(401, "unauthorized");
        }
        is_not_authenticated(own_token(app, "", other.basic()).await, other.basic());
    }
}

on_sqlite! {
    async fn a_client_gets_an_access_token_with_its_roles_and_nothing_else(app: &App) {
        let world = World::make(app, "acme").await;
        let worker = machine(app, &world, "read").await;
        for named in [worker.basic(), worker.in_body()] {
            let response = own_token(app, "", named).await;
            assert_eq!(response.header("Cache-Control"), "no-store");
            let tokens = response.ok();
            let names: Vec<&String> = tokens.0.as_object().unwrap().keys().collect();
            assert_eq!(names, ["access_token", "token_type", "expires_in", "scope"]);
            assert_eq!((&tokens["token_type"], &tokens["expires_in"]), (&json!("Bearer"), &json!(900)));
            assert_eq!(tokens["scope"], "read");
            let claims = claims(&tokens, "access_token");
            assert_eq!((&claims["sub"], &claims["client_id"]), (&json!(worker.id()), &json!(worker.id())));
            assert_eq!((&claims["aud"], &claims["scope"]), (&json!(did(app, &world.project)), &json!("read")));
            assert!(claims["auth_time"].is_null(), "Nobody signed in: {claims}");
        }
        let own = caller(app, &worker).await.get("/auth/token").await.ok();
        for (name, value) in [
            ("type", "client"),
            ("id", worker.id()),
            ("label", "Worker"),
            ("project_id", world.project.as_str()),
            ("team_id", world.team.as_str()),
        ] {
            assert_eq!(own["data"][name], value, "{name}");
        }
        let permissions = own["data"]["permissions"].as_array().unwrap();
        assert!(permissions.contains(&json!("key:read")) && !permissions.contains(&json!("db:write")), "{own:?}");
        for absent in ["account_id", "scope"] {
            assert_eq!(own["data"].get(absent), None, "{own:?}");
        }
    }

    async fn the_requested_scope_can_only_narrow_the_roles(app: &App) {
        let world = World::make(app, "acme").await;
        let worker = machine(app, &world, "write,key:read").await;
        let keys = format!("/project/{}/key", world.project);
        let narrow = own_token(app, "db:read", worker.basic()).await.ok();
        assert_eq!(narrow["scope"], "db:read");
        let narrow = bearer(app, &narrow);
        narrow.get(&world.item("first")).await.ok();
        narrow.put(&world.item("first"), json!({"value": {"title": "X"}})).await.is_forbidden();
        narrow.get(&keys).await.is_forbidden();
        assert_eq!(narrow.get("/auth/token").await.ok()["data"]["permissions"], json!(["db:read"]));
        let two = own_token(app, "key:read  db:write", worker.in_body()).await.ok();
        assert_eq!(two["scope"], "key:read db:write");
        bearer(app, &two).get(&keys).await.ok();
        let exceeding = ["admin", "read", "audit:read", "db:read project:write"];
        for scope in exceeding.into_iter().chain(["openid", "owner", "key:write", "unknown"]) {
            own_token(app, scope, worker.basic()).await.refused(400, "invalid_scope");
        }
    }

    async fn a_token_reaches_only_the_project_of_its_client(app: &App) {
        let (world, other) = (World::make(app, "acme").await, World::make(app, "other").await);
        let second = json!({"name": "Second", "slug": "second", "team_id": world.team});
        let second = world.owner.post("/project/", second).await.created().id();
        let admin = caller(app, &machine(app, &world, "admin").await).await;
        for project in [&other.project, &second] {
            for path in ["", "/key", "/user", "/audit", "/settings"] {
                admin.get(&format!("/project/{project}{path}")).await.is_not_found();
            }
            admin.patch(&format!("/project/{project}"), json!({"name": "Theirs"})).await.is_not_found();
        }
        admin.get(&other.item("first")).await.is_not_found();
        admin.put(&other.item("first"), json!({"value": {"title": "Theirs"}})).await.is_not_found();
        admin.get(&format!("/team/{}", other.team)).await.is_not_found();
        let team = admin.get(&format!("/team/{}", world.team)).await.ok();
        assert_eq!(ids(&team["data"]["projects"]), [world.project.as_str()]);
        assert_eq!(ids(&admin.get("/project/").await.ok()["data"]), [world.project.as_str()]);
        world.owner.patch(&format!("/project/{second}"), json!({"name": "Secret plans"})).await.ok();
        let audit = admin.get(&format!("/team/{}/audit", world.team)).await.ok();
        let events = audit["data"].as_array().unwrap();
        assert!(!events.is_empty() && events.iter().all(|event| event["project_id"] == world.project), "{events:?}");
    }

    async fn a_token_is_not_accepted_where_a_person_is_needed(app: &App) {
        let world = World::make(app, "acme").await;
        let worker = machine(app, &world, "admin").await;
        let admin = caller(app, &worker).await;
        let (project, own) = (format!("/project/{}", world.project), format!("/account/apps/{}", world.project));
        let of_project = [clients(&world), worker.path.clone(), format!("{project}/identity-provider"), own];
        let of_account = ["/auth/userinfo", "/auth/session", "/auth/pat", "/team/"];
        for path in of_account.into_iter().chain(of_project.iter().map(String::as_str)) {
            admin.get(path).await.is_forbidden();
        }
        let rotate = format!("{}/rotate-secret", worker.path);
        for (path, body) in [
            ("/team/", json!({"name": "X", "slug": "x"})),
            ("/project/", json!({"name": "X", "team_id": world.team})),
            (&format!("{project}/key"), json!({"label": "x", "roles": "read"})),
            (&clients(&world), json!({"name": "X", "type": "public", "redirect_uris": [WEB]})),
            (&rotate, json!({})),
            (&format!("{project}/webhook"), json!({"url": "https://example.com/", "events": ["*"]})),
        ] {
            admin.post(path, body).await.is_forbidden();
        }
        admin.patch(&worker.path, json!({"roles": "admin"})).await.is_forbidden();
        for path in [&worker.path, &project] {
            admin.delete(path).await.is_forbidden();
        }
        let token = admin.credential.clone().unwrap();
        let connect = app.anonymous().post(&format!("{project}/user/connect"), json!({"token": token})).await;
        connect.refused(401, "unauthorized");
        app.anonymous().post("/auth/revoke", json!({"token": token})).await.refused(400, "unsupported_token_type");
        own_token(app, "", worker.basic()).await.ok();
    }

    async fn changes_by_a_client_are_recorded_with_its_id(app: &App) {
        let world = World::make(app, "acme").await;
        let worker = machine(app, &world, "write,project:write").await;
        let (program, project) = (caller(app, &worker).await, format!("/project/{}", world.project));
        program.put(&world.item("x"), json!({"value": {"title": "secret thoughts"}})).await.created();
        program.patch(&project, json!({"name": "Renamed"})).await.ok();
        program.get(&format!("{project}/audit")).await.is_forbidden();
        program.send(Method::DELETE, &project, None, &[]).await.is_forbidden();

        let events = log(&world, &format!("actor={}", worker.id())).await;
        let operations: Vec<&Value> = events.iter().map(|event| &event["operation"]).collect();
        assert_eq!(operations, ["deleteProject", "updateProject", "putItem"], "Refused reads are not recorded.");
        let actions: Vec<&Value> = events.iter().skip(1).map(|event| &event["action"]).collect();
        assert_eq!(actions, ["project.updated", "item.created"]);
        assert!(events[0]["action"].as_str().unwrap().ends_with("access_denied"), "{}", events[0]);
        for event in &events {
            assert_eq!(event["actor"], json!({"type": "client", "id": worker.id(), "token_id": null}), "{event}");
            assert_eq!(event["project_id"], json!(world.project));
        }
    }
}
