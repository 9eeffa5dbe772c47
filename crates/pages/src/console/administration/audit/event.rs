//! Events of the audit log, as pages and exports show them.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use steward_domain::administration::AuditEvent;
use steward_domain::identity::Account;
use steward_domain::kernel::error::Error;
use steward_domain::kernel::policy::Operation;
use steward_domain::kernel::{AccountId, ApiKeyId, ProjectClientId};
use url::form_urlencoded;

use crate::console::frame::export_document::timestamp;
use crate::console::frame::{Signed, TeamOrProject, Timestamp};
use crate::error::PageError;

/// How many actors of one page are shown by name. Their names are read one by one.
const MAX_NAMES: usize = 20;
/// Maximum number of characters of a value that a page shows. The export contains all of it.
const MAX_VALUE_CHARS: usize = 1_000;

/// The names of actors, by ID. `None` if the name is not known, or the person may not read it.
pub(crate) struct ActorNames(BTreeMap<String, Option<String>>);

impl ActorNames {
    /// Reads the names of the actors of events.
    pub(crate) async fn read(signed: &Signed, scope: &TeamOrProject, events: &[AuditEvent]) -> Result<Self, PageError> {
        let mut names = BTreeMap::new();
        let team = match scope {
            TeamOrProject::Team(scope) => scope.team.id,
            TeamOrProject::Project(scope) => scope.project.team_id,
        };
        for event in events {
            let Some(id) = event.actor.id else { continue };
            if names.len() >= MAX_NAMES || names.contains_key(&id.to_string()) {
                continue;
            }
            let (caller, steward) = (&signed.caller, signed.steward());
            let may = |operation| scope.permitted().may(operation);
            let name = match (event.actor.kind.as_str(), event.project_id) {
                ("account", _) if AccountId::from(id) == signed.signed_in.account.id => Ok(Some("you".to_owned())),
                ("account", _) if may(Operation::MemberList) => {
                    let found = steward.members.get(caller, team, AccountId::from(id)).await;
                    found.map(|found| found.account.map(|account| name_of(&account)))
                }
                ("key", Some(project)) if may(Operation::KeyGet) => {
                    let key = steward.api_keys.get(caller, project, ApiKeyId::from(id)).await;
                    key.map(|key| Some(key.label.to_string()))
                }
                ("client", Some(project)) if may(Operation::ClientGet) => {
                    let client = steward.clients.get(caller, project, ProjectClientId::from(id)).await;
                    client.map(|client| Some(client.settings.name.to_string()))
                }
                _ => Ok(None),
            };
            // The name of an actor who is no longer there is unknown.
            let name = if matches!(name, Err(Error::NotFound(_))) { None } else { name? };
            names.insert(id.to_string(), name);
        }
        Ok(Self(names))
    }
}

fn name_of(account: &Account) -> String {
    account.name.as_ref().map_or_else(|| account.email.shown().to_owned(), ToString::to_string)
}

/// An event on a page.
pub(crate) struct EventLine {
    pub(crate) at: Timestamp,
    pub(crate) action: String,
    /// The name of the actor, or their kind if it is not known.
    pub(crate) actor: String,
    pub(crate) actor_id: Option<String>,
    pub(crate) target_kind: String,
    pub(crate) target_id: String,
    /// The ID of the target, to be used in a query.
    pub(crate) target_query: String,
    /// What the event records in addition, in the order in which it is shown.
    pub(crate) facts: Vec<(&'static str, String)>,
    pub(crate) changes: Vec<MemberChange>,
    pub(crate) is_refused: bool,
}

/// A member of the recorded state that differs.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct MemberChange {
    pub(crate) name: String,
    pub(crate) before: Option<String>,
    pub(crate) after: Option<String>,
}

impl EventLine {
    pub(crate) fn of(event: &AuditEvent, names: &ActorNames) -> Self {
        let actor_id = event.actor.id.map(|id| id.to_string());
        let name = actor_id.as_ref().and_then(|id| names.0.get(id).cloned().flatten());
        let kind = match (event.actor.kind.as_str(), &actor_id) {
            ("account", _) => "an account".to_owned(),
            ("key", _) => "an API key".to_owned(),
            // A deleted client has no name, but its requests contained this ID.
            ("client", Some(id)) => format!("client {id}"),
            ("system", _) => "the service".to_owned(),
            (other, _) => other.to_owned(),
        };
        Self {
            at: event.at.into(),
            action: event.action.clone(),
            actor: name.unwrap_or(kind),
            actor_id,
            target_kind: event.target_kind.replace('_', " "),
            target_id: event.target_id.clone(),
            target_query: form_urlencoded::byte_serialize(event.target_id.as_bytes()).collect(),
            facts: facts(event),
            changes: changes(event.before.as_ref(), event.after.as_ref()),
            is_refused: event.action.ends_with(AuditEvent::REFUSED),
        }
    }
}

fn facts(event: &AuditEvent) -> Vec<(&'static str, String)> {
    let facts = [
        ("Operation", Some(event.operation.clone())),
        ("Target ID", Some(event.target_id.clone())),
        ("Actor ID", event.actor.id.map(|id| id.to_string())),
        ("Token ID", event.actor.token_id.map(|id| id.to_string())),
        ("Project ID", event.project_id.map(|id| id.to_string())),
        ("Address", event.address.clone()),
        ("Request ID", Some(event.request_id.clone())),
        ("Position", Some(event.position.to_string())),
    ];
    facts.into_iter().filter_map(|(label, value)| Some((label, value.filter(|value| !value.is_empty())?))).collect()
}

/// Returns the members that differ, in the order of the state before, then of the state after.
fn changes(before: Option<&Value>, after: Option<&Value>) -> Vec<MemberChange> {
    let members = |state: Option<&'_ Value>| state.and_then(Value::as_object).cloned().unwrap_or_default();
    let (before, after) = (members(before), members(after));
    let added = after.keys().filter(|name| !before.contains_key(*name));
    let differs = |name: &&String| before.get(*name) != after.get(*name);
    let changed = before.keys().chain(added).filter(differs).map(|name| MemberChange {
        name: name.clone(),
        before: before.get(name).map(text),
        after: after.get(name).map(text),
    });
    changed.collect()
}

fn text(value: &Value) -> String {
    let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    match text.char_indices().nth(MAX_VALUE_CHARS) {
        None => text,
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
    }
}

/// Returns an event in the format of the API.
pub(crate) fn to_json(event: &AuditEvent) -> Value {
    let mut members = event.data();
    let others = [
        ("at", timestamp(event.at)),
        ("action", json!(event.action)),
        ("request_id", json!(event.request_id)),
        ("address", json!(event.address)),
    ];
    members.extend(others.map(|(name, value)| (name.to_owned(), value)));
    Value::Object(members)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_members_that_differ_are_shown() {
        let (before, after) = (json!({"a": 1, "b": "x", "c": [1]}), json!({"a": 1, "b": "y", "d": null}));
        let change = |name: &str, before: Option<&str>, after: Option<&str>| MemberChange {
            name: name.to_owned(),
            before: before.map(str::to_owned),
            after: after.map(str::to_owned),
        };
        let expected =
            vec![change("b", Some("x"), Some("y")), change("c", Some("[1]"), None), change("d", None, Some("null"))];
        assert_eq!(changes(Some(&before), Some(&after)), expected);
        assert_eq!(changes(None, Some(&json!({"a": true}))), [change("a", None, Some("true"))]);
        assert_eq!(changes(None, None), []);
        assert_eq!(text(&json!("x".repeat(2_000))).chars().count(), MAX_VALUE_CHARS + 1);
    }
}
