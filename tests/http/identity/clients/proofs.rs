//! Tokens that are bound to a key of the client, whose proof is sent with them (RFC 9449).

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use reqwest::Method;
use serde_json::{Value, json};
use steward_tests::device::Device;
use steward_tests::{Answer, App, Body, Browser, VERIFIER, World, on_both_in_full, on_sqlite, parameter};

use super::signing_key::{SigningKey, merged, now, sha256};
use super::{Named, Registered, claims, machine, post, post_with, register, revoke, text, with_shop};

const TOKEN: &str = "/auth/token";
const USER_INFO: &str = "/auth/userinfo";

/// Registers a public client.
async fn public(app: &App, world: &World, settings: Value) -> Registered {
    app.person("ann").await;
    register(app, world, merged(json!({"type": "public"}), settings)).await
}

/// Sends a request to the token endpoint, with a proof of a key if there is one.
async fn ask(app: &App, fields: &[(&str, &str)], named: Named<'_>, key: Option<&SigningKey>) -> Answer {
    let proof = key.map(|key| key.proof(app, TOKEN));
    let headers: Vec<(&str, &str)> = proof.iter().map(|proof| ("DPoP", proof.as_str())).collect();
    post_with(app, TOKEN, fields, named, &headers).await
}

async fn redeem(app: &App, client: &Registered, code: &str, key: Option<&SigningKey>) -> Answer {
    let verifier = if client.secret.is_empty() { VERIFIER } else { "" };
    let grant = ("grant_type", "authorization_code");
    ask(app, &[grant, ("code", code), ("code_verifier", verifier)], client.basic(), key).await
}

async fn refresh(app: &App, client: &Registered, token: &str, key: Option<&SigningKey>) -> Answer {
    let fields = [("grant_type", "refresh_token"), ("refresh_token", token)];
    ask(app, &fields, client.basic(), key).await
}

/// The fields that exchange a code of a public client.
fn exchange_of(code: &str) -> [(&str, &str); 3] {
    [("grant_type", "authorization_code"), ("code", code), ("code_verifier", VERIFIER)]
}

/// Tokens of ann that are bound to a key.
async fn bound(app: &App, client: &Registered, key: &SigningKey) -> Body {
    let code = client.code(&Browser::new(app), "ann", &[]).await;
    redeem(app, client, &code, Some(key)).await.ok()
}

/// Sends a GET request with these headers.
async fn get(app: &App, path: &str, headers: &[(&str, &str)]) -> Answer {
    app.anonymous().send(Method::GET, path, None, headers).await
}

/// Sends a GET request with a bound token and a proof of the key.
async fn get_with(app: &App, path: &str, token: &str, key: &SigningKey) -> Answer {
    let proof = key.proof_with(app, (Method::GET, path.split('?').next().unwrap()), token);
    get(app, path, &[("Authorization", &format!("DPoP {token}")), ("DPoP", &proof)]).await
}

on_both_in_full! {
    async fn tokens_of_a_public_client_are_bound_to_the_key_of_its_proof(app: &App) {
        let (world, key, other) = (World::make(app, "acme").await, SigningKey::new(1), SigningKey::new(2));
        let client = public(app, &world, json!({})).await;
        let tokens = bound(app, &client, &key).await;
        assert_eq!(tokens["token_type"], "DPoP");
        assert_eq!(claims(&tokens, "access_token")["cnf"], json!({"jkt": key.thumbprint()}));
        let access = text(&tokens, "access_token");
        let user = get_with(app, USER_INFO, &access, &key).await.ok();
        assert_eq!(user["email"], "ann@example.com");
        let notes = format!("/account/{}/db/notes", world.project);
        get_with(app, &format!("{notes}?limit=5"), &access, &key).await.ok();

        let renewing = text(&tokens, "refresh_token");
        assert!(renewing.starts_with("stw_dr_"), "Versions that do not know it must refuse it: {renewing}");
        refresh(app, &client, &renewing, None).await.refused(400, "invalid_dpop_proof");
        refresh(app, &client, &renewing, Some(&other)).await.refused(400, "invalid_grant");
        let renewed = refresh(app, &client, &renewing, Some(&key)).await.ok();
        assert_eq!(renewed["token_type"], "DPoP");
        let again = refresh(app, &client, &renewing, Some(&key)).await.ok();
        assert_eq!(text(&again, "refresh_token"), text(&renewed, "refresh_token"), "A repeated request gets the same.");
        get_with(app, USER_INFO, &text(&renewed, "access_token"), &key).await.ok();

        for token in [text(&renewed, "access_token"), text(&renewed, "refresh_token")] {
            let found = world.key.post("/auth/introspect", json!({"token": token})).await.ok();
            assert_eq!((&found["active"], &found["cnf"]), (&json!(true), &json!({"jkt": key.thumbprint()})));
        }
        let type_of = world.key.post("/auth/introspect", json!({"token": text(&renewed, "access_token")})).await.ok();
        assert_eq!(type_of["token_type"], "DPoP");

        // Without a proof, a public client still gets bearer tokens, and binds them later.
        let code = client.code(&Browser::new(app), "ann", &[]).await;
        let unbound = redeem(app, &client, &code, None).await.ok();
        assert_eq!((&unbound["token_type"], &claims(&unbound, "access_token")["cnf"]), (&json!("Bearer"), &Value::Null));
        let later = refresh(app, &client, &text(&unbound, "refresh_token"), Some(&key)).await.ok();
        refresh(app, &client, &text(&later, "refresh_token"), None).await.refused(400, "invalid_dpop_proof");
    }
}

