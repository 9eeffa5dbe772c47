//! Signs a user in to apps, each with one library and its default settings. All apps have the same routes: `/login` and
//! `/logout` sign the user in and out, `/user` returns the name and email in the app's session, or null, and `/refresh`
//! returns the refresh token after replacing it.

use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt as _;
use std::process::Command;

use serde_json::{Value, json};
use steward_tests::{App, Backend, Browser, Client, Page};
use url::Url;

use crate::ann_and_a_project;
use crate::program::{Program, go, next, node, python, ruby};

/// The configuration and pages of Apache: names and contents.
const APACHE_FILES: &[(&str, &str)] = &[
    ("home", include_str!("apache/home")),
    ("httpd.conf", include_str!("apache/httpd.conf")),
    ("user", include_str!("apache/user")),
];

/// Whether an app sends a code challenge by default. The project of one that does not must not require it.
#[derive(Clone, Copy, PartialEq)]
enum Pkce {
    Sent,
    Omitted,
}

/// An app, and the browser of ann.
pub struct RelyingParty {
    program: Program,
    client: Client,
    browser: Browser,
    service: App,
}

impl RelyingParty {
    /// Starts an app that receives codes at this path.
    async fn start(command: Command, callback: &str, pkce: Pkce) -> Self {
        Self::start_at("127.0.0.1", command, callback, pkce).await
    }

    /// Starts an app at the address of this name.
    async fn start_at(host: &str, command: Command, callback: &str, pkce: Pkce) -> Self {
        let service = App::start(Backend::Sqlite).await;
        let settings = json!({
            "redirect_uris": [format!("http://{host}{callback}")],
            "post_logout_redirect_uris": ["http://127.0.0.1"],
            "require_pkce": pkce == Pkce::Sent,
        });
        let client_id = ann_and_a_project(&service, settings).await;
        Self::of_client(service, host, command, &client_id).await
    }

    /// Starts an app that uses the service as this client, or registers itself if the ID is empty. The service has the
    /// user ann.
    pub async fn with_client(service: App, command: Command, client_id: &str) -> Self {
        Self::of_client(service, "127.0.0.1", command, client_id).await
    }

    async fn of_client(service: App, host: &str, command: Command, client_id: &str) -> Self {
        let mut program = Program::start(command, &service, client_id).await;
        program.origin = program.origin.replace("127.0.0.1", host);
        let browser = Browser::with_app(&service, &program.origin);
        Self { program, client: Client::new(&service, client_id), browser, service }
    }

    /// Opens a page of the app and follows its redirects.
    pub async fn open(&self, path: &str) -> Page {
        let page = self.browser.open(&format!("{}{path}", self.program.origin)).await;
        // Some apps ask for confirmation with a form before they sign the user in or out.
        let form = page.forms().into_iter().next().filter(|_| self.shows(&page));
        match form {
            Some(form) => self.browser.submit(&page, form.action.path(), &[]).await,
            None => page,
        }
    }

    /// Whether a page is one of the app.
    pub fn shows(&self, page: &Page) -> bool {
        page.url.as_str().starts_with(&self.program.origin)
    }

    pub async fn json(&self, path: &str) -> Value {
        let page = self.open(path).await;
        serde_json::from_str(&page.html).unwrap_or_else(|error| panic!("{error} in {page}"))
    }

    /// The address that the app redirects a new browser to, so that a person signs in.
    pub async fn authorization_request(&self) -> Url {
        let login = format!("{}/login", self.program.origin);
        let response = self.service.client.get(login).send().await.unwrap();
        Url::parse(response.headers()["location"].to_str().unwrap()).unwrap()
    }

    /// Signs ann in. The session of the app is then that of this user.
    pub async fn sign_in(&self, user: &Value) {
        let page = self.open("/login").await;
        assert!(page.is_at("/auth/sign-in"), "{page}");
        let page = self.browser.allow(page, "ann").await;
        assert!(self.shows(&page) && page.status.is_success(), "{page}");
        assert_eq!(self.json("/user").await, *user);
    }

    /// Signs ann in and refreshes the tokens twice. Returns the last refresh token.
    pub async fn sign_in_and_refresh(&self) -> String {
        let ann = json!({"name": "ann", "email": "ann@example.com"});
        self.sign_in(&ann).await;
        let (first, second) = (self.refresh().await, self.refresh().await);
        assert_ne!(first, second);
        assert_eq!(self.json("/user").await, ann);
        second
    }

    /// Refreshes the tokens. Returns the new refresh token.
    async fn refresh(&self) -> String {
        let tokens = self.json("/refresh").await;
        tokens["refresh_token"].as_str().unwrap_or_else(|| panic!("{tokens}")).to_owned()
    }

