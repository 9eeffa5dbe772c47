//! Changes that widen authority require a recent sign-in: of tokens that belong to a session, not of credentials that
//! are created for programs.

use reqwest::Method;
use serde_json::json;
use steward_tests::{Actor, Answer, App, Body, Browser, Client, PASSWORD, World, on_both_in_full, on_sqlite};

/// The code of a request that requires a more recent sign-in (RFC 9470).
const CONFIRM: &str = "insufficient_user_authentication";

/// Asserts that a request requires a more recent sign-in, as RFC 9470 §3 describes, and that it says what to do.
#[track_caller]
fn requires_sign_in(answer: Answer) {
    let challenge = answer.header("WWW-Authenticate").to_owned();
    assert!(challenge.starts_with(&format!("Bearer error=\"{CONFIRM}\", error_description=\"")), "{challenge}");
    assert!(challenge.ends_with(", max_age=900"), "{challenge}");
    let error = answer.refused(401, CONFIRM);
    let message = error["message"].as_str().unwrap();
    assert!(message.contains("max_age=900") && message.contains("personal access token"), "{message}");
}

/// A timestamp 90 days in the future.
#[expect(clippy::disallowed_methods, reason = "the service uses the system clock")]
fn soon() -> String {
    (chrono::DateTime::<chrono::Utc>::from(std::time::SystemTime::now()) + chrono::TimeDelta::days(90)).to_rfc3339()
}

/// Signs a person in without a browser.
async fn log_in(app: &App, username: &str) -> Body {
    let login = json!({"username": username, "password": PASSWORD});
    app.anonymous().post("/auth/login", login).await.ok()
}

fn with_token(app: &App, tokens: &Body) -> Actor {
    app.bearer(tokens["access_token"].as_str().unwrap())
}

on_both_in_full! {
    async fn a_change_that_widens_authority_requires_a_recent_sign_in(app: &App) {
        let world = World::make(app, "acme").await;
        let (project, owner) = (format!("/project/{}", world.project), &world.owner);
        let settings = format!("{project}/settings");
        let uris = |uris: &[&str]| json!({"auth": {"redirect_uris": uris}});
        let key = json!({"label": "CI", "roles": "read"});
        owner.patch(&settings, uris(&["https://one.example/", "https://two.example/"])).await.ok();
        app.age_sign_ins(&owner.id);

        requires_sign_in(owner.post(&format!("{project}/key"), key.clone()).await);
        requires_sign_in(owner.patch(&settings, uris(&["https://one.example/", "https://evil.example/"])).await);
        requires_sign_in(owner.patch(&settings, json!({"auth": {"require_pkce": false}})).await);
        requires_sign_in(owner.delete(&project).await);
        // What restricts needs no confirmation, nor does what widens nothing.
        owner.patch(&settings, uris(&["https://one.example/"])).await.ok();
        owner.patch(&format!("{project}/key/{}", world.key_id), json!({"label": "Server", "roles": "read"})).await.ok();
        owner.patch(&project, json!({"name": "Renamed"})).await.ok();
        owner.post(&format!("/team/{}/invite", world.team), json!({"email": "v@example.com", "roles": "viewer"})).await
            .created();
        requires_sign_in(owner.patch(&format!("{project}/key/{}", world.key_id), json!({"roles": "admin"})).await);
        // Who may not do it is not asked to sign in.
        let viewer = world.member(app, "viewer", "viewer").await;
        app.age_sign_ins(&viewer.id);
        viewer.post(&format!("{project}/key"), key.clone()).await.is_forbidden();
        // Removing a member needs none, but deleting what the member set up does.
        let member = format!("/team/{}/member/{}", world.team, viewer.id);
        for kind in ["keys", "clients", "identity_providers"] {
            requires_sign_in(owner.delete(&format!("{member}?end={kind}")).await);
        }
        owner.delete(&member).await.ok();

        let tokens = log_in(app, "acme-owner").await;
        with_token(app, &tokens).post(&format!("{project}/key"), key).await.ok();
    }
}

