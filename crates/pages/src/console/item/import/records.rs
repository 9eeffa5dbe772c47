//! The records of a CSV or NDJSON file, read while the file arrives.

use csv_core::{ReadRecordResult, Reader};
use steward_domain::model::{ImportRecord, RecordContent};

/// Maximum size of a record, in bytes: that of a request to the API.
const MAX_RECORD_BYTES: usize = 1024 * 1024;
/// Maximum number of columns of a CSV file.
const MAX_COLUMNS: usize = 10_000;
const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();
const NOT_UTF8: &str = "The line is not text in UTF-8.";
const TOO_LONG: &str = "The line is larger than 1 MiB.";
const UNCLOSED_QUOTE: &str =
    "A quoted value has no closing quotation mark. Add it. Inside a quoted value, write a quotation mark twice.";

/// The format of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LineFormat {
    /// The first line names the columns.
    Csv,
    NdJson,
}

impl LineFormat {
    /// Returns the format with this name; CSV if there is no such format.
    pub(crate) fn named(name: &str) -> Self {
        if name == "ndjson" { Self::NdJson } else { Self::Csv }
    }
}

/// Reads records. A record has the number of the line on which it starts.
pub(crate) struct RecordReader {
    parts: Parts,
    /// The start of the file, until it is known whether it is a byte order mark.
    start: Option<Vec<u8>>,
    records: Vec<ImportRecord>,
    header: Option<Vec<String>>,
    /// Whether the header of a CSV file was refused. It is the only record then, because the others have no columns.
    is_headless: bool,
}

/// What divides the text into records.
enum Parts {
    Csv(Box<Csv>),
    Lines { line: u64, rest: Vec<u8>, is_too_long: bool },
}

impl RecordReader {
    pub(crate) fn new(format: LineFormat) -> Self {
        let parts = match format {
            LineFormat::Csv => Parts::Csv(Box::new(Csv::new())),
            LineFormat::NdJson => Parts::Lines { line: 1, rest: Vec::new(), is_too_long: false },
        };
        Self { parts, start: Some(Vec::new()), records: Vec::new(), header: None, is_headless: false }
    }

    /// Returns the records of a text.
    pub(crate) fn all(format: LineFormat, text: &str) -> (Vec<ImportRecord>, Option<Vec<String>>) {
        let mut reader = Self::new(format);
        let mut records = reader.read(text.as_bytes());
        records.extend(reader.finish());
        (records, reader.header)
    }

    /// Returns the header of a CSV file, once it was read.
    pub(crate) fn header(&self) -> Option<&[String]> {
        self.header.as_deref()
    }

    /// Reads the next bytes of the file, and returns the records that end in them.
    pub(crate) fn read(&mut self, bytes: &[u8]) -> Vec<ImportRecord> {
        let Some(mut start) = self.start.take() else { return self.divide(bytes) };
        start.extend_from_slice(bytes);
        if start.len() < BYTE_ORDER_MARK.len() {
            self.start = Some(start);
            return Vec::new();
        }
        self.divide(start.strip_prefix(BYTE_ORDER_MARK).unwrap_or(&start))
    }

    /// Ends the file, and returns its last record if no line break ends it.
    pub(crate) fn finish(&mut self) -> Vec<ImportRecord> {
        let start = self.start.take().unwrap_or_default();
        let mut records = self.divide(&start);
        match &mut self.parts {
            Parts::Csv(csv) => csv.finish(&mut self.records),
            Parts::Lines { rest, .. } if rest.is_empty() => {}
            Parts::Lines { .. } => records.extend(self.divide(b"\n")),
        }
        records.extend(self.take_records());
        records
    }

    fn divide(&mut self, bytes: &[u8]) -> Vec<ImportRecord> {
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
                        Err(_) => refused(NOT_UTF8),
                    };
                    let is_blank = matches!(&content, RecordContent::Text(text) if text.trim().is_empty());
                    if !is_blank {
                        self.records.push(ImportRecord { line: *line, content });
                    }
                    *line = line.saturating_add(1);
                }
            }
        }
        self.take_records()
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
            ImportRecord { content: RecordContent::Cells(cells), .. } => {
                self.header = Some(cells);
                records
            }
            refused => {
                self.is_headless = true;
                vec![refused]
            }
        }
    }
}

