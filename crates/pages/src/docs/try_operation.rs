//! Sends the request of the form on the page of an operation to the API, and shows the response on the page.

use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::time::Duration;

use actix_web::body::{BoxBody, MessageBody as _};
use actix_web::dev::{HttpServiceFactory, Payload, RequestHead, ServiceFactory, ServiceRequest, ServiceResponse};
use actix_web::http::header::HeaderValue;
use actix_web::http::{Method, StatusCode};
use actix_web::middleware::{Next, from_fn};
use actix_web::rt::time::timeout;
use actix_web::{
    Error as ActixError, FromRequest as _, HttpMessage as _, HttpResponse, ResponseError as _, guard, web,
};
use serde_json::Value;
use steward_docs::{Operation, Page, site};
use steward_domain::kernel::error::LoggedError;
use steward_web::forward;

use crate::Pages;
use crate::error::PageError;
use crate::request::browser::Browser;
use crate::request::form::Form;
use crate::response::docs_page;

use super::frame;
use super::reader::DocsReader;
use super::try_form::{self, Tried, TryResponse};

/// Where the pages of operations are.
const REFERENCE: &str = "/docs/reference";
/// Maximum size of the form, in bytes, and how much of a response is shown.
const MAX_FORM_BYTES: usize = 256 * 1024;
const MAX_SHOWN_BYTES: usize = 100 * 1024;
/// How long the beginning of a response may take.
const READ_TIMEOUT: Duration = Duration::from_secs(10);
/// The headers of a response that are shown.
const SHOWN_HEADERS: [&str; 4] = ["etag", "link", "location", "retry-after"];

/// Returns what receives the forms on the pages of operations. `api` serves the requests that they describe.
pub(crate) fn forms<A>(api: A) -> impl HttpServiceFactory + use<A>
where
    A: ServiceFactory<ServiceRequest, Config = (), Response = ServiceResponse, Error = ActixError, InitError = ()>
        + 'static,
{
    web::scope(REFERENCE)
        .guard(guard::fn_guard(|context| tried(context.head()).is_some()))
        .default_service(api)
        .wrap(from_fn(try_operation))
}

/// Middleware of the API. A form becomes the request that it describes: with the credential in the form, or else as the
/// person who is signed in.
async fn try_operation(mut request: ServiceRequest, next: Next<BoxBody>) -> Result<ServiceResponse, ActixError> {
    let tried = tried(request.head()).zip(request.app_data::<web::Data<Pages>>().cloned());
    let Some(((page, operation), pages)) = tried else { return next.call(request).await };
    let (reader, form) = match begin(&mut request).await {
        Ok(begun) => begun,
        Err(error) => return Ok(request.into_response(error.error_response())),
    };
    let shown = |status, tried| match frame::page(&pages, page, reader.as_ref(), tried) {
        Ok(html) => docs_page(status, html),
        Err(error) => PageError::from(error).error_response(),
    };
    let sent = match try_form::request(operation, &form) {
        Ok(sent) => sent,
        Err(message) => {
            let tried = Tried { form: Some(form), error: Some(message), response: None };
            return Ok(request.into_response(shown(StatusCode::UNPROCESSABLE_ENTITY, tried)));
        }
    };
    let _slot = match forward(&mut request, sent).await {
        Ok(slot) => slot,
        Err(error) => return Ok(request.into_response(PageError::from(error).error_response())),
    };
    // The API uses the caller instead of a credential.
    if let Some(reader) = reader.as_ref().filter(|_| try_form::credential(&form).is_none()) {
        let mut known = steward_web::frame(&request);
        (known.holder, known.caller) = (Some(reader.caller.identity.holder().into()), Some(reader.caller.clone()));
    }

    let (request, received) = next.call(request).await?.into_parts();
    let logged = received.extensions().get::<LoggedError>().cloned();
    let status = received.status();
    let tried = Tried { form: Some(form), error: None, response: Some(read(received).await) };
    let is_error = status.is_client_error() || status.is_server_error();
    let mut response = shown(if is_error { status } else { StatusCode::OK }, tried);
    if let Some(error) = logged {
        response.extensions_mut().insert(error);
    }
    Ok(ServiceResponse::new(request, response))
}

/// Returns the page and the operation that a request tries.
fn tried(request: &RequestHead) -> Option<(&'static Page, &'static Operation)> {
    let path = request.uri.path().strip_prefix("/docs/").filter(|_| request.method == Method::POST)?;
    let page = site().page(path.trim_end_matches('/'))?;
    Some((page, page.operation.as_ref()?))
}

/// Returns the reader, if one is signed in, and the form, after its origin is checked.
async fn begin(request: &mut ServiceRequest) -> Result<(Option<DocsReader>, Form), PageError> {
    let browser = Browser::from_request(request.request(), &mut Payload::None).await?;
    let mut payload = request.take_payload();
    let form = Form::read(request.request(), &mut payload, MAX_FORM_BYTES).await?;
    let (own_form, own_site) = (browser.check(&form), browser.check_site());
    let reader = DocsReader::of(browser, request.request()).await;
    match &reader {
        Some(_) => own_form?,
        None => own_site?,
    }
    Ok((reader, form))
}

/// Reads the beginning of a response.
async fn read(received: HttpResponse) -> TryResponse {
    let status = received.status().to_string();
    let text = |value: &HeaderValue| String::from_utf8_lossy(value.as_bytes()).into_owned();
    let headers =
        SHOWN_HEADERS.iter().flat_map(|name| received.headers().get_all(*name).map(move |value| (name, text(value))));
    let headers = headers.map(|(name, value)| (name.to_string(), value)).collect();
    let mut body = pin!(received.into_body());
    let mut bytes = Vec::new();
    let reading = async {
        while bytes.len() <= MAX_SHOWN_BYTES {
            match poll_fn(|context| Pin::new(&mut body).as_mut().poll_next(context)).await {
                Some(Ok(chunk)) => bytes.extend_from_slice(&chunk),
                Some(Err(_)) => return Some("The response failed."),
                None => return None,
            }
        }
        Some("The response is longer.")
    };
    let cut = timeout(READ_TIMEOUT, reading).await.unwrap_or(Some("The response takes longer."));
    bytes.truncate(MAX_SHOWN_BYTES);
    let json = serde_json::from_slice::<Value>(&bytes).and_then(|value| serde_json::to_string_pretty(&value));
    let json = json.ok().filter(|json| json.len() <= MAX_SHOWN_BYTES);
    let body = json.unwrap_or_else(|| String::from_utf8_lossy(&bytes).into_owned());
    TryResponse { status, headers, body, cut }
}
