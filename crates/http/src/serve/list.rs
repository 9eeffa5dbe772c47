//! Lists: one page, or complete as a stream (docs/contract.md#lists).

use std::sync::Arc;

use serde::Serialize;
use steward_api::{Listing, Operation};
use steward_domain::Steward;
use steward_domain::kernel::error::Error;
use steward_domain::kernel::{Caller, Page, PageRequest, PageSize};

use super::access::Signed;
use super::call::Call;
use super::reply::Outcome;
use crate::extract::path::Ids;
use crate::streamed::{push_members, require_caller};

impl<O: Operation<Path: Ids>> Call<O, Signed> {
    /// Returns one page of a list if the request has a limit, else the complete list.
    pub(crate) async fn list<T, B, R, W>(&self, render: W, read: R) -> Outcome<O>
    where
        O: Operation<Response = Listing<B>>,
        T: 'static,
        B: Serialize + 'static,
        R: AsyncFn(Arc<Steward>, Caller, PageRequest) -> Result<Page<T>, Error> + 'static,
        W: Fn(T) -> B + 'static,
    {
        let page_request = self.query().page()?;
        let is_complete = page_request.limit.is_none();
        let size = if is_complete { PageSize::CHUNK } else { page_request.size };
        let (steward, caller) = (self.api.steward.clone(), self.caller.clone());
        let mut page = read(steward, caller, PageRequest { size, ..page_request }).await?;
        let Some(after) = page.next.take_if(|_| is_complete) else { return self.page(page, render) };

        let rows = page.items.len();
        let mut text = b"{\"data\":[".to_vec();
        push_members(&mut text, page.items.into_iter().map(&render))?;
        self.stream((text, Some((after, rows))), async move |(after, rows), steward, caller| {
            let size = PageSize::CHUNK.after_chunk_of(rows);
            let page =
                read(steward, require_caller(caller)?, PageRequest { limit: None, after: Some(after), size }).await?;
            let (mut text, rows) = (Vec::new(), page.items.len());
            push_members(&mut text, page.items.into_iter().map(&render))?;
            if page.next.is_none() {
                text.extend_from_slice(b"]}");
            }
            Ok((text, page.next.map(|after| (after, rows))))
        })
    }
}
