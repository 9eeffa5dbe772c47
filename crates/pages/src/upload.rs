//! Forms with a file (RFC 7578), read as they arrive and only up to a maximum size.

use std::time::Duration;

use actix_multipart::Multipart;
use actix_web::HttpRequest;
use actix_web::dev::Payload;
use actix_web::http::StatusCode;
use actix_web::http::header::CONTENT_TYPE;
use actix_web::rt::time::timeout;
use futures_util::StreamExt as _;
use futures_util::future::{FutureExt as _, LocalBoxFuture};

use crate::error::PageError;
use crate::form::{Form, MAX_FIELDS};

/// Maximum time for a form to arrive.
const READ_TIMEOUT: Duration = Duration::from_secs(120);
/// Maximum number of bytes of a form that is too large that are read and discarded, so that the browser shows the
/// response.
const MAX_DRAINED_BYTES: usize = 8 * 1024 * 1024;
const INVALID: PageError = PageError::InvalidForm(StatusCode::BAD_REQUEST);

/// A form with a file.
pub(crate) struct Upload {
    /// All fields except the file.
    pub form: Form,
    /// The content of the file; `None` if none was chosen.
    pub file: Option<Vec<u8>>,
    /// Whether the form was larger than its limit. The fields that exceed it are missing.
    pub is_too_large: bool,
}

impl Upload {
    /// Reads a form from the body of a request. Its values may have `max_bytes` in total.
    pub(crate) fn read(
        request: &HttpRequest,
        payload: &mut Payload,
        max_bytes: usize,
    ) -> LocalBoxFuture<'static, Result<Self, PageError>> {
        let media_type = request.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
        let is_multipart = media_type.to_ascii_lowercase().starts_with("multipart/form-data");
        let (headers, payload) = (request.headers().clone(), payload.take());
        async move {
            if !is_multipart {
                return Err(PageError::InvalidForm(StatusCode::UNSUPPORTED_MEDIA_TYPE));
            }
            let received = timeout(READ_TIMEOUT, receive(Multipart::new(&headers, payload), max_bytes)).await;
            received.unwrap_or(Err(INVALID))
        }
        .boxed_local()
    }
}

async fn receive(mut parts: Multipart, max_bytes: usize) -> Result<Upload, PageError> {
    let (mut fields, mut file, mut received) = (Vec::new(), None, 0_usize);
    while let Some(part) = parts.next().await {
        let mut part = part.map_err(|_| INVALID)?;
        // Empty fields do not count as received.
        if fields.len() >= MAX_FIELDS {
            return Err(PageError::InvalidForm(StatusCode::PAYLOAD_TOO_LARGE));
        }
        let disposition = part.content_disposition();
        let file_name = disposition.and_then(|disposition| disposition.get_filename()).map(str::to_owned);
        let name = disposition.and_then(|disposition| disposition.get_name()).unwrap_or_default().to_owned();
        let mut value = Vec::new();
        received = received.saturating_add(name.len());
        while let Some(chunk) = part.next().await {
            let chunk = chunk.map_err(|_| INVALID)?;
            received = received.saturating_add(chunk.len());
            if received > max_bytes.saturating_add(MAX_DRAINED_BYTES) {
                return Err(PageError::InvalidForm(StatusCode::PAYLOAD_TOO_LARGE));
            }
            if received <= max_bytes {
                value.extend_from_slice(&chunk);
            }
        }
        if received > max_bytes {
            continue;
        }
        match file_name.as_deref() {
            None => fields.push((name, String::from_utf8(value).map_err(|_| INVALID)?)),
            // Browsers send an empty file without a name if none is chosen.
            Some("") if value.is_empty() => {}
            Some(_) => file = Some(value),
        }
    }
    Ok(Upload { form: Form::of_fields(fields), file, is_too_large: received > max_bytes })
}
