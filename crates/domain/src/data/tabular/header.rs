//! Reading the header of a CSV file.

use std::collections::HashSet;

use serde_json::Map;

use super::cell_text::CellText;
use super::columns::{Column, Columns};
use super::{ID, IGNORED, ItemTable, LineViolation};
use crate::data::schema::FieldCheck;
use crate::kernel::violations::{Violations, most_similar, quoted};

impl ItemTable<'_> {
    /// Reads the header of a CSV file. The columns can have any order, and those of optional fields can be missing. A
    /// column without a name is ignored if all its cells are empty.
    ///
    /// Also returns the first violations of the header: columns that are unknown or repeated, and fields without one.
    /// If there are any, the lines can still be read, to find their violations too, but they MUST NOT be stored.
    pub fn columns<'h>(&self, header: impl IntoIterator<Item = &'h str>) -> (Columns, Violations<LineViolation>) {
        let (mut columns, mut violations, mut seen) = (Vec::new(), Violations::default(), HashSet::new());
        for name in header.into_iter().map(str::trim) {
            if name.is_empty() {
                columns.push(Column::Unnamed);
                continue;
            }
            let column = self.column(name);
            if column.as_ref().is_some_and(|column| *column != Column::Ignored) && !seen.insert(name) {
                violations.push(LineViolation::of_field(name, "has more than one column"));
                columns.push(Column::Ignored);
                continue;
            }
            if column.is_none() && !violations.is_truncated() {
                violations.push(self.unknown(name));
            }
            columns.push(column.unwrap_or(Column::Ignored));
        }
        let has_field = self.fields.iter().any(|(field, _)| seen.contains(field));
        let missing = self.missing(&seen);
        if has_field {
            violations
                .extend(missing.iter().map(|field| LineViolation::of_field(field, "is required but has no column")));
        } else if violations.is_empty() {
            let message = format!("The header names no field. The columns can be: {}.", self.header().join(", "));
            violations.push(LineViolation::of_line(message));
        }
        (Columns { columns, missing, texts: CellText::default() }, violations)
    }

    /// Returns the required fields without a column.
    fn missing(&self, seen: &HashSet<&str>) -> Vec<String> {
        let empty = Map::new();
        let found = self.document.check(self.name, FieldCheck { sent: &empty, stored: &empty });
        let fields = found.as_slice().iter().filter_map(|violation| violation.path.strip_prefix('/'));
        fields.filter(|field| !seen.contains(field) && !IGNORED.contains(field)).map(str::to_owned).collect()
    }

    fn column(&self, name: &str) -> Option<Column> {
        if name == ID {
            return Some(Column::Id);
        }
        if IGNORED.contains(&name) {
            return Some(Column::Ignored);
        }
        let field = self.fields.iter().find(|(field, _)| *field == name);
        field.map(|(field, kind)| Column::Field((*field).to_owned(), *kind))
    }

    fn unknown(&self, name: &str) -> LineViolation {
        let table = quoted(self.name);
        match most_similar(name, &self.header()) {
            Some(similar) => {
                LineViolation::of_field(name, format_args!("is not in the table {table} (did you mean {similar}?)"))
            }
            None => LineViolation::of_field(name, format_args!("is not in the table {table}")),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::data::schema::Document;

    fn schema() -> Document {
        let fields = json!({
            "title": {"type": "string", "required": true},
            "done": {"type": "boolean"},
            "rank": {"type": "number"},
            "tags": {"type": "json"},
        });
        Document::parse(&json!({"project_id": "p", "version": 1, "tables": {"notes": {"fields": fields}}})).unwrap()
    }

    fn messages(violations: &[LineViolation]) -> Vec<&str> {
        violations.iter().map(|violation| violation.message.as_str()).collect()
    }

    #[test]
    fn the_header_must_name_known_columns_once() {
        let schema = schema();
        let table = ItemTable::of(&schema, "notes").unwrap();
        let violations = |header: &[&str]| table.columns(header.iter().copied()).1.as_slice().to_vec();
        assert_eq!(
            messages(&violations(&["title", "ranks", "colour", "title"])),
            [
                "Field ranks is not in the table notes (did you mean rank?).",
                "Field colour is not in the table notes.",
                "Field title has more than one column.",
            ]
        );
        assert_eq!(
            messages(&violations(&["id"])),
            ["The header names no field. The columns can be: id, title, done, rank, tags."]
        );
        assert_eq!(messages(&violations(&["rank"])), ["Field title is required but has no column."]);
        assert_eq!(violations(&[" title ", "created_at", "created_at"]), []);
        assert_eq!(violations(&["title", "", " "]), []);
        let many: Vec<String> = (0..1_000).map(|number| format!("c{number}")).collect();
        let (_, found) = table.columns(many.iter().map(String::as_str));
        assert!(found.is_truncated() && found.as_slice().len() == 100);
        assert!(ItemTable::of(&schema, "other").is_none());
    }
}
