//! Reads JSON from outside: requests, forms and files. JSON that two parsers could interpret differently, or that takes
//! much memory, is rejected (docs/contract.md#request-bodies).

use std::cell::Cell;
use std::fmt;

use serde::de::{DeserializeSeed, Error as _, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};

/// Maximum nesting depth of arrays and objects (docs/contract.md#request-bodies).
const MAX_DEPTH: usize = 32;
/// Maximum number of values, at all levels (docs/contract.md#request-bodies).
const MAX_VALUES: usize = 100_000;

/// Parses JSON strictly. Also returns the number of values.
///
/// # Errors
///
/// Duplicate members, NUL characters, deep nesting, too many values, numbers outside the range of a double and strings
/// that are not valid Unicode.
pub fn parse(bytes: &[u8]) -> Result<(Value, usize), serde_json::Error> {
    let values = Cell::new(0);
    let strict = Strict { levels: MAX_DEPTH, max_values: MAX_VALUES, accepts_nul: false, values: &values };
    Ok((strict.parse(bytes)?, values.get()))
}

/// Parses JSON whose values are validated one by one afterwards, so that a single invalid value does not reject the
/// others. Accepts NUL characters, any number of values, and the nesting depth that the parser accepts.
///
/// # Errors
///
/// Duplicate members, numbers outside the range of a double and strings that are not valid Unicode.
pub fn parse_unambiguous(bytes: &[u8]) -> Result<Value, serde_json::Error> {
    let values = Cell::new(0);
    Strict { levels: usize::MAX, max_values: usize::MAX, accepts_nul: true, values: &values }.parse(bytes)
}

/// Builds a value in one pass and rejects ambiguous input.
#[derive(Clone, Copy)]
struct Strict<'a> {
    /// Number of further levels that may be nested.
    levels: usize,
    /// Maximum number of values.
    max_values: usize,
    /// Whether strings may contain NUL characters.
    accepts_nul: bool,
    /// Number of values so far.
    values: &'a Cell<usize>,
}

impl Strict<'_> {
    fn parse(self, bytes: &[u8]) -> Result<Value, serde_json::Error> {
        let mut reader = serde_json::Deserializer::from_slice(bytes);
        let value = self.deserialize(&mut reader)?;
        reader.end()?;
        Ok(value)
    }

    fn deeper<E: serde::de::Error>(self) -> Result<Self, E> {
        let levels = self.levels.checked_sub(1).ok_or_else(|| E::custom("more than 32 levels of nesting"))?;
        Ok(Self { levels, ..self })
    }

    fn count<E: serde::de::Error>(self) -> Result<(), E> {
        self.values.set(self.values.get().saturating_add(1));
        if self.values.get() > self.max_values { Err(E::custom("more than 100,000 values")) } else { Ok(()) }
    }

    fn text<E: serde::de::Error>(self, text: String) -> Result<String, E> {
        if !self.accepts_nul && text.contains('\0') {
            return Err(E::custom("a string contains a NUL character"));
        }
        Ok(text)
    }
}

impl<'de> DeserializeSeed<'de> for Strict<'_> {
    type Value = Value;

    fn deserialize<D: serde::Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        self.count::<D::Error>()?;
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Strict<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E: serde::de::Error>(self, value: f64) -> Result<Value, E> {
        serde_json::Number::from_f64(value).map(Value::Number).ok_or_else(|| E::custom("a number is out of range"))
    }

    fn visit_str<E: serde::de::Error>(self, value: &str) -> Result<Value, E> {
        self.text(value.to_owned()).map(Value::String)
    }

    fn visit_string<E: serde::de::Error>(self, value: String) -> Result<Value, E> {
        self.text(value).map(Value::String)
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut access: A) -> Result<Value, A::Error> {
        let inner = self.deeper()?;
        let mut values = Vec::new();
        while let Some(value) = access.next_element_seed(inner)? {
            values.push(value);
        }
        Ok(Value::Array(values))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Value, A::Error> {
        let inner = self.deeper()?;
        let mut members = Map::new();
        while let Some(name) = access.next_key::<String>()? {
            let name = self.text(name)?;
            if members.contains_key(&name) {
                return Err(A::Error::custom(format_args!("the object has two members named \"{name}\"")));
            }
            members.insert(name, access.next_value_seed(inner)?);
        }
        Ok(Value::Object(members))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn parse(bytes: &[u8]) -> Result<Value, serde_json::Error> {
        super::parse(bytes).map(|(value, _)| value)
    }

    #[test]
    fn ambiguous_json_is_rejected() {
        let deep = |levels: usize| format!("{}{}", "[".repeat(levels), "]".repeat(levels));
        for invalid in [
            r#"{"a": 1, "a": 2}"#,
            r#"[{"a": {"b": 1, "b": 1}}]"#,
            r#"{"a\u0000": 1}"#,
            r#""a\u0000""#,
            r#""\ud800""#,
            r#""\udc00\ud800""#,
            "1e999",
            "-1e999",
            "[1] 2",
            "{",
            "",
            "NaN",
            "01",
            &deep(33),
        ] {
            assert!(parse(invalid.as_bytes()).is_err(), "{invalid}");
        }
        assert!(parse(b"\"\xff\"").is_err());
    }

    #[test]
    fn valid_json_is_parsed_without_change() {
        let text = r#"{"z":1,"a":[null,true,-1,1.5,1e22,18446744073709551615,"\ud83d\ude00"],"":{}}"#;
        assert_eq!(parse(text.as_bytes()).unwrap(), serde_json::from_str::<Value>(text).unwrap());
        assert!(parse(format!("{}{}", "[".repeat(32), "]".repeat(32)).as_bytes()).is_ok());
        assert_eq!(parse(b" {\"b\": 1, \"a\": 2} ").unwrap().to_string(), r#"{"b":1,"a":2}"#);
        assert_eq!(parse(b"1.0").unwrap(), json!(1.0));
    }

    #[test]
    fn json_whose_values_are_validated_later_is_rejected_only_if_it_is_ambiguous() {
        for invalid in [r#"{"a": 1, "a": 2}"#, r#"[{"a": {"b": 1, "b": 1}}]"#, r#""\ud800""#, "1e999", "[1] 2", ""] {
            assert!(parse_unambiguous(invalid.as_bytes()).is_err(), "{invalid}");
        }
        let (deep, many) = (format!("{}{}", "[".repeat(33), "]".repeat(33)), format!("[{}0]", "0,".repeat(MAX_VALUES)));
        for valid in [r#"{"a\u0000": "\u0000"}"#, &deep, &many] {
            assert!(parse(valid.as_bytes()).is_err());
            assert_eq!(parse_unambiguous(valid.as_bytes()).unwrap(), serde_json::from_str::<Value>(valid).unwrap());
        }
    }

    #[test]
    fn values_are_counted_at_all_levels_and_limited() {
        let (_, values) = super::parse(br#"{"a": [1, {"b": null}], "c": "d"}"#).unwrap();
        assert_eq!(values, 6);
        let array = |values: usize| format!("[{}]", vec!["0"; values].join(","));
        assert!(parse(array(MAX_VALUES - 1).as_bytes()).is_ok());
        let error = parse(array(MAX_VALUES).as_bytes()).unwrap_err().to_string();
        assert!(error.starts_with("more than 100,000 values at line 1 column"), "{error}");
    }
}