fn refused(why: &str) -> RecordContent {
    RecordContent::Refused(None, why.to_owned())
}

/// A CSV file (RFC 4180), read record by record. Blank lines are not records.
struct Csv {
    parser: Reader,
    /// The text of the current record, and the ends of its cells.
    text: Vec<u8>,
    text_len: usize,
    ends: Vec<usize>,
    cells: usize,
    is_too_long: bool,
    line: u64,
    /// The line on which the current record starts; `None` between two records.
    starts_on: Option<u64>,
}

impl Csv {
    fn new() -> Self {
        Self {
            parser: Reader::new(),
            text: vec![0; 1024],
            text_len: 0,
            ends: vec![0; 64],
            cells: 0,
            is_too_long: false,
            line: 1,
            starts_on: None,
        }
    }

    fn read(&mut self, mut input: &[u8], records: &mut Vec<ImportRecord>) {
        loop {
            if self.starts_on.is_none() {
                let breaks = input.iter().take_while(|byte| matches!(byte, b'\r' | b'\n')).count();
                input = self.pass(input, breaks);
            }
            if input.is_empty() {
                return;
            }
            self.starts_on.get_or_insert(self.line);
            let (result, read) = self.parse(input);
            input = self.pass(input, read);
            if result == ReadRecordResult::Record {
                self.end_record(records);
            }
        }
    }

    /// Ends the file. The parser accepts a quoted value without an end, with the rest of the text as the value, so that a
    /// record which is appended is part of the value, too.
    fn finish(&mut self, records: &mut Vec<ImportRecord>) {
        const APPENDED: &str = "end";
        let Some(line) = self.starts_on else { return };
        let mut last = Vec::new();
        self.read(format!("\n{APPENDED}").as_bytes(), &mut last);
        while matches!(self.parse(&[]).0, ReadRecordResult::OutputFull | ReadRecordResult::OutputEndsFull) {}
        self.end_record(&mut last);

        let appended = last.pop().map(|record| record.content);
        if appended != Some(RecordContent::Cells(vec![APPENDED.to_owned()])) {
            last.push(ImportRecord { line, content: refused(UNCLOSED_QUOTE) });
        }
        records.extend(last);
    }

