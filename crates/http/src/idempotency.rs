//! `Idempotency-Key`: a retried request has no further effect and returns the stored response of the first one.
//! Middleware of every operation that the domain's table marks as `Keyed`.

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
use steward_api::{Fact, Row, Upload, path};
use steward_domain::administration::ImageUse;
use steward_domain::kernel::error::{Error, ErrorCode, LoggedError};
use steward_domain::kernel::policy::{KeyRoles, Operation};
use steward_domain::kernel::{
    Caller, IdempotencyKey, IdempotencyOutcome, IdempotentRequestId, Request, RequestedAccess, TeamId, strict_json,
};
use steward_web::{UPLOAD_READ_TIMEOUT, frame};

use crate::Api;
use crate::error::ApiError;
use crate::extract::caller::api_of;
use crate::extract::path::Segment as _;
use crate::extract::{authenticated, body, upload};

/// Request header with the key.
const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");
/// Response header that marks a stored response.
const IDEMPOTENT_REPLAYED: HeaderName = HeaderName::from_static("idempotency-replayed");
/// Response headers that are stored. Headers that every response has are generated again.
const STORED_HEADERS: [HeaderName; 6] = [CONTENT_TYPE, ETAG, LINK, CACHE_CONTROL, PRAGMA, RETRY_AFTER];
/// Maximum size of a stored response, in bytes. A retry of a request with a larger response gets an error that says so.
const MAX_RESPONSE_BYTES: usize = 1024 * 1024;

/// A response in its stored form.
#[derive(Serialize, Deserialize)]
struct StoredResponse {
    status: u16,
    headers: Vec<(String, String)>,
    /// Base64.
    body: String,
}

/// Runs the inner service at most once for each key.
pub(crate) async fn run_once<B: MessageBody + 'static>(
    operation: Operation,
    row: &Row,
    mut request: ServiceRequest,
    next: Next<B>,
) -> Result<ServiceResponse<BoxBody>, ActixError> {
    if !request.headers().contains_key(&IDEMPOTENCY_KEY) {
        return Ok(next.call(request).await?.map_into_boxed_body());
    }
    let response = match begin(&mut request, operation, row).await {
        Ok((api, caller, IdempotencyOutcome::Claimed(claim))) => {
            let marked = Request { claim: Some(claim), ..caller.request.clone() };
            // The extractor uses this caller instead of authenticating again.
            frame(&request).caller = Some(Caller { request: marked, ..caller });
            return finish(&api, claim, next.call(request).await?).await;
        }
        Ok((_, _, IdempotencyOutcome::Answered(stored))) => replayed(&stored),
        Err(error) => Err(error),
    };
    Ok(request.into_response(response.unwrap_or_else(|error| error.error_response())))
}

/// Returns the maximum size of a body and the maximum time for it to arrive.
fn body_limits(row: &Row) -> (usize, Duration) {
    let used_as = match row.upload() {
        Some(Upload::Icon) => ImageUse::Icon,
        Some(Upload::Logo) => ImageUse::Logo,
        Some(Upload::Background) => ImageUse::Background,
        None => return (body::MAX_BYTES, body::READ_TIMEOUT),
    };
    (used_as.max_bytes().saturating_add(upload::MULTIPART_OVERHEAD), UPLOAD_READ_TIMEOUT)
}

/// The members of a body that the access to a stored response depends on.
#[derive(Default, Deserialize)]
struct AccessMembers {
    team_id: Option<String>,
    roles: Option<String>,
}

/// Claims the key. Reads the body for the fingerprint of the request, and puts it back.
async fn begin(
    request: &mut ServiceRequest,
    operation: Operation,
    row: &Row,
) -> Result<(web::Data<Api>, Caller, IdempotencyOutcome), ApiError> {
    let api = api_of(request.request())?.clone();
    let caller = authenticated(&api, request.request()).await?;
    let key = key(request)?;
    let (limit, timeout) = body_limits(row);
    let mut payload = request.take_payload();
    let bytes = body::receive(request.headers(), &mut payload, limit, timeout).await?.freeze();
    let (fingerprint, access) = (fingerprint(request, &bytes), access(request, operation, row, &bytes));
    request.set_payload(Payload::from(bytes));
    let outcome = api.steward.idempotency.begin(&caller, &key, &fingerprint, &access).await?;
    Ok((api, caller, outcome))
}

