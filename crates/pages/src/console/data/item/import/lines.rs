//! The lines of an import: each of them is read and checked, so that a report can list all that do not fit.

use serde_json::{Map, Value};
use steward_domain::data::ItemId;
use steward_domain::data::schema::Document;
use steward_domain::data::tabular::{ItemLine, ItemTable, LineFormat, LineViolation, RecordReader, UsedIds};

/// Maximum number of problems that a report lists.
const MAX_LISTED: usize = 100;

/// A reason why a line does not fit.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Problem {
    /// Number of the line in the text, starting at 1.
    pub line: u64,
    pub message: String,
}

/// An import after its lines were checked.
#[derive(Debug, Default)]
pub(crate) struct CheckedLines {
    /// The items of the lines that fit. Lines without an ID have `None`.
    pub items: Vec<(Option<ItemId>, Map<String, Value>)>,
    /// Number of lines that do not fit, and the first reasons.
    pub refused: usize,
    pub problems: Vec<Problem>,
    /// Number of rows without a value, which are skipped.
    pub empty_rows: u64,
    used_ids: UsedIds,
}

impl CheckedLines {
    /// Reads and checks the lines of a text.
    pub(crate) fn of(document: &Document, table: &str, format: LineFormat, text: &str) -> Self {
        let mut checked = Self::default();
        let Some(table) = ItemTable::of(document, table) else { return checked };
        let mut reader = RecordReader::new(format);
        let mut records = reader.read(text.as_bytes());
        records.extend(reader.finish());
        checked.empty_rows = reader.take_empty_rows();
        let columns = reader.header().map(|header| table.columns(header.iter().map(String::as_str)));
        // The other lines are checked too, so that one report lists everything to correct.
        if let Some((_, violations)) = columns.as_ref().filter(|(_, violations)| !violations.is_empty()) {
            checked.refuse(reader.header_line(), violations.as_slice().to_vec());
        }
        let columns = columns.map(|(columns, _)| columns);
        for record in records {
            checked.add(record.line, table.line_of_record(columns.as_ref(), record.content));
        }
        checked
    }

    fn add(&mut self, line: u64, read: Result<ItemLine, Vec<LineViolation>>) {
        let ItemLine { id, value } = match read {
            Ok(read) => read,
            Err(violations) => return self.refuse(line, violations),
        };
        if let Some(Err(violation)) = id.as_ref().map(|id| self.used_ids.add(id, line)) {
            return self.refuse(line, vec![violation]);
        }
        self.items.push((id, value));
    }

    fn refuse(&mut self, line: u64, violations: Vec<LineViolation>) {
        self.refused += 1;
        let room = MAX_LISTED.saturating_sub(self.problems.len());
        let problems = violations.into_iter().map(|violation| Problem { line, message: sentence(violation) });
        self.problems.extend(problems.take(room));
    }
}

/// Says how many empty rows were skipped, after another sentence, if any were.
pub(super) fn skipped(empty_rows: u64) -> String {
    match empty_rows {
        0 => String::new(),
        1 => " 1 empty row was skipped.".to_owned(),
        count => format!(" {count} empty rows were skipped."),
    }
}

