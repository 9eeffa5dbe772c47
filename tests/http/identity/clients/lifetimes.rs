//! When the tokens that people have at registered clients end, and which grant types give tokens.

use serde_json::{Value, json};
use steward_tests::{Body, Browser, World, on_both_in_full, on_sqlite};

use super::{
    Named, Registered, WEB, bearer, claims, clients, introspect, is_not_authenticated, machine, own_token, refresh,
    register, text, with_shop,
};

/// Seconds for which a token lasts, according to its introspection.
fn lasts(introspected: &Body) -> i64 {
    introspected["exp"].as_i64().unwrap() - introspected["iat"].as_i64().unwrap()
}

on_both_in_full! {
    async fn deleting_a_client_ends_its_tokens_at_once_and_no_others(app: &App) {
        let (world, shop) = with_shop(app).await;
        let others = [
            register(app, &world, json!({"name": "Other shop"})).await,
            register(app, &world, json!({"name": "App", "type": "public"})).await,
            Registered::project_itself(app, &world).await,
        ];
        let (browser, notes) = (Browser::new(app), format!("/account/{}/db/notes", world.project));
        let code = shop.code(&browser, "ann", &[]).await;
        let tokens = shop.redeem(app, &code, shop.basic()).await.ok();
        let (ann, renewing) = (bearer(app, &tokens), text(&tokens, "refresh_token"));
        let in_flight = shop.code(&browser, "ann", &[]).await;
        let pending = browser.open(&shop.authorize(&[("prompt", "consent")])).await;
        assert!(pending.is_at("/auth/consent"), "{pending}");
        let mut kept = Vec::new();
        for other in &others {
            kept.push((other, other.tokens(app, "ann", &[]).await));
        }
        // Reads of items use the cached check of the token.
        for _ in 0..3 {
            ann.get(&notes).await.ok();
        }

        world.owner.delete(&shop.path).await.ok();
        for path in [notes.as_str(), "/auth/userinfo"] {
            ann.get(path).await.refused(401, "unauthorized");
        }
        let session = ann.get("/auth/session").await;
        assert_eq!(session.is(401)["reauth_required"], json!(true));
        refresh(app, &renewing, shop.basic()).await.refused(400, "invalid_grant");
        shop.redeem(app, &in_flight, shop.basic()).await.refused(400, "invalid_grant");
        let decided = browser.submit(&pending, "/auth/consent", &[("decision", "allow")]).await;
        assert!(!decided.left && decided.status.is_client_error(), "{decided}");
        app.anonymous().get(&shop.authorize(&[])).await.refused(400, "invalid_client");
        for token in ["access_token", "refresh_token"] {
            let shown = world.key.post("/auth/introspect", json!({"token": tokens[token]})).await.ok();
            assert_eq!(shown.0, json!({"active": false}), "{token}");
        }
        for (other, tokens) in kept {
            bearer(app, &tokens).get(&notes).await.ok();
            refresh(app, &text(&tokens, "refresh_token"), other.basic()).await.ok();
        }
        let listed = world.owner.get(&clients(&world)).await.ok();
        let names: Vec<&Value> = listed["data"].as_array().unwrap().iter().map(|client| &client["name"]).collect();
        assert_eq!(names, ["Other shop", "App"]);
    }
}

