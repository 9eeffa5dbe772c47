//! Reads members of JSON objects.

use serde_json::Value;

/// Returns the members of an object; none for any other value.
pub(super) fn object(value: Option<&Value>) -> impl Iterator<Item = (&String, &Value)> {
    value.and_then(Value::as_object).into_iter().flatten()
}

/// Returns a number without a fraction as an integer: JSON Schema treats `1` and `1.0` as the same integer.
pub(super) fn whole_number(value: &Value) -> Option<u64> {
    value.as_u64().or_else(|| {
        let number = value.as_f64()?;
        (number.fract() == 0.0).then(|| format!("{number:.0}").parse().ok())?
    })
}
