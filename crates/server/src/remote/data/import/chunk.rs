//! Chunks of a file: lines that are written with one request.

use std::collections::HashSet;
use std::io::Read;
use std::mem;

use anyhow::{Context as _, bail};
use serde_json::{Map, Value};
use steward_client::{ItemOperation, MAX_BATCH_OPERATIONS};
use steward_crypto::UuidV7Ids;
use steward_domain::data::schema::Document;
use steward_domain::data::tabular::{ItemTable, LineViolation, UsedIds};
use steward_domain::kernel::IdGenerator as _;

use crate::remote::data::item_table::no_such_table;

use super::lines::{Line, Lines, Source};

/// Maximum size of the items of a chunk, in bytes of JSON. A request may have 1 MiB.
const MAX_CHUNK_BYTES: usize = 768 * 1024;

/// Some lines of the file, in their order.
#[derive(Debug, Default)]
pub struct Chunk {
    pub items: Vec<NumberedItem>,
    pub failures: Vec<Failure>,
    /// Number of lines that do not fit. A line can have more than one failure.
    pub failed: usize,
    /// Rows of a CSV file without a value, which are skipped.
    pub empty_rows: u64,
    pub last_line: u64,
    /// Where the chunk ends in the file.
    pub bytes_read: u64,
    ids: HashSet<String>,
    size: usize,
}

/// An item and its line in the file.
#[derive(Debug, Clone)]
pub struct NumberedItem {
    pub line: u64,
    pub id: String,
    /// Whether the ID is in the file. Otherwise it is new.
    pub is_id_given: bool,
    pub value: Map<String, Value>,
    /// Size of the value, in bytes of JSON.
    pub size: usize,
}

/// A reason why a line is not imported.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    pub line: u64,
    pub field: Option<String>,
    pub message: String,
}

impl NumberedItem {
    /// Returns the operation that stores the item, unless one with an ID from the file exists and `may_replace` is false.
    pub fn put(&self, may_replace: bool) -> ItemOperation {
        let if_none_match = (self.is_id_given && !may_replace).then(|| "*".to_owned());
        ItemOperation::Put { id: self.id.clone(), value: self.value.clone(), if_match: None, if_none_match }
    }
}

impl Chunk {
    /// Returns the IDs that are in the file.
    pub fn given_ids(&self) -> impl Iterator<Item = &str> {
        self.items.iter().filter(|item| item.is_id_given).map(|item| item.id.as_str())
    }

    /// Returns the number of lines, with those that do not fit.
    fn lines(&self) -> usize {
        self.items.len().saturating_add(self.failed)
    }

    fn has_room_for(&self, line: &Result<NumberedItem, Vec<Failure>>) -> bool {
        self.lines() < MAX_BATCH_OPERATIONS
            && line.as_ref().map_or(true, |item| {
                let is_small_enough = self.size.saturating_add(item.size) <= MAX_CHUNK_BYTES;
                // A batch must not contain an ID twice, and not all IDs of a very long file are remembered.
                (is_small_enough || self.items.is_empty()) && !self.ids.contains(&item.id)
            })
    }

    fn add(&mut self, line: Result<NumberedItem, Vec<Failure>>) {
        match line {
            Ok(item) => {
                self.size = self.size.saturating_add(item.size);
                self.ids.insert(item.id.clone());
                self.items.push(item);
            }
            Err(failures) => {
                self.failed = self.failed.saturating_add(1);
                self.failures.extend(failures);
            }
        }
    }
}

/// Reads the whole file, and sends its chunks as long as they are accepted.
pub fn read(
    source: Source,
    input: Box<dyn Read + Send>,
    document: &Document,
    table: &str,
    mut send: impl FnMut(Chunk) -> bool,
) -> anyhow::Result<()> {
    let table = ItemTable::of(document, table).with_context(|| no_such_table(table, document))?;
    let mut lines = Lines::open(source, input, &table)?;
    let (mut chunk, mut used_ids) = (Chunk::default(), UsedIds::default());
    let header = invalid_header(&lines);
    let is_only_checked = header.is_some();
    if let Some(failures) = header {
        chunk.add(Err(failures));
    }
    loop {
        // The lines before an unreadable one are imported too.
        let next = lines.next(&table);
        chunk.empty_rows = chunk.empty_rows.saturating_add(lines.reader.take_empty_rows());
        let line = match next {
            Ok(Some(line)) => line,
            end => {
                send(chunk);
                end?;
                if is_only_checked {
                    bail!(
                        "The first line, which names the columns, is not valid. Correct it, and the other lines above."
                    );
                }
                return Ok(());
            }
        };
        let number = line.number;
        let line = numbered(line, &mut used_ids);
        if is_only_checked && line.is_ok() {
            continue;
        }
        if !chunk.has_room_for(&line) && !send(mem::take(&mut chunk)) {
            return Ok(());
        }
        chunk.add(line);
        chunk.last_line = if is_only_checked { 0 } else { number };
        chunk.bytes_read = lines.bytes_read;
    }
}

/// Returns what is wrong with the line that names the columns, if anything is. The other lines are then checked too, so
/// that one report lists everything to correct, but none of them is written.
fn invalid_header(lines: &Lines) -> Option<Vec<Failure>> {
    let (line, violations) = (lines.reader.header_line(), &lines.violations);
    let failure = |LineViolation { field, message }| Failure { line, field, message };
    (!violations.is_empty()).then(|| violations.iter().cloned().map(failure).collect())
}

