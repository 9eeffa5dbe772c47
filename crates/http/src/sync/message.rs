//! The messages of a device, as JSON text.

use serde_json::{Map, Value, json};
use steward_domain::data::{SyncChange, SyncEdit, SyncKey};
use steward_domain::kernel::strict_json;

/// Maximum number of changes in a message that is stored, or sent, at once.
pub(super) const MAX_CHANGES: usize = 1_000;
/// Maximum size of a message that is read, or sent, at once, in bytes.
pub(super) const MAX_BYTES: usize = 1024 * 1024;
/// Maximum size of the key of a change that is not taken, in bytes. No item has a longer one.
const MAX_KEY_BYTES: usize = 1_024;
/// Size of an escaped UTF-16 unit in JSON, such as `\u0000`.
const ESCAPE_BYTES: usize = 6;

/// A message of a device.
#[derive(Debug, PartialEq)]
pub(super) enum ClientMessage {
    /// The first message.
    Identity {
        /// The name that the service gave the device earlier.
        device: Option<String>,
        token: PresentedToken,
        /// `project_id` of the device's schema.
        project: Option<String>,
    },
    Changes(ClientChanges),
    Subscribe {
        /// The revision up to which the device has all changes.
        revision: Option<i64>,
    },
    TokenUpdate {
        token: PresentedToken,
    },
    /// A message of a type that this version does not know.
    Other,
}

/// An access token as a device presents it.
#[derive(Debug, PartialEq)]
pub(super) struct PresentedToken {
    pub token: String,
    /// The proof of the key to which the token is bound (RFC 9449), as for a request that opens the connection.
    pub proof: Option<String>,
}

/// Changes that a device made.
#[derive(Debug, PartialEq)]
pub(super) struct ClientChanges {
    pub request: Value,
    pub changes: Vec<SyncChange>,
    /// Number of changes that are not described correctly. They are ignored.
    pub malformed: usize,
    /// The revision that the device had when it made the changes. It may be older.
    pub base: Option<i64>,
    /// Text that identifies the message among those of the device.
    pub content: String,
    /// Whether all changes are stored, or none.
    pub is_atomic: bool,
}

/// Why a message cannot be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unreadable {
    /// Not a JSON object, one with duplicate members (docs/contract.md#request-bodies), or an atomic message with a
    /// malformed change.
    NotJson,
    /// More than are stored at once.
    TooManyChanges,
}

/// Reads a message of a device. A value that cannot be stored does not make it unreadable: the change is rejected then,
/// because a device sends a message again until it is acknowledged.
pub(super) fn parse(text: &str) -> Result<ClientMessage, Unreadable> {
    let Some(Value::Object(mut members)) = parse_value(text) else { return Err(Unreadable::NotJson) };
    let kind = members.get("type").and_then(Value::as_str).unwrap_or_default().to_owned();
    Ok(match kind.as_str() {
        "clientIdentity" => ClientMessage::Identity {
            device: text_of(&members, "clientIdentity").filter(|name| is_device(name)),
            token: presented_token(&members),
            project: members.get("schema").and_then(|schema| schema.get("project_id")?.as_str()).map(str::to_owned),
        },
        "changes" => ClientMessage::Changes(changes(&mut members)?),
        "subscribe" => ClientMessage::Subscribe { revision: members.get("syncedRevision").and_then(whole) },
        "tokenUpdate" => ClientMessage::TokenUpdate { token: presented_token(&members) },
        _ => ClientMessage::Other,
    })
}

fn presented_token(members: &Map<String, Value>) -> PresentedToken {
    let token = text_of(members, "authToken").unwrap_or_default();
    PresentedToken { token, proof: text_of(members, "dpop") }
}

fn parse_value(text: &str) -> Option<Value> {
    let text = &*strict_json::without_changed_numbers(text);
    let parsed = strict_json::parse_unambiguous(text.as_bytes());
    parsed.or_else(|_| strict_json::parse_unambiguous(without_lone_surrogates(text).as_bytes())).ok()
}

/// Reads a member of a message that is read in portions.
pub(super) fn parse_member(text: &[u8]) -> Result<Value, Unreadable> {
    std::str::from_utf8(text).ok().and_then(parse_value).ok_or(Unreadable::NotJson)
}

/// Reads changes of a message that is read in portions. Also returns the number of malformed ones.
pub(super) fn parse_changes(texts: &[Vec<u8>]) -> Result<(Vec<SyncChange>, usize), Unreadable> {
    let mut changes = Vec::new();
    for text in texts {
        changes.extend(change(parse_member(text)?));
    }
    let malformed = texts.len().saturating_sub(changes.len());
    Ok((changes, malformed))
}

