//! The lines of a CSV or NDJSON file, one after the other.

use std::io::{self, BufRead as _, BufReader, Read};

use anyhow::{Context as _, anyhow, bail};
use csv::{ByteRecord, StringRecord};
use steward_domain::tabular::{CellText, Columns, ItemLine, ItemTable, LineViolation};

use super::line_numbers::LineNumbers;
use crate::remote::file_format::FileFormat;

/// Maximum size of a line. An item may have 256 KiB.
const MAX_LINE_BYTES: u64 = 1024 * 1024;
const CANNOT_READ: &str = "Cannot read the file";
const NOT_UTF8: &str = "The line is not valid UTF-8.";
/// Added to a CSV file, so that a line break ends every record but one with a quote that is not closed.
const FINAL_LINE_BREAK: &[u8] = b"\n";
/// Some programs write it at the start of a file.
const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

type Input = Box<dyn Read + Send>;

/// A line that is not blank.
pub struct Line {
    /// Number of the line in the file, starting at 1. A CSV record can have several lines: the first one.
    pub number: u64,
    pub item: Result<ItemLine, Vec<LineViolation>>,
}

pub enum Lines {
    Csv(Box<CsvLines>),
    Ndjson(NdjsonLines),
}

pub struct CsvLines {
    reader: csv::Reader<Bounded>,
    columns: Columns,
    /// The number of the header's line, and what is wrong with it.
    header: (u64, Vec<LineViolation>),
}

pub struct NdjsonLines {
    reader: BufReader<Input>,
    buffer: Vec<u8>,
    number: u64,
    bytes_read: u64,
}

impl Lines {
    /// Starts to read a file, with its header.
    pub fn open(source: Source, input: Input, table: &ItemTable<'_>) -> anyhow::Result<Self> {
        Ok(match source.format {
            FileFormat::Csv => Self::Csv(Box::new(CsvLines::open(source, input, table)?)),
            FileFormat::Ndjson => Self::Ndjson(NdjsonLines {
                reader: BufReader::new(input),
                buffer: Vec::new(),
                number: 0,
                bytes_read: 0,
            }),
        })
    }

    /// Returns the next line, if there is one. An error ends the file.
    pub fn next(&mut self, table: &ItemTable<'_>) -> anyhow::Result<Option<Line>> {
        match self {
            Self::Csv(lines) => lines.next(table),
            Self::Ndjson(lines) => lines.next(table),
        }
    }

    /// Returns the number of the line that names the columns, and what is wrong with it: if anything is, no line may be
    /// written.
    pub fn header(&self) -> (u64, &[LineViolation]) {
        match self {
            Self::Csv(lines) => (lines.header.0, &lines.header.1),
            Self::Ndjson(_) => (0, &[]),
        }
    }

    /// Returns how much of the file is read.
    pub fn bytes_read(&self) -> u64 {
        match self {
            Self::Csv(lines) => lines.reader.position().byte().saturating_sub(lines.reader.get_ref().bytes_added()),
            Self::Ndjson(lines) => lines.bytes_read,
        }
    }
}

impl CsvLines {
    fn open(source: Source, input: Input, table: &ItemTable<'_>) -> anyhow::Result<Self> {
        let input = Bounded {
            input: input.chain(FINAL_LINE_BREAK),
            remaining: MAX_LINE_BYTES,
            lines: LineNumbers::new(),
            is_at_end: false,
        };
        let mut reader = csv::ReaderBuilder::new().has_headers(false).flexible(true).from_reader(input);
        let mut header = StringRecord::new();
        if !reader.read_record(&mut header).context(CANNOT_READ)? {
            bail!("The file is empty. Its first line must name the columns, such as {}.", table.header().join(","));
        }
        let start = header.position().map(csv::Position::byte).unwrap_or_default();
        let is_at_end = reader.get_ref().is_at_end;
        let number = reader.get_mut().lines.at(start);
        if is_at_end {
            return Err(unclosed_quote(number));
        }
        let (columns, violations) = table.columns(&header);
        let columns = columns.with_texts(source.texts);
        Ok(Self { reader, columns, header: (number, violations.as_slice().to_vec()) })
    }

    fn next(&mut self, table: &ItemTable<'_>) -> anyhow::Result<Option<Line>> {
        self.reader.get_mut().remaining = MAX_LINE_BYTES;
        let mut record = ByteRecord::new();
        if !self.reader.read_byte_record(&mut record).context(CANNOT_READ)? {
            return Ok(None);
        }
        let start = record.position().map(csv::Position::byte).unwrap_or_default();
        let number = self.reader.get_mut().lines.at(start);
        if self.reader.get_ref().is_at_end {
            return Err(unclosed_quote(number));
        }
        let item = match StringRecord::from_byte_record(record) {
            Ok(record) => table.line_of_cells(&self.columns, &record),
            Err(_) => Err(vec![LineViolation::of_line(NOT_UTF8)]),
        };
        Ok(Some(Line { number, item }))
    }
}

