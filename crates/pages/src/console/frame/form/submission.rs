//! A submitted form: its protection against other sites, repetition and sessions that someone left open.

use actix_web::dev::Payload;
use actix_web::http::StatusCode;
use actix_web::{FromRequest, HttpRequest};
use askama::Template;
use futures_util::future::{FutureExt as _, LocalBoxFuture};
use steward_domain::identity::{AssuranceLevel, AuthenticationProof, Login, PasskeyChallenge};
use steward_domain::kernel::error::{AuthenticationError, Error, ResourceKind};
use steward_domain::kernel::policy::Operation;
use steward_domain::kernel::{
    AccountId, ApiKeyId, Caller, IdempotencyKey, IdempotencyOutcome, Precondition, ProjectClientId, ProjectId, Request,
    RequestedAccess, Revision, Secret, TeamId,
};
use url::form_urlencoded;

use crate::console::frame::{Crumb, Shell, Signed};
use crate::error::{PageError, PageResult};
use crate::request::cookie::EMAIL_CODE as EMAIL_CODE_COOKIE;
use crate::request::form::Form;
use crate::response::with_code;
use crate::wording::explanation::sentence;

use super::outcome::{Outcome, Submitted};
use super::state::FormState;

/// Maximum size of a form, in bytes: a schema document is the largest value.
const MAX_BYTES: usize = 1024 * 1024;
/// The fields in which the password, and a code for the second factor, are entered again.
const PASSWORD: &str = "confirm_password";
const CODE: &str = "confirm_code";
/// The fields of a passkey that is used instead.
const CEREMONY: &str = "confirm_ceremony";
const RESPONSE: &str = "confirm_response";
/// The field of a code by email that is entered instead, and that of the button which sends one.
const EMAIL_CODE: &str = "confirm_email_code";
const SEND: &str = "confirm_send";
/// Whether a field belongs to the page that asks for a confirmation.
pub(crate) fn is_of_confirmation(name: &str) -> bool {
    [PASSWORD, CODE, CEREMONY, RESPONSE, EMAIL_CODE, SEND].contains(&name)
}

/// Fields that differ between repeated submissions of one form.
const VARYING: [&str; 8] = ["csrf", "once", PASSWORD, CODE, CEREMONY, RESPONSE, EMAIL_CODE, SEND];

/// A form that a person submitted in this browser. Extracting it checks the CSRF token.
pub(crate) struct Submission {
    pub signed: Signed,
    pub form: Form,
    /// What the form does, for the page that asks for the password.
    action: String,
    /// Why the password or the passkey that the form contains was refused.
    refused_confirmation: Option<Error>,
    /// The cookie of a code that was sent by email, because the form asks for one.
    sent_code: Option<Secret>,
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
            Self::new(signed, form).with_confirmation().await
        }
        .boxed_local()
    }
}

