//! Clients that authenticate with assertions which they sign, instead of a secret (RFC 7523, `private_key_jwt`).

use serde_json::{Value, json};
use steward_tests::{Answer, App, Browser, VERIFIER, World, on_both_in_full, on_sqlite};

use super::signing_key::{SigningKey, merged, now};
use super::{
    Named, Registered, WEB, clients, is_not_authenticated, own_token as own_token_with, post, refresh, register, text,
    with_shop,
};

const TYPE: &str = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";
const DEVICE_CODE: &str = "urn:ietf:params:oauth:grant-type:device_code";

/// Registers a client with this key that may do everything.
async fn keyed(app: &App, world: &World, key: &SigningKey) -> Registered {
    let grant_types = ["authorization_code", "refresh_token", "client_credentials", DEVICE_CODE];
    register(app, world, json!({"jwks": key.jwks(), "grant_types": grant_types, "roles": "read"})).await
}

/// Sends a request with an assertion.
async fn send(app: &App, path: &str, fields: &[(&str, &str)], assertion: &str) -> Answer {
    let own = [("client_assertion_type", TYPE), ("client_assertion", assertion)];
    post(app, path, &[fields, &own].concat(), Named::Nobody).await
}

fn assertion(app: &App, client: &Registered, key: &SigningKey) -> String {
    key.assertion(app, client.id(), json!({}), json!({}))
}

/// Requests a token for the client itself.
async fn own_token(app: &App, assertion: &str) -> Answer {
    send(app, "/auth/token", &[("grant_type", "client_credentials")], assertion).await
}

on_both_in_full! {
    async fn keys_replace_a_secret_and_are_replaced(app: &App) {
        let (first, second) = (SigningKey::new(1), SigningKey::new(2));
        let (world, shop) = with_shop(app).await;
        let tokens = shop.tokens(app, "ann", &[]).await;
        let changed = world.owner.patch(&shop.path, json!({"jwks": first.jwks()})).await.ok();
        assert_eq!((&changed["data"]["secret"], &changed["data"]["jwks"]), (&Value::Null, &first.jwks()));
        let renewing = text(&tokens, "refresh_token");
        is_not_authenticated(refresh(app, &renewing, shop.basic()).await, shop.basic());
        let rotate = format!("{}/rotate-secret", shop.path);
        world.owner.post(&rotate, json!({})).await.refused(400, "invalid_request");
        let fields = [("grant_type", "refresh_token"), ("refresh_token", renewing.as_str())];
        let tokens = send(app, "/auth/token", &fields, &assertion(app, &shop, &first)).await.ok();

        world.owner.patch(&shop.path, json!({"jwks": second.jwks()})).await.ok();
        let renewing = text(&tokens, "refresh_token");
        let fields = [("grant_type", "refresh_token"), ("refresh_token", renewing.as_str()), ("client_id", shop.id())];
        send(app, "/auth/token", &fields, &assertion(app, &shop, &first)).await.refused(400, "invalid_client");
        send(app, "/auth/token", &fields, &assertion(app, &shop, &second)).await.ok();
        world.owner.patch(&shop.path, json!({"name": "Shop"})).await.ok();
        assert_eq!(world.owner.get(&shop.path).await.ok()["data"]["jwks"], second.jwks());
        let events = world.owner.get(&format!("/project/{}/audit?actor={}", world.project, world.owner.id)).await.ok();
        assert!(events.0.to_string().contains(second.jwk()["x"].as_str().unwrap()), "The log shows the keys.");
    }
}

