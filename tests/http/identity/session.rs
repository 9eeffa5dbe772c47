//! `GET /auth/session`: the sign-in of an access token, and whether it can be refreshed (docs/contract.md#sessions).

use serde_json::{Value, json};
use steward_tests::{Answer, App, Body, Browser, Client, World, on_both_in_full, on_sqlite};

fn text(body: &Body, name: &str) -> String {
    body[name].as_str().unwrap_or_else(|| panic!("No `{name}` in {body:?}")).to_owned()
}

async fn session(app: &App, token: &str) -> Answer {
    app.bearer(token).get("/auth/session").await
}

/// Asserts that the person must sign in again.
async fn must_sign_in_again(app: &App, token: &str) {
    let response = session(app, token).await;
    assert!(response.header("WWW-Authenticate").contains("invalid_token"), "{response}");
    let body = response.refused(401, "unauthorized");
    assert_eq!((&body["active"], &body["reauth_required"]), (&json!(false), &json!(true)), "{body:?}");
}

/// Asserts that the token is rejected without a statement about the sign-in.
fn is_only_rejected(response: Answer) {
    let body = response.refused(401, "unauthorized");
    assert_eq!((body.0.get("active"), body.0.get("reauth_required")), (None, None), "{body:?}");
}

on_both_in_full! {
    async fn an_active_sign_in_is_described(app: &App) {
        let world = World::make(app, "acme").await;
        let ann = app.person("ann").await;
        let client = Client::of(app, &world);
        let tokens = client.tokens(app, "ann", &[]).await;
        let response = session(app, &text(&tokens, "access_token")).await;
        assert_eq!(response.header("Cache-Control"), "no-store");
        let shown = response.ok();
        let host = app.base.trim_start_matches("http://").replace(':', "%3A");
        assert_eq!((&shown["active"], &shown["client_id"]), (&json!(true), &json!(client.id)));
        assert_eq!((&shown["scope"], &shown["connection_status"]), (&tokens["scope"], &json!("connected")));
        assert_eq!(shown["account_did"], json!(format!("did:web:{host}:u:{}", ann.id.replace('-', ""))));
        assert!(shown["last_seen_at"].as_str().unwrap().ends_with('Z'));

        let refreshed = client.refresh(&text(&tokens, "refresh_token")).await.ok();
        let again = session(app, &text(&refreshed, "access_token")).await.ok();
        assert_eq!(again["session_id"], shown["session_id"], "A refresh continues the sign-in.");
        let other = client.tokens(app, "ann", &[]).await;
        let other = session(app, &text(&other, "access_token")).await.ok();
        assert_ne!(other["session_id"], shown["session_id"]);
        let head = app.bearer(&text(&tokens, "access_token")).send(reqwest::Method::HEAD, "/auth/session", None, &[]).await;
        assert_eq!((head.status.as_u16(), head.body.len()), (200, 0));
    }
}

on_sqlite! {
    async fn a_first_party_token_has_a_session_too(app: &App) {
        let ann = app.person("ann").await;
        let shown = ann.get("/auth/session").await.ok();
        assert_eq!((&shown["client_id"], &shown["last_seen_at"]), (&json!("steward-cli"), &Value::Null));
        let issued = app.run(&["token", "issue", "--email", "ann@example.com"], "").await.stdout;
        let issued = String::from_utf8(issued).unwrap();
        let shown = session(app, issued.trim()).await.ok();
        assert_eq!((&shown["active"], &shown["connection_status"]), (&json!(true), &json!("connected")));
    }

    async fn an_ended_sign_in_requires_signing_in_again(app: &App) {
        let world = World::make(app, "acme").await;
        app.person("ann").await;
        let client = Client::of(app, &world);
        let users = format!("/project/{}/user", world.project);

        let revoked = text(&client.tokens(app, "ann", &[]).await, "access_token");
        client.post("/auth/revoke", &format!("token={revoked}")).await.is(200);
        must_sign_in_again(app, &revoked).await;

        let browser = Browser::new(app);
        let code = client.code(&browser, "ann", &[]).await;
        let signed_out = text(&client.redeem(&code, &[]).await.ok(), "access_token");
        let page = browser.open("/auth/sign-out").await;
        browser.submit(&page, "/auth/sign-out", &[]).await;
        must_sign_in_again(app, &signed_out).await;

        let disconnected = text(&client.tokens(app, "ann", &[]).await, "access_token");
        app.bearer(&disconnected).delete(&format!("/account/apps/{}", world.project)).await.ok();
        must_sign_in_again(app, &disconnected).await;

        let blocked = text(&client.tokens(app, "ann", &[]).await, "access_token");
        let listed = world.owner.get(&users).await.ok();
        let ann = listed["data"].as_array().unwrap().iter().find(|user| user["id"] != world.user).unwrap();
        let path = format!("{users}/{}", ann["id"].as_str().unwrap());
        world.owner.patch(&path, json!({"status": "blocked"})).await.ok();
        must_sign_in_again(app, &blocked).await;
        world.owner.patch(&path, json!({"status": "connected"})).await.ok();
        session(app, &blocked).await.ok();

        world.owner.delete(&format!("/project/{}", world.project)).await.ok();
        must_sign_in_again(app, &blocked).await;
    }

    async fn an_invalid_credential_says_nothing_about_a_sign_in(app: &App) {
        let world = World::make(app, "acme").await;
        app.person("ann").await;
        let tokens = Client::of(app, &world).tokens(app, "ann", &[]).await;
        is_only_rejected(app.anonymous().get("/auth/session").await);
        let (access, refresh) = (text(&tokens, "access_token"), text(&tokens, "refresh_token"));
        let (signed, _) = access.rsplit_once('.').unwrap();
        let other = world.owner.credential.clone().unwrap();
        let forged = format!("{signed}.{}", other.rsplit_once('.').unwrap().1);
        for invalid in [forged.as_str(), refresh.as_str(), "x", "stw_sk_x"] {
            is_only_rejected(session(app, invalid).await);
        }
        is_only_rejected(session(app, &text(&tokens, "id_token")).await);
        world.key.get("/auth/session").await.is_forbidden();
    }
}
