//! Pagination of lists with cursors (docs/contract.md#lists).

use crate::kernel::Time;

/// The position of the last entry of a page. Lists are ordered by creation time, then by ID.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cursor {
    /// When the entry was created.
    pub at: Time,
    /// The ID of the entry, which distinguishes entries with the same timestamp.
    pub id: String,
}

/// The maximum size of a page, regardless of `limit` (docs/contract.md#lists).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PageSize {
    /// The maximum number of rows.
    pub rows: u16,
    /// The page ends before the row that would exceed this number of stored bytes. At least one row is always read.
    pub bytes: usize,
    /// The maximum number of rows that a store reads before it knows how large the rows are. What a database prepares
    /// beyond the end of the page is wasted.
    pub first_rows: u16,
}

impl PageSize {
    /// The largest page that a request can get. A page of 100 rows, and the row that shows whether there are more, are
    /// read at once.
    pub const MAX: Self = Self { rows: PageRequest::MAX_LIMIT, bytes: 4 * 1024 * 1024, first_rows: 101 };
    /// The size of the first chunk of a streamed list.
    pub const CHUNK: Self = Self { rows: 500, bytes: 256 * 1024, first_rows: 16 };
    /// The size of the first chunk of a complete list of items: most lists need no other one.
    pub const ITEMS: Self = Self { bytes: Self::CHUNK.bytes, ..Self::MAX };

    /// Returns the size of the chunk that follows one of this size with this number of rows. As many rows are expected
    /// to fit again, so one more is read at first: it shows that the chunk is full.
    pub fn after_chunk_of(self, rows: usize) -> Self {
        let fitting = u16::try_from(rows.max(1)).unwrap_or(u16::MAX);
        Self { first_rows: fitting.saturating_add(1).min(Self::MAX.first_rows), ..self }
    }
}

impl Default for PageSize {
    fn default() -> Self {
        Self::MAX
    }
}

/// A request for a page of a list.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PageRequest {
    /// The maximum number of rows; `None` for as many as `size` allows.
    pub limit: Option<u16>,
    /// Return only rows after this cursor.
    pub after: Option<Cursor>,
    /// The maximum size of the page.
    pub size: PageSize,
}

impl PageRequest {
    /// The first page of a list, with the maximum size.
    pub const FIRST: Self = Self { limit: None, after: None, size: PageSize::MAX };
    /// The maximum `limit` (docs/contract.md#lists).
    pub const MAX_LIMIT: u16 = 1_000;

    /// Returns the maximum number of rows in the page.
    pub fn max_rows(&self) -> u16 {
        self.limit.map_or(self.size.rows, |limit| limit.min(self.size.rows))
    }

    /// Returns the number of rows to read: one more than the page can have, which shows whether there is a next page.
    pub fn rows(&self) -> i64 {
        i64::from(self.max_rows()).saturating_add(1)
    }
}

/// Rows that a store read, in the order of the list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rows<T> {
    /// The rows.
    pub items: Vec<T>,
    /// Whether the list has more rows.
    pub more: bool,
}

/// A page of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page<T> {
    /// The entries, in the order of the list.
    pub items: Vec<T>,
    /// The cursor of the next page; `None` on the last page.
    pub next: Option<Cursor>,
}

impl<T> Page<T> {
    /// Creates a page from rows that were read with [`PageRequest::rows`]. `cursor_of` returns the cursor of a row.
    pub fn of(mut rows: Vec<T>, request: &PageRequest, cursor_of: impl Fn(&T) -> Cursor) -> Self {
        let limit = usize::from(request.max_rows());
        let more = rows.len() > limit;
        rows.truncate(limit);
        Self::ending(Rows { items: rows, more }, cursor_of)
    }

    /// Creates a page from rows. `cursor_of` returns the cursor of a row.
    pub fn ending(rows: Rows<T>, cursor_of: impl Fn(&T) -> Cursor) -> Self {
        let next = rows.items.last().filter(|_| rows.more).map(cursor_of);
        Self { items: rows.items, next }
    }

    /// Converts the entries of the page.
    pub fn map<U>(self, convert: impl FnMut(T) -> U) -> Page<U> {
        Page { items: self.items.into_iter().map(convert).collect(), next: self.next }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mocks::instant;

    #[test]
    fn a_page_has_a_next_cursor_only_if_there_are_more_rows() {
        let cursor_of = |n: &u8| Cursor { at: instant(), id: n.to_string() };
        let request = PageRequest { limit: Some(2), ..PageRequest::FIRST };
        let page = Page::of(vec![1, 2, 3], &request, cursor_of);
        assert_eq!((page.items, page.next.map(|c| c.id)), (vec![1, 2], Some("2".into())));
        assert_eq!(Page::of(vec![1, 2], &request, cursor_of).next, None);
        assert_eq!(Page::of(vec![1, 2, 3], &PageRequest::FIRST, cursor_of).items.len(), 3);
    }

    #[test]
    fn without_a_limit_a_page_has_its_maximum_size() {
        let size = PageSize { rows: 2, ..PageSize::MAX };
        let request = PageRequest { size, ..PageRequest::FIRST };
        assert_eq!((request.max_rows(), request.rows()), (2, 3));
        assert_eq!(PageRequest { limit: Some(1), ..request.clone() }.max_rows(), 1);
        assert_eq!(PageRequest { limit: Some(9), ..request }.max_rows(), 2);
    }

    #[test]
    fn a_chunk_expects_as_many_rows_as_the_one_before() {
        for size in [PageSize::CHUNK, PageSize::ITEMS] {
            for (before, first_rows) in [(0, 2), (1, 2), (30, 31), (128, 101), (usize::MAX, 101)] {
                assert_eq!(size.after_chunk_of(before), PageSize { first_rows, ..size }, "{before}");
            }
        }
    }
}
