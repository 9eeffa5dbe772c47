//! Callers of the service (anonymous, a person, an API key) and the fixture that most tests start from.

use std::sync::Arc;

use reqwest::Method;
use serde_json::{Value, json};

use crate::{Answer, App, OpenApi, SecretLeaks};

/// Password of every test account.
pub const PASSWORD: &str = "correct horse battery";

/// A caller of the service.
#[derive(Clone)]
pub struct Actor {
    base: String,
    client: reqwest::Client,
    openapi: Arc<OpenApi>,
    canaries: Arc<SecretLeaks>,
    pub credential: Option<String>,
    /// Account ID; empty for API keys and anonymous callers.
    pub id: String,
}

impl Actor {
    pub fn new(app: &App, credential: Option<String>) -> Self {
        let (base, client) = (app.base.clone(), app.client.clone());
        let (openapi, canaries) = (app.openapi.clone(), app.canaries.clone());
        Self { base, client, openapi, canaries, credential, id: String::new() }
    }

    pub async fn get(&self, path: &str) -> Answer {
        self.send(Method::GET, path, None, &[]).await
    }

    pub async fn post(&self, path: &str, body: Value) -> Answer {
        self.send(Method::POST, path, Some(body), &[]).await
    }

    pub async fn put(&self, path: &str, body: Value) -> Answer {
        self.send(Method::PUT, path, Some(body), &[]).await
    }

    pub async fn patch(&self, path: &str, body: Value) -> Answer {
        self.send(Method::PATCH, path, Some(body), &[]).await
    }

    pub async fn delete(&self, path: &str) -> Answer {
        self.send(Method::DELETE, path, None, &[]).await
    }

    /// Sends a GET request and returns the response without reading its body, so that the caller can stream it.
    pub async fn begin(&self, path: &str) -> reqwest::Response {
        let request = self.client.get(format!("{}{path}", self.base));
        request.bearer_auth(self.credential.as_deref().unwrap_or_default()).send().await.unwrap()
    }

    /// Sends a request with an optional JSON body and additional headers.
    pub async fn send(&self, method: Method, path: &str, body: Option<Value>, headers: &[(&str, &str)]) -> Answer {
        let body = body.map(|body| ("application/json", body.to_string().into_bytes()));
        self.send_raw(method, path, body, headers).await
    }

    /// Sends a request with an optional body and additional headers. Panics if the OpenAPI document does not describe
    /// the response.
    pub async fn send_raw(
        &self,
        method: Method,
        path: &str,
        body: Option<(&str, Vec<u8>)>,
        headers: &[(&str, &str)],
    ) -> Answer {
        let mut request = self.client.request(method.clone(), format!("{}{path}", self.base));
        if let Some(credential) = &self.credential {
            request = request.header("Authorization", format!("Bearer {credential}"));
        }
        if let Some((media_type, body)) = body {
            request = request.header("Content-Type", media_type).body(body);
        }
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let response = Answer::read(request.send().await.unwrap(), format!("{method} {path}")).await;
        self.openapi.check(&method, path, &response);
        self.canaries.watch(response.status, &response.headers, &response.body);
        response
    }
}

impl App {
    /// Signs up a person and signs them in.
    pub async fn person(&self, username: &str) -> Actor {
        let email = format!("{username}@example.com");
        let signup = json!({"email": email, "password": PASSWORD, "username": username, "name": username});
        let account = self.anonymous().post("/auth/signup", signup).await.created();
        self.sign_in(username, account["data"]["id"].as_str().unwrap()).await
    }

    /// Creates a person with a verified email and signs them in.
    pub async fn verified_person(&self, username: &str) -> Actor {
        let account = self.provision(username).await;
        self.sign_in(username, account["id"].as_str().unwrap()).await
    }

    async fn sign_in(&self, username: &str, id: &str) -> Actor {
        let login = json!({"username": username, "password": PASSWORD});
        let session = self.anonymous().post("/auth/login", login).await.ok();
        let actor = self.bearer(session["access_token"].as_str().unwrap());
        Actor { id: id.to_owned(), ..actor }
    }
}

/// A team with a project that has a published schema, a connected user with one item, and keys.
pub struct World {
    pub owner: Actor,
    pub team: String,
    pub project: String,
    /// ID of the project's user, and the person that it belongs to.
    pub user: String,
    pub visitor: Actor,
    /// ID of a private key with all roles, and a caller that authenticates with it.
    pub key_id: String,
    pub key: Actor,
}

impl World {
    /// Creates the fixture `name`: owner `name-owner`, visitor `name-visitor`, team and project `name`.
    pub async fn make(app: &App, name: &str) -> Self {
        let owner = app.person(&format!("{name}-owner")).await;
        let visitor = app.person(&format!("{name}-visitor")).await;
        let team = owner.post("/team/", json!({"name": name, "slug": name})).await.created().id();
        let project = json!({"name": name, "team_id": team});
        let project = owner.post("/project/", project).await.created().id();
        let key = json!({"label": "server", "roles": "admin"});
        let key = owner.post(&format!("/project/{project}/key"), key).await.ok();
        let schema = json!({"schema": notes_schema()});
        owner.post(&format!("/project/{project}/schema"), schema).await.ok();
        let token = json!({"token": visitor.credential});
        app.anonymous().post(&format!("/project/{project}/user/connect"), token).await.ok();
        let users = owner.get(&format!("/project/{project}/user/")).await.ok();
        let user = users["data"][0]["id"].as_str().unwrap().to_owned();
        let world = Self {
            team,
            user,
            visitor,
            key_id: key["key"]["id"].as_str().unwrap().to_owned(),
            key: app.bearer(key["key"]["value"].as_str().unwrap()),
            project,
            owner,
        };
        world.owner.put(&world.item("first"), json!({"value": {"title": "First"}})).await.created();
        world
    }

    /// Path of the `notes` table of the project's user.
    pub fn notes(&self) -> String {
        format!("/project/{}/user/{}/db/notes", self.project, self.user)
    }

    /// Path of an item in the `notes` table.
    pub fn item(&self, id: &str) -> String {
        format!("{}/{id}", self.notes())
    }

    /// Adds a new person to the team with these roles.
    pub async fn member(&self, app: &App, username: &str, roles: &str) -> Actor {
        let member = app.person(username).await;
        let invite = json!({"username": username, "roles": roles});
        let invite = self.owner.post(&format!("/team/{}/invite", self.team), invite).await.created().id();
        member.post("/team/accept-invite", json!({"invite_id": invite})).await.ok();
        member
    }
}

/// A schema document with a `notes` table. It names no version, so it can be published at any time.
pub fn notes_schema() -> Value {
    json!({"tables": {"notes": {"fields": {
        "title": {"type": "string", "required": true},
        "done": {"type": "boolean"},
        "rank": {"type": "number"},
        "more": {"type": "json"},
    }}}})
}
