//! The lines of an import: each of them is read and checked, so that a report can list all that do not fit.

use std::io::Read as _;

use serde_json::{Map, Value};
use steward_domain::model::ItemId;
use steward_domain::model::schema::Document;
use steward_domain::tabular::{ItemLine, ItemTable, LineViolation, UsedIds};

/// Maximum number of problems that a report lists.
const MAX_LISTED: usize = 100;
const UNCLOSED_QUOTE: &str =
    "A quoted value has no closing quotation mark. Add it. Inside a quoted value, write a quotation mark twice.";

/// The format of the lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LineFormat {
    /// The first line names the columns.
    Csv,
    NdJson,
}

impl LineFormat {
    /// Returns the format with this name; CSV if there is no such format.
    pub(super) fn named(name: &str) -> Self {
        if name == "ndjson" { Self::NdJson } else { Self::Csv }
    }
}

/// A reason why a line does not fit.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Problem {
    /// Number of the line in the text, starting at 1.
    pub line: u64,
    pub message: String,
}

/// An import after its lines were checked.
#[derive(Debug, Default)]
pub(super) struct CheckedLines {
    /// The items of the lines that fit. Lines without an ID have `None`.
    pub items: Vec<(Option<ItemId>, Map<String, Value>)>,
    /// Number of lines that do not fit, and the first reasons.
    pub refused: usize,
    pub problems: Vec<Problem>,
    used_ids: UsedIds,
}

impl CheckedLines {
    /// Reads and checks lines. Stops after `max_lines`, which is a problem of its own.
    pub(super) fn of(document: &Document, table: &str, format: LineFormat, text: &str, max_lines: usize) -> Self {
        let (mut checked, text) = (Self::default(), text.trim_start_matches('\u{feff}'));
        let Some(table) = ItemTable::of(document, table).filter(|_| !text.trim().is_empty()) else { return checked };
        match format {
            LineFormat::Csv => checked.read_csv(&table, text, max_lines),
            LineFormat::NdJson => checked.read_json(&table, text, max_lines),
        }
        checked
    }

    fn read_csv(&mut self, table: &ItemTable<'_>, text: &str, max_lines: usize) {
        let mut reader = csv::ReaderBuilder::new().flexible(true).from_reader(text.as_bytes());
        let (unclosed, mut lines) = (unclosed_quote(text), LineNumbers::of(text));
        let line = lines.at(0);
        let (columns, violations) = match reader.headers() {
            Ok(header) if unclosed == Some(start_of(header.position())) => {
                return self.refuse(line, vec![LineViolation::of_line(UNCLOSED_QUOTE)]);
            }
            Ok(header) => table.columns(header),
            Err(error) => {
                return self.refuse(line, vec![LineViolation::of_line(format!("The line is not CSV: {error}."))]);
            }
        };
        // The other lines are checked too, so that one report lists everything to correct.
        if !violations.is_empty() {
            self.refuse(line, violations.as_slice().to_vec());
        }
        for record in reader.records() {
            let start = match &record {
                Ok(record) => start_of(record.position()),
                Err(error) => start_of(error.position()),
            };
            let line = lines.at(start);
            let read = match &record {
                _ if unclosed == Some(start) => Err(vec![LineViolation::of_line(UNCLOSED_QUOTE)]),
                Ok(record) => table.line_of_cells(&columns, record),
                Err(error) => Err(vec![LineViolation::of_line(format!("The line is not CSV: {error}."))]),
            };
            if !self.has_room(line, max_lines) {
                return;
            }
            self.take(line, read);
        }
    }

    fn read_json(&mut self, table: &ItemTable<'_>, text: &str, max_lines: usize) {
        let lines = (1..).zip(text.lines()).filter(|(_, text)| !text.trim().is_empty());
        for (line, text) in lines {
            if !self.has_room(line, max_lines) {
                return;
            }
            self.take(line, table.line_of_json(text));
        }
    }

    fn has_room(&mut self, line: u64, max_lines: usize) -> bool {
        let has_room = self.items.len().saturating_add(self.refused) < max_lines;
        if !has_room {
            let message = format!("There are more than {max_lines} items. Import them with the command line.");
            self.refuse(line, vec![LineViolation::of_line(message)]);
        }
        has_room
    }

    fn take(&mut self, line: u64, read: Result<ItemLine, Vec<LineViolation>>) {
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
        self.refused = self.refused.saturating_add(1);
        let room = MAX_LISTED.saturating_sub(self.problems.len());
        let problems = violations.into_iter().map(|violation| Problem { line, message: sentence(violation) });
        self.problems.extend(problems.take(room));
    }
}

