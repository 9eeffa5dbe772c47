//! Uploads: one file in a multipart form (RFC 7578), read as it arrives and only up to its maximum size.

use std::cell::Cell;
use std::rc::Rc;

use actix_multipart::{Multipart, MultipartError};
use actix_web::HttpRequest;
use actix_web::dev::Payload;
use actix_web::error::PayloadError;
use actix_web::http::header::HeaderMap;
use actix_web::rt::time::timeout;
use actix_web::web::Bytes;
use futures_util::stream::{self, Stream, StreamExt as _};
use steward_domain::administration::{ImageError, ImageUse};
use steward_domain::kernel::error::Error;
use steward_web::{MAX_DRAINED_BYTES, UPLOAD_READ_TIMEOUT};

use crate::error::{ApiError, RequestError};
use crate::extract::body::media_type;
use crate::extract::encoding::BodyEncoding;

/// Name of the form field with the file.
const FIELD: &str = "file";
/// Maximum size of a form in addition to the file, in bytes: boundaries, field headers, other fields.
pub(crate) const MULTIPART_OVERHEAD: usize = 64 * 1024;

/// A form that is not read yet. It is read by [`Upload::file`].
pub(crate) struct Upload {
    media_type: String,
    encoding: BodyEncoding,
    headers: HeaderMap,
    payload: Payload,
}

impl Upload {
    /// Returns the form in the body of a request.
    pub(crate) fn of(request: &HttpRequest, payload: &mut Payload) -> Self {
        Self {
            media_type: media_type(request),
            encoding: BodyEncoding::of(request),
            headers: request.headers().clone(),
            payload: payload.take(),
        }
    }

    /// Reads the form and returns the file.
    pub(crate) async fn file(self, used_as: ImageUse) -> Result<Vec<u8>, ApiError> {
        timeout(UPLOAD_READ_TIMEOUT, self.receive(used_as)).await.map_err(|_| RequestError::BodyTooSlow)?
    }

    async fn receive(self, used_as: ImageUse) -> Result<Vec<u8>, ApiError> {
        let expected = match self.media_type.as_str() {
            "multipart/form-data" => self.encoding.expect_identity(),
            _ => Err(RequestError::ExpectedMultipart),
        };
        if let Err(error) = expected {
            drain(self.payload).await;
            return Err(error.into());
        }
        let limit = used_as.max_bytes();
        let too_large = || ApiError::from(Error::from(ImageError::TooLarge(used_as)));
        let is_too_large = Rc::new(Cell::new(false));
        let error = |error: MultipartError| match error {
            _ if is_too_large.get() => too_large(),
            MultipartError::Payload(PayloadError::Overflow) => RequestError::InvalidMultipart(
                "the boundary is missing at its start, or a field header is too long".into(),
            )
            .into(),
            other => RequestError::InvalidMultipart(other.to_string()).into(),
        };

        let mut form = Multipart::new(
            &self.headers,
            limited(self.payload, limit.saturating_add(MULTIPART_OVERHEAD), is_too_large.clone()),
        );
        let (mut file, mut is_repeated) = (None, false);
        while let Some(field) = form.next().await {
            let mut field = field.map_err(error)?;
            if field.name() == Some(FIELD) && file.is_none() {
                let bytes = field.bytes(limit).await.map_err(|_| too_large())?;
                file = Some(bytes.map_err(error)?);
            } else {
                is_repeated |= field.name() == Some(FIELD);
                while let Some(chunk) = field.next().await {
                    chunk.map_err(error)?;
                }
            }
        }

        let file =
            file.ok_or_else(|| Error::invalid(FIELD, "is missing. Send the image in a form field with this name"))?;
        if is_repeated {
            return Err(Error::invalid(FIELD, "must not be repeated. Send one image").into());
        }
        Ok(file.into())
    }
}

/// Limits the size of the payload. Beyond the limit the stream fails and sets `is_too_large`, which distinguishes this
/// limit from those of the form parser. Content-Length is not trusted.
fn limited(
    payload: Payload,
    limit: usize,
    is_too_large: Rc<Cell<bool>>,
) -> impl Stream<Item = Result<Bytes, PayloadError>> {
    stream::try_unfold((payload, limit, is_too_large), |(mut payload, remaining, is_too_large)| async move {
        let Some(chunk) = payload.next().await.transpose()? else { return Ok(None) };
        match remaining.checked_sub(chunk.len()) {
            Some(remaining) => Ok(Some((chunk, (payload, remaining, is_too_large)))),
            None => {
                is_too_large.set(true);
                drain(payload).await;
                Err(PayloadError::Overflow)
            }
        }
    })
}

async fn drain(mut payload: Payload) {
    let mut seen = 0_usize;
    while let Some(Ok(chunk)) = payload.next().await {
        seen = seen.saturating_add(chunk.len());
        if seen > MAX_DRAINED_BYTES {
            break;
        }
    }
}
