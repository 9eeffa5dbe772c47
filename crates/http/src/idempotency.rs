//! `Idempotency-Key`: a request that is sent again does nothing again, and is answered the same. Stands around every
//! operation that the domain's table calls so.

use std::time::Duration;

use actix_web::body::{BoxBody, MessageBody, to_bytes};
use actix_web::dev::{Payload, ServiceRequest, ServiceResponse};
use actix_web::http::StatusCode;
use actix_web::http::header::{
    CACHE_CONTROL, CONTENT_TYPE, ETAG, HeaderName, HeaderValue, IF_MATCH, IF_NONE_MATCH, LINK, PRAGMA, RETRY_AFTER,
};
use actix_web::middleware::Next;
use actix_web::{Error as ActixError, HttpMessage as _, HttpResponse, ResponseError as _, web};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use steward_domain::error::{Error, ErrorCode};
use steward_domain::model::{Caller, IdempotencyKey, IdempotentRequestId, ImageUse, Request, TeamId};
use steward_domain::policy::{IdempotencyRule, KeyRoles, Operation};
use steward_domain::usecases::{IdempotencyOutcome, RequestedAccess};

use crate::Api;
use crate::body;
use crate::endpoint::operation_of;
use crate::error::ApiError;
use crate::extract::{PathIds, authenticated};
use crate::upload;

/// The header that a caller marks a request with.
const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");
/// The header that marks an answer that was given before.
const IDEMPOTENT_REPLAYED: HeaderName = HeaderName::from_static("idempotency-replayed");
/// The headers that are kept with an answer; what surrounds every answer is made anew.
const STORED_HEADERS: [HeaderName; 6] = [CONTENT_TYPE, ETAG, LINK, CACHE_CONTROL, PRAGMA, RETRY_AFTER];
/// The longest answer that is kept, in bytes. Of a longer one a repeat is told that it was given.
const MAX_RESPONSE_BYTES: usize = 1024 * 1024;

/// An answer as it is kept.
#[derive(Serialize, Deserialize)]
struct StoredResponse {
    status: u16,
    headers: Vec<(String, String)>,
    body: String,
}

/// Does what is inside once for each key.
pub(crate) async fn once<B: MessageBody + 'static>(
    mut request: ServiceRequest,
    next: Next<B>,
) -> Result<ServiceResponse<BoxBody>, ActixError> {
    let marked = request.headers().contains_key(&IDEMPOTENCY_KEY);
    let Some(operation) = marked.then(|| keyed(&request)).flatten() else {
        return Ok(next.call(request).await?.map_into_boxed_body());
    };
    match begin(&mut request, operation).await {
        Ok((claim, caller)) => {
            let marked = Request { claim: Some(claim), ..caller.request.clone() };
            // The caller is known already; the extractor need not ask again.
            request.extensions_mut().insert(Caller { request: marked, ..caller });
            finish(claim, next.call(request).await?).await
        }
        Err(StoredOutcome::Answer(kept)) => Ok(request.into_response(replayed(kept))),
        Err(StoredOutcome::KeyError(refusal)) => Ok(request.into_response(refusal.error_response())),
    }
}

fn keyed(request: &ServiceRequest) -> Option<Operation> {
    operation_of(request).filter(|operation| operation.rule().repeats == IdempotencyRule::Keyed)
}

/// How long a body may be, and how long it may take to arrive.
fn bounds(operation: Operation) -> (usize, Duration) {
    let of_upload =
        |used_as: ImageUse| (used_as.most_bytes().saturating_add(upload::MULTIPART_OVERHEAD), upload::READ_TIMEOUT);
    match operation {
        Operation::IconUpload => of_upload(ImageUse::Icon),
        Operation::BackgroundUpload => of_upload(ImageUse::Background),
        _ => (body::MAX_BYTES, body::READ_TIMEOUT),
    }
}

/// What is answered without doing anything.
enum StoredOutcome {
    Answer(StoredResponse),
    KeyError(ApiError),
}

impl<E: Into<ApiError>> From<E> for StoredOutcome {
    fn from(error: E) -> Self {
        Self::KeyError(error.into())
    }
}

/// Claims the key. The body is read for it, and put back.
async fn begin(
    request: &mut ServiceRequest,
    operation: Operation,
) -> Result<(IdempotentRequestId, Caller), StoredOutcome> {
    let caller = authenticated(request.request()).await?;
    let key = key(request)?;
    let (most, wait) = bounds(operation);
    let bytes = body::taken(request, most, wait).await?;
    let (asked, access) = (asked(request, &bytes), access(request, operation, &bytes));
    request.set_payload(Payload::from(bytes));
    match api(request)?.steward.repeats.begin(&caller, &key, &asked, &access).await? {
        IdempotencyOutcome::Claimed(claim) => Ok((claim, caller)),
        IdempotencyOutcome::Answered(kept) => {
            let kept = serde_json::from_slice(&kept).map_err(|error| Error::Internal(error.into()))?;
            Err(StoredOutcome::Answer(kept))
        }
    }
}

