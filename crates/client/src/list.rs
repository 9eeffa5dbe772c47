//! Lists, read in pages.

use std::borrow::Cow;
use std::collections::VecDeque;
use std::fmt::Display;
use std::marker::PhantomData;

use futures_util::stream::{Stream, StreamExt as _, TryStreamExt as _, try_unfold};
use serde::Serialize;
use serde::de::DeserializeOwned;
use steward_api::{
    Item, ItemListing, Listing, Operation, ProjectItem, ProjectItemListing, Row, SchemaListing, SchemaVersion,
};

use crate::call::query_of;
use crate::{Client, Error};

/// Entries per page, unless the caller sets another number.
const PAGE_SIZE: u16 = 100;

/// A list that is read in pages.
#[derive(Debug, Clone)]
#[must_use]
pub struct List<T> {
    client: Client,
    row: &'static Row,
    parameters: Vec<String>,
    query: Vec<(Cow<'static, str>, String)>,
    entry: PhantomData<fn() -> T>,
}

/// The list of an operation.
pub type ListOf<O> = List<<<O as Operation>::Response as Paged>::Entry>;

/// A response with one page of a list.
pub trait Paged {
    /// An entry of the list.
    type Entry;
}

impl<T> Paged for Listing<T> {
    type Entry = T;
}

impl Paged for ItemListing {
    type Entry = Item;
}

impl Paged for ProjectItemListing {
    type Entry = ProjectItem;
}

impl Paged for SchemaListing {
    type Entry = SchemaVersion;
}

impl Client {
    /// Returns the list that an operation returns page by page. `parameters` are those of its path, in the same order.
    pub fn list<O>(&self, parameters: &[&dyn Display]) -> ListOf<O>
    where
        O: Operation<Response: Paged>,
    {
        self.list_of(O::ROW, parameters)
    }

    /// Returns the list of an operation with the parameters of its query, as [`list`](Self::list) does.
    pub fn list_with<O>(&self, parameters: &[&dyn Display], query: &O::Query) -> ListOf<O>
    where
        O: Operation<Query: Serialize, Response: Paged<Entry: DeserializeOwned>>,
    {
        self.list::<O>(parameters).parameters(query)
    }

    /// Returns the list of a row, for programs that know operations as data. `T` is the type of its entries.
    pub fn list_of<T>(&self, row: &'static Row, parameters: &[impl Display]) -> List<T> {
        List {
            client: self.clone(),
            row,
            parameters: parameters.iter().map(ToString::to_string).collect(),
            query: vec![("limit".into(), PAGE_SIZE.to_string())],
            entry: PhantomData,
        }
    }
}

impl<T: DeserializeOwned> List<T> {
    /// Adds a parameter to the query, such as a filter.
    pub fn query(mut self, name: impl Into<Cow<'static, str>>, value: impl Display) -> Self {
        self.query.push((name.into(), value.to_string()));
        self
    }

    /// Sets parameters of the query.
    pub(crate) fn parameters(self, parameters: &impl Serialize) -> Self {
        query_of(parameters).into_iter().fold(self, |list, (name, value)| list.with(name.into(), value))
    }

    /// Adds a parameter to the query, unless it is `None`.
    pub fn optional_query(self, name: &'static str, value: Option<impl Display>) -> Self {
        value.into_iter().fold(self, |list, value| list.query(name, value))
    }

    fn with(mut self, name: Cow<'static, str>, value: String) -> Self {
        self.query.retain(|(other, _)| *other != name);
        self.query.push((name, value));
        self
    }

    /// Sets the number of entries per page: 1 to 1,000, and 100 by default.
    pub fn page_size(self, page_size: u16) -> Self {
        self.with("limit".into(), page_size.to_string())
    }

    /// Starts at the cursor of an earlier page.
    pub fn cursor(mut self, cursor: impl Into<String>) -> Self {
        // It says where the page starts.
        self.query.retain(|(name, _)| name != "offset");
        self.with("cursor".into(), cursor.into())
    }

    /// Returns one page.
    ///
    /// # Errors
    ///
    /// Those of [`Request::send`](crate::Request::send), and [`Error::Decode`].
    pub async fn page(&self) -> Result<Listing<T>, Error> {
        let request = self.client.request_of(self.row, &self.parameters);
        self.query.iter().fold(request, |request, (name, value)| request.query(name, value)).send().await?.json()
    }

    /// Returns all entries, and requests pages when they are needed. The stream ends after an error.
    pub fn stream(self) -> impl Stream<Item = Result<T, Error>> + Send
    where
        T: Send,
    {
        let start = (self, VecDeque::<T>::new(), false);
        try_unfold(start, |(mut list, mut entries, mut is_last)| async move {
            loop {
                if let Some(entry) = entries.pop_front() {
                    return Ok::<_, Error>(Some((entry, (list, entries, is_last))));
                }
                if is_last {
                    return Ok(None);
                }
                let page = list.page().await?;
                is_last = page.next_cursor.is_none();
                list = page.next_cursor.into_iter().fold(list, List::cursor);
                entries = page.data.into();
            }
        })
    }

    /// Returns all entries at once.
    ///
    /// # Errors
    ///
    /// Those of [`page`](Self::page).
    pub async fn all(self) -> Result<Vec<T>, Error>
    where
        T: Send,
    {
        self.stream().try_collect().await
    }

    /// Returns at most this number of entries, from the start.
    ///
    /// # Errors
    ///
    /// Those of [`page`](Self::page).
    pub async fn first(self, count: usize) -> Result<Vec<T>, Error>
    where
        T: Send,
    {
        self.stream().take(count).try_collect().await
    }
}
