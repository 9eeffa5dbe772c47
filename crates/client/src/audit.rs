//! The audit log of a team or project.

use chrono::{DateTime, SecondsFormat, Utc};
use reqwest::Method;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::{Client, Error, List};

/// Operations of the audit log of a team, with its projects, or of one project.
#[derive(Debug, Clone)]
pub struct AuditLog {
    client: Client,
    /// `team` or `project`, and its ID.
    parent: [String; 2],
}

impl AuditLog {
    pub(crate) fn new(client: Client, kind: &str, id: &str) -> Self {
        Self { client, parent: [kind.to_owned(), id.to_owned()] }
    }

    /// Lists the events that match a filter, newest first.
    pub fn list(&self, filter: &AuditFilter) -> List<AuditEvent> {
        let [kind, id] = &self.parent;
        let list = List::new(self.client.clone(), &[kind.as_str(), id.as_str(), "audit"]);
        let time = |time: Option<DateTime<Utc>>| time.map(|time| time.to_rfc3339_opts(SecondsFormat::Micros, true));
        let values = [
            ("actor", filter.actor.clone()),
            ("action", filter.action.clone()),
            ("target", filter.target.clone()),
            ("from", time(filter.from)),
            ("to", time(filter.to)),
            ("item_changes", filter.item_changes.clone()),
        ];
        let set = values.into_iter().filter_map(|(name, value)| Some((name, value?)));
        set.fold(list, |list, (name, value)| list.query(name, value))
    }

    /// Returns at most `limit` events (100 by default) after a position, or from the start of the log, oldest first. To
    /// receive each event once, continue with [`Events::next`].
    ///
    /// # Errors
    ///
    /// See [`Error`].
    pub async fn events(&self, after: Option<i64>, limit: Option<u16>) -> Result<Events, Error> {
        let [kind, id] = &self.parent;
        let mut request = self.client.at(Method::GET, &[kind.as_str(), id.as_str(), "event"]);
        if let Some(after) = after {
            request = request.query("after", after);
        }
        if let Some(limit) = limit {
            request = request.query("limit", limit);
        }
        request.send().await?.json()
    }
}

/// Selects events. `None` selects all.
#[derive(Debug, Clone, Default)]
pub struct AuditFilter {
    /// ID of the account, API key or personal access token that caused the event.
    pub actor: Option<String>,
    /// Action, such as `team.updated`.
    pub action: Option<String>,
    /// ID of the resource that the event is about.
    pub target: Option<String>,
    /// The event happened at this time or later.
    pub from: Option<DateTime<Utc>>,
    /// The event happened before this time.
    pub to: Option<DateTime<Utc>>,
    /// `exclude` or `only`: whether changes of items are selected.
    pub item_changes: Option<String>,
}

/// An event of the audit log.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[non_exhaustive]
pub struct AuditEvent {
    /// When the event happened.
    pub at: DateTime<Utc>,
    /// Resource kind and verb, such as `team.updated`, or `team.access_denied` for a request that was refused.
    pub action: String,
    /// ID of the requested operation, such as `updateProject`.
    pub operation: String,
    /// Who caused the event.
    pub actor: AuditActor,
    /// Resource that the event is about.
    pub target: AuditTarget,
    /// ID of the team that the event is about.
    pub team_id: Option<String>,
    /// ID of the project that the event is about.
    pub project_id: Option<String>,
    /// Recorded state of the resource before the change.
    pub before: Option<Map<String, Value>>,
    /// Recorded state of the resource after the change.
    pub after: Option<Map<String, Value>>,
    /// ID of the request, as in its `X-Request-Id` header.
    pub request_id: String,
    /// Network address that the request came from; `None` if unknown.
    pub address: Option<String>,
    /// Position of the event in the log. Positions increase in the order in which changes are stored, with gaps.
    pub position: i64,
}

/// Who caused an event.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[non_exhaustive]
pub struct AuditActor {
    /// `account`, `key` or `system`.
    #[serde(rename = "type")]
    pub kind: String,
    /// ID of the account or key; `None` for the system.
    pub id: Option<String>,
    /// ID of the personal access token that the person used.
    pub token_id: Option<String>,
}

/// The resource that an event is about.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[non_exhaustive]
pub struct AuditTarget {
    /// Kind of the resource, such as `team` or `project`.
    #[serde(rename = "type")]
    pub kind: String,
    /// ID of the resource.
    pub id: String,
}

/// A part of the event feed.
#[derive(Debug, Clone, Deserialize)]
#[non_exhaustive]
pub struct Events {
    /// The events, oldest first. Empty if there are no new events.
    pub data: Vec<AuditEvent>,
    /// Position to continue after.
    pub next: i64,
}