/// Returns the key of a change whose text may be cut: of its members before the first array or object. `None` if no item
/// can have it.
pub(super) fn key_of(text: &[u8]) -> Option<SyncKey> {
    let start = text.iter().position(|byte| *byte == b'{')?.saturating_add(1);
    let nested = text.iter().skip(start).position(|byte| matches!(byte, b'{' | b'['));
    let flat = text.get(..nested.map_or(text.len(), |nested| start.saturating_add(nested)))?;
    let members = std::str::from_utf8(flat).ok()?.trim_end_matches(|other| other != ',').trim_end_matches(',');
    let members = parse_value(&format!("{members}}}"))?;
    let name = |name: &str| members.get(name)?.as_str().map(str::to_owned);
    let key = SyncKey { table: name("table")?, id: name("key")? };
    (key.table.len().saturating_add(key.id.len()) <= MAX_KEY_BYTES).then_some(key)
}

/// Replaces escaped surrogates that are not part of a pair by NUL characters, which cannot be stored either. Programs in
/// JavaScript send them if they cut a text inside a character.
fn without_lone_surrogates(text: &str) -> String {
    let surrogate = |text: &str| {
        let digits = text.strip_prefix("\\u")?.get(..4)?;
        u16::from_str_radix(digits, 16).ok().filter(|unit| (0xd800..=0xdfff).contains(unit))
    };
    let (mut replaced, mut rest) = (String::with_capacity(text.len()), text);
    while let Some((before, escaped)) = rest.find('\\').and_then(|start| rest.split_at_checked(start)) {
        replaced.push_str(before);
        let low = escaped.get(ESCAPE_BYTES..).and_then(surrogate).is_some_and(|unit| unit >= 0xdc00);
        let length = match surrogate(escaped) {
            Some(high) if high < 0xdc00 && low => ESCAPE_BYTES * 2,
            Some(_) => {
                replaced.push_str("\\u0000");
                rest = escaped.get(ESCAPE_BYTES..).unwrap_or_default();
                continue;
            }
            // The backslash and what it escapes, which may be a backslash.
            None => escaped.chars().take(2).map(char::len_utf8).sum(),
        };
        let (kept, next) = escaped.split_at_checked(length).unwrap_or((escaped, ""));
        replaced.push_str(kept);
        rest = next;
    }
    replaced + rest
}

fn text_of(members: &Map<String, Value>, name: &str) -> Option<String> {
    members.get(name)?.as_str().map(str::to_owned)
}

/// Returns whether a text can name a device: 1 to 128 characters without control characters.
fn is_device(name: &str) -> bool {
    (1..=128).contains(&name.chars().count()) && !name.contains(char::is_control)
}

/// Returns a number without a fraction, such as a revision. Programs in JavaScript have only one kind of number.
pub(super) fn whole(value: &Value) -> Option<i64> {
    value.as_i64().or_else(|| {
        let number = value.as_f64().filter(|number| number.fract() == 0.0)?;
        format!("{number:.0}").parse().ok()
    })
}

fn changes(members: &mut Map<String, Value>) -> Result<ClientChanges, Unreadable> {
    let request = members.get("requestId").cloned().unwrap_or_default();
    let base = members.get("baseRevision").and_then(whole);
    let sent = match members.get_mut("changes").map(Value::take) {
        Some(Value::Array(changes)) => changes,
        _ => Vec::new(),
    };
    if sent.len() > MAX_CHANGES {
        return Err(Unreadable::TooManyChanges);
    }
    let content = if sent.is_empty() { String::new() } else { json!([request, sent]).to_string() };
    let count = sent.len();
    let changes: Vec<SyncChange> = sent.into_iter().filter_map(change).collect();
    let malformed = count.saturating_sub(changes.len());
    // Any value but `false`, so that none is stored in part by mistake.
    let is_atomic = members.get("atomic").is_some_and(|value| *value != false);
    if is_atomic && malformed > 0 {
        return Err(Unreadable::NotJson);
    }
    Ok(ClientChanges { request, changes, malformed, base, content, is_atomic })
}

