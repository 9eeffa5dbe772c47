//! Clients that register themselves (RFC 7591): with an API key as the initial access token, or without one in a
//! project that the operator has opened.

use reqwest::Method;
use serde_json::{Value, json};
use steward_domain::kernel::policy::LimitedAction;
use steward_tests::{Actor, Answer, App, Backend, Browser, Client, World, eventually, on_both_in_full, on_sqlite};

use crate::identity::action_limits::SETTINGS;

use super::{Named, Registered, clients, introspect};

const NATIVE: &str = "http://127.0.0.1/callback";

/// The metadata of a program on a person's machine.
fn native() -> Value {
    json!({
        "client_name": "Notes", "redirect_uris": [NATIVE], "token_endpoint_auth_method": "none",
        "grant_types": ["authorization_code", "refresh_token"], "response_types": ["code"],
        "client_uri": "https://notes.example", "software_id": "notes", "scope": "openid mcp:tools",
    })
}

async fn register(caller: &Actor, metadata: Value) -> Answer {
    caller.post("/auth/register", metadata).await
}

/// An API key of the fixture's project with these roles.
async fn key(app: &App, world: &World, roles: &str) -> Actor {
    let new = json!({"label": "Registration", "roles": roles, "is_private": true});
    let key = world.owner.post(&format!("/project/{}/key", world.project), new).await.ok();
    app.bearer(key["key"]["value"].as_str().unwrap())
}

on_both_in_full! {
    async fn a_key_registers_clients_of_its_project(app: &App) {
        let world = World::make(app, "acme").await;
        let token = key(app, &world, "client:register").await;
        let registered = register(&token, native()).await;
        assert_eq!(registered.header("Cache-Control"), "no-store");
        let registered = registered.created();
        let id = registered["client_id"].as_str().unwrap().to_owned();
        assert!(registered["client_id_issued_at"].is_u64(), "{registered:?}");
        let expected = json!({
            "client_id": id, "client_id_issued_at": registered["client_id_issued_at"], "client_name": "Notes",
            "redirect_uris": [NATIVE], "token_endpoint_auth_method": "none", "response_types": ["code"],
            "grant_types": ["authorization_code", "refresh_token"], "scope": "openid",
            "dpop_bound_access_tokens": false, "require_pushed_authorization_requests": false,
        });
        assert_eq!(registered.0, expected);
        let stored = world.owner.get(&format!("{}/{id}", clients(&world))).await.ok();
        assert_eq!((&stored["data"]["type"], &stored["data"]["registered_itself"]), (&json!("public"), &json!(false)));
        let events = world.owner.get(&format!("/project/{}/audit?action=client.created", world.project)).await.ok();
        assert_eq!(events["data"][0]["actor"]["type"], "key", "{events:?}");

        // Without metadata but a redirect URI, it is confidential.
        let web = register(&token, json!({"redirect_uris": ["https://notes.example/callback"]})).await.created();
        let secret = web["client_secret"].as_str().unwrap().to_owned();
        assert_eq!((&web["client_name"], &web["client_secret_expires_at"]), (&json!("Unnamed client"), &json!(0)));
        app.person("ann").await;
        let mut client = Client::new(app, web["client_id"].as_str().unwrap());
        client.redirect_uri = "https://notes.example/callback".to_owned();
        let client = Registered { client, secret, path: String::new() };
        let tokens = client.tokens(app, "ann", &[]).await;
        assert!(tokens.0.get("refresh_token").is_none(), "It did not ask for the grant type.");
    }
}

on_sqlite! {
    async fn a_public_client_can_have_the_scheme_of_an_app_and_always_asks(app: &App) {
        let world = World::make(app, "acme").await;
        let token = key(app, &world, "client:register").await;
        let with = |uris: &[&str]| {
            let mut metadata = native();
            metadata["redirect_uris"] = json!(uris);
            metadata
        };
        let editor = "cursor://anysphere.cursor-mcp/oauth/callback";
        let uris = [NATIVE, "https://www.cursor.com/agents/mcp/oauth/callback", editor];
        let registered = register(&token, with(&uris)).await.created();
        assert_eq!(registered["redirect_uris"], json!(uris));
        let mut client = Client::new(app, registered["client_id"].as_str().unwrap());
        client.redirect_uri = editor.to_owned();
        app.person("ann").await;
        let browser = Browser::new(app);
        let code = client.code(&browser, "ann", &[]).await;
        client.redeem(&code, &[]).await.ok();
        // Every program on the device can have the scheme, so neither consent nor a setting replaces the question.
        let path = format!("{}/{}", clients(&world), client.id);
        for skip_consent in [false, true] {
            world.owner.patch(&path, json!({"skip_consent": skip_consent})).await.ok();
            let page = browser.open(&client.authorize(&[])).await;
            assert!(page.is_at("/auth/consent") && page.text().contains("redirected to cursor:"), "{page}");
            let silent = browser.open(&client.authorize(&[("prompt", "none")])).await;
            let error = steward_tests::parameter(silent.url.as_str(), "error");
            assert!(silent.left && error.as_deref() == Some("interaction_required"), "{silent}");
        }
        let other = client.authorize(&[("redirect_uri", "cursor://anysphere.cursor-mcp/other")]);
        app.anonymous().get(&other).await.refused(400, "invalid_request");

        for refused in ["ms-word://host/callback", "cursor:callback", "ab://host/callback", "web+cursor://host/cb"] {
            let error = register(&token, with(&[NATIVE, refused])).await.refused(400, "invalid_redirect_uri");
            assert!(error["message"].as_str().unwrap().starts_with("`redirect_uris[1]` must"), "{error:?}");
        }
        let mut confidential = with(&[editor]);
        confidential["token_endpoint_auth_method"] = json!("client_secret_basic");
        register(&token, confidential).await.refused(400, "invalid_redirect_uri");
        let settings = json!({"auth": {"redirect_uris": [editor]}});
        let refused = world.owner.patch(&format!("/project/{}/settings", world.project), settings).await;
        refused.refused(400, "invalid_request");
    }

    async fn only_callers_with_the_permission_register_clients(app: &App) {
        let world = World::make(app, "acme").await;
        register(&app.anonymous(), native()).await.refused(401, "unauthorized");
        register(&world.owner, native()).await.is_forbidden();
        for roles in ["write", "read", "project:write"] {
            register(&key(app, &world, roles).await, native()).await.is_forbidden();
        }
        let token = key(app, &world, "admin").await;
        register(&token, native()).await.created();
        let mut no_list = native();
        no_list["redirect_uris"] = json!("https://notes.example/");
        for (metadata, code) in [
            (json!({}), "invalid_redirect_uri"),
            (no_list, "invalid_client_metadata"),
        ] {
            let refused = register(&token, metadata).await.refused(400, code);
            assert_eq!(refused["error_description"], refused["message"]);
        }
        let foreign = World::make(app, "other").await;
        let of_other = key(app, &foreign, "client:register").await;
        let id = register(&of_other, native()).await.created()["client_id"].as_str().unwrap().to_owned();
        world.owner.get(&format!("{}/{id}", clients(&world))).await.refused(404, "not_found");
    }
}

