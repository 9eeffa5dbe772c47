//! Who calls: the Authorization header, turned into a caller by the domain (contract 1.2).

use std::future::{Ready, ready};

use actix_web::dev::Payload;
use actix_web::http::header::{AUTHORIZATION, ORIGIN};
use actix_web::{FromRequest, HttpMessage as _, HttpRequest, web};
use futures_util::future::{FutureExt as _, LocalBoxFuture};
use steward_domain::error::{AuthenticationFault, Error};
use steward_domain::model::{Caller, Request};

use crate::Api;
use crate::error::ApiError;
use crate::frame::CallerId;

/// A caller with a good credential.
pub(crate) struct Known(pub Caller);

/// Anybody, whatever credential they sent: for addresses that browsers open.
pub(crate) struct Sender(pub Request);

/// Anybody. A credential that is sent must be good all the same.
pub(crate) struct Visitor {
    /// The request, for the audit trail.
    pub request: Request,
}

impl FromRequest for Known {
    type Error = ApiError;
    type Future = LocalBoxFuture<'static, Result<Self, ApiError>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        let request = request.clone();
        async move { authenticated(&request).await.map(Self) }.boxed_local()
    }
}

impl FromRequest for Sender {
    type Error = ApiError;
    type Future = Ready<Result<Self, ApiError>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        ready(Ok(Self(described(request))))
    }
}

impl FromRequest for Visitor {
    type Error = ApiError;
    type Future = LocalBoxFuture<'static, Result<Self, ApiError>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        let request = request.clone();
        async move {
            if let Some(credential) = credential(&request)? {
                authenticate(&request, &credential).await?;
            }
            Ok(Self { request: described(&request) })
        }
        .boxed_local()
    }
}

/// The caller, if the credential is good. It may be known already.
pub(crate) async fn authenticated(request: &HttpRequest) -> Result<Caller, ApiError> {
    let known = request.extensions().get::<Caller>().cloned();
    if let Some(caller) = known {
        return Ok(caller);
    }
    let credential = credential(request)?.ok_or(AuthenticationFault::Missing);
    authenticate(request, &credential.map_err(Error::from)?).await
}

async fn authenticate(request: &HttpRequest, credential: &str) -> Result<Caller, ApiError> {
    let Some(api) = request.app_data::<web::Data<Api>>() else {
        return Err(Error::Internal(anyhow::anyhow!("the API is not configured")).into());
    };
    let from_browser = request.headers().contains_key(ORIGIN);
    let authenticated = api.steward.authentication.bearer(credential, from_browser, described(request)).await;
    if let Err(Error::Unauthenticated(_) | Error::Forbidden(_)) = &authenticated {
        api.known.forget(request);
    }
    let caller = authenticated?;
    let holder = api.known.remember(request, &caller.identity);
    request.extensions_mut().insert(CallerId(holder));
    Ok(caller)
}

/// The credential of the one Authorization header, if there is one (RFC 6750 §2.1).
pub(crate) fn credential(request: &HttpRequest) -> Result<Option<String>, ApiError> {
    let mut headers = request.headers().get_all(AUTHORIZATION);
    let Some(header) = headers.next() else { return Ok(None) };
    let parsed = header.to_str().ok().and_then(|text| {
        let (scheme, credential) = text.trim().split_once(' ')?;
        let credential = credential.trim();
        let good = scheme.eq_ignore_ascii_case("bearer") && !credential.is_empty() && !credential.contains(' ');
        good.then(|| credential.to_owned())
    });
    match (parsed, headers.next()) {
        (Some(credential), None) => Ok(Some(credential)),
        _ => Err(Error::from(AuthenticationFault::NotBearer).into()),
    }
}

/// What the frame knows the request by.
pub(crate) fn described(request: &HttpRequest) -> Request {
    let nameless = || Request { id: String::new(), address: None, claim: None };
    request.extensions().get::<Request>().cloned().unwrap_or_else(nameless)
}
