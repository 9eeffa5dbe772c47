//! Uploads: one file in a multipart form (RFC 7578), read as it arrives and never beyond what it may hold.

use std::cell::Cell;
use std::future::{Ready, ready};
use std::rc::Rc;
use std::time::Duration;

use actix_multipart::{Multipart, MultipartError};
use actix_web::dev::Payload;
use actix_web::error::PayloadError;
use actix_web::http::header::HeaderMap;
use actix_web::rt::time::timeout;
use actix_web::web::Bytes;
use actix_web::{FromRequest, HttpRequest};
use futures_util::stream::{self, Stream, StreamExt as _};
use steward_domain::error::Error;
use steward_domain::model::{ImageError, ImageUse};

use crate::body::media_type;
use crate::error::{ApiError, RequestError};

/// The field that the file is in.
const FIELD: &str = "file";
/// How much more than the file may come: boundaries, the heads of the fields, other fields.
pub(crate) const MULTIPART_OVERHEAD: usize = 64 * 1024;
/// How much of a form that is too large is read and dropped, so that its sender gets to read the answer.
const MAX_DRAINED_BYTES: usize = 8 * 1024 * 1024;
/// How long a form may take to arrive.
pub(crate) const READ_TIMEOUT: Duration = Duration::from_secs(120);

/// A form that is on its way. Nothing of it is read until somebody wants the file.
pub(crate) struct Upload {
    media_type: String,
    headers: HeaderMap,
    payload: Payload,
}

impl FromRequest for Upload {
    type Error = ApiError;
    type Future = Ready<Result<Self, ApiError>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let (media_type, headers) = (media_type(request), request.headers().clone());
        ready(Ok(Self { media_type, headers, payload: payload.take() }))
    }
}

impl Upload {
    /// Receives the file.
    pub(crate) async fn file(self, used_as: ImageUse) -> Result<Vec<u8>, ApiError> {
        timeout(READ_TIMEOUT, self.received(used_as)).await.map_err(|_| RequestError::BodyTooSlow)?
    }

    async fn received(self, used_as: ImageUse) -> Result<Vec<u8>, ApiError> {
        if self.media_type != "multipart/form-data" {
            drain(self.payload).await;
            return Err(RequestError::NotMultipartType.into());
        }
        let most = used_as.most_bytes();
        let too_large = || ApiError::from(Error::from(ImageError::TooLarge(used_as)));
        let is_beyond = Rc::new(Cell::new(false));
        let error = |error: MultipartError| match error {
            _ if is_beyond.get() => too_large(),
            MultipartError::Payload(PayloadError::Overflow) => {
                RequestError::NotMultipart("it does not begin with the boundary, or a head in it is too long".into())
                    .into()
            }
            other => RequestError::NotMultipart(other.to_string()).into(),
        };

        let mut form = Multipart::new(
            &self.headers,
            at_most(self.payload, most.saturating_add(MULTIPART_OVERHEAD), is_beyond.clone()),
        );
        let (mut files, mut several) = (None, false);
        while let Some(field) = form.next().await {
            let mut field = field.map_err(error)?;
            if field.name() == Some(FIELD) && files.is_none() {
                let bytes = field.bytes(most).await.map_err(|_| too_large())?;
                files = Some(bytes.map_err(error)?);
            } else {
                several |= field.name() == Some(FIELD);
                while let Some(piece) = field.next().await {
                    piece.map_err(error)?;
                }
            }
        }

        let file = files.ok_or_else(|| Error::invalid(FIELD, "is missing; send the image in a field of this name"))?;
        if several {
            return Err(Error::invalid(FIELD, "stands in the form more than once; send one image").into());
        }
        Ok(file.into())
    }
}

/// The payload up to so many bytes. Then it fails, and `is_beyond` tells that this is why: the reader of forms has bounds of
/// its own. What a Content-Length says is not believed.
fn at_most(
    payload: Payload,
    most: usize,
    is_beyond: Rc<Cell<bool>>,
) -> impl Stream<Item = Result<Bytes, PayloadError>> {
    stream::try_unfold((payload, most, is_beyond), |(mut payload, room, is_beyond)| async move {
        let Some(piece) = payload.next().await.transpose()? else { return Ok(None) };
        match room.checked_sub(piece.len()) {
            Some(room) => Ok(Some((piece, (payload, room, is_beyond)))),
            None => {
                is_beyond.set(true);
                drain(payload).await;
                Err(PayloadError::Overflow)
            }
        }
    })
}

async fn drain(mut payload: Payload) {
    let mut seen = 0_usize;
    while let Some(Ok(piece)) = payload.next().await {
        seen = seen.saturating_add(piece.len());
        if seen > MAX_DRAINED_BYTES {
            break;
        }
    }
}
