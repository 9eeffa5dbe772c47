//! The position of an item in an ordered list, as encoded in a cursor: the values of the sort keys and the fingerprint
//! of the query.

use chrono::{DateTime, Datelike as _};
use serde_json::{Number, Value, json};

use super::field_kind::FieldKind;
use super::{ItemQuery, Operand, Property, SortKey};
use crate::data::StoredItem;
use crate::kernel::{ProjectUserId, Time};

/// Returns a fingerprint of the order and the conditions of a query. It does not depend on the order of the parameters.
pub(super) fn fingerprint<'a>(order: Option<&str>, conditions: impl Iterator<Item = &'a (String, String)>) -> u32 {
    let mut lines: Vec<String> = conditions.map(|(name, value)| format!("{name}={value}")).collect();
    lines.sort_unstable();
    lines.push(format!("order={}", order.unwrap_or_default()));
    crc32fast::hash(lines.join("\n").as_bytes())
}

impl ItemQuery {
    /// Returns the values of the sort keys of an item.
    pub(super) fn values_of(&self, stored: &StoredItem) -> Vec<Option<Operand>> {
        self.order.iter().map(|key| value_of(&key.property, stored)).collect()
    }

    /// Returns the cursor of the item with these values of the sort keys.
    pub(super) fn cursor(&self, values: Vec<Option<Operand>>) -> String {
        let mut members = vec![json!(self.fingerprint)];
        members.extend(values.into_iter().map(|value| match value {
            None => Value::Null,
            Some(Operand::Text(text)) => Value::String(text),
            Some(Operand::Number(number)) => Value::Number(number),
            Some(Operand::Boolean(boolean)) => Value::Bool(boolean),
            Some(Operand::Timestamp(at)) => json!(at.timestamp_micros()),
            Some(Operand::User(user)) => json!(user.to_string()),
        }));
        Value::Array(members).to_string()
    }
}

/// Returns the value of a property by which an item is sorted.
fn value_of(property: &Property, stored: &StoredItem) -> Option<Operand> {
    match property {
        Property::Id => Some(Operand::Text(stored.item.id.as_str().to_owned())),
        Property::CreatedAt => Some(Operand::Timestamp(stored.created_at)),
        Property::UpdatedAt => Some(Operand::Timestamp(stored.updated_at)),
        Property::User => Some(Operand::User(stored.item.user_id)),
        // No list is sorted by it.
        Property::Conforms(_) => None,
        Property::Field { name, .. } => match (stored.item.value.fields().ok()?.get(name)?, FieldKind::of(property)) {
            (Value::String(text), FieldKind::Text) => {
                Some(Operand::Text(text.chars().take(SortKey::MAX_BYTES).collect()))
            }
            (Value::Number(number), FieldKind::Number) => comparable(number).map(Operand::Number),
            (Value::Bool(boolean), FieldKind::Boolean) => Some(Operand::Boolean(*boolean)),
            _ => None,
        },
    }
}

/// Converts a number to the form in which it is compared: signed 64-bit integers are unchanged, all others become
/// doubles.
pub(super) fn comparable(number: &Number) -> Option<Number> {
    if number.is_i64() { Some(number.clone()) } else { Number::from_f64(number.as_f64()?) }
}

/// Returns a timestamp, limited to years that every database sorts correctly.
pub(super) fn timestamp(micros: i64) -> Option<Time> {
    DateTime::from_timestamp_micros(micros).filter(|at| (0..=9999).contains(&at.year()))
}

/// Parses the values of the sort keys from a cursor, which may be forged.
pub(super) fn parse(text: &str, order: &[SortKey], expected: u32) -> Result<Vec<Option<Operand>>, &'static str> {
    const ERROR: &str = "must be a next_cursor of the same list with the same order and conditions";
    let Ok(Value::Array(members)) = serde_json::from_str(text) else { return Err(ERROR) };
    let Some((found, values)) = members.split_first() else { return Err(ERROR) };
    if *found != json!(expected) || values.len() != order.len() {
        return Err(ERROR);
    }
    let values = order.iter().zip(values).map(|(key, value)| match value {
        Value::Null if !key.property.is_always_there() => Some(None),
        other => operand(FieldKind::of(&key.property), other).map(Some),
    });
    values.collect::<Option<_>>().ok_or(ERROR)
}

fn operand(kind: FieldKind, value: &Value) -> Option<Operand> {
    match (value, kind) {
        (Value::String(text), FieldKind::Text) if !text.contains('\0') => Some(Operand::Text(text.clone())),
        (Value::Number(number), FieldKind::Number) => comparable(number).map(Operand::Number),
        (Value::Bool(boolean), FieldKind::Boolean) => Some(Operand::Boolean(*boolean)),
        (Value::Number(micros), FieldKind::Timestamp) => timestamp(micros.as_i64()?).map(Operand::Timestamp),
        (Value::String(user), FieldKind::User) => ProjectUserId::parse(user).map(Operand::User),
        _ => None,
    }
}
