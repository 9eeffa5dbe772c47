//! Items as lines of files: cells of CSV and lines of NDJSON. Each line is checked against the schema, so that an
//! import can report what does not fit before it writes anything.

mod cell;
mod cell_text;
mod columns;
mod csv_records;
mod delimiter;
mod encoding;
mod header;
mod records;
mod refusal;
mod used_ids;

use std::fmt;

use serde_json::{Map, Value};

use crate::data::schema::{Document, FieldCheck, FieldType, ItemViolation};
use crate::data::{Item, ItemId, RecordContent};
use crate::kernel::strict_json;
use crate::kernel::violations::quoted;

use cell::{cell_of, parse_cell};
pub use cell_text::CellText;
use columns::Column;
pub use columns::Columns;
pub use delimiter::Delimiter;
pub use encoding::{TextDecoder, TextEncoding};
pub use records::{LineFormat, RecordReader};
pub use refusal::NOT_TEXT;
pub use used_ids::UsedIds;

const ID: &str = "id";
/// The column with the user, in a file with the items of several users.
pub const USER_ID: &str = "user_id";
/// Columns of an export that an import ignores, because the service sets these values.
const IGNORED: [&str; 2] = ["created_at", "updated_at"];

/// A reason why a line, or the header of a file, does not fit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LineViolation {
    /// The field; `None` for the whole line.
    pub field: Option<String>,
    /// What is wrong, as a sentence.
    pub message: String,
}

/// An item in a file. Its fields match the schema.
#[derive(Debug, Clone, PartialEq)]
pub struct ItemLine {
    /// The ID; `None` if the line has none.
    pub id: Option<ItemId>,
    /// The fields that have a value.
    pub value: Map<String, Value>,
}

/// A table whose items are converted.
#[derive(Debug)]
pub struct ItemTable<'a> {
    document: &'a Document,
    name: &'a str,
    fields: Vec<(&'a str, FieldType)>,
}

impl LineViolation {
    /// Creates a violation of the whole line.
    pub fn of_line(message: impl Into<String>) -> Self {
        Self { field: None, message: message.into() }
    }

    fn of_field(field: &str, message: impl fmt::Display) -> Self {
        let field = quoted(field);
        Self { message: format!("Field {field} {message}."), field: Some(field) }
    }

    fn of_item(violation: &ItemViolation) -> Self {
        let field = violation.path.strip_prefix('/').map(str::to_owned);
        Self { field, message: format!("{}.", violation.message) }
    }
}

impl<'a> ItemTable<'a> {
    /// Returns the table of a schema with this name, if there is one.
    pub fn of(document: &'a Document, name: &'a str) -> Option<Self> {
        let mut fields = document.fields(name);
        fields.retain(|(field, _)| !IGNORED.contains(field));
        document.has_table(name).then_some(Self { document, name, fields })
    }

    /// Adds the column `user_id` after `id`, for the items of several users. A field with this name gives way to it, as in
    /// the list of the items of all users.
    #[must_use]
    pub fn with_users(mut self) -> Self {
        self.fields.retain(|(name, _)| *name != USER_ID);
        self.fields.insert(0, (USER_ID, FieldType::String));
        self
    }

