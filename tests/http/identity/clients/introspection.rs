//! Introspection by registered clients (RFC 7662).

use serde_json::{Value, json};
use steward_tests::{App, Body, World, on_both_in_full, on_sqlite};

use super::{
    Named, Registered, bearer, did, introspect, is_not_authenticated, machine, own_token, post, register, rotate, text,
    with_shop,
};

/// Asserts that the token is active for the client, and returns what the client learns.
async fn active(app: &App, token: &str, named: Named<'_>) -> Body {
    let shown = introspect(app, token, named).await.ok();
    assert_eq!(shown["active"], json!(true), "{named:?}: {shown:?}");
    shown
}

/// Asserts that the client learns nothing about the token.
async fn unknown(app: &App, token: &str, named: Named<'_>) {
    assert_eq!(introspect(app, token, named).await.ok().0, json!({"active": false}), "{named:?}");
}

on_both_in_full! {
    async fn a_confidential_client_introspects_all_tokens_for_its_project(app: &App) {
        let (world, shop) = with_shop(app).await;
        let other = World::make(app, "other").await;
        let mobile = register(app, &world, json!({"name": "App", "type": "public"})).await;
        let project = Registered::project_itself(app, &world).await;
        let elsewhere = register(app, &other, json!({})).await;
        let (worker, worker_elsewhere) = (machine(app, &world, "read").await, machine(app, &other, "read").await);
        for client in [&shop, &mobile, &project] {
            let tokens = client.tokens(app, "ann", &[]).await;
            for (name, kind) in [("access_token", "Bearer"), ("refresh_token", "refresh_token")] {
                let token = text(&tokens, name);
                for named in [shop.basic(), shop.in_body(), worker.basic()] {
                    let shown = active(app, &token, named).await;
                    assert_eq!((&shown["client_id"], &shown["token_type"]), (&json!(client.id()), &json!(kind)));
                    assert_eq!((&shown["scope"], &shown["iss"]), (&tokens["scope"], &json!(app.base)));
                    assert!(shown["auth_time"].is_i64(), "{shown:?}");
                }
                for named in [elsewhere.basic(), elsewhere.in_body(), worker_elsewhere.basic()] {
                    unknown(app, &token, named).await;
                }
            }
        }
        let token = text(&own_token(app, "", worker.basic()).await.ok(), "access_token");
        for named in [shop.basic(), shop.in_body(), worker.basic()] {
            let shown = active(app, &token, named).await;
            let expected = ["client_id", "sub"].map(|name| shown[name].clone());
            assert_eq!(expected, [json!(worker.id()), json!(worker.id())]);
            assert_eq!((&shown["scope"], shown.0.get("auth_time")), (&json!("read"), None));
            assert_eq!(shown["aud"], json!(did(app, &world.project)));
        }
        unknown(app, &token, elsewhere.basic()).await;
        // Not those of people for the service itself.
        for token in [world.owner.credential.as_deref().unwrap(), "x", "stw_rt_x"] {
            unknown(app, token, shop.basic()).await;
        }
    }
}

on_sqlite! {
    async fn a_client_without_a_secret_introspects_only_its_own_tokens(app: &App) {
        let (world, shop) = with_shop(app).await;
        let mobile = register(app, &world, json!({"name": "App", "type": "public"})).await;
        let project = Registered::project_itself(app, &world).await;
        let (of_shop, of_mobile) = (shop.tokens(app, "ann", &[]).await, mobile.tokens(app, "ann", &[]).await);
        let of_project = project.tokens(app, "ann", &[]).await;
        for name in ["access_token", "refresh_token"] {
            active(app, &text(&of_mobile, name), mobile.basic()).await;
            active(app, &text(&of_project, name), project.basic()).await;
            for tokens in [&of_shop, &of_project] {
                unknown(app, &text(tokens, name), mobile.basic()).await;
            }
            for tokens in [&of_shop, &of_mobile] {
                unknown(app, &text(tokens, name), project.basic()).await;
            }
        }
        let worker = machine(app, &world, "read").await;
        let token = text(&own_token(app, "", worker.basic()).await.ok(), "access_token");
        for named in [mobile.basic(), project.basic()] {
            unknown(app, &token, named).await;
        }
        // A public client has no secret, so any is ignored.
        unknown(app, &token, Named::InBody(mobile.id(), &shop.secret)).await;
    }

    async fn a_wrong_secret_introspects_nothing(app: &App) {
        let (world, shop) = with_shop(app).await;
        let other = register(app, &world, json!({"name": "Other shop"})).await;
        let tokens = shop.tokens(app, "ann", &[]).await;
        let new = rotate(&world, &shop, 0).await;
        let unknown = format!("stw_cs_{}", "0".repeat(43));
        for token in ["access_token", "refresh_token"].map(|name| text(&tokens, name)) {
            for secret in [unknown.as_str(), &shop.secret, &other.secret] {
                for named in [Named::Basic(shop.id(), secret), Named::InBody(shop.id(), secret)] {
                    is_not_authenticated(introspect(app, &token, named).await, named);
                }
            }
            self::unknown(app, &token, Named::InBody(&world.project, &new)).await;
            active(app, &token, Named::Basic(shop.id(), &new)).await;
            let secret_alone = [("token", token.as_str()), ("client_secret", new.as_str())];
            post(app, "/auth/introspect", &secret_alone, Named::Nobody).await.refused(400, "invalid_request");
        }
    }

    async fn a_confidential_client_without_its_secret_learns_nothing_about_its_tokens(app: &App) {
        let (_, shop) = with_shop(app).await;
        let tokens = shop.tokens(app, "ann", &[]).await;
        for token in ["access_token", "refresh_token"].map(|name| text(&tokens, name)) {
            for named in [Named::Basic(shop.id(), ""), Named::Basic(shop.id(), "x"), Named::InBody(shop.id(), "x")] {
                is_not_authenticated(introspect(app, &token, named).await, named);
            }
        }
    }

    async fn a_client_introspects_with_its_own_token_what_an_api_key_would(app: &App) {
        let (world, shop) = with_shop(app).await;
        let other = World::make(app, "other").await;
        let worker = bearer(app, &own_token(app, "", machine(app, &world, "db:read").await.basic()).await.ok());
        let stranger = bearer(app, &own_token(app, "", machine(app, &other, "admin").await.basic()).await.ok());
        let tokens = shop.tokens(app, "ann", &[]).await;
        for token in [&tokens["access_token"], &tokens["refresh_token"], &json!(worker.credential)] {
            let shown = worker.post("/auth/introspect", json!({"token": token})).await.ok();
            assert_eq!(shown["active"], json!(true), "{shown:?}");
            for caller in [&stranger, &other.key, &world.visitor] {
                let shown = caller.post("/auth/introspect", json!({"token": token})).await.ok();
                assert_eq!(shown.0, json!({"active": false}));
            }
        }
        let of_owner: Value = json!(world.owner.credential);
        let shown = worker.post("/auth/introspect", json!({"token": of_owner})).await.ok();
        assert_eq!(shown.0, json!({"active": false}));
    }
}