/// Returns where the last record starts if one of its values is quoted and has no closing quotation mark. The reader
/// accepts it, with the rest of the text as the value, so that a record which is appended is part of the value, too.
fn unclosed_quote(text: &str) -> Option<u64> {
    let extended = text.as_bytes().chain("\nend".as_bytes());
    let mut reader = csv::ReaderBuilder::new().flexible(true).has_headers(false).from_reader(extended);
    let last = reader.byte_records().last()?.ok()?;
    let is_closed = last.iter().eq(["end".as_bytes()]);
    (!is_closed).then(|| start_of(last.position()))
}

fn start_of(position: Option<&csv::Position>) -> u64 {
    position.map_or(0, csv::Position::byte)
}

/// The numbers of the lines of a text on which records start. A record starts for the reader where the one before it
/// ends: before the second byte of CRLF, and before blank lines.
struct LineNumbers<'a> {
    text: &'a [u8],
    /// Number of bytes whose line breaks are counted.
    counted: usize,
    line: u64,
}

impl<'a> LineNumbers<'a> {
    fn of(text: &'a str) -> Self {
        Self { text: text.as_bytes(), counted: 0, line: 1 }
    }

    /// Returns the number of the line of the record that starts at this byte for the reader. Later calls MUST be about
    /// later records.
    fn at(&mut self, start: u64) -> u64 {
        let start = usize::try_from(start).unwrap_or(usize::MAX);
        let rest = self.text.get(start..).unwrap_or_default();
        let breaks = rest.iter().take_while(|byte| matches!(byte, b'\r' | b'\n')).count();
        let end = start.saturating_add(breaks);
        let passed = self.text.get(self.counted..end).unwrap_or_default();
        let passed = passed.iter().filter(|byte| **byte == b'\n').count();
        self.line = self.line.saturating_add(u64::try_from(passed).unwrap_or(u64::MAX));
        self.counted = end;
        self.line
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

    fn checked(format: LineFormat, text: &str) -> CheckedLines {
        let fields = json!({"title": {"type": "string", "required": true}, "rank": {"type": "number"}});
        let document = json!({"project_id": "p", "version": 1, "tables": {"notes": {"fields": fields}}});
        CheckedLines::of(&Document::parse(&document).unwrap(), "notes", format, text, 3)
    }

    fn lines(checked: &CheckedLines) -> Vec<u64> {
        checked.problems.iter().map(|problem| problem.line).collect()
    }

    #[test]
    fn lines_of_both_formats_become_items() {
        let csv = checked(LineFormat::Csv, "\u{feff}id,title,rank\r\na,\"A,\nB\",1\r\n,C,\r\n");
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
        let csv = checked(LineFormat::Csv, "id,title,rank\na,A,one\nb,B,2\nb,C,3\n");
        assert_eq!((csv.items.len(), csv.refused, lines(&csv)), (1, 2, vec![2, 4]));
        assert_eq!(csv.problems[1].message, "The id was already used on line 3.");
        let ndjson = checked(LineFormat::NdJson, "{\n{\"title\": \"a\\u0000\"}\n[]");
        assert_eq!((ndjson.refused, lines(&ndjson)), (3, vec![1, 2, 3]));
        assert_eq!(lines(&checked(LineFormat::Csv, "id,unknown\na,b\n")), [1]);
        assert_eq!(checked(LineFormat::Csv, "title\na\nb\nc\nd\n").refused, 1);
    }

    #[test]
    fn lines_have_the_same_numbers_whatever_ends_them() {
        let text = "id,title,rank\n\na,\"A\nA\",one\n\nb,B,2\nb,C,3\n";
        for text in [text.to_owned(), text.replace('\n', "\r\n")] {
            let csv = checked(LineFormat::Csv, &text);
            assert_eq!(lines(&csv), [3, 7], "{text:?}");
            assert_eq!(csv.problems[1].message, "The id was already used on line 6.");
        }
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
        ] {
            let csv = checked(LineFormat::Csv, text);
            assert_eq!((csv.items.len(), csv.refused, lines(&csv)), (items, 1, vec![line]), "{text:?}");
            assert_eq!(csv.problems[0].message, UNCLOSED_QUOTE);
        }
    }

    #[test]
    fn a_quoted_value_of_several_lines_can_end_the_text() {
        for (value, expected) in [("\"A\nB\"", "A\nB"), ("\"A\nend\"", "A\nend"), ("\"\"\"\"", "\""), ("end", "end")] {
            for end in ["", "\n", "\r\n", "\n\n"] {
                let csv = checked(LineFormat::Csv, &format!("title\n{value}{end}"));
                assert_eq!(csv.problems, [], "{value:?}{end:?}");
                let [(None, item)] = csv.items.as_slice() else { panic!("{csv:?}") };
                assert_eq!(item["title"], expected, "{value:?}{end:?}");
            }
        }
    }
}
