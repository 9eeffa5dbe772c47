//! Errors of a publication as sentences about the fields of a form.

use serde_json::Value;
use steward_domain::kernel::error::{Conflict, Error, ResourceKind};
use steward_domain::kernel::violations::{Violation, Violations};

/// The ID of the checkbox that confirms a publication although stored items no longer conform.
pub(crate) const CONFIRMATION: &str = "allow_destructive-true";

/// Returns an error of a publication as an error of its form. `field` returns the ID of the field in which a part of
/// the document is entered; its argument is the path of the part.
pub(crate) fn readable(error: Error, field: impl Fn(&[String]) -> String) -> Error {
    match error {
        Error::InvalidSchema { errors, .. } => {
            let listed = errors.as_slice().iter().filter_map(|violation| {
                let (path, message) = path_and_message(violation)?;
                Some(Violation::invalid(field(&path), message))
            });
            Error::Invalid(listed.collect::<Violations<Violation>>())
        }
        // Someone else published in the meantime.
        Error::Conflict(Conflict::VersionTaken { .. }) => Error::PreconditionFailed(ResourceKind::Schema),
        Error::Conflict(Conflict::SchemaBreaking(_) | Conflict::TooManyItems) => {
            Error::invalid(CONFIRMATION, "Confirm that stored items may no longer conform.")
        }
        error => error,
    }
}

/// Returns the path and the description of a violation. `None` for the details of an invalid name, which is described
/// as a whole.
fn path_and_message(violation: &Value) -> Option<(Vec<String>, String)> {
    let text = |value: &Value, name: &str| value.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
    let message = text(violation, "message");
    if let Some(change) = violation.get("change") {
        return Some((path_of_change(change), message));
    }
    let pointer = text(violation, "instancePath");
    // Steps of a JSON pointer are escaped (RFC 6901 §4).
    let steps = pointer.split('/').skip(1).map(|step| step.replace("~1", "/").replace("~0", "~"));
    let mut path: Vec<String> = steps.collect();
    if violation.get("keyword").and_then(Value::as_str) == Some("propertyNames") {
        let name = violation.get("params").map(|params| text(params, "propertyName")).unwrap_or_default();
        let rules = "A name has at most 50 letters, digits and underscores, starts with a letter or a digit, and is not \
                     \"id\".";
        let message = format!("The name \"{name}\" is not valid. {rules}");
        path.push(name);
        return Some((path, message));
    }
    if violation.get("propertyName").is_some() {
        return None;
    }
    let allowed = violation.pointer("/params/allowedValues").and_then(Value::as_array);
    let message = match allowed {
        Some(allowed) => {
            let allowed: Vec<&str> = allowed.iter().filter_map(Value::as_str).collect();
            format!("must be one of: {}", allowed.join(", "))
        }
        None => message,
    };
    let message = match (message.starts_with(char::is_uppercase), pointer.as_str()) {
        (true, _) => message,
        (false, "") => format!("The document {message}"),
        (false, pointer) => format!("The value at {pointer} {message}"),
    };
    Some((path, message))
}

/// Returns the path of a change that is not possible: `tables`, the table, `fields`, the field, without those that it
/// does not have.
fn path_of_change(change: &Value) -> Vec<String> {
    let member = |name: &str| change.get(name).and_then(Value::as_str).map(str::to_owned);
    let (table, field) = (member("table"), member("field"));
    let within = |parent: &str, name: Option<String>| name.map(|name| [parent.to_owned(), name]).into_iter().flatten();
    within("tables", table).chain(within("fields", field)).chain(member("property")).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use steward_domain::data::schema::Document;

    use super::*;

    #[test]
    fn each_violation_is_one_sentence_about_its_place() {
        let fields =
            json!({"good": {"type": "text"}, "a b": {"type": "json"}, "n": {"type": "json"}, "N": {"type": "json"}});
        let document = json!({"project_id": "p", "version": 1, "tables": {"t": {"fields": fields}}});
        let error = Error::invalid_schema(Document::parse(&document).unwrap_err());
        let Error::Invalid(violations) = readable(error, |path| path.join(" ")) else { panic!() };
        let found: Vec<(&str, &str)> =
            violations.as_slice().iter().map(|one| (one.field.as_str(), one.message.as_str())).collect();
        assert_eq!(found.len(), 3, "{found:?}");
        assert!(found.iter().any(|(path, message)| *path == "tables t fields a b" && message.contains("\"a b\"")));
        assert!(found.contains(&(
            "tables t fields good type",
            "The value at /tables/t/fields/good/type must be one of: string, boolean, number, json"
        )));
        assert!(found.iter().any(|(path, message)| *path == "tables t fields N" && message.starts_with("Field name")));
    }

    #[test]
    fn a_change_that_is_not_possible_belongs_to_its_field() {
        let change = json!({"type": "field_type_changed", "table": "t", "field": "f", "old": "json", "new": "string"});
        let errors = std::iter::once(json!({"change": change, "message": "Cannot change it"})).collect();
        let error = Error::InvalidSchema { message: String::new(), errors };
        let Error::Invalid(violations) = readable(error, |path| path.join(" ")) else { panic!() };
        assert_eq!(violations.as_slice()[0].field, "tables t fields f");
    }
}
