//! The records of a CSV file (RFC 4180), read while the file arrives.

use csv_core::{ReadRecordResult, Reader, ReaderBuilder};

use super::delimiter::{Delimiter, FirstLine};
use super::refusal::{MAX_RECORD_BYTES, NOT_TEXT, TOO_LONG, refused};
use crate::data::{ImportRecord, RecordContent};

/// Maximum number of columns of a CSV file.
pub(super) const MAX_COLUMNS: usize = 10_000;
pub(super) const UNCLOSED_QUOTE: &str =
    "A quoted value has no closing quotation mark. Add it. Inside a quoted value, write a quotation mark twice.";

/// A CSV file. Blank lines are not records, and neither are empty rows.
pub(super) struct CsvRecords {
    parser: Reader,
    /// The delimiter that is given.
    delimiter: Option<Delimiter>,
    /// The first line, until the delimiter is recognized.
    first: Option<FirstLine>,
    /// The text of the current record, and the ends of its cells.
    text: Vec<u8>,
    text_len: usize,
    ends: Vec<usize>,
    cells: usize,
    is_too_long: bool,
    line: u64,
    /// Whether the last byte was a carriage return, so that a line feed does not end another line.
    is_after_return: bool,
    /// The line on which the current record starts; `None` between two records.
    starts_on: Option<u64>,
    /// Number of records without a value, such as rows that were cleared in a spreadsheet program.
    empty_rows: u64,
}

impl CsvRecords {
    pub(super) fn new(delimiter: Option<Delimiter>) -> Self {
        Self {
            parser: Reader::new(),
            delimiter,
            first: Some(FirstLine::default()),
            text: vec![0; 1024],
            text_len: 0,
            ends: vec![0; 64],
            cells: 0,
            is_too_long: false,
            line: 1,
            is_after_return: false,
            starts_on: None,
            empty_rows: 0,
        }
    }

    /// Returns the number of empty rows since the last call.
    pub(super) fn take_empty_rows(&mut self) -> u64 {
        std::mem::take(&mut self.empty_rows)
    }

    pub(super) fn read(&mut self, input: &[u8], records: &mut Vec<ImportRecord>) {
        let Some(first) = &mut self.first else { return self.divide(input, records) };
        let Some(rest) = first.read(input) else { return };
        self.begin(records);
        self.divide(rest, records);
    }

    /// Begins to parse the file, with its first line.
    fn begin(&mut self, records: &mut Vec<ImportRecord>) {
        let Some(first) = self.first.take() else { return };
        let named = first.named();
        let delimiter = self.delimiter.or(named).unwrap_or_else(|| first.most_frequent());
        self.parser = ReaderBuilder::new().delimiter(delimiter.byte()).build();
        if named.is_some() {
            self.pass(first.text(), first.text().len());
        } else {
            self.divide(first.text(), records);
        }
    }

    fn divide(&mut self, mut input: &[u8], records: &mut Vec<ImportRecord>) {
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
    pub(super) fn finish(&mut self, records: &mut Vec<ImportRecord>) {
        const APPENDED: &str = "end";
        self.begin(records);
        let Some(line) = self.starts_on else { return };
        let mut last = Vec::new();
        self.divide(format!("\n{APPENDED}").as_bytes(), &mut last);
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
        for byte in passed {
            let is_second = *byte == b'\n' && self.is_after_return;
            if matches!(byte, b'\r' | b'\n') && !is_second {
                self.line += 1;
            }
            self.is_after_return = *byte == b'\r';
        }
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
        let line = self.starts_on.take().unwrap_or(self.line);
        let text = self.text.get(..self.text_len).unwrap_or_default();
        if !self.is_too_long && text.trim_ascii().is_empty() {
            self.empty_rows += 1;
        } else {
            let content = if self.is_too_long { refused(TOO_LONG) } else { self.content() };
            records.push(ImportRecord { line, content });
        }
        (self.text_len, self.cells, self.is_too_long) = (0, 0, false);
    }

    fn content(&self) -> RecordContent {
        let mut start = 0;
        let mut cell = |end: &usize| {
            let cell = self.text.get(start..*end).unwrap_or_default();
            start = *end;
            str::from_utf8(cell).map(str::to_owned)
        };
        let cells = self.ends.iter().take(self.cells).map(&mut cell).collect::<Result<Vec<_>, _>>();
        cells.map_or_else(|_| refused(NOT_TEXT), RecordContent::Cells)
    }
}
