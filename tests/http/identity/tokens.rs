//! The token endpoint, revocation and introspection (docs/contract.md#token-endpoint; RFC 6749, RFC 7009, RFC 7662, RFC
//! 7636).

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use futures_util::future::join_all;
use reqwest::Method;
use serde_json::{Value, json};
use steward_tests::{Actor, Answer, App, Body, Browser, Client, FORM, VERIFIER, World, on_both, on_sqlite};

use crate::CONCURRENT;

fn text(body: &Body, name: &str) -> String {
    body[name].as_str().unwrap_or_else(|| panic!("No `{name}` in {body:?}")).to_owned()
}

fn user(app: &App, tokens: &Body) -> Actor {
    app.bearer(&text(tokens, "access_token"))
}

/// The claims of a token, without verifying its signature.
fn claims(token: &str) -> Value {
    let payload = token.split('.').nth(1).unwrap();
    serde_json::from_slice(&URL_SAFE_NO_PAD.decode(payload).unwrap()).unwrap()
}

/// Posts a form with HTTP Basic.
async fn post_with_basic(app: &App, path: &str, form: &str, user_and_password: &str) -> Answer {
    let header = format!("Basic {}", STANDARD.encode(user_and_password));
    let body = Some((FORM, form.as_bytes().to_vec()));
    app.anonymous().send_raw(Method::POST, path, body, &[("Authorization", &header)]).await
}

/// Creates the fixture, a person `ann`, and the client of the fixture's project.
async fn with_client(app: &App) -> (World, Client) {
    let world = World::make(app, "acme").await;
    app.person("ann").await;
    let client = Client::of(app, &world);
    (world, client)
}