/// Returns a violation as a sentence that names its field.
fn sentence(LineViolation { field, message }: LineViolation) -> String {
    match field {
        Some(field) if !message.contains(&field) => format!("{field}: {message}"),
        _ => message,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const CSV: LineFormat = LineFormat::Csv(None);

    fn checked(format: LineFormat, text: &str) -> CheckedLines {
        let fields = json!({"title": {"type": "string", "required": true}, "rank": {"type": "number"}});
        let document = json!({"project_id": "p", "version": 1, "tables": {"notes": {"fields": fields}}});
        CheckedLines::of(&Document::parse(&document).unwrap(), "notes", format, text)
    }

    fn lines(checked: &CheckedLines) -> Vec<u64> {
        checked.problems.iter().map(|problem| problem.line).collect()
    }

    #[test]
    fn lines_of_both_formats_become_items() {
        let csv = checked(CSV, "id,title,rank\r\na,\"A,\nB\",1\r\n,C,\r\n");
        let ndjson =
            checked(LineFormat::NdJson, "{\"id\": \"a\", \"title\": \"A,\\nB\", \"rank\": 1}\n\n{\"title\": \"C\"}");
        for checked in [csv, ndjson] {
            assert_eq!(checked.problems, []);
            let [(id, first), (None, second)] = checked.items.as_slice() else { panic!("{checked:?}") };
            assert_eq!(id.as_ref().unwrap().as_str(), "a");
            assert_eq!(Value::Object(first.clone()), json!({"title": "A,\nB", "rank": 1}));
            assert_eq!(Value::Object(second.clone()), json!({"title": "C"}));
        }
    }

    #[test]
    fn every_line_that_does_not_fit_is_reported() {
        let csv = checked(CSV, "id,title,rank\na,A,one\nb,B,2\nb,C,3\n");
        assert_eq!((csv.items.len(), csv.refused, lines(&csv)), (1, 2, vec![2, 4]));
        assert_eq!(csv.problems[1].message, "The id was already used on line 3.");
        let ndjson = checked(LineFormat::NdJson, "{\n{\"title\": \"a\\u0000\"}\n[]");
        assert_eq!((ndjson.refused, lines(&ndjson)), (3, vec![1, 2, 3]));
        assert_eq!(lines(&checked(CSV, "id,unknown\na,b\n")), [1]);
    }

    #[test]
    fn lines_have_the_same_numbers_whatever_ends_them() {
        let text = "id,title,rank\n\na,\"A\nA\",one\n\nb,B,2\nb,C,3\n";
        for text in [text.to_owned(), text.replace('\n', "\r\n")] {
            let csv = checked(CSV, &text);
            assert_eq!(lines(&csv), [3, 7], "{text:?}");
            assert_eq!(csv.problems[1].message, "The id was already used on line 6.");
        }
    }

    #[test]
    fn empty_rows_are_counted_and_the_header_has_its_line() {
        let csv = checked(CSV, "sep=;\n;;\nid;titel\n;\na;A\n");
        assert_eq!((lines(&csv), csv.items.len(), csv.empty_rows), (vec![3], 1, 2), "{csv:?}");
        let csv = checked(CSV, "title;;rank\nA;;1\n;;\n;;\n");
        assert_eq!((csv.items.len(), csv.refused, csv.empty_rows), (1, 0, 2), "{csv:?}");
        assert_eq!([0, 1, 2].map(skipped), ["", " 1 empty row was skipped.", " 2 empty rows were skipped."]);
    }

    #[test]
    fn a_quoted_value_without_an_end_is_reported_on_the_line_of_its_record() {
        for (text, line, items) in [
            ("id,title\na,A\nb,\"B\nc,C\n", 3, 1),
            ("id,title\na,A\nb,\"B\nc,C", 3, 1),
            ("id,title\r\na,A\r\n\r\nb,\"B\r\nc,C\r\n", 4, 1),
            ("id,title\na,\"A\"\"\n", 2, 0),
            ("id,title\na,A\n\"", 3, 1),
            ("id,\"title\na,A\nend", 1, 0),
            ("id,title\na,\"A\nend", 2, 0),
        ] {
            let csv = checked(CSV, text);
            assert_eq!((csv.items.len(), csv.refused, lines(&csv)), (items, 1, vec![line]), "{text:?}");
            assert!(csv.problems[0].message.starts_with("A quoted value has no closing quotation mark."));
        }
    }

    #[test]
    fn a_quoted_value_of_several_lines_can_end_the_text() {
        for (value, expected) in [("\"A\nB\"", "A\nB"), ("\"A\nend\"", "A\nend"), ("\"\"\"\"", "\""), ("end", "end")] {
            for end in ["", "\n", "\r\n", "\n\n"] {
                let csv = checked(CSV, &format!("title\n{value}{end}"));
                assert_eq!(csv.problems, [], "{value:?}{end:?}");
                let [(None, item)] = csv.items.as_slice() else { panic!("{csv:?}") };
                assert_eq!(item["title"], expected, "{value:?}{end:?}");
            }
        }
    }
}