/// Starts the service again, with registration opened in a project.
async fn open(app: &mut App, world: &World, more: &[(&str, &str)]) {
    for (name, value) in [&[("STEWARD_OPEN_REGISTRATION", world.project.as_str())], more].concat() {
        app.set(name, value);
    }
    app.restart().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn anyone_registers_a_client_in_an_open_project_and_people_are_warned() {
    let mut app = App::start(Backend::Sqlite).await;
    let world = World::make(&app, "acme").await;
    open(&mut app, &world, &[]).await;
    app.person("ann").await;
    let registered = register(&app.anonymous(), native()).await.created();
    let mut client = Client::new(&app, registered["client_id"].as_str().unwrap());
    client.redirect_uri = NATIVE.to_owned();
    let (browser, authorize) = (Browser::signed_in(&app, "ann").await, client.authorize(&[]));
    let consent = browser.open(&authorize).await;
    assert!(consent.text().contains("This app registered itself. Nobody has checked its name."), "{consent}");
    let back = browser.sign_in_and_allow(&authorize, "ann").await;
    assert!(back.starts_with(NATIVE) && back.contains("code="), "{back}");
    let listed = world.owner.get(&clients(&world)).await.ok();
    assert_eq!(listed["data"][0]["registered_itself"], true, "{listed:?}");

    // It may not introspect the tokens of others, nor ask for devices.
    let mut confidential = native();
    confidential["token_endpoint_auth_method"] = json!("client_secret_basic");
    confidential["grant_types"] = json!(["authorization_code", "urn:ietf:params:oauth:grant-type:device_code"]);
    let confidential = register(&app.anonymous(), confidential).await.created();
    assert_eq!(confidential["grant_types"], json!(["authorization_code"]));
    let (id, secret) = (confidential["client_id"].as_str().unwrap(), confidential["client_secret"].as_str().unwrap());
    let code = steward_tests::parameter(&back, "code").unwrap();
    let tokens = client.redeem(&code, &[]).await.ok();
    let found = introspect(&app, tokens["access_token"].as_str().unwrap(), Named::Basic(id, secret)).await.ok();
    assert_eq!(found.0, json!({"active": false}));

    // A change by a member does not make it trusted.
    world.owner.patch(&format!("{}/{}", clients(&world), client.id), json!({"scope": "openid"})).await.ok();
    assert!(browser.open(&client.authorize(&[("prompt", "consent")])).await.text().contains("registered itself"));
    // The service redirects nobody to an address that anyone can register, unless a person has decided.
    let refused = client.authorize(&[("prompt", "none"), ("scope", "openid email")]);
    app.anonymous().get(&refused).await.refused(400, "login_required");

    // An invalid credential is refused nevertheless.
    register(&app.bearer("stw_sk_x"), native()).await.refused(401, "unauthorized");
    register(&app.anonymous(), json!({"redirect_uris": []})).await.refused(400, "invalid_redirect_uri");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn few_clients_register_themselves_from_one_network_and_in_all() {
    let mut app = App::start(Backend::Sqlite).await;
    let world = World::make(&app, "acme").await;
    let mut settings = SETTINGS.to_vec();
    settings.push(("STEWARD_MAX_SELF_REGISTERED_CLIENTS_PER_PROJECT", "30"));
    open(&mut app, &world, &settings).await;
    let from = async |address: &str| {
        let headers = [("X-Forwarded-For", address)];
        app.anonymous().send(Method::POST, "/auth/register", Some(native()), &headers).await
    };
    let burst = LimitedAction::RegisterFrom.limit().burst;
    for _ in 0..burst {
        from("203.0.113.1").await.created();
    }
    from("203.0.113.1").await.refused(429, "too_many_requests");
    for _ in burst..30 {
        from("203.0.113.2").await.created();
    }
    from("203.0.113.3").await.refused(409, "quota_exceeded");
    let new = json!({"name": "Own", "type": "public", "redirect_uris": [NATIVE]});
    world.owner.post(&clients(&world), new).await.created();
    // What the quota refuses counts, too.
    for number in 31..LimitedAction::RegisterIn.limit().burst {
        from(&format!("203.0.113.{}", 4 + number / burst)).await.refused(409, "quota_exceeded");
    }
    eventually(async || (from("203.0.113.99").await.status == 429).then_some(())).await;
}