fn key(request: &ServiceRequest) -> Result<IdempotencyKey, ApiError> {
    let mut values = request.headers().get_all(&IDEMPOTENCY_KEY);
    let error = |error: &str| Error::invalid("Idempotency-Key", error);
    match (values.next().map(HeaderValue::to_str), values.next()) {
        (Some(Ok(text)), None) => Ok(IdempotencyKey::parse(text).map_err(|e| error(e.0))?),
        (Some(Err(_)), None) => Err(error("must contain only printable ASCII characters").into()),
        _ => Err(error("must not be repeated").into()),
    }
}

/// Returns everything that distinguishes one request from another.
fn fingerprint(request: &ServiceRequest, bytes: &[u8]) -> String {
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

/// Returns what the access to a stored response depends on. A value that cannot be parsed here was rejected by the
/// first request.
fn access(request: &ServiceRequest, operation: Operation, row: &Row, bytes: &[u8]) -> RequestedAccess {
    let request = request.request();
    // The body is parsed again only for the operations that need it, without building its other values.
    let text = if row.is(Fact::AuthorityInBody) { strict_json::without_byte_order_mark(bytes) } else { b"{}" };
    let AccessMembers { team_id, roles } = serde_json::from_slice(text).unwrap_or_default();
    RequestedAccess {
        operation,
        team: team_id.map_or_else(|| path::Team::read(request).ok(), |id| TeamId::parse(&id)),
        project: path::Project::read(request).ok(),
        member: path::Member::read(request).ok(),
        key: path::Key::read(request).ok(),
        client: path::Client::read(request).ok(),
        granted_roles: roles.and_then(|roles| KeyRoles::parse(&roles).ok()),
    }
}

/// Stores the response if a retry must return it; otherwise releases the key.
async fn finish<B: MessageBody + 'static>(
    api: &Api,
    claim: IdempotentRequestId,
    response: ServiceResponse<B>,
) -> Result<ServiceResponse<BoxBody>, ActixError> {
    let (request, response) = response.into_parts();
    let (response, body) = response.into_parts();
    let status = response.status();
    let Ok(bytes) = to_bytes(body).await else {
        let error = Error::Internal(anyhow::anyhow!("The response body could not be read."));
        return Ok(ServiceResponse::new(request, ApiError::from(error).error_response()));
    };
    let outcome = if bytes.len() <= MAX_RESPONSE_BYTES && is_final(status, &bytes) {
        let headers = STORED_HEADERS.iter().filter_map(|name| {
            let value = response.headers().get(name)?.to_str().ok()?;
            Some((name.as_str().to_owned(), value.to_owned()))
        });
        let stored =
            StoredResponse { status: status.as_u16(), headers: headers.collect(), body: STANDARD.encode(&bytes) };
        api.steward.idempotency.answer(claim, &serde_json::to_vec(&stored).unwrap_or_default()).await
    } else {
        api.steward.idempotency.give_up(claim).await
    };
    if let Err(error) = outcome {
        // The request is complete and its response is sent. Only a retry will not get the response.
        let cause = anyhow::Error::new(error);
        tracing::warn!(error = %cause.root_cause(), "The response could not be stored for retries.");
    }
    Ok(ServiceResponse::new(request, response.set_body(BoxBody::new(bytes))))
}

/// Returns whether the same request would get the same response again. Outages, limits and races are temporary.
fn is_final(status: StatusCode, body: &[u8]) -> bool {
    match status {
        StatusCode::UNAUTHORIZED | StatusCode::TOO_MANY_REQUESTS => false,
        StatusCode::CONFLICT => code_of(body).as_deref() != Some(ErrorCode::Contended.as_str()),
        status => !status.is_server_error(),
    }
}

/// Returns the error code in the body of an error.
fn code_of(body: &[u8]) -> Option<String> {
    let error: Value = serde_json::from_slice(body).ok()?;
    error.get("error")?.as_str().map(str::to_owned)
}

fn replayed(stored: &[u8]) -> Result<HttpResponse, ApiError> {
    let stored: StoredResponse = serde_json::from_slice(stored).map_err(|error| Error::Internal(error.into()))?;
    let status = StatusCode::from_u16(stored.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let mut response = HttpResponse::build(status);
    for (name, value) in stored.headers {
        response.insert_header((name, value));
    }
    response.insert_header((IDEMPOTENT_REPLAYED, "true"));
    let body = STANDARD.decode(stored.body).unwrap_or_default();
    let code = status.is_client_error().then(|| code_of(&body)).flatten();
    let mut response = response.body(body);
    if let Some(code) = code {
        response.extensions_mut().insert(LoggedError::of_request(code));
    }
    Ok(response)
}
