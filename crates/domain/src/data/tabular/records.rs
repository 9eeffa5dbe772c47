//! The records of a CSV or NDJSON file, read while the file arrives.

use super::csv_records::CsvRecords;
use super::delimiter::Delimiter;
use super::refusal::{MAX_RECORD_BYTES, NOT_TEXT, TOO_LONG, refused};
use crate::data::{ImportRecord, RecordContent};

/// The format of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LineFormat {
    /// The first line names the columns. Without a delimiter, it is recognized in this line.
    Csv(Option<Delimiter>),
    /// Each line is an item in JSON.
    NdJson,
}

/// Reads the records of a file, whose text is in UTF-8. A record has the number of the line on which it starts.
pub struct RecordReader {
    parts: Parts,
    records: Vec<ImportRecord>,
    /// The header of a CSV file, and its line.
    header: Option<(u64, Vec<String>)>,
    /// Whether the header of a CSV file was refused. It is the only record then, because the others have no columns.
    is_headless: bool,
}

/// What divides the text into records.
enum Parts {
    Csv(Box<CsvRecords>),
    Lines { line: u64, rest: Vec<u8>, is_too_long: bool },
}

impl RecordReader {
    /// Starts to read a file.
    pub fn new(format: LineFormat) -> Self {
        let parts = match format {
            LineFormat::Csv(delimiter) => Parts::Csv(Box::new(CsvRecords::new(delimiter))),
            LineFormat::NdJson => Parts::Lines { line: 1, rest: Vec::new(), is_too_long: false },
        };
        Self { parts, records: Vec::new(), header: None, is_headless: false }
    }

    /// Returns the header of a CSV file, once it was read.
    pub fn header(&self) -> Option<&[String]> {
        self.header.as_ref().map(|(_, names)| names.as_slice())
    }

    /// Returns the line on which the header starts; 1 if there is none.
    pub fn header_line(&self) -> u64 {
        self.header.as_ref().map_or(1, |(line, _)| *line)
    }

    /// Returns the number of rows without a value since the last call. They are skipped.
    pub fn take_empty_rows(&mut self) -> u64 {
        match &mut self.parts {
            Parts::Csv(csv) => csv.take_empty_rows(),
            Parts::Lines { .. } => 0,
        }
    }

    /// Reads the next bytes of the text, and returns the records that end in them.
    pub fn read(&mut self, bytes: &[u8]) -> Vec<ImportRecord> {
        self.divide(bytes);
        self.take_records()
    }

    /// Ends the file, and returns its last record if no line break ends it.
    pub fn finish(&mut self) -> Vec<ImportRecord> {
        match &mut self.parts {
            Parts::Csv(csv) => csv.finish(&mut self.records),
            Parts::Lines { rest, .. } if rest.is_empty() => {}
            Parts::Lines { .. } => self.divide(b"\n"),
        }
        self.take_records()
    }

    fn divide(&mut self, bytes: &[u8]) {
        match &mut self.parts {
            Parts::Csv(csv) => csv.read(bytes, &mut self.records),
            Parts::Lines { line, rest, is_too_long } => {
                for part in bytes.split_inclusive(|byte| *byte == b'\n') {
                    if rest.len().saturating_add(part.len()) <= MAX_RECORD_BYTES {
                        rest.extend_from_slice(part);
                    } else {
                        *is_too_long = true;
                    }
                    if !part.ends_with(b"\n") {
                        continue;
                    }
                    let (text, too_long) = (std::mem::take(rest), std::mem::take(is_too_long));
                    let content = match String::from_utf8(text) {
                        _ if too_long => refused(TOO_LONG),
                        Ok(text) => RecordContent::Text(text.trim_end_matches(['\r', '\n']).to_owned()),
                        Err(_) => refused(NOT_TEXT),
                    };
                    let is_blank = matches!(&content, RecordContent::Text(text) if text.trim().is_empty());
                    if !is_blank {
                        self.records.push(ImportRecord { line: *line, content });
                    }
                    *line += 1;
                }
            }
        }
    }