on_sqlite! {
    async fn credentials_for_programs_are_never_asked(app: &App) {
        let world = World::make(app, "acme").await;
        let keys = format!("/project/{}/key", world.project);
        let token = json!({"label": "CI", "roles": "owner", "expires_at": soon()});
        let token = world.owner.post("/auth/pat", token).await.created();
        let issued = app.run(&["token", "issue", "--email", "acme-owner@example.com"], "").await;
        let issued = String::from_utf8(issued.stdout).unwrap();
        app.age_sign_ins(&world.owner.id);
        for credential in [token["data"]["value"].as_str().unwrap(), issued.trim()] {
            let caller = app.bearer(credential);
            caller.post(&keys, json!({"label": "x", "roles": "read"})).await.ok();
        }
        let settings = json!({"auth": {"redirect_uris": ["https://app.example/"]}});
        world.key.patch(&format!("/project/{}/settings", world.project), settings).await.ok();
        world.key.post(&format!("{keys}/{}/regenerate", world.key_id), json!({})).await.ok();
    }

    async fn a_refreshed_token_is_as_old_as_its_sign_in(app: &App) {
        let ann = app.person("ann").await;
        let tokens = log_in(app, "ann").await;
        app.age_sign_ins(&ann.id);
        let refresh = json!({"grant_type": "refresh_token", "refresh_token": tokens["refresh_token"]});
        let refreshed = app.anonymous().post("/auth/token", refresh).await.ok();
        let token = json!({"label": "CI", "roles": "viewer", "expires_at": soon()});
        requires_sign_in(with_token(app, &refreshed).post("/auth/pat", token).await);
    }

    async fn a_client_gets_a_recent_sign_in_with_max_age_or_prompt(app: &App) {
        let ann = app.person("ann").await;
        let (client, browser) = (Client::new(app, "steward-cli"), Browser::new(app));
        let scope = ("scope", "openid profile email admin");
        let token = json!({"label": "CI", "roles": "viewer", "expires_at": soon()});
        client.code(&browser, "ann", &[scope]).await;
        for parameter in [("max_age", "900"), ("prompt", "login")] {
            app.age_sessions();
            app.age_sign_ins(&ann.id);
            // Without either, the code is issued for the sign-in of the browser, which is too old.
            let code = client.code(&browser, "ann", &[scope]).await;
            let tokens = client.redeem(&code, &[]).await.ok();
            requires_sign_in(with_token(app, &tokens).post("/auth/pat", token.clone()).await);

            let page = browser.open(&client.authorize(&[scope, parameter])).await;
            assert!(page.is_at("/auth/sign-in"), "{page}");
            let code = client.code(&browser, "ann", &[scope, parameter]).await;
            let tokens = client.redeem(&code, &[]).await.ok();
            with_token(app, &tokens).post("/auth/pat", token.clone()).await.created();
        }
    }

    async fn a_repeated_request_is_asked_too_and_works_after_the_sign_in(app: &App) {
        let world = World::make(app, "acme").await;
        let keys = format!("/project/{}/key", world.project);
        let send = async |caller: &Actor, key: &str| {
            let body = Some(json!({"label": "CI", "roles": "read"}));
            caller.send(Method::POST, &keys, body, &[("Idempotency-Key", key)]).await
        };
        let first = send(&world.owner, "first").await.ok();
        app.age_sign_ins(&world.owner.id);
        // The response contains the value of the key.
        requires_sign_in(send(&world.owner, "first").await);
        requires_sign_in(send(&world.owner, "second").await);

        let again = with_token(app, &log_in(app, "acme-owner").await);
        let replayed = send(&again, "first").await;
        assert_eq!(replayed.header("Idempotency-Replayed"), "true");
        assert_eq!(replayed.ok()["key"]["value"], first["key"]["value"]);
        let second = send(&again, "second").await;
        assert_eq!(second.header("Idempotency-Replayed"), "");
        second.ok();
    }
}
