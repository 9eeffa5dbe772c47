//! OAuth clients that a project registers: how they authenticate, what they may request, what their tokens allow, and
//! when those end (RFC 6749 §2.3.1, §4.1 and §4.4, RFC 7009, RFC 7636, RFC 7662).

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use reqwest::Method;
use serde_json::{Value, json};
use steward_tests::{Actor, Answer, App, Body, Browser, Client, FORM, VERIFIER, World};
use url::form_urlencoded;

mod authentication;
mod authorization;
pub(crate) mod devices;
mod introspection;
mod keys;
mod lifetimes;
mod lost_responses;
mod machines;
mod proofs;
mod pushed;
mod registration;
mod self_registration;
mod signing_key;

/// The redirect URI of each client at which people sign in, unless a test changes it.
const WEB: &str = "https://shop.example/callback";

/// Changes that remove the code challenge from an authorization request.
const WITHOUT_PKCE: &[(&str, &str)] = &[("code_challenge", ""), ("code_challenge_method", "")];

/// How a request names its client: not at all, or by its ID with its secret. An empty secret is none.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Named<'a> {
    Nobody,
    Basic(&'a str, &'a str),
    InBody(&'a str, &'a str),
}

/// A client of a project.
pub(crate) struct Registered {
    client: Client,
    /// Empty for a public client.
    secret: String,
    /// Path of the client in the API.
    path: String,
}

impl Registered {
    /// The client that the project itself is, which has no secret.
    async fn project_itself(app: &App, world: &World) -> Self {
        world.settings(&[WEB], true).await;
        let mut client = Client::of(app, world);
        client.redirect_uri = WEB.to_owned();
        Self { client, secret: String::new(), path: String::new() }
    }

    fn id(&self) -> &str {
        &self.client.id
    }

    pub(crate) fn basic(&self) -> Named<'_> {
        Named::Basic(&self.client.id, &self.secret)
    }

    fn in_body(&self) -> Named<'_> {
        Named::InBody(&self.client.id, &self.secret)
    }

    /// Path and query of an authorization request: with PKCE if the client is public, else without.
    fn authorize(&self, changes: &[(&str, &str)]) -> String {
        let of_type: &[(&str, &str)] = if self.secret.is_empty() { &[] } else { WITHOUT_PKCE };
        self.client.authorize(&[of_type, changes].concat())
    }

    /// Signs a person in, grants consent if the service asks for it, and returns the code.
    async fn code(&self, browser: &Browser, username: &str, changes: &[(&str, &str)]) -> String {
        let back = browser.sign_in_and_allow(&self.authorize(changes), username).await;
        steward_tests::parameter(&back, "code").unwrap_or_else(|| panic!("The redirect has no `code`: {back}"))
    }

    /// Presents a code of this client. The request names any client.
    async fn redeem(&self, app: &App, code: &str, named: Named<'_>) -> Answer {
        let verifier = if self.secret.is_empty() { VERIFIER } else { "" };
        let uri = self.client.redirect_uri.as_str();
        let grant = ("grant_type", "authorization_code");
        let fields = [grant, ("code", code), ("redirect_uri", uri), ("code_verifier", verifier)];
        post(app, "/auth/token", &fields, named).await
    }

    /// Tokens of a person who signs in with a new browser and grants consent.
    async fn tokens(&self, app: &App, username: &str, changes: &[(&str, &str)]) -> Body {
        let code = self.code(&Browser::new(app), username, changes).await;
        self.redeem(app, &code, self.basic()).await.ok()
    }
}

/// Posts a form to an endpoint that clients call directly.
async fn post(app: &App, path: &str, fields: &[(&str, &str)], named: Named<'_>) -> Answer {
    post_with(app, path, fields, named, &[]).await
}

/// Posts a form with additional headers.
async fn post_with(
    app: &App,
    path: &str,
    fields: &[(&str, &str)],
    named: Named<'_>,
    headers: &[(&str, &str)],
) -> Answer {
    let mut fields = fields.to_vec();
    let basic = match named {
        Named::Basic(id, secret) => Some(format!("Basic {}", STANDARD.encode(format!("{id}:{secret}")))),
        Named::InBody(id, secret) => {
            fields.extend([("client_id", id), ("client_secret", secret)]);
            None
        }
        Named::Nobody => None,
    };
    let form = form_urlencoded::Serializer::new(String::new()).extend_pairs(fields).finish();
    let mut headers = headers.to_vec();
    headers.extend(basic.iter().map(|basic| ("Authorization", basic.as_str())));
    app.anonymous().send_raw(Method::POST, path, Some((FORM, form.into_bytes())), &headers).await
}