    /// Returns the records that were read, except the header of a CSV file.
    fn take_records(&mut self) -> Vec<ImportRecord> {
        let mut records = std::mem::take(&mut self.records);
        if self.is_headless {
            return Vec::new();
        }
        if self.header.is_some() || records.is_empty() || matches!(self.parts, Parts::Lines { .. }) {
            return records;
        }
        match records.remove(0) {
            ImportRecord { line, content: RecordContent::Cells(names) } => {
                self.header = Some((line, names));
                records
            }
            refused => {
                self.is_headless = true;
                vec![refused]
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::csv_records::{MAX_COLUMNS, UNCLOSED_QUOTE};
    use super::*;

    const CSV: LineFormat = LineFormat::Csv(None);

    /// Reads a text in parts of this size.
    fn in_parts(format: LineFormat, text: &[u8], size: usize) -> (Vec<ImportRecord>, RecordReader) {
        let mut reader = RecordReader::new(format);
        let mut records: Vec<_> = text.chunks(size).flat_map(|part| reader.read(part)).collect();
        records.extend(reader.finish());
        (records, reader)
    }

    fn read(format: LineFormat, text: &str) -> (Vec<ImportRecord>, RecordReader) {
        in_parts(format, text.as_bytes(), text.len().max(1))
    }

    fn cells(cells: &[&str]) -> RecordContent {
        RecordContent::Cells(cells.iter().map(|cell| (*cell).to_owned()).collect())
    }

    #[test]
    fn the_records_do_not_depend_on_how_the_file_arrives() {
        let csv = "sep=;\r\n\r\nid;title\r\n\r\na;\"A;\r\n\"\"B\"\"\"\r\n\nb;x\"y\n;\n \n;\"\u{e9}\"\n\nc;\"open\n";
        let ndjson = "{\"a\": 1}\r\n\n  \n{\"b\":\n2}";
        for (format, text) in [(CSV, csv), (LineFormat::NdJson, ndjson)] {
            let (expected, whole) = read(format, text);
            for size in 1..text.len() {
                let (records, reader) = in_parts(format, text.as_bytes(), size);
                assert_eq!((records, reader.header), (expected.clone(), whole.header.clone()), "{size}");
            }
        }
        let (records, mut reader) = read(CSV, csv);
        assert_eq!((reader.header_line(), reader.header().unwrap()), (3, &["id".to_owned(), "title".to_owned()][..]));
        assert_eq!([reader.take_empty_rows(), reader.take_empty_rows()], [2, 0]);
        let found: Vec<_> = records.iter().map(|record| (record.line, &record.content)).collect();
        let expected = [
            (5, &cells(&["a", "A;\r\n\"B\""])),
            (8, &cells(&["b", "x\"y"])),
            (11, &cells(&["", "\u{e9}"])),
            (13, &refused(UNCLOSED_QUOTE)),
        ];
        assert_eq!(found, expected);
        let lines: Vec<_> = read(LineFormat::NdJson, ndjson).0.iter().map(|record| record.line).collect();
        assert_eq!(lines, [1, 4, 5]);
    }

    #[test]
    fn whatever_separates_cells_and_lines_the_records_are_the_same() {
        let rows = [["id", "title", "rank"], ["a", "A", "1"], ["", "", ""], ["b", "B", ""]];
        for delimiter in [",", ";", "\t"] {
            for end in ["\n", "\r\n", "\r"] {
                let text = rows.map(|row| row.join(delimiter)).join(end);
                let (records, mut reader) = read(CSV, &text);
                let found: Vec<_> = records.iter().map(|record| (record.line, &record.content)).collect();
                let expected = [(2, &cells(&["a", "A", "1"])), (4, &cells(&["b", "B", ""]))];
                assert_eq!((&found[..], reader.take_empty_rows()), (&expected[..], 1), "{text:?}");
            }
        }
        let (records, _) = read(LineFormat::Csv(Delimiter::parse(";")), "a,b,c;d\ne;f");
        assert_eq!(records[0].content, cells(&["e", "f"]));
    }

    #[test]
    fn a_record_that_is_too_long_or_no_text_is_refused_and_the_next_one_is_read() {
        let long = "x".repeat(2 * MAX_RECORD_BYTES);
        let wide = ",".repeat(2 * MAX_COLUMNS);
        for text in [format!("a,\"{long}\"\n"), format!("{wide}\n"), format!("{long}\n")] {
            let (records, _) = in_parts(CSV, format!("id,title\n{text}b,B\n").as_bytes(), 4_096);
            assert_eq!(records.len(), 2);
            assert_eq!((records[0].line, &records[0].content), (2, &refused(TOO_LONG)));
            assert_eq!(records[1].line, 3);
        }
        let (records, _) = in_parts(LineFormat::NdJson, format!("{long}\n{{}}\n").as_bytes(), 4_096);
        assert_eq!((records.len(), &records[0].content, records[1].line), (2, &refused(TOO_LONG), 2));
        for (format, text) in [(CSV, &b"id\n\xff\nb"[..]), (LineFormat::NdJson, b"\xff\n{}")] {
            let (records, _) = in_parts(format, text, 3);
            assert_eq!((records.len(), &records[0].content), (2, &refused(NOT_TEXT)));
        }
    }

    #[test]
    fn a_file_without_records_has_none() {
        for text in ["", "\n\r\n", "sep=;", ",,\n"] {
            let (records, reader) = read(CSV, text);
            assert_eq!((records, reader.header()), (Vec::new(), None));
        }
        assert_eq!(read(LineFormat::NdJson, "\n").0, []);
        let (records, reader) = read(CSV, "id");
        assert_eq!((records, reader.header()), (Vec::new(), Some(&["id".to_owned()][..])));
    }
}
