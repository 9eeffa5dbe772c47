//! Pages of lists: a bounded run of things, and where the next begins (contract 1.10).

use super::Time;

/// The place of a thing in its list: the last one seen. Lists are ordered by time, then by id.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cursor {
    /// When the thing was made.
    pub at: Time,
    /// Its id, to tell things of one moment apart.
    pub id: String,
}

/// How much is read of a list at once, whatever `limit` says (contract 1.15).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PageSize {
    /// The maximum number of rows.
    pub rows: u16,
    /// The page ends before the row that would exceed this many stored bytes. One row is always read.
    pub bytes: usize,
}

impl PageSize {
    /// The largest page that a request gets.
    pub const MAX: Self = Self { rows: PageRequest::MAX_LIMIT, bytes: 4 * 1024 * 1024 };
    /// What is read first of a list that is streamed.
    pub const PIECE: Self = Self { rows: 128, bytes: 256 * 1024 };
    /// No piece of a streamed list has more rows.
    const MAX_PIECE_ROWS: usize = 500;

    /// The size of the piece that follows one with this many rows. Where rows are large, few are asked for, so that a
    /// database does not prepare rows that the number of bytes then leaves out.
    pub fn after_piece_of(rows: usize) -> Self {
        let rows = rows.saturating_mul(2).clamp(2, Self::MAX_PIECE_ROWS);
        Self { rows: u16::try_from(rows).unwrap_or(2), ..Self::PIECE }
    }
}

impl Default for PageSize {
    fn default() -> Self {
        Self::MAX
    }
}

/// Which part of a list is wanted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PageRequest {
    /// At most this many. `None`: as many as a page of this size holds.
    pub limit: Option<u16>,
    /// Only what comes after this place.
    pub after: Option<Cursor>,
    /// Where the page ends at the latest.
    pub size: PageSize,
}

impl PageRequest {
    /// The largest page from the beginning of a list.
    pub const FIRST: Self = Self { limit: None, after: None, size: PageSize::MAX };
    /// The largest `limit` (contract 1.10).
    pub const MAX_LIMIT: u16 = 1_000;

    /// The maximum number of rows in the page.
    pub fn max_rows(&self) -> u16 {
        self.limit.map_or(self.size.rows, |limit| limit.min(self.size.rows))
    }

    /// How many rows tell whether a next page exists: one more than wanted.
    pub fn rows(&self) -> i64 {
        i64::from(self.max_rows()).saturating_add(1)
    }
}

/// What a store read of a list, in the list's order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rows<T> {
    /// The things.
    pub items: Vec<T>,
    /// Whether the list goes on.
    pub more: bool,
}

/// A part of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page<T> {
    /// The things, in the list's order.
    pub items: Vec<T>,
    /// Where the next page begins, while there is more.
    pub next: Option<Cursor>,
}

impl<T> Page<T> {
    /// Makes a page of rows that were read with [`PageRequest::rows`]; `place` tells the cursor of a row.
    pub fn of(mut rows: Vec<T>, request: &PageRequest, place: impl Fn(&T) -> Cursor) -> Self {
        let limit = usize::from(request.max_rows());
        let more = rows.len() > limit;
        rows.truncate(limit);
        Self::ending(Rows { items: rows, more }, place)
    }

    /// Makes a page of what was read; `place` tells the cursor of a row.
    pub fn ending(rows: Rows<T>, place: impl Fn(&T) -> Cursor) -> Self {
        let next = rows.items.last().filter(|_| rows.more).map(place);
        Self { items: rows.items, next }
    }

    /// The same page of other things.
    pub fn map<U>(self, change: impl FnMut(T) -> U) -> Page<U> {
        Page { items: self.items.into_iter().map(change).collect(), next: self.next }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mocks::instant;

    #[test]
    fn a_page_names_the_next_one_only_while_there_is_more() {
        let place = |n: &u8| Cursor { at: instant(), id: n.to_string() };
        let request = PageRequest { limit: Some(2), ..PageRequest::FIRST };
        let page = Page::of(vec![1, 2, 3], &request, place);
        assert_eq!((page.items, page.next.map(|c| c.id)), (vec![1, 2], Some("2".into())));
        assert_eq!(Page::of(vec![1, 2], &request, place).next, None);
        assert_eq!(Page::of(vec![1, 2, 3], &PageRequest::FIRST, place).items.len(), 3);
    }

    #[test]
    fn without_a_limit_a_page_is_as_large_as_its_size() {
        let size = PageSize { rows: 2, ..PageSize::MAX };
        let request = PageRequest { size, ..PageRequest::FIRST };
        assert_eq!((request.max_rows(), request.rows()), (2, 3));
        assert_eq!(PageRequest { limit: Some(1), ..request.clone() }.max_rows(), 1);
        assert_eq!(PageRequest { limit: Some(9), ..request }.max_rows(), 2);
        assert_eq!(PageSize::after_piece_of(0).rows, 2);
        assert_eq!(PageSize::after_piece_of(usize::MAX).rows, 500);
    }
}
