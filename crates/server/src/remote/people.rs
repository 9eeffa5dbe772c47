//! Names of people and keys, for tables that would show only their IDs. Who may not read the names sees the IDs.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Context as _;
use futures_util::{StreamExt as _, stream};
use serde_json::{Map, Value, json};
use steward_client::{Member, ProjectUser};
use steward_domain::identity::Email;

use crate::terminal::UsageError;

use super::Context;
use super::output::pages::{self, PAGE_SIZE};
use super::parent::ParentId;

/// Maximum number of users of one page whose names are requested, and of requests at a time.
const MAX_USERS: usize = 100;
const MAX_REQUESTS: usize = 4;

/// Adds the names of members and API keys to the actors of events.
pub struct Actors(BTreeMap<String, String>);

impl Actors {
    /// Reads the members of the team, and the keys of the project, that a log belongs to: at most one page of each.
    pub async fn of(context: &Context, parent: &ParentId) -> Self {
        let client = &context.client;
        let mut names = BTreeMap::new();
        let team = match parent {
            ParentId::Team(id) => Some(id.clone()),
            ParentId::Project(id) => {
                let keys = client.keys(id).list().page_size(PAGE_SIZE).page().await;
                names.extend(keys.into_iter().flat_map(|page| page.data).map(|key| (key.id.to_string(), key.label)));
                client.projects().get(id).data().await.ok().map(|project| project.team_id.to_string())
            }
        };
        if let Some(team) = team {
            let members = client.members(&team).list().page_size(PAGE_SIZE).page().await;
            for member in members.into_iter().flat_map(|page| page.data) {
                if let Some(name) = member_name(&member) {
                    names.insert(member.account_id.to_string(), name);
                }
            }
        }
        Self(names)
    }

    /// Returns the name of a member or an API key.
    pub fn get(&self, id: &str) -> Option<&String> {
        self.0.get(id)
    }

    /// Adds the names to events.
    pub fn name(&self, mut events: Vec<Value>) -> Vec<Value> {
        for event in &mut events {
            let Some(actor) = event.get_mut("actor").and_then(Value::as_object_mut) else { continue };
            let name = actor.get("id").and_then(Value::as_str).and_then(|id| self.0.get(id));
            if let Some(name) = name {
                actor.insert("name".to_owned(), json!(name));
            }
        }
        events
    }
}

/// Adds the member `user` to entries with a `user_id`: the name of the user, or the ID.
pub async fn name_users(context: &Context, project_id: &str, mut entries: Vec<Value>) -> Vec<Value> {
    let users = context.client.users(project_id);
    let id = |entry: &Value| entry.get("user_id").and_then(Value::as_str).map(str::to_owned);
    let ids: BTreeSet<String> = entries.iter().filter_map(id).take(MAX_USERS).collect();
    let requests = stream::iter(ids).map(|id| {
        let users = users.clone();
        async move { Some((id.clone(), user_name(&users.get(&id).data().await.ok()?)?)) }
    });
    let names: BTreeMap<String, String> =
        requests.buffer_unordered(MAX_REQUESTS).filter_map(async |name| name).collect().await;
    for entry in &mut entries {
        let Some(id) = id(entry) else { continue };
        let name = names.get(&id).cloned().unwrap_or(id);
        if let Some(entry) = entry.as_object_mut() {
            entry.insert("user".to_owned(), json!(name));
        }
    }
    entries
}

/// Returns the account ID of a member who is named by it, or by the email address or username.
pub async fn account_id(context: &Context, team_id: &str, member: &str) -> anyhow::Result<String> {
    let named = |other: Member| {
        let mut names = [&other.username, &other.email].into_iter().flatten();
        names.any(|name| is_called(name, member)).then_some(other.account_id)
    };
    let found = pages::id(member, context.client.members(team_id).list(), named).await?;
    let unknown = || UsageError(format!("The team has no member with the username or email address {member:?}."));
    Ok(found.ok_or_else(unknown)?)
}

/// Returns the ID of a user that is named by their ID, DID, username or email address.
pub async fn user_id(context: &Context, project_id: &str, user: &str) -> anyhow::Result<String> {
    let users = context.client.users(project_id).list().query("q", user);
    let found = pages::id(user, users, |other| is_user_named(&other, user).then_some(other.id)).await?;
    found.with_context(|| format!("The project has no user with the DID, username or email address {user:?}."))
}

fn is_user_named(user: &ProjectUser, name: &str) -> bool {
    let username = user.profile.get("username").and_then(Value::as_str);
    let names = [username, user.email.as_deref()].into_iter().flatten();
    user.user_did == name || names.into_iter().any(|other| is_called(other, name))
}

/// Returns whether a text is this username or email address, however its letters are written.
pub fn is_called(name: &str, text: &str) -> bool {
    let is_address = || Email::parse(name).is_ok_and(|email| Email::parse(text).is_ok_and(|other| email == other));
    name.eq_ignore_ascii_case(text) || is_address()
}

fn member_name(member: &Member) -> Option<String> {
    name(member.username.as_deref().or(member.name.as_deref()), member.email.as_deref())
}

fn user_name(user: &ProjectUser) -> Option<String> {
    let text = |profile: &Map<String, Value>, name: &str| profile.get(name).and_then(Value::as_str).map(str::to_owned);
    let username = text(&user.profile, "username").or_else(|| text(&user.profile, "name"));
    name(username.as_deref(), user.email.as_deref())
}

fn name(name: Option<&str>, email: Option<&str>) -> Option<String> {
    match (name, email) {
        (Some(name), Some(email)) => Some(format!("{name} <{email}>")),
        (name, email) => name.or(email).map(str::to_owned),
    }
}
