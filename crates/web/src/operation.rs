//! The operation that a page performs. It counts against the rate limit, and has the time, that it has in the API.

use actix_web::{HttpMessage as _, HttpRequest};
use anyhow::anyhow;
use steward_domain::kernel::error::Error;
use steward_domain::kernel::policy::Operation;

use crate::bodies::request::RequestBody;
use crate::limits::rate_limit::count_operation;

/// The operation that a page performs. It is stored in the request's extensions.
#[derive(Clone, Copy)]
pub(crate) struct PageOperation(pub Operation);

/// Counts the operation that a page is about to perform against the rate limit of its caller, with the number of
/// operations of a batch, and gives the request the time of the operation.
///
/// # Errors
///
/// [`Error::TooMany`] if the rate limit is exceeded.
pub fn begin_operation(request: &HttpRequest, operation: Operation, batch: usize) -> Result<(), Error> {
    request.extensions_mut().insert(PageOperation(operation));
    count_operation(request, operation, batch)
}

/// Lets a page receive a body of any size, which it stores while it arrives: the body counts as a fixed number of
/// bytes, and the request has time as long as parts arrive.
///
/// # Errors
///
/// [`Error::Unavailable`] if too many bytes of the caller's requests are being processed.
pub fn stream_body(request: &HttpRequest) -> Result<(), Error> {
    let body = RequestBody::of(request);
    body.map_or(Ok(()), |body| body.stream()).map_err(|error| Error::Unavailable(anyhow!("{error:?}")))
}