impl NdjsonLines {
    fn next(&mut self, table: &ItemTable<'_>) -> anyhow::Result<Option<Line>> {
        loop {
            self.buffer.clear();
            let mut limited = self.reader.by_ref().take(MAX_LINE_BYTES);
            let count = limited.read_until(b'\n', &mut self.buffer).context(CANNOT_READ)?;
            if count == 0 {
                return Ok(None);
            }
            self.number = self.number.saturating_add(1);
            if limited.limit() == 0 {
                bail!("Line {} is longer than 1 MiB.", self.number);
            }
            self.bytes_read = self.bytes_read.saturating_add(u64::try_from(count).unwrap_or_default());
            let line = self.buffer.strip_prefix(BYTE_ORDER_MARK).unwrap_or(&self.buffer).trim_ascii();
            if line.is_empty() {
                continue;
            }
            let item = match std::str::from_utf8(line) {
                Ok(text) => table.line_of_json(text),
                Err(_) => Err(vec![LineViolation::of_line(NOT_UTF8)]),
            };
            return Ok(Some(Line { number: self.number, item }));
        }
    }
}

/// A record that ends with the file, and not with a line break, has a quote that is not closed. Its last value contains
/// all later lines.
fn unclosed_quote(line: u64) -> anyhow::Error {
    anyhow!("A quote in the record that starts on line {line} is not closed. Close it, or double it if it is text.")
}

/// Counts lines, and fails after a number of bytes, so that the whole file is not read into memory if a closing quote is
/// missing.
pub struct Bounded {
    input: io::Chain<Input, &'static [u8]>,
    remaining: u64,
    lines: LineNumbers,
    /// Whether the reader asked for more, and there was no more.
    is_at_end: bool,
}

impl Bounded {
    /// Returns how many bytes were read that are not in the file.
    fn bytes_added(&self) -> u64 {
        let (_, line_break) = self.input.get_ref();
        u64::from(line_break.is_empty())
    }
}

impl Read for Bounded {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.remaining == 0 {
            return Err(io::Error::other("A line is longer than 1 MiB. Check that all quotes are closed."));
        }
        let count = self.input.read(buffer)?;
        self.lines.count(buffer.get(..count).unwrap_or_default());
        self.is_at_end = count == 0;
        self.remaining = self.remaining.saturating_sub(u64::try_from(count).unwrap_or(u64::MAX));
        Ok(count)
    }
}

/// How the lines of a file are written.
#[derive(Debug, Clone, Copy)]
pub struct Source {
    pub format: FileFormat,
    pub texts: CellText,
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use serde_json::{Value, json};
    use steward_domain::model::schema::Document;

    use super::*;
    use steward_domain::tabular::CellText;

    /// Reads a file, and returns the number of each line with its title or its first violation.
    fn read(format: FileFormat, file: &[u8]) -> anyhow::Result<Vec<(u64, String)>> {
        let fields = json!({"title": {"type": "string"}});
        let schema = json!({"project_id": "p", "version": 1, "tables": {"notes": {"fields": fields}}});
        let schema = Document::parse(&schema).unwrap();
        let table = ItemTable::of(&schema, "notes").unwrap();
        let source = Source { format, texts: CellText::Safe };
        let mut lines = Lines::open(source, Box::new(Cursor::new(file.to_vec())), &table)?;
        if let Some(violation) = lines.header().1.first() {
            bail!("{}", violation.message);
        }
        let mut read = Vec::new();
        while let Some(line) = lines.next(&table)? {
            let text = match line.item {
                Ok(item) => item.value.get("title").and_then(Value::as_str).unwrap_or_default().to_owned(),
                Err(violations) => violations[0].message.clone(),
            };
            read.push((line.number, text));
        }
        assert_eq!(lines.bytes_read(), u64::try_from(file.len()).unwrap());
        Ok(read)
    }

    fn expected(lines: &[(u64, &str)]) -> Vec<(u64, String)> {
        lines.iter().map(|(number, text)| (*number, (*text).to_owned())).collect()
    }

    #[test]
    fn lines_of_csv_have_their_number_whatever_ends_them() {
        let file = "id,title\n1,a\n2,\"b\nb\"\n3,c\n";
        let lines = expected(&[(2, "a"), (3, "b\nb"), (5, "c")]);
        assert_eq!(read(FileFormat::Csv, file.as_bytes()).unwrap(), lines);
        let lines = expected(&[(2, "a"), (3, "b\r\nb"), (5, "c")]);
        assert_eq!(read(FileFormat::Csv, file.replace('\n', "\r\n").as_bytes()).unwrap(), lines);
    }

