//! API keys: creation, rotation, verification and deletion.

use serde_json::json;
use steward_tests::{Answer, World, eventually, on_both_in_full, on_sqlite};

on_both_in_full! {
    async fn with_a_grace_period_the_old_value_stays_valid_until_it_is_ended(app: &App) {
        let world = World::make(app, "acme").await;
        let project = format!("/project/{}", world.project);
        let path = format!("{project}/key/{}", world.key_id);
        let regenerate = async |grace: serde_json::Value| {
            let created = world.owner.post(&format!("{path}/regenerate"), json!({"grace_seconds": grace})).await.ok();
            app.bearer(created["key"]["value"].as_str().unwrap())
        };
        let second = regenerate(json!(86_400)).await;
        world.key.get(&project).await.ok();
        second.get(&project).await.ok();
        let promised = world.owner.get(&path).await.ok()["key"]["previous"]["expires_at"].clone();
        assert!(promised.is_string());

        // Another rotation does not end what the first one promised.
        let third = regenerate(json!(60)).await;
        for replaced in [&world.key, &second] {
            replaced.get(&project).await.ok();
        }
        let shown = world.owner.get(&path).await.ok()["key"].clone();
        assert_eq!(shown["earlier"]["expires_at"], promised);
        assert!(shown["previous"]["expires_at"].as_str() < promised.as_str(), "{shown}");
        let fourth = regenerate(json!(60)).await;
        world.key.get(&project).await.refused(401, "unauthorized");
        for replaced in [&second, &third] {
            replaced.get(&project).await.ok();
        }
        // A leak is stopped at once.
        let fifth = regenerate(json!(0)).await;
        for replaced in [&world.key, &second, &third, &fourth] {
            replaced.get(&project).await.refused(401, "unauthorized");
        }
        fifth.get(&project).await.ok();
        let shown = world.owner.get(&path).await.ok()["key"].clone();
        assert!(shown.get("previous").is_none() && shown.get("earlier").is_none(), "{shown}");
        for invalid in [json!(86_401), json!(-1), json!("60"), json!(1.5)] {
            world.owner.post(&format!("{path}/regenerate"), json!({"grace_seconds": invalid})).await.refused(400, "invalid_request");
        }
        fifth.get(&project).await.ok();
    }
}

