//! Reads the members of a JSON object into a type and reports all violations together: unknown members, missing members
//! and members of a wrong JSON type (docs/contract.md#request-bodies). A placeholder replaces each member that cannot
//! be read. A value with placeholders is never used; it only lets the handler validate the other members.

use std::collections::HashSet;
use std::fmt;
use std::iter;

use serde::de::value::{MapDeserializer, SeqDeserializer};
use serde::de::{self, DeserializeOwned, DeserializeSeed, Deserializer, MapAccess, Visitor};
use serde::{Serialize, forward_to_deserialize_any};
use serde_json::{Map, Value, json};
use steward_domain::kernel::error::{Error, FieldViolations};
use steward_domain::kernel::violations::{Violation, ViolationCode, Violations, quoted};
use uuid::Uuid;

/// A value and the violations of its members. If there are any, the value may contain placeholders.
pub(crate) struct Read<T> {
    pub(crate) value: T,
    pub(crate) violations: Violations<Violation>,
    /// The names of the members of the type.
    known: &'static [&'static str],
}

impl<T> Read<T> {
    /// Requires that the object has the IDs of its resource, or none. Ignoring another one would look as if an update had
    /// changed it. Members of the type are not compared, and null stands for an absent ID.
    pub(crate) fn with_ids(mut self, members: &Map<String, Value>, ids: &[(&'static str, Uuid)]) -> Self {
        let is_other = |(name, id): &&(&'static str, Uuid)| {
            let sent = members.get(*name).filter(|value| !value.is_null() && !self.known.contains(name));
            sent.is_some_and(|value| value.as_str().and_then(|text| Uuid::try_parse(text).ok()) != Some(*id))
        };
        self.violations.extend(ids.iter().filter(is_other).map(|(name, id)| {
            Violation::invalid(*name, format_args!("must be {id} or absent, because it cannot be changed"))
        }));
        self
    }
}

impl<T: Serialize> Read<T> {
    /// Requires at least one member, for changes to a resource. The type serializes only the members that are present.
    pub(crate) fn with_any_member(mut self) -> Self {
        let is_empty = serde_json::to_value(&self.value).is_ok_and(|value| value == json!({}));
        if let Some(first) = self.known.first().filter(|_| is_empty) {
            let names = self.known.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
            let names = names.rsplit_once(", ").map_or(names.clone(), |(others, last)| format!("{others} and {last}"));
            let mut violations = FieldViolations::from(self.violations);
            violations.add(Violation::invalid(*first, format_args!("at least one of {names} is required")));
            self.violations = violations.into();
        }
        self
    }
}

/// Reads an object. Unknown members are violations unless `ignored` lists them.
pub(crate) fn read<T: DeserializeOwned>(
    members: &Map<String, Value>,
    ignored: impl Fn() -> Vec<String>,
) -> Result<Read<T>, Error> {
    let mut errors: Vec<Violation> = Vec::new();
    loop {
        let mut known: &'static [&'static str] = &[];
        let placeholders = errors.iter().map(|error| error.field.as_str()).collect();
        match T::deserialize(Object { members, placeholders, known: &mut known }) {
            Ok(value) => return Ok(Read { value, violations: violations(members, known, ignored, errors), known }),
            // Each iteration finds one more member that needs a placeholder.
            Err(ObjectError::Member(error)) if !errors.iter().any(|other| other.field == error.field) => {
                errors.push(error);
            }
            Err(error) => return Err(Error::invalid("body", error)),
        }
    }
}

fn violations(
    members: &Map<String, Value>,
    known: &[&str],
    ignored: impl Fn() -> Vec<String>,
    errors: Vec<Violation>,
) -> Violations<Violation> {
    let is_unknown = |name: &&String| !known.contains(&name.as_str());
    let mut found = Violations::default();
    if members.keys().any(|name| is_unknown(&name)) {
        let ignored: HashSet<String> = ignored().into_iter().collect();
        let unknown = members.keys().filter(is_unknown).filter(|name| !ignored.contains(*name));
        found.extend(unknown.map(|name| Violation::unknown(name, known)));
    }
    found.extend(errors);
    found
}

/// Parses a value into a command. Returns the violations of the members together with those that `parse` finds.
pub(crate) fn command<T, C, E: Into<crate::error::ApiError>>(
    read: Read<T>,
    parse: impl FnOnce(T, FieldViolations) -> Result<C, E>,
) -> Result<C, crate::error::ApiError> {
    let Read { value, violations, .. } = read;
    if violations.is_empty() {
        return parse(value, FieldViolations::default()).map_err(Into::into);
    }
    // The value may contain placeholders: its command is discarded.
    let errors = FieldViolations::from(violations.clone());
    let error = parse(value, errors).err().map(Into::into).filter(crate::error::ApiError::lists_violations);
    Err(error.unwrap_or_else(|| Error::Invalid(violations).into()))
}

/// Why an object cannot be read.
#[derive(Debug)]
enum ObjectError {
    /// A member cannot be read.
    Member(Violation),
    Other(String),
}

impl fmt::Display for ObjectError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Member(error) => f.write_str(&error.message),
            Self::Other(message) => f.write_str(message),
        }
    }
}

