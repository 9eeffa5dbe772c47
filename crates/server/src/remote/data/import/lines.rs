//! The lines of a CSV or NDJSON file, one after the other.

use std::io::Read;
use std::vec;

use anyhow::{Context as _, bail};
use steward_domain::data::tabular::{
    CellText, Columns, ItemLine, ItemTable, LineFormat, LineViolation, RecordReader, TextDecoder, TextEncoding,
};
use steward_domain::data::{ImportRecord, RecordContent};

/// Number of bytes that are read at once.
pub const BUFFER_BYTES: usize = 64 * 1024;

type Input = Box<dyn Read + Send>;

/// A line that is not blank.
pub struct Line {
    /// Number of the line in the file, starting at 1. A CSV record can have several lines: the first one.
    pub number: u64,
    pub item: Result<ItemLine, Vec<LineViolation>>,
}

/// A file that is read while its lines are used.
pub struct Lines {
    input: Input,
    buffer: Vec<u8>,
    /// How much of the file is read.
    pub bytes_read: u64,
    /// `None` at the end of the file.
    decoder: Option<TextDecoder>,
    pub reader: RecordReader,
    records: vec::IntoIter<ImportRecord>,
    /// The columns of a CSV file.
    columns: Option<Columns>,
    /// What is wrong with the header of a CSV file. If anything is, no line may be written.
    pub violations: Vec<LineViolation>,
}

impl Lines {
    /// Starts to read a file, with its header.
    pub fn open(source: Source, input: Input, table: &ItemTable<'_>) -> anyhow::Result<Self> {
        let mut lines = Self {
            input,
            buffer: vec![0; BUFFER_BYTES],
            bytes_read: 0,
            decoder: Some(TextDecoder::new(source.encoding)),
            reader: RecordReader::new(source.format),
            records: Vec::new().into_iter(),
            columns: None,
            violations: Vec::new(),
        };
        if let LineFormat::Csv(_) = source.format {
            lines.read_header(source.texts, table)?;
        }
        Ok(lines)
    }

    fn read_header(&mut self, texts: CellText, table: &ItemTable<'_>) -> anyhow::Result<()> {
        while self.reader.header().is_none() && self.records.as_slice().is_empty() && self.read_part()? {}
        let Some(header) = self.reader.header() else {
            match self.records.next() {
                Some(ImportRecord { line, content: RecordContent::Refused(_, why) }) => bail!("Line {line}: {why}"),
                _ => bail!(
                    "The file is empty. Its first line must name the columns, such as {}.",
                    table.header().join(",")
                ),
            }
        };
        let (columns, violations) = table.columns(header.iter().map(String::as_str));
        self.columns = Some(columns.with_texts(texts));
        self.violations = violations.as_slice().to_vec();
        Ok(())
    }

    /// Returns the next line, if there is one. An error ends the file.
    pub fn next(&mut self, table: &ItemTable<'_>) -> anyhow::Result<Option<Line>> {
        loop {
            if let Some(ImportRecord { line, content }) = self.records.next() {
                return Ok(Some(Line { number: line, item: table.line_of_record(self.columns.as_ref(), content) }));
            }
            if !self.read_part()? {
                return Ok(None);
            }
        }
    }

    /// Reads the next part of the file, after all records of the one before. Returns `false` at the end of the file.
    fn read_part(&mut self) -> anyhow::Result<bool> {
        let Some(decoder) = &mut self.decoder else { return Ok(false) };
        let count = self.input.read(&mut self.buffer).context("Cannot read the file")?;
        self.bytes_read = self.bytes_read.saturating_add(u64::try_from(count).unwrap_or_default());
        let mut text = decoder.decode(self.buffer.get(..count).unwrap_or_default());
        let is_at_end = count == 0;
        if is_at_end {
            text.extend(self.decoder.take().map(TextDecoder::finish).unwrap_or_default());
        }
        let mut records = self.reader.read(&text);
        if is_at_end {
            records.extend(self.reader.finish());
        }
        self.records = records.into_iter();
        Ok(true)
    }
}

/// How the lines of a file are written.
#[derive(Debug, Clone, Copy)]
pub struct Source {
    pub format: LineFormat,
    pub encoding: TextEncoding,
    pub texts: CellText,
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use serde_json::{Value, json};
    use steward_domain::data::schema::Document;
    use steward_domain::data::tabular::NOT_TEXT;

    use super::*;

    const CSV: LineFormat = LineFormat::Csv(None);

