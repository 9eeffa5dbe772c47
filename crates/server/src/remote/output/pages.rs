//! Lists of the service, read page by page: only one page is in memory.

use std::fmt::Display;
use std::future::ready;
use std::pin::pin;

use futures_util::TryStreamExt as _;
use serde::de::DeserializeOwned;
use steward_client::{Error, List};
use uuid::Uuid;

/// Maximum number of entries per request.
pub const PAGE_SIZE: u16 = 1_000;

/// The pages of a list.
pub struct Pages<T> {
    /// The list from the next page on; `None` after the last page.
    rest: Option<List<T>>,
    /// Maximum number of further entries.
    remaining: usize,
    /// The cursor after the last page that was read: that of the first entry that was not read because of the limit.
    pub following: Option<String>,
}

impl<T: DeserializeOwned> Pages<T> {
    /// Begins with the first page. Without a limit, all entries are read.
    pub fn of(list: List<T>, limit: Option<usize>) -> Self {
        Self { rest: Some(list), remaining: limit.unwrap_or(usize::MAX), following: None }
    }

    /// Returns the next page, which is empty if the list is; `None` after the last page.
    pub async fn next(&mut self) -> Result<Option<Vec<T>>, Error> {
        let Some(list) = self.rest.take() else { return Ok(None) };
        if self.remaining == 0 {
            return Ok(Some(Vec::new()));
        }
        let list =
            list.page_size(u16::try_from(self.remaining).map_or(PAGE_SIZE, |remaining| remaining.min(PAGE_SIZE)));
        let page = list.page().await?;
        self.remaining = self.remaining.saturating_sub(page.data.len());
        self.following = page.next_cursor;
        self.rest = self.following.clone().filter(|_| self.remaining > 0).map(|cursor| list.cursor(cursor));
        Ok(Some(page.data))
    }

    /// Returns whether the page that was returned is the last one.
    pub fn is_last(&self) -> bool {
        self.rest.is_none()
    }
}

/// Returns what `found` returns for the first entry of a list for which it returns something. The pages after it are
/// not read.
pub async fn find<T, F>(list: List<T>, found: impl Fn(T) -> Option<F>) -> Result<Option<F>, Error>
where
    T: DeserializeOwned + Send,
{
    let entries = list.page_size(PAGE_SIZE).stream();
    pin!(entries.try_filter_map(|entry| ready(Ok(found(entry))))).try_next().await
}

/// Returns the ID of a resource that is named by it, or else the first one that `named` returns for an entry of a list.
pub async fn id<T, I>(name: &str, list: List<T>, named: impl Fn(T) -> Option<I>) -> Result<Option<String>, Error>
where
    T: DeserializeOwned + Send,
    I: Display,
{
    if Uuid::parse_str(name).is_ok() {
        return Ok(Some(name.to_owned()));
    }
    Ok(find(list, named).await?.map(|id| id.to_string()))
}
