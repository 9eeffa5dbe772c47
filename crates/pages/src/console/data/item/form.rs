//! An item: adding, editing and deleting it, with a form of its fields or as JSON.

use askama::Template;
use serde_json::{Map, Value};
use steward_domain::data::schema::FieldType;
use steward_domain::data::{Accessor, ItemId, ItemPath, StoredItem};
use steward_domain::kernel::error::Error;
use steward_domain::kernel::policy::Operation;
use steward_domain::kernel::violations::{Violation, Violations};
use steward_domain::kernel::{Precondition, strict_json};

use crate::console::data::user::details::pretty;
use crate::console::data::user::scope::{TableField, TableScope};
use crate::console::frame::form::json_text;
use crate::console::frame::{FormState, Outcome, Shell, Signed, Submission, Timestamp};
use crate::error::PageResult;
use crate::request::form::{Form, with_query};

use super::filter::GridQuery;
use super::shown_fields::ShownFields;
use super::undo::{BACK, grid_address};

/// Prefix of the fields of an item, so that they differ from the other fields of the form.
const PREFIX: &str = "field.";

/// The field with the values that the form showed.
const SHOWN: &str = "shown";
const CHANGED: &str = "The item was changed while you were editing it. What you edited is kept, and the other fields \
    have their new values. Check them and submit the form again.";

/// Adds an item.
pub(crate) async fn submit_new(submission: Submission) -> PageResult {
    let scope = submission.signed.table(Operation::ItemCreate).await?;
    let operation = if submission.form.given("id").is_some() { Operation::ItemPut } else { Operation::ItemCreate };
    let submitted = submission.run_once(operation, async |caller| {
        let (items, user) = (&submission.signed.steward().items, &scope.of.user);
        let value = entered(&scope.fields, &submission.form, &Map::new())?;
        let (project_id, table) = (user.project_id, scope.table.clone());
        let stored = match submission.form.given("id") {
            None => items.create(caller, Accessor::Project, project_id, user.id, table, value).await,
            Some(id) => {
                let id = ItemId::parse(id.trim()).map_err(|error| Error::invalid("id", error))?;
                let path = ItemPath { project_id, user_id: user.id, table, id };
                let outcome = items.put(caller, Accessor::Project, path, value, Precondition::Absent).await;
                outcome.map(|outcome| outcome.stored)
            }
        };
        let stored = stored.map_err(|error| match error {
            Error::PreconditionFailed(_) => Error::invalid("id", "is the ID of another item. Choose another one"),
            other => in_fields(other, &submission.form),
        })?;
        let id = stored.item.id.as_str();
        Ok(Outcome::next(scope.item_address(id, ""), format!("The item {id} was added.")))
    });
    submitted.await?.or_show(|form| new_page(&submission.signed, form)).await
}

/// Shows the form to add an item.
pub(crate) async fn new_page(signed: &Signed, form: FormState) -> PageResult {
    let scope = signed.table(Operation::ItemCreate).await?;
    let form = form.starting_with(&[("as", signed.query("as").as_str()), ("value", "{\n}")]);
    let shell = scope.shell(signed, "New item").await?;
    let is_json = form.value("as") == "json";
    let view = ItemForm {
        shell,
        is_json,
        is_writable: scope.may(Operation::ItemCreate),
        address: scope.at("/new"),
        stored: None,
        history: String::new(),
        back: scope.at(""),
        scope,
        form,
    };
    view.form.page(signed, &view)
}

/// Shows an item with the form to edit it.
pub(crate) async fn show(signed: Signed) -> PageResult {
    let scope = signed.table(Operation::ItemGet).await?;
    let stored = signed.steward().items.get(&signed.caller, Accessor::Project, &signed.item_path(&scope)?).await?;
    let fields = stored.item.value.fields()?;
    let mut values: Vec<(String, String)> =
        scope.fields.iter().map(|field| (name_of(field), text_of(fields.get(&field.name)))).collect();
    values.push(("as".to_owned(), signed.query("as")));
    values.push((BACK.to_owned(), signed.query(BACK)));
    values.push(("value".to_owned(), pretty(&Value::Object(fields))));
    let values: Vec<(&str, &str)> = values.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    let form = FormState::new(&signed, &values);
    edit_page(&signed, scope, stored, form).await
}