on_sqlite! {
    async fn a_bound_token_is_of_no_use_without_its_key(app: &App) {
        let (world, key, other) = (World::make(app, "acme").await, SigningKey::new(1), SigningKey::new(2));
        let client = public(app, &world, json!({})).await;
        let (access, second) = (bound(app, &client, &key).await, bound(app, &client, &key).await);
        let (access, second) = (text(&access, "access_token"), text(&second, "access_token"));
        let request = || (Method::GET, USER_INFO);
        let proof = |header: Value, changes: Value| {
            let changes = merged(json!({"ath": sha256(&access)}), changes);
            key.changed_proof(app, request(), header, changes)
        };
        let mut private = key.jwk();
        private["d"] = json!(URL_SAFE_NO_PAD.encode([1; 32]));
        let valid = proof(json!({}), json!({}));
        let unsigned = {
            let none = proof(json!({"alg": "none"}), json!({}));
            format!("{}.", none.rsplit_once('.').unwrap().0)
        };
        let dpop = format!("DPoP {access}");
        let asked = async |proof: &str| get(app, USER_INFO, &[("Authorization", &dpop), ("DPoP", proof)]).await;
        asked(&valid).await.ok();
        for (name, proof) in [
            ("repeated", valid.clone()),
            ("no key", proof(json!({"jwk": null}), json!({}))),
            ("key in the header that did not sign", proof(json!({"jwk": other.jwk()}), json!({}))),
            ("other key", other.proof_with(app, request(), &access)),
            ("other URL", proof(json!({}), json!({"htu": format!("{}/auth/session", app.base)}))),
            ("other host", proof(json!({}), json!({"htu": "https://other.example/auth/userinfo"}))),
            ("other method", proof(json!({}), json!({"htm": "POST"}))),
            ("other token", proof(json!({}), json!({"ath": sha256(&second)}))),
            ("no token", proof(json!({}), json!({"ath": null}))),
            ("old", proof(json!({}), json!({"iat": now() - 70}))),
            ("from the future", proof(json!({}), json!({"iat": now() + 70}))),
            ("end of the calendar", proof(json!({}), json!({"iat": i64::MAX}))),
            ("unsigned", unsigned),
            ("symmetric", proof(json!({"alg": "HS256", "jwk": {"kty": "oct", "k": "AQAB"}}), json!({}))),
            ("private key in the header", proof(json!({"jwk": private}), json!({}))),
            ("other type", proof(json!({"typ": "JWT"}), json!({}))),
            ("no ID", proof(json!({}), json!({"jti": null}))),
            ("no proof", String::new()),
        ] {
            let answer = asked(&proof).await;
            let challenge = answer.header("WWW-Authenticate").to_owned();
            assert!(challenge.starts_with("DPoP error=\"invalid_dpop_proof\", algs=\"ES256 "), "{name}: {challenge}");
            assert_eq!(answer.json()["error"], "invalid_dpop_proof", "{name}: {answer}");
            answer.is(401);
        }
        get(app, USER_INFO, &[("Authorization", &dpop)]).await.refused(401, "invalid_dpop_proof");
        let twice = [("Authorization", dpop.as_str()), ("DPoP", &proof(json!({}), json!({}))), ("DPoP", &proof(json!({}), json!({})))];
        get(app, USER_INFO, &twice).await.refused(401, "invalid_dpop_proof");
        // A query and the scheme in other case do not matter.
        let proof = proof(json!({}), json!({"htu": format!("{}{USER_INFO}?x=y#z", app.base)}));
        get(app, USER_INFO, &[("Authorization", &format!("dpop {access}")), ("DPoP", &proof)]).await.ok();
    }

    async fn a_bound_token_is_refused_as_a_bearer_token(app: &App) {
        let (world, key) = (World::make(app, "acme").await, SigningKey::new(1));
        let client = public(app, &world, json!({})).await;
        let access = text(&bound(app, &client, &key).await, "access_token");
        let notes = format!("/account/{}/db/notes", world.project);
        let public = "/utils/slugify?slug=x";
        // Also after the service has cached it.
        for path in [notes.as_str(), public, public] {
            get_with(app, path, &access, &key).await.ok();
        }
        for path in [USER_INFO, notes.as_str(), public, "/auth/session", "/auth/token"] {
            let answer = app.bearer(&access).get(path).await;
            assert!(answer.header("WWW-Authenticate").starts_with("DPoP error=\"invalid_token\""), "{answer}");
            let body = answer.refused(401, "unauthorized");
            assert_eq!(body.0.get("reauth_required"), None, "Nothing is said about the sign-in: {body:?}");
        }
        let session = get_with(app, "/auth/session", &access, &key).await.ok();
        assert_eq!(session["active"], true);
        let form = format!("access_token={access}").into_bytes();
        let in_body = app.anonymous().send_raw(Method::POST, USER_INFO, Some((steward_tests::FORM, form)), &[]).await;
        in_body.refused(401, "unauthorized");
        let connect = format!("/project/{}/user/connect", world.project);
        app.anonymous().post(&connect, json!({"token": access})).await.refused(401, "unauthorized");

        // What is not bound is not sent with the scheme DPoP.
        let unbound = text(&client.tokens(app, "ann", &[]).await, "access_token");
        for credential in [unbound, world.key.credential.clone().unwrap()] {
            get_with(app, USER_INFO, &credential, &key).await.refused(401, "unauthorized");
        }
    }

    async fn tokens_of_a_confidential_client_can_be_bound_to_changing_keys(app: &App) {
        let (first, second) = (SigningKey::new(1), SigningKey::new(2));
        let (_, shop) = with_shop(app).await;
        let tokens = bound(app, &shop, &first).await;
        let renewing = text(&tokens, "refresh_token");
        assert!(renewing.starts_with("stw_cr_"), "The client authenticates: {renewing}");
        let renewed = refresh(app, &shop, &renewing, Some(&second)).await.ok();
        assert_eq!(claims(&renewed, "access_token")["cnf"], json!({"jkt": second.thumbprint()}));
        get_with(app, USER_INFO, &text(&renewed, "access_token"), &second).await.ok();
        // The response that is stored for repetitions has tokens of the other key.
        for key in [None, Some(&first)] {
            refresh(app, &shop, &renewing, key).await.refused(400, "invalid_grant");
        }
        refresh(app, &shop, &renewing, Some(&second)).await.ok();
    }

    async fn a_lost_response_is_replaced_only_with_the_key(app: &App) {
        let (world, key, other) = (World::make(app, "acme").await, SigningKey::new(1), SigningKey::new(2));
        let client = public(app, &world, json!({})).await;
        let unbound = client.tokens(app, "ann", &[]).await;
        // The first response of an app that begins to send proofs may be lost, too.
        for tokens in [bound(app, &client, &key).await, unbound] {
            let parent = text(&tokens, "refresh_token");
            let lost = refresh(app, &client, &parent, Some(&key)).await.ok();
            app.execute_sql(
                "UPDATE refresh_tokens SET replaced_at = '2020-01-01T00:00:00.000000Z', answer = NULL \
                 WHERE replaced_at IS NOT NULL",
            );
            refresh(app, &client, &parent, None).await.refused(400, "invalid_dpop_proof");
            refresh(app, &client, &parent, Some(&other)).await.refused(400, "invalid_grant");
            let fields = [("grant_type", "refresh_token"), ("refresh_token", parent.as_str())];
            let renewed = ask(app, &fields, Named::Nobody, Some(&key)).await.ok();
            get_with(app, USER_INFO, &text(&renewed, "access_token"), &key).await.ok();
            get_with(app, USER_INFO, &text(&lost, "access_token"), &key).await.refused(401, "unauthorized");
            refresh(app, &client, &text(&lost, "refresh_token"), Some(&key)).await.refused(400, "invalid_grant");
            get_with(app, USER_INFO, &text(&renewed, "access_token"), &key).await.refused(401, "unauthorized");
        }
    }

    async fn a_client_that_requires_proofs_gets_no_bearer_tokens(app: &App) {
        let (world, key) = (World::make(app, "acme").await, SigningKey::new(1));
        let worker = machine(app, &world, "read").await;
        let client = public(app, &world, json!({"require_dpop": true})).await;
        let own = [("grant_type", "client_credentials")];
        assert_eq!(ask(app, &own, worker.basic(), None).await.ok()["token_type"], "Bearer");
        let changed = world.owner.patch(&worker.path, json!({"require_dpop": true})).await.ok();
        assert_eq!(changed["data"]["require_dpop"], true);
        ask(app, &own, worker.basic(), None).await.refused(400, "invalid_dpop_proof");
        let token = ask(app, &own, worker.basic(), Some(&key)).await.ok();
        assert_eq!(token["token_type"], "DPoP");
        get_with(app, &world.item("first"), &text(&token, "access_token"), &key).await.ok();
        app.bearer(&text(&token, "access_token")).get(&world.item("first")).await.refused(401, "unauthorized");

        let code = client.code(&Browser::new(app), "ann", &[]).await;
        redeem(app, &client, &code, None).await.refused(400, "invalid_dpop_proof");
        redeem(app, &client, &code, Some(&key)).await.ok();
    }

    async fn a_refused_proof_uses_up_nothing(app: &App) {
        let (world, key) = (World::make(app, "acme").await, SigningKey::new(1));
        let client = public(app, &world, json!({})).await;
        let first = client.code(&Browser::new(app), "ann", &[]).await;
        let code = client.code(&Browser::new(app), "ann", &[]).await;
        let used = key.proof(app, TOKEN);
        post_with(app, TOKEN, &exchange_of(&first), client.basic(), &[("DPoP", &used)]).await.ok();
        let other = (Method::GET, TOKEN);
        for proof in [
            used.as_str(),
            "x",
            &key.proof(app, "/auth/par"),
            &key.changed_proof(app, other, json!({}), json!({})),
            &key.changed_proof(app, (Method::POST, TOKEN), json!({}), json!({"iat": now() - 70})),
        ] {
            let answer = post_with(app, TOKEN, &exchange_of(&code), client.basic(), &[("DPoP", proof)]).await;
            answer.refused(400, "invalid_dpop_proof");
        }
        redeem(app, &client, &code, Some(&key)).await.ok();
    }

    async fn a_refused_grant_or_token_uses_up_no_proof(app: &App) {
        let (world, key) = (World::make(app, "acme").await, SigningKey::new(1));
        let client = public(app, &world, json!({})).await;
        let (code, proof) = (client.code(&Browser::new(app), "ann", &[]).await, key.proof(app, TOKEN));
        let ask = async |fields: &[(&str, &str)]| {
            post_with(app, TOKEN, fields, client.basic(), &[("DPoP", &proof)]).await
        };
        let valid = exchange_of(&code);
        let other_uri = [&valid[..], &[("redirect_uri", "https://other.example/")]].concat();
        for refused in [
            &[("grant_type", "refresh_token"), ("refresh_token", "x")][..],
            &[("grant_type", "authorization_code"), ("code", "x")],
            &valid[..2],
            &other_uri,
        ] {
            ask(refused).await.refused(400, "invalid_grant");
        }
        // Nobody without a grant makes the service remember a proof.
        let tokens = ask(&valid).await.ok();
        let access = text(&tokens, "access_token");
        for again in [&valid[..], &other_uri] {
            ask(again).await.refused(400, "invalid_dpop_proof");
        }
        get_with(app, USER_INFO, &access, &key).await.ok();

        revoke(app, &access, client.basic()).await.is(200);
        let (proof, dpop) = (key.proof_with(app, (Method::GET, USER_INFO), &access), format!("DPoP {access}"));
        for _ in 0..2 {
            let sent = [("Authorization", dpop.as_str()), ("DPoP", proof.as_str())];
            get(app, USER_INFO, &sent).await.refused(401, "unauthorized");
        }
    }

    async fn a_code_can_be_bound_to_a_key(app: &App) {
        let (world, key, other) = (World::make(app, "acme").await, SigningKey::new(1), SigningKey::new(2));
        let client = public(app, &world, json!({})).await;
        let jkt = key.thumbprint();
        let code = client.code(&Browser::new(app), "ann", &[("dpop_jkt", &jkt)]).await;
        redeem(app, &client, &code, None).await.refused(400, "invalid_dpop_proof");
        redeem(app, &client, &code, Some(&other)).await.refused(400, "invalid_grant");
        redeem(app, &client, &code, Some(&key)).await.ok();
        let page = Browser::new(app).open(&client.authorize(&[("dpop_jkt", "short")])).await;
        assert_eq!(parameter(page.url.as_str(), "error").as_deref(), Some("invalid_request"), "{page}");
    }

    async fn a_pushed_request_binds_its_code_to_the_key_of_its_proof(app: &App) {
        let (world, key, other) = (World::make(app, "acme").await, SigningKey::new(1), SigningKey::new(2));
        let client = public(app, &world, json!({})).await;
        let (jkt, path) = (key.thumbprint(), "/auth/par");
        let query = client.authorize(&[]);
        let url = url::Url::parse(&format!("{}{query}", app.base)).unwrap();
        let mut fields: Vec<(String, String)> = url.query_pairs().into_owned().collect();
        fields.push(("dpop_jkt".into(), jkt));
        let fields: Vec<(&str, &str)> = fields.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        let push = async |fields: &[(&str, &str)], proof: &str| {
            post_with(app, path, fields, Named::Nobody, &[("DPoP", proof)]).await
        };
        push(&fields, &other.proof(app, path)).await.refused(400, "invalid_dpop_proof");
        push(&fields, &key.proof(app, TOKEN)).await.refused(400, "invalid_dpop_proof");
        let proof = key.proof(app, path);
        push(&fields[..fields.len() - 1], &proof).await.created();
        push(&fields, &proof).await.refused(400, "invalid_dpop_proof");
        let pushed = push(&fields[..fields.len() - 1], &key.proof(app, path)).await.created();

        let uri = text(&pushed, "request_uri");
        let referring = format!("/auth/authorize?client_id={}&request_uri={uri}", client.id());
        let browser = Browser::signed_in(app, "ann").await;
        let page = browser.allow(browser.open(&referring).await, "ann").await;
        let code = parameter(page.url.as_str(), "code").unwrap();
        redeem(app, &client, &code, Some(&other)).await.refused(400, "invalid_grant");
        redeem(app, &client, &code, Some(&key)).await.ok();
    }

    async fn a_device_that_synchronizes_sends_a_proof_with_its_token(app: &App) {
        let (world, key, other) = (World::make(app, "acme").await, SigningKey::new(1), SigningKey::new(2));
        let client = public(app, &world, json!({})).await;
        let (first, second) = (bound(app, &client, &key).await, bound(app, &client, &key).await);
        let (first, second) = (text(&first, "access_token"), text(&second, "access_token"));
        let proof = |key: &SigningKey, token: &str| key.proof_with(app, (Method::GET, "/ws"), token);
        let identity = |proof: Option<&str>| {
            let schema = json!({"project_id": world.project});
            json!({"type": "clientIdentity", "clientIdentity": null, "authToken": first, "schema": schema, "dpop": proof})
        };
        let valid = proof(&key, &first);
        let mut phone = Device::begin_with(app, identity(Some(&valid))).await;
        assert_eq!(phone.message().await["type"], "clientIdentity");
        for refused in [None, Some(valid.as_str()), Some(&proof(&other, &first)), Some(&proof(&key, &second)), Some("x")] {
            let mut device = Device::begin_with(app, identity(refused)).await;
            assert_eq!(device.end().await, (Some(json!("UNAUTHORIZED")), 4401), "{refused:?}");
        }
        let mut renew = async |proof: Option<&str>| {
            phone.send(json!({"type": "tokenUpdate", "authToken": second, "dpop": proof})).await;
            phone.message().await["ok"].clone()
        };
        assert_eq!(renew(None).await, false);
        assert_eq!(renew(Some(&proof(&key, &first))).await, false);
        assert_eq!(renew(Some(&proof(&key, &second))).await, true);
    }

    async fn scripts_of_other_origins_can_send_proofs(app: &App) {
        let origin = ("Origin", "https://app.example");
        let preflight = app.anonymous().send(Method::OPTIONS, TOKEN, None, &[origin]).await;
        assert!(preflight.header("Access-Control-Allow-Headers").split(", ").any(|name| name == "DPoP"), "{preflight}");
        let metadata = app.anonymous().get("/.well-known/openid-configuration").await;
        assert!(metadata.header("Access-Control-Expose-Headers").contains("WWW-Authenticate"), "{metadata}");
        let algorithms = metadata.ok()["dpop_signing_alg_values_supported"].clone();
        assert_eq!(algorithms, json!(["ES256", "EdDSA", "RS256", "PS256"]));
        post(app, TOKEN, &[("grant_type", "refresh_token"), ("refresh_token", "x")], Named::Nobody).await.is(400);
    }
}
