//! The audit log: what happened, in a chain of its team, so that nobody can change or drop a part unseen.

use serde_json::{Value, json};
use uuid::Uuid;

use crate::policy::Actor;

use super::{PersonalTokenId, ProjectId, TeamId, Time};

/// One entry of the audit log.
#[derive(Debug, Clone, PartialEq)]
pub struct AuditEvent {
    /// Its number in the store: a name for it there, and nothing else.
    pub number: i64,
    /// When it happened.
    pub at: Time,
    /// The team that it is about.
    pub team_id: Option<TeamId>,
    /// The project that it is about.
    pub project_id: Option<ProjectId>,
    /// Who did it.
    pub actor: RecordedActor,
    /// The operation that was asked for.
    pub operation: String,
    /// What came of it: a kind of thing and a verb, like `team.updated`.
    pub action: String,
    /// The kind of the thing.
    pub target_kind: String,
    /// The id of the thing.
    pub target_id: String,
    /// What was shown of it before.
    pub before: Option<Value>,
    /// What is shown of it since.
    pub after: Option<Value>,
    /// The request that asked for it.
    pub request_id: String,
    /// Where that came from.
    pub address: Option<String>,
    /// Its place in the chain, which it has soon after it is written.
    pub seal: Option<Seal>,
}

/// Who did something, as the log keeps it: also what a newer version calls by a name that this one does not know.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordedActor {
    /// `account`, `key` or `system`.
    pub kind: String,
    /// The id of the account or key.
    pub id: Option<Uuid>,
    /// The personal access token through which a person acted.
    pub token_id: Option<PersonalTokenId>,
}

impl From<Actor> for RecordedActor {
    fn from(actor: Actor) -> Self {
        let (kind, id) = actor.spelled();
        Self { kind: kind.to_owned(), id, token_id: actor.token() }
    }
}

/// A place in the chain of a team.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Seal {
    /// 1 for the team's first event, and so on without a gap.
    pub position: i64,
    /// The hash of the event before; empty for the first.
    pub prev: String,
    /// SHA-256 over [`AuditEvent::sealed_text`], in base64url without padding.
    pub hash: String,
}

impl AuditEvent {
    /// The text that the hash of an event is taken of: everything that it tells, its position, and the hash before it.
    pub fn sealed_text(&self, position: i64, prev: &str) -> String {
        json!([
            "steward-audit-1",
            position,
            prev,
            self.at.timestamp_micros(),
            self.team_id.map(|id| id.to_string()),
            self.project_id.map(|id| id.to_string()),
            self.actor.kind,
            self.actor.id.map(|id| id.to_string()),
            self.actor.token_id.map(|id| id.to_string()),
            self.operation,
            self.action,
            self.target_kind,
            self.target_id,
            self.before,
            self.after,
            self.request_id,
            self.address,
        ])
        .to_string()
    }
}

/// Which part of the log is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AuditScope {
    /// Everything about a team and its projects.
    Team(TeamId),
    /// What is about one project of a team.
    Project(TeamId, ProjectId),
}

impl AuditScope {
    /// The team whose chain it is part of.
    pub fn team(self) -> TeamId {
        match self {
            Self::Team(team) | Self::Project(team, _) => team,
        }
    }
}

/// Which events are wanted. What is `None` narrows nothing.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AuditFilter {
    /// Those of this account, key or token.
    pub actor: Option<Uuid>,
    /// Those with this action.
    pub action: Option<String>,
    /// Those about the thing with this id.
    pub target: Option<String>,
    /// Those from this moment on.
    pub from: Option<Time>,
    /// Those before this moment.
    pub to: Option<Time>,
}
