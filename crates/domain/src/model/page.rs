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

/// Which part of a list is wanted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PageRequest {
    /// At most so many. `None`: all.
    pub limit: Option<u16>,
    /// Only what comes after this place.
    pub after: Option<Cursor>,
}

impl PageRequest {
    /// The whole list.
    pub const ALL: Self = Self { limit: None, after: None };
    /// The largest `limit` (contract 1.10).
    pub const LARGEST: u16 = 1_000;

    /// How many rows tell whether a next page exists: one more than wanted. `None`: all.
    pub fn rows(&self) -> Option<i64> {
        self.limit.map(|limit| i64::from(limit).saturating_add(1))
    }
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
        let limit = request.limit.map_or(usize::MAX, usize::from);
        let more = rows.len() > limit;
        rows.truncate(limit);
        let next = if more { rows.last().map(place) } else { None };
        Self { items: rows, next }
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
        let request = PageRequest { limit: Some(2), after: None };
        let page = Page::of(vec![1, 2, 3], &request, place);
        assert_eq!((page.items, page.next.map(|c| c.id)), (vec![1, 2], Some("2".into())));
        assert_eq!(Page::of(vec![1, 2], &request, place).next, None);
        assert_eq!(Page::of(vec![1, 2, 3], &PageRequest::ALL, place).items.len(), 3);
    }
}
