//! What the pages need.

use std::sync::Arc;

use actix_web::HttpRequest;
use steward_domain::error::Error;
use steward_domain::policy::Operation;
use steward_domain::usecases::Steward;

/// Counts an operation that a page is about to perform against the rate limit of its caller, with the number of
/// operations of a batch, and gives the request the time of the operation.
pub type BeginOperation = fn(&HttpRequest, Operation, usize) -> Result<(), Error>;

/// Gives a request time as long as its body arrives, and counts a fixed amount of memory for it, because the page stores
/// the body as it arrives. Fails if that memory is not available.
pub type StreamBody = fn(&HttpRequest) -> Result<(), Error>;

/// Dependencies of the pages.
#[derive(Clone)]
pub struct Pages {
    /// Use cases that the pages run.
    pub steward: Arc<Steward>,
    /// Name of the cookie that identifies a browser. See [`browser_cookie`](crate::browser_cookie).
    pub browser_cookie: &'static str,
    /// Whether webhooks and logout tokens may be sent to private networks.
    pub allow_private_webhooks: bool,
    /// Applies the limits of the API to operations that cost more than a request.
    pub begin_operation: BeginOperation,
    /// Allows a page to receive a body of any size.
    pub stream_body: StreamBody,
}
