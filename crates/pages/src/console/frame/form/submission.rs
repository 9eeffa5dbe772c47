//! A submitted form: its protection against other sites, repetition and sessions that someone left open.

use actix_web::dev::Payload;
use actix_web::http::StatusCode;
use actix_web::{FromRequest, HttpRequest, HttpResponse};
use askama::Template;
use futures_util::future::{FutureExt as _, LocalBoxFuture};
use steward_domain::error::{AuthenticationError, Error, ResourceKind};
use steward_domain::model::{AccountId, ApiKeyId, Caller, IdempotencyKey, Login, ProjectId, Request, Secret, TeamId};
use steward_domain::model::{Precondition, Revision};
use steward_domain::policy::Operation;
use steward_domain::usecases::{AuthenticationProof, IdempotencyOutcome, RequestedAccess};
use url::form_urlencoded;

use crate::console::frame::{Crumb, Shell, Signed};
use crate::error::{PageError, sentence};
use crate::form::Form;
use crate::response::with_code;

use super::outcome::{Outcome, Submitted};
use super::state::FormState;

/// Maximum size of a form, in bytes: a schema document is the largest value.
const MAX_BYTES: usize = 1024 * 1024;
/// The fields in which the password, and a code for the second factor, are entered again.
const PASSWORD: &str = "confirm_password";
const CODE: &str = "confirm_code";
/// Fields that differ between repeated submissions of one form.
const VARYING: [&str; 4] = ["csrf", "once", PASSWORD, CODE];

/// A form that a person submitted in this browser. Extracting it checks the CSRF token.
pub(crate) struct Submission {
    pub signed: Signed,
    pub form: Form,
    /// What the form does, for the page that asks for the password.
    action: String,
    /// Why the password that the form contains was refused.
    refused_password: Option<Error>,
}

impl FromRequest for Submission {
    type Error = PageError;
    type Future = LocalBoxFuture<'static, Result<Self, PageError>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let signed = Signed::from_request(request, payload);
        let form = Form::read(request, payload, MAX_BYTES);
        async move {
            let (signed, form) = (signed.await?, form.await?);
            signed.browser.check(&form)?;
            Self::new(signed, form).with_password().await
        }
        .boxed_local()
    }
}

impl Submission {
    /// Returns a form whose CSRF token was checked.
    pub(crate) fn new(signed: Signed, form: Form) -> Self {
        Self { signed, form, action: "Make this change".to_owned(), refused_password: None }
    }

    /// Returns the access that the operation requires, with the IDs in the path.
    pub(crate) fn access(&self, operation: Operation) -> RequestedAccess {
        let of = |name| self.signed.parameter(name);
        RequestedAccess {
            operation,
            team: TeamId::parse(of("team")),
            project: ProjectId::parse(of("project")),
            member: AccountId::parse(of("member")),
            key: ApiKeyId::parse(of("key")),
            key_roles: None,
        }
    }

    /// Returns the condition that the resource was not changed since the form was shown.
    pub(crate) fn precondition(&self) -> Precondition {
        Precondition::Matches(self.form.text("revision").parse().map(Revision).into_iter().collect())
    }

    /// Runs a use case for the form, once: a form that is submitted again, by a double click or by reloading, gets the
    /// first response. `use_case` receives the caller whose change is recorded as the effect of this submission. If it
    /// fails, the form is shown again. The person needs access to the operation, with the IDs in the path.
    pub(crate) async fn run_once(
        &self,
        operation: Operation,
        use_case: impl AsyncFnOnce(&Caller) -> Result<Outcome, Error>,
    ) -> Result<Submitted, PageError> {
        self.run_once_with(self.access(operation), use_case).await
    }

    /// As [`run_once`](Self::run_once), with access to more than the IDs in the path.
    pub(crate) async fn run_once_with(
        &self,
        access: RequestedAccess,
        use_case: impl AsyncFnOnce(&Caller) -> Result<Outcome, Error>,
    ) -> Result<Submitted, PageError> {
        let (caller, idempotency) = (&self.signed.caller, &self.signed.steward().idempotency);
        let key = IdempotencyKey::parse(self.form.text("once"));
        let key = key.map_err(|_| PageError::InvalidForm(StatusCode::BAD_REQUEST))?;
        let claim = match idempotency.begin(caller, &key, &self.fingerprint(), &access).await {
            Ok(IdempotencyOutcome::Claimed(claim)) => claim,
            Ok(IdempotencyOutcome::Answered(stored)) => {
                return Ok(Submitted::Done(Outcome::from_bytes(&stored)?.respond(&self.signed)?));
            }
            Err(error) => return self.refuse(error).await,
        };
        let request = Request { claim: Some(claim), ..caller.request.clone() };
        match use_case(&Caller { request, ..caller.clone() }).await {
            Ok(outcome) => {
                // The change is made. If its response cannot be stored, only a repeated submission does not get it.
                drop(idempotency.answer(claim, &outcome.to_bytes()).await);
                Ok(Submitted::Done(outcome.respond(&self.signed)?))
            }
            Err(error) => {
                drop(idempotency.give_up(claim).await);
                self.refuse(error).await
            }
        }
    }

    /// Returns the first response to a form that already deleted the resource that it is about.
    ///
    /// # Errors
    ///
    /// [`Error::NotFound`] if the form did not delete the resource.
    pub(crate) async fn repeated(&self, operation: Operation, kind: ResourceKind) -> Result<HttpResponse, PageError> {
        let form = match self.run_once(operation, async |_| Err(Error::NotFound(kind))).await? {
            Submitted::Done(response) => return Ok(response),
            Submitted::Refused(form) => form,
        };
        match form.into_refusal() {
            // The form has no first response.
            None | Some(PageError::Failed(Error::Conflict(_))) => Err(Error::NotFound(kind).into()),
            Some(error) => Err(error),
        }
    }

