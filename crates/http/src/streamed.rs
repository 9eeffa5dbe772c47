//! Responses that are written as they are read: lists without a limit, exports and logs, in memory for one piece. No
//! connection to the database is held between two pieces, and the reader is authenticated and authorized anew for each, so
//! that a stream ends with the authority it began with. A stream that fails is cut off: it never looks complete.

use std::sync::Arc;

use actix_web::http::Method;
use actix_web::http::header::ORIGIN;
use actix_web::web::Bytes;
use actix_web::{HttpRequest, HttpResponse, HttpResponseBuilder, web};
use futures_util::stream::{self, Stream};
use serde::Serialize;
use steward_domain::error::{AuthenticationError, Error};
use steward_domain::model::{Caller, Cursor, Page, PageRequest, PageSize, Request};
use steward_domain::policy::Lane;
use steward_domain::usecases::Steward;
use steward_domain::work::Work;

use crate::Api;
use crate::answer;
use crate::error::ApiError;
use crate::extract::Authenticated;
use crate::extract::caller::{credential, described};

/// What a streamed response is made of.
pub(crate) trait Source: Sized + 'static {
    /// The next piece of the body for a reader who was just authenticated, and what remains after it.
    async fn piece(self, steward: &Arc<Steward>, caller: Option<Caller>) -> Result<(Vec<u8>, Option<Self>), Error>;
}

/// Who reads a streamed response.
pub(crate) struct Reader {
    steward: Arc<Steward>,
    credential: Option<String>,
    from_browser: bool,
    request: Request,
    is_head: bool,
}

impl Reader {
    /// Whoever sent the request.
    pub(crate) fn of(request: &HttpRequest, api: &web::Data<Api>) -> Result<Self, ApiError> {
        Ok(Self {
            steward: api.steward.clone(),
            credential: credential(request)?,
            from_browser: request.headers().contains_key(ORIGIN),
            request: described(request),
            is_head: request.method() == Method::HEAD,
        })
    }

    /// The caller, if the credential is still valid; `None` if there is none.
    async fn again(&self) -> Result<Option<Caller>, Error> {
        let Some(credential) = &self.credential else { return Ok(None) };
        let caller = self.steward.authentication.bearer(credential, self.from_browser, self.request.clone()).await?;
        Ok(Some(caller))
    }

    /// The response: the first piece, which is written already, and then what remains. All but the first piece is work of
    /// the heavy lane.
    pub(crate) fn respond<S: Source>(
        self,
        mut response: HttpResponseBuilder,
        first: Vec<u8>,
        rest: Option<S>,
    ) -> HttpResponse {
        if self.is_head {
            return response.streaming(stream::empty::<Result<Bytes, Error>>());
        }
        let work = Work { lane: Lane::Heavy, ..Work::current() };
        response.streaming(self.body(work, first, rest))
    }

    fn body<S: Source>(self, work: Work, first: Vec<u8>, rest: Option<S>) -> impl Stream<Item = Result<Bytes, Error>> {
        stream::try_unfold((self, Some(first), rest), move |(reader, written, rest)| async move {
            let (piece, rest) = match (written, rest) {
                (Some(first), rest) => (first, rest),
                (None, None) => return Ok(None),
                (None, Some(source)) => {
                    let next = work.scope(reader.piece(source)).await;
                    next.inspect_err(|error| reader.record_truncation(error))?
                }
            };
            Ok(Some((Bytes::from(piece), (reader, None, rest))))
        })
    }

    async fn piece<S: Source>(&self, source: S) -> Result<(Vec<u8>, Option<S>), Error> {
        let caller = self.again().await?;
        source.piece(&self.steward, caller).await
    }

    fn record_truncation(&self, error: &Error) {
        let request_id = &self.request.id;
        tracing::warn!(request_id, %error, "a streamed response is cut off");
    }
}

/// The caller of a piece that only callers with a credential get.
pub(crate) fn known(caller: Option<Caller>) -> Result<Caller, Error> {
    caller.ok_or_else(|| AuthenticationError::Missing.into())
}

/// Appends the members of a JSON array that was opened before, in this piece or an earlier one.
pub(crate) fn push_members<T: Serialize>(
    text: &mut Vec<u8>,
    members: impl IntoIterator<Item = T>,
) -> Result<(), Error> {
    for member in members {
        if text.last() != Some(&b'[') {
            text.push(b',');
        }
        push(text, &member)?;
    }
    Ok(())
}

/// Appends a value as JSON.
pub(crate) fn push(text: &mut Vec<u8>, value: &impl Serialize) -> Result<(), Error> {
    serde_json::to_writer(text, value).map_err(|error| Error::Internal(error.into()))
}

/// A list: a page of it where there is a limit, else all of it (contract 1.10, 1.15).
pub(crate) async fn list<T, B, R, W>(
    api: &web::Data<Api>,
    caller: &Authenticated,
    request: &HttpRequest,
    wanted: PageRequest,
    read: R,
    shown: W,
) -> Result<HttpResponse, ApiError>
where
    T: 'static,
    B: Serialize + 'static,
    R: AsyncFn(Arc<Steward>, Caller, PageRequest) -> Result<Page<T>, Error> + 'static,
    W: Fn(T) -> B + 'static,
{
    let is_whole = wanted.limit.is_none();
    let size = if is_whole { PageSize::PIECE } else { wanted.size };
    let mut page = read(api.steward.clone(), caller.0.clone(), PageRequest { size, ..wanted }).await?;
    let Some(after) = page.next.take_if(|_| is_whole) else { return Ok(answer::listed(request, page, shown)) };

    let mut text = b"{\"data\":[".to_vec();
    let rows = page.items.len();
    push_members(&mut text, page.items.into_iter().map(&shown))?;
    let rest = List { read, shown, after, rows };
    Ok(Reader::of(request, api)?.respond(answer::json_builder(), text, Some(rest)))
}

/// What remains of a list.
struct List<R, W> {
    read: R,
    shown: W,
    after: Cursor,
    /// How many rows the piece before had.
    rows: usize,
}

impl<T, B, R, W> Source for List<R, W>
where
    T: 'static,
    B: Serialize + 'static,
    R: AsyncFn(Arc<Steward>, Caller, PageRequest) -> Result<Page<T>, Error> + 'static,
    W: Fn(T) -> B + 'static,
{
    async fn piece(mut self, steward: &Arc<Steward>, caller: Option<Caller>) -> Result<(Vec<u8>, Option<Self>), Error> {
        let wanted =
            PageRequest { limit: None, after: Some(self.after.clone()), size: PageSize::after_piece_of(self.rows) };
        let page = (self.read)(steward.clone(), known(caller)?, wanted).await?;
        let mut text = Vec::new();
        self.rows = page.items.len();
        push_members(&mut text, page.items.into_iter().map(&self.shown))?;
        match page.next {
            Some(after) => {
                self.after = after;
                Ok((text, Some(self)))
            }
            None => {
                text.extend_from_slice(b"]}");
                Ok((text, None))
            }
        }
    }
}
