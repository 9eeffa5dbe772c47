//! Authentication: passes the credential of the Authorization header to the domain (docs/contract.md#credentials).

use actix_web::dev::Payload;
use actix_web::http::header::{AUTHORIZATION, ORIGIN};
use actix_web::{FromRequest, HttpMessage as _, HttpRequest, web};
use futures_util::future::{FutureExt as _, LocalBoxFuture};
use steward_domain::identity::{PresentedCredential, Proof};
use steward_domain::kernel::error::{AuthenticationError, Error, InvalidProof};
use steward_domain::kernel::{Caller, retry_access_changed};
pub(crate) use steward_web::request_metadata;
use steward_web::{CallerId, conditions_of};

use crate::Api;
use crate::error::ApiError;

/// A caller with a valid credential, which may be cached. For operations whose SQL statements verify that the caller's
/// access has not changed since it was last read (see `AccessBasis`), so that no read has to precede them.
#[derive(Clone)]
pub(crate) struct CachedCaller {
    request: HttpRequest,
    caller: Caller,
}

impl CachedCaller {
    /// Runs an action as the caller. If the caller is cached and the action is rejected or finds nothing, authenticates
    /// the caller and retries, so that an error never depends on cached data.
    pub(crate) async fn run_as_caller<T>(
        self,
        action: impl AsyncFn(&Caller) -> Result<T, Error>,
    ) -> Result<T, ApiError> {
        let Self { request, caller } = self;
        // Every attempt has this request, which has the claim of the Idempotency-Key.
        let metadata = caller.request.clone();
        // A page sends a request without a credential for a person, whose session it has just read.
        let person = request.extensions().get::<Caller>().cloned();
        let mut known = Some(caller);
        let outcome = retry_access_changed(async || {
            let caller = match known.take() {
                Some(caller) => caller,
                None => match credential(&request)? {
                    Some(credential) => {
                        Caller { request: metadata.clone(), ..authenticate(&request, &credential).await? }
                    }
                    None => person.clone().ok_or(AuthenticationError::Missing)?,
                },
            };
            action(&caller).await.map_err(|error| match error {
                error if caller.is_cached && !error.is_failure() => Error::AccessChanged,
                error => error,
            })
        });
        Ok(outcome.await?)
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

/// Returns the caller of a request, or the error of its credential. Reuses the result of an earlier call.
pub(crate) async fn authenticated(request: &HttpRequest) -> Result<Caller, ApiError> {
    let known = request.extensions().get::<Caller>().cloned();
    if let Some(caller) = known {
        return Ok(caller);
    }
    let credential = credential(request)?.ok_or(Error::from(AuthenticationError::Missing))?;
    Ok(authenticate(request, &credential).await?)
}

async fn authenticate(request: &HttpRequest, credential: &PresentedCredential) -> Result<Caller, Error> {
    let authentication = &api_of(request)?.steward.authentication;
    record(request, authentication.bearer(credential, request_metadata(request), conditions_of(request)).await)
}

/// Returns the caller from the cache, or authenticates it.
async fn cached_caller(request: &HttpRequest) -> Result<Caller, Error> {
    let authentication = &api_of(request)?.steward.authentication;
    let credential = credential(request)?.ok_or(AuthenticationError::Missing)?;
    record(request, authentication.cached(&credential, request_metadata(request), conditions_of(request)).await)
}

/// Checks that the credential is valid, for operations that do not use the caller.
pub(crate) async fn check_current(request: &HttpRequest, credential: &PresentedCredential) -> Result<(), Error> {
    let authentication = &api_of(request)?.steward.authentication;
    record(request, authentication.current(credential, request_metadata(request), conditions_of(request)).await)
        .map(drop)
}

/// Returns what all handlers need.
pub(crate) fn api_of(request: &HttpRequest) -> Result<&web::Data<Api>, Error> {
    let api = request.app_data::<web::Data<Api>>();
    api.ok_or_else(|| Error::Internal(anyhow::anyhow!("The API is not configured.")))
}

/// Updates the credential cache with the result, and stores the caller's ID for the log.
fn record(request: &HttpRequest, authenticated: Result<Caller, Error>) -> Result<Caller, Error> {
    let api = api_of(request)?;
    if let Err(Error::Unauthenticated(_) | Error::Forbidden(_)) = &authenticated {
        api.web.credentials.forget(request);
    }
    let caller = authenticated?;
    let holder = api.web.credentials.remember(request, &caller.identity);
    request.extensions_mut().insert(CallerId(holder));
    Ok(caller)
}

/// The header with the proof of a key (RFC 9449 §4.1).
const DPOP: &str = "DPoP";

/// Returns the credential of the Authorization header, or `None` if there is no header (RFC 6750 §2.1, RFC 9449 §7.1).
pub(crate) fn credential(request: &HttpRequest) -> Result<Option<PresentedCredential>, Error> {
    let mut headers = request.headers().get_all(AUTHORIZATION);
    let Some(header) = headers.next() else { return Ok(None) };
    let parsed = header.to_str().ok().and_then(|text| {
        let (scheme, credential) = text.trim().split_once(' ')?;
        let credential = credential.trim();
        let is_bound = scheme.eq_ignore_ascii_case(DPOP);
        let is_known = is_bound || scheme.eq_ignore_ascii_case("bearer");
        let is_valid = is_known && !credential.is_empty() && !credential.contains(' ');
        is_valid.then_some((is_bound, credential))
    });
    let (Some((is_bound, credential)), None) = (parsed, headers.next()) else {
        return Err(AuthenticationError::NotBearer.into());
    };
    let presented = PresentedCredential::bearer(credential, request.headers().contains_key(ORIGIN));
    let proof = match is_bound {
        true => proof(api_of(request)?, request).and_then(|proof| proof.ok_or(InvalidProof::Missing).map(Some)),
        false => Ok(None),
    };
    let proof = proof.map_err(AuthenticationError::from)?;
    Ok(Some(PresentedCredential { proof, ..presented }))
}

/// Returns the proof of a key that the request has, or `None` if it has none. It is verified once, and used once.
pub(crate) fn proof(api: &Api, request: &HttpRequest) -> Result<Option<Proof>, InvalidProof> {
    let known = request.extensions().get::<Proof>().cloned();
    if known.is_some() {
        return Ok(known);
    }
    let mut headers = request.headers().get_all(DPOP);
    let Some(header) = headers.next() else { return Ok(None) };
    if headers.next().is_some() {
        return Err(InvalidProof::Repeated);
    }
    let jwt = header.to_str().map_err(|_| InvalidProof::Malformed)?;
    let proof = api.steward.authentication.proof(jwt, request.method().as_str(), request.uri().path())?;
    request.extensions_mut().insert(proof.clone());
    Ok(Some(proof))
}
