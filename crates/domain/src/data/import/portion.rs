//! The items that a portion of a file becomes.

use crate::data::schema::Document;
use crate::data::tabular::{ItemLine, ItemTable, LineViolation};
use crate::data::{ImportRecord, Item, ItemImport, ItemValue, LineProblem, PortionResult};
use crate::kernel::error::{Error, ResourceKind};

/// The line of a CSV file that names the columns.
const HEADER_LINE: u64 = 1;
const INVALID_HEADER: &str = "The first line, which names the columns, does not fit the schema. Correct it, and the lines \
    below, and import the file again.";

/// What a portion of a file becomes.
#[derive(Debug, Default)]
pub(super) struct Portion {
    /// The items to store, with their lines.
    pub(super) items: Vec<(u64, Item)>,
    pub(super) result: PortionResult,
}

impl Portion {
    /// Reads and checks the records of a portion. If the header does not fit, the lines are checked too, so that one report
    /// lists everything to correct, but none of them is stored.
    pub(super) fn of(schema: &Document, import: &ItemImport, records: Vec<ImportRecord>) -> Result<Self, Error> {
        let table = ItemTable::of(schema, &import.table).ok_or(Error::NotFound(ResourceKind::Table))?;
        let mut portion = Self::default();
        let columns = import.columns.as_ref().map(|header| table.columns(header.iter().map(String::as_str)));
        if let Some((_, violations)) = columns.as_ref().filter(|(_, violations)| !violations.is_empty()) {
            portion.result.failure = Some(INVALID_HEADER.to_owned());
            if import.next_chunk == 0 {
                portion.refuse(HEADER_LINE, violations.as_slice().to_vec());
            }
        }
        for ImportRecord { line, content } in records {
            let read = table.line_of_record(columns.as_ref().map(|(columns, _)| columns), content);
            match read {
                Ok(_) if portion.result.failure.is_some() => {}
                Ok(read) => portion.add(import, line, read)?,
                Err(violations) => portion.refuse(line, violations),
            }
        }
        Ok(portion)
    }

    fn add(&mut self, import: &ItemImport, line: u64, read: ItemLine) -> Result<(), Error> {
        let id = read.id.map_or_else(|| import.item_id(line), Ok).map_err(|error| Error::Internal(error.into()))?;
        let ItemImport { project_id, user_id, ref table, .. } = *import;
        let value = ItemValue::of(&read.value);
        self.items.push((line, Item { project_id, user_id, table: table.clone(), id, value }));
        self.result.stored = self.result.stored.saturating_add(1);
        Ok(())
    }

    fn refuse(&mut self, line: u64, violations: Vec<LineViolation>) {
        self.result.refused = self.result.refused.saturating_add(1);
        let problems =
            violations.into_iter().map(|LineViolation { field, message }| LineProblem { line, field, message });
        self.result.problems.extend(problems);
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::data::RecordContent;
    use crate::mocks::an_import;

    fn portion(columns: Option<&[&str]>, records: &[(u64, RecordContent)]) -> Portion {
        let fields = json!({"title": {"type": "string", "required": true}, "rank": {"type": "number"}});
        let document = json!({"project_id": "p", "version": 1, "tables": {"notes": {"fields": fields}}});
        let columns = columns.map(|names| names.iter().map(|name| (*name).to_owned()).collect());
        let import = ItemImport { columns, ..an_import() };
        let records = records.iter().cloned().map(|(line, content)| ImportRecord { line, content }).collect();
        Portion::of(&Document::parse(&document).unwrap(), &import, records).unwrap()
    }

    fn cells(cells: &[&str]) -> RecordContent {
        RecordContent::Cells(cells.iter().map(|cell| (*cell).to_owned()).collect())
    }

    #[test]
    fn lines_that_fit_become_items_and_the_others_are_reported() {
        let records = [
            (2, cells(&["a", "A", "1"])),
            (3, cells(&["", "B", "one"])),
            (4, RecordContent::Refused(Some("id".to_owned()), "The id was already used on line 2.".to_owned())),
            (5, cells(&["", "C", ""])),
        ];
        let Portion { items, result } = portion(Some(&["id", "title", "rank"]), &records);
        let found: Vec<_> = items.iter().map(|(line, item)| (*line, item.id.as_str().len())).collect();
        assert_eq!(found, [(2, 1), (5, 36)]);
        assert_eq!((result.stored, result.refused, result.failure), (2, 2, None));
        let fields: Vec<_> = result.problems.iter().map(|one| (one.line, one.field.as_deref())).collect();
        assert_eq!(fields, [(3, Some("rank")), (4, Some("id"))]);
    }

    #[test]
    fn with_an_unknown_column_nothing_is_stored_and_the_other_lines_are_checked_too() {
        let records = [(2, cells(&["A", "x", "1"])), (3, cells(&["B", "x", "one"]))];
        let Portion { items, result } = portion(Some(&["title", "colour", "rank"]), &records);
        assert!(items.is_empty() && result.failure.is_some());
        let lines: Vec<_> = result.problems.iter().map(|one| one.line).collect();
        assert_eq!((lines, result.stored, result.refused), (vec![1, 3], 0, 2));
    }
}
