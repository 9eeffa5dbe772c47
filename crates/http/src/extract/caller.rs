//! Who calls: the Authorization header, turned into a caller by the domain (contract 1.2).

use std::future::{Ready, ready};

use actix_web::dev::Payload;
use actix_web::http::header::{AUTHORIZATION, ORIGIN};
use actix_web::{FromRequest, HttpMessage as _, HttpRequest, web};
use futures_util::future::{FutureExt as _, LocalBoxFuture};
use steward_domain::error::{AuthenticationError, Error};
use steward_domain::model::{Caller, Request};

use crate::Api;
use crate::error::ApiError;
use crate::frame::CallerId;

/// A caller with a good credential.
pub(crate) struct Authenticated(pub Caller);

/// A caller with a valid credential, for operations whose statements prove that what the caller may do has not changed since
/// it was last read (see `AccessBasis`): so nothing has to be read before.
pub(crate) struct CachedCaller {
    request: HttpRequest,
    caller: Caller,
}

impl CachedCaller {
    /// Acts as the caller. What a cached caller is refused or does not find is tried again as a caller who is
    /// authenticated now: a refusal never rests on what was remembered.
    pub(crate) async fn act<T>(self, action: impl AsyncFn(&Caller) -> Result<T, Error>) -> Result<T, ApiError> {
        const ROUNDS: usize = 5;
        let Self { request, mut caller } = self;
        let mut outcome = action(&caller).await;
        for _ in 0..ROUNDS {
            match outcome {
                Err(Error::AccessChanged) => {}
                Ok(_) | Err(Error::Unavailable(_) | Error::Internal(_)) => return Ok(outcome?),
                Err(_) if caller.is_cached => {}
                Err(_) => return Ok(outcome?),
            }
            let credential = credential(&request)?.ok_or(Error::from(AuthenticationError::Missing))?;
            // The request stays the same, with the claim of an Idempotency-Key.
            caller = Caller { request: caller.request, ..authenticate(&request, &credential).await? };
            outcome = action(&caller).await;
        }
        Ok(outcome?)
    }
}

impl FromRequest for CachedCaller {
    type Error = ApiError;
    type Future = LocalBoxFuture<'static, Result<Self, ApiError>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        let request = request.clone();
        async move {
            let known = request.extensions().get::<Caller>().cloned();
            let caller = match known {
                Some(caller) => caller,
                None => cached_caller(&request).await?,
            };
            Ok(Self { request, caller })
        }
        .boxed_local()
    }
}

/// Anybody, whatever credential they sent: for addresses that browsers open.
pub(crate) struct RequestOrigin(pub Request);

/// Anybody. A credential that is sent must be good all the same.
pub(crate) struct Visitor {
    /// The request, for the audit trail.
    pub request: Request,
}

impl FromRequest for Authenticated {
    type Error = ApiError;
    type Future = LocalBoxFuture<'static, Result<Self, ApiError>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        let request = request.clone();
        async move { authenticated(&request).await.map(Self) }.boxed_local()
    }
}

impl FromRequest for RequestOrigin {
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
    let credential = credential(request)?.ok_or(AuthenticationError::Missing);
    authenticate(request, &credential.map_err(Error::from)?).await
}

async fn authenticate(request: &HttpRequest, credential: &str) -> Result<Caller, ApiError> {
    let authentication = &api_of(request)?.steward.authentication;
    let from_browser = request.headers().contains_key(ORIGIN);
    note(request, authentication.bearer(credential, from_browser, described(request)).await)
}

/// The caller as the credential was when it was last checked, or as it is now.
async fn cached_caller(request: &HttpRequest) -> Result<Caller, ApiError> {
    let authentication = &api_of(request)?.steward.authentication;
    let credential = credential(request)?.ok_or(Error::from(AuthenticationError::Missing))?;
    let from_browser = request.headers().contains_key(ORIGIN);
    note(request, authentication.cached(&credential, from_browser, described(request)).await)
}

fn api_of(request: &HttpRequest) -> Result<&Api, ApiError> {
    let api = request.app_data::<web::Data<Api>>().map(|api| api.get_ref());
    api.ok_or_else(|| Error::Internal(anyhow::anyhow!("the API is not configured")).into())
}

/// Remembers whom the credential counts against, and names the caller for the log.
fn note(request: &HttpRequest, authenticated: Result<Caller, Error>) -> Result<Caller, ApiError> {
    let api = api_of(request)?;
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
        _ => Err(Error::from(AuthenticationError::NotBearer).into()),
    }
}

/// What the frame knows the request by.
pub(crate) fn described(request: &HttpRequest) -> Request {
    let nameless = || Request { id: String::new(), address: None, claim: None };
    request.extensions().get::<Request>().cloned().unwrap_or_else(nameless)
}
