//! Receiving the file of an import: its records are stored as they arrive.

use crate::data::tabular::UsedIds;
use crate::data::{AppendOutcome, ImportRecord, ImportState, ItemId, ItemImport, RecordContent};
use crate::kernel::error::Error;
use crate::kernel::policy::Quota;
use crate::kernel::{Caller, ItemImportId, ProjectId, ProjectUserId, account_of, strict_json};

use super::{INTERRUPTED, ItemImports};

/// How many IDs an upload remembers to report one that is used twice, which takes some 5 MiB.
const MAX_REMEMBERED_IDS: usize = 100_000;

/// An import whose file is being received.
#[derive(Debug)]
pub struct ImportUpload {
    import: ItemImport,
    used_ids: UsedIds,
}

impl ImportUpload {
    /// Returns the ID of the import.
    pub fn id(&self) -> ItemImportId {
        self.import.id
    }

    /// Whether no record has arrived.
    pub fn is_empty(&self) -> bool {
        self.import.lines == 0
    }
}

impl ItemImports {
    /// Starts an upload.
    ///
    /// # Errors
    ///
    /// [`Error::Invalid`] if too many imports of the project have not ended.
    pub async fn begin(
        &self,
        caller: &Caller,
        project_id: ProjectId,
        user_id: ProjectUserId,
        table: String,
    ) -> Result<ImportUpload, Error> {
        let account_id = account_of(caller)?;
        self.permitted(caller, project_id, user_id).await?;
        self.items.user_is_connected(project_id, user_id).await?;

        let now = self.core.now();
        let import = ItemImport {
            project_id,
            id: ItemImportId::from(self.core.next_id()),
            user_id,
            account_id,
            table,
            is_check: false,
            columns: None,
            state: ImportState::Uploading,
            message: String::new(),
            bytes: 0,
            chunks: 0,
            next_chunk: 0,
            lines: 0,
            stored: 0,
            refused: 0,
            problems: 0,
            created_at: now,
            updated_at: now,
        };
        if !self.core.ports.item_imports.insert_import(&import).await? {
            let limit = ItemImport::MAX_ACTIVE;
            let message = format!("{limit} imports of this project have not ended. Wait until one of them ends.");
            return Err(Error::invalid("file", message));
        }
        Ok(ImportUpload { import, used_ids: UsedIds::remembering(MAX_REMEMBERED_IDS) })
    }

    /// Stores the next records of an upload, and the header of a CSV file if it was read. `empty_rows`: the number of rows
    /// between the records that are skipped. They only count as lines.
    ///
    /// # Errors
    ///
    /// [`Error::Invalid`] if the import has ended, or the file is too large.
    pub async fn append(
        &self,
        upload: ImportUpload,
        records: Vec<ImportRecord>,
        columns: Option<Vec<String>>,
        empty_rows: u64,
    ) -> Result<ImportUpload, Error> {
        let ImportUpload { import, mut used_ids } = upload;
        if records.is_empty() && empty_rows == 0 {
            return Ok(ImportUpload { import, used_ids });
        }
        let id_column = columns.as_ref().and_then(|names| names.iter().position(|name| name.trim() == "id"));
        let prepare = move || {
            let records = records.into_iter().map(|record| without_repeated_id(record, id_column, &mut used_ids));
            (portions(records), used_ids)
        };
        let (portions, used_ids) = self.core.system.compute.call(true, prepare).await?;

        let lines: usize = portions.iter().map(|(portion, _)| portion.len()).sum();
        let bytes: usize = portions.iter().map(|(_, bytes)| *bytes).sum();
        let more = |count: u64, more: usize| count.saturating_add(u64::try_from(more).unwrap_or(u64::MAX));
        let import = ItemImport {
            columns,
            chunks: more(import.chunks, portions.len()),
            lines: more(import.lines, lines).saturating_add(empty_rows),
            bytes: more(import.bytes, bytes),
            updated_at: self.core.now(),
            ..import
        };
        let portions = portions.into_iter().map(|(portion, _)| portion).collect();
        let limit = self.core.quotas.limit(Quota::BytesPerProject);
        match self.core.ports.item_imports.append_import(&import, portions, limit).await? {
            AppendOutcome::Stored => Ok(ImportUpload { import, used_ids }),
            AppendOutcome::Ended => Err(ended()),
            AppendOutcome::OverLimit => {
                let message = format!(
                    "The files of this project's imports would be larger than {limit} bytes, the limit of its data. Split \
                     the file, or wait until other imports end."
                );
                self.fail(import, &message).await?;
                Err(Error::invalid("file", message))
            }
        }
    }