    /// Signs ann out of the app, whose session ends.
    pub async fn end_session(&self) {
        let page = self.open("/logout").await;
        assert!(self.shows(&page) && page.status.is_success(), "{page}");
        assert_eq!(self.json("/user").await, Value::Null);
    }

    /// Signs ann out. The session of the app ends, and the refresh token is revoked.
    async fn sign_out(&self, refresh_token: &str) {
        self.end_session().await;
        self.client.refresh(refresh_token).await.refused(400, "invalid_grant");
    }

    /// Signs ann out of an app that ends the session of the service too (OpenID Connect RP-Initiated Logout 1.0).
    async fn sign_out_of_the_service(&self, refresh_token: &str) {
        self.sign_out(refresh_token).await;
        let page = self.open("/login").await;
        assert!(page.is_at("/auth/sign-in"), "The session of the service did not end: {page}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn next_auth_signs_a_user_in_and_out() {
    let app = RelyingParty::start(node("next_auth.mjs").await, "/api/auth/callback/steward", Pkce::Sent).await;
    let refresh_token = app.sign_in_and_refresh().await;
    app.sign_out(&refresh_token).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn auth_core_signs_a_user_in_and_out() {
    let app = RelyingParty::start(node("auth_core.mjs").await, "/auth/callback/steward", Pkce::Sent).await;
    let refresh_token = app.sign_in_and_refresh().await;
    app.sign_out(&refresh_token).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn express_openid_connect_signs_a_user_in_and_out() {
    let app = RelyingParty::start(node("express_openid_connect.mjs").await, "/callback", Pkce::Sent).await;
    let refresh_token = app.sign_in_and_refresh().await;
    app.sign_out_of_the_service(&refresh_token).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn passport_openidconnect_signs_a_user_in_and_out() {
    let app = RelyingParty::start(node("passport_openidconnect.mjs").await, "/callback", Pkce::Omitted).await;
    let refresh_token = app.sign_in_and_refresh().await;
    app.sign_out(&refresh_token).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn authlib_signs_a_user_in_and_out() {
    let app = RelyingParty::start(python("authlib_flask.py").await, "/callback", Pkce::Omitted).await;
    let refresh_token = app.sign_in_and_refresh().await;
    app.sign_out_of_the_service(&refresh_token).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn requests_oauthlib_signs_a_user_in_and_out() {
    let app = RelyingParty::start(python("requests_oauthlib_flask.py").await, "/callback", Pkce::Omitted).await;
    let refresh_token = app.sign_in_and_refresh().await;
    app.sign_out(&refresh_token).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn mod_auth_openidc_signs_a_user_in_and_out() {
    // Apache changes its user if root starts it.
    let readable = Permissions::from_mode(0o755);
    let directory = tempfile::Builder::new().permissions(readable).tempdir().unwrap();
    for (name, content) in APACHE_FILES {
        std::fs::write(directory.path().join(name), content).unwrap();
    }
    let mut apache = Command::new("/usr/sbin/apache2");
    apache.arg("-DFOREGROUND").arg("-f").arg(directory.path().join("httpd.conf")).env("DIRECTORY", directory.path());
    let app = RelyingParty::start(apache, "/callback", Pkce::Omitted).await;
    let refresh_token = app.sign_in_and_refresh().await;
    app.sign_out_of_the_service(&refresh_token).await;
}

/// A short run leaves these out.
mod full {
    use super::*;

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn next_auth_5_signs_a_user_in_and_out() {
        let callback = "/api/auth/callback/steward";
        let app = RelyingParty::start_at("localhost", next().await, callback, Pkce::Sent).await;
        let refresh_token = app.sign_in_and_refresh().await;
        app.sign_out(&refresh_token).await;
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn better_auth_signs_a_user_in_and_out() {
        let app = RelyingParty::start(node("better_auth.mjs").await, "/api/auth/callback/steward", Pkce::Sent).await;
        let refresh_token = app.sign_in_and_refresh().await;
        app.sign_out(&refresh_token).await;
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn omniauth_openid_connect_signs_a_user_in_and_out() {
        let app = RelyingParty::start(ruby("omniauth.rb"), "/auth/steward/callback", Pkce::Omitted).await;
        let refresh_token = app.sign_in_and_refresh().await;
        app.sign_out(&refresh_token).await;
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn go_oidc_signs_a_user_in_and_out() {
        let app = RelyingParty::start(go().await, "/callback", Pkce::Omitted).await;
        let refresh_token = app.sign_in_and_refresh().await;
        app.sign_out(&refresh_token).await;
    }
}
