//! Seals: the hash chain of the audit log, a link for each batch of events.

use serde_json::json;
use uuid::Uuid;

use super::{ProjectId, TeamId, Time};

/// A hash chain: that of a project, or that of a team for what belongs to no project.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct AuditChain {
    /// The team.
    pub team: TeamId,
    /// The project; `None`: what belongs to no project of the team.
    pub project: Option<ProjectId>,
}

impl AuditChain {
    /// The id of the project, or of the team.
    pub fn id(self) -> Uuid {
        self.project.map_or(self.team.uuid(), ProjectId::uuid)
    }
}

/// A link of a chain: some events of it that follow each other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuditSeal {
    /// The chain.
    pub chain: AuditChain,
    /// 1 for the first seal of the chain, and so on without a gap.
    pub number: i64,
    /// The position of the last event under the seal before; 0 for the first.
    pub after: i64,
    /// It seals every event of the chain whose position is above `after`, up to this one.
    pub through: i64,
    /// When it was made.
    pub at: Time,
    /// When the first of the events happened.
    pub first_at: Time,
    /// All events except changes of items.
    pub events: SealedPart,
    /// The changes of items.
    pub item_changes: SealedPart,
    /// The hash of the seal before; empty for the first.
    pub prev: String,
    /// SHA-256 over [`AuditSeal::sealed_text`], in base64url without padding.
    pub hash: String,
}

/// Events of one kind under a seal.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SealedPart {
    /// How many there are.
    pub count: i64,
    /// SHA-256 over their texts, a line each, in base64url without padding. Empty where there are none.
    pub hash: String,
}

impl AuditSeal {
    /// The text that the hash is taken of: everything but the hash itself.
    pub fn sealed_text(&self) -> String {
        json!([
            "steward-audit-2",
            self.chain.team.to_string(),
            self.chain.project.map(|project| project.to_string()),
            self.number,
            self.prev,
            self.after,
            self.through,
            self.at.timestamp_micros(),
            self.first_at.timestamp_micros(),
            self.events.count,
            self.events.hash,
            self.item_changes.count,
            self.item_changes.hash,
        ])
        .to_string()
    }
}