    #[test]
    fn blank_lines_of_csv_are_skipped_and_counted() {
        let file = "title\n\na\n\n\n\"b\n\nb\"\n\nc\n\n";
        let lines = expected(&[(3, "a"), (6, "b\n\nb"), (10, "c")]);
        assert_eq!(read(FileFormat::Csv, file.as_bytes()).unwrap(), lines);
        let lines = expected(&[(3, "a"), (6, "b\r\n\r\nb"), (10, "c")]);
        assert_eq!(read(FileFormat::Csv, file.replace('\n', "\r\n").as_bytes()).unwrap(), lines);
        assert_eq!(read(FileFormat::Csv, b"title\r\na\r\n\r\nb").unwrap(), expected(&[(2, "a"), (4, "b")]));
        assert_eq!(read(FileFormat::Csv, b"\r\n\r\ntitle\ra\nb").unwrap(), expected(&[(4, "a"), (5, "b")]));
    }

    #[test]
    fn a_file_can_start_with_a_byte_order_mark_and_end_without_a_line_break() {
        assert_eq!(read(FileFormat::Csv, "\u{feff}title\na".as_bytes()).unwrap(), expected(&[(2, "a")]));
        let file = "\u{feff}{\"title\": \"a\"}\n\r\n{\"title\": \"b\"}";
        assert_eq!(read(FileFormat::Ndjson, file.as_bytes()).unwrap(), expected(&[(1, "a"), (3, "b")]));
    }

    #[test]
    fn a_quote_that_is_not_closed_is_an_error_with_the_line_where_the_record_starts() {
        for (file, line) in [
            ("title\na\n\"b\nc\nd\n", 3),
            ("title\na\n\"b\nc", 3),
            ("title\r\na\r\n\"b\r\nc\r\n", 3),
            ("id,title\n1,\"a\nb\"\n2,\"c\"\"", 4),
            ("title\n\"", 2),
            ("title\n\na\n\n\n\"b\nc\n", 6),
            ("title\r\n\r\na\r\n\r\n\"b\r\nc\r\n", 5),
            ("\"title\na\n", 1),
        ] {
            let error = read(FileFormat::Csv, file.as_bytes()).unwrap_err().to_string();
            assert!(error.contains(&format!("starts on line {line} is not closed")), "{file:?}: {error}");
        }
        let error = read(FileFormat::Csv, b"title\n\"\xff\n").unwrap_err().to_string();
        assert!(error.contains("starts on line 2 is not closed"), "{error}");
    }

    #[test]
    fn a_quote_can_be_closed_at_the_end_of_the_file() {
        let lines = expected(&[(2, "a"), (3, "b\nc")]);
        for end in ["", "\n", "\r", "\r\n", "\n\n"] {
            let file = format!("title\na\n\"b\nc\"{end}");
            assert_eq!(read(FileFormat::Csv, file.as_bytes()).unwrap(), lines, "{file:?}");
        }
        for (file, last) in [("title\n\"b\"\"\"", "b\""), ("title\n5\" pipe", "5\" pipe"), ("title\n\"b\"c\"", "bc\"")]
        {
            assert_eq!(read(FileFormat::Csv, file.as_bytes()).unwrap(), expected(&[(2, last)]), "{file:?}");
        }
    }

    #[test]
    fn a_line_that_is_not_utf8_does_not_end_the_file() {
        assert_eq!(read(FileFormat::Csv, b"title\n\xff\nb\n").unwrap(), expected(&[(2, NOT_UTF8), (3, "b")]));
        let lines = read(FileFormat::Ndjson, b"\xff\n{\"title\": \"b\"}\n").unwrap();
        assert_eq!(lines, expected(&[(1, NOT_UTF8), (2, "b")]));
    }

    #[test]
    fn the_size_of_a_line_is_limited() {
        let limit = usize::try_from(MAX_LINE_BYTES).unwrap();
        assert!(read(FileFormat::Ndjson, &vec![b' '; limit]).is_err());
        assert!(read(FileFormat::Csv, format!("title\n\"{}", "x".repeat(2 * limit)).as_bytes()).is_err());
        let long = format!("title\n{}", format!("{}\n", "x".repeat(limit / 8)).repeat(16));
        assert_eq!(read(FileFormat::Csv, long.as_bytes()).unwrap().len(), 16);
    }

    #[test]
    fn a_file_without_a_header_is_refused() {
        for file in ["", "1,a\n", "\n"] {
            assert!(read(FileFormat::Csv, file.as_bytes()).is_err(), "{file:?}");
        }
    }
}
