//! The conditions of an account: a confirmed address, and a second factor. Every operation and page states in its row
//! which of them it requires. An account that lacks one is refused there, and nowhere else.

use reqwest::Response;
use reqwest::header::{ACCEPT, COOKIE, LOCATION};
use serde_json::json;
use steward_domain::kernel::policy::{Callers, Conditions};
use steward_tests::{Actor, App, Authenticator, Backend, Browser, Client, PASSWORD, World, parameter};

use crate::laws::operations::{self, rule};

/// The ID of nothing.
const NOTHING: &str = "01940000-0000-7000-8000-0000000000ff";

/// A person who signed in with one factor, before two were required.
struct Person {
    name: &'static str,
    actor: Actor,
    browser: Browser,
    lacks_address: bool,
    /// An invite into administration.
    invite: String,
}

impl Person {
    /// Whether a row with these conditions refuses the person. Before the address is confirmed, nothing else is asked.
    fn is_refused(&self, conditions: Conditions) -> bool {
        if self.lacks_address { conditions.include_address() } else { conditions.include_factor() }
    }

    async fn open(&self, app: &App, path: &str) -> Response {
        let request = app.client.get(format!("{}{path}", app.base)).header(ACCEPT, "text/html");
        request.header(COOKIE, self.browser.cookie_header()).send().await.unwrap()
    }

    async fn submit(&self, app: &App, path: &str, fields: &[(&str, &str)]) -> Response {
        let request = app.client.post(format!("{}{path}", app.base)).header(ACCEPT, "text/html");
        request.header(COOKIE, self.browser.cookie_header()).form(fields).send().await.unwrap()
    }
}

/// A service that requires both since people signed in: one without a confirmed address, one without a second factor,
/// and one who did not use it, and has this app.
async fn start() -> (App, World, Vec<Person>, Authenticator) {
    let later = [("STEWARD_SECOND_FACTOR", "everyone"), ("STEWARD_SECOND_FACTOR_FROM", "2199-01-01")];
    let mut app = App::start_with(Backend::Sqlite, &later).await;
    let world = World::make(&app, "acme").await;
    let mut people = Vec::new();
    for (name, lacks_address) in [("new", true), ("ann", false), ("bob", false)] {
        let actor = if lacks_address { app.person(name).await } else { app.verified_person(name).await };
        let invite = json!({"username": name, "roles": "admin"});
        let invite = world.owner.post(&format!("/team/{}/invite", world.team), invite).await.created().id();
        people.push(Person { name, actor, browser: Browser::signed_in(&app, name).await, lacks_address, invite });
    }
    let (authenticator, _) = Authenticator::set_up(&people[2].browser).await;
    app.execute_sql("UPDATE sessions SET methods = 'password'");
    app.set("STEWARD_SECOND_FACTOR_FROM", "2026-01-01");
    app.set("STEWARD_SIGNUP_DOMAINS", "example.com");
    app.restart().await;
    (app, world, people, authenticator)
}

/// Where a redirect leads; empty without one.
fn location(response: &Response) -> String {
    response.headers().get(LOCATION).map_or_else(String::new, |value| value.to_str().unwrap().to_owned())
}

/// Whether a page leads to what the account lacks, and nowhere else.
async fn leads_to_condition(response: Response) -> bool {
    let location = location(&response);
    let is_set_up = response.text().await.unwrap().contains("<h1>Set up a second factor</h1>");
    let leads = |path: &str| location.starts_with(path);
    is_set_up || location == "/auth/confirm-email" || leads("/auth/sign-in?") || leads("/auth/consent?")
}

