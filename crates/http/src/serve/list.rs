//! Lists: one page, or complete as a stream (docs/contract.md#lists).

use std::sync::Arc;

use serde::Serialize;
use steward_api::{Listing, Operation};
use steward_domain::Steward;
use steward_domain::kernel::error::Error;
use steward_domain::kernel::{Caller, Cursor, Page, PageRequest, PageSize};

use super::access::Signed;
use super::call::Call;
use super::reply::Outcome;
use crate::extract::path::Ids;
use crate::streamed::{Source, push_members, require_caller};

impl<O: Operation<Path: Ids>> Call<O, Signed> {
    /// Returns one page of a list if the request has a limit, else the complete list.
    pub(crate) async fn list<T, B, R, W>(&self, read: R, render: W) -> Outcome<O>
    where
        O: Operation<Response = Listing<B>>,
        T: 'static,
        B: Serialize + 'static,
        R: AsyncFn(Arc<Steward>, Caller, PageRequest) -> Result<Page<T>, Error> + Clone + 'static,
        W: Fn(T) -> B + Clone + 'static,
    {
        let page_request = self.query().page()?;
        let is_complete = page_request.limit.is_none();
        let size = if is_complete { PageSize::CHUNK } else { page_request.size };
        let (steward, caller) = (self.api.steward.clone(), self.caller.clone());
        let mut page = read(steward, caller, PageRequest { size, ..page_request }).await?;
        let Some(after) = page.next.take_if(|_| is_complete) else { return self.page(page, render) };

        let (mut text, rows) = (b"{\"data\":[".to_vec(), page.items.len());
        push_members(&mut text, page.items.into_iter().map(&render))?;
        self.stream(text, Some(List { read, render, after, rows }))
    }
}

/// The remaining chunks of a list.
#[derive(Clone)]
struct List<R, W> {
    read: R,
    render: W,
    after: Cursor,
    /// Number of rows of the previous chunk.
    rows: usize,
}

impl<T, B, R, W> Source for List<R, W>
where
    T: 'static,
    B: Serialize + 'static,
    R: AsyncFn(Arc<Steward>, Caller, PageRequest) -> Result<Page<T>, Error> + Clone + 'static,
    W: Fn(T) -> B + Clone + 'static,
{
    async fn next_chunk(
        mut self,
        steward: &Arc<Steward>,
        caller: Option<Caller>,
    ) -> Result<(Vec<u8>, Option<Self>), Error> {
        let page_request =
            PageRequest { limit: None, after: Some(self.after.clone()), size: PageSize::after_chunk_of(self.rows) };
        let page = (self.read)(steward.clone(), require_caller(caller)?, page_request).await?;
        let mut text = Vec::new();
        self.rows = page.items.len();
        push_members(&mut text, page.items.into_iter().map(&self.render))?;
        match page.next {
            Some(after) => {
                self.after = after;
                Ok((text, Some(self)))
            }
            None => {
                text.extend_from_slice(b"]}");
                Ok((text, None))
            }
        }
    }
}
