//! The operation that a page performs. It counts against the rate limit, and has the time, that it has in the API.

use actix_web::{HttpMessage as _, HttpRequest};
use steward_domain::error::Error;
use steward_domain::policy::Operation;

use crate::middleware::rate_limit::count_operation;

/// The operation that a page performs. It is stored in the request's extensions.
#[derive(Clone, Copy)]
pub(crate) struct PageOperation(pub Operation);

/// Counts the operation that a page is about to perform against the rate limit of its caller, with the number of
/// operations of a batch, and gives the request the time of the operation.
///
/// # Errors
///
/// [`Error::TooMany`] if the rate limit is exceeded.
pub fn begin_page_operation(request: &HttpRequest, operation: Operation, batch: usize) -> Result<(), Error> {
    request.extensions_mut().insert(PageOperation(operation));
    count_operation(request, operation, batch)
}
