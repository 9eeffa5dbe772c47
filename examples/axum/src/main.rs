//! Notes of each person who signs in, live on all devices.

mod tables;

use std::error::Error;
use std::sync::Arc;

use axum::Router;
use axum::extract::{Path, RawQuery, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{Html, IntoResponse, Sse, sse::Event, sse::KeepAlive};
use axum::routing::{get, patch, post};
use futures_util::StreamExt as _;
use serde_json::Value;
use steward_client::{Client, Fields, WebSignIn};
use tables::Notes;

type App = State<(Arc<WebSignIn>, String)>;

fn failed(error: impl ToString) -> (StatusCode, String) {
    (StatusCode::BAD_GATEWAY, error.to_string())
}

async fn page(State((web, _)): App, headers: HeaderMap) -> Html<&'static str> {
    let is_signed_in = web.client(&headers).is_some();
    Html(if is_signed_in { include_str!("page.html") } else { r#"<a href="/sign-in">Sign in</a>"# })
}

async fn callback(State((web, _)): App, headers: HeaderMap, RawQuery(query): RawQuery) -> impl IntoResponse {
    web.complete(&headers, &query.unwrap_or_default(), "/").await.map_err(failed)
}

async fn sign_out(State((web, _)): App, headers: HeaderMap) -> impl IntoResponse {
    web.sign_out(&headers, None).await.map_err(failed)
}

/// Adds a note, or changes one.
async fn write(app: App, headers: HeaderMap, id: Option<Path<String>>, note: String) -> impl IntoResponse {
    let State((web, project)) = app;
    let Some(client) = web.client(&headers) else { return Err(failed("Sign in first.")) };
    let note: Fields = serde_json::from_str(&note).map_err(failed)?;
    let notes = client.own_items(project, Notes::TABLE);
    let written = if let Some(Path(id)) = id { notes.patch(id, note) } else { notes.create(note) };
    written.done().await.map_err(failed)
}

/// Sends the notes now, and after each change.
async fn live(State((web, project)): App, headers: HeaderMap) -> Result<impl IntoResponse, StatusCode> {
    let live = web.client(&headers).ok_or(StatusCode::UNAUTHORIZED)?.live(project);
    let (changes, notes) = (live.changes(), live.table::<Notes>(Notes::TABLE));
    let event = move || -> Result<Event, Box<dyn Error + Send + Sync>> {
        Ok(Event::default().data(serde_json::to_string(&notes.items()?)?))
    };
    Ok(Sse::new(changes.ready_chunks(1_000).map(move |_| event())).keep_alive(KeepAlive::default()))
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
        .route("/notes", post(write))
        .route("/notes/{id}", patch(write))
        .with_state((Arc::new(web), project));
    let listener = tokio::net::TcpListener::bind(format!("127.0.0.1:{port}")).await?;
    Ok(axum::serve(listener, router).await?)
}
