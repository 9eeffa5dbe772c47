//! Requests that a client pushes before it sends a browser (RFC 9126), and the ways in which it receives the response.

use serde_json::json;
use steward_domain::kernel::policy::LimitedAction;
use steward_tests::{Answer, App, Backend, Browser, CHALLENGE, World, on_both_in_full, on_sqlite, parameter};
use url::form_urlencoded;

use crate::identity::action_limits::SETTINGS;

use super::{Named, Registered, WEB, WITHOUT_PKCE, post, register, text};

/// The parameters of an authorization request of a public client.
const REQUEST: [(&str, &str); 6] = [
    ("response_type", "code"),
    ("redirect_uri", WEB),
    ("scope", "openid"),
    ("state", "pushed-state"),
    ("code_challenge", CHALLENGE),
    ("code_challenge_method", "S256"),
];

async fn push(app: &App, fields: &[(&str, &str)], named: Named<'_>) -> Answer {
    post(app, "/auth/par", &[&REQUEST, fields].concat(), named).await
}

/// Path and query of a request that refers to a pushed one.
fn referring(client_id: &str, request_uri: &str) -> String {
    let query = [("client_id", client_id), ("request_uri", request_uri)];
    let query = form_urlencoded::Serializer::new(String::new()).extend_pairs(query).finish();
    format!("/auth/authorize?{query}")
}

/// Registers a confidential client.
async fn confidential(app: &App, world: &World) -> Registered {
    register(app, world, json!({})).await
}

on_both_in_full! {
    async fn a_pushed_request_is_used_once_by_its_client(app: &App) {
        let world = World::make(app, "acme").await;
        app.person("ann").await;
        let (client, other) = (confidential(app, &world).await, confidential(app, &world).await);
        let pushed = push(app, &[], client.basic()).await;
        assert_eq!(pushed.header("Cache-Control"), "no-store");
        let pushed = pushed.created();
        let uri = text(&pushed, "request_uri");
        assert!(uri.starts_with("urn:ietf:params:oauth:request_uri:") && pushed["expires_in"] == 90, "{pushed:?}");

        let browser = Browser::signed_in(app, "ann").await;
        app.anonymous().get(&referring(other.id(), &uri)).await.refused(400, "invalid_request");
        let page = browser.allow(browser.open(&referring(client.id(), &uri)).await, "ann").await;
        let (code, state) = (parameter(page.url.as_str(), "code"), parameter(page.url.as_str(), "state"));
        assert_eq!(state.as_deref(), Some("pushed-state"), "{page}");
        app.anonymous().get(&referring(client.id(), &uri)).await.refused(400, "invalid_request");
        let uri = ("redirect_uri", WEB);
        let fields = [("grant_type", "authorization_code"), ("code", code.as_deref().unwrap()), uri];
        let verifier = ("code_verifier", steward_tests::VERIFIER);
        post(app, "/auth/token", &[&fields[..], &[verifier]].concat(), client.basic()).await.ok();
    }
}

