//! Where a page of a list begins, in the terms of rows.

use steward_domain::model::{Page, PageRequest};
use uuid::Uuid;

use crate::error::Fault;
use crate::sql_types::{At, Id};

/// The last place seen, for lists whose rows have a UUID. A cursor with another id is one from another list: nothing
/// comes after it.
pub(super) fn after(page: &PageRequest) -> Option<(At, Id)> {
    let cursor = page.after.as_ref()?;
    Some((At(cursor.at), Id(Uuid::try_parse(&cursor.id).unwrap_or_default())))
}

/// Parses the rows of a page.
pub(super) fn parsed<Row, T: TryFrom<Row, Error = Fault>>(
    rows: Vec<Row>,
    request: &PageRequest,
    place: impl Fn(&T) -> steward_domain::model::Cursor,
) -> Result<Page<T>, Fault> {
    let things: Vec<T> = rows.into_iter().map(TryInto::try_into).collect::<Result<_, _>>()?;
    Ok(Page::of(things, request, place))
}

/// How many rows to read; a huge number stands for all.
pub(super) fn limit(page: &PageRequest) -> i64 {
    page.rows().unwrap_or(i64::MAX)
}
