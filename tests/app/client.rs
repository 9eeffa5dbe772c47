//! An OAuth client as an attacker or a careless programmer would write one: every step can be varied.

use reqwest::Method;
use serde_json::json;
use url::{Url, form_urlencoded};

use crate::{Actor, Answer, App, Body, Browser, World};

/// A verifier and its challenge (RFC 7636 appendix B).
pub const VERIFIER: &str = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
pub const CHALLENGE: &str = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";

/// The form of a body.
pub const FORM: &str = "application/x-www-form-urlencoded";

/// A client of the running service.
#[derive(Clone)]
pub struct Client {
    caller: Actor,
    pub id: String,
    pub redirect_uri: String,
}

impl Client {
    /// A client of this id, called back at a loopback address.
    pub fn new(app: &App, id: &str) -> Self {
        Self { caller: app.anon(), id: id.to_owned(), redirect_uri: "http://127.0.0.1:49152/callback".to_owned() }
    }

    /// The client of the world's project.
    pub fn of(app: &App, world: &World) -> Self {
        Self::new(app, &world.project)
    }

    /// The path at which to begin, with these parameters instead of the usual ones. An empty one is left out.
    pub fn authorize(&self, changes: &[(&str, &str)]) -> String {
        let usual = [
            ("client_id", self.id.as_str()),
            ("redirect_uri", &self.redirect_uri),
            ("response_type", "code"),
            ("scope", "openid profile email app:db:write"),
            ("state", "some-state"),
            ("code_challenge", CHALLENGE),
            ("code_challenge_method", "S256"),
        ];
        format!("/auth/authorize?{}", changed(&usual, changes))
    }

    /// The code that a person's consent gives.
    pub async fn code(&self, browser: &Browser, username: &str, changes: &[(&str, &str)]) -> String {
        let back = browser.sign_in_and_allow(&self.authorize(changes), username).await;
        parameter(&back, "code").unwrap_or_else(|| panic!("no code in {back}"))
    }

    /// Redeems a code, with these parameters instead of the usual ones.
    pub async fn redeem(&self, code: &str, changes: &[(&str, &str)]) -> Answer {
        let usual = [
            ("grant_type", "authorization_code"),
            ("code", code),
            ("redirect_uri", &self.redirect_uri),
            ("client_id", &self.id),
            ("code_verifier", VERIFIER),
        ];
        self.post("/auth/token", &changed(&usual, changes)).await
    }

    /// Presents a refresh token.
    pub async fn refresh(&self, token: &str) -> Answer {
        let usual = [("grant_type", "refresh_token"), ("refresh_token", token), ("client_id", self.id.as_str())];
        self.post("/auth/token", &changed(&usual, &[])).await
    }

    /// Sends a form.
    pub async fn post(&self, path: &str, form: &str) -> Answer {
        self.caller.send_raw(Method::POST, path, Some((FORM, form.as_bytes().to_vec())), &[]).await
    }

    /// Tokens of a person who signs in and allows.
    pub async fn tokens(&self, app: &App, username: &str, changes: &[(&str, &str)]) -> Body {
        let code = self.code(&Browser::new(app), username, changes).await;
        self.redeem(&code, &[]).await.ok()
    }
}

/// Form-encoded parameters, some of them changed, added, or left out where they are empty.
fn changed(usual: &[(&str, &str)], changes: &[(&str, &str)]) -> String {
    let mut all: Vec<(&str, &str)> = usual.to_vec();
    for (name, value) in changes {
        match all.iter_mut().find(|(other, _)| other == name) {
            Some(known) => known.1 = value,
            None => all.push((name, value)),
        }
    }
    let kept = all.into_iter().filter(|(_, value)| !value.is_empty());
    form_urlencoded::Serializer::new(String::new()).extend_pairs(kept).finish()
}

/// A parameter of an address's query.
pub fn parameter(address: &str, name: &str) -> Option<String> {
    let url = Url::parse(address).unwrap_or_else(|error| panic!("{error}: {address}"));
    url.query_pairs().find(|(other, _)| other == name).map(|(_, value)| value.into_owned())
}

impl World {
    /// Sets how people sign in to the world's project.
    pub async fn settings(&self, redirect_uris: &[&str], require_pkce: bool) {
        let settings = json!({"auth": {"redirect_uris": redirect_uris, "require_pkce": require_pkce}});
        self.owner.patch(&format!("/project/{}/settings", self.project), settings).await.ok();
    }
}
