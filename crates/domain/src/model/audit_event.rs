//! The audit log: what happened, in hash chains, so that nobody can change or drop a part unseen.

use serde_json::Value;
use uuid::Uuid;

use crate::error::ResourceKind;
use crate::policy::Actor;

use super::{AuditChain, PersonalTokenId, ProjectId, TeamId, Time};

/// One entry of the audit log.
#[derive(Debug, Clone, PartialEq)]
pub struct AuditEvent {
    /// Where it stands among all events of the service: positions grow in the order of commits, with gaps.
    pub position: i64,
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

impl AuditEvent {
    /// The chain that it is sealed in. `None`: it is about no team, and is not sealed.
    pub fn chain(&self) -> Option<AuditChain> {
        self.team_id.map(|team| AuditChain { team, project: self.project_id })
    }

    /// Whether it is the change of an item, which may be kept for less long than other events.
    pub fn is_item_change(&self) -> bool {
        self.target_kind == ResourceKind::Item.as_str()
    }

    /// The text that is hashed: every field of the event, as a line of JSON.
    pub fn sealed_text(&self) -> Result<String, serde_json::Error> {
        let what = (&self.operation, &self.action, &self.target_kind, &self.target_id, &self.before, &self.after);
        let ids = (self.team_id.map(|id| id.to_string()), self.project_id.map(|id| id.to_string()));
        let actor =
            (&self.actor.kind, self.actor.id.map(|id| id.to_string()), self.actor.token_id.map(|id| id.to_string()));
        let event = (self.position, self.at.timestamp_micros(), ids, actor, what, &self.request_id, &self.address);
        serde_json::to_string(&event)
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
    /// The team.
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