on_sqlite! {
    async fn a_client_authenticates_with_its_key_at_every_endpoint(app: &App) {
        let (world, key) = (World::make(app, "acme").await, SigningKey::new(1));
        app.person("ann").await;
        let client = keyed(app, &world, &key).await;
        assert!(client.secret.is_empty(), "It has no secret.");
        let shown = world.owner.get(&client.path).await.ok();
        assert_eq!(shown["data"]["jwks"], key.jwks());
        assert_eq!((&shown["data"]["type"], &shown["data"]["secret"]), (&json!("confidential"), &Value::Null));
        let send = async |path: &str, fields: &[(&str, &str)]| send(app, path, fields, &assertion(app, &client, &key)).await;

        let code = client.code(&Browser::new(app), "ann", &[]).await;
        let code = [("grant_type", "authorization_code"), ("code", code.as_str()), ("code_verifier", VERIFIER)];
        post(app, "/auth/token", &code, Named::InBody(client.id(), "")).await.refused(400, "invalid_client");
        let tokens = send("/auth/token", &code).await.ok();
        let renewing = text(&tokens, "refresh_token");
        let renewal = [("grant_type", "refresh_token"), ("refresh_token", renewing.as_str())];
        post(app, "/auth/token", &renewal, Named::Nobody).await.refused(400, "invalid_client");
        let tokens = send("/auth/token", &[&renewal[..], &[("client_id", client.id())]].concat()).await.ok();
        send("/auth/token", &[("grant_type", "client_credentials")]).await.ok();

        let token = text(&tokens, "refresh_token");
        let token = [("token", token.as_str())];
        assert_eq!(send("/auth/introspect", &token).await.ok()["active"], true);
        send("/auth/device/code", &[]).await.ok();
        let request = [("response_type", "code"), ("redirect_uri", WEB), ("state", "s")];
        send("/auth/par", &request).await.created();
        for (path, fields) in [("/auth/par", &request[..]), ("/auth/device/code", &[]), ("/auth/revoke", &token)] {
            let unknown = post(app, path, fields, Named::InBody(client.id(), "stw_cs_x")).await;
            unknown.refused(400, "invalid_client");
        }
        send("/auth/revoke", &token).await.is(200);
        assert_eq!(send("/auth/introspect", &token).await.ok()["active"], false);
    }

    async fn only_a_fresh_assertion_of_the_client_itself_is_accepted(app: &App) {
        let (world, key, other) = (World::make(app, "acme").await, SigningKey::new(1), SigningKey::new(2));
        let (client, foreign) = (keyed(app, &world, &key).await, keyed(app, &world, &other).await);
        let changed = |header: Value, claims: Value| key.assertion(app, client.id(), header, claims);
        let used = changed(json!({}), json!({}));
        own_token(app, &used).await.ok();
        let unsigned = {
            let none = changed(json!({"alg": "none"}), json!({}));
            format!("{}.", none.rsplit_once('.').unwrap().0)
        };
        let foreign_id = foreign.id();
        for (name, assertion) in [
            ("repeated", used),
            ("key of another client", other.assertion(app, client.id(), json!({}), json!({}))),
            ("about another client", changed(json!({}), json!({"sub": foreign_id}))),
            ("by another client", changed(json!({}), json!({"iss": foreign_id}))),
            ("for another audience", changed(json!({}), json!({"aud": "https://other.example"}))),
            ("also for another audience", changed(json!({}), json!({"aud": [app.base, "https://other.example"]}))),
            ("for another endpoint", changed(json!({}), json!({"aud": format!("{}/auth/par", app.base)}))),
            ("without an audience", changed(json!({}), json!({"aud": null}))),
            ("expired", changed(json!({}), json!({"exp": now() - 60}))),
            ("far future", changed(json!({}), json!({"exp": now() + 3_600}))),
            ("end of the calendar", changed(json!({}), json!({"exp": i64::MAX}))),
            ("largest date", changed(json!({}), json!({"exp": 8_210_266_876_799_i64}))),
            ("without an end", changed(json!({}), json!({"exp": null}))),
            ("not valid yet", changed(json!({}), json!({"nbf": now() + 120}))),
            ("without an ID", changed(json!({}), json!({"jti": null}))),
            ("unsigned", unsigned),
            ("symmetric", changed(json!({"alg": "HS256"}), json!({}))),
            ("proof of a key", key.proof(app, "/auth/token")),
            ("no JWT", "x".to_owned()),
        ] {
            let fields = [("grant_type", "client_credentials"), ("client_id", client.id())];
            let answer = send(app, "/auth/token", &fields, &assertion).await;
            assert_eq!(answer.json()["error"], "invalid_client", "{name}: {answer}");
            answer.is(400);
        }
        for audience in [json!(app.base), json!([app.base]), json!(format!("{}/auth/token", app.base))] {
            own_token(app, &changed(json!({"typ": "JWT"}), json!({"aud": audience}))).await.ok();
        }
    }

    async fn a_client_authenticates_in_one_way(app: &App) {
        let (world, key) = (World::make(app, "acme").await, SigningKey::new(1));
        let client = keyed(app, &world, &key).await;
        let fields = |assertion| [("grant_type", "client_credentials"), ("client_assertion", assertion), ("client_assertion_type", TYPE)];
        let jwt = assertion(app, &client, &key);
        for named in [Named::Basic(client.id(), "x"), Named::InBody(client.id(), "x")] {
            post(app, "/auth/token", &fields(&jwt), named).await.refused(400, "invalid_request");
        }
        let typeless = [("grant_type", "client_credentials"), ("client_assertion", jwt.as_str())];
        post(app, "/auth/token", &typeless, Named::Nobody).await.refused(400, "invalid_request");
        for named in [Named::Basic(client.id(), "stw_cs_x"), Named::InBody(client.id(), "private_key_jwt")] {
            is_not_authenticated(own_token_with(app, "", named).await, named);
        }
        own_token(app, &jwt).await.ok();
    }

    async fn only_public_keys_for_signatures_are_registered(app: &App) {
        let (world, key) = (World::make(app, "acme").await, SigningKey::new(1));
        let new = |settings: Value| merged(json!({"name": "X", "type": "confidential", "redirect_uris": [WEB]}), settings);
        let with = |changes: Value| json!({"jwks": {"keys": [merged(key.jwk(), changes)]}});
        for invalid in [
            json!({"jwks": {}}),
            json!({"jwks": {"keys": []}}),
            json!({"jwks": {"keys": vec![key.jwk(); 11]}}),
            json!({"jwks": []}),
            with(json!({"d": "AQAB"})),
            with(json!({"use": "enc"})),
            with(json!({"alg": "HS256"})),
            with(json!({"alg": "ES256"})),
            with(json!({"x": "AQAB"})),
            with(json!({"kty": "oct", "k": "AQAB"})),
            with(json!({"x5c": ["x".repeat(9_000)]})),
            merged(with(json!({})), json!({"type": "public"})),
        ] {
            let body = world.owner.post(&clients(&world), new(invalid.clone())).await.refused(400, "invalid_request");
            assert_eq!(body["errors"][0]["field"], "jwks", "{invalid}: {body:?}");
        }
        world.owner.post(&clients(&world), new(with(json!({"use": "sig", "kid": "1", "alg": "EdDSA"})))).await.created();
    }

    async fn a_client_registers_itself_with_its_keys(app: &App) {
        let (world, key) = (World::make(app, "acme").await, SigningKey::new(1));
        let metadata = json!({
            "redirect_uris": [WEB], "token_endpoint_auth_method": "private_key_jwt", "jwks": key.jwks(),
            "dpop_bound_access_tokens": true, "require_pushed_authorization_requests": true,
        });
        let registered = world.key.post("/auth/register", metadata.clone()).await.created();
        for (name, value) in metadata.as_object().unwrap() {
            assert_eq!(&registered[name.as_str()], value, "{name}");
        }
        for absent in ["client_secret", "client_secret_expires_at"] {
            assert_eq!(registered.0.get(absent), None, "{absent}");
        }
        let path = format!("{}/{}", clients(&world), text(&registered, "client_id"));
        let shown = world.owner.get(&path).await.ok();
        let settings = ["require_dpop", "require_pushed_requests"].map(|name| &shown["data"][name]);
        assert_eq!(settings, [&json!(true), &json!(true)]);
        let uri = json!({"jwks": null, "jwks_uri": "https://app.example/keys"});
        for invalid in [json!({"jwks": null}), uri, json!({"jwks": {"keys": [{"kty": "EC"}]}})] {
            let mut changed = merged(metadata.clone(), invalid);
            changed.as_object_mut().unwrap().retain(|_, member| !member.is_null());
            world.key.post("/auth/register", changed).await.refused(400, "invalid_client_metadata");
        }
    }
}
