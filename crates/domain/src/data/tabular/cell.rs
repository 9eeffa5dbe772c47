//! The cells of CSV files: how the text of a cell becomes the value of a field, and back.

use serde_json::Value;

use crate::data::schema::FieldType;
use crate::kernel::strict_json;

const CHANGED_NUMBER: &str = "is a number that would be stored as another one. Use a field of the type string";

/// Returns the value of a cell; `None` for an empty cell.
///
/// # Errors
///
/// Returns a predicate if the text is not a value of the type.
pub(super) fn parse_cell(kind: FieldType, text: &str) -> Result<Option<Value>, String> {
    let trimmed = text.trim();
    if text.is_empty() || trimmed.is_empty() && kind != FieldType::String {
        return Ok(None);
    }
    let value = match kind {
        FieldType::String if text.contains('\0') => Err("must not contain a NUL character".to_owned()),
        FieldType::String => Ok(Value::String(text.to_owned())),
        // Spreadsheets write TRUE and FALSE.
        FieldType::Boolean => match trimmed.to_ascii_lowercase().parse::<bool>() {
            Ok(value) => Ok(Value::Bool(value)),
            Err(_) => Err("must be true or false".to_owned()),
        },
        FieldType::Number => match parse_json(trimmed) {
            Ok(value) if value.is_number() => Ok(value),
            _ if has_comma(trimmed) => Err("must be a number with a decimal point, such as 1.5, and without other \
                 separators: it has a decimal comma"
                .to_owned()),
            Err(_) if strict_json::is_changed_number(trimmed) => Err(CHANGED_NUMBER.to_owned()),
            _ => Err("must be a number, such as 3 or -0.5".to_owned()),
        },
        FieldType::Json => match parse_json(trimmed) {
            Ok(value) if value.is_object() || value.is_array() => Ok(value),
            Ok(_) => Err("must be a JSON object or array".to_owned()),
            Err(error) => Err(error),
        },
    };
    value.map(Some)
}

/// Returns whether a text is a number as people of many languages write it, such as 1,5 or 1.234,5. Its comma is not
/// replaced, because 1,234 has two meanings.
fn has_comma(text: &str) -> bool {
    let separators = [',', '.', ' ', '\'', '\u{a0}', '\u{2019}', '\u{202f}'];
    let digits = text.trim_start_matches(['-', '+', '\u{2212}']).replace(separators, "");
    text.contains(',') && !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
}

/// Returns the cell of a value: the text of a string, nothing for null, and JSON for other values.
pub(super) fn cell_of(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// Parses JSON by the rules of the API. The error is a predicate.
fn parse_json(text: &str) -> Result<Value, String> {
    let (value, _) = strict_json::parse(text.as_bytes()).map_err(|error| format!("is not valid JSON: {error}"))?;
    Ok(value)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn cells_are_read_by_the_type_of_their_field() {
        for (kind, text, value) in [
            (FieldType::String, " a ", json!(" a ")),
            (FieldType::String, "5", json!("5")),
            (FieldType::Boolean, "TRUE", json!(true)),
            (FieldType::Boolean, " false ", json!(false)),
            (FieldType::Number, " -0.5 ", json!(-0.5)),
            (FieldType::Number, "1e3", json!(1e3)),
            (FieldType::Json, "[1, {\"a\": null}]", json!([1, {"a": null}])),
        ] {
            assert_eq!(parse_cell(kind, text), Ok(Some(value)), "{text}");
        }
        for kind in FieldType::ALL {
            assert_eq!(parse_cell(kind, ""), Ok(None));
        }
    }

    #[test]
    fn a_cell_of_another_type_is_refused() {
        for (kind, text) in [
            (FieldType::Boolean, "yes"),
            (FieldType::Boolean, "1"),
            (FieldType::Number, "1,5"),
            (FieldType::Number, "0x10"),
            (FieldType::Number, "NaN"),
            (FieldType::Number, "1e999"),
            (FieldType::Number, "\"5\""),
            (FieldType::Json, "null"),
            (FieldType::Json, "5"),
            (FieldType::Json, "{"),
            (FieldType::Json, "{\"a\": \"\\u0000\"}"),
            (FieldType::String, "a\0"),
        ] {
            assert!(parse_cell(kind, text).is_err(), "{text}");
        }
        for text in ["12345678901234567890123", "1e-400"] {
            assert_eq!(parse_cell(FieldType::Number, text), Err(CHANGED_NUMBER.to_owned()));
        }
    }

    #[test]
    fn a_decimal_comma_is_named_as_the_cause() {
        for text in ["1,5", "-1,5", " 0,25 ", "1.234,5", "1 234,5", "1\u{202f}234,5", "1'234,5", "1,234.5"] {
            let error = parse_cell(FieldType::Number, text).unwrap_err();
            assert!(error.contains("decimal comma"), "{text}: {error}");
        }
        for text in ["a,b", ",", "1.2.3", "one"] {
            let error = parse_cell(FieldType::Number, text).unwrap_err();
            assert_eq!(error, "must be a number, such as 3 or -0.5", "{text}");
        }
    }
}