fn key(request: &ServiceRequest) -> Result<IdempotencyKey, ApiError> {
    let mut values = request.headers().get_all(&IDEMPOTENCY_KEY);
    let error = |error: &str| Error::invalid("Idempotency-Key", error);
    match (values.next().map(HeaderValue::to_str), values.next()) {
        (Some(Ok(text)), None) => Ok(IdempotencyKey::parse(text).map_err(|e| error(e.0))?),
        (Some(Err(_)), None) => Err(error("must be printable ASCII").into()),
        _ => Err(error("must be sent once").into()),
    }
}

/// Everything that tells one request from another.
fn asked(request: &ServiceRequest, bytes: &[u8]) -> String {
    let header = |name: HeaderName| {
        let values = request.headers().get_all(name).filter_map(|value| value.to_str().ok());
        values.collect::<Vec<_>>().join(",")
    };
    serde_json::json!([
        request.method().as_str(),
        request.path(),
        request.query_string(),
        header(IF_MATCH),
        header(IF_NONE_MATCH),
        STANDARD.encode(bytes),
    ])
    .to_string()
}

/// What access to the request is decided by. What cannot be read here was refused when the request came first.
fn access(request: &ServiceRequest, operation: Operation, bytes: &[u8]) -> RequestedAccess {
    let named = PathIds::of(request.request());
    // Only where the body is needed is it parsed once more.
    let member = |name: &str| {
        let body: Value = serde_json::from_slice(bytes).ok()?;
        body.get(name)?.as_str().map(str::to_owned)
    };
    let (team, key_roles) = match operation {
        Operation::ProjectCreate => (member("team_id").and_then(|id| TeamId::parse(&id)), None),
        Operation::KeyCreate => (None, member("roles").and_then(|roles| KeyRoles::parse(&roles).ok())),
        _ => (named.team().ok(), None),
    };
    RequestedAccess {
        operation,
        team,
        project: named.project().ok(),
        member: named.member().ok(),
        key: named.key().ok(),
        key_roles,
    }
}

/// Keeps the answer, if it is one to give again.
async fn finish<B: MessageBody + 'static>(
    claim: IdempotentRequestId,
    response: ServiceResponse<B>,
) -> Result<ServiceResponse<BoxBody>, ActixError> {
    let (request, response) = response.into_parts();
    let (response, body) = response.into_parts();
    let status = response.status();
    let Ok(bytes) = to_bytes(body).await else {
        let refusal = ApiError::from(Error::Internal(anyhow::anyhow!("the answer could not be read"))).error_response();
        return Ok(ServiceResponse::new(request, refusal));
    };
    let Ok(api) = request.app_data::<web::Data<Api>>().cloned().ok_or(()) else {
        return Ok(ServiceResponse::new(request, response.set_body(BoxBody::new(bytes))));
    };
    let settled = if bytes.len() <= MAX_RESPONSE_BYTES && is_final(status, &bytes) {
        let headers = STORED_HEADERS.iter().filter_map(|name| {
            let value = response.headers().get(name)?.to_str().ok()?;
            Some((name.as_str().to_owned(), value.to_owned()))
        });
        let kept =
            StoredResponse { status: status.as_u16(), headers: headers.collect(), body: STANDARD.encode(&bytes) };
        api.steward.repeats.answer(claim, &serde_json::to_vec(&kept).unwrap_or_default()).await
    } else {
        api.steward.repeats.give_up(claim).await
    };
    if let Err(error) = settled {
        // The request was done and is answered; only a repeat of it will not be.
        tracing::warn!(error = %anyhow::Error::new(error).root_cause(), "an answer could not be kept for repeats");
    }
    Ok(ServiceResponse::new(request, response.set_body(BoxBody::new(bytes))))
}

/// Whether the same request would be answered so again: outages, limits and races pass.
fn is_final(status: StatusCode, body: &[u8]) -> bool {
    match status {
        StatusCode::UNAUTHORIZED | StatusCode::TOO_MANY_REQUESTS => false,
        StatusCode::CONFLICT => {
            let refusal: Option<Value> = serde_json::from_slice(body).ok();
            let code = refusal.as_ref().and_then(|refusal| refusal.get("error")?.as_str());
            code != Some(ErrorCode::Contended.as_str())
        }
        status => !status.is_server_error(),
    }
}

fn replayed(kept: StoredResponse) -> HttpResponse {
    let status = StatusCode::from_u16(kept.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let mut response = HttpResponse::build(status);
    for (name, value) in kept.headers {
        response.insert_header((name, value));
    }
    response.insert_header((IDEMPOTENT_REPLAYED, "true"));
    response.body(STANDARD.decode(kept.body).unwrap_or_default())
}

fn api(request: &ServiceRequest) -> Result<&web::Data<Api>, Error> {
    request.app_data::<web::Data<Api>>().ok_or_else(|| Error::Internal(anyhow::anyhow!("the API is not configured")))
}
