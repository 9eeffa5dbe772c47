//! Imports of items that run in the background: a file of any size, whose records are imported in portions.

use chrono::TimeDelta;
use uuid::Uuid;

use crate::data::ItemId;
use crate::kernel::{AccountId, InvalidValue, ItemImportId, ProjectId, ProjectUserId, Time, named};

named! {
    /// State of an import.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum ImportState: "the name under which stores keep it" {
        /// The file is being received.
        Uploading = "uploading",
        /// The records are being imported, or wait for an earlier import of the project.
        Running = "running",
        /// All records were imported or refused.
        Done = "done",
        /// The import ended before the end of the file.
        Failed = "failed",
        /// A person canceled it.
        Canceled = "canceled",
    }
}

impl ImportState {
    /// Whether the import has not ended.
    pub const fn is_active(self) -> bool {
        matches!(self, Self::Uploading | Self::Running)
    }
}

/// An import of items into one table of a user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ItemImport {
    /// The project of the user.
    pub project_id: ProjectId,
    /// Unique ID. Imports of a project run in the order of their IDs.
    pub id: ItemImportId,
    /// The user who owns the items.
    pub user_id: ProjectUserId,
    /// The person who started it. Each portion needs their permission.
    pub account_id: AccountId,
    /// The table of the items.
    pub table: String,
    /// Whether the lines are only checked.
    pub is_check: bool,
    /// The header of a CSV file; `None` for NDJSON.
    pub columns: Option<Vec<String>>,
    /// The state.
    pub state: ImportState,
    /// Why it failed; empty otherwise.
    pub message: String,
    /// Size of the stored records, in bytes.
    pub bytes: u64,
    /// Number of portions of the file.
    pub chunks: u64,
    /// Number of portions that were imported.
    pub next_chunk: u64,
    /// Number of records of the file, and of its empty rows.
    pub lines: u64,
    /// Number of items that were stored, or that fit.
    pub stored: u64,
    /// Number of lines that do not fit.
    pub refused: u64,
    /// Number of problems that the report lists.
    pub problems: u64,
    /// When it was started.
    pub created_at: Time,
    /// When it was last changed.
    pub updated_at: Time,
}

/// A line of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImportRecord {
    /// The number of the line in the file, starting at 1.
    pub line: u64,
    /// What it contains.
    pub content: RecordContent,
}

/// What a line of a file contains.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RecordContent {
    /// The cells of a line of CSV.
    Cells(Vec<String>),
    /// A line of NDJSON.
    Text(String),
    /// Why the line cannot be imported, and the column or field that is the reason.
    Refused(Option<String>, String),
}

/// A reason why a line does not fit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LineProblem {
    /// The number of the line in the file, starting at 1.
    pub line: u64,
    /// The column or field; `None` if the problem is that of the whole line.
    pub field: Option<String>,
    /// A sentence.
    pub message: String,
}

/// The result of importing a portion.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PortionResult {
    /// Number of items that were stored, or that fit.
    pub stored: u64,
    /// Number of lines that do not fit.
    pub refused: u64,
    /// Why they do not fit.
    pub problems: Vec<LineProblem>,
    /// Why the whole file cannot be imported, although its lines are checked.
    pub failure: Option<String>,
}

impl ItemImport {
    /// The maximum number of lines of a portion, which one step imports.
    pub const MAX_LINES_PER_CHUNK: usize = 100;
    /// The size from which a portion is complete, in bytes. One record can be larger.
    pub const CHUNK_BYTES: usize = 256 * 1024;
    /// The maximum number of imports of a project that have not ended. One of them runs, the others wait.
    pub const MAX_ACTIVE: u16 = 5;
    /// The number of imports of a project that are kept. Older ones that have ended are deleted when one is started.
    pub const MAX_KEPT: u16 = 20;
    /// The maximum number of problems that the report lists.
    pub const MAX_PROBLEMS: u64 = 5_000;
    /// How long an import is shown after it ended.
    pub const RETENTION: TimeDelta = TimeDelta::days(7);
    /// How long a part of an upload may take. After that, it counts as interrupted.
    pub const UPLOAD_TIMEOUT: TimeDelta = TimeDelta::minutes(2);

