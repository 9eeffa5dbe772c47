//! Many tenants: projects that are used at the same time.

use futures_util::{StreamExt as _, stream};
use serde_json::json;
use steward_tests::{App, World, notes_schema};

use crate::shapes;

/// Number of projects.
pub const TENANTS: usize = 1_000;
/// Number of projects in a team, below the default limit.
const PROJECTS_PER_TEAM: usize = 100;
/// Number of requests at a time that create projects.
const AT_A_TIME: usize = 8;

/// A project with one user, and with one item that has the name of all items of the benchmark.
pub struct Tenant {
    pub item: String,
    pub key: String,
}

/// Creates the projects.
pub async fn create(app: &App, world: &World) -> Vec<Tenant> {
    let mut tenants = Vec::with_capacity(TENANTS);
    for number in 0..TENANTS.div_ceil(PROJECTS_PER_TEAM) {
        let slug = format!("tenants-{number}");
        let team = world.owner.post("/team/", json!({"name": slug, "slug": slug})).await.created().id();
        let projects = stream::iter((0..PROJECTS_PER_TEAM).map(|number| create_tenant(app, world, &team, number)));
        tenants.extend(projects.buffered(AT_A_TIME).collect::<Vec<_>>().await);
    }
    tenants
}

async fn create_tenant(app: &App, World { owner, visitor, .. }: &World, team: &str, number: usize) -> Tenant {
    let project = json!({"name": format!("tenant-{number}"), "team_id": team});
    let project = owner.post("/project/", project).await.created().id();
    let path = format!("/project/{project}");
    let key = owner.post(&format!("{path}/key"), json!({"label": "bench", "roles": "admin"})).await.ok();
    owner.post(&format!("{path}/schema"), json!({"schema": notes_schema()})).await.ok();
    let token = json!({"token": visitor.credential});
    app.anonymous().post(&format!("{path}/user/connect"), token).await.ok();
    let users = owner.get(&format!("{path}/user/")).await.ok();
    let item = format!("{path}/user/{}/db/notes/i0", users["data"][0]["id"].as_str().unwrap());
    owner.put(&item, json!({"value": shapes::value(0)})).await.created();
    Tenant { item, key: key["key"]["value"].as_str().unwrap().to_owned() }
}