    /// Returns the input after the first bytes, whose lines are counted.
    fn pass<'i>(&mut self, input: &'i [u8], count: usize) -> &'i [u8] {
        let (passed, rest) = input.split_at_checked(count).unwrap_or((input, &[]));
        let breaks = passed.iter().filter(|byte| **byte == b'\n').count();
        self.line = self.line.saturating_add(u64::try_from(breaks).unwrap_or(u64::MAX));
        rest
    }

    /// Parses up to the end of the record or of the input. Returns the number of bytes that it has read.
    fn parse(&mut self, input: &[u8]) -> (ReadRecordResult, usize) {
        let text = self.text.get_mut(self.text_len..).unwrap_or_default();
        let ends = self.ends.get_mut(self.cells..).unwrap_or_default();
        let (result, read, written, cells) = self.parser.read_record(input, text, ends);
        self.text_len = self.text_len.saturating_add(written);
        self.cells = self.cells.saturating_add(cells);
        match result {
            ReadRecordResult::OutputFull if self.text.len() < MAX_RECORD_BYTES => {
                self.text.resize(self.text.len().saturating_mul(2), 0);
            }
            ReadRecordResult::OutputEndsFull if self.ends.len() < MAX_COLUMNS => {
                self.ends.resize(self.ends.len().saturating_mul(2), 0);
            }
            // The rest of the record is read and forgotten.
            ReadRecordResult::OutputFull | ReadRecordResult::OutputEndsFull => {
                (self.text_len, self.cells, self.is_too_long) = (0, 0, true);
            }
            _ => {}
        }
        (result, read)
    }

    fn end_record(&mut self, records: &mut Vec<ImportRecord>) {
        let content = if self.is_too_long { refused(TOO_LONG) } else { self.content() };
        let line = self.starts_on.take().unwrap_or(self.line);
        (self.text_len, self.cells, self.is_too_long) = (0, 0, false);
        records.push(ImportRecord { line, content });
    }

    fn content(&self) -> RecordContent {
        let mut start = 0;
        let mut cell = |end: &usize| {
            let cell = self.text.get(start..*end).unwrap_or_default();
            start = *end;
            str::from_utf8(cell).map(str::to_owned)
        };
        let cells = self.ends.iter().take(self.cells).map(&mut cell).collect::<Result<Vec<_>, _>>();
        cells.map_or_else(|_| refused(NOT_UTF8), RecordContent::Cells)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reads a text in parts of this size.
    fn in_parts(format: LineFormat, text: &[u8], size: usize) -> (Vec<ImportRecord>, Option<Vec<String>>) {
        let mut reader = RecordReader::new(format);
        let mut records: Vec<_> = text.chunks(size).flat_map(|part| reader.read(part)).collect();
        records.extend(reader.finish());
        (records, reader.header)
    }

    #[test]
    fn the_records_do_not_depend_on_how_the_file_arrives() {
        let csv = "\u{feff}id,title\r\n\r\na,\"A,\r\n\"\"B\"\"\"\r\n\nb,x\"y\n,\"\u{e9}\"\n\nc,\"open\n";
        let ndjson = "\u{feff}{\"a\": 1}\r\n\n  \n{\"b\":\n2}";
        for (format, text) in [(LineFormat::Csv, csv), (LineFormat::NdJson, ndjson)] {
            let (expected, header) = RecordReader::all(format, text);
            for size in 1..text.len() {
                assert_eq!(in_parts(format, text.as_bytes(), size), (expected.clone(), header.clone()), "{size}");
            }
        }
        let (records, header) = RecordReader::all(LineFormat::Csv, csv);
        let cells = |cells: &[&str]| RecordContent::Cells(cells.iter().map(|cell| (*cell).to_owned()).collect());
        assert_eq!(header.unwrap(), ["id", "title"]);
        let found: Vec<_> = records.iter().map(|record| (record.line, &record.content)).collect();
        let expected = [
            (3, &cells(&["a", "A,\r\n\"B\""])),
            (6, &cells(&["b", "x\"y"])),
            (7, &cells(&["", "\u{e9}"])),
            (9, &refused(UNCLOSED_QUOTE)),
        ];
        assert_eq!(found, expected);
        let lines: Vec<_> = RecordReader::all(LineFormat::NdJson, ndjson).0.iter().map(|record| record.line).collect();
        assert_eq!(lines, [1, 4, 5]);
    }

    #[test]
    fn a_record_that_is_too_long_or_no_text_is_refused_and_the_next_one_is_read() {
        let long = "x".repeat(2 * MAX_RECORD_BYTES);
        let wide = ",".repeat(2 * MAX_COLUMNS);
        for text in [format!("a,\"{long}\"\n"), format!("{wide}\n"), format!("{long}\n")] {
            let (records, _) = in_parts(LineFormat::Csv, format!("id,title\n{text}b,B\n").as_bytes(), 4_096);
            assert_eq!(records.len(), 2);
            assert_eq!((records[0].line, &records[0].content), (2, &refused(TOO_LONG)));
            assert_eq!(records[1].line, 3);
        }
        let (records, _) = in_parts(LineFormat::NdJson, format!("{long}\n{{}}\n").as_bytes(), 4_096);
        assert_eq!((records.len(), &records[0].content, records[1].line), (2, &refused(TOO_LONG), 2));
        for (format, text) in [(LineFormat::Csv, &b"id\n\xff\nb"[..]), (LineFormat::NdJson, b"\xff\n{}")] {
            let (records, _) = in_parts(format, text, 3);
            assert_eq!((records.len(), &records[0].content), (2, &refused(NOT_UTF8)));
        }
    }

    #[test]
    fn a_file_without_records_has_none() {
        for text in ["", "\n\r\n", "\u{feff}"] {
            assert_eq!(RecordReader::all(LineFormat::Csv, text), (Vec::new(), None));
            assert_eq!(RecordReader::all(LineFormat::NdJson, text), (Vec::new(), None));
        }
        let header = Some(vec!["id".to_owned()]);
        assert_eq!(RecordReader::all(LineFormat::Csv, "id"), (Vec::new(), header));
    }
}
