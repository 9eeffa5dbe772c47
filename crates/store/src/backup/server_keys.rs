//! The server's own keys in a backup, which a restore decrypts before it writes anything.

use anyhow::Context as _;
use serde_json::Value;
use steward_domain::identity::ServerKey;
use steward_domain::kernel::{Revision, ServerKeyId, Time, hex};

use super::rows::RowSource;
use crate::tables::server_key_kind;

/// Returns the server's keys in a backup, without their timestamps and revisions. Keys of kinds that only a newer
/// version knows are skipped, as a running service skips them.
///
/// # Errors
///
/// If the rows cannot be read, or if a key of a known kind is not valid.
pub fn server_keys(source: &mut dyn RowSource) -> anyhow::Result<Vec<ServerKey>> {
    let mut keys = Vec::new();
    for row in source.rows("server_keys")? {
        let row: Value = serde_json::from_str(&row?)?;
        let kind = row.get("kind").and_then(Value::as_str).unwrap_or_default();
        if server_key_kind::ALL.contains(&kind) {
            keys.push(key(&row, kind).context("The backup contains a server key that is not valid.")?);
        }
    }
    Ok(keys)
}

fn key(row: &Value, kind: &str) -> Option<ServerKey> {
    let text = |name: &str| row.get(name).and_then(Value::as_str);
    Some(ServerKey {
        id: ServerKeyId::parse(text("id")?)?,
        purpose: server_key_kind::purpose(kind, text("algorithm"))?,
        generation: row.get("generation")?.as_i64()?,
        encrypted: hex::decode(text("encrypted")?)?,
        created_at: Time::UNIX_EPOCH,
        use_from: Time::UNIX_EPOCH,
        revision: Revision::FIRST,
    })
}