on_sqlite! {
    async fn a_value_is_shown_once_and_never_listed(app: &App) {
        let world = World::make(app, "acme").await;
        let path = format!("/project/{}/key", world.project);
        let response = world.owner.post(&path, json!({"label": " CI ", "roles": "db:read, read"})).await;
        assert_eq!(response.header("Cache-Control"), "no-store");
        let created = response.ok();
        let value = created["key"]["value"].as_str().unwrap().to_owned();
        assert!(value.starts_with("stw_sk_") && value.len() == 56, "{value}");
        assert_eq!((&created["key"]["label"], &created["key"]["roles"]), (&json!("CI"), &json!("read,db:read")));
        assert_eq!(created["key"]["is_private"], true);

        let list = world.owner.get(&format!("{path}/")).await;
        assert!(!String::from_utf8_lossy(&list.body).contains(&value[10..40]));
        let list = list.ok();
        assert_eq!(list["data"][0]["id"], created["key"]["id"]);
        assert_eq!(list["data"][0]["hint"], format!("stw_sk_...{}", &value[52..]));
        assert!(!app.complete_log().await.contains(&value[7..]), "The log contains the key's value.");
    }

    async fn a_regenerated_key_keeps_its_id_and_the_old_value_becomes_invalid(app: &App) {
        let world = World::make(app, "acme").await;
        let project = format!("/project/{}", world.project);
        world.key.get(&project).await.ok();
        let path = format!("{project}/key/{}/regenerate", world.key_id);
        let created = world.owner.send(reqwest::Method::POST, &path, None, &[]).await.ok();
        assert_eq!((&created["key"]["id"], &created["key"]["label"]), (&json!(world.key_id), &json!("server")));
        world.key.get(&project).await.refused(401, "unauthorized");
        let key = app.bearer(created["key"]["value"].as_str().unwrap());
        key.get(&project).await.ok();

        let again = key.post(&format!("{path}/"), json!({})).await.ok();
        key.get(&project).await.refused(401, "unauthorized");
        app.bearer(again["key"]["value"].as_str().unwrap()).get(&project).await.ok();
        world.owner.post(&format!("{project}/key/{}/regenerate", world.user), json!({})).await.is_not_found();
        world.owner.post(&format!("{project}/key/x/regenerate"), json!({})).await.is_not_found();
    }

    async fn old_values_are_revoked_before_their_grace_period_ends(app: &App) {
        let (world, other) = (World::make(app, "acme").await, World::make(app, "other").await);
        let project = format!("/project/{}", world.project);
        let path = format!("{project}/key/{}", world.key_id);
        let rotated = world.owner.post(&format!("{path}/regenerate"), json!({"grace_seconds": 600})).await.ok();
        let new = app.bearer(rotated["key"]["value"].as_str().unwrap());
        let previous = format!("{path}/previous");
        other.owner.delete(&previous.replace(&world.project, &other.project)).await.is_not_found();
        world.key.get(&project).await.ok();

        // Without previous values, the key stays the same.
        let revoked = world.owner.delete(&previous).await;
        let again = world.owner.delete(&previous).await;
        assert_eq!(again.header("etag"), revoked.header("etag"));
        assert!(revoked.ok()["key"].get("previous").is_none() && again.ok()["key"]["hint"].is_string());
        world.key.get(&project).await.refused(401, "unauthorized");
        new.get(&project).await.ok();
    }

    async fn the_last_use_of_each_value_is_reported(app: &App) {
        let world = World::make(app, "acme").await;
        let project = format!("/project/{}", world.project);
        let path = format!("{project}/key/{}", world.key_id);
        assert_eq!(world.owner.get(&path).await.ok()["key"]["last_used"], json!(null));
        let grace = json!({"grace_seconds": 60});
        let created = world.owner.post(&format!("{path}/regenerate"), grace).await.ok();
        let new = app.bearer(created["key"]["value"].as_str().unwrap());
        new.get(&project).await.ok();
        world.key.get(&project).await.ok();
        let used = eventually(async || {
            let key = world.owner.get(&path).await.ok()["key"].clone();
            (key["last_used"].is_string() && key["previous"]["last_used"].is_string()).then_some(key)
        });
        assert!(used.await["previous"]["expires_at"].is_string());
        // The use of values that no longer work counts, too.
        world.owner.post(&format!("{path}/regenerate"), json!({})).await.ok();
        let key = world.owner.get(&path).await.ok()["key"].clone();
        assert!(key["last_used"].is_string() && key.get("previous").is_none(), "{key}");
    }

    async fn a_key_may_regenerate_itself_and_no_other(app: &App) {
        let world = World::make(app, "acme").await;
        let path = format!("/project/{}/key", world.project);
        let weak = world.owner.post(&path, json!({"label": "weak", "roles": "db:read"})).await.ok();
        let caller = app.bearer(weak["key"]["value"].as_str().unwrap());
        caller.post(&format!("{path}/{}/regenerate", world.key_id), json!({})).await.is_forbidden();
        caller.post(&format!("{path}/{}/regenerate", weak["key"]["id"].as_str().unwrap()), json!({})).await.ok();
        world.key.post(&path, json!({"label": "more", "roles": "read"})).await.is_forbidden();
    }

    async fn neither_a_public_value_nor_a_replaced_one_regenerates_its_key(app: &App) {
        let world = World::make(app, "acme").await;
        let path = format!("/project/{}/key", world.project);
        let public = json!({"label": "browser", "roles": "project:read", "is_private": false});
        let public = world.owner.post(&path, public).await.ok();
        let regenerate = format!("{path}/{}/regenerate", public["key"]["id"].as_str().unwrap());
        let visitor = app.bearer(public["key"]["value"].as_str().unwrap());
        visitor.post(&regenerate, json!({})).await.is_forbidden();

        let regenerate = format!("{path}/{}/regenerate", world.key_id);
        let new = world.owner.post(&regenerate, json!({"grace_seconds": 600})).await.ok();
        world.key.get(&world.notes()).await.ok();
        world.key.post(&regenerate, json!({})).await.is_forbidden();
        app.bearer(new["key"]["value"].as_str().unwrap()).post(&regenerate, json!({})).await.ok();
    }

    async fn a_member_cannot_regenerate_a_key_with_more_permissions(app: &App) {
        let world = World::make(app, "acme").await;
        let path = format!("/project/{}/key", world.project);
        let regenerate = format!("{path}/{}/regenerate", world.key_id);
        for roles in ["developer", "key:write"] {
            let member = world.member(app, &format!("m-{}", roles.replace(':', "-")), roles).await;
            member.post(&regenerate, json!({})).await.is_forbidden();
        }
        world.key.get(&path).await.ok();
        let weak = world.owner.post(&path, json!({"label": "weak", "roles": "read,write"})).await.ok();
        let developer = world.member(app, "dev", "developer").await;
        let weak = weak["key"]["id"].as_str().unwrap();
        developer.post(&format!("{path}/{weak}/regenerate"), json!({})).await.ok();
    }

    async fn an_invalid_key_is_refused(app: &App) {
        let world = World::make(app, "acme").await;
        let dora = world.member(app, "dora", "developer").await;
        let path = format!("/project/{}/key", world.project);
        for invalid in [
            json!({"label": "x"}),
            json!({"label": "", "roles": "read"}),
            json!({"label": "x", "roles": ""}),
            json!({"label": "x", "roles": "owner"}),
            json!({"label": "x", "roles": "key:write"}),
            json!({"label": "x", "roles": "read", "is_private": "no"}),
            json!({"label": "x", "roles": "read", "expires_at": "2020-01-01T00:00:00Z"}),
        ] {
            world.owner.post(&path, invalid).await.refused(400, "invalid_request");
        }
        dora.post(&path, json!({"label": "x", "roles": "audit:read"})).await.is_forbidden();
        dora.post(&path, json!({"label": "x", "roles": "read,write"})).await.ok();
    }

    async fn a_public_key_may_read_the_project_and_its_schema_and_nothing_else(app: &App) {
        let world = World::make(app, "acme").await;
        let path = format!("/project/{}/key", world.project);
        let refused = async |answer: Answer| {
            let error = answer.refused(400, "invalid_request");
            let message = error["message"].as_str().unwrap();
            assert!(message.contains("project:read, schema:read for a public key"), "{message}");
            assert!(message.contains("with the access token of the signed-in user"), "{message}");
        };
        let public = |roles: &str| json!({"label": "web", "roles": roles, "is_private": false});
        let created = world.owner.post(&path, public("project:read,schema:read")).await.ok();
        let one = format!("{path}/{}", created["key"]["id"].as_str().unwrap());
        for roles in [
            "read", "write", "admin", "team:read", "member:read", "invite:read", "project:write", "key:read",
            "schema:write", "user:read", "db:read", "audit:read", "project:read,user:read",
        ] {
            refused(world.owner.post(&path, public(roles)).await).await;
            refused(world.owner.patch(&one, json!({"roles": roles})).await).await;
        }
        world.owner.patch(&one, json!({"roles": "schema:read"})).await.ok();
    }

    async fn an_existing_public_key_keeps_only_what_it_may_have(app: &App) {
        let world = World::make(app, "acme").await;
        let (project, path) = (format!("/project/{}", world.project), format!("/project/{}/key", world.project));
        let mut keys = Vec::new();
        for (stored, left) in [("read", "project:read,schema:read"), ("db:read,user:read", "")] {
            let key = json!({"label": stored, "roles": "project:read", "is_private": false});
            let key = world.owner.post(&path, key).await.ok();
            app.execute_sql(&format!("UPDATE api_keys SET roles = '{stored}' WHERE label = '{stored}'"));
            let text = |name: &str| key["key"][name].as_str().unwrap().to_owned();
            keys.push((text("id"), text("value"), left));
        }
        for (id, value, left) in &keys {
            let (one, bearer) = (format!("{path}/{id}"), app.bearer(value));
            assert_eq!(world.owner.get(&one).await.ok()["key"]["roles"], *left);
            let listed = world.owner.get(&path).await.ok();
            let listed = listed["data"].as_array().unwrap().iter().find(|key| key["id"] == **id).cloned();
            assert_eq!(listed.unwrap()["roles"], *left);
            let verified = world.owner.post(&format!("{path}/verify"), json!({"key": value})).await.ok();
            assert_eq!((&verified["is_valid"], &verified["key"]["roles"]), (&json!(true), &json!(*left)));
            let own = bearer.get("/auth/token").await.ok();
            assert_eq!(own["data"]["permissions"], json!(left.split(',').filter(|name| !name.is_empty()).collect::<Vec<_>>()));

            // Reads of items come from the cache of credentials.
            for _ in 0..2 {
                bearer.get(&world.notes()).await.is_forbidden();
            }
            let user = world.notes().split("/db/").next().unwrap().to_owned();
            for forbidden in [format!("{user}/export"), format!("{project}/user"), path.clone(), format!("{project}/audit")] {
                bearer.get(&forbidden).await.is_forbidden();
            }
            bearer.get(&format!("/team/{}/member", world.team)).await.is_forbidden();
            // A new label is not a grant.
            let changed = world.owner.patch(&one, json!({"label": "Renamed"})).await.ok();
            assert_eq!(changed["key"]["roles"], *left);
        }
        let shown = app.bearer(&keys[0].1).get(&project).await.ok();
        assert!(shown["data"]["name"].is_string() && shown["data"].get("usage").is_none(), "{shown:?}");
        assert!(world.owner.get(&project).await.ok()["data"]["usage"].is_object());
        app.bearer(&keys[1].1).get(&project).await.is_forbidden();
    }

    async fn a_private_key_from_a_browser_and_a_mistyped_one_are_refused(app: &App) {
        let world = World::make(app, "acme").await;
        let project = format!("/project/{}", world.project);
        let origin = [("Origin", "https://app.example.com")];
        let error = world.key.send(reqwest::Method::GET, &project, None, &origin).await.refused(401, "unauthorized");
        assert!(error["message"].as_str().unwrap().contains("browser"), "{error:?}");
        let public = json!({"label": "web", "roles": "project:read", "is_private": false});
        let public = world.owner.post(&format!("{project}/key"), public).await.ok();
        let value = public["key"]["value"].as_str().unwrap();
        assert!(value.starts_with("stw_pk_"));
        app.bearer(value).send(reqwest::Method::GET, &project, None, &origin).await.ok();

        let mut typo = world.key.credential.clone().unwrap();
        let last = if typo.pop() == Some('x') { 'y' } else { 'x' };
        typo.push(last);
        let error = app.bearer(&typo).get(&project).await.refused(401, "unauthorized");
        assert!(error["message"].as_str().unwrap().contains("mistyped"), "{error:?}");
    }

    async fn a_key_is_read_renamed_restricted_and_deleted(app: &App) {
        let world = World::make(app, "acme").await;
        let path = format!("/project/{}/key", world.project);
        let created = world.owner.post(&path, json!({"label": "CI", "roles": "write"})).await.ok();
        let (id, value) = (created["key"]["id"].as_str().unwrap(), created["key"]["value"].as_str().unwrap());
        let (one, ci) = (format!("{path}/{id}"), app.bearer(value));
        let shown = world.owner.get(&one).await;
        assert!(!String::from_utf8_lossy(&shown.body).contains(&value[10..40]));
        assert_eq!(shown.ok()["key"]["label"], "CI");

        ci.put(&world.item("x"), json!({"value": {"title": "X"}})).await.created();
        let changed = world.owner.patch(&one, json!({"label": "Reader", "roles": "db:read"})).await.ok();
        assert_eq!((&changed["key"]["label"], &changed["key"]["roles"]), (&json!("Reader"), &json!("db:read")));
        ci.get(&world.item("x")).await.ok();
        ci.put(&world.item("x"), json!({"value": {"title": "Y"}})).await.is_forbidden();
        for invalid in [json!({}), json!({"label": ""}), json!({"roles": "everything"})] {
            world.owner.patch(&one, invalid).await.refused(400, "invalid_request");
        }
        let developer = world.member(app, "dev", "developer").await;
        let expiring = json!({"label": "Reader", "expires_at": "2040-01-01T00:00:00Z"});
        let refused = world.owner.patch(&one, expiring).await.refused(400, "invalid_request");
        assert!(refused["message"].as_str().unwrap().starts_with("expires_at: cannot be changed"), "{refused:?}");
        developer.patch(&one, json!({"roles": "admin"})).await.is_forbidden();
        let public = json!({"label": "page", "roles": "project:read", "is_private": false});
        let public = world.owner.post(&path, public).await.ok();
        let public = format!("{path}/{}", public["key"]["id"].as_str().unwrap());
        world.owner.patch(&public, json!({"roles": "db:read"})).await.refused(400, "invalid_request");

        world.owner.delete(&one).await.ok();
        ci.get(&world.item("x")).await.refused(401, "unauthorized");
        world.owner.get(&one).await.is_not_found();
        world.owner.delete(&one).await.is_not_found();
    }

    async fn a_value_is_valid_only_in_its_own_project(app: &App) {
        let (world, other) = (World::make(app, "acme").await, World::make(app, "other").await);
        let (path, value) = (format!("/project/{}/key", world.project), world.key.credential.clone().unwrap());
        let verify = format!("{path}/verify");
        let valid = world.owner.post(&verify, json!({"key": value})).await.ok();
        assert_eq!((&valid["is_valid"], &valid["key"]["id"]), (&json!(true), &json!(world.key_id)));
        let named = json!({"key": value, "key_id": world.key_id});
        assert_eq!(world.key.post(&verify, named).await.ok()["is_valid"], true);
        let temporary = world.owner.post(&path, json!({"label": "x", "roles": "read"})).await.ok();
        let deleted = temporary["key"]["value"].clone();
        world.owner.delete(&format!("{path}/{}", temporary["key"]["id"].as_str().unwrap())).await.ok();
        for invalid in [
            json!({"key": "x"}),
            json!({"key": ""}),
            json!({"key": value, "key_id": other.key_id}),
            json!({"key": other.key.credential}),
            json!({"key": deleted}),
        ] {
            assert_eq!(world.owner.post(&verify, invalid).await.ok().0, json!({"is_valid": false}));
        }
        world.owner.post(&verify, json!({})).await.refused(400, "invalid_request");
    }
}