/// Opens every page, and submits the forms of those that have to refuse the person.
async fn check_pages(app: &App, world: &World, person: &Person) {
    let begun = person.open(app, &Client::of(app, world).authorize(&[])).await;
    let request = parameter(&format!("{}{}", app.base, location(&begun)), "request").unwrap();
    let csrf = person.browser.open("/auth/sign-out").await.form("/auth/sign-out").fields;
    let csrf = csrf.iter().find(|(name, _)| name == "csrf").unwrap().1.as_str();
    let fields = [("csrf", csrf), ("request", &request), ("invite", NOTHING), ("decision", "accept")];
    for (page, conditions) in steward_pages::conditions() {
        let filled = |part: &str| if part.starts_with('{') { NOTHING.to_owned() } else { part.to_owned() };
        let path = page.split('/').map(filled).collect::<Vec<_>>().join("/");
        let query = match page {
            "/auth/consent" => format!("?request={request}"),
            "/auth/invite" => format!("?invite={NOTHING}"),
            _ => String::new(),
        };
        let expected = person.is_refused(conditions);
        let opened = leads_to_condition(person.open(app, &format!("{path}{query}")).await).await;
        assert_eq!(opened, expected, "{page} as {}", person.name);
        if expected {
            let submitted = person.submit(app, &path, &fields).await;
            let is_only_read = submitted.status() == 405;
            assert!(is_only_read || leads_to_condition(submitted).await, "The form of {page} as {}", person.name);
        }
    }
}

/// Sends a request of every operation that accepts the token of an account, or ignores it.
async fn check_operations(app: &App, world: &World, person: &Person) {
    for described in &app.openapi.operations {
        let Some(rule) = rule(described) else { continue };
        let is_of_account = match rule.callers {
            Callers::Account | Callers::AccountOrKey | Callers::AccountOrUser | Callers::Credential => true,
            // Some take an account from a cookie or from the body.
            Callers::Anyone if rule.conditions != Conditions::All => false,
            _ => continue,
        };
        let (path, body) = (operations::path(&described.path, world), operations::body(described, world));
        let response = person.actor.send(described.method.clone(), &path, body, &[]).await;
        let text = String::from_utf8_lossy(&response.body);
        let is_refused = match person.lacks_address {
            true => response.status == 403 && text.contains("is not confirmed"),
            false => response.header("www-authenticate").contains("acr_values=\"aal2\""),
        };
        assert_eq!(is_refused, is_of_account && person.is_refused(rule.conditions), "{}: {response}", person.name);
    }
}

/// Opens an invite into administration, and answers it.
async fn check_invite(app: &App, person: &Person) {
    let opened = person.browser.open(&format!("/auth/invite?invite={}", person.invite)).await;
    assert!(!opened.text().contains("acme"), "{}: {opened}", person.name);
    let csrf = person.browser.open("/auth/sign-out").await.form("/auth/sign-out").fields;
    let csrf = csrf.iter().find(|(name, _)| name == "csrf").unwrap().1.as_str();
    for decision in ["accept", "decline"] {
        let fields = [("csrf", csrf), ("invite", person.invite.as_str()), ("decision", decision)];
        let answered = person.submit(app, "/auth/invite", &fields).await;
        assert!(leads_to_condition(answered).await, "{}: {decision}", person.name);
    }
    let member = format!("SELECT 1 FROM members WHERE account_id = '{}'", person.actor.id);
    assert!(app.holds(&format!("NOT EXISTS ({member})")), "{} joined.", person.name);
}

/// Joins the team, now that the account meets the conditions.
async fn join(person: &Person) {
    let page = person.browser.open(&format!("/auth/invite?invite={}", person.invite)).await;
    assert_eq!(page.heading(), "Join the team acme?", "{page}");
    let joined = person.browser.submit(&page, "/auth/invite", &[("decision", "accept")]).await;
    assert_eq!(joined.heading(), "You joined the team acme", "{joined}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_row_refuses_an_account_that_lacks_a_condition_which_it_states() {
    let (app, world, people, authenticator) = start().await;
    for person in &people {
        check_pages(&app, &world, person).await;
        check_operations(&app, &world, person).await;
        check_invite(&app, person).await;
    }

    let [new, ann, bob] = people.as_slice() else { panic!("There are three people.") };
    app.execute_sql("UPDATE accounts SET email_verified = true");
    for person in [new, ann] {
        Authenticator::set_up(&person.browser).await;
        join(person).await;
    }
    // The sign-in leads back to the invite.
    app.forget_used_codes();
    let page = bob.browser.open(&format!("/auth/invite?invite={}", bob.invite)).await;
    let page = bob.browser.submit(&page, "/auth/sign-in", &[("login", "bob"), ("password", PASSWORD)]).await;
    let page = bob.browser.submit(&page, "/auth/second-factor", &[("code", &authenticator.code(0))]).await;
    assert!(page.is_at("/auth/invite"), "{page}");
    join(bob).await;
}
