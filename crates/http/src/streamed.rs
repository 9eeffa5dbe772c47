//! Streamed responses: lists without a limit, exports and logs. Only one chunk at a time is in memory. No database
//! connection is held between two chunks, and the caller is authenticated and authorized again for each chunk, so that
//! a stream stops when the caller loses access. A stream that fails is cut off, so that it never looks complete.

use std::sync::Arc;

use actix_web::http::Method;
use actix_web::web::Bytes;
use actix_web::{HttpMessage as _, HttpRequest, HttpResponse, HttpResponseBuilder};
use futures_util::stream;
use serde::Serialize;
use steward_domain::Steward;
use steward_domain::identity::PresentedCredential;
use steward_domain::kernel::error::{AuthenticationError, Error};
use steward_domain::kernel::policy::Conditions;
use steward_domain::kernel::{Caller, Request};
use steward_web::{chunked, conditions_of};

use crate::Api;
use crate::error::ApiError;
use crate::extract::caller::{credential, request_metadata};

/// Produces the chunks of a streamed response.
pub(crate) trait Source: Clone + 'static {
    /// Returns the next chunk of the body for a caller who was just authenticated, and the source of the remaining
    /// chunks. `None` if this was the last chunk.
    async fn next_chunk(self, steward: &Arc<Steward>, caller: Option<Caller>)
    -> Result<(Vec<u8>, Option<Self>), Error>;
}

/// The client that reads a streamed response.
pub(crate) struct Reader {
    steward: Arc<Steward>,
    credential: Option<PresentedCredential>,
    /// The person in whose name a page sends the request without a credential. Such a response is not read for long.
    person: Option<Caller>,
    request: Request,
    conditions: Conditions,
    is_head: bool,
}

impl Reader {
    /// Returns the client that sent the request.
    pub(crate) fn of(request: &HttpRequest, api: &Api) -> Result<Self, ApiError> {
        Ok(Self {
            steward: api.steward.clone(),
            credential: credential(request)?,
            person: request.extensions().get::<Caller>().cloned(),
            request: request_metadata(request),
            conditions: conditions_of(request),
            is_head: request.method() == Method::HEAD,
        })
    }

    /// Authenticates the caller again. Returns `None` if the request has no credential.
    async fn reauthenticate(&self) -> Result<Option<Caller>, Error> {
        let Some(credential) = &self.credential else { return Ok(self.person.clone()) };
        let authentication = &self.steward.authentication;
        Ok(Some(authentication.bearer(credential, self.request.clone(), self.conditions).await?))
    }

    /// Returns the response: the first chunk, which exists already, then the remaining chunks. These are work of the
    /// heavy lane.
    pub(crate) fn respond<S: Source>(
        self,
        mut response: HttpResponseBuilder,
        first: Vec<u8>,
        rest: Option<S>,
    ) -> HttpResponse {
        if self.is_head {
            return response.streaming(stream::empty::<Result<Bytes, Error>>());
        }
        let request_id = self.request.id.clone();
        let next = async move |source: S| {
            let caller = self.reauthenticate().await?;
            source.next_chunk(&self.steward, caller).await
        };
        response.streaming(chunked(request_id, "The streamed response", first, rest, next))
    }
}

/// Returns the caller of a chunk for which a credential is required.
pub(crate) fn require_caller(caller: Option<Caller>) -> Result<Caller, Error> {
    caller.ok_or_else(|| AuthenticationError::Missing.into())
}

/// Appends elements to a JSON array that was opened in this chunk or an earlier one.
pub(crate) fn push_members<T: Serialize>(
    text: &mut Vec<u8>,
    elements: impl IntoIterator<Item = T>,
) -> Result<(), Error> {
    for element in elements {
        if text.last() != Some(&b'[') {
            text.push(b',');
        }
        push(text, &element)?;
    }
    Ok(())
}

/// Appends a value as JSON.
pub(crate) fn push(text: &mut Vec<u8>, value: &impl Serialize) -> Result<(), Error> {
    serde_json::to_writer(text, value).map_err(|error| Error::Internal(error.into()))
}