    /// Returns the header of a CSV file: `id`, and the fields in the order of the schema.
    pub fn header(&self) -> Vec<&'a str> {
        std::iter::once(ID).chain(self.fields.iter().map(|(name, _)| *name)).collect()
    }

    /// Returns the cells of an item as the API returns it, in the order of [`header`](Self::header).
    pub fn cells(&self, item: &Map<String, Value>, texts: CellText) -> Vec<String> {
        let cell = |name| item.get(name).map(cell_of).unwrap_or_default();
        self.header().into_iter().map(|name| texts.cell(cell(name))).collect()
    }

    /// Reads one line of a CSV file. An empty cell is an absent value.
    ///
    /// # Errors
    ///
    /// All violations of the line. Those of the header are not repeated.
    pub fn line_of_cells<'c>(
        &self,
        columns: &Columns,
        cells: impl IntoIterator<Item = &'c str>,
    ) -> Result<ItemLine, Vec<LineViolation>> {
        let cells: Vec<&str> = cells.into_iter().collect();
        let (count, expected) = (cells.len(), columns.columns.len());
        let has_value = |cell: &&str| !cell.trim().is_empty();
        if cells.get(expected..).is_none_or(|others| others.iter().any(has_value)) {
            let message = format!("The line has {count} cell(s), but the header has {expected}.");
            return Err(vec![LineViolation::of_line(message)]);
        }
        let (mut id, mut value, mut violations) = (None, Map::new(), Vec::new());
        let mut cells_of_columns = columns.columns.iter().zip(&cells);
        let unnamed = cells_of_columns.position(|(column, cell)| *column == Column::Unnamed && has_value(cell));
        if let Some(number) = unnamed.map(|index| index.saturating_add(1)) {
            let message = format!("Column {number} has a value here, but no name in the header.");
            violations.push(LineViolation::of_line(message));
        }
        for (column, cell) in columns.columns.iter().zip(cells) {
            let cell = columns.texts.text(cell);
            match column {
                Column::Id => id = Some(cell.trim()).filter(|id| !id.is_empty()),
                Column::Field(name, kind) => match parse_cell(*kind, cell) {
                    Ok(Some(parsed)) => drop(value.insert(name.clone(), parsed)),
                    Ok(None) => {}
                    Err(error) => violations.push(LineViolation::of_field(name, error)),
                },
                Column::Unnamed | Column::Ignored => {}
            }
        }
        self.checked(id, value, violations, &columns.missing)
    }

    /// Reads one line of an NDJSON file: an item as the API returns it.
    ///
    /// # Errors
    ///
    /// All violations of the line.
    pub fn line_of_json(&self, text: &str) -> Result<ItemLine, Vec<LineViolation>> {
        let (parsed, _) = strict_json::parse(text.as_bytes())
            .map_err(|error| vec![LineViolation::of_line(format!("The line is not valid JSON: {error}."))])?;
        let Value::Object(members) = parsed else {
            return Err(vec![LineViolation::of_line("The line is not a JSON object.")]);
        };
        let id = members.get(ID).cloned().unwrap_or_default();
        let value = Item::fields_of(members);
        match &id {
            Value::Null => self.checked(None, value, Vec::new(), &[]),
            Value::String(id) => self.checked(Some(id), value, Vec::new(), &[]),
            _ => self.checked(None, value, vec![LineViolation::of_field(ID, "must be a string")], &[]),
        }
    }

    /// Reads one record of a file. `columns`: those of its header, which a file of NDJSON does not have.
    ///
    /// # Errors
    ///
    /// All violations of the record.
    pub fn line_of_record(
        &self,
        columns: Option<&Columns>,
        content: RecordContent,
    ) -> Result<ItemLine, Vec<LineViolation>> {
        match (content, columns) {
            (RecordContent::Cells(cells), Some(columns)) => {
                self.line_of_cells(columns, cells.iter().map(String::as_str))
            }
            (RecordContent::Cells(_), None) => Err(vec![LineViolation::of_line("The file has no header.")]),
            (RecordContent::Text(text), _) => self.line_of_json(&text),
            (RecordContent::Refused(field, message), _) => Err(vec![LineViolation { field, message }]),
        }
    }

    /// Checks an item. Fields that already have a violation, because their cells could not be read, get no second one,
    /// and fields that miss their column get none.
    fn checked(
        &self,
        id: Option<&str>,
        value: Map<String, Value>,
        mut violations: Vec<LineViolation>,
        missing: &[String],
    ) -> Result<ItemLine, Vec<LineViolation>> {
        let id = id.map(ItemId::parse).transpose().unwrap_or_else(|error| {
            violations.push(LineViolation::of_field(ID, error));
            None
        });
        let found = self.document.check(self.name, FieldCheck { sent: &value, stored: &value });
        for violation in found.as_slice().iter().map(LineViolation::of_item) {
            let is_missing = violation.field.as_ref().is_some_and(|field| missing.contains(field));
            if !is_missing && violations.iter().all(|other| other.field != violation.field) {
                violations.push(violation);
            }
        }
        let value = Item::without_nulls(value);
        if violations.is_empty() && serde_json::to_string(&value).map_or(0, |text| text.len()) > Item::MAX_BYTES {
            let limit = Item::MAX_BYTES / 1024;
            violations.push(LineViolation::of_line(format!("The item is larger than {limit} KiB as JSON.")));
        }
        if violations.is_empty() { Ok(ItemLine { id, value }) } else { Err(violations) }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn schema() -> Document {
        let fields = json!({
            "title": {"type": "string", "required": true},
            "done": {"type": "boolean"},
            "rank": {"type": "number"},
            "tags": {"type": "json"},
        });
        Document::parse(&json!({"project_id": "p", "version": 1, "tables": {"notes": {"fields": fields}}})).unwrap()
    }

    fn line(header: &[&str], cells: &[&str]) -> Result<ItemLine, Vec<LineViolation>> {
        let schema = schema();
        let table = ItemTable::of(&schema, "notes").unwrap();
        let (columns, _) = table.columns(header.iter().copied());
        table.line_of_cells(&columns, cells.iter().copied())
    }

    fn messages(violations: &[LineViolation]) -> Vec<&str> {
        violations.iter().map(|violation| violation.message.as_str()).collect()
    }

    #[test]
    fn an_exported_item_is_read_back() {
        let schema = schema();
        let table = ItemTable::of(&schema, "notes").unwrap();
        let value = json!({"title": "a, \"b\"\n", "done": true, "rank": -0.1, "tags": {"x": [1, null]}});
        let mut item = value.as_object().unwrap().clone();
        item.insert("id".into(), json!("n1"));
        item.insert("created_at".into(), json!("2026-01-01T00:00:00.000Z"));
        assert_eq!(table.header(), ["id", "title", "done", "rank", "tags"]);
        let (columns, violations) = table.columns(table.header());
        assert!(violations.is_empty());
        let from_json = table.line_of_json(&Value::Object(item.clone()).to_string()).unwrap();
        let read = |texts, cells: &[String]| {
            table.line_of_cells(&columns.clone().with_texts(texts), cells.iter().map(String::as_str)).unwrap()
        };
        for texts in [CellText::Safe, CellText::Raw] {
            assert_eq!(read(texts, &table.cells(&item, texts)), from_json);
            for title in ["=1+1", "'=1+1", "'", "-5"] {
                item.insert("title".into(), json!(title));
                let line = read(texts, &table.cells(&item, texts));
                assert_eq!(line.value["title"], title, "{texts:?}");
            }
            item.insert("title".into(), value["title"].clone());
        }
        assert_eq!(table.cells(&item, CellText::Safe)[3], "-0.1", "A number is no formula.");
        let from_csv = from_json;
        assert_eq!((from_csv.id, Value::Object(from_csv.value)), (Some(ItemId::parse("n1").unwrap()), value));
    }

    #[test]
    fn absent_values_are_left_out() {
        let read = line(&["id", "title", "rank", "updated_at"], &["", "a", "", "x"]).unwrap();
        assert_eq!(read, ItemLine { id: None, value: json!({"title": "a"}).as_object().unwrap().clone() });
        let schema = schema();
        let table = ItemTable::of(&schema, "notes").unwrap();
        assert_eq!(table.line_of_json(r#"{"id": null, "title": "a", "rank": null}"#), Ok(read));
    }

    #[test]
    fn a_column_that_was_cleared_in_a_spreadsheet_program_is_ignored() {
        let read = line(&["title", "", "rank", " "], &["a", "", "1", " ", "", ""]).unwrap();
        assert_eq!(Value::Object(read.value), json!({"title": "a", "rank": 1}));
        let violations = line(&["title", "", "", "rank"], &["a", "", "b", "x"]).unwrap_err();
        assert_eq!(
            messages(&violations),
            [
                "Column 3 has a value here, but no name in the header.",
                "Field rank must be a number, such as 3 or -0.5.",
            ]
        );
    }

    #[test]
    fn all_violations_of_a_line_are_reported_once() {
        let violations = line(&["id", "title", "done", "rank"], &["a b", "", "no", "x"]).unwrap_err();
        let fields: Vec<_> = violations.iter().filter_map(|violation| violation.field.as_deref()).collect();
        assert_eq!(fields, ["done", "rank", "id", "title"]);
        assert_eq!(messages(&violations)[3], "Field title is required.");
        let violations = line(&["id", "title"], &["..", "a"]).unwrap_err();
        assert_eq!(messages(&violations).len(), 1, "{violations:?}");
        let violations = line(&["titel", "rank"], &["a", "x"]).unwrap_err();
        assert_eq!(messages(&violations), ["Field rank must be a number, such as 3 or -0.5."]);
        let violations = line(&["title"], &["a", "b"]).unwrap_err();
        assert_eq!(messages(&violations), ["The line has 2 cell(s), but the header has 1."]);
        let violations = line(&["title", "rank"], &["a"]).unwrap_err();
        assert_eq!(messages(&violations), ["The line has 1 cell(s), but the header has 2."]);
    }

    #[test]
    fn a_line_of_json_must_be_an_item() {
        let schema = schema();
        let table = ItemTable::of(&schema, "notes").unwrap();
        for (text, expected) in [
            ("[]", "The line is not a JSON object."),
            (r#"{"id": 5, "title": "a"}"#, "Field id must be a string."),
            (r#"{"title": "a", "colour": 1}"#, "Field colour not found in schema."),
            (r#"{"title": 5}"#, "Field title should be type string, got number."),
        ] {
            assert_eq!(messages(&table.line_of_json(text).unwrap_err()), [expected], "{text}");
        }
        assert!(messages(&table.line_of_json("{").unwrap_err())[0].starts_with("The line is not valid JSON"));
        let large = json!({"title": "x".repeat(Item::MAX_BYTES)}).to_string();
        assert_eq!(messages(&table.line_of_json(&large).unwrap_err()), ["The item is larger than 256 KiB as JSON."]);
    }

    #[test]
    fn a_line_with_a_duplicate_member_is_refused() {
        let schema = schema();
        let table = ItemTable::of(&schema, "notes").unwrap();
        let in_json = table.line_of_json(r#"{"title": "a", "title": "b"}"#).unwrap_err();
        let in_cell = line(&["title", "tags"], &["a", r#"{"x": 1, "x": 2}"#]).unwrap_err();
        for (violations, expected) in [
            (in_json, "The line is not valid JSON: the object has two members named \"title\" at line 1 column "),
            (in_cell, "Field tags is not valid JSON: the object has two members named \"x\" at line 1 column "),
        ] {
            let messages = messages(&violations);
            assert!(messages.len() == 1 && messages[0].starts_with(expected), "{messages:?}");
        }
    }
}
