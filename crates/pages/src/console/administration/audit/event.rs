//! Events of the audit log, as pages and exports show them.

use std::borrow::Cow;
use std::collections::BTreeSet;

use serde_json::{Value, json};
use steward_domain::administration::AuditEvent;
use steward_domain::kernel::ResourceKind;
use steward_domain::kernel::policy::Operation;
use url::form_urlencoded;

use crate::console::frame::export_document::timestamp;
use crate::console::frame::{Permitted, Signed, TeamOrProject, Timestamp};
use crate::error::PageError;

use super::names::{Names, Someone};
use super::sentence::{is_refused, phrase, recorded_name};

/// Maximum number of characters of a value that a page shows. The export contains all of it.
const MAX_VALUE_CHARS: usize = 1_000;

/// The names of those who caused events, and of the people that they are about.
pub(crate) async fn names(signed: &Signed, scope: &TeamOrProject, events: &[AuditEvent]) -> Result<Names, PageError> {
    Names::read(signed, scope, events.iter().filter_map(actor).chain(events.iter().filter_map(person))).await
}

fn actor(event: &AuditEvent) -> Option<Someone<'_>> {
    Some((event.actor.kind.as_str(), event.actor.id?.to_string(), event.project_id))
}

/// Returns the person that an event is about, if its target is one.
fn person(event: &AuditEvent) -> Option<Someone<'_>> {
    let kind = match ResourceKind::parse(&event.target_kind)? {
        ResourceKind::Member => "account",
        ResourceKind::ProjectUser => "user",
        _ => return None,
    };
    Some((kind, event.target_id.clone(), event.project_id))
}

/// The targets that the events of a page deleted. Their pages are gone.
pub(crate) fn deleted(events: &[AuditEvent]) -> BTreeSet<&str> {
    events.iter().filter(|event| event.action.ends_with(".deleted")).map(|event| event.target_id.as_str()).collect()
}

/// An event on a page.
pub(crate) struct EventLine {
    pub(crate) at: Timestamp,
    pub(crate) action: String,
    /// The name of the actor, or what they are if it is not known.
    pub(crate) actor: String,
    pub(crate) actor_id: Option<String>,
    /// What was done.
    pub(crate) phrase: Cow<'static, str>,
    /// The name of the target, and the address of its page.
    pub(crate) target: Option<(String, Option<String>)>,
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
    pub(crate) fn of(event: &AuditEvent, names: &Names, permitted: Permitted, deleted: &BTreeSet<&str>) -> Self {
        let person = person(event).and_then(|(_, id, _)| names.known(&id).map(str::to_owned));
        let name = person.or_else(|| recorded_name(event));
        let actor_id = event.actor.id.map(|id| id.to_string());
        let is_gone = |id: &str| deleted.contains(id);
        let has_page = !is_gone(&event.target_id) && !event.project_id.is_some_and(|id| is_gone(&id.to_string()));
        Self {
            at: event.at.into(),
            action: event.action.clone(),
            actor: names.of(&event.actor.kind, actor_id.as_deref()),
            actor_id,
            phrase: phrase(event),
            target: name.map(|name| (name, page_of(event, permitted).filter(|_| has_page))),
            target_query: form_urlencoded::byte_serialize(event.target_id.as_bytes()).collect(),
            facts: facts(event),
            changes: changes(event.before.as_ref(), event.after.as_ref()),
            is_refused: is_refused(event),
        }
    }
}

/// Returns the address of the page of a target, if it has one that the person may open.
fn page_of(event: &AuditEvent, permitted: Permitted) -> Option<String> {
    let id = &event.target_id;
    let project = event.project_id.map(|project| format!("/console/projects/{project}"));
    let team = event.team_id.map(|team| format!("/console/teams/{team}"));
    let (operation, address) = match ResourceKind::parse(&event.target_kind)? {
        ResourceKind::Team => (Operation::TeamGet, team?),
        ResourceKind::Member => (Operation::MemberList, format!("{}/members", team?)),
        ResourceKind::Project => (Operation::ProjectGet, project?),
        ResourceKind::ApiKey => (Operation::KeyGet, format!("{}/keys/{id}", project?)),
        ResourceKind::Client => (Operation::ClientGet, format!("{}/clients/{id}", project?)),
        ResourceKind::IdentityProvider => (Operation::IdentityProviderGet, format!("{}/providers/{id}", project?)),
        ResourceKind::ProjectUser => (Operation::UserGet, format!("{}/users/{id}", project?)),
        ResourceKind::Webhook => (Operation::ProjectWebhookGet, format!("{}/webhooks/{id}", project.or(team)?)),
        ResourceKind::Item => {
            let place = event.after.as_ref().or(event.before.as_ref())?;
            let member = |name: &str| place.get(name)?.as_str();
            let path = format!("users/{}/tables/{}/items/{id}", member("user_id")?, member("table")?);
            (Operation::ItemGet, format!("{}/{path}", project?))
        }
        _ => return None,
    };
    permitted.may(operation).then_some(address)
}

fn facts(event: &AuditEvent) -> Vec<(&'static str, String)> {
    let facts = [
        ("Event", Some(event.action.clone())),
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
