//! Forms with a file (RFC 7578), read as they arrive and only up to a maximum size.

use actix_multipart::Multipart;
use actix_web::HttpRequest;
use actix_web::dev::Payload;
use actix_web::http::StatusCode;
use actix_web::http::header::{CONTENT_TYPE, HeaderMap};
use actix_web::rt::time::timeout;
use futures_util::StreamExt as _;
use futures_util::future::{FutureExt as _, LocalBoxFuture};
use steward_web::{MAX_DRAINED_BYTES, UPLOAD_READ_TIMEOUT};

use crate::error::PageError;
use crate::request::form::{Form, MAX_FIELDS};

const INVALID: PageError = PageError::InvalidForm(StatusCode::BAD_REQUEST);

/// Maximum size of the fields of a form with a file, in bytes.
const MAX_FIELD_BYTES: usize = 64 * 1024;

/// Receives the content of a file while it arrives.
pub(crate) trait FileSink {
    /// Receives the next bytes of the file, which is chosen even if it is empty. `before`: the fields of the form that
    /// precede the file.
    async fn write(&mut self, before: &Form, bytes: &[u8]) -> Result<(), PageError>;
}

/// The fields of a form with a file.
pub(crate) struct Fields {
    /// All fields except the file.
    pub form: Form,
    /// Whether the fields were larger than their limit. Those that exceed it are missing.
    pub is_too_large: bool,
}

impl Fields {
    /// Reads a form from the body of a request, of which the fields may have `max_bytes` in total, and the file goes to
    /// `sink`. Its time is not limited.
    pub(crate) async fn receive(
        headers: &HeaderMap,
        payload: Payload,
        max_bytes: usize,
        sink: &mut impl FileSink,
    ) -> Result<Self, PageError> {
        let media_type = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
        if !media_type.to_ascii_lowercase().starts_with("multipart/form-data") {
            return Err(PageError::InvalidForm(StatusCode::UNSUPPORTED_MEDIA_TYPE));
        }
        let (mut parts, mut form, mut received) = (Multipart::new(headers, payload), Form::default(), 0_usize);
        while let Some(part) = parts.next().await {
            let mut part = part.map_err(|_| INVALID)?;
            // Empty fields do not count as received.
            if form.len() >= MAX_FIELDS {
                return Err(PageError::InvalidForm(StatusCode::PAYLOAD_TOO_LARGE));
            }
            let disposition = part.content_disposition();
            let file_name = disposition.and_then(|disposition| disposition.get_filename()).map(str::to_owned);
            if let Some(name) = file_name {
                // Browsers send an empty file without a name if none is chosen.
                if !name.is_empty() {
                    sink.write(&form, &[]).await?;
                }
                while let Some(chunk) = part.next().await {
                    sink.write(&form, &chunk.map_err(|_| INVALID)?).await?;
                }
                continue;
            }
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
            if received <= max_bytes {
                form.add(name, String::from_utf8(value).map_err(|_| INVALID)?);
            }
        }
        Ok(Self { form, is_too_large: received > max_bytes })
    }
}

/// A form with a small file.
pub(crate) struct Upload {
    /// All fields except the file.
    pub form: Form,
    /// The content of the file; `None` if none was chosen.
    pub file: Option<Vec<u8>>,
    /// Whether the file or the fields were larger than their limit. What exceeds it is missing.
    pub is_too_large: bool,
}

impl Upload {
    /// Reads a form with a file of at most `max_bytes` from the body of a request.
    pub(crate) fn read(
        request: &HttpRequest,
        payload: &mut Payload,
        max_bytes: usize,
    ) -> LocalBoxFuture<'static, Result<Self, PageError>> {
        let (headers, payload) = (request.headers().clone(), payload.take());
        async move {
            let mut file = SmallFile { bytes: None, received: 0, max_bytes };
            let fields = Fields::receive(&headers, payload, MAX_FIELD_BYTES, &mut file);
            let Fields { form, is_too_large } = timeout(UPLOAD_READ_TIMEOUT, fields).await.unwrap_or(Err(INVALID))?;
            let is_too_large = is_too_large || file.received > max_bytes;
            Ok(Self { form, file: file.bytes, is_too_large })
        }
        .boxed_local()
    }
}

/// A file that is kept in memory up to its maximum size.
struct SmallFile {
    bytes: Option<Vec<u8>>,
    received: usize,
    max_bytes: usize,
}

impl FileSink for SmallFile {
    async fn write(&mut self, _before: &Form, bytes: &[u8]) -> Result<(), PageError> {
        let file = self.bytes.get_or_insert_default();
        self.received = self.received.saturating_add(bytes.len());
        if self.received > self.max_bytes.saturating_add(MAX_DRAINED_BYTES) {
            return Err(PageError::InvalidForm(StatusCode::PAYLOAD_TOO_LARGE));
        }
        if self.received <= self.max_bytes {
            file.extend_from_slice(bytes);
        }
        Ok(())
    }
}