impl std::error::Error for ObjectError {}

impl de::Error for ObjectError {
    fn custom<T: fmt::Display>(message: T) -> Self {
        Self::Other(message.to_string())
    }

    fn missing_field(field: &'static str) -> Self {
        let (field, message) = (field.to_owned(), "is required".to_owned());
        Self::Member(Violation { field, code: ViolationCode::MissingField, message })
    }
}

/// Returns the message about a value of the wrong type.
fn wrong_type(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let detail = ["invalid type: ", "invalid value: "].iter().find_map(|prefix| text.strip_prefix(prefix));
    match detail.and_then(|detail| detail.rsplit_once(", expected ")) {
        Some((found, expected)) => {
            let expected = match expected {
                "u8" | "u16" | "u32" | "u64" => "a non-negative integer",
                "a boolean" => "true or false",
                "a sequence" => "an array",
                "a map" => "an object",
                other => other,
            };
            format!("must be {expected}, not {}", quoted(found))
        }
        None => quoted(&text),
    }
}

/// Deserializes an object member by member, with placeholders for those that cannot be read.
struct Object<'a> {
    members: &'a Map<String, Value>,
    placeholders: HashSet<&'a str>,
    /// Output: the names of the members of the type.
    known: &'a mut &'static [&'static str],
}

impl<'de> Deserializer<'de> for Object<'de> {
    type Error = ObjectError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ObjectError> {
        Err(de::Error::invalid_type(de::Unexpected::Map, &visitor))
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, ObjectError> {
        *self.known = fields;
        visitor.visit_map(Members { object: self, fields: fields.iter(), next: None })
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit unit_struct
        newtype_struct seq tuple tuple_struct map enum identifier ignored_any
    }
}

struct Members<'a> {
    object: Object<'a>,
    fields: std::slice::Iter<'static, &'static str>,
    /// The member whose name was returned last. `None` as its value means a placeholder.
    next: Option<(&'static str, Option<&'a Value>)>,
}

impl<'de> MapAccess<'de> for Members<'de> {
    type Error = ObjectError;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, ObjectError> {
        let object = &self.object;
        self.next = self.fields.find_map(|name| match object.placeholders.contains(name) {
            true => Some((*name, None)),
            false => object.members.get(*name).map(|value| (*name, Some(value))),
        });
        self.next.map(|(name, _)| seed.deserialize(de::value::StrDeserializer::new(name))).transpose()
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, ObjectError> {
        match self.next.take() {
            Some((field, Some(value))) => seed.deserialize(value).map_err(|error| {
                let (code, message) = match value {
                    Value::Null => (ViolationCode::MissingField, "is required and must not be null".to_owned()),
                    _ => (ViolationCode::InvalidType, wrong_type(&error)),
                };
                ObjectError::Member(Violation { field: field.to_owned(), code, message })
            }),
            _ => seed.deserialize(Placeholder),
        }
    }
}

/// Deserializes to the empty value of any type.
struct Placeholder;

macro_rules! placeholders {
    ($($deserialize:ident => $visit:ident($($value:expr)?);)+) => {
        $(fn $deserialize<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ObjectError> {
            visitor.$visit($($value)?)
        })+
    };
}

impl<'de> Deserializer<'de> for Placeholder {
    type Error = ObjectError;

    placeholders! {
        deserialize_any => visit_unit();
        deserialize_bool => visit_bool(false);
        deserialize_u16 => visit_u64(0);
        deserialize_u32 => visit_u64(0);
        deserialize_u64 => visit_u64(0);
        deserialize_i64 => visit_u64(0);
        deserialize_str => visit_str("");
        deserialize_string => visit_str("");
        deserialize_option => visit_none();
        deserialize_seq => visit_seq(SeqDeserializer::new(iter::empty::<()>()));
        deserialize_map => visit_map(MapDeserializer::new(iter::empty::<((), ())>()));
    }

