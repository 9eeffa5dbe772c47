//! Who sits at the browser, and whether a form that comes back was shown there.

use actix_web::dev::Payload;
use actix_web::http::header::{HeaderName, USER_AGENT};
use actix_web::{FromRequest, HttpMessage as _, HttpRequest, web};
use futures_util::future::{FutureExt as _, LocalBoxFuture};
use steward_domain::error::Error;
use steward_domain::model::{OpaqueKind, Request, Secret, SignedIn};
use steward_domain::usecases::Authenticated;

use crate::error::PageError;
use crate::form::Form;
use crate::{Pages, known_browser_cookie};

const SEC_FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

/// A browser, known by the token in its cookie. One that has none gets one with the first form it is shown.
pub(crate) struct Browser {
    pub pages: web::Data<Pages>,
    pub request: Request,
    pub token: Secret,
    /// Whether it is told its token with this answer.
    pub is_new: bool,
    pub signed_in: Option<SignedIn>,
    pub user_agent: String,
    /// The cookie that says to which accounts it signed in before; empty without one.
    pub known: Secret,
    is_cross_site: bool,
}

impl FromRequest for Browser {
    type Error = PageError;
    type Future = LocalBoxFuture<'static, Result<Self, PageError>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        let request = request.clone();
        async move {
            let pages = request.app_data::<web::Data<Pages>>().cloned();
            let unconfigured = || Error::Internal(std::io::Error::other("the pages are not configured").into());
            let pages = pages.ok_or_else(unconfigured)?;
            let known = request.cookie(known_browser_cookie(pages.steward.address.is_https()));
            let sent = request.cookie(pages.browser_cookie);
            let sent = sent.and_then(|cookie| OpaqueKind::Browser.parse(cookie.value()));
            let signed_in = match &sent {
                Some(token) => pages.steward.sessions.current(token).await?,
                None => None,
            };
            let text = |name| request.headers().get(name).and_then(|value| value.to_str().ok()).unwrap_or_default();
            let (site, user_agent) = (text(SEC_FETCH_SITE), text(USER_AGENT).to_owned());
            let nameless = || Request { id: String::new(), address: None, claim: None };
            Ok(Self {
                request: request.extensions().get::<Request>().cloned().unwrap_or_else(nameless),
                is_new: sent.is_none(),
                token: sent.unwrap_or_else(|| pages.steward.sessions.new_browser()),
                signed_in,
                user_agent,
                known: Secret::new(known.map(|cookie| cookie.value().to_owned()).unwrap_or_default()),
                is_cross_site: !matches!(site, "" | "same-origin" | "none"),
                pages,
            })
        }
        .boxed_local()
    }
}

impl Browser {
    /// What its forms must send back.
    pub(crate) fn csrf(&self) -> String {
        self.pages.steward.sessions.form_token(&self.token)
    }

    /// The cookie by which it is known to have signed in to the account.
    pub(crate) fn remembered(&self, authenticated: &Authenticated) -> Result<Secret, Error> {
        self.pages.steward.accounts.remember_browser(authenticated, self.known.expose())
    }

    /// Refuses a form that another site made the browser send, or that was shown before somebody signed in or out. What
    /// the form must hold follows from the cookie, which no other site can read.
    pub(crate) fn check(&self, form: &Form) -> Result<(), PageError> {
        let same = !self.is_new && form.text("csrf") == self.csrf();
        if same && !self.is_cross_site { Ok(()) } else { Err(PageError::ForeignForm) }
    }
}
