//! Signs in to the service at providers that others wrote, and at another instance of the service.

use std::time::Duration;

use serde_json::{Value, json};
use steward_tests::{App, Backend, Browser, Client, World};

use crate::upstream::Upstream;

const SIGN_IN: &str = "/auth/sign-in";
const HOME: &str = "/console/start";
const PROVIDERS: &str = "/console/operator/providers";
/// After this time, the service fetches the keys of a provider again for a token with an unknown key.
const MIN_REFRESH_AGE: Duration = Duration::from_secs(6);

/// Defines each test for both providers, as a confidential and as a public client.
macro_rules! at_each_provider {
    ($(async fn $name:ident($app:ident: &App, $upstream:ident: &Upstream, $secret:ident: &str) $body:block)+) => {$(
        mod $name {
            use super::*;

            async fn test_case($app: &App, $upstream: &Upstream, $secret: &str) {
                register($app, $upstream, $secret).await;
                $body
            }

            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn oidc_provider_of_npm() {
                for secret in ["s3cret", ""] {
                    let upstream = Upstream::oidc_provider("steward", secret, "http://localhost/").await;
                    test_case(&start(Backend::Postgres).await, &upstream, secret).await;
                }
            }

            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn authlib() {
                for secret in ["s3cret", ""] {
                    let upstream = Upstream::authlib("steward", secret, "http://localhost/").await;
                    test_case(&start(Backend::Sqlite).await, &upstream, secret).await;
                }
            }
        }
    )+};
}

async fn start(backend: Backend) -> App {
    App::start_with(backend, &[("STEWARD_WEBHOOK_ALLOW_PRIVATE", "true")]).await
}

/// Adds the provider to the service, and the service to the provider.
async fn register(app: &App, upstream: &Upstream, secret: &str) {
    let page = operator(app).await.add_identity_provider(PROVIDERS, upstream.url(), &[("client_secret", secret)]).await;
    let id = page.url.path().rsplit('/').next().unwrap().to_owned();
    upstream.redirect_uri(&format!("{}/auth/provider/{id}", app.base)).await;
}

async fn operator(app: &App) -> Browser {
    app.provision("root").await;
    app.make_operator("root").await;
    Browser::signed_in(app, "root").await
}

fn person(subject: &str, username: &str, email_verified: bool) -> Value {
    let email = format!("{username}@example.com");
    json!({"sub": subject, "email": email, "email_verified": email_verified, "name": username})
}

/// A browser that also follows the redirects of the provider.
fn browser(app: &App, upstream: &Upstream) -> Browser {
    Browser::with_app(app, upstream.url())
}

at_each_provider! {
    async fn a_person_signs_up_and_signs_in(app: &App, upstream: &Upstream, secret: &str) {
        upstream.person(person("ann-1", "ann", true)).await;
        for algorithm in ["RS256", "ES256", "EdDSA"] {
            let browser = browser(app, upstream);
            let page = browser.go_to_provider(&browser.open(SIGN_IN).await).await;
            assert!(page.is_at(HOME), "{algorithm}: {page}");
            let account = browser.open("/console/account").await;
            assert!(account.text().contains("ann@example.com"), "{account}");
            assert!(!account.text().contains("Not confirmed"), "{account}");
            // The next tokens have a key that the service has not seen.
            upstream.signing(if algorithm == "RS256" { "ES256" } else { "EdDSA" }).await;
            tokio::time::sleep(MIN_REFRESH_AGE).await;
        }
        let requests = upstream.requests().await;
        let of = |endpoint: &str| requests.iter().filter(|request| request["endpoint"] == endpoint).collect::<Vec<_>>();
        assert_eq!((of("authorize").len(), of("token").len()), (3, 3), "{requests:?}");
        for request in of("authorize") {
            let parameters = &request["params"];
            assert_eq!(parameters["code_challenge_method"], "S256", "{request}");
            let has = |name: &str| parameters[name].as_str().is_some_and(|value| !value.is_empty());
            assert!(has("code_challenge") && has("nonce") && has("state"), "{request}");
        }
        for request in of("token") {
            let expected = if secret.is_empty() { "none" } else { "basic" };
            assert_eq!((&request["client_auth"], &request["has_verifier"]), (&json!(expected), &json!(true)), "{request}");
        }
    }

    async fn a_provider_that_did_not_verify_the_address_takes_no_account_over(app: &App, upstream: &Upstream, _secret: &str) {
        app.provision("ann").await;
        for (claims, is_linked) in [(person("x-1", "ann", false), false), (json!({"sub": "x-2", "email": "ann@example.com"}), false), (person("ann-1", "ann", true), true)] {
            upstream.person(claims.clone()).await;
            let browser = browser(app, upstream);
            let page = browser.go_to_provider(&browser.open(SIGN_IN).await).await;
            assert_eq!(page.is_at(HOME), is_linked, "{claims}: {page}");
            assert!(is_linked || page.text().contains("Sign in to it another way once"), "{page}");
        }
        upstream.person(json!({"denied": true})).await;
        let browser = browser(app, upstream);
        let page = browser.go_to_provider(&browser.open(SIGN_IN).await).await;
        assert!(page.status == 400 && page.text().contains("The sign-in at the provider was canceled"), "{page}");
    }

    async fn a_client_of_a_project_gets_a_recent_sign_in(app: &App, upstream: &Upstream, _secret: &str) {
        let world = World::make(app, "acme").await;
        let client = Client::of(app, &world);
        upstream.person(person("ann-1", "ann", true)).await;
        for parameters in [vec![], vec![("prompt", "login")], vec![("max_age", "60")]] {
            let browser = browser(app, upstream);
            let page = browser.go_to_provider(&browser.open(&client.authorize(&parameters)).await).await;
            let back = browser.allow(page, "").await;
            assert!(back.left && back.url.as_str().contains("code="), "{parameters:?}: {back}");
        }
    }
}

/// A project of one service is the client with which another service signs people in.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_service_is_a_provider_of_another() {
    let (upstream, app) = (App::start(Backend::Postgres).await, start(Backend::Sqlite).await);
    let world = World::make(&upstream, "company").await;
    upstream.provision("ann").await;
    upstream.person("eve").await;
    let page =
        operator(&app).await.add_identity_provider(PROVIDERS, &upstream.base, &[("client_id", &world.project)]).await;
    let id = page.url.path().rsplit('/').next().unwrap().to_owned();
    let callback = format!("{}/auth/provider/{id}", app.base);
    let settings = json!({"auth": {"redirect_uris": [callback]}});
    world.owner.patch(&format!("/project/{}/settings", world.project), settings).await.ok();
    // Ann has confirmed her address there, and Eve has not.
    app.provision("eve").await;
    for (username, is_linked) in [("ann", true), ("ann", true), ("eve", false)] {
        let (browser, there) = (Browser::new(&app), Browser::new(&upstream));
        let page = browser.go_to_provider(&browser.open(SIGN_IN).await).await;
        assert!(page.left && page.url.as_str().starts_with(&upstream.base), "{page}");
        let back = there.sign_in_and_allow(page.url.as_str(), username).await;
        let page = browser.open(&back).await;
        assert_eq!(page.is_at(HOME), is_linked, "{username}: {page}");
        assert!(is_linked || page.text().contains("Sign in to it another way once"), "{page}");
    }
}
