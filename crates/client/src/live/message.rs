//! Messages of the sync protocol.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::change::Change;
use crate::Error;

/// A message for the service. `type` comes first, as the service requires it.
#[derive(Serialize)]
#[serde(untagged)]
pub(super) enum Outgoing<'a> {
    #[serde(rename_all = "camelCase")]
    Identity {
        r#type: &'static str,
        /// The name of this device, or null for a new one.
        client_identity: Option<&'a str>,
        auth_token: &'a str,
        schema: Schema<'a>,
    },
    #[serde(rename_all = "camelCase")]
    Subscribe { r#type: &'static str, synced_revision: Option<u64> },
    #[serde(rename_all = "camelCase")]
    Changes { r#type: &'static str, request_id: u64, base_revision: Option<u64>, partial: bool, changes: &'a [Change] },
    #[serde(rename_all = "camelCase")]
    TokenUpdate { r#type: &'static str, auth_token: &'a str },
}

#[derive(Serialize)]
pub(super) struct Schema<'a> {
    pub(super) project_id: &'a str,
}

impl<'a> Outgoing<'a> {
    pub(super) fn identity(device: Option<&'a str>, token: &'a str, project_id: &'a str) -> Self {
        let schema = Schema { project_id };
        Self::Identity { r#type: "clientIdentity", client_identity: device, auth_token: token, schema }
    }

    pub(super) fn subscribe(revision: Option<u64>) -> Self {
        Self::Subscribe { r#type: "subscribe", synced_revision: revision }
    }

    pub(super) fn changes(changes: &'a [Change], request_id: u64, base_revision: Option<u64>) -> Self {
        Self::Changes { r#type: "changes", request_id, base_revision, partial: false, changes }
    }

    pub(super) fn token_update(token: &'a str) -> Self {
        Self::TokenUpdate { r#type: "tokenUpdate", auth_token: token }
    }
}

/// A message of the service.
pub(super) enum Incoming {
    /// The name of this device.
    Identity(String),
    Changes {
        changes: Vec<Change>,
        revision: u64,
        is_last: bool,
    },
    Ack(u64),
    /// The service does not accept the token, and ends the connection.
    Rejected,
    /// Of a later version, or without an effect.
    Other,
}

/// All members that a message can have.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Members {
    r#type: String,
    client_identity: Option<String>,
    changes: Option<Vec<Change>>,
    current_revision: Option<u64>,
    #[serde(default)]
    partial: bool,
    request_id: Option<Value>,
    ok: Option<bool>,
}

impl Incoming {
    pub(super) fn parse(text: &str) -> Result<Self, Error> {
        let invalid =
            |reason: &str| Error::Connection(format!("The service sent a message that is not valid: {reason}"));
        let members: Members = serde_json::from_str(text).map_err(|error| invalid(&error.to_string()))?;
        let message = match members.r#type.as_str() {
            "clientIdentity" => members.client_identity.map(Self::Identity),
            "changes" => members.changes.zip(members.current_revision).map(|(changes, revision)| Self::Changes {
                changes,
                revision,
                is_last: !members.partial,
            }),
            "ack" => members.request_id.map(|id| id.as_u64().map_or(Self::Other, Self::Ack)),
            "tokenUpdateAck" => members.ok.map(|ok| if ok { Self::Other } else { Self::Rejected }),
            "error" => Some(Self::Rejected),
            _ => Some(Self::Other),
        };
        message.ok_or_else(|| invalid("it lacks a member."))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_begin_with_their_type() {
        let change = serde_json::from_str(r#"{"type":3,"table":"notes","key":"a"}"#).unwrap();
        for (message, expected) in [
            (
                Outgoing::identity(None, "t", "p"),
                r#"{"type":"clientIdentity","clientIdentity":null,"authToken":"t","schema":{"project_id":"p"}}"#,
            ),
            (Outgoing::subscribe(None), r#"{"type":"subscribe","syncedRevision":null}"#),
            (
                Outgoing::changes(&[change], 7, Some(3)),
                r#"{"type":"changes","requestId":7,"baseRevision":3,"partial":false,"changes":[{"type":3,"table":"notes","key":"a"}]}"#,
            ),
            (Outgoing::token_update("t"), r#"{"type":"tokenUpdate","authToken":"t"}"#),
        ] {
            assert_eq!(serde_json::to_string(&message).unwrap(), expected);
        }
    }

    #[test]
    fn messages_of_later_versions_are_ignored_and_others_are_checked() {
        assert!(matches!(Incoming::parse(r#"{"type":"news","changes":null}"#), Ok(Incoming::Other)));
        assert!(matches!(Incoming::parse(r#"{"type":"ack","requestId":"other"}"#), Ok(Incoming::Other)));
        assert!(matches!(Incoming::parse(r#"{"type":"error","code":"TOKEN_EXPIRED"}"#), Ok(Incoming::Rejected)));
        let corrected = r#"{"type":"changes","currentRevision":1,"changes":[
            {"type":3,"table":"notes","key":"a","code":"quota_exceeded","message":"The limit is reached."}]}"#;
        assert!(matches!(Incoming::parse(corrected), Ok(Incoming::Changes { changes, .. }) if changes.len() == 1));
        for invalid in ["", "[]", r#"{"type":"ack"}"#, r#"{"type":"changes","changes":[]}"#] {
            assert!(matches!(Incoming::parse(invalid), Err(Error::Connection(_))), "{invalid}");
        }
    }
}
