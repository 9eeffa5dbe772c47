//! Tables for the audit log.

use diesel::sql_types::{BigInt, Nullable, Text};
use steward_domain::administration::{AuditChain, AuditEvent, AuditSeal, RecordedActor, SealedPart};

use super::row::{row, table};
use crate::sql_types::{Id, Instant, JsonText, Uid};

row! {
    struct EventRow for AuditEvent in audit_events (position) {
        position -> BigInt,
        at -> Instant,
        team_id -> Nullable<Uid>,
        project_id -> Nullable<Uid>,
        actor = RecordedActor { kind: actor_kind -> Text, id: actor_id -> Nullable<Uid>, token_id -> Nullable<Uid> },
        operation -> Text,
        action -> Text,
        target_kind -> Text,
        target_id -> Text,
        before -> Nullable<JsonText>,
        after -> Nullable<JsonText>,
        request_id -> Text,
        address -> Nullable<Text>,
    }
    others { chain_id -> Uid }
}

row! {
    struct AuditSealRow for AuditSeal in audit_seals (chain_id, number) {
        number -> BigInt,
        after: after_position -> BigInt,
        through: through_position -> BigInt,
        at -> Instant,
        first_at -> Instant,
        events = SealedPart { count: events -> BigInt, hash: events_hash -> Text },
        item_changes = SealedPart { count: item_changes -> BigInt, hash: item_changes_hash -> Text },
        prev -> Text,
        hash -> Text,
    }
    store |seal| {
        team_id -> Uid = Id(seal.chain.team.uuid()),
        chain_id -> Uid = Id(seal.chain.id()),
    }
    load { chain = chain(team_id, chain_id) }
}

/// Returns the chain with this ID. The chain of the team itself has the ID of the team.
pub(crate) fn chain(team: Id, id: Id) -> AuditChain {
    AuditChain { team: team.0.into(), project: (id != team).then(|| id.0.into()) }
}

table! {
    audit_progress (position) {
        position -> BigInt,
        events_kept_from -> Nullable<Instant>,
        item_changes_kept_from -> Nullable<Instant>,
        delivered -> BigInt,
    }
}

table! {
    position_domains (domain) {
        domain -> BigInt,
        life -> BigInt,
        first_transaction -> BigInt,
        history -> BigInt,
        cluster -> Text,
        opened_hour -> BigInt,
        after_position -> BigInt,
    }
}

table! {
    event_marks (at) {
        at -> Instant,
        position -> BigInt,
    }
}
