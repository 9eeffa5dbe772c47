//! Notes of each person who signs in, live on all devices.

mod tables;

use std::error::Error;
use std::sync::Arc;

use axum::Router;
use axum::extract::{Path, RawQuery, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{Html, IntoResponse, Sse, sse::Event, sse::KeepAlive};
use axum::routing::{get, post, put};
use futures_util::StreamExt as _;
use serde_json::{Value, json};
use steward_client::{Client, Fields, WebSignIn};
use tables::Notes;
use tokio::net::TcpListener;

type App = State<(Arc<WebSignIn>, String)>;

fn failed(error: impl ToString) -> (StatusCode, String) {
    (StatusCode::BAD_GATEWAY, error.to_string())
}

async fn page(State((web, _)): App, headers: HeaderMap) -> Html<&'static str> {
    Html(web.client(&headers).map_or(r#"<a href="/sign-in">Sign in</a>"#, |_| include_str!("page.html")))
}

async fn callback(State((web, _)): App, headers: HeaderMap, RawQuery(query): RawQuery) -> impl IntoResponse {
    web.complete(&headers, &query.unwrap_or_default(), "/").await.map_err(failed)
}

async fn sign_out(State((web, _)): App, headers: HeaderMap) -> impl IntoResponse {
    web.sign_out(&headers, None).await.map_err(failed)
}

/// Adds a note, or replaces one.
async fn write(app: App, headers: HeaderMap, Path(id): Path<String>, note: String) -> impl IntoResponse {
    let State((web, project)) = app;
    let client = web.client(&headers).ok_or_else(|| failed("Sign in first."))?;
    let note: Fields = serde_json::from_str(&note).map_err(failed)?;
    client.own_items(project, Notes::TABLE).put(id, note).done().await.map_err(failed)
}

/// Sends the notes now, and after each change.
async fn live(State((web, project)): App, headers: HeaderMap) -> Result<impl IntoResponse, StatusCode> {
    let live = web.client(&headers).ok_or(StatusCode::UNAUTHORIZED)?.live(project);
    let (changes, notes) = (live.changes(), live.table::<Notes>(Notes::TABLE));
    let event = move |_| notes.items().map(|items| Event::default().data(json!(items).to_string()));
    Ok(Sse::new(changes.ready_chunks(1_000).map(event)).keep_alive(KeepAlive::default()))
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let settings: Value = serde_json::from_str(&std::fs::read_to_string("steward.json")?)?;
    let [server, project] = ["server", "project"].map(|name| settings[name].as_str().unwrap_or_default().to_owned());
    let port = std::env::args().nth(1).unwrap_or_else(|| "3000".to_owned());
    let web = Client::builder(server).build()?.sign_in(&project, format!("http://localhost:{port}/callback")).web();
    let router = Router::new()
        .route("/", get(page))
        .route("/sign-in", get(async |State((web, _)): App| web.start()))
        .route("/callback", get(callback))
        .route("/sign-out", post(sign_out))
        .route("/live", get(live))
        .route("/notes/{id}", put(write))
        .with_state((Arc::new(web), project));
    Ok(axum::serve(TcpListener::bind(format!("127.0.0.1:{port}")).await?, router).await?)
}
