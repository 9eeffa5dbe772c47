//! Where a page of a list begins, in the terms of rows, and where it ends: after this many rows, or this many bytes.

use diesel::QueryResult;
use steward_domain::model::{Cursor, Page, PageRequest, PageSize, Rows};
use uuid::Uuid;

use crate::error::JobError;
use crate::sql_types::{At, Id, Json};

/// How many rows a list is first asked for: a page of 100, and the row that tells whether there is more, are one round trip.
/// The bytes that a database prepared beyond a page's end are wasted, so more are asked for only once it is known how large
/// rows are.
const FIRST_ROWS: usize = 101;
/// By how much the number of rows grows from one statement of a page to the next.
const GROWTH: usize = 8;

/// The last place seen, for lists whose rows have a UUID. A cursor with another id is one from another list: nothing
/// comes after it.
pub(super) fn after(page: &PageRequest) -> Option<(At, Id)> {
    let cursor = page.after.as_ref()?;
    Some((At(cursor.at), Id(Uuid::try_parse(&cursor.id).unwrap_or_default())))
}

/// Parses the rows of a page.
pub(super) fn parsed<Row, T: TryFrom<Row, Error = JobError>>(
    rows: Vec<Row>,
    request: &PageRequest,
    place: impl Fn(&T) -> Cursor,
) -> Result<Page<T>, JobError> {
    let things: Vec<T> = rows.into_iter().map(TryInto::try_into).collect::<Result<_, _>>()?;
    Ok(Page::of(things, request, place))
}

/// How many rows to read of a list whose rows are small.
pub(super) fn limit(page: &PageRequest) -> i64 {
    page.rows()
}

/// A row that knows about how much memory it takes.
pub(super) trait MeasuredRow {
    fn bytes(&self) -> usize;
}

/// The bytes of JSON columns.
pub(super) fn json_bytes<'a>(columns: impl IntoIterator<Item = Option<&'a Json>>) -> usize {
    columns.into_iter().flatten().map(|json| json.0.len()).sum()
}

/// The rows that one statement gives to a page.
pub(super) struct PageRows<Row> {
    rows: Vec<Row>,
    /// How many rows are asked for.
    wanted: usize,
    /// How many bytes the page has left.
    bytes: usize,
    /// The page has no row yet: the next one is taken however large it is.
    is_first: bool,
    /// A row came that does not fit any more.
    is_full: bool,
}

impl<Row: MeasuredRow> PageRows<Row> {
    /// The limit of the statement.
    pub(super) fn limit(&self) -> i64 {
        i64::try_from(self.wanted).unwrap_or_default()
    }

    /// Takes the rows that fit, and leaves the others to the database.
    pub(super) fn take(&mut self, rows: impl Iterator<Item = QueryResult<Row>>) -> Result<(), JobError> {
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

/// Reads as many rows as a page of this size holds, by as many statements as that takes; `query` reads what comes after a
/// place.
pub(super) fn read<Row: MeasuredRow, T, P>(
    size: PageSize,
    mut start: P,
    parse: impl Fn(Row) -> Result<T, JobError>,
    place: impl Fn(&T) -> P,
    mut query: impl FnMut(&P, &mut PageRows<Row>) -> Result<(), JobError>,
) -> Result<Rows<T>, JobError> {
    let max_rows = usize::from(size.rows);
    let (mut items, mut bytes, mut rows): (Vec<T>, _, _) = (Vec::new(), size.bytes, FIRST_ROWS);
    loop {
        // One more than the page holds tells whether it is the last.
        let wanted = max_rows.saturating_sub(items.len()).saturating_add(1).min(rows);
        let mut part = PageRows { rows: Vec::new(), wanted, bytes, is_first: items.is_empty(), is_full: false };
        query(&start, &mut part)?;
        let (is_full, is_last) = (part.is_full, part.rows.len() < wanted);
        bytes = part.bytes;
        for row in part.rows {
            items.push(parse(row)?);
        }
        let more = is_full || items.len() > max_rows;
        if more || is_last {
            items.truncate(max_rows);
            return Ok(Rows { items, more });
        }
        start = match items.last() {
            Some(last) => place(last),
            None => start,
        };
        let average = size.bytes.saturating_sub(bytes).checked_div(items.len()).unwrap_or(1).max(1);
        let fitting = bytes.checked_div(average).unwrap_or(1);
        rows = fitting.clamp(1, rows.saturating_mul(GROWTH));
    }
}

/// Reads a page of a list whose rows may be large.
pub(super) fn of_large<Row: MeasuredRow, T>(
    request: &PageRequest,
    parse: impl Fn(Row) -> Result<T, JobError>,
    place: impl Fn(&T) -> Cursor,
    mut query: impl FnMut(&PageRequest, &mut PageRows<Row>) -> Result<(), JobError>,
) -> Result<Page<T>, JobError> {
    let size = PageSize { rows: request.max_rows(), ..request.size };
    let rows = read(
        size,
        request.clone(),
        parse,
        |thing| PageRequest { after: Some(place(thing)), ..request.clone() },
        &mut query,
    )?;
    Ok(Page::ending(rows, place))
}
