//! The person who is signed in, as the caller of use cases, and the responses that they get.

use actix_web::dev::Payload;
use actix_web::http::{Method, StatusCode};
use actix_web::{FromRequest, HttpMessage as _, HttpRequest};
use askama::Template;
use futures_util::future::{FutureExt as _, LocalBoxFuture};
use steward_domain::Steward;
use steward_domain::identity::{AuthenticationProof, Session, SignedIn};
use steward_domain::kernel::error::{AuthenticationError, Cause, Error, ResourceKind};
use steward_domain::kernel::policy::Operation;
use steward_domain::kernel::work::{Tenant, Work};
use steward_domain::kernel::{Caller, Issued, ProjectId, Secret, TeamId};

use crate::error::{PageError, PageResult};
use crate::request::browser::Browser;
use crate::request::cookie::{FLASH, flash, with_flash};
use crate::response::{console_page, render, see_other};

/// The cookies of a session that was renewed while the request was processed. Stored in the request's extensions.
pub(crate) struct RenewedSession {
    /// The token of the session.
    pub token: Secret,
    /// The value that marks the browser as having signed in to the account.
    pub known: Secret,
}

/// A person who is signed in, whose account meets the conditions that the row of the page states. The session and the
/// account are read from the database with every request, so that the end of a session and a disabled account take
/// effect at once.
pub(crate) struct Signed {
    pub browser: Browser,
    pub signed_in: SignedIn,
    pub caller: Caller,
    /// The message about the last action.
    pub flash: Option<String>,
    request: HttpRequest,
}

impl FromRequest for Signed {
    type Error = PageError;
    type Future = LocalBoxFuture<'static, Result<Self, PageError>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let (browser, request) = (Browser::from_request(request, payload), request.clone());
        async move { Self::of(browser.await?, request) }.boxed_local()
    }
}

impl Signed {
    /// Returns the person who is signed in, or the redirect to the sign-in page. Only a page that was opened is
    /// returned to with its query; a form is shown again without its values.
    pub(crate) fn of(browser: Browser, request: HttpRequest) -> Result<Self, PageError> {
        let signed_in = match browser.person() {
            Ok(Some(signed_in)) => signed_in.clone(),
            Ok(None) => {
                let address = request.uri().path_and_query().filter(|_| request.method() == Method::GET);
                let next = address.map_or_else(|| request.path(), |address| address.as_str()).to_owned();
                return Err(PageError::SignIn { next });
            }
            // The account has one, with which the person signs in again.
            Err(Error::Unauthenticated(AuthenticationError::SecondFactorUnused)) => {
                return Err(PageError::SignIn { next: request.path().to_owned() });
            }
            Err(error) => return Err(error.into()),
        };
        let now = browser.pages.steward.clock.now();
        let caller = Caller::signed_in(&signed_in, browser.request.clone(), now);
        Work::set_tenant(Tenant::Account(signed_in.account.id));
        let flash = flash(&browser.pages, &request);
        Ok(Self { browser, signed_in, caller, flash, request })
    }

    /// Returns the use cases.
    pub(crate) fn steward(&self) -> &Steward {
        &self.browser.pages.steward
    }

    /// Counts an operation that costs more than a request against the rate limit of the person, with the number of
    /// operations of a batch, and gives the request the time of the operation.
    pub(crate) fn begin(&self, operation: Operation, batch: usize) -> Result<(), Error> {
        steward_web::begin_operation(&self.request, operation, batch)
    }

    /// Gives the request time as long as its body arrives, because the body is stored and not kept in memory.
    pub(crate) fn stream_body(&self) -> Result<(), Error> {
        let body = steward_web::frame(&self.request).body.clone();
        body.map_or(Ok(()), |body| body.stream()).map_err(|error| Error::Unavailable(Cause::msg(format!("{error:?}"))))
    }

    /// Returns a parameter of the path; empty if it has none with this name.
    pub(crate) fn parameter(&self, name: &str) -> &str {
        self.request.match_info().get(name).unwrap_or_default()
    }

    /// Returns the ID of the team in the path.
    pub(crate) fn team_id(&self) -> Result<TeamId, PageError> {
        Ok(TeamId::parse(self.parameter("team")).ok_or(Error::NotFound(ResourceKind::Team))?)
    }

    /// Returns the ID of the project in the path.
    pub(crate) fn project_id(&self) -> Result<ProjectId, PageError> {
        Ok(ProjectId::parse(self.parameter("project")).ok_or(Error::NotFound(ResourceKind::Project))?)
    }

    /// Returns the value of a query parameter; empty if it is missing.
    pub(crate) fn query(&self, name: &str) -> String {
        crate::request::form::Form::of_query(&self.request).text(name).to_owned()
    }

    /// Whether the page follows one that showed a secret: see [`Outcome::page`](super::Outcome::page).
    pub(crate) fn follows_secret(&self) -> bool {
        self.query("value") == "shown"
    }

    /// Returns the request's path.
    pub(crate) fn path(&self) -> &str {
        self.request.path()
    }

    /// Whether the request asks for the headers of the response only.
    pub(crate) fn is_head(&self) -> bool {
        self.request.method() == Method::HEAD
    }

    /// Continues the session after the person authenticated again. Its cookie changes.
    pub(crate) async fn renew(&mut self, authenticated: AuthenticationProof) -> Result<(), PageError> {
        let (request, before) = (self.caller.request.clone(), Some(self.signed_in.clone()));
        let authenticated = authenticated.after(&self.signed_in);
        let known = self.browser.remembered(&authenticated)?;
        let sessions = &self.browser.pages.steward.sessions;
        let session = sessions.begin(request, authenticated, &self.browser.user_agent, before).await?;
        self.adopt(session, known);
        Ok(())
    }

    /// Continues with the session that replaces the one of the request. Its cookie is set with the response, and with
    /// it the one that says how the browser has signed in.
    pub(crate) fn adopt(&mut self, session: Issued<Session>, known: Secret) {
        self.request.extensions_mut().insert(RenewedSession { token: session.secret.clone(), known });
        self.browser.token = session.secret;
        self.signed_in.session = session.value;
        let now = self.steward().clock.now();
        self.caller = Caller::signed_in(&self.signed_in, self.caller.request.clone(), now);
    }

    /// Returns a page.
    pub(crate) fn page(&self, view: &impl Template) -> PageResult {
        self.page_with(StatusCode::OK, view)
    }

    /// Returns a page with a status.
    pub(crate) fn page_with(&self, status: StatusCode, view: &impl Template) -> PageResult {
        self.html(status, render(view)?)
    }

    /// Returns a page that is already rendered. The message about the last action is shown once.
    pub(crate) fn html(&self, status: StatusCode, html: String) -> PageResult {
        let response = console_page(status, html);
        match self.flash {
            Some(_) => Ok(FLASH.delete(&self.browser.pages, response)?),
            None => Ok(response),
        }
    }

    /// Redirects to a page of the console, which shows the message. The message MUST NOT contain secrets.
    pub(crate) fn next(&self, address: &str, message: &str) -> PageResult {
        Ok(with_flash(&self.browser.pages, see_other(address), message)?)
    }
}