on_sqlite! {
    async fn only_the_client_itself_pushes_valid_requests(app: &App) {
        let world = World::make(app, "acme").await;
        let client = confidential(app, &world).await;
        push(app, &[], Named::Basic(client.id(), "")).await.refused(401, "invalid_client");
        push(app, &[], Named::InBody(client.id(), "stw_cs_wrong")).await.refused(400, "invalid_client");
        push(app, &[], Named::Nobody).await.refused(400, "invalid_request");
        for (fields, code) in [
            (("redirect_uri", "https://evil.example/"), "invalid_request"),
            (("request_uri", "urn:ietf:params:oauth:request_uri:stw_pr_x"), "invalid_request"),
            (("id_token_hint", "x"), "invalid_request"),
            (("prompt", "none login"), "invalid_request"),
            (("scope", "unknown"), "invalid_scope"),
            (("response_type", "token"), "unsupported_response_type"),
        ] {
            let replaced: Vec<_> = REQUEST.iter().copied().filter(|(name, _)| *name != fields.0).chain([fields]).collect();
            post(app, "/auth/par", &replaced, client.basic()).await.refused(400, code);
        }
        let public = register(app, &world, json!({"type": "public"})).await;
        push(app, &[("client_id", public.id())], Named::Nobody).await.created();
    }

    async fn a_client_can_be_required_to_push_its_requests(app: &App) {
        let world = World::make(app, "acme").await;
        app.person("ann").await;
        let client = register(app, &world, json!({"require_pushed_requests": true})).await;
        let browser = Browser::signed_in(app, "ann").await;
        let page = browser.open(&client.authorize(&[])).await;
        assert!(page.left && page.url.as_str().starts_with(WEB), "{page}");
        assert_eq!(parameter(page.url.as_str(), "error").as_deref(), Some("invalid_request"), "{page}");
        let uri = text(&push(app, &[], client.basic()).await.created(), "request_uri");
        let page = browser.allow(browser.open(&referring(client.id(), &uri)).await, "ann").await;
        assert!(parameter(page.url.as_str(), "code").is_some(), "{page}");
        world.owner.patch(&client.path, json!({"require_pushed_requests": false})).await.ok();
        let page = browser.open(&client.authorize(&[])).await;
        assert_eq!(parameter(page.url.as_str(), "error"), None, "{page}");
    }

    async fn a_pushed_request_expires(app: &App) {
        let world = World::make(app, "acme").await;
        let client = confidential(app, &world).await;
        let uri = text(&push(app, &[], client.basic()).await.created(), "request_uri");
        app.execute_sql("UPDATE authorization_requests SET expires_at = created_at");
        app.anonymous().get(&referring(client.id(), &uri)).await.refused(400, "invalid_request");
        let foreign = app.anonymous().get(&referring(client.id(), "https://client.example/request")).await;
        foreign.refused(400, "invalid_request");
    }

    async fn a_response_can_be_in_the_fragment_or_in_a_form(app: &App) {
        let world = World::make(app, "acme").await;
        app.person("ann").await;
        let client = confidential(app, &world).await;
        let browser = Browser::new(app);
        let page = browser.open(&client.authorize(&[("response_mode", "fragment")])).await;
        let page = browser.allow(page, "ann").await;
        let fragment = page.url.fragment().unwrap_or_default().to_owned();
        assert!(page.url.as_str().starts_with(&format!("{WEB}#")) && page.url.query().is_none(), "{page}");
        for part in ["code=stw_cc_", "state=some-state", "iss=http"] {
            assert!(fragment.contains(part), "{fragment}");
        }

        let page = browser.open(&client.authorize(&[("response_mode", "form_post")])).await;
        let forms = page.forms();
        assert!(!page.left && forms[0].action.as_str() == WEB, "{page}");
        for part in ["name=\"code\" value=\"stw_cc_", "name=\"state\" value=\"some-state\"", "form-post.js"] {
            assert!(page.html.contains(part), "{page}");
        }
        let refused = [("response_mode", "form_post"), ("scope", "unknown"), ("state", "\"><script>")];
        let page = browser.open(&client.authorize(&refused)).await;
        assert!(page.html.contains("name=\"error\" value=\"invalid_scope\""), "{page}");
        assert!(!page.html.contains("\"><script>"), "{page}");
        app.anonymous().get("/auth/form-post.js").await;
        let page = browser.open(&client.authorize(&[("response_mode", "web_message")])).await;
        assert_eq!(parameter(page.url.as_str(), "error").as_deref(), Some("invalid_request"), "{page}");
    }

    async fn refused_requests_are_shown_with_their_cause(app: &App) {
        let world = World::make(app, "acme").await;
        let client = register(app, &world, json!({"type": "public"})).await;
        let evil = "https://evil.example/callback";
        app.anonymous().get(&client.client.authorize(&[("redirect_uri", evil)])).await.refused(400, "invalid_request");
        app.anonymous().get(&client.client.authorize(WITHOUT_PKCE)).await;
        let confidential = confidential(app, &world).await;
        let fields = [("grant_type", "authorization_code"), ("code", "stw_ac_x")];
        post(app, "/auth/token", &fields, Named::InBody(confidential.id(), "stw_cs_x")).await.refused(400, "invalid_grant");

        let browser = Browser::signed_in(app, "acme-owner").await;
        let page = browser.open(&format!("/console/projects/{}/refused-requests", world.project)).await;
        for words in [evil, "is not registered for this client", "`require_pkce` turned off", "The code is invalid"] {
            assert!(page.html.contains(words), "{words}: {page}");
        }
        let events = world.owner.get(&format!("/project/{}/audit?action=project.client_request_refused", world.project)).await.ok();
        assert_eq!(events["data"].as_array().unwrap().len(), 3, "{events:?}");
    }
}

/// Anyone can send requests that are refused.
#[tokio::test(flavor = "multi_thread")]
async fn few_refused_requests_are_recorded() {
    let app = App::start_with(Backend::Sqlite, &SETTINGS).await;
    let world = World::make(&app, "acme").await;
    let client = register(&app, &world, json!({"type": "public"})).await;
    let evil = [("redirect_uri", "https://evil.example/")];
    let limit = usize::from(LimitedAction::RecordRefusedClient.limit().burst);
    for _ in 0..limit + 20 {
        app.anonymous().get(&client.client.authorize(&evil)).await.refused(400, "invalid_request");
    }
    let path = format!("/project/{}/audit?action=project.client_request_refused", world.project);
    let events = world.owner.get(&path).await.ok()["data"].as_array().unwrap().len();
    assert!((limit..limit + 2).contains(&events), "{events}");
}
