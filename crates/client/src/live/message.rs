//! Messages of the sync protocol.

use std::ops::Not;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::change::Change;
use super::replica::Received;
use crate::Error;

/// A message for the service. `type` comes first, as the service requires it.
#[derive(Serialize)]
#[serde(tag = "type", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub(super) enum Outgoing<'a> {
    #[serde(rename = "clientIdentity")]
    Identity {
        /// The name of this device, or null for a new one.
        client_identity: Option<&'a str>,
        auth_token: &'a str,
        schema: Value,
    },
    Subscribe {
        synced_revision: Option<u64>,
    },
    Changes {
        request_id: u64,
        base_revision: Option<u64>,
        partial: bool,
        /// Whether all of them are stored, or none.
        #[serde(skip_serializing_if = "Not::not")]
        atomic: bool,
        changes: &'a [Change],
    },
    TokenUpdate {
        auth_token: &'a str,
    },
}

/// A message of the service.
#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub(super) enum Incoming {
    #[serde(rename = "clientIdentity")]
    Identity {
        /// The name of this device.
        client_identity: String,
        /// Whether the service knows atomic messages.
        #[serde(default)]
        atomic: bool,
    },
    Changes(Received),
    Ack {
        /// The number of a portion, or something that this device did not send.
        request_id: Value,
    },
    TokenUpdateAck {
        ok: bool,
    },
    /// The service does not accept the token, and ends the connection.
    #[serde(rename = "error")]
    Rejected,
    /// Of a later version, or without an effect.
    #[serde(other)]
    Other,
}

impl Incoming {
    pub(super) fn parse(text: &str) -> Result<Self, Error> {
        let invalid = |error| Error::Connection(format!("The service sent a message that is not valid: {error}"));
        serde_json::from_str(text).map_err(invalid)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn messages_begin_with_their_type() {
        let change = serde_json::from_str(r#"{"type":3,"table":"notes","key":"a"}"#).unwrap();
        for (message, expected) in [
            (
                Outgoing::Identity { client_identity: None, auth_token: "t", schema: json!({"project_id": "p"}) },
                r#"{"type":"clientIdentity","clientIdentity":null,"authToken":"t","schema":{"project_id":"p"}}"#,
            ),
            (Outgoing::Subscribe { synced_revision: None }, r#"{"type":"subscribe","syncedRevision":null}"#),
            (
                Outgoing::Changes {
                    request_id: 7,
                    base_revision: Some(3),
                    partial: false,
                    atomic: false,
                    changes: &[change],
                },
                r#"{"type":"changes","requestId":7,"baseRevision":3,"partial":false,"changes":[{"type":3,"table":"notes","key":"a"}]}"#,
            ),
            (
                Outgoing::Changes { request_id: 8, base_revision: None, partial: false, atomic: true, changes: &[] },
                r#"{"type":"changes","requestId":8,"baseRevision":null,"partial":false,"atomic":true,"changes":[]}"#,
            ),
            (Outgoing::TokenUpdate { auth_token: "t" }, r#"{"type":"tokenUpdate","authToken":"t"}"#),
        ] {
            assert_eq!(serde_json::to_string(&message).unwrap(), expected);
        }
    }

    #[test]
    fn messages_of_later_versions_are_ignored_and_others_are_checked() {
        assert!(matches!(Incoming::parse(r#"{"type":"news","changes":null}"#), Ok(Incoming::Other)));
        assert!(matches!(Incoming::parse(r#"{"type":"ack","requestId":"other"}"#), Ok(Incoming::Ack { .. })));
        assert!(matches!(Incoming::parse(r#"{"type":"error","code":"TOKEN_EXPIRED"}"#), Ok(Incoming::Rejected)));
        let corrected = r#"{"type":"changes","currentRevision":1,"changes":[
            {"type":3,"table":"notes","key":"a","code":"quota_exceeded","message":"The limit is reached."}]}"#;
        let Ok(Incoming::Changes(Received { changes, complete: None, .. })) = Incoming::parse(corrected) else {
            panic!("{corrected}");
        };
        let reason = changes[0].reason.clone().unwrap();
        assert_eq!((reason.code.as_str(), reason.to_string().as_str()), ("quota_exceeded", "The limit is reached."));
        for invalid in ["", "[]", r#"{"type":"ack"}"#, r#"{"type":"changes","changes":[]}"#] {
            assert!(matches!(Incoming::parse(invalid), Err(Error::Connection(_))), "{invalid}");
        }
    }
}