fn change(mut value: Value) -> Option<SyncChange> {
    let kind = value.get("type")?.as_i64()?;
    let table = value.get("table")?.as_str()?.to_owned();
    let id = value.get("key")?.as_str()?.to_owned();
    let mut members = |name: &str| match value.get_mut(name).map(Value::take) {
        Some(Value::Object(members)) => Some(members),
        _ => None,
    };
    let edit = match kind {
        1 => SyncEdit::Put(members("obj")?),
        2 => SyncEdit::Update(members("mods")?),
        3 => SyncEdit::Delete,
        _ => return None,
    };
    Some(SyncChange { key: SyncKey { table, id }, edit })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(message: Value) -> ClientMessage {
        parse(&message.to_string()).unwrap()
    }

    fn changes_of(changes: Value) -> ClientChanges {
        match parsed(json!({"type": "changes", "changes": changes, "requestId": 7, "baseRevision": 3.0})) {
            ClientMessage::Changes(changes) => changes,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn each_type_of_message_is_read() {
        let schema = json!({"project_id": "p", "version": 1});
        let first = json!({"type": "clientIdentity", "clientIdentity": null, "authToken": "t", "schema": schema});
        let token = |proof: Option<&str>| PresentedToken { token: "t".into(), proof: proof.map(str::to_owned) };
        let expected = ClientMessage::Identity { device: None, token: token(None), project: Some("p".into()) };
        assert_eq!(parsed(first), expected);
        for (sent, revision) in
            [(json!(null), None), (json!(12), Some(12)), (json!(12.0), Some(12)), (json!("x"), None)]
        {
            assert_eq!(
                parsed(json!({"type": "subscribe", "syncedRevision": sent})),
                ClientMessage::Subscribe { revision }
            );
        }
        let update = json!({"type": "tokenUpdate", "authToken": "t"});
        assert_eq!(parsed(update), ClientMessage::TokenUpdate { token: token(None) });
        let bound = json!({"type": "tokenUpdate", "authToken": "t", "dpop": "p"});
        assert_eq!(parsed(bound), ClientMessage::TokenUpdate { token: token(Some("p")) });
        assert_eq!(parsed(json!({"type": "later"})), ClientMessage::Other);
        for invalid in ["", "[]", "{", "1"] {
            assert_eq!(parse(invalid), Err(Unreadable::NotJson), "{invalid}");
        }
    }

    #[test]
    fn a_message_with_duplicate_members_cannot_be_read() {
        let put = |object: &str| {
            format!(r#"{{"type":"changes","changes":[{{"type":1,"table":"notes","key":"a","obj":{object}}}]}}"#)
        };
        assert!(parse(&put(r#"{"id":"a","title":"A"}"#)).is_ok());
        for duplicate in [
            r#"{"type":"subscribe","type":"subscribe"}"#,
            r#"{"type":"clientIdentity","authToken":"t","authToken":"u"}"#,
            &put(r#"{"id":"a","title":"A","title":"B"}"#),
            &put(r#"{"id":"a","meta":{"x":[{"y":1,"y":1}]}}"#),
        ] {
            assert_eq!(parse(duplicate), Err(Unreadable::NotJson), "{duplicate}");
        }
    }

    #[test]
    fn a_text_that_was_cut_inside_a_character_can_be_read() {
        let put = r#"{"type":1,"table":"notes","key":"a","obj":{"id":"a","title":"TITLE"}}"#;
        for (title, expected) in [
            (r"x\ud83d", "x\0"),
            (r"\uDE00x", "\0x"),
            (r"\ud83d\ud83d\ude00", "\0😀"),
            (r"\ud83d\n\\ud83d 😀", "\0\n\\ud83d 😀"),
        ] {
            let changes = put.replace("TITLE", title);
            let text = format!(r#"{{"type":"changes","requestId":1,"changes":[{changes}]}}"#);
            let Ok(ClientMessage::Changes(read)) = parse(&text) else { panic!("{text}") };
            assert!(format!("{:?}", read.changes).contains(&format!("{expected:?}")), "{:?}", read.changes);
        }
        for invalid in [r"\", r#"{"type":"\ud8"}"#, "\\é", r#"{"a":1,"a":"\ud83d"}"#] {
            assert_eq!(parse(invalid), Err(Unreadable::NotJson), "{invalid}");
        }
    }

    #[test]
    fn a_message_with_values_that_cannot_be_stored_is_read() {
        let deep = (0..40).fold(json!(1), |value, _| json!([value]));
        let read = changes_of(json!([
            {"type": 1, "table": "notes", "key": "a", "obj": {"id": "a", "title": "a\u{0}b"}},
            {"type": 1, "table": "notes", "key": "b", "obj": {"id": "b", "meta": deep}},
        ]));
        assert_eq!((read.changes.len(), read.malformed), (2, 0));
    }

    #[test]
    fn a_number_that_would_be_changed_is_read_as_a_value_that_cannot_be_stored() {
        for number in ["1e-400", "1e999", "12345678901234567890123"] {
            let fields = format!(r#"{{"rank":{number},"title":"1e-400"}}"#);
            let change = format!(r#"{{"type":1,"table":"notes","key":"a","obj":{fields}}}"#);
            let text = format!(r#"{{"type":"changes","requestId":1,"changes":[{change}]}}"#);
            let Ok(ClientMessage::Changes(read)) = parse(&text) else { panic!("{text}") };
            let fields = json!({"rank": "\u{0}", "title": "1e-400"}).as_object().unwrap().clone();
            assert_eq!((&read.changes[0].edit, &read.request), (&SyncEdit::Put(fields), &json!(1)));
        }
    }

    #[test]
    fn a_device_keeps_its_name_unless_that_is_not_valid() {
        let device = |name: Value| match parsed(json!({"type": "clientIdentity", "clientIdentity": name})) {
            ClientMessage::Identity { device, .. } => device,
            other => panic!("{other:?}"),
        };
        assert_eq!(device(json!("phone")), Some("phone".into()));
        for invalid in [json!(""), json!(1), json!("a\nb"), json!("x".repeat(129))] {
            assert_eq!(device(invalid), None);
        }
    }

    #[test]
    fn changes_are_read_and_those_that_are_malformed_are_counted() {
        let read = changes_of(json!([
            {"type": 1, "table": "notes", "key": "a", "obj": {"id": "a", "title": "A"}},
            {"type": 2, "table": "notes", "key": "a", "mods": {"meta.x": null}},
            {"type": 3, "table": "notes", "key": "b"},
            {"type": 1, "table": "notes", "key": "c"},
            {"type": 4, "table": "notes", "key": "c"},
            {"type": 3, "table": "notes", "key": 5},
            null,
        ]));
        let edits: Vec<&SyncEdit> = read.changes.iter().map(|change| &change.edit).collect();
        assert!(matches!(edits.as_slice(), [SyncEdit::Put(_), SyncEdit::Update(_), SyncEdit::Delete]), "{edits:?}");
        assert_eq!((read.malformed, read.request, read.base), (4, json!(7), Some(3)));
        assert_ne!(read.content, changes_of(json!([{"type": 3, "table": "notes", "key": "b"}])).content);
        assert_eq!(changes_of(json!([])).content, "");
    }

    #[test]
    fn a_message_is_atomic_if_it_says_so_and_then_a_malformed_change_makes_it_unreadable() {
        let changes = json!([{"type": 3, "table": "notes", "key": "a"}]);
        let with =
            |atomic: &str, changes: &Value| parse(&format!(r#"{{"type":"changes",{atomic}"changes":{changes}}}"#));
        for (member, expected) in [("", false), (r#""atomic":false,"#, false), (r#""atomic":true,"#, true)] {
            let Ok(ClientMessage::Changes(read)) = with(member, &changes) else { panic!("{member}") };
            assert_eq!(read.is_atomic, expected, "{member}");
        }
        assert_eq!(with(r#""atomic":true,"#, &json!([changes[0], 1])), Err(Unreadable::NotJson));
        assert!(with("", &json!([changes[0], 1])).is_ok());
    }

    #[test]
    fn the_key_of_a_change_is_known_even_if_its_text_is_cut() {
        let key = |text: &str| key_of(text.as_bytes()).map(|key| (key.table, key.id));
        let expected = Some(("notes".to_owned(), "a,b".to_owned()));
        assert_eq!(key(r#"{"type":1,"table":"notes","key":"a,b","obj":{"title":"x"#), expected);
        assert_eq!(key(r#" {"type":3,"key":"a,b","table":"notes","more":"x"#), expected);
        assert_eq!(key(r#"{"type":1,"obj":{},"table":"notes","key":"a"}"#), None);
        assert_eq!(key(&format!(r#"{{"table":"notes","key":"{}","obj":{{"#, "x".repeat(1_025))), None);
        assert_eq!((key("1"), key("{}"), key("")), (None, None, None));
    }

    #[test]
    fn changes_that_are_read_one_by_one_are_those_of_a_whole_message() {
        let texts = [
            r#"{"type":1,"table":"notes","key":"a","obj":{"title":"x\ud83d"}}"#,
            r#"{"type":2,"table":"notes","key":"a","mods":{"meta.x":null}}"#,
            r#"{"type":4,"table":"notes","key":"a"}"#,
            "null",
        ];
        let whole = format!(r#"{{"type":"changes","changes":[{}]}}"#, texts.join(","));
        let Ok(ClientMessage::Changes(whole)) = parse(&whole) else { panic!("{whole}") };
        let parts = texts.map(|text| text.as_bytes().to_vec());
        assert_eq!(parse_changes(&parts), Ok((whole.changes, whole.malformed)));
        assert_eq!(parse_changes(&[b"{\"a\":1,\"a\":1}".to_vec()]), Err(Unreadable::NotJson));
    }

    #[test]
    fn a_message_that_is_stored_at_once_has_at_most_a_thousand_changes() {
        let changes: Vec<Value> =
            (0..=MAX_CHANGES).map(|n| json!({"type": 3, "table": "t", "key": n.to_string()})).collect();
        let message = json!({"type": "changes", "changes": changes});
        assert_eq!(parse(&message.to_string()), Err(Unreadable::TooManyChanges));
    }
}