/// Changes an item. The form of fields changes only what was edited, so that values that it cannot show stay.
pub(crate) async fn submit(submission: Submission) -> PageResult {
    let scope = submission.signed.table(Operation::ItemPatch).await?;
    let (path, when) = (submission.signed.item_path(&scope)?, submission.precondition());
    let items = &submission.signed.steward().items;
    let stored = items.get(&submission.signed.caller, Accessor::Project, &path).await?;
    let is_json = submission.form.text("as") == "json";
    let operation = if is_json { Operation::ItemPut } else { Operation::ItemPatch };
    let submitted = submission.run_once(operation, async |caller| {
        let before = stored.item.value.fields()?;
        let value = entered(&scope.fields, &submission.form, &before)?;
        let changed = if is_json {
            let outcome = items.put(caller, Accessor::Project, path.clone(), value, when).await;
            outcome.map(|outcome| outcome.stored)
        } else {
            items.patch(caller, Accessor::Project, &path, value, when).await
        };
        let id = changed.map_err(|error| in_fields(error, &submission.form))?.item.id;
        let address = scope.item_address(id.as_str(), "");
        Ok(Outcome::next(with_query(&address, [(BACK, submission.form.text(BACK))]), "The item was changed."))
    });
    let submitted = submitted.await?;
    let show = async |form: FormState| {
        if !form.is_stale() {
            return edit_page(&submission.signed, scope, stored, form).await;
        }
        let stored = items.get(&submission.signed.caller, Accessor::Project, &path).await?;
        let form = rebased(form, &scope.fields, &submission.form, &stored.item.value.fields()?);
        edit_page(&submission.signed, scope, stored, form).await
    };
    submitted.or_show(show).await
}

async fn edit_page(signed: &Signed, scope: TableScope, stored: StoredItem, form: FormState) -> PageResult {
    let mut form = form.with_revision(stored.revision);
    let id = stored.item.id.as_str().to_owned();
    let shell = scope.shell(signed, &id).await?;
    let (is_json, fields) = (form.value("as") == "json", stored.item.value.fields()?);
    if form.is_stale() || !form.is_refused() {
        form.set(SHOWN, shown_fields(&fields, is_json).into_text());
    }
    let address = scope.item_address(&id, "");
    let back = GridQuery::of_text(form.value(BACK)).own_query();
    let view = ItemForm {
        shell,
        is_json,
        is_writable: scope.may(Operation::ItemPatch),
        address,
        history: with_query(&scope.of.project.at("/audit"), [("target", id.as_str()), ("item_changes", "only")]),
        back: grid_address(&scope, &back),
        stored: Some(ItemFacts {
            created_at: Timestamp::from(stored.created_at),
            updated_at: Timestamp::from(stored.updated_at),
            value: pretty(&Value::Object(fields)),
            delete_address: with_query(&scope.item_address(&id, "/delete"), [(BACK, back.as_str())]),
            id,
        }),
        scope,
        form,
    };
    view.form.page(signed, &view)
}

/// Returns what a form shows of the fields of an item.
fn shown_fields(fields: &Map<String, Value>, is_json: bool) -> ShownFields {
    let text = |value: &Value| if is_json { value.to_string() } else { text_of(Some(value)) };
    ShownFields::of(fields.iter().map(|(name, value)| (name.clone(), text(value))))
}

/// Returns a form that was refused because the item was changed, with the new value of each field that the person did
/// not edit. Otherwise the form, submitted again, would undo the change.
fn rebased(mut form: FormState, fields: &[TableField], submitted: &Form, current: &Map<String, Value>) -> FormState {
    let shown_before = ShownFields::parse(submitted.text(SHOWN));
    if submitted.text("as") == "json" {
        if let Ok(entered) = json_text::object(submitted.text("value")) {
            form.set("value", pretty(&Value::Object(shown_before.merged(entered, current))));
        }
    } else {
        for field in fields {
            let name = name_of(field);
            if shown_before.showed(&field.name, submitted.given(&name)) {
                form.set(&name, text_of(current.get(&field.name)));
            }
        }
    }
    form.general = Some(CHANGED.to_owned());
    form
}

/// Returns the entered value: the complete one of the JSON form, or the fields of the other form that differ from what
/// it showed of the stored item.
fn entered(fields: &[TableField], form: &Form, before: &Map<String, Value>) -> Result<Map<String, Value>, Error> {
    if form.text("as") == "json" {
        return json_text::object(form.text("value")).map_err(|error| Error::invalid("value", error));
    }
    let (mut changed, mut violations) = (Map::new(), Violations::<Violation>::default());
    let mut missing = Violations::default();
    for field in fields {
        let name = name_of(field);
        // A field that the schema got after the form was shown is not part of it.
        let Some((_, text)) = form.fields().find(|(other, _)| *other == name) else { continue };
        let text = text.replace("\r\n", "\n");
        if text.is_empty() && field.is_required {
            missing.push(Violation::invalid(name.clone(), format_args!("Field {} is required", field.name)));
        }
        if text == text_of(before.get(&field.name)).replace("\r\n", "\n") {
            continue;
        }
        match value_of(field.kind, &text) {
            Ok(value) => drop(changed.insert(field.name.clone(), value)),
            Err(error) => violations.push(Violation::invalid(name, format_args!("Field {} {error}", field.name))),
        }
    }
    if violations.is_empty() {
        return Ok(changed);
    }
    // The use case, which reports what is missing, does not get this value.
    violations.append(missing);
    Err(Error::Invalid(violations))
}

