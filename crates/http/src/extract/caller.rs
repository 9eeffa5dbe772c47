//! Authentication: passes the credential of the Authorization header to the domain (docs/contract.md#credentials).

use actix_web::http::header::ORIGIN;
use actix_web::{HttpRequest, web};
use steward_domain::identity::{PresentedCredential, Proof};
use steward_domain::kernel::Caller;
use steward_domain::kernel::error::{AuthenticationError, Error, InvalidProof};
pub(crate) use steward_web::request_metadata;
use steward_web::{CredentialSource, FoundCredential, HeaderCredential, conditions_of, frame};

use crate::Api;
use crate::error::ApiError;

/// Returns the caller of a request, or the error of its credential. Reuses the result of an earlier call.
pub(crate) async fn authenticated(api: &Api, request: &HttpRequest) -> Result<Caller, ApiError> {
    match known(request) {
        Some(caller) => Ok(caller),
        None => Ok(authenticate(api, request, &required(api, request)?).await?),
    }
}

/// Like [`authenticated`]; the caller may be cached.
pub(crate) async fn cached(api: &Api, request: &HttpRequest) -> Result<Caller, ApiError> {
    if let Some(caller) = known(request) {
        return Ok(caller);
    }
    let (authentication, credential) = (&api.steward.authentication, required(api, request)?);
    let cached = authentication.cached(&credential, request_metadata(request), conditions_of(request)).await;
    Ok(record(api, request, cached)?)
}

/// Authenticates the caller of a request again. The metadata of the request stay, which have the claim of its
/// Idempotency-Key.
pub(crate) async fn authenticated_again(api: &Api, request: &HttpRequest, caller: &Caller) -> Result<Caller, Error> {
    match credential(api, request)? {
        Some(credential) => {
            Ok(Caller { request: caller.request.clone(), ..authenticate(api, request, &credential).await? })
        }
        // A page sends a request without a credential for a person, whose session it has just read.
        None => known(request).ok_or_else(|| AuthenticationError::Missing.into()),
    }
}

/// Returns the caller that an earlier call found, or a page.
fn known(request: &HttpRequest) -> Option<Caller> {
    frame(request).caller.clone()
}

fn required(api: &Api, request: &HttpRequest) -> Result<PresentedCredential, Error> {
    credential(api, request)?.ok_or_else(|| AuthenticationError::Missing.into())
}

async fn authenticate(api: &Api, request: &HttpRequest, credential: &PresentedCredential) -> Result<Caller, Error> {
    let authentication = &api.steward.authentication;
    record(api, request, authentication.bearer(credential, request_metadata(request), conditions_of(request)).await)
}

/// Returns the caller if the request has a credential, which must be valid, for operations that do not use the caller.
pub(crate) async fn current(api: &Api, request: &HttpRequest) -> Result<Option<Caller>, Error> {
    let Some(credential) = credential(api, request)? else { return Ok(None) };
    let authentication = &api.steward.authentication;
    let current = authentication.current(&credential, request_metadata(request), conditions_of(request)).await;
    record(api, request, current).map(Some)
}

/// Returns what all handlers need.
pub(crate) fn api_of(request: &HttpRequest) -> Result<&web::Data<Api>, Error> {
    let api = request.app_data::<web::Data<Api>>();
    api.ok_or_else(|| Error::Internal(anyhow::anyhow!("The API is not configured.")))
}

/// Stores the caller's ID for the log.
fn record(api: &Api, request: &HttpRequest, authenticated: Result<Caller, Error>) -> Result<Caller, Error> {
    let caller = authenticated?;
    let holder = api.web.credentials.authenticated(request, &caller);
    frame(request).holder = Some(holder);
    Ok(caller)
}

/// The header with the proof of a key (RFC 9449 §4.1).
const DPOP: &str = "DPoP";

/// Returns the credential of the Authorization header, or `None` if there is no header.
pub(crate) fn credential(api: &Api, request: &HttpRequest) -> Result<Option<PresentedCredential>, Error> {
    let Some(HeaderCredential { is_bound, text }) = HeaderCredential::of(request)? else { return Ok(None) };
    let proof = match is_bound {
        true => proof(api, request).and_then(|proof| proof.ok_or(InvalidProof::Missing).map(Some)),
        false => Ok(None),
    };
    let proof = proof.map_err(AuthenticationError::from)?;
    let found = api.web.credentials.look_up(request, CredentialSource::Header);
    let FoundCredential { digest, known } = found.ok_or(AuthenticationError::NotBearer)?;
    let presented = PresentedCredential::bearer(text, digest, request.headers().contains_key(ORIGIN));
    Ok(Some(PresentedCredential { known, proof, ..presented }))
}

/// Returns the proof of a key that the request has, or `None` if it has none. It is verified once, and used once.
pub(crate) fn proof(api: &Api, request: &HttpRequest) -> Result<Option<Proof>, InvalidProof> {
    let known = frame(request).proof.clone();
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
    frame(request).proof = Some(proof.clone());
    Ok(Some(proof))
}
