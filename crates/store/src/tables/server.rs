//! Tables for the service itself: its keys, the requests that it repeats, and the leases on its background work.

use diesel::sql_types::{BigInt, Binary, Bool, Nullable, Text};
use steward_domain::identity::ServerKey;
use steward_domain::kernel::IdempotentRequest;

use super::row::{row, table};
use super::server_key_kind;
use crate::error::JobError;
use crate::sql_types::{Instant, Uid};

row! {
    struct ServerKeyRow for ServerKey in server_keys (id; revision) {
        id -> Uid,
        generation -> BigInt,
        encrypted -> Binary,
        created_at -> Instant,
        use_from -> Instant,
        revision -> BigInt,
    }
    store |key| {
        kind -> Text = stored_purpose(key)?.0.to_owned(),
        algorithm -> Nullable<Text> = stored_purpose(key)?.1.map(str::to_owned),
    }
    load {
        purpose = server_key_kind::purpose(&kind, algorithm.as_deref())
            .ok_or_else(|| JobError::corrupt("a server key with an unknown purpose"))?,
    }
}

fn stored_purpose(key: &ServerKey) -> Result<(&'static str, Option<&'static str>), JobError> {
    server_key_kind::stored(key.purpose).ok_or_else(|| JobError::corrupt("a new server key with an unknown algorithm"))
}

row! {
    struct IdempotentRequestRow for IdempotentRequest in idempotency_claims (caller, key_digest) {
        id -> Uid,
        caller -> Text,
        key_digest -> Text,
        fingerprint -> Text,
        leased_until -> Instant,
        expires_at -> Instant,
        is_effective -> Bool,
        answer -> Nullable<Binary>,
    }
}

table! {
    work_leases (share) {
        share -> Text,
        holder -> Uid,
        leased_until -> Instant,
    }
}
