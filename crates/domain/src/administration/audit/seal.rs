//! Seals: the hash chains of the audit log, with one seal for each batch of events.

use serde_json::json;
use uuid::Uuid;

use crate::kernel::{ProjectId, TeamId, Time};

/// A hash chain: of a project, or of a team for events that belong to no project.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct AuditChain {
    /// The team.
    pub team: TeamId,
    /// The project; `None` for events that belong to no project of the team.
    pub project: Option<ProjectId>,
}

impl AuditChain {
    /// Returns the ID of the project or, if there is none, of the team.
    pub fn id(self) -> Uuid {
        self.project.map_or(self.team.uuid(), ProjectId::uuid)
    }
}

/// A link of a chain, which covers consecutive events.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuditSeal {
    /// The chain.
    pub chain: AuditChain,
    /// The sequence number of the seal in its chain, from 1, without gaps.
    pub number: i64,
    /// The position of the last event of the previous seal; 0 for the first seal.
    pub after: i64,
    /// The position of the last covered event. The seal covers every event of the chain with a position above `after`,
    /// up to and including this one.
    pub through: i64,
    /// When the seal was created.
    pub at: Time,
    /// The timestamp of the first event.
    pub first_at: Time,
    /// All events except item changes.
    pub events: SealedPart,
    /// The item changes.
    pub item_changes: SealedPart,
    /// The hash of the previous seal; empty for the first seal.
    pub prev: String,
    /// SHA-256 over [`AuditSeal::sealed_text`], in base64url without padding.
    pub hash: String,
}

/// Events of one kind in a seal.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SealedPart {
    /// Number of events.
    pub count: i64,
    /// SHA-256 over the texts of the events, one per line, in base64url without padding. Empty if there are no events.
    pub hash: String,
}

impl AuditSeal {
    /// Returns the text that is hashed: every field except the hash.
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