on_both! {
    async fn a_code_is_exchanged_for_tokens_with_the_granted_scope(app: &App) {
        let (world, client) = with_client(app).await;
        let code = client.code(&Browser::new(app), "ann", &[("nonce", "n-1"), ("scope", "email,openid")]).await;
        let response = client.redeem(&code, &[]).await;
        assert_eq!(response.header("Cache-Control"), "no-store");
        let tokens = response.ok();
        assert_eq!((&tokens["token_type"], &tokens["expires_in"]), (&json!("Bearer"), &json!(900)));
        assert_eq!((&tokens["scope"], &tokens["refresh"]), (&json!("openid email"), &tokens["refresh_token"]));
        let (access, id) = (claims(&text(&tokens, "access_token")), claims(&text(&tokens, "id_token")));
        let host = app.base.trim_start_matches("http://").replace(':', "%3A");
        let did = format!("did:web:{host}:projects:{}", world.project.replace('-', ""));
        assert_eq!((&access["aud"], &access["typ"], &access["scope"]), (&json!(did), &json!("access"), &tokens["scope"]));
        assert_eq!((&id["aud"], &id["nonce"], &id["iss"]), (&json!(client.id), &json!("n-1"), &json!(app.base)));
        assert_eq!(id["sub"], access["sub"]);
        let shown = user(app, &tokens).get("/auth/userinfo").await.ok();
        assert_eq!((&shown["sub"], &shown["email"]), (&id["sub"], &json!("ann@example.com")));
        assert_eq!((&shown["email_verified"], shown.0.get("username")), (&json!(false), None));
        user(app, &tokens).get("/team/").await.refused(401, "unauthorized");
    }

    async fn a_code_is_used_up_by_a_wrong_verifier(app: &App) {
        let (_, client) = with_client(app).await;
        let (long, browser) = ("a".repeat(129), Browser::new(app));
        for wrong in ["E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM", &long, "short"] {
            let code = client.code(&browser, "ann", &[]).await;
            let refused = client.redeem(&code, &[("code_verifier", wrong)]).await.refused(400, "invalid_grant");
            assert!(text(&refused, "error_description").contains("can no longer be used"), "{refused:?}");
            let refused = client.redeem(&code, &[]).await.refused(400, "invalid_grant");
            assert!(text(&refused, "error_description").contains("already used"), "{refused:?}");
        }
    }

    async fn a_replayed_code_revokes_its_tokens(app: &App) {
        let (_, client) = with_client(app).await;
        let code = client.code(&Browser::new(app), "ann", &[]).await;
        let tokens = client.redeem(&code, &[]).await.ok();
        let ann = user(app, &tokens);
        ann.get("/auth/userinfo").await.ok();
        client.redeem(&code, &[]).await.refused(400, "invalid_grant");
        client.refresh(&text(&tokens, "refresh_token")).await.refused(400, "invalid_grant");
        let refused = ann.get("/auth/userinfo").await;
        assert!(refused.header("WWW-Authenticate").contains("invalid_token"));
        refused.refused(401, "unauthorized");
    }

    async fn a_code_issued_before_its_user_is_signed_out_is_refused(app: &App) {
        let (world, client) = with_client(app).await;
        let elsewhere = Client::of(app, &World::make(app, "other").await);
        let browser = Browser::new(app);
        let code = client.code(&browser, "ann", &[("scope", "openid offline_access")]).await;
        let other_code = elsewhere.code(&browser, "ann", &[]).await;
        let users = world.owner.get(&format!("/project/{}/user?q=ann", world.project)).await.ok();
        let path = format!("/project/{}/user/{}/session", world.project, users["data"][0]["id"].as_str().unwrap());
        world.owner.delete(&path).await.ok();
        client.redeem(&code, &[]).await.refused(400, "invalid_grant");
        elsewhere.redeem(&other_code, &[]).await.ok();
        let code = client.code(&browser, "ann", &[]).await;
        client.redeem(&code, &[]).await.ok();
    }

    async fn of_concurrent_redemptions_of_a_code_one_succeeds_and_its_tokens_are_revoked(app: &App) {
        let (_, client) = with_client(app).await;
        let code = client.code(&Browser::new(app), "ann", &[]).await;
        let responses = join_all((0..CONCURRENT).map(|_| client.redeem(&code, &[]))).await;
        let (accepted, refused): (Vec<_>, Vec<_>) = responses.into_iter().partition(|response| response.status == 200);
        assert_eq!(accepted.len(), 1);
        for response in refused {
            response.refused(400, "invalid_grant");
        }
        let tokens = accepted.into_iter().next().unwrap().ok();
        client.refresh(&text(&tokens, "refresh_token")).await.refused(400, "invalid_grant");
        user(app, &tokens).get("/auth/userinfo").await.refused(401, "unauthorized");
    }

    async fn concurrent_refreshes_return_the_same_tokens(app: &App) {
        let (_, client) = with_client(app).await;
        let tokens = client.tokens(app, "ann", &[]).await;
        let refresh = text(&tokens, "refresh_token");
        let responses = join_all((0..CONCURRENT).map(|_| client.refresh(&refresh))).await;
        let mut pairs: Vec<(String, String, String)> = responses
            .into_iter()
            .map(|response| {
                let body = response.ok();
                (text(&body, "access_token"), text(&body, "refresh_token"), text(&body, "id_token"))
            })
            .collect();
        pairs.dedup();
        assert_eq!(pairs.len(), 1);
        assert_ne!(pairs[0].1, refresh);
        assert_eq!(claims(&pairs[0].2).get("nonce"), None);
        client.refresh(&pairs[0].1).await.ok();
    }

    async fn only_the_last_replaced_refresh_token_can_be_used_again(app: &App) {
        let (_, client) = with_client(app).await;
        let first = text(&client.tokens(app, "ann", &[]).await, "refresh_token");
        let second = text(&client.refresh(&first).await.ok(), "refresh_token");
        assert_eq!(text(&client.refresh(&first).await.ok(), "refresh_token"), second);
        let third = text(&client.refresh(&second).await.ok(), "refresh_token");
        client.refresh(&first).await.refused(400, "invalid_grant");
        client.refresh(&third).await.refused(400, "invalid_grant");
    }

    async fn revoking_a_token_revokes_all_tokens_of_its_sign_in(app: &App) {
        let (_, client) = with_client(app).await;
        // The second request to the public path finds the token remembered.
        let paths = ["/auth/userinfo", "/utils/slugify?slug=x", "/utils/slugify?slug=x"];
        for kind in ["access_token", "refresh_token"] {
            let tokens = client.tokens(app, "ann", &[]).await;
            let form = format!("token={}&token_type_hint={kind}", text(&tokens, kind));
            let foreign = format!("{form}&client_id=steward-cli");
            client.post("/auth/revoke", &foreign).await.refused(400, "invalid_grant");
            for path in paths { user(app, &tokens).get(path).await.ok(); }
            client.post("/auth/revoke", &form).await.is(200);
            client.post("/auth/revoke", &form).await.is(200);
            for path in paths { user(app, &tokens).get(path).await.refused(401, "unauthorized"); }
            client.refresh(&text(&tokens, "refresh_token")).await.refused(400, "invalid_grant");
        }
        let issued = app.run(&["token", "issue", "--email", "ann@example.com"], "").await.stdout;
        let form = format!("token={}", String::from_utf8(issued).unwrap().trim());
        client.post("/auth/revoke", &form).await.refused(400, "unsupported_token_type");
        client.post("/auth/revoke", "token=unknown").await.is(200);
        client.post("/auth/revoke", "").await.refused(400, "invalid_request");
    }

    async fn a_session_is_refreshed_and_revoked(app: &App) {
        app.person("ann").await;
        let login = json!({"username": "ann", "password": steward_tests::PASSWORD});
        let tokens = app.anonymous().post("/auth/login", login).await.ok();
        assert_eq!(claims(&text(&tokens, "id_token"))["aud"], "steward-cli");
        let next = Client::new(app, "steward-cli").refresh(&text(&tokens, "refresh_token")).await.ok();
        user(app, &next).get("/team/").await.ok();
        let form = format!("token={}", text(&next, "refresh_token"));
        Client::new(app, "steward-cli").post("/auth/revoke", &form).await.is(200);
        for tokens in [&tokens, &next] {
            user(app, tokens).get("/team/").await.refused(401, "unauthorized");
        }
    }
}

