//! Streamed responses: lists without a limit, exports and logs. Only one chunk at a time is in memory. No database
//! connection is held between two chunks, and the caller's access is checked again for each chunk, so that a stream
//! stops when the caller loses access. A stream that fails is cut off, so that it never looks complete.

use std::sync::Arc;

use actix_web::http::Method;
use actix_web::web::Bytes;
use actix_web::{HttpRequest, HttpResponse, HttpResponseBuilder};
use futures_util::stream;
use serde::Serialize;
use steward_domain::Steward;
use steward_domain::identity::PresentedCredential;
use steward_domain::kernel::Caller;
use steward_domain::kernel::error::{AuthenticationError, Error};
use steward_web::{chunked, conditions_of, frame};

use crate::Api;
use crate::error::ApiError;
use crate::extract::caller::{credential, request_metadata};

/// A chunk of a body, and what is needed for the remaining chunks. `None` if this is the last chunk.
pub(crate) type Chunk<S> = (Vec<u8>, Option<S>);

/// Returns a streamed response: the first chunk, which exists already, then those that `next` returns for the caller,
/// who is authenticated again for each; `None` if the request has no credential. A caller who may be cached is
/// authenticated only if the statements of the chunk find that their access has changed. The chunks are work of the
/// heavy lane.
pub(crate) fn respond<S: Clone + 'static>(
    request: &HttpRequest,
    api: &Api,
    (mut response, may_be_cached): (HttpResponseBuilder, bool),
    (first, rest): Chunk<S>,
    next: impl AsyncFn(S, Arc<Steward>, Option<Caller>) -> Result<Chunk<S>, Error> + 'static,
) -> Result<HttpResponse, ApiError> {
    // Each chunk looks up what is known then.
    let credential = credential(api, request)?.map(|credential| PresentedCredential { known: None, ..credential });
    if request.method() == Method::HEAD {
        return Ok(response.streaming(stream::empty::<Result<Bytes, Error>>()));
    }
    // The person in whose name a page sends the request without a credential. Such a response is not read for long.
    let person = frame(request).caller.clone();
    let (metadata, conditions, steward) = (request_metadata(request), conditions_of(request), api.steward.clone());
    let request_id = metadata.id.clone();
    let next = async move |rest: S| {
        if let Some(credential) = credential.as_ref().filter(|_| may_be_cached) {
            let caller = steward.authentication.cached(credential, metadata.clone(), conditions).await?;
            let is_cached = caller.is_cached;
            match next(rest.clone(), steward.clone(), Some(caller)).await {
                Err(error) if is_cached && !error.is_failure() => {}
                chunk => return chunk,
            }
        }
        let caller = match &credential {
            Some(credential) => Some(steward.authentication.bearer(credential, metadata.clone(), conditions).await?),
            None => person.clone(),
        };
        next(rest, steward.clone(), caller).await
    };
    Ok(response.streaming(chunked(request_id, "The streamed response", first, rest, next)))
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
