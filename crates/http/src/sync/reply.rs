//! The messages of the service for a device, as JSON text.

use serde_json::{Value, json};
use steward_domain::data::{ItemValue, SyncReason, SyncedItem};

use super::message::{MAX_BYTES, MAX_CHANGES};

/// Size of a `changes` message without its changes.
const FRAME_BYTES: usize = 128;

/// Codes of the errors after which a device connects again with another token.
pub(super) const TOKEN_EXPIRED: &str = "TOKEN_EXPIRED";
pub(super) const UNAUTHORIZED: &str = "UNAUTHORIZED";

/// The change that gives a device the current state of an item: a put of all fields, or a deletion.
#[derive(Debug)]
pub(super) struct DeviceChange {
    pub text: String,
    pub is_deletion: bool,
}

impl DeviceChange {
    /// Returns the change of an item, with the reason if a change of the device was not stored as the device made it.
    /// Devices that do not know these members ignore them.
    pub(super) fn of(item: &SyncedItem, reason: Option<&SyncReason>) -> Self {
        let (table, key) = (quoted(&item.key.table), quoted(&item.key.id));
        let reason = reason.map(|SyncReason { code, message }| {
            let (code, message) = (quoted(code), quoted(message));
            format!(",\"code\":{code},\"message\":{message}")
        });
        let reason = reason.unwrap_or_default();
        let text = match &item.value {
            None => format!("{{\"type\":3,\"table\":{table},\"key\":{key}{reason}}}"),
            Some(value) => {
                let fields = fields_after_id(value);
                format!("{{\"type\":1,\"table\":{table},\"key\":{key},\"obj\":{{\"id\":{key}{fields}}}{reason}}}")
            }
        };
        Self { text, is_deletion: item.value.is_none() }
    }
}

/// Returns the text of the fields as it follows the member `id`.
fn fields_after_id(value: &ItemValue) -> String {
    let text = value.as_str().trim();
    let inner = text.strip_prefix('{').and_then(|text| text.strip_suffix('}')).unwrap_or_default();
    if inner.trim().is_empty() { String::new() } else { format!(",{inner}") }
}

fn quoted(text: &str) -> String {
    Value::from(text).to_string()
}

/// A `changes` message that is being written.
#[derive(Debug, Default)]
pub(super) struct ChangesWriter {
    changes: String,
    count: usize,
}

impl ChangesWriter {
    /// Returns whether another change fits into the message. The first one always does.
    pub(super) fn fits(&self, change: &str) -> bool {
        let bytes = self.changes.len().saturating_add(change.len()).saturating_add(FRAME_BYTES);
        self.count == 0 || self.count < MAX_CHANGES && bytes <= MAX_BYTES
    }

    /// Adds a change.
    pub(super) fn add(&mut self, change: &str) {
        if self.count > 0 {
            self.changes.push(',');
        }
        self.changes.push_str(change);
        self.count += 1;
    }

    /// Returns the message. `is_partial`: more of the same follows. `complete`: in a load of everything, whether this is
    /// the last message. Devices that do not know this member ignore it.
    pub(super) fn finish(self, revision: i64, is_partial: bool, complete: Option<bool>) -> String {
        let complete = complete.map(|is_last| format!(",\"complete\":{is_last}")).unwrap_or_default();
        let end = format!("\"currentRevision\":{revision},\"partial\":{is_partial}{complete}}}");
        format!("{{\"type\":\"changes\",\"changes\":[{}],{end}", self.changes)
    }
}

/// Returns the reply to the first message. It says that the service knows atomic messages.
pub(super) fn identity(device: &str) -> String {
    json!({"type": "clientIdentity", "clientIdentity": device, "atomic": true}).to_string()
}

/// Returns the acknowledgement of stored changes.
pub(super) fn ack(request: &Value) -> String {
    json!({"type": "ack", "requestId": request}).to_string()
}

/// Returns the reply to a new token that is accepted.
pub(super) fn token_accepted() -> String {
    json!({"type": "tokenUpdateAck", "ok": true}).to_string()
}

/// Returns the reply to a new token that is not accepted.
pub(super) fn token_refused(code: &str, message: &str) -> String {
    json!({"type": "tokenUpdateAck", "ok": false, "code": code, "message": message}).to_string()
}

/// Returns the error that precedes the end of a connection.
pub(super) fn error(code: &str, message: &str) -> String {
    json!({"type": "error", "code": code, "message": message}).to_string()
}

#[cfg(test)]
mod tests {
    use steward_domain::data::SyncKey;

    use super::*;

    #[test]
    fn a_change_contains_the_stored_fields_and_the_id() {
        let item = |value: Option<&str>| SyncedItem {
            key: SyncKey { table: "no\"tes".into(), id: "a".into() },
            value: value.map(|text| ItemValue::stored(text.to_owned())),
        };
        let text = |value| serde_json::from_str::<Value>(&DeviceChange::of(&item(value), None).text).unwrap();
        let put = json!({"type": 1, "table": "no\"tes", "key": "a", "obj": {"id": "a", "title": "A"}});
        assert_eq!(text(Some("{\"title\": \"A\"}")), put);
        assert_eq!(text(Some("{}"))["obj"], json!({"id": "a"}));
        assert_eq!(text(None), json!({"type": 3, "table": "no\"tes", "key": "a"}));

        let reason = SyncReason { code: "quota_exceeded".into(), message: "No \"room\".".into() };
        let corrected = |value| DeviceChange::of(&item(value), Some(&reason)).text;
        for value in [None, Some("{}"), Some("{\"code\": 1}")] {
            let mut expected = text(value);
            (expected["code"], expected["message"]) = (json!("quota_exceeded"), json!("No \"room\"."));
            assert_eq!(serde_json::from_str::<Value>(&corrected(value)).unwrap(), expected);
        }
    }

    #[test]
    fn a_message_ends_before_the_change_that_would_exceed_its_size() {
        let mut writer = ChangesWriter::default();
        let large = "1".repeat(MAX_BYTES);
        assert!(writer.fits(&large), "The first change fits.");
        writer.add("1");
        assert!(writer.fits("2") && !writer.fits(&large));
        writer.add("2");
        let message: Value = serde_json::from_str(&writer.finish(9, true, None)).unwrap();
        assert_eq!(message, json!({"type": "changes", "changes": [1, 2], "currentRevision": 9, "partial": true}));
        let last = ChangesWriter::default().finish(i64::MAX, false, Some(true));
        assert!(last.ends_with("\"partial\":false,\"complete\":true}") && last.len() < FRAME_BYTES, "{last}");
    }
}
