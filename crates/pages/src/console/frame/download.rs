//! Downloads that are read in chunks. Only one chunk at a time is in memory, no database connection is held between two
//! chunks, and the session is read again for each of them, so that a download stops when the person loses access or
//! signs out. One that fails is cut off, so that it never looks complete.

use actix_web::http::header::{CACHE_CONTROL, CONTENT_DISPOSITION, REFERRER_POLICY};
use actix_web::web::{Bytes, Data};
use actix_web::{HttpResponse, HttpResponseBuilder};
use futures_util::stream::{self, Stream};
use steward_domain::error::{AuthenticationError, Error};
use steward_domain::model::{Caller, Request, Session};
use steward_domain::policy::{Conditions, Lane};
use steward_domain::usecases::{Steward, retry_access_changed};
use steward_domain::work::Work;

use crate::Pages;

use super::signed::Signed;

/// Produces the chunks of a download.
pub(crate) trait Source: Clone + 'static {
    /// Returns the next chunk for a caller who was just authenticated, and the source of the remaining chunks. `None`
    /// if this was the last chunk.
    async fn next_chunk(self, steward: &Steward, caller: &Caller) -> Result<(Vec<u8>, Option<Self>), Error>;
}

/// Returns a file. Its first chunk is read before the response starts, so that a refused request gets an error page.
pub(crate) async fn download<S: Source>(
    signed: Signed,
    name: &str,
    media_type: &'static str,
    source: S,
) -> Result<HttpResponse, Error> {
    let (first, rest) = source.next_chunk(signed.steward(), &signed.caller).await?;
    if signed.is_head() {
        return Ok(headers(name, media_type).finish());
    }
    let work = Work { lane: Lane::Heavy, ..Work::current() };
    Ok(headers(name, media_type).streaming(body(signed, work, first, rest)))
}

/// Returns a response that the browser stores as a file.
pub(crate) fn headers(name: &str, media_type: &'static str) -> HttpResponseBuilder {
    let mut response = HttpResponse::Ok();
    response
        .content_type(media_type)
        .insert_header((CONTENT_DISPOSITION, format!("attachment; filename=\"{name}\"")))
        .insert_header((CACHE_CONTROL, "no-store"))
        .insert_header((REFERRER_POLICY, "no-referrer"));
    response
}

fn body<S: Source>(
    signed: Signed,
    work: Work,
    first: Vec<u8>,
    rest: Option<S>,
) -> impl Stream<Item = Result<Bytes, Error>> {
    let reader = Reader::of(signed);
    stream::try_unfold((reader, Some(first), rest), move |(reader, written, rest)| async move {
        let (chunk, rest) = match (written, rest) {
            (Some(first), rest) => (first, rest),
            (None, None) => return Ok(None),
            (None, Some(source)) => {
                let next = work.scope(reader.next_chunk(source)).await;
                next.inspect_err(|error| reader.record_truncation(error))?
            }
        };
        Ok(Some((Bytes::from(chunk), (reader, None, rest))))
    })
}

/// The person who reads a download.
struct Reader {
    pages: Data<Pages>,
    /// The session with which the download began.
    session: Session,
    /// The conditions of the page.
    conditions: Conditions,
    request: Request,
}

impl Reader {
    fn of(signed: Signed) -> Self {
        let Signed { browser, signed_in, .. } = signed;
        let (pages, conditions, request) = (browser.pages, browser.conditions, browser.request);
        Self { pages, session: signed_in.session, conditions, request }
    }

    /// Fails if the session has ended, the password was changed, the account was disabled, or no longer meets the
    /// conditions of the page. The token of the browser is not compared: when the person confirms the password in
    /// another tab, the session gets a new one.
    async fn reauthenticate(&self) -> Result<Caller, Error> {
        let steward = &self.pages.steward;
        let signed_in = steward.sessions.reload(&self.session).await?.ok_or(AuthenticationError::Missing)?;
        steward.accounts.check_conditions(self.conditions, &signed_in)?;
        let caller = Caller::signed_in(&signed_in, self.request.clone(), steward.clock.now());
        // The download was confirmed when it began.
        Ok(Caller { must_confirm: false, ..caller })
    }

    /// Returns the next chunk for the person, whose session is read again.
    async fn next_chunk<S: Source>(&self, source: S) -> Result<(Vec<u8>, Option<S>), Error> {
        retry_access_changed(async || {
            let caller = self.reauthenticate().await?;
            source.clone().next_chunk(&self.pages.steward, &caller).await
        })
        .await
    }

    fn record_truncation(&self, error: &Error) {
        let (request_id, code) = (&self.request.id, error.code().as_str());
        // The message of the error omits the cause, and may contain personal data.
        let cause = error.cause().map(|cause| format!("{cause:#}"));
        tracing::warn!(request_id, error = code, cause, "The download was cut off because of an error.");
    }
}