    /// Returns the form with the errors of its use case.
    pub(crate) fn refused(&self, error: Error) -> Result<FormState, PageError> {
        FormState::refused(&self.signed, &self.form, error)
    }

    /// Returns what distinguishes this form from any other one.
    fn fingerprint(&self) -> String {
        let fields = self.form.fields().filter(|(name, _)| !VARYING.contains(name));
        let fields = form_urlencoded::Serializer::new(String::new()).extend_pairs(fields).finish();
        format!("{}\n{fields}", self.signed.path())
    }

    /// Says what the form does, for the page that asks for the password: "Delete the team Acme".
    pub(crate) fn describe(&mut self, action: impl Into<String>) {
        self.action = action.into();
    }

    /// Continues the session with the password that the form contains, if the page that asks for it was submitted.
    async fn with_password(mut self) -> Result<Self, PageError> {
        let Some(password) = self.form.given(PASSWORD).filter(|_| self.signed.caller.must_confirm) else {
            return Ok(self);
        };
        match self.authenticate(Secret::new(password.to_owned())).await {
            Ok(()) => {}
            Err(PageError::Failed(
                error @ (Error::Unauthenticated(
                    AuthenticationError::WrongPassword
                    | AuthenticationError::WrongCode
                    | AuthenticationError::SecondFactorRequired,
                )
                | Error::TooMany { .. }),
            )) => self.refused_password = Some(error),
            Err(error) => return Err(error),
        }
        Ok(self)
    }

    /// Returns the form with the errors of its use case, or the page that asks for the password if the use case requires
    /// it. Its form sends all fields again with the password.
    pub(crate) async fn refuse(&self, error: Error) -> Result<Submitted, PageError> {
        match error {
            Error::Unauthenticated(AuthenticationError::ConfirmationRequired) => {
                Ok(Submitted::Done(self.ask_for_password().await?))
            }
            error => Ok(Submitted::Refused(self.refused(error)?)),
        }
    }

    /// Returns the page that asks for the password, or the error if it is another one.
    pub(crate) async fn unless_confirmed(&self, error: Error) -> Result<HttpResponse, PageError> {
        match error {
            Error::Unauthenticated(AuthenticationError::ConfirmationRequired) => self.ask_for_password().await,
            error => Err(error.into()),
        }
    }

    /// Returns the page that asks for the password. A form that asks already is asked again, with the reason.
    pub(crate) async fn ask_for_password(&self) -> Result<HttpResponse, PageError> {
        let error = self.refused_password.as_ref();
        let fields: Vec<_> = self.form.fields().filter(|(name, _)| !["csrf", PASSWORD, CODE].contains(name)).collect();
        let view = ConfirmPassword {
            shell: self.signed.shell(vec![Crumb::here("Confirm your password")], Vec::new()).await?,
            path: self.signed.path(),
            action: &self.action,
            account: self.signed.signed_in.account.email.as_str(),
            fields: &fields,
            asks_for_code: self.signed.signed_in.has_second_factor,
            error: error.map(|error| match error {
                Error::Unauthenticated(AuthenticationError::WrongPassword) => {
                    "The password is wrong. Try again.".to_owned()
                }
                Error::Unauthenticated(AuthenticationError::SecondFactorRequired) => {
                    "Enter a code in addition to the password.".to_owned()
                }
                error => sentence(error),
            }),
        };
        let status = match error {
            None => StatusCode::OK,
            Some(Error::TooMany { .. }) => StatusCode::TOO_MANY_REQUESTS,
            Some(_) => StatusCode::BAD_REQUEST,
        };
        let page = self.signed.page_with(status, &view)?;
        Ok(error.map(Error::code).into_iter().fold(page, with_code))
    }

    async fn authenticate(&mut self, password: Secret) -> Result<(), PageError> {
        let authenticated = self.check_password(password, self.form.given(CODE)).await?;
        self.signed.renew(authenticated).await
    }

    /// Checks the password of the person, and the code if the account has a second factor.
    pub(crate) async fn check_password(
        &self,
        password: Secret,
        code: Option<&str>,
    ) -> Result<AuthenticationProof, Error> {
        let (browser, account) = (&self.signed.browser, &self.signed.signed_in.account);
        let (accounts, login) = (&self.signed.steward().accounts, Login::Email(account.email.clone()));
        let known = browser.known.expose();
        let authenticated = accounts.authenticate_fully(&browser.request, &login, password, code, known).await?;
        if authenticated.account().id != account.id {
            return Err(AuthenticationError::WrongPassword.into());
        }
        Ok(authenticated)
    }
}

/// Returns `None` if what a form deletes does not exist. The form may have deleted it, and then gets its
/// [first response](Submission::repeated).
pub(crate) fn unless_deleted<T>(found: Result<T, PageError>) -> Result<Option<T>, PageError> {
    match found {
        Ok(found) => Ok(Some(found)),
        Err(PageError::Failed(Error::NotFound(_))) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Asks for the password before the interrupted form continues.
#[derive(Template)]
#[template(path = "console/frame/confirm_password.html")]
struct ConfirmPassword<'a> {
    shell: Shell,
    path: &'a str,
    action: &'a str,
    account: &'a str,
    /// Whether the account has a second factor.
    asks_for_code: bool,
    fields: &'a [(&'a str, &'a str)],
    error: Option<String>,
}
