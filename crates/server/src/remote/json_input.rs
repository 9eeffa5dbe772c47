//! JSON that a person writes, in files and arguments. It is read as strictly as the service reads a request
//! (docs/contract.md#request-bodies), so that a duplicate member is an error and not lost.

use serde::de::DeserializeOwned;
use steward_domain::kernel::strict_json;

/// Parses JSON.
pub fn parse<T: DeserializeOwned>(bytes: &[u8]) -> serde_json::Result<T> {
    let (value, _) = strict_json::parse(bytes)?;
    serde_json::from_value(value)
}

#[cfg(test)]
mod tests {
    use serde_json::{Map, Value, json};
    use steward_client::ItemOperation;

    use super::*;

    #[test]
    fn json_with_a_duplicate_member_is_not_parsed() {
        assert_eq!(parse::<Value>(b"{\"a\": [1, 2.5]}").unwrap(), json!({"a": [1, 2.5]}));
        let error = parse::<Value>(b"{\"a\": {\"b\": 1, \"b\": 2}}").unwrap_err().to_string();
        assert!(error.contains("two members named \"b\""), "{error}");
    }

    #[test]
    fn json_of_another_type_is_not_parsed() {
        assert!(parse::<Map<String, Value>>(b"[]").is_err());
        let operations = br#"[{"op": "put", "id": "a", "value": {"title": "A"}}, {"op": "delete", "id": "b"}]"#;
        assert_eq!(parse::<Vec<ItemOperation>>(operations).unwrap().len(), 2);
        assert!(parse::<Vec<ItemOperation>>(br#"[{"op": "rename", "id": "a"}]"#).is_err());
    }
}
