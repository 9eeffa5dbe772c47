//! Bodies that are produced in chunks. Only one chunk at a time is in memory, and no database connection is held
//! between two chunks. One that fails is cut off, so that it never looks complete.

use actix_web::web::Bytes;
use futures_util::stream::{self, Stream};
use steward_domain::kernel::error::Error;
use steward_domain::kernel::policy::Lane;
use steward_domain::kernel::retry_access_changed;
use steward_domain::kernel::work::Work;

/// Returns a body: the first chunk, which exists already, then those that `next` returns for the rest, each with its
/// rest. They are work of the heavy lane. A failure is logged with the ID of the request and the name of the body, such
/// as "The download".
pub fn chunked<S: Clone + 'static>(
    request_id: String,
    name: &'static str,
    first: Vec<u8>,
    rest: Option<S>,
    next: impl AsyncFn(S) -> Result<(Vec<u8>, Option<S>), Error> + 'static,
) -> impl Stream<Item = Result<Bytes, Error>> + 'static {
    let work = Work { lane: Lane::Heavy, ..Work::current() };
    let start = (next, request_id, Some(first), rest);
    stream::try_unfold(start, move |(next, request_id, written, rest)| async move {
        let (chunk, rest) = match (written, rest) {
            (Some(first), rest) => (first, rest),
            (None, None) => return Ok(None),
            (None, Some(source)) => {
                let read = work.scope(retry_access_changed(async || next(source.clone()).await)).await;
                read.inspect_err(|error| record_failure(&request_id, name, error))?
            }
        };
        Ok(Some((Bytes::from(chunk), (next, request_id, None, rest))))
    })
}

fn record_failure(request_id: &str, name: &str, error: &Error) {
    let code = error.code().as_str();
    // The message of the error omits the cause, and may contain personal data.
    let cause = error.cause().map(|cause| format!("{cause:#}"));
    tracing::warn!(request_id, error = code, cause, "{name} was cut off because of an error.");
}
