//! Pagination: where a page of rows starts, and where it ends, by its number of rows or bytes.

use diesel::QueryResult;
use steward_domain::kernel::{Cursor, Page, PageRequest, PageSize, Rows, Time};
use uuid::Uuid;

use crate::error::JobError;
use crate::sql_types::{At, Id, Json};

/// The database of the statements.
pub(crate) type Backend = super::Backend;

/// Maximum number of rows in lists that are not paginated.
pub(crate) const MAX_ROWS: i64 = 1000;
/// Maximum factor by which the number of rows grows from one statement of a page to the next. With it, two statements
/// read the largest page, if its rows are small.
const GROWTH: usize = 9;

/// Returns the position after which a page starts, for lists whose rows have a UUID. A cursor with another kind of ID
/// comes from another list; its ID is read as the nil UUID.
pub(crate) fn after(page: &PageRequest) -> Option<(At, Id)> {
    let cursor = page.after.as_ref()?;
    Some((At(cursor.at), Id(Uuid::try_parse(&cursor.id).unwrap_or_default())))
}

/// Orders a list by time and ID, and restricts it to the rows after the cursor of the request. The first condition is
/// redundant, but tells the database where to start in an index.
macro_rules! listed {
    (newest first, $query:expr, $request:expr, $limit:expr, $at:expr, $id:expr) => {
        page::listed!($query, $request, $limit, ($at, $id), desc, le, lt)
    };
    (oldest first, $query:expr, $request:expr, $limit:expr, $at:expr, $id:expr) => {
        page::listed!($query, $request, $limit, ($at, $id), asc, ge, gt)
    };
    ($query:expr, $request:expr, $limit:expr, ($at:expr, $id:expr), $order:ident, $from:ident, $after:ident) => {{
        let all = $query.order(($at.$order(), $id.$order())).limit($limit).into_boxed::<page::Backend>();
        match page::after($request) {
            Some((at, id)) => all.filter($at.$from(at)).filter($at.$after(at).or($at.eq(at).and($id.$after(id)))),
            None => all,
        }
    }};
}

pub(crate) use listed;

/// Returns the LIKE pattern for texts that contain this one. Every character of it is literal.
pub(crate) fn contains_pattern(text: &str) -> String {
    format!("%{}%", text.replace('\\', "\\\\").replace('%', "\\%").replace('_', "\\_"))
}

/// Returns where a list continues after a row.
pub(crate) fn cursor(at: Time, id: impl ToString) -> Cursor {
    Cursor { at, id: id.to_string() }
}

/// A row that reports its approximate size in memory.
pub(crate) trait MeasuredRow {
    fn bytes(&self) -> usize;
}

/// Returns the total size of JSON columns in bytes.
pub(crate) fn json_bytes<'a>(columns: impl IntoIterator<Item = Option<&'a Json>>) -> usize {
    columns.into_iter().flatten().map(|json| json.0.len()).sum()
}

/// Rows that one statement adds to a page.
pub(crate) struct PageRows<Row> {
    rows: Vec<Row>,
    /// Maximum number of rows to read.
    requested: usize,
    /// Remaining size of the page in bytes.
    bytes: usize,
    /// Whether the page has no rows yet. The first row of a page is accepted regardless of its size.
    is_first: bool,
    /// Whether a row did not fit.
    is_full: bool,
}

impl<Row: MeasuredRow> PageRows<Row> {
    /// Returns the limit of the next statement.
    pub(crate) fn limit(&self) -> i64 {
        i64::try_from(self.requested.saturating_sub(self.rows.len())).unwrap_or_default()
    }

    /// Returns whether further rows are requested and may fit.
    pub(crate) fn has_room(&self) -> bool {
        !self.is_full && self.limit() > 0
    }

    /// Adds the rows that fit. Stops reading at the first row that does not.
    pub(crate) fn take(&mut self, rows: impl Iterator<Item = QueryResult<Row>>) -> Result<(), JobError> {
        for row in rows {
            let row = row?;
            let bytes = row.bytes();
            if bytes > self.bytes && !self.is_first {
                self.is_full = true;
                return Ok(());
            }
            self.is_first = false;
            self.bytes = self.bytes.saturating_sub(bytes);
            self.rows.push(row);
        }
        Ok(())
    }
}

