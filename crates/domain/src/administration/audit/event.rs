//! The audit log. Hash chains make changed or deleted events detectable.

use serde_json::{Map, Value, json};
use uuid::Uuid;

use crate::administration::AuditChain;
use crate::kernel::policy::Actor;
use crate::kernel::{PersonalTokenId, ProjectId, ResourceKind, TeamId, Time, named};

/// A part of the life of a database without a restore. Positions of an earlier part up to `after` are those of the same
/// events in this one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct History {
    /// Grows whenever the database is restored, moved or promoted.
    pub number: i64,
    /// Events of earlier histories with higher positions may be lost.
    pub after: i64,
}

impl History {
    /// The history of a database that was never restored.
    pub const FIRST: Self = Self { number: 1, after: 0 };
}

/// One entry of the audit log.
#[derive(Debug, Clone, PartialEq)]
pub struct AuditEvent {
    /// The position among all events of the service. Positions increase in commit order, with gaps.
    pub position: i64,
    /// When the event happened.
    pub at: Time,
    /// The team that the event is about.
    pub team_id: Option<TeamId>,
    /// The project that the event is about.
    pub project_id: Option<ProjectId>,
    /// The actor who caused the event.
    pub actor: RecordedActor,
    /// The requested operation.
    pub operation: String,
    /// The action: a resource kind and a verb, such as `team.updated`.
    pub action: String,
    /// The kind of the changed resource.
    pub target_kind: String,
    /// The ID of the changed resource.
    pub target_id: String,
    /// The recorded state of the resource before the change.
    pub before: Option<Value>,
    /// The recorded state of the resource after the change.
    pub after: Option<Value>,
    /// The ID of the request.
    pub request_id: String,
    /// The address that the request came from.
    pub address: Option<String>,
}

/// The actor of an event, as stored in the log. The kind is text, so that kinds added by newer versions can be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordedActor {
    /// `account`, `key` or `system`.
    pub kind: String,
    /// The ID of the account or key.
    pub id: Option<Uuid>,
    /// The personal access token that the person used.
    pub token_id: Option<PersonalTokenId>,
}

impl From<Actor> for RecordedActor {
    fn from(actor: Actor) -> Self {
        let (kind, id) = actor.formatted();
        Self { kind: kind.to_owned(), id, token_id: actor.token() }
    }
}

impl AuditEvent {
    /// The verb of an attempt that was refused because the caller was not allowed.
    pub const REFUSED: &'static str = "access_denied";

    /// The verb of a request of an OAuth client that was refused because of an error in the request.
    pub const CLIENT_REQUEST_REFUSED: &'static str = "client_request_refused";

    /// The verb of a sign-in at an identity provider that failed because of the provider.
    pub const SIGN_IN_FAILED: &'static str = "sign_in_failed";

    /// Returns the chain that seals the event; `None` if the event is about no team, in which case it is not sealed.
    pub fn chain(&self) -> Option<AuditChain> {
        self.team_id.map(|team| AuditChain { team, project: self.project_id })
    }

    /// Returns whether the event is an item change. Item changes may have a shorter retention than other events.
    pub fn is_item_change(&self) -> bool {
        self.target_kind == ResourceKind::Item.as_str()
    }

    /// Returns what happened as JSON, in the format of the API. Callers add when it happened and its name.
    pub fn data(&self) -> Map<String, Value> {
        let (id, token_id) = (self.actor.id.map(|id| id.to_string()), self.actor.token_id.map(|id| id.to_string()));
        let members = [
            ("operation", json!(self.operation)),
            ("actor", json!({"type": self.actor.kind, "id": id, "token_id": token_id})),
            ("target", json!({"type": self.target_kind, "id": self.target_id})),
            ("team_id", json!(self.team_id.map(|id| id.to_string()))),
            ("project_id", json!(self.project_id.map(|id| id.to_string()))),
            ("before", json!(self.before)),
            ("after", json!(self.after)),
            ("position", json!(self.position)),
        ];
        members.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
    }

    /// Returns the text that is hashed: every field of the event, as one line of JSON.
    pub fn sealed_text(&self) -> Result<String, serde_json::Error> {
        let change = (&self.operation, &self.action, &self.target_kind, &self.target_id, &self.before, &self.after);
        let ids = (self.team_id.map(|id| id.to_string()), self.project_id.map(|id| id.to_string()));
        let actor =
            (&self.actor.kind, self.actor.id.map(|id| id.to_string()), self.actor.token_id.map(|id| id.to_string()));
        let event = (self.position, self.at.timestamp_micros(), ids, actor, change, &self.request_id, &self.address);
        serde_json::to_string(&event)
    }
}

/// A filter for listing events. A field that is `None` does not filter.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AuditFilter {
    /// Only events caused by this account, key or token.
    pub actor: Option<Uuid>,
    /// Only events with this action.
    pub action: Option<String>,
    /// Only events about the resource with this ID.
    pub target: Option<String>,
    /// Only events at or after this timestamp.
    pub from: Option<Time>,
    /// Only events before this timestamp.
    pub to: Option<Time>,
    /// Whether changes of items are included.
    pub item_changes: ItemChanges,
}

impl AuditFilter {
    /// Returns the target in lower case if it is a UUID in another case. It is that of an item only as it is written.
    pub fn target_in_lower_case(&self) -> Option<String> {
        let target = self.target.as_deref()?;
        let id = Uuid::try_parse(target).ok()?.as_hyphenated().to_string();
        (id != target && id.eq_ignore_ascii_case(target)).then_some(id)
    }
}

named! {
    /// Whether a list of events contains the changes of items. They can be so many that they hide all other events.
    #[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
    pub enum ItemChanges: "the name used in requests" {
        /// All events.
        #[default]
        Include = "include",
        /// Only the other events.
        Exclude = "exclude",
        /// Only changes of items.
        Only = "only",
    }
}
