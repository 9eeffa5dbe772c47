//! The audit log of teams and projects (docs/contract.md#audit-log-and-events).

use crate::openapi::{IntoParams, ToSchema};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::list::PageParameters;
use crate::operation::operations;
use crate::values::{AnyId, PersonalTokenId, ProjectId, TeamId, Timestamp};

/// Declares the operations for one prefix: those of teams and projects have the same form.
macro_rules! mounted {
    (
        $rows:ident, $tag:literal, $prefix:literal, $list_audit:ident, $list_events:ident
    ) => {
        operations! {
            $rows, $tag;

            /// List audit events
            ///
            /// Returns the audit log of the project, or of the team and its projects, newest first. A page holds 100 events by
            /// default. With `Accept: application/x-ndjson` or `text/csv`, the response is the complete log as a stream instead. In
            /// CSV, text that a spreadsheet program would evaluate as a formula has an apostrophe before it.
            $list_audit Get concat!($prefix, "/audit"), Costly Safe, at(Scope),
                query(AuditParameters, PageParameters),
                200({ list AuditEvent; AuditEvent => "application/x-ndjson" | "text/csv" }, "The events, newest first."),
                command("audit list");

            /// Follow events
            ///
            /// Returns the events of the project, or of the team and its projects, oldest first, starting after a position. To
            /// receive each event once, poll with `after` set to the `next` of the previous response.
            $list_events Get concat!($prefix, "/event"), Costly Safe, at(Scope), query(EventParameters),
                200(Events, "The events after the position, oldest first."),
                deviates("a feed has no last page: `next` is always present"), command("audit events");
        }
    };
}

mounted!(PROJECT_ROWS, "projects", "/project/{id}", ListProjectAudit, ListProjectEvents);
mounted!(TEAM_ROWS, "teams", "/team/{team_id}", ListTeamAudit, ListTeamEvents);

/// An event of the audit log.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[schema(example = json!({
    "at": "2026-01-31T12:00:00.000Z",
    "action": "project.updated",
    "operation": "updateProject",
    "actor": {"type": "account", "id": "018f2a3c-7d1e-7cc4-9b3a-2f6d1c0e8a55", "token_id": null},
    "target": {"type": "project", "id": "018f2a3c-9b40-7a12-8c5d-6e7f80912a3b"},
    "team_id": "018f2a3c-8f05-7e31-a2b4-c5d6e7f80192",
    "project_id": "018f2a3c-9b40-7a12-8c5d-6e7f80912a3b",
    "before": {"name": "Acme"},
    "after": {"name": "Acme Labs"},
    "request_id": "018f2a3d-0a1b-7c2d-8e3f-405162738495",
    "address": "203.0.113.7",
    "position": 4210
}))]
pub struct AuditEvent {
    /// When the event happened.
    pub at: Timestamp,
    /// Resource kind and verb, such as `team.updated`, or `team.access_denied` for a request that was refused.
    pub action: String,
    /// ID of the requested operation, such as `updateProject`.
    pub operation: String,
    /// Who caused the event.
    pub actor: AuditActor,
    /// Resource that the event is about.
    pub target: AuditTarget,
    /// ID of the team that the event is about; null if it is about no team.
    pub team_id: Option<TeamId>,
    /// ID of the project that the event is about; null if it is about no project.
    pub project_id: Option<ProjectId>,
    /// Recorded state of the resource before the change; null if there is none.
    #[schema(value_type = Option<Object>)]
    pub before: Option<Value>,
    /// Recorded state of the resource after the change; null if there is none.
    #[schema(value_type = Option<Object>)]
    pub after: Option<Value>,
    /// ID of the request, as in its `X-Request-Id` header.
    pub request_id: String,
    /// Network address that the request came from; null if unknown.
    pub address: Option<String>,
    /// Position of the event in the log. Positions increase in the order in which changes are stored, with gaps.
    pub position: i64,
}

/// Who caused an event.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct AuditActor {
    /// Kind of the actor: `account`, `key`, `client` (one that acts on its own behalf) or `system`.
    #[schema(example = "account")]
    #[serde(rename = "type")]
    pub kind: String,
    /// ID of the account or key; null for the system.
    pub id: Option<AnyId>,
    /// ID of the personal access token that the person used; null if they used none.
    pub token_id: Option<PersonalTokenId>,
}

/// The resource that an event is about.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct AuditTarget {
    /// Kind of the resource, such as `team` or `project`.
    #[schema(example = "project")]
    #[serde(rename = "type")]
    pub kind: String,
    /// ID of the resource.
    pub id: String,
}

/// Filters of the audit log.
#[derive(Debug, Clone, Default, Serialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct AuditParameters {
    /// Return only events caused by the account, API key, client or personal access token with this ID.
    pub actor: Option<String>,
    /// Return only events with this action, such as `team.updated`.
    pub action: Option<String>,
    /// Return only events about the resource with this ID.
    pub target: Option<String>,
    /// Return only events at or after this timestamp.
    pub from: Option<String>,
    /// Return only events before this timestamp.
    pub to: Option<String>,
    /// Whether to return changes of items: `include` (the default), `exclude`, or `only`.
    pub item_changes: Option<String>,
}

/// Events in ascending order of position.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct Events {
    /// The events, oldest first. Empty if there are no new events.
    pub data: Vec<AuditEvent>,
    /// Value of `after` for the next request.
    #[schema(example = 4210)]
    pub next: i64,
    /// Number of times that the database was restored from a backup, moved, or promoted, plus one. If it differs from the
    /// previous response, events that the client received after the position `history_after` may be lost.
    #[schema(example = 1)]
    pub history: i64,
    /// Position up to which the events of earlier histories are part of this one.
    #[schema(example = 0)]
    pub history_after: i64,
}

/// Where a feed of events starts.
#[derive(Debug, Clone, Default, Serialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct EventParameters {
    /// Return only events after this position: `next` of the previous response. Without it, the log is read from its
    /// start.
    #[param(minimum = 0)]
    pub after: Option<i64>,
    /// Maximum number of events to return; 100 by default.
    pub limit: Option<u16>,
}