/// Reads as many rows as fit in a page of this size, with as many statements as needed. `query` reads the rows after a
/// position. More than the first rows are requested only once their average size is known.
pub(crate) fn read<Row: MeasuredRow, T, P>(
    size: PageSize,
    mut start: P,
    parse: impl Fn(Row) -> Result<T, JobError>,
    position: impl Fn(&T) -> P,
    mut query: impl FnMut(&P, &mut PageRows<Row>) -> Result<(), JobError>,
) -> Result<Rows<T>, JobError> {
    let max_rows = usize::from(size.rows);
    let (mut items, mut bytes, mut rows): (Vec<T>, _, _) = (Vec::new(), size.bytes, usize::from(size.first_rows));
    loop {
        // One row more than the page holds shows whether another page follows.
        let requested = max_rows.saturating_sub(items.len()).saturating_add(1).min(rows);
        let mut part = PageRows { rows: Vec::new(), requested, bytes, is_first: items.is_empty(), is_full: false };
        query(&start, &mut part)?;
        let (is_full, is_last) = (part.is_full, part.rows.len() < requested);
        bytes = part.bytes;
        for row in part.rows {
            items.push(parse(row)?);
        }
        let more = is_full || items.len() > max_rows;
        if more || is_last {
            items.truncate(max_rows);
            return Ok(Rows { items, more });
        }
        start = items.last().map_or(start, &position);
        let average = size.bytes.saturating_sub(bytes).checked_div(items.len()).unwrap_or(1).max(1);
        let fitting = bytes.checked_div(average).unwrap_or(1);
        rows = fitting.clamp(1, rows.saturating_mul(GROWTH));
    }
}

/// Reads a page of a list whose rows may be large.
pub(crate) fn read_page<Row: MeasuredRow, T>(
    request: &PageRequest,
    parse: impl Fn(Row) -> Result<T, JobError>,
    cursor: impl Fn(&T) -> Cursor,
    mut query: impl FnMut(&PageRequest, &mut PageRows<Row>) -> Result<(), JobError>,
) -> Result<Page<T>, JobError> {
    let size = PageSize { rows: request.max_rows(), ..request.size };
    let rows = read(
        size,
        request.clone(),
        parse,
        |item| PageRequest { after: Some(cursor(item)), ..request.clone() },
        &mut query,
    )?;
    Ok(Page::ending(rows, cursor))
}

#[cfg(test)]
mod tests {
    use super::*;

    struct SizedRow {
        number: usize,
        bytes: usize,
    }

    impl MeasuredRow for SizedRow {
        fn bytes(&self) -> usize {
            self.bytes
        }
    }

    /// Reads a page of a list whose rows have these sizes. Returns the number of rows, whether the list has more, and the
    /// limit of each statement.
    fn page_of(sizes: &[usize], size: PageSize) -> (usize, bool, Vec<usize>) {
        let mut limits = Vec::new();
        let found = read(
            size,
            0,
            |row: SizedRow| Ok(row.number),
            |last| last + 1,
            |start, part: &mut PageRows<SizedRow>| {
                limits.push(part.requested);
                let rows = sizes.iter().enumerate().skip(*start).take(part.requested);
                part.take(rows.map(|(number, bytes)| Ok(SizedRow { number, bytes: *bytes })))
            },
        )
        .unwrap();
        assert!(found.items.iter().copied().eq(0..found.items.len()));
        (found.items.len(), found.more, limits)
    }

    #[test]
    fn a_page_of_small_rows_takes_one_statement_or_two() {
        let size = PageSize { rows: 100, ..PageSize::MAX };
        assert_eq!(page_of(&[200; 100], size), (100, false, vec![101]));
        assert_eq!(page_of(&[200; 150], size), (100, true, vec![101]));
        for size in [PageSize::MAX, PageSize::ITEMS, PageSize::ITEMS.after_chunk_of(1_000)] {
            assert_eq!(page_of(&[200; 100], size), (100, false, vec![101]));
            assert_eq!(page_of(&[200; 1_000], size), (1_000, false, vec![101, 900]));
            assert_eq!(page_of(&[200; 1_500], size), (1_000, true, vec![101, 900]));
        }
    }

    #[test]
    fn a_chunk_of_large_rows_requests_few_of_them() {
        let large = [240 * 1024; 50];
        assert_eq!(page_of(&large, PageSize::CHUNK), (1, true, vec![16]));
        assert_eq!(page_of(&large, PageSize::CHUNK.after_chunk_of(1)), (1, true, vec![2]));
        assert_eq!(page_of(&large[..1], PageSize::CHUNK.after_chunk_of(1)), (1, false, vec![2]));
        let medium = [10 * 1024; 50];
        assert_eq!(page_of(&medium, PageSize::ITEMS.after_chunk_of(25)), (25, true, vec![26]));
    }

    #[test]
    fn statements_grow_while_rows_are_small() {
        let small = [200; 600];
        assert_eq!(page_of(&small[..15], PageSize::CHUNK), (15, false, vec![16]));
        assert_eq!(page_of(&small, PageSize::CHUNK), (500, true, vec![16, 144, 341]));
        assert_eq!(page_of(&small, PageSize::CHUNK.after_chunk_of(500)), (500, true, vec![101, 400]));
    }
}
