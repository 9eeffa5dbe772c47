//! The console: pages on which people administer their teams and projects.

mod account;
mod audit;
mod breadcrumbs;
mod clients;
mod confirmation;
mod data;
mod downloads;
mod frame;
mod imports;
mod item_deletions;
mod keys;
mod limits;
mod operator;
mod project;
mod project_data;
mod providers;
mod requests;
mod roles;
mod schema;
mod schema_drafts;
mod search;
mod security;
mod team;
mod webhooks;

use steward_tests::{App, Browser, Page, World};

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

/// Path of the page of the fixture's team.
fn team_of(world: &World) -> String {
    format!("/console/teams/{}", world.team)
}

/// Path of the page of the fixture's project.
fn project_of(world: &World) -> String {
    format!("/console/projects/{}", world.project)
}

fn links_to(page: &Page, address: &str) -> bool {
    page.links().iter().any(|link| link == address)
}
