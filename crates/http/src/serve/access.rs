//! Who may call a handler, as types.

use actix_web::HttpRequest;
use steward_domain::kernel::{Caller, Request};

use crate::Api;
use crate::error::ApiError;
use crate::extract::caller::{authenticated, cached, current, request_metadata};
use crate::extract::client::{BasicClient, basic_client};

/// What a handler knows about the sender of a request.
pub(crate) trait Access: 'static {
    /// The sender.
    type Caller;

    /// Whether the sender may be cached, because the statements of the operation verify its access.
    const MAY_BE_CACHED: bool = false;

    /// Returns the sender, or the error of its credential.
    async fn of(api: &Api, request: &HttpRequest) -> Result<Self::Caller, ApiError>;
}

/// A caller with a valid credential.
pub(crate) struct Signed;

/// A caller with a valid credential, which may be cached: see [`run_as_caller`](super::Call::run_as_caller).
pub(crate) struct Cached;

/// Any caller. A credential is optional, but must be valid if it is sent.
pub(crate) struct Open;

/// A client that uses HTTP Basic, or any other caller. A credential is optional, but must be valid if it is sent.
pub(crate) struct Client;

/// Any sender. A credential is ignored, or read by the handler.
pub(crate) struct Anyone;

impl Access for Signed {
    type Caller = Caller;

    async fn of(api: &Api, request: &HttpRequest) -> Result<Caller, ApiError> {
        authenticated(api, request).await
    }
}

impl Access for Cached {
    type Caller = Caller;

    const MAY_BE_CACHED: bool = true;

    async fn of(api: &Api, request: &HttpRequest) -> Result<Caller, ApiError> {
        cached(api, request).await
    }
}

impl Access for Open {
    type Caller = Request;

    async fn of(api: &Api, request: &HttpRequest) -> Result<Request, ApiError> {
        let caller = current(api, request).await?;
        Ok(caller.map_or_else(|| request_metadata(request), |caller| caller.request))
    }
}

impl Access for Client {
    type Caller = (Request, Option<BasicClient>);

    async fn of(api: &Api, request: &HttpRequest) -> Result<Self::Caller, ApiError> {
        match basic_client(request)? {
            Some(basic) => Ok((request_metadata(request), Some(basic))),
            None => Ok((Open::of(api, request).await?, None)),
        }
    }
}

impl Access for Anyone {
    type Caller = Request;

    async fn of(_api: &Api, request: &HttpRequest) -> Result<Request, ApiError> {
        Ok(request_metadata(request))
    }
}
