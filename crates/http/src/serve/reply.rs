//! The response of an operation: only what its row states fits.

use std::marker::PhantomData;
use std::sync::Arc;

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use actix_web::http::header::{HeaderName, HeaderValue};
use serde::Serialize;
use steward_api::{Data, Listing, Operation, Success};
use steward_domain::Steward;
use steward_domain::kernel::error::Error;
use steward_domain::kernel::{Caller, Page, Revision};

use super::access::Access;
use super::call::Call;
use super::resource::{Resource, Tag};
use crate::error::ApiError;
use crate::extract::page;
use crate::extract::path::Ids;
use crate::extract::precondition::ResourceTag;
use crate::streamed::{self, Chunk};

/// The response of an operation.
pub(crate) struct Reply<O> {
    response: HttpResponse,
    operation: PhantomData<fn() -> O>,
}

/// What a handler returns.
pub(crate) type Outcome<O> = Result<Reply<O>, ApiError>;

/// A value that is written as the JSON of `R`.
pub(crate) trait Answer<R> {
    /// Returns the text.
    fn text(self) -> Result<Vec<u8>, Error>;
}

impl<R: Serialize> Answer<R> for R {
    fn text(self) -> Result<Vec<u8>, Error> {
        let mut text = Vec::new();
        streamed::push(&mut text, &self)?;
        Ok(text)
    }
}

impl<T: Serialize> Answer<Data<T>> for T {
    fn text(self) -> Result<Vec<u8>, Error> {
        Answer::<Data<T>>::text(Data { data: self })
    }
}

/// The JSON of `R`, which was written by hand or on a compute thread.
pub(crate) struct Text<R> {
    text: Vec<u8>,
    of: PhantomData<fn() -> R>,
}

impl<R> From<Vec<u8>> for Text<R> {
    fn from(text: Vec<u8>) -> Self {
        Self { text, of: PhantomData }
    }
}

impl<R> Answer<R> for Text<R> {
    fn text(self) -> Result<Vec<u8>, Error> {
        Ok(self.text)
    }
}

impl<O> Reply<O> {
    /// Sets a header.
    pub(crate) fn with(mut self, name: HeaderName, value: &str) -> Self {
        if let Ok(value) = HeaderValue::from_str(value) {
            self.response.headers_mut().insert(name, value);
        }
        self
    }

    /// Sets the status of a new resource, if it is new.
    pub(crate) fn created(mut self, is_new: bool) -> Self {
        if is_new {
            *self.response.status_mut() = StatusCode::CREATED;
        }
        self
    }

    pub(crate) fn into_response(self) -> HttpResponse {
        self.response
    }
}

impl<O: Operation<Path: Ids>, A: Access> Call<O, A> {
    fn answer(&self, response: HttpResponse) -> Outcome<O> {
        self.expect_conditions_read();
        Ok(Reply { response, operation: PhantomData })
    }

    /// Returns the response of an operation that shows no resource with an entity tag.
    pub(crate) fn reply(&self, body: impl Answer<O::Response>) -> Outcome<O>
    where
        O: Operation<Resource = ()>,
    {
        self.untagged(body)
    }

    /// Returns a response without an entity tag, although others of the operation have one.
    pub(crate) fn untagged(&self, body: impl Answer<O::Response>) -> Outcome<O> {
        self.linked_page(body, None)
    }

    /// Returns a page of a list, with a link to the next one.
    pub(crate) fn linked_page(&self, body: impl Answer<O::Response>, next_cursor: Option<&str>) -> Outcome<O> {
        self.answer(self.linked(next_cursor, body.text()?))
    }

    /// Returns a page of a list.
    pub(crate) fn page<T, B: Serialize>(&self, page: Page<T>, render: impl FnMut(T) -> B) -> Outcome<O>
    where
        O: Operation<Response = Listing<B>>,
    {
        let next_cursor = page.next.as_ref().map(page::encode);
        let data = page.items.into_iter().map(render).collect();
        self.linked_page(Listing { data, next_cursor: next_cursor.clone() }, next_cursor.as_deref())
    }

    /// Writes a body that can be large on a compute thread.
    pub(crate) async fn apart<B: Answer<O::Response>>(
        &self,
        body: impl FnOnce() -> B + Send + 'static,
    ) -> Result<Text<O::Response>, Error> {
        Ok(self.api.steward.compute.call(true, move || body().text()).await??.into())
    }

    /// Returns the resource: 304 or 412 if the headers of a read require it.
    pub(crate) fn shows(&self, revision: Revision, resource: O::Resource) -> Outcome<O>
    where
        O: Operation<Resource: Resource + Answer<O::Response>>,
    {
        let text = resource.text()?;
        let tag = ResourceTag::of_text(revision, &text);
        self.answer(self.tagged(O::Resource::KIND, tag, || Ok(text))?)
    }

    /// Like [`shows`](Self::shows), with the tag of the resource and another body.
    pub(crate) fn about(&self, tag: Tag<O::Resource>, body: impl Answer<O::Response>) -> Outcome<O>
    where
        O: Operation<Resource: Resource>,
    {
        self.answer(self.tagged(O::Resource::KIND, tag.tag, || body.text())?)
    }

    /// Returns that the request succeeded.
    pub(crate) fn done(&self) -> Outcome<O>
    where
        O: Operation<Response = Success, Resource = ()>,
    {
        self.reply(Success { success: true })
    }

    /// Returns the first chunk of a stream, followed by the others.
    pub(crate) fn stream<S: Clone + 'static>(
        &self,
        first: Chunk<S>,
        next: impl AsyncFn(S, Arc<Steward>, Option<Caller>) -> Result<Chunk<S>, Error> + 'static,
    ) -> Outcome<O> {
        self.answer(streamed::respond(&self.request, &self.api, (self.builder(), A::MAY_BE_CACHED), first, next)?)
    }

    /// Returns an empty response.
    pub(crate) fn nothing(&self) -> Outcome<O>
    where
        O: Operation<Response = ()>,
    {
        self.answer(self.builder().finish())
    }

    /// Returns a response that the handler has built. Each use states why no other reply fits.
    pub(crate) fn raw(&self, response: HttpResponse) -> Outcome<O> {
        self.answer(response)
    }
}
