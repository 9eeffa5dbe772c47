//! Lists of the service, read page by page: only one page is in memory.

use serde::de::DeserializeOwned;
use steward_client::{Error, List};

/// Maximum number of entries per request.
pub const PAGE_SIZE: u16 = 1_000;

/// The pages of a list.
pub struct Pages<T> {
    /// The list from the next page on; `None` after the last page.
    rest: Option<List<T>>,
    /// Maximum number of further entries.
    remaining: usize,
    /// The cursor after the last page that was read.
    following: Option<String>,
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

    /// Returns the cursor of the first entry that was not read because of the limit.
    pub fn following(&self) -> Option<&str> {
        self.following.as_deref()
    }

    /// Returns whether the page that was returned is the last one.
    pub fn is_last(&self) -> bool {
        self.rest.is_none()
    }
}

/// Returns the first entry of a list that meets a condition. The pages after it are not read.
pub async fn find<T: DeserializeOwned>(list: List<T>, condition: impl Fn(&T) -> bool) -> Result<Option<T>, Error> {
    let mut pages = Pages::of(list, None);
    while let Some(page) = pages.next().await? {
        if let Some(found) = page.into_iter().find(&condition) {
            return Ok(Some(found));
        }
    }
    Ok(None)
}