on_sqlite! {
    async fn revoking_access_to_a_project_ends_the_tokens_of_its_clients(app: &App) {
        let (world, shop) = with_shop(app).await;
        let mobile = register(app, &world, json!({"name": "App", "type": "public"})).await;
        let browser = Browser::new(app);
        let mut issued = Vec::new();
        for client in [&shop, &mobile] {
            let code = client.code(&browser, "ann", &[]).await;
            let tokens = client.redeem(app, &code, client.basic()).await.ok();
            bearer(app, &tokens).get("/auth/userinfo").await.ok();
            issued.push((client, tokens, client.code(&browser, "ann", &[]).await));
        }
        let page = browser.open("/console/account/apps").await;
        assert!(page.text().contains("acme") && page.text().contains("Change your data in this app"), "{page}");
        let page = browser.submit(&page, "/console/account/apps/revoke", &[]).await;
        assert!(!page.text().contains("acme"), "{page}");
        for (client, tokens, in_flight) in issued {
            bearer(app, &tokens).get("/auth/userinfo").await.refused(401, "unauthorized");
            let renewing = text(&tokens, "refresh_token");
            refresh(app, &renewing, client.basic()).await.refused(400, "invalid_grant");
            client.redeem(app, &in_flight, client.basic()).await.refused(400, "invalid_grant");
            let again = browser.open(&client.authorize(&[])).await;
            assert!(again.is_at("/auth/consent"), "Consent must be requested again: {again}");
        }
    }

    async fn without_its_grant_type_no_refresh_token_is_issued_or_accepted(app: &App) {
        let (world, shop) = with_shop(app).await;
        let once = register(app, &world, json!({"name": "Once", "grant_types": ["authorization_code"]})).await;
        let tokens = once.tokens(app, "ann", &[]).await;
        for name in ["refresh_token", "refresh"] {
            assert_eq!(tokens.0.get(name), None, "{tokens:?}");
        }
        let ann = bearer(app, &tokens);
        ann.get("/auth/userinfo").await.ok();
        let users = world.owner.get(&format!("/project/{}/user?q=ann", world.project)).await.ok();
        let user = users["data"][0]["id"].as_str().unwrap();
        let sessions = format!("/project/{}/user/{user}/session", world.project);
        assert_eq!(world.owner.get(&sessions).await.ok()["data"].as_array().unwrap().len(), 1);
        world.owner.delete(&sessions).await.ok();
        ann.get("/auth/userinfo").await.refused(401, "unauthorized");

        let tokens = shop.tokens(app, "ann", &[]).await;
        let renewing = text(&tokens, "refresh_token");
        world.owner.patch(&shop.path, json!({"grant_types": ["authorization_code"]})).await.ok();
        refresh(app, &renewing, shop.basic()).await.refused(400, "unauthorized_client");
        let again = shop.tokens(app, "ann", &[]).await;
        assert_eq!(again.0.get("refresh_token"), None, "{again:?}");
        // The refusal did not use up the refresh token.
        world.owner.patch(&shop.path, json!({"grant_types": ["authorization_code", "refresh_token"]})).await.ok();
        refresh(app, &renewing, shop.basic()).await.ok();
    }

    async fn nobody_signs_in_at_a_client_without_the_grant_type(app: &App) {
        let world = World::make(app, "acme").await;
        let worker = machine(app, &world, "read").await;
        world.owner.patch(&worker.path, json!({"redirect_uris": [WEB]})).await.ok();
        let page = Browser::new(app).open(&worker.authorize(&[])).await;
        assert!(page.status == 400 && !page.left && page.heading() == "The request failed", "{page}");
        let answer = app.anonymous().get(&worker.authorize(&[])).await;
        assert_eq!(answer.header("Location"), "");
        answer.refused(400, "unauthorized_client");
    }

    async fn a_code_is_not_exchanged_after_the_grant_type_was_removed(app: &App) {
        let (world, shop) = with_shop(app).await;
        let code = shop.code(&Browser::new(app), "ann", &[]).await;
        let machine_only = json!({"grant_types": ["client_credentials"], "roles": "read"});
        world.owner.patch(&shop.path, machine_only).await.ok();
        shop.redeem(app, &code, shop.basic()).await.refused(400, "unauthorized_client");
    }

    async fn only_a_confidential_client_with_the_grant_type_gets_a_token_for_itself(app: &App) {
        let (world, shop) = with_shop(app).await;
        let mobile = register(app, &world, json!({"name": "App", "type": "public"})).await;
        for named in [shop.basic(), shop.in_body(), mobile.basic(), mobile.in_body()] {
            own_token(app, "", named).await.refused(400, "unauthorized_client");
        }
        own_token(app, "", Named::InBody(mobile.id(), &shop.secret)).await.refused(400, "unauthorized_client");
        let wrong = Named::Basic(shop.id(), "x");
        is_not_authenticated(own_token(app, "", wrong).await, wrong);
    }

    async fn the_settings_of_a_client_limit_the_lifetime_of_its_tokens(app: &App) {
        let world = World::make(app, "acme").await;
        app.person("ann").await;
        let short = register(app, &world, json!({"access_token_seconds": 120, "sign_in_seconds": 300})).await;
        let tokens = short.tokens(app, "ann", &[]).await;
        let access = claims(&tokens, "access_token");
        assert_eq!(tokens["expires_in"], 120);
        assert_eq!(access["exp"].as_i64().unwrap() - access["iat"].as_i64().unwrap(), 120);
        let shown = async |tokens: &Body, name: &str| introspect(app, &text(tokens, name), short.basic()).await.ok();
        assert_eq!(lasts(&shown(&tokens, "access_token").await), 120);
        let first = shown(&tokens, "refresh_token").await;
        assert_eq!(lasts(&first), 300);
        let renewed = refresh(app, &text(&tokens, "refresh_token"), short.basic()).await.ok();
        assert_eq!(renewed["expires_in"], 120);
        let second = shown(&renewed, "refresh_token").await;
        assert_eq!(second["exp"], first["exp"], "A refresh does not extend the sign-in.");

        let long = json!({"name": "Long", "access_token_seconds": 86_400, "sign_in_seconds": 300});
        let long = register(app, &world, long).await.tokens(app, "ann", &[]).await;
        assert_eq!(long["expires_in"], 300, "An access token ends with its sign-in.");
        let grant_types = ["client_credentials"];
        let worker = json!({"grant_types": grant_types, "roles": "read", "access_token_seconds": 60});
        let worker = register(app, &world, worker).await;
        assert_eq!(own_token(app, "", worker.basic()).await.ok()["expires_in"], 60);
        world.owner.patch(&worker.path, json!({"access_token_seconds": 0})).await.ok();
        assert_eq!(own_token(app, "", worker.basic()).await.ok()["expires_in"], 900);
    }

    async fn tokens_are_not_renewed_after_the_time_that_the_client_sets(app: &App) {
        let (world, shop) = with_shop(app).await;
        let short = register(app, &world, json!({"name": "Short", "sign_in_seconds": 300})).await;
        let (ended, other) = (short.tokens(app, "ann", &[]).await, shop.tokens(app, "ann", &[]).await);
        let ends_at = "UPDATE token_families SET ends_at = '2020-01-01T00:00:00.000000Z' WHERE ends_at IS NOT NULL";
        app.execute_sql(ends_at);
        let renewing = text(&ended, "refresh_token");
        refresh(app, &renewing, short.basic()).await.refused(400, "invalid_grant");
        assert_eq!(introspect(app, &renewing, short.basic()).await.ok().0, json!({"active": false}));
        let session = bearer(app, &ended).get("/auth/session").await;
        assert_eq!(session.is(401)["reauth_required"], json!(true));
        refresh(app, &text(&other, "refresh_token"), shop.basic()).await.ok();
    }
}
