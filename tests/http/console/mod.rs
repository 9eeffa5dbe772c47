//! The console: pages on which people administer their teams and projects.

mod account;
mod audit;
mod data;
mod frame;
mod keys;
mod operator;
mod project;
mod roles;
mod schema;
mod security;
mod team;
mod webhooks;

use steward_tests::{App, Browser, Page};

/// A browser in which a person is signed in.
async fn signed_in(app: &App, username: &str) -> Browser {
    Browser::signed_in(app, username).await
}

/// The value with this ID that a page offers to copy.
#[track_caller]
fn copyable(page: &Page, id: &str) -> String {
    let after = page.html.split(&format!("<code id=\"{id}\">")).nth(1);
    let after = after.unwrap_or_else(|| panic!("There is no value {id} at {page}"));
    after.split("</code>").next().unwrap().to_owned()
}

/// Makes every session so old that secrets and deletions require the password again.
fn age_sessions(app: &App) {
    app.execute_sql("UPDATE sessions SET authenticated_at = '2020-01-01T00:00:00.000000Z'");
}