/// Parses what was entered for a field. Nothing entered removes the field. The error is a predicate.
fn value_of(kind: FieldType, text: &str) -> Result<Value, String> {
    if text.is_empty() {
        return Ok(Value::Null);
    }
    Ok(match (kind, text.trim()) {
        (FieldType::String, _) => json_text::string(text)?,
        (FieldType::Boolean, "true") => Value::Bool(true),
        (FieldType::Boolean, "false") => Value::Bool(false),
        (FieldType::Boolean, _) => return Err("must be true or false".to_owned()),
        (FieldType::Number, text) => match json_text::parse(text) {
            Ok(Value::Number(number)) => Value::Number(number),
            Err(_) if strict_json::is_changed_number(text) => {
                return Err("is a number that would be stored as another one".to_owned());
            }
            _ => return Err("must be a number, such as 2, -1.5 or 1e3".to_owned()),
        },
        (FieldType::Json, text) => json_text::parse(text)?,
    })
}

/// Returns a value as the form shows it.
fn text_of(value: Option<&Value>) -> String {
    match value {
        None | Some(Value::Null) => String::new(),
        Some(Value::String(text)) => text.clone(),
        Some(other) => pretty(other),
    }
}

fn name_of(field: &TableField) -> String {
    format!("{PREFIX}{}", field.name)
}

/// Assigns the violations of an item to the fields of the form.
fn in_fields(error: Error, form: &Form) -> Error {
    let is_json = form.text("as") == "json";
    match error {
        Error::InvalidItem(violations) => Error::Invalid(violations.map(|violation| {
            let name = format!("{PREFIX}{}", violation.path.trim_start_matches('/'));
            let field = if is_json { "value".to_owned() } else { name };
            Violation::invalid(field, violation.message)
        })),
        other => other,
    }
}

/// The stored item that a form is about.
struct ItemFacts {
    id: String,
    created_at: Timestamp,
    updated_at: Timestamp,
    value: String,
    /// The page that deletes it.
    delete_address: String,
}

#[derive(Template)]
#[template(path = "console/data/item/form.html")]
struct ItemForm {
    shell: Shell,
    scope: TableScope,
    form: FormState,
    is_json: bool,
    /// Whether the person may change the item.
    is_writable: bool,
    address: String,
    /// The grid to return to.
    back: String,
    /// The changes of the item in the audit log.
    history: String,
    /// `None` if the form adds an item.
    stored: Option<ItemFacts>,
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn fields() -> Vec<TableField> {
        let kinds = [("title", FieldType::String), ("rank", FieldType::Number), ("more", FieldType::Json)];
        let field = |(name, kind): (&str, FieldType)| TableField {
            name: name.to_owned(),
            kind,
            is_required: false,
            description: String::new(),
        };
        kinds.map(field).into()
    }

    fn form(fields: &[(&str, &str)]) -> Form {
        Form::of_fields(fields.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect())
    }

    #[test]
    fn only_what_was_edited_changes() {
        let before = json!({"title": "a\r\nb", "rank": 1, "more": {"a": [1]}});
        let before = before.as_object().unwrap();
        let more = text_of(before.get("more"));
        let same = form(&[("field.title", "a\r\nb"), ("field.rank", "1"), ("field.more", more.as_str())]);
        assert_eq!(entered(&fields(), &same, before).unwrap(), Map::new());
        let changed = form(&[("field.title", ""), ("field.rank", " 2.5 "), ("field.other", "x")]);
        let changed = Value::Object(entered(&fields(), &changed, before).unwrap());
        assert_eq!(changed, json!({"title": null, "rank": 2.5}));
        for number in ["1e-400", "12345678901234567890123", "1,5"] {
            assert!(entered(&fields(), &form(&[("field.rank", number)]), before).is_err(), "{number}");
        }
    }

    #[test]
    fn every_field_with_an_invalid_value_is_reported() {
        let invalid = form(&[("field.title", "a\0"), ("field.rank", "two"), ("field.more", "{")]);
        let Err(Error::Invalid(violations)) = entered(&fields(), &invalid, &Map::new()) else { panic!() };
        let reported: Vec<&str> = violations.as_slice().iter().map(|violation| violation.field.as_str()).collect();
        assert_eq!(reported, ["field.title", "field.rank", "field.more"]);

        let mut fields = fields();
        fields[0].is_required = true;
        let missing = form(&[("field.title", ""), ("field.rank", "two")]);
        let Err(Error::Invalid(violations)) = entered(&fields, &missing, &Map::new()) else { panic!() };
        let reported: Vec<&str> = violations.as_slice().iter().map(|violation| violation.message.as_str()).collect();
        assert!(reported[0].starts_with("Field rank") && reported[1] == "Field title is required", "{reported:?}");
    }
}