on_sqlite! {
    async fn an_id_token_has_the_claims_of_the_granted_scopes_also_after_a_refresh(app: &App) {
        let (_, client) = with_client(app).await;
        let names = ["name", "preferred_username", "email", "email_verified"];
        let shown = |tokens: &Body| names.map(|name| claims(&text(tokens, "id_token"))[name].clone());
        let ann = [json!("ann"), json!("ann"), json!("ann@example.com"), json!(false)];
        let cases = [
            ("openid", [Value::Null, Value::Null, Value::Null, Value::Null]),
            ("openid profile", [ann[0].clone(), ann[1].clone(), Value::Null, Value::Null]),
            ("openid email", [Value::Null, Value::Null, ann[2].clone(), ann[3].clone()]),
            ("openid profile email", ann.clone()),
        ];
        for (scope, expected) in cases {
            let tokens = client.tokens(app, "ann", &[("scope", scope)]).await;
            assert_eq!(shown(&tokens), expected, "{scope}");
            let refreshed = client.refresh(&text(&tokens, "refresh_token")).await.ok();
            assert_eq!(shown(&refreshed), expected, "{scope}");
        }
    }

    async fn a_client_can_authenticate_with_http_basic_and_any_secret(app: &App) {
        let (_, client) = with_client(app).await;
        let other = World::make(app, "other").await;
        let id = client.id.clone();
        let browser = Browser::new(app);
        for secret in ["", "unregistered"] {
            let (user, code) = (format!("{id}:{secret}"), client.code(&browser, "ann", &[]).await);
            let form = format!("grant_type=authorization_code&code={code}&code_verifier={VERIFIER}");
            let tokens = post_with_basic(app, "/auth/token", &form, &user).await.ok();
            let refresh = format!("grant_type=refresh_token&refresh_token={}", text(&tokens, "refresh_token"));
            let both = format!("{refresh}&client_id={id}&client_secret={secret}");
            let tokens = post_with_basic(app, "/auth/token", &both, &user).await.ok();
            let (access, token) = (text(&tokens, "access_token"), format!("token={}", text(&tokens, "refresh_token")));
            let shown = post_with_basic(app, "/auth/introspect", &token, &user).await.ok();
            assert_eq!((&shown["active"], &shown["client_id"]), (&json!(true), &json!(id)));
            let foreign = post_with_basic(app, "/auth/introspect", &token, &format!("{}:", other.project)).await.ok();
            assert_eq!(foreign.0, json!({"active": false}));
            post_with_basic(app, "/auth/revoke", &token, "steward-cli:").await.refused(400, "invalid_grant");
            post_with_basic(app, "/auth/revoke", &token, &user).await.is(200);
            let shown = post_with_basic(app, "/auth/introspect", &format!("token={access}"), &user).await.ok();
            assert_eq!(shown.0, json!({"active": false}));
        }
        let host = app.base.trim_start_matches("http://").replace(':', "%3A");
        let did = Client::new(app, &format!("did:web:{host}:projects:{}", client.id.replace('-', "")));
        let form = format!("code={}&code_verifier={VERIFIER}", did.code(&browser, "ann", &[]).await);
        let encoded = did.id.replace('%', "%25").replace(':', "%3A");
        post_with_basic(app, "/auth/token", &form, &format!("{encoded}:")).await.ok();
    }

    async fn an_unknown_or_ambiguous_client_is_refused(app: &App) {
        let (_, client) = with_client(app).await;
        for (path, user) in [("/auth/token", "x:y"), ("/auth/revoke", "nobody:"), ("/auth/introspect", ":secret")] {
            let response = post_with_basic(app, path, "code=x&token=x", user).await;
            assert!(response.header("WWW-Authenticate").starts_with("Basic"), "{path}");
            assert_eq!(response.header("Cache-Control"), "no-store");
            response.refused(401, "invalid_client");
        }
        let both = format!("code=x&token=x&client_id={}", client.id);
        for path in ["/auth/token", "/auth/revoke", "/auth/introspect"] {
            post_with_basic(app, path, &both, "steward-cli:").await.refused(400, "invalid_request");
        }
        client.post("/auth/revoke", "token=x&client_id=x").await.refused(400, "invalid_client");
    }

    async fn requests_without_optional_parameters_and_json_bodies_are_accepted(app: &App) {
        let (_, client) = with_client(app).await;
        let browser = Browser::new(app);
        let code = client.code(&browser, "ann", &[]).await;
        let tokens = client.redeem(&code, &[("grant_type", ""), ("client_id", ""), ("redirect_uri", "")]).await.ok();
        let refresh = text(&tokens, "refresh_token");
        let second = client.post("/auth/token", &format!("code={refresh}")).await.ok();
        let third = text(&second, "refresh_token");
        let third = json!({"grant_type": "refresh_token", "code": third, "scope": null});
        let third = app.anonymous().post("/auth/token", third).await.ok();
        assert_ne!(third["refresh_token"], second["refresh_token"]);
        let code = client.code(&browser, "ann", &[]).await;
        let body = json!({"code": code, "code_verifier": VERIFIER, "client_id": client.id});
        app.anonymous().post("/auth/token", body).await.ok();
    }

    async fn each_error_has_its_code_and_a_description(app: &App) {
        let (world, client) = with_client(app).await;
        let code = client.code(&Browser::new(app), "ann", &[]).await;
        let other = World::make(app, "other").await;
        let cases: &[(&[(&str, &str)], &str)] = &[
            (&[("client_id", &other.project)], "invalid_grant"),
            (&[("client_id", "steward-cli")], "invalid_grant"),
            (&[("client_id", "x")], "invalid_client"),
            (&[("redirect_uri", "http://127.0.0.1:49153/callback")], "invalid_grant"),
            (&[("code_verifier", "")], "invalid_grant"),
            (&[("grant_type", "password")], "unsupported_grant_type"),
            (&[("grant_type", "urn:ietf:params:oauth:grant-type:jwt-bearer")], "unsupported_grant_type"),
            (&[("grant_type", "client_credentials")], "invalid_client"),
            (&[("grant_type", "refresh_token")], "invalid_grant"),
            (&[("code", "")], "invalid_request"),
            (&[("code", "stw_ac_0000000000000000000000000000000000000000000")], "invalid_grant"),
            (&[("code", "' OR 1=1 --")], "invalid_grant"),
        ];
        for (changes, error) in cases {
            let response = client.redeem(&code, changes).await;
            assert_eq!(response.header("Cache-Control"), "no-store");
            assert_eq!(response.header("WWW-Authenticate"), "");
            let body = response.refused(400, error);
            assert!(body["error_description"].is_string(), "{changes:?}");
        }
        let twice = format!("grant_type=authorization_code&code={code}&code={code}");
        client.post("/auth/token", &twice).await.refused(400, "invalid_request");
        let response = app.anonymous().send_raw(Method::POST, "/auth/token", Some(("text/plain", b"x".to_vec())), &[]).await;
        response.refused(415, "unsupported_media_type");
        let basic = [("Authorization", "Basic c3Rld2FyZDpzZWNyZXQ=")];
        let response = app.anonymous().send_raw(Method::POST, "/auth/token", Some((FORM, b"x=y".to_vec())), &basic).await;
        assert!(response.header("WWW-Authenticate").starts_with("Basic"));
        response.refused(401, "invalid_client");
        client.redeem(&code, &[]).await.ok();
        world.owner.get("/team/").await.ok();
    }

    async fn a_sign_in_of_a_client_ends_after_its_lifetime_and_without_use(app: &App) {
        let (_, client) = with_client(app).await;
        let ages = [
            "UPDATE token_families SET created_at = '2020-01-01T00:00:00.000000Z'",
            "UPDATE refresh_tokens SET issued_at = '2020-01-01T00:00:00.000000Z'",
        ];
        for age in ages {
            let tokens = client.tokens(app, "ann", &[]).await;
            let refresh = text(&client.refresh(&text(&tokens, "refresh_token")).await.ok(), "refresh_token");
            app.execute_sql(age);
            client.refresh(&refresh).await.refused(400, "invalid_grant");
            let form = format!("token={refresh}");
            let shown = post_with_basic(app, "/auth/introspect", &form, &format!("{}:", client.id)).await.ok();
            assert_eq!(shown.0, json!({"active": false}), "{age}");
        }
        let tokens = client.tokens(app, "ann", &[]).await;
        app.execute_sql(ages[0]);
        let session = user(app, &tokens).get("/auth/session").await;
        assert_eq!(session.is(401)["reauth_required"], json!(true));
    }

    async fn a_verifier_without_a_challenge_is_refused(app: &App) {
        let (world, client) = with_client(app).await;
        world.settings(&[], false).await;
        let without = [("code_challenge", ""), ("code_challenge_method", "")];
        let code = client.code(&Browser::new(app), "ann", &without).await;
        client.redeem(&code, &[]).await.refused(400, "invalid_grant");
    }

    async fn a_refresh_token_is_valid_only_for_its_own_client(app: &App) {
        let (_, client) = with_client(app).await;
        let other = World::make(app, "other").await;
        let tokens = client.tokens(app, "ann", &[]).await;
        let refresh = text(&tokens, "refresh_token");
        for client_id in [other.project.as_str(), "steward-cli"] {
            Client::new(app, client_id).refresh(&refresh).await.refused(400, "invalid_grant");
        }
        client.refresh(&refresh).await.ok();
    }

    async fn only_the_tokens_project_can_introspect_it(app: &App) {
        let (world, client) = with_client(app).await;
        let other = World::make(app, "other").await;
        let tokens = client.tokens(app, "ann", &[]).await;
        let introspect = |actor: Actor, token: String| async move {
            let form = format!("token={token}").into_bytes();
            actor.send_raw(Method::POST, "/auth/introspect", Some((FORM, form)), &[]).await
        };
        let access = text(&tokens, "access_token");
        let introspected = introspect(world.key.clone(), access.clone()).await.ok();
        assert_eq!((&introspected["active"], &introspected["scope"]), (&json!(true), &tokens["scope"]));
        assert_eq!((&introspected["sub"], &introspected["iss"]), (&claims(&access)["sub"], &json!(app.base)));
        assert_eq!(introspected["client_id"], json!(client.id));
        let introspected = introspect(world.key.clone(), text(&tokens, "refresh_token")).await.ok();
        assert_eq!((&introspected["active"], &introspected["token_type"]), (&json!(true), &json!("refresh_token")));
        for stranger in [other.key.clone(), other.owner.clone(), world.owner.clone()] {
            assert_eq!(introspect(stranger, access.clone()).await.ok().0, json!({"active": false}));
        }
        introspect(app.anonymous(), access.clone()).await.refused(401, "unauthorized");
        let public = json!({"label": "page", "roles": "project:read", "is_private": false});
        let public = world.owner.post(&format!("/project/{}/key", world.project), public).await.ok();
        introspect(app.bearer(public["key"]["value"].as_str().unwrap()), access.clone()).await.is_forbidden();
        client.post("/auth/revoke", &format!("token={access}")).await.is(200);
        for token in [access, text(&tokens, "refresh_token"), "x".into(), "stw_rt_x".into()] {
            assert_eq!(introspect(world.key.clone(), token).await.ok().0, json!({"active": false}));
        }
    }

    async fn an_altered_token_is_refused_regardless_of_its_header(app: &App) {
        let (world, client) = with_client(app).await;
        let tokens = client.tokens(app, "ann", &[]).await;
        let admin = world.owner.credential.clone().unwrap();
        let parts: Vec<&str> = admin.split('.').collect();
        let kid = serde_json::from_slice::<Value>(&URL_SAFE_NO_PAD.decode(parts[0]).unwrap()).unwrap()["kid"].clone();
        let mut forged = claims(&admin);
        forged["sub"] = json!("01940000-0000-7000-8000-000000000001");
        let encode = |value: &Value| URL_SAFE_NO_PAD.encode(value.to_string());
        for header in [
            json!({"alg": "none", "typ": "JWT"}),
            json!({"alg": "none", "kid": kid}),
            json!({"alg": "HS256", "kid": kid}),
            json!({"alg": "RS256", "kid": kid}),
            json!({"alg": "ES256", "kid": "../../../dev/null"}),
            json!({"alg": "ES256", "kid": "' OR 1=1 --"}),
            json!({"alg": "ES256", "kid": kid, "jwk": {"kty": "EC"}, "jku": "https://evil.example/jwks"}),
            json!({"alg": "ES256", "kid": kid, "crit": ["b64"], "b64": false}),
            json!({"alg": "ES256"}),
        ] {
            for signature in [parts[2], ""] {
                let token = format!("{}.{}.{signature}", encode(&header), encode(&forged));
                app.bearer(&token).get("/team/").await.refused(401, "unauthorized");
            }
        }
        let swapped = format!("{}.{}.{}", parts[0], encode(&forged), parts[2]);
        app.bearer(&swapped).get("/team/").await.refused(401, "unauthorized");
        let id_token = text(&tokens, "id_token");
        app.bearer(&id_token).get("/auth/userinfo").await.refused(401, "unauthorized");
        app.bearer(&text(&tokens, "refresh_token")).get("/auth/userinfo").await.refused(401, "unauthorized");
    }
}
