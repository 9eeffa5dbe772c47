//! What is known about a request while it is served.

use std::cell::RefMut;
use std::sync::Arc;

use actix_web::HttpMessage;
use steward_domain::identity::{CredentialDigest, KnownCredential, Proof};
use steward_domain::kernel::policy::Conditions;
use steward_domain::kernel::{Caller, Request};

use crate::bodies::request::RequestBody;
use crate::limits::rate_limiter::{CountedBy, RateLimitStatus};
use crate::route::{CredentialSource, Route};

/// What is known about a request while it is served. It is in the extensions of the request.
#[derive(Default)]
pub struct Frame {
    /// What identifies the request in the audit log and in the log of the service.
    pub request: Request,
    /// What is known by its method and path.
    pub route: Route,
    /// Whether its path is that of a page, which other origins must not read.
    pub(crate) is_page: bool,
    /// Where its credential was looked up, and what was found there.
    pub(crate) credential: Option<(CredentialSource, Option<FoundCredential>)>,
    /// The caller, once a handler or a page has authenticated it. Handlers use it instead of authenticating again.
    pub caller: Option<Caller>,
    /// Kind and ID of the caller, for the log.
    pub holder: Option<Arc<str>>,
    /// The proof of the caller's key, once it is verified.
    pub proof: Option<Proof>,
    /// The bucket that it was counted in, and its status; `None` if it is not limited.
    pub(crate) usage: Option<(CountedBy, RateLimitStatus)>,
    /// Its body; `None` if it has none.
    pub body: Option<RequestBody>,
}

/// The credential of a request, hashed and looked up once.
#[derive(Clone)]
pub struct FoundCredential {
    /// Its digest.
    pub digest: CredentialDigest,
    /// What was known of it when the request arrived, or since it was authenticated.
    pub known: Option<Arc<KnownCredential>>,
}

/// Returns what is known about a request. Do not hold it while something else is called with the request.
pub fn frame(request: &impl HttpMessage) -> RefMut<'_, Frame> {
    RefMut::map(request.extensions_mut(), |extensions| extensions.get_or_insert_with(Frame::default))
}

/// Returns what identifies a request in the audit log.
pub fn request_metadata(request: &impl HttpMessage) -> Request {
    frame(request).request.clone()
}

/// Returns the conditions that the account of the caller of a request must meet.
pub fn conditions_of(request: &impl HttpMessage) -> Conditions {
    frame(request).route.conditions
}