    /// Reads a file, and returns the number of each line with its title or its first violation.
    fn read(format: LineFormat, file: &[u8]) -> anyhow::Result<Vec<(u64, String)>> {
        let fields = json!({"title": {"type": "string"}});
        let schema = json!({"project_id": "p", "version": 1, "tables": {"notes": {"fields": fields}}});
        let schema = Document::parse(&schema).unwrap();
        let table = ItemTable::of(&schema, "notes").unwrap();
        let source = Source { format, encoding: TextEncoding::default(), texts: CellText::Safe };
        let mut lines = Lines::open(source, Box::new(Cursor::new(file.to_vec())), &table)?;
        if let Some(violation) = lines.violations.first() {
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
        assert_eq!(lines.bytes_read, u64::try_from(file.len()).unwrap());
        Ok(read)
    }

    fn expected(lines: &[(u64, &str)]) -> Vec<(u64, String)> {
        lines.iter().map(|(number, text)| (*number, (*text).to_owned())).collect()
    }

    #[test]
    fn lines_of_csv_have_their_number_whatever_ends_them() {
        let file = "id,title\n1,a\n2,\"b\nb\"\n3,c\n";
        let lines = expected(&[(2, "a"), (3, "b\nb"), (5, "c")]);
        assert_eq!(read(CSV, file.as_bytes()).unwrap(), lines);
        let lines = expected(&[(2, "a"), (3, "b\r\nb"), (5, "c")]);
        assert_eq!(read(CSV, file.replace('\n', "\r\n").as_bytes()).unwrap(), lines);
    }

    #[test]
    fn blank_lines_of_csv_are_skipped_and_counted() {
        let file = "title\n\na\n\n\n\"b\n\nb\"\n\nc\n\n";
        let lines = expected(&[(3, "a"), (6, "b\n\nb"), (10, "c")]);
        assert_eq!(read(CSV, file.as_bytes()).unwrap(), lines);
        let lines = expected(&[(3, "a"), (6, "b\r\n\r\nb"), (10, "c")]);
        assert_eq!(read(CSV, file.replace('\n', "\r\n").as_bytes()).unwrap(), lines);
        assert_eq!(read(CSV, b"title\r\na\r\n\r\nb").unwrap(), expected(&[(2, "a"), (4, "b")]));
        assert_eq!(read(CSV, b"\r\n\r\ntitle\ra\nb").unwrap(), expected(&[(4, "a"), (5, "b")]));
    }

    #[test]
    fn a_file_can_start_with_a_byte_order_mark_and_end_without_a_line_break() {
        assert_eq!(read(CSV, "\u{feff}title\na".as_bytes()).unwrap(), expected(&[(2, "a")]));
        let file = "\u{feff}{\"title\": \"a\"}\n\r\n{\"title\": \"b\"}";
        assert_eq!(read(LineFormat::NdJson, file.as_bytes()).unwrap(), expected(&[(1, "a"), (3, "b")]));
    }

    #[test]
    fn a_quote_that_is_not_closed_is_reported_with_the_line_where_the_record_starts() {
        for (file, line) in [
            ("title\na\n\"b\nc\nd\n", 3),
            ("title\na\n\"b\nc", 3),
            ("title\r\na\r\n\"b\r\nc\r\n", 3),
            ("id,title\n1,\"a\nb\"\n2,\"c\"\"", 4),
            ("title\n\"", 2),
            ("title\n\na\n\n\n\"b\nc\n", 6),
            ("title\r\n\r\na\r\n\r\n\"b\r\nc\r\n", 5),
        ] {
            let (number, message) = read(CSV, file.as_bytes()).unwrap().pop().unwrap();
            assert!(number == line && message.contains("no closing quotation mark"), "{file:?}: {number}: {message}");
        }
        let error = read(CSV, b"\"title\na\n").unwrap_err().to_string();
        assert!(error.contains("Line 1: A quoted value has no closing quotation mark"), "{error}");
    }

    #[test]
    fn a_quote_can_be_closed_at_the_end_of_the_file() {
        let lines = expected(&[(2, "a"), (3, "b\nc")]);
        for end in ["", "\n", "\r", "\r\n", "\n\n"] {
            let file = format!("title\na\n\"b\nc\"{end}");
            assert_eq!(read(CSV, file.as_bytes()).unwrap(), lines, "{file:?}");
        }
        for (file, last) in [("title\n\"b\"\"\"", "b\""), ("title\n5\" pipe", "5\" pipe"), ("title\n\"b\"c\"", "bc\"")]
        {
            assert_eq!(read(CSV, file.as_bytes()).unwrap(), expected(&[(2, last)]), "{file:?}");
        }
    }

    #[test]
    fn a_line_that_is_not_text_does_not_end_the_file_and_names_the_way_out() {
        assert_eq!(read(CSV, b"title\nK\xe4se\nb\n").unwrap(), expected(&[(2, NOT_TEXT), (3, "b")]));
        let lines = read(LineFormat::NdJson, b"\xff\n{\"title\": \"b\"}\n").unwrap();
        assert_eq!(lines, expected(&[(1, NOT_TEXT), (2, "b")]));
        assert!(NOT_TEXT.contains("--encoding windows-1252"));
    }

    #[test]
    fn the_size_of_a_line_is_limited() {
        const LIMIT: usize = 1024 * 1024;
        let file = format!("title\n\"{}\"\nb\n", "x".repeat(2 * LIMIT));
        let lines = read(CSV, file.as_bytes()).unwrap();
        assert!(lines.len() == 2 && lines[0].1.contains("1 MiB") && lines[1] == (3, "b".to_owned()));
        let long = format!("title\n{}", format!("{}\n", "x".repeat(LIMIT / 8)).repeat(16));
        assert_eq!(read(CSV, long.as_bytes()).unwrap().len(), 16);
    }

    #[test]
    fn a_file_without_a_header_is_refused() {
        for file in ["", "1,a\n", "\n"] {
            assert!(read(CSV, file.as_bytes()).is_err(), "{file:?}");
        }
    }
}