    forward_to_deserialize_any! {
        i8 i16 i32 i128 u8 u128 f32 f64 char bytes byte_buf unit unit_struct newtype_struct tuple tuple_struct struct enum
        identifier ignored_any
    }
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;
    use serde_json::json;

    use super::*;

    #[derive(Debug, Deserialize)]
    struct Body {
        label: String,
        count: u32,
        names: Option<Vec<String>>,
        free: Map<String, Value>,
        any: Value,
    }

    fn found(value: Value) -> Vec<(String, &'static str, String)> {
        let read = read::<Body>(value.as_object().unwrap(), || vec!["id".into()]).unwrap();
        let parts =
            |violation: &Violation| (violation.field.clone(), violation.code.as_str(), violation.message.clone());
        read.violations.as_slice().iter().map(parts).collect()
    }

    #[test]
    fn all_violations_are_reported_together() {
        let all = found(json!({"lable": "x", "id": 1, "count": "3", "names": ["a", 5], "free": null}));
        let reported: Vec<_> =
            all.iter().map(|(field, code, message)| (field.as_str(), *code, message.as_str())).collect();
        assert_eq!(
            reported,
            [
                ("lable", "unknown_field", "is not a known field (did you mean `label`?)"),
                ("count", "invalid_type", "must be a non-negative integer, not string \"3\""),
                ("names", "invalid_type", "must be a string, not integer `5`"),
                ("free", "missing_field", "is required and must not be null"),
                ("label", "missing_field", "is required"),
                ("any", "missing_field", "is required"),
            ]
        );
    }

    #[test]
    fn a_valid_object_is_read_without_change() {
        let sent = json!({"label": "x", "count": 3, "free": {"a": [1]}, "any": null, "id": 7});
        assert!(found(sent.clone()).is_empty());
        let body = read::<Body>(sent.as_object().unwrap(), || vec!["id".into()]).unwrap().value;
        assert_eq!((body.label.as_str(), body.count, body.names, body.any), ("x", 3, None, Value::Null));
        assert_eq!(Value::Object(body.free), json!({"a": [1]}));
    }

    #[test]
    fn an_ignored_id_is_that_of_the_resource() {
        let id = Uuid::from_u64_pair(0x0194_0000_0000_7000, 0x8000_0000_0000_abcd);
        let fields = |sent: Value| {
            let (members, ignored) = (sent.as_object().unwrap(), || vec!["id".to_owned()]);
            let read = read::<steward_api::ProjectChanges>(members, ignored).unwrap();
            let violations = read.with_ids(members, &[("id", id), ("name", id)]).violations;
            violations.as_slice().iter().map(|one| one.field.clone()).collect::<Vec<_>>()
        };
        for same in [json!({"id": id}), json!({"id": id.to_string().to_uppercase()}), json!({"id": null}), json!({})] {
            assert!(fields(same.clone()).is_empty(), "{same}");
        }
        for other in [json!({"id": Uuid::nil(), "name": "x"}), json!({"id": 5}), json!({"id": ""})] {
            assert_eq!(fields(other.clone()), ["id"], "{other}");
        }
    }

    #[test]
    fn a_change_has_at_least_one_member() {
        let messages = |sent: Value| {
            let read = read::<steward_api::ProjectChanges>(sent.as_object().unwrap(), Vec::new).unwrap();
            let violations = read.with_any_member().violations;
            violations.as_slice().iter().map(|one| format!("{} {}", one.field, one.message)).collect::<Vec<_>>()
        };
        let required = "name at least one of `name`, `slug`, `website` and `profile` is required";
        assert_eq!(messages(json!({})), [required]);
        assert_eq!(messages(json!({"slug": null})), [required]);
        assert!(messages(json!({"website": null})).is_empty() && messages(json!({"slug": "a"})).is_empty());
        assert_eq!(messages(json!({"name": 5})), ["name must be a string, not integer `5`"]);
        assert_eq!(messages(json!({"slug": 5})), ["slug must be a string, not integer `5`", required]);
    }

    #[test]
    fn a_value_with_placeholders_never_becomes_a_command() {
        let read = || read::<Body>(json!({"label": "x"}).as_object().unwrap(), Vec::new).unwrap();
        let result = command(read(), |body, _| Ok::<_, Error>(body.label));
        assert!(result.is_err());
        let all = command(read(), |_, mut errors| {
            errors.check::<(), _>("label", Err("is too short"));
            errors.check::<(), _>("count", Err("is zero"));
            errors.finish(Some(()))
        });
        let message = all.unwrap_err().to_string();
        assert_eq!(message, "count: is required; free: is required; any: is required; label: is too short.");
    }
}
