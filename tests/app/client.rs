//! An OAuth client with configurable parameters in every step, to test incorrect and malicious clients.

use reqwest::Method;
use serde_json::json;
use url::{Url, form_urlencoded};

use crate::{Actor, Answer, App, Body, Browser, World};

/// A PKCE code verifier and its challenge (RFC 7636 appendix B).
pub const VERIFIER: &str = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
pub const CHALLENGE: &str = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";

/// Media type of a form-encoded body.
pub const FORM: &str = "application/x-www-form-urlencoded";

/// An OAuth client of the running service.
#[derive(Clone)]
pub struct Client {
    caller: Actor,
    pub id: String,
    pub redirect_uri: String,
}

impl Client {
    /// A client with this ID and a loopback redirect URI.
    pub fn new(app: &App, id: &str) -> Self {
        Self { caller: app.anonymous(), id: id.to_owned(), redirect_uri: "http://127.0.0.1:49152/callback".to_owned() }
    }

    /// The client of the fixture's project.
    pub fn of(app: &App, world: &World) -> Self {
        Self::new(app, &world.project)
    }

    /// Path and query of the authorization request. `changes` override the default parameters; a parameter with an
    /// empty value is omitted.
    pub fn authorize(&self, changes: &[(&str, &str)]) -> String {
        let defaults = [
            ("client_id", self.id.as_str()),
            ("redirect_uri", &self.redirect_uri),
            ("response_type", "code"),
            ("scope", "openid profile email app:db:write"),
            ("state", "some-state"),
            ("code_challenge", CHALLENGE),
            ("code_challenge_method", "S256"),
        ];
        format!("/auth/authorize?{}", changed(&defaults, changes))
    }

    /// Signs in, grants consent and returns the authorization code.
    pub async fn code(&self, browser: &Browser, username: &str, changes: &[(&str, &str)]) -> String {
        let back = browser.sign_in_and_allow(&self.authorize(changes), username).await;
        parameter(&back, "code").unwrap_or_else(|| panic!("The redirect has no `code`: {back}"))
    }

    /// Exchanges a code for tokens. `changes` override the default parameters.
    pub async fn redeem(&self, code: &str, changes: &[(&str, &str)]) -> Answer {
        let defaults = [
            ("grant_type", "authorization_code"),
            ("code", code),
            ("redirect_uri", &self.redirect_uri),
            ("client_id", &self.id),
            ("code_verifier", VERIFIER),
        ];
        self.post("/auth/token", &changed(&defaults, changes)).await
    }

    /// Exchanges a refresh token for new tokens.
    pub async fn refresh(&self, token: &str) -> Answer {
        let defaults = [("grant_type", "refresh_token"), ("refresh_token", token), ("client_id", self.id.as_str())];
        self.post("/auth/token", &changed(&defaults, &[])).await
    }

    /// Posts a form-encoded body.
    pub async fn post(&self, path: &str, form: &str) -> Answer {
        self.caller.send_raw(Method::POST, path, Some((FORM, form.as_bytes().to_vec())), &[]).await
    }

    /// Tokens of a person who signs in with a new browser and grants consent.
    pub async fn tokens(&self, app: &App, username: &str, changes: &[(&str, &str)]) -> Body {
        let code = self.code(&Browser::new(app), username, changes).await;
        self.redeem(&code, &[]).await.ok()
    }
}

/// Form-encodes the default parameters after applying the changes. Omits parameters with an empty value.
fn changed(defaults: &[(&str, &str)], changes: &[(&str, &str)]) -> String {
    let mut all: Vec<(&str, &str)> = defaults.to_vec();
    for (name, value) in changes {
        match all.iter_mut().find(|(other, _)| other == name) {
            Some(existing) => existing.1 = value,
            None => all.push((name, value)),
        }
    }
    let present = all.into_iter().filter(|(_, value)| !value.is_empty());
    form_urlencoded::Serializer::new(String::new()).extend_pairs(present).finish()
}

/// Returns a parameter from the query of a URL.
pub fn parameter(address: &str, name: &str) -> Option<String> {
    let url = Url::parse(address).unwrap_or_else(|error| panic!("{error}: {address}"));
    url.query_pairs().find(|(other, _)| other == name).map(|(_, value)| value.into_owned())
}

impl World {
    /// Updates the project's OAuth settings.
    pub async fn settings(&self, redirect_uris: &[&str], require_pkce: bool) {
        let settings = json!({"auth": {"redirect_uris": redirect_uris, "require_pkce": require_pkce}});
        self.owner.patch(&format!("/project/{}/settings", self.project), settings).await.ok();
    }
}
