//! The browser that sent a request, and the check that a submitted form was shown in this browser.

use actix_web::dev::Payload;
use actix_web::http::header::{HeaderName, USER_AGENT};
use actix_web::{FromRequest, HttpRequest, web};
use futures_util::future::{FutureExt as _, LocalBoxFuture};
use steward_domain::identity::{AuthenticationProof, SignedIn};
use steward_domain::kernel::error::Error;
use steward_domain::kernel::policy::Conditions;
use steward_domain::kernel::{Locale, OpaqueKind, Request, Secret};
use steward_web::{Web, conditions_of, request_metadata};

use crate::Pages;
use crate::error::PageError;
use crate::request::cookie::{DEVICE_REQUEST, EMAIL_CODE, IDENTITY, KNOWN_BROWSER, PENDING_SIGN_IN, PageCookie};
use crate::request::form::Form;
use crate::wording::reader::Reader;

const SEC_FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

/// A browser, identified by the token in its cookie. A browser without a token receives one with its first form.
pub(crate) struct Browser {
    pub pages: web::Data<Pages>,
    pub request: Request,
    pub token: Secret,
    /// Whether the token is new and must be set with the response.
    pub is_new: bool,
    /// The session of the person, also if it counts for a project only. Its account may not meet the conditions of the
    /// page: see [`Browser::person`].
    pub session: Option<SignedIn>,
    /// The conditions that the row of the page states.
    pub conditions: Conditions,
    pub user_agent: String,
    /// Value of the cookie that lists the accounts that signed in here before; empty without the cookie.
    pub known: Secret,
    /// Value of the cookie of a sign-in that waits for the second factor; empty without the cookie.
    pub pending_sign_in: Secret,
    /// Value of the cookie with which the browser enters the code of an email; empty without the cookie.
    pub email_code: Secret,
    /// Value of the cookie of an identity that waits for the person to sign in to its account; empty without the
    /// cookie.
    pub identity: Secret,
    /// The one-time ID of the request of a device whose code was entered in this browser; empty without the cookie.
    pub device_request: Secret,
    is_cross_site: bool,
}

impl FromRequest for Browser {
    type Error = PageError;
    type Future = LocalBoxFuture<'static, Result<Self, PageError>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        let request = request.clone();
        async move {
            let pages = request.app_data::<web::Data<Pages>>().cloned();
            let unconfigured = || Error::Internal(std::io::Error::other("The pages are not configured.").into());
            let pages = pages.ok_or_else(unconfigured)?;
            let cookie = |kind: PageCookie| Secret::new(kind.read(&pages, &request).unwrap_or_default());
            let (known, pending_sign_in) = (cookie(KNOWN_BROWSER), cookie(PENDING_SIGN_IN));
            let (email_code, device_request, identity) = (cookie(EMAIL_CODE), cookie(DEVICE_REQUEST), cookie(IDENTITY));
            let token = request.cookie(pages.browser_cookie);
            let token = token.and_then(|cookie| OpaqueKind::Browser.parse(cookie.value()));
            let session = match &token {
                Some(token) => pages.steward.sessions.current(token).await?,
                None => None,
            };
            let account = session.as_ref().map(|session| session.account.id);
            if let Some(web) = request.app_data::<web::Data<Web>>() {
                web.credentials.record_session(&request, account);
            }
            let text = |name| request.headers().get(name).and_then(|value| value.to_str().ok()).unwrap_or_default();
            let (site, user_agent) = (text(SEC_FETCH_SITE), text(USER_AGENT).to_owned());
            Ok(Self {
                request: in_language(request_metadata(&request)),
                is_new: token.is_none(),
                token: token.unwrap_or_else(|| pages.steward.sessions.new_browser()),
                session,
                conditions: conditions_of(&request),
                user_agent,
                known,
                pending_sign_in,
                email_code,
                identity,
                device_request,
                is_cross_site: !matches!(site, "" | "same-origin" | "none"),
                pages,
            })
        }
        .boxed_local()
    }
}

/// Returns a request with the language of its reader. An authorization request that is read later can change it.
fn in_language(request: Request) -> Request {
    Request { language: Locale::parse(Reader::language().tag), ..request }
}

impl Browser {
    /// Returns the request with the language in which the page is shown by now.
    pub(crate) fn read_request(&self) -> Request {
        in_language(self.request.clone())
    }

    /// Returns the person who is signed in to the whole service.
    ///
    /// # Errors
    ///
    /// Refuses a person whose account does not meet the conditions that the row of the page states.
    pub(crate) fn person(&self) -> Result<Option<&SignedIn>, Error> {
        let Some(signed_in) = self.unlimited_session() else { return Ok(None) };
        self.pages.steward.accounts.check_conditions(self.conditions, signed_in)?;
        Ok(Some(signed_in))
    }

    /// Returns the session of the person, if it counts everywhere. Its account may not meet the conditions of the page.
    pub(crate) fn unlimited_session(&self) -> Option<&SignedIn> {
        self.session.as_ref().filter(|session| session.is_unlimited())
    }

    /// Returns the CSRF token that the forms must contain.
    pub(crate) fn csrf(&self) -> String {
        self.pages.steward.sessions.form_token(&self.token)
    }

    /// Returns the cookie value that marks this browser as having signed in to the account.
    pub(crate) fn remembered(&self, authenticated: &AuthenticationProof) -> Result<Secret, Error> {
        self.pages.steward.accounts.remember_browser(authenticated, self.known.expose())
    }

    /// Rejects a form that another site submitted, or that was shown before the person signed in or out. The expected
    /// token is derived from the cookie, which other sites cannot read.
    pub(crate) fn check(&self, form: &Form) -> Result<(), PageError> {
        let matches = !self.is_new && form.text("csrf") == self.csrf();
        if matches { self.check_site() } else { Err(PageError::ForeignForm) }
    }

    /// Rejects a form that another site submitted. Suffices for a form that does nothing in the name of the person.
    pub(crate) fn check_site(&self) -> Result<(), PageError> {
        if self.is_cross_site { Err(PageError::ForeignForm) } else { Ok(()) }
    }
}
