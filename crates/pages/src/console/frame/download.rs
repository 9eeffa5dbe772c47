//! Downloads that are read in chunks. Only one chunk at a time is in memory, no database connection is held between two
//! chunks, and the session is read again for each of them, so that a download stops when the person loses access or
//! signs out. One that fails is cut off, so that it never looks complete.

use actix_web::http::header::{CACHE_CONTROL, CONTENT_DISPOSITION, REFERRER_POLICY};
use actix_web::web::Data;
use actix_web::{HttpResponse, HttpResponseBuilder};
use steward_domain::Steward;
use steward_domain::identity::Session;
use steward_domain::kernel::error::{AuthenticationError, Error};
use steward_domain::kernel::policy::Conditions;
use steward_domain::kernel::{Caller, Request};
use steward_web::chunked;

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
    let reader = Reader::of(signed);
    let request_id = reader.request.id.clone();
    let next = async move |source: S| {
        let caller = reader.reauthenticate().await?;
        source.next_chunk(&reader.pages.steward, &caller).await
    };
    Ok(headers(name, media_type).streaming(chunked(request_id, "The download", first, rest, next)))
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
}