impl Submission {
    /// Returns a form whose CSRF token was checked.
    pub(crate) fn new(signed: Signed, form: Form) -> Self {
        Self { signed, form, action: "Make this change".to_owned(), refused_confirmation: None, sent_code: None }
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
            client: ProjectClientId::parse(of("client")),
            granted_roles: None,
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
    pub(crate) async fn repeated(&self, operation: Operation, kind: ResourceKind) -> PageResult {
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

    /// Continues the session with the password or the passkey that the form contains, if the page that asks for it was
    /// submitted.
    async fn with_confirmation(mut self) -> Result<Self, PageError> {
        // A session with one factor gets its second one from a passkey, however recent it is.
        let gives_passkey = self.form.given(RESPONSE).is_some()
            && self.signed.signed_in.session.methods.level() == AssuranceLevel::OneFactor;
        if !self.signed.caller.must_confirm && !gives_passkey {
            return Ok(self);
        }
        let [response, email_code, password, send] =
            [RESPONSE, EMAIL_CODE, PASSWORD, SEND].map(|name| self.form.given(name));
        let authenticated = if let Some(response) = response {
            self.check_passkey(response).await
        } else if send.is_some() {
            match self.send_code().await {
                Ok(sent) => {
                    self.sent_code = Some(sent);
                    return Ok(self);
                }
                Err(error) => Err(error),
            }
        } else if let Some(email_code) = email_code {
            self.check_email_code(email_code).await
        } else if let Some(password) = password {
            self.check_password(Secret::new(password.to_owned()), self.form.given(CODE)).await
        } else {
            return Ok(self);
        };
        let renewed = match authenticated {
            Ok(authenticated) => self.signed.renew(authenticated).await,
            Err(error) => Err(error.into()),
        };
        match renewed {
            Ok(()) => {}
            Err(PageError::Failed(Error::Unauthenticated(refused))) if refused.is_of_passkey() => {
                self.refused_confirmation = Some(refused.into());
            }
            Err(PageError::Failed(
                error @ (Error::Unauthenticated(
                    AuthenticationError::WrongPassword
                    | AuthenticationError::WrongCode
                    | AuthenticationError::MistypedCode
                    | AuthenticationError::WrongEmailCode
                    | AuthenticationError::MistypedEmailCode
                    | AuthenticationError::OutdatedEmailCode
                    | AuthenticationError::SecondFactorRequired,
                )
                | Error::TooMany { .. }),
            )) => self.refused_confirmation = Some(error),
            Err(error) => return Err(error),
        }
        Ok(self)
    }

    /// Returns the form with the errors of its use case, or the page that asks for the password if the use case
    /// requires it. Its form sends all fields again with the password.
    pub(crate) async fn refuse(&self, error: Error) -> Result<Submitted, PageError> {
        match error {
            Error::Unauthenticated(AuthenticationError::ConfirmationRequired) => {
                Ok(Submitted::Done(self.ask_for_password().await?))
            }
            Error::Unauthenticated(AuthenticationError::PasskeyUnused) => {
                Ok(Submitted::Done(self.ask_for_passkey().await?))
            }
            error => Ok(Submitted::Refused(self.refused(error)?)),
        }
    }

    /// Returns the page that asks for the password, or the error if it is another one.
    pub(crate) async fn unless_confirmed(&self, error: Error) -> PageResult {
        match error {
            Error::Unauthenticated(AuthenticationError::ConfirmationRequired) => self.ask_for_password().await,
            error => Err(error.into()),
        }
    }

    /// Returns the page that asks for the password. A form that asks already is asked again, with the reason.
    pub(crate) async fn ask_for_password(&self) -> PageResult {
        self.ask(false).await
    }

    /// Returns the page that asks for a passkey, and accepts nothing else.
    pub(crate) async fn ask_for_passkey(&self) -> PageResult {
        self.ask(true).await
    }

    async fn ask(&self, only_passkey: bool) -> PageResult {
        let (error, steward) = (self.refused_confirmation.as_ref(), self.signed.steward());
        let fields: Vec<_> =
            self.form.fields().filter(|(name, _)| *name == "once" || !VARYING.contains(name)).collect();
        let view = ConfirmPassword {
            shell: self.signed.shell(vec![Crumb::here("Confirm that it is you")], Vec::new()).await?,
            path: self.signed.path(),
            action: &self.action,
            account: self.signed.signed_in.account.email.shown(),
            fields: &fields,
            asks_for_code: self.signed.signed_in.has_second_factor,
            only_passkey,
            has_password: !only_passkey && self.signed.signed_in.account.password.is_some(),
            offers_email_codes: !only_passkey && steward.email_codes.are_on() && steward.email_changes.sends_emails(),
            awaits_email_code: !only_passkey && self.awaits_email_code(),
            passkey: self.passkey_challenge().await?,
            blames_fields: error.is_some_and(blames_fields),
            error: error.map(|error| match error {
                Error::Unauthenticated(AuthenticationError::WrongPassword) => {
                    "The password is wrong. Try again.".to_owned()
                }
                Error::Unauthenticated(AuthenticationError::SecondFactorRequired) => {
                    "Enter a code of your authenticator app, too.".to_owned()
                }
                error => sentence(error),
            }),
        };
        let status = match error {
            None => StatusCode::OK,
            Some(Error::TooMany { .. }) => StatusCode::TOO_MANY_REQUESTS,
            Some(_) => StatusCode::BAD_REQUEST,
        };
        let mut page = self.signed.page_with(status, &view)?;
        if let Some(sent) = &self.sent_code {
            page = EMAIL_CODE_COOKIE.set(&self.signed.browser.pages, page, sent.expose())?;
        }
        Ok(error.map(Error::code).into_iter().fold(page, with_code))
    }

    /// Returns a challenge, if the person has a passkey.
    async fn passkey_challenge(&self) -> Result<Option<PasskeyChallenge>, Error> {
        let passkeys = &self.signed.steward().passkeys;
        let can_use_one = passkeys.are_available() && !passkeys.list(&self.signed.signed_in).await?.is_empty();
        can_use_one.then(|| passkeys.begin_sign_in(&self.signed.browser.token)).transpose()
    }

    /// Whether the person asked for a code, and can still enter it.
    fn awaits_email_code(&self) -> bool {
        let (browser, account) = (&self.signed.browser, &self.signed.signed_in.account);
        let asked = self.form.given(SEND).or(self.form.given(EMAIL_CODE)).is_some();
        let sent = self.sent_code.as_ref().unwrap_or(&browser.email_code);
        let address = self.signed.steward().email_codes.address(&browser.token, sent.expose());
        asked && address.is_some_and(|address| address == account.email)
    }

    async fn send_code(&self) -> Result<Secret, Error> {
        let (browser, account) = (&self.signed.browser, &self.signed.signed_in.account);
        let codes = &self.signed.steward().email_codes;
        codes.send(browser.request.clone(), (&browser.token, browser.known.expose()), &account.email, ("", None)).await
    }

    async fn check_email_code(&self, code: &str) -> Result<AuthenticationProof, Error> {
        let (browser, account) = (&self.signed.browser, &self.signed.signed_in.account);
        let second = (self.form.given(CODE), browser.known.expose());
        let (codes, code) = (&self.signed.steward().email_codes, (browser.email_code.expose(), code));
        codes.authenticate(&browser.request, &browser.token, account, code, second).await
    }

    async fn check_passkey(&self, response: &str) -> Result<AuthenticationProof, Error> {
        let (browser, passkeys) = (&self.signed.browser, &self.signed.steward().passkeys);
        let ceremony = self.form.text(CEREMONY);
        let authenticated = passkeys.sign_in(&browser.request, &browser.token, ceremony, response).await?;
        self.of_this_person(authenticated, AuthenticationError::OtherPasskey)
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
        self.of_this_person(authenticated, AuthenticationError::WrongPassword)
    }

    /// Refuses the proof of another person.
    fn of_this_person(
        &self,
        authenticated: AuthenticationProof,
        otherwise: AuthenticationError,
    ) -> Result<AuthenticationProof, Error> {
        let is_same = authenticated.account().id == self.signed.signed_in.account.id;
        if is_same { Ok(authenticated) } else { Err(otherwise.into()) }
    }
}

/// Whether an error is about what the person entered, and not about a passkey or a limit.
fn blames_fields(error: &Error) -> bool {
    matches!(error, Error::Unauthenticated(refused) if !refused.is_of_passkey() && *refused != AuthenticationError::OutdatedEmailCode)
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
    /// Whether only a passkey is accepted.
    only_passkey: bool,
    has_password: bool,
    /// Whether a code can be sent by email instead.
    offers_email_codes: bool,
    /// Whether the page asks for the code that was sent.
    awaits_email_code: bool,
    /// The challenge, if the person has a passkey.
    passkey: Option<PasskeyChallenge>,
    /// Whether the error is about what the person entered.
    blames_fields: bool,
    fields: &'a [(&'a str, &'a str)],
    error: Option<String>,
}