/// Returns the item of a line. A line with the ID of an earlier one fails, whatever is done with items that exist.
fn numbered(line: Line, used_ids: &mut UsedIds) -> Result<NumberedItem, Vec<Failure>> {
    let number = line.number;
    let failure = |LineViolation { field, message }| Failure { line: number, field, message };
    let item = line.item.map_err(|violations| violations.into_iter().map(failure).collect::<Vec<_>>())?;
    if let Some(id) = &item.id {
        used_ids.add(id, number).map_err(|violation| vec![failure(violation)])?;
    }
    let is_id_given = item.id.is_some();
    let id = item.id.map_or_else(|| UuidV7Ids.next().to_string(), |id| id.as_str().to_owned());
    let size = serde_json::to_string(&item.value).map_or(0, |text| text.len());
    Ok(NumberedItem { line: number, id, is_id_given, value: item.value, size })
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use serde_json::json;
    use steward_domain::data::ItemId;
    use steward_domain::data::tabular::{CellText, ItemLine, LineFormat, TextEncoding};

    use super::*;

    const CSV: LineFormat = LineFormat::Csv(None);

    fn chunks(format: LineFormat, text: String) -> (Vec<Chunk>, anyhow::Result<()>) {
        let fields = json!({"title": {"type": "string"}, "rank": {"type": "number"}});
        let schema = json!({"project_id": "p", "version": 1, "tables": {"notes": {"fields": fields}}});
        let schema = Document::parse(&schema).unwrap();
        let mut chunks = Vec::new();
        let input = Box::new(Cursor::new(text.into_bytes()));
        let source = Source { format, encoding: TextEncoding::default(), texts: CellText::Safe };
        let result = read(source, input, &schema, "notes", |chunk| {
            chunks.push(chunk);
            true
        });
        (chunks, result)
    }

    #[test]
    fn a_chunk_has_at_most_a_hundred_lines_and_every_line_is_in_one() {
        let lines: String = (0..250).map(|n| format!("{n},{}\n", if n % 10 == 0 { "x" } else { "1" })).collect();
        let (chunks, result) = chunks(CSV, format!("id,rank\n{lines}"));
        result.unwrap();
        assert_eq!(chunks.iter().map(Chunk::lines).collect::<Vec<_>>(), [100, 100, 50]);
        assert_eq!(chunks.iter().map(|chunk| chunk.failed).sum::<usize>(), 25);
        let first = &chunks[0];
        assert_eq!((first.items[0].line, first.items.len(), first.last_line), (3, 90, 101));
        let failure = Failure {
            line: 2,
            field: Some("rank".into()),
            message: "Field rank must be a number, such as 3 or -0.5.".into(),
        };
        assert_eq!(first.failures[0], failure);
    }

    #[test]
    fn a_line_with_the_id_of_an_earlier_line_fails() {
        let line = |id: &str| json!({"id": id, "title": "x"}).to_string();
        let invalid = json!({"id": "c", "rank": "x"}).to_string();
        let text = [line("a"), line("b"), line("a"), invalid, line("c")].join("\n");
        let (chunks, _) = chunks(LineFormat::NdJson, text);
        let failed = chunks[0].failures.iter().map(|failure| (failure.line, failure.field.as_deref()));
        assert_eq!(failed.collect::<Vec<_>>(), [(3, Some("id")), (4, Some("rank"))]);
        assert_eq!(chunks[0].failures[0].message, "The id was already used on line 1.");
        assert_eq!(chunks[0].given_ids().collect::<Vec<_>>(), ["a", "b", "c"]);
    }

    #[test]
    fn a_chunk_has_no_id_twice_and_new_ids_are_unique() {
        let item = |id: Option<&str>| {
            let id = id.map(|id| ItemId::parse(id).unwrap());
            numbered(Line { number: 1, item: Ok(ItemLine { id, value: Map::new() }) }, &mut UsedIds::default())
        };
        let mut chunk = Chunk::default();
        chunk.add(item(Some("a")));
        assert!(!chunk.has_room_for(&item(Some("a"))) && chunk.has_room_for(&item(Some("b"))));
        let [first, second] = [item(None), item(None)].map(|item| item.unwrap().id);
        assert_ne!(first, second);
    }

    #[test]
    fn a_chunk_fits_into_a_request() {
        let line = json!({"title": "x".repeat(200 * 1024)}).to_string();
        let (chunks, _) = chunks(LineFormat::NdJson, format!("{line}\n").repeat(5));
        assert_eq!(chunks.iter().map(Chunk::lines).collect::<Vec<_>>(), [3, 2]);
    }

    #[test]
    fn an_invalid_header_does_not_hide_the_violations_of_other_lines() {
        let (chunks, result) = chunks(CSV, "titel,rank\na,1\nb,x\n".to_owned());
        let failures = chunks[0].failures.iter().map(|failure| (failure.line, failure.field.as_deref()));
        assert_eq!(failures.collect::<Vec<_>>(), [(1, Some("titel")), (3, Some("rank"))]);
        assert!(chunks.len() == 1 && chunks[0].items.is_empty() && chunks[0].last_line == 0);
        assert!(result.unwrap_err().to_string().contains("which names the columns, is not valid"));
    }

    #[test]
    fn the_lines_beside_one_that_is_too_long_are_kept_and_empty_rows_are_counted() {
        let long = "x".repeat(2 * 1024 * 1024);
        let (chunks, result) = chunks(CSV, format!("title;rank\na;1\n;\n\"{long}\";\nb;2\n;\n;\n"));
        result.unwrap();
        let lines: Vec<u64> = chunks.iter().flat_map(|chunk| &chunk.items).map(|item| item.line).collect();
        assert_eq!((lines, chunks[0].failures[0].line), (vec![2, 5], 4));
        assert!(chunks[0].failures[0].message.contains("1 MiB"));
        assert_eq!(chunks.iter().map(|chunk| chunk.empty_rows).sum::<u64>(), 3);
    }
}