async fn refresh(app: &App, token: &str, named: Named<'_>) -> Answer {
    post(app, "/auth/token", &[("grant_type", "refresh_token"), ("refresh_token", token)], named).await
}

async fn revoke(app: &App, token: &str, named: Named<'_>) -> Answer {
    post(app, "/auth/revoke", &[("token", token)], named).await
}

async fn introspect(app: &App, token: &str, named: Named<'_>) -> Answer {
    post(app, "/auth/introspect", &[("token", token)], named).await
}

/// Requests a token for the client itself. An empty scope is none.
pub(crate) async fn own_token(app: &App, scope: &str, named: Named<'_>) -> Answer {
    post(app, "/auth/token", &[("grant_type", "client_credentials"), ("scope", scope)], named).await
}

/// Path of the clients of the fixture's project.
fn clients(world: &World) -> String {
    format!("/project/{}/client", world.project)
}

/// Registers a client. The settings replace those of a confidential client at which people sign in.
async fn register(app: &App, world: &World, settings: Value) -> Registered {
    let mut new = json!({"name": "Web shop", "type": "confidential", "redirect_uris": [WEB]});
    new.as_object_mut().unwrap().extend(settings.as_object().unwrap().clone());
    let created = world.owner.post(&clients(world), new).await.created();
    let mut client = Client::new(app, &created.id());
    client.redirect_uri = WEB.to_owned();
    let secret = created["data"]["client_secret"].as_str().unwrap_or_default().to_owned();
    Registered { path: format!("{}/{}", clients(world), client.id), secret, client }
}

/// Registers a client that acts on its own behalf with these roles.
pub(crate) async fn machine(app: &App, world: &World, roles: &str) -> Registered {
    let grant_types = ["client_credentials"];
    let settings = json!({"name": "Worker", "grant_types": grant_types, "redirect_uris": [], "roles": roles});
    register(app, world, settings).await
}

/// Creates the fixture, a person `ann`, and a confidential client.
async fn with_shop(app: &App) -> (World, Registered) {
    let world = World::make(app, "acme").await;
    app.person("ann").await;
    let shop = register(app, &world, json!({})).await;
    (world, shop)
}

/// Replaces the secret of a client and returns the new one.
async fn rotate(world: &World, client: &Registered, grace_seconds: u32) -> String {
    let path = format!("{}/rotate-secret", client.path);
    let rotated = world.owner.post(&path, json!({"grace_seconds": grace_seconds})).await.ok();
    rotated["data"]["client_secret"].as_str().unwrap().to_owned()
}

pub(crate) fn text(body: &Body, name: &str) -> String {
    body[name].as_str().unwrap_or_else(|| panic!("No `{name}` in {body:?}")).to_owned()
}

/// A caller with the access token of a response.
fn bearer(app: &App, tokens: &Body) -> Actor {
    app.bearer(&text(tokens, "access_token"))
}

/// The claims of a token of a response, without verifying its signature.
fn claims(tokens: &Body, name: &str) -> Value {
    let token = text(tokens, name);
    serde_json::from_slice(&URL_SAFE_NO_PAD.decode(token.split('.').nth(1).unwrap()).unwrap()).unwrap()
}

/// The DID of a project, which is the audience of its tokens.
fn did(app: &App, project: &str) -> String {
    let host = app.base.trim_start_matches("http://").replace(':', "%3A");
    format!("did:web:{host}:projects:{}", project.replace('-', ""))
}

/// Asserts that the client did not authenticate: with HTTP Basic it learns that it has to (RFC 6749 §5.2).
#[track_caller]
fn is_not_authenticated(answer: Answer, named: Named<'_>) {
    let is_basic = matches!(named, Named::Basic(..));
    assert_eq!(answer.header("WWW-Authenticate").starts_with("Basic"), is_basic, "{answer}");
    assert_eq!(answer.header("Cache-Control"), "no-store", "{answer}");
    answer.refused(if is_basic { 401 } else { 400 }, "invalid_client");
}
