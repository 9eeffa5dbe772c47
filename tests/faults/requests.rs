//! Requests of every kind that need the database: reads, writes, heavy requests, pages and sign-ins.

use std::time::Duration;

use reqwest::{Client, RequestBuilder};
use serde_json::json;
use steward_tests::{App, Browser, PASSWORD, World};

use crate::is_strict;
use crate::load::Load;

/// Number of browsers.
const BROWSERS: usize = 4;
/// The page that the browsers open. It requires a session.
const PAGE: &str = "/console/account/sessions";

/// Number of clients that send requests, excluding browsers. A debug build on a busy machine serves fewer clients
/// without an outage.
pub fn clients() -> usize {
    if is_strict() { 200 } else { 40 }
}

/// Pause of a client between two requests.
fn pause() -> Duration {
    Duration::from_millis(if is_strict() { 500 } else { 1000 })
}

/// URLs and credentials of the requests.
#[derive(Clone)]
struct Targets {
    login: String,
    teams: String,
    log: String,
    items: String,
    owner: String,
    username: String,
}

impl Targets {
    /// Returns the request of a client. Most clients read; of each fifty, one signs in, two send heavy requests, and
    /// six write.
    fn request(&self, http: &Client, client: usize) -> RequestBuilder {
        let request = match client % 50 {
            0 => return http.post(&self.login).json(&json!({"username": self.username, "password": PASSWORD})),
            1..3 => http.get(&self.log),
            3..9 => http.put(format!("{}/c{client}", self.items)).json(&json!({"value": {"title": "Note"}})),
            _ => http.get(&self.teams),
        };
        request.bearer_auth(&self.owner)
    }
}

/// Starts clients of each kind.
pub async fn start_clients(app: &App, world: &World, username: &str) -> Load {
    let targets = Targets {
        login: format!("{}/auth/login", app.base),
        teams: format!("{}/team", app.base),
        log: format!("{}/project/{}/audit?limit=10", app.base, world.project),
        items: format!("{}{}", app.base, world.notes()),
        owner: world.owner.credential.clone().unwrap(),
        username: username.to_owned(),
    };
    let browser = Browser::signed_in(app, username).await;
    let page = browser.open(PAGE).await;
    assert!(page.is_at(PAGE), "{page}");
    let load = Load::start(clients(), pause(), move |http, client, _| targets.request(http, client));
    (0..BROWSERS).fold(load, |load, _| load.with_browser(browser.clone(), PAGE, pause()))
}