    /// Returns the ID of the item on a line without an ID. IDs are ordered as the lines, and the same whenever the line
    /// is imported: a UUID of version 7 with the time of the import, the number of the line and random bits of the
    /// import.
    ///
    /// # Errors
    ///
    /// None: every UUID is a valid item ID.
    pub fn item_id(&self, line: u64) -> Result<ItemId, InvalidValue> {
        let (high, low) = self.id.uuid().as_u64_pair();
        let line = line & 0x3ff_ffff_ffff;
        let high = (high & !0xfff) | (line >> 30);
        let low = (0b10 << 62) | ((line & 0x3fff_ffff) << 32) | (low & 0xffff_ffff);
        ItemId::parse(&Uuid::from_u64_pair(high, low).as_hyphenated().to_string())
    }

    /// Returns the time at which the item on a line counts as created: each line is a microsecond older than the one
    /// before it, so that a list of the newest items has the order of the file.
    pub fn item_created_at(&self, line: u64) -> Time {
        self.created_at - TimeDelta::microseconds(i64::try_from(line).unwrap_or(i64::MAX / 2))
    }

    /// Returns the number of empty rows of the file, which are skipped, once all other lines were imported or refused.
    pub fn empty_rows(&self) -> u64 {
        self.lines.saturating_sub(self.stored).saturating_sub(self.refused)
    }

    /// Returns the import after its next portion, and the problems that the report still has room for.
    #[must_use]
    pub fn advanced(mut self, portion: PortionResult, now: Time) -> (Self, Vec<LineProblem>) {
        let PortionResult { stored, refused, mut problems, failure } = portion;
        self.stored = self.stored.saturating_add(stored);
        self.refused = self.refused.saturating_add(refused);
        let room = Self::MAX_PROBLEMS.saturating_sub(self.problems);
        problems.truncate(usize::try_from(room).unwrap_or(usize::MAX));
        self.problems = self.problems.saturating_add(u64::try_from(problems.len()).unwrap_or(u64::MAX));
        self.next_chunk += 1;
        self.updated_at = now;
        if self.next_chunk >= self.chunks {
            self.state = if failure.is_some() { ImportState::Failed } else { ImportState::Done };
            self.message = failure.unwrap_or_default();
        }
        (self, problems)
    }

    /// Returns the import after it ended early.
    #[must_use]
    pub fn ended(self, state: ImportState, message: impl Into<String>, now: Time) -> Self {
        Self { state, message: message.into(), updated_at: now, ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mocks::{an_import, instant};

    #[test]
    fn generated_ids_have_the_order_of_the_lines_and_do_not_change() {
        let import = an_import();
        let ids: Vec<String> =
            [1, 2, 3, 1_000, 0x3fff_ffff, 0x4000_0000, 0x3ff_ffff_ffff].map(|line| id(&import, line)).into();
        let mut sorted = ids.clone();
        sorted.sort();
        sorted.dedup();
        assert_eq!(ids, sorted);
        assert!(ids.iter().all(|id| Uuid::try_parse(id).unwrap().get_version_num() == 7), "{ids:?}");
        let other = ItemImport { id: Uuid::from_u128(import.id.uuid().as_u128() + 1).into(), ..import.clone() };
        assert_ne!(id(&import, 1), id(&other, 1));
    }

    fn id(import: &ItemImport, line: u64) -> String {
        import.item_id(line).unwrap().as_str().to_owned()
    }

    #[test]
    fn the_first_line_is_the_newest_item() {
        let import = an_import();
        assert!(import.item_created_at(1) > import.item_created_at(2));
        assert!(import.item_created_at(1) < import.created_at);
    }

    #[test]
    fn an_import_is_done_after_its_last_portion_and_its_report_is_bounded() {
        let import = ItemImport { chunks: 2, ..an_import() };
        let portion = |stored| PortionResult {
            stored,
            refused: 3_000,
            problems: vec![LineProblem { line: 1, field: None, message: "Wrong.".to_owned() }; 3_000],
            failure: None,
        };
        let (first, problems) = import.advanced(portion(5), instant());
        assert_eq!((first.state, problems.len()), (ImportState::Running, 3_000));
        let (last, problems) = first.advanced(portion(7), instant());
        assert_eq!((last.state, last.stored, last.refused), (ImportState::Done, 12, 6_000));
        assert_eq!((last.problems, problems.len()), (ItemImport::MAX_PROBLEMS, 2_000));
    }
}