    /// Ends an upload: from now on, the lines are imported, or only checked.
    pub async fn finish(&self, upload: &ImportUpload, is_check: bool) -> Result<(), Error> {
        let state = ImportState::Running;
        let import = ItemImport { is_check, state, updated_at: self.core.now(), ..upload.import.clone() };
        if self.core.ports.item_imports.change_import(&import).await? { Ok(()) } else { Err(ended()) }
    }

    /// Ends an upload that is not completed.
    pub async fn abandon(&self, id: ItemImportId, project: ProjectId) -> Result<(), Error> {
        if let Some(import) = self.core.ports.item_imports.import(project, id).await? {
            self.fail(import, INTERRUPTED).await?;
        }
        Ok(())
    }
}

/// Returns a record that is refused if an earlier one has the same ID: that item would be replaced unnoticed.
fn without_repeated_id(record: ImportRecord, id_column: Option<usize>, used_ids: &mut UsedIds) -> ImportRecord {
    let id = match &record.content {
        RecordContent::Cells(cells) => id_column.and_then(|column| cells.get(column)).map(|id| id.trim().to_owned()),
        RecordContent::Text(text) => {
            let members = serde_json::from_slice(strict_json::without_byte_order_mark(text.as_bytes()));
            members.ok().and_then(|members: WithId| members.id)
        }
        RecordContent::Refused(..) => None,
    };
    let line = record.line;
    match id.and_then(|id| ItemId::parse(&id).ok()).map(|id| used_ids.add(&id, line)) {
        Some(Err(violation)) => {
            ImportRecord { line, content: RecordContent::Refused(violation.field, violation.message) }
        }
        _ => record,
    }
}

/// An item of which only the ID is read.
#[derive(serde::Deserialize)]
struct WithId {
    id: Option<String>,
}

/// Returns the records in portions, with the sizes of these.
fn portions(records: impl Iterator<Item = ImportRecord>) -> Vec<(Vec<ImportRecord>, usize)> {
    let mut portions: Vec<(Vec<ImportRecord>, usize)> = Vec::new();
    for record in records {
        let size = record.content.size();
        match portions.last_mut() {
            Some((portion, bytes))
                if portion.len() < ItemImport::MAX_LINES_PER_CHUNK
                    && bytes.saturating_add(size) <= ItemImport::CHUNK_BYTES =>
            {
                portion.push(record);
                *bytes = bytes.saturating_add(size);
            }
            _ => portions.push((vec![record], size)),
        }
    }
    portions
}

impl RecordContent {
    /// Returns the approximate size of the stored record, in bytes.
    fn size(&self) -> usize {
        const OVERHEAD: usize = 16;
        let texts = match self {
            Self::Cells(cells) => cells.iter().map(|cell| cell.len().saturating_add(3)).sum(),
            Self::Text(text) => text.len(),
            Self::Refused(field, message) => message.len().saturating_add(field.as_ref().map_or(0, String::len)),
        };
        texts.saturating_add(OVERHEAD)
    }
}

fn ended() -> Error {
    Error::invalid("file", "The import was canceled, or its upload took too long. Import the file again.")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(line: u64, text: &str) -> ImportRecord {
        ImportRecord { line, content: RecordContent::Text(text.to_owned()) }
    }

    #[test]
    fn a_portion_is_bounded_by_its_lines_and_its_bytes() {
        let small = portions((1..=250).map(|line| text(line, "{}")));
        assert_eq!(small.iter().map(|(portion, _)| portion.len()).collect::<Vec<_>>(), [100, 100, 50]);
        let long = "x".repeat(ItemImport::CHUNK_BYTES / 2);
        let large = portions((1..=3).map(|line| text(line, &long)));
        assert_eq!(large.len(), 3);
    }

    #[test]
    fn the_second_line_with_an_id_is_refused_in_both_formats() {
        let cells = |line, id: &str| ImportRecord { line, content: RecordContent::Cells(vec!["x".into(), id.into()]) };
        let mut used = UsedIds::default();
        let records = [cells(2, " a "), cells(3, "b"), cells(4, "a"), cells(5, ""), cells(6, "")];
        let checked = records.map(|record| without_repeated_id(record, Some(1), &mut used));
        let refused: Vec<_> =
            checked.iter().map(|record| matches!(record.content, RecordContent::Refused(..))).collect();
        assert_eq!(refused, [false, false, true, false, false]);
        let mut used = UsedIds::default();
        let records = [text(1, r#"{"id": "a", "n": [1]}"#), text(2, "{"), text(3, r#"{"id": "a"}"#), text(4, "{}")];
        let checked = records.map(|record| without_repeated_id(record, None, &mut used));
        let expected = RecordContent::Refused(Some("id".into()), "The id was already used on line 1.".into());
        assert_eq!((&checked[2].content, &checked[3]), (&expected, &text(4, "{}")));
    }
}
