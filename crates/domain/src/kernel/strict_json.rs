//! Reads JSON from outside: requests, forms and files. JSON that two parsers could interpret differently, or that takes
//! much memory, is rejected (docs/contract.md#request-bodies).

mod numbers;

use std::cell::Cell;
use std::fmt;

use serde::de::{DeserializeSeed, Error as _, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};

pub use numbers::without_changed as without_changed_numbers;

/// Maximum nesting depth of arrays and objects (docs/contract.md#request-bodies).
const MAX_DEPTH: usize = 32;
/// Maximum number of values, at all levels (docs/contract.md#request-bodies).
const MAX_VALUES: usize = 100_000;

/// What some programs write at the start of a text, although UTF-8 does not need it.
const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

/// Parses JSON strictly. Also returns the number of values.
///
/// # Errors
///
/// Duplicate members, NUL characters, deep nesting, too many values, numbers that would be stored as other ones and
/// strings that are not valid Unicode.
pub fn parse(bytes: &[u8]) -> Result<(Value, usize), serde_json::Error> {
    let seen = Seen::default();
    let strict = Strict { levels: MAX_DEPTH, max_values: MAX_VALUES, accepts_nul: false, seen: &seen };
    let bytes = without_byte_order_mark(bytes);
    let value = strict.parse(bytes)?;
    // Other numbers are integers of 64 bits, which are exact.
    let changed = if seen.has_doubles.get() { numbers::first_changed(bytes) } else { None };
    changed.map_or(Ok((value, seen.values.get())), |position| Err(changed_number(bytes, position)))
}

/// Parses JSON whose values are validated one by one afterwards, so that a single invalid value does not reject the
/// others. Accepts NUL characters, any number of values, and the nesting depth that the parser accepts. Numbers are to
/// be replaced before ([`without_changed_numbers`]).
///
/// # Errors
///
/// Duplicate members, numbers outside the range of a double and strings that are not valid Unicode.
pub fn parse_unambiguous(bytes: &[u8]) -> Result<Value, serde_json::Error> {
    let strict = Strict { levels: usize::MAX, max_values: usize::MAX, accepts_nul: true, seen: &Seen::default() };
    strict.parse(without_byte_order_mark(bytes))
}

/// Returns whether a text is a JSON number that would be stored as another one.
pub fn is_changed_number(text: &str) -> bool {
    numbers::is_whole(text) && numbers::is_changed(text)
}

/// Returns a text in UTF-8 without its byte order mark.
pub fn without_byte_order_mark(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix(BYTE_ORDER_MARK).unwrap_or(bytes)
}

/// Returns the error of a number that would be stored as another one, with its place.
fn changed_number(text: &[u8], position: usize) -> serde_json::Error {
    let before = text.get(..position).unwrap_or_default();
    let line = before.iter().filter(|byte| **byte == b'\n').count().saturating_add(1);
    let column = before.iter().rev().take_while(|byte| **byte != b'\n').count().saturating_add(1);
    let message = "a number would be stored as another one, send it as a string";
    serde_json::Error::custom(format_args!("{message} at line {line} column {column}"))
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
    seen: &'a Seen,
}

/// What was read so far.
#[derive(Default)]
struct Seen {
    /// Number of values.
    values: Cell<usize>,
    /// Whether a number is not a 64-bit integer.
    has_doubles: Cell<bool>,
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
        let values = self.seen.values.get().saturating_add(1);
        self.seen.values.set(values);
        if values > self.max_values { Err(E::custom("more than 100,000 values")) } else { Ok(()) }
    }

    fn text<E: serde::de::Error>(self, text: String) -> Result<String, E> {
        let is_refused = !self.accepts_nul && text.contains('\0');
        if is_refused { Err(E::custom("a string contains a NUL character")) } else { Ok(text) }
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
        self.seen.has_doubles.set(true);
        serde_json::Number::from_f64(value).map(Value::Number).ok_or_else(|| E::custom("a number is out of range"))
    }

    fn visit_str<E: serde::de::Error>(self, value: &str) -> Result<Value, E> {
        self.text(value.to_owned()).map(Value::String)
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
            "1e-400",
            "[1, 12345678901234567890123]",
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
        assert_eq!(parse(b"[18446744073709551616]").unwrap(), json!([1.844_674_407_370_955_2e19]));
        assert_eq!(parse("\u{feff}{\"a\": 0.1}".as_bytes()).unwrap(), json!({"a": 0.1}));
        assert_eq!(parse_unambiguous("\u{feff}[]".as_bytes()).unwrap(), json!([]));
        assert!(parse("\u{feff}\u{feff}{}".as_bytes()).is_err());
    }

    #[test]
    fn the_place_of_a_number_that_would_be_changed_is_named() {
        let error = parse(b"{\"a\": 1.5,\n \"b\": 1e-400}").unwrap_err().to_string();
        assert_eq!(error, "a number would be stored as another one, send it as a string at line 2 column 7");
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
