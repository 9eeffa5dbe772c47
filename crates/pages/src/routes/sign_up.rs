//! The sign-up page.

use actix_web::HttpRequest;
use actix_web::http::StatusCode;
use steward_domain::administration::InviteOffer;
use steward_domain::identity::{AuthenticationProof, Email, Password, Pending, SignUp, Username};
use steward_domain::kernel::error::{Conflict, Error, ErrorCode, Forbidden, ResourceKind};
use steward_domain::kernel::{InviteId, Name, Secret};

use super::completion::complete_sign_in;
use super::continuation::{elsewhere, pending, with_browser_cookie};
use super::email_code::are_offered;
use super::invite::offered;
use crate::error::{PageError, PageResult};
use crate::intent::SignInIntent;
use crate::request::browser::Browser;
use crate::request::form::Form;
use crate::response::{page_with, with_code};
use crate::views::{self, SignUpErrors};
use crate::wording::explanation::{Field, explain};

/// The token of the link with which the first person signs up as operator.
const OPERATOR: &str = "operator";

/// Shows the sign-up form.
pub(crate) async fn show(browser: Browser, request: HttpRequest) -> PageResult {
    let query = Form::of_query(&request);
    let steward = &browser.pages.steward;
    if let Some(token) = query.given(OPERATOR) {
        check_operator(&browser, token).await?;
    } else {
        steward.first_operator.require_claimed().await?;
        if !steward.accounts.accepts_sign_ups() {
            return Err(Error::from(Forbidden::SignUpClosed).into());
        }
    }
    let pending = pending(&browser, query.intent()?).await?;
    let offer = invited(&browser, &query).await?;
    let errors = SignUpErrors::default();
    form(
        &browser,
        StatusCode::OK,
        &query,
        &Context { pending: pending.as_ref(), offer: offer.as_ref(), errors: &errors },
    )
}

/// Returns the invite whose link with a proof or secret the person opened.
async fn invited(browser: &Browser, form: &Form) -> Result<Option<InviteOffer>, PageError> {
    match form.intent()? {
        Some(SignInIntent::Invite(link)) => offered(browser, link).await,
        _ => Ok(None),
    }
}

/// Creates the account and signs in.
pub(crate) async fn submit(browser: Browser, form: Form) -> PageResult {
    browser.check(&form)?;
    let pending = pending(&browser, form.intent()?).await?;
    let offer = invited(&browser, &form).await?;
    let (pending, offer) = (pending.as_ref(), offer.as_ref());
    let command = match parse(&form, offer.and_then(|offer| offer.email.as_ref())) {
        Ok(command) => command,
        Err(errors) => {
            let context = Context { pending, offer, errors: &errors };
            let page = self::form(&browser, StatusCode::BAD_REQUEST, &form, &context)?;
            return Ok(with_code(page, ErrorCode::InvalidRequest));
        }
    };
    let proof = form
        .invite()?
        .filter(|_| offer.is_some_and(|offer| offer.email.is_some()))
        .and_then(|link| Some((link.id, link.proof?)));
    let mut errors = SignUpErrors::default();
    let (status, code) = match sign_up(&browser, command, form.given(OPERATOR), proof).await {
        Ok(authenticated) => return complete_sign_in(&browser, authenticated, form.intent()?).await,
        Err(error @ Error::Conflict(Conflict::EmailTaken)) => {
            errors.email = Some(explain(&error));
            (StatusCode::CONFLICT, error.code())
        }
        Err(error @ Error::Conflict(Conflict::UsernameTaken)) => {
            errors.username = Some(explain(&error));
            (StatusCode::CONFLICT, error.code())
        }
        Err(
            error @ Error::Forbidden(
                Forbidden::SignUpByInvite | Forbidden::SignUpDomain(_) | Forbidden::ProviderRequired(_),
            ),
        ) => {
            errors.email = Some(explain(&error));
            (StatusCode::FORBIDDEN, error.code())
        }
        Err(error) if Field::explain_email(&error).is_some() => {
            errors.email = Field::explain_email(&error);
            (StatusCode::BAD_REQUEST, error.code())
        }
        Err(error) if Field::explain_password(&error).is_some() => {
            errors.password = Field::explain_password(&error);
            (StatusCode::BAD_REQUEST, error.code())
        }
        Err(error @ Error::TooMany { .. }) => {
            errors.general = Some(explain(&error));
            (StatusCode::TOO_MANY_REQUESTS, error.code())
        }
        Err(Error::NotFound(ResourceKind::EmailLink)) => return Err(PageError::OperatorLink),
        Err(error) => return Err(error.into()),
    };
    let context = Context { pending, offer, errors: &errors };
    Ok(with_code(self::form(&browser, status, &form, &context)?, code))
}

async fn sign_up(
    browser: &Browser,
    command: SignUp,
    operator: Option<&str>,
    proof: Option<(InviteId, &str)>,
) -> Result<AuthenticationProof, Error> {
    let (accounts, request) = (&browser.pages.steward.accounts, browser.read_request());
    match (operator, proof) {
        (Some(token), _) => accounts.sign_up_as_operator(request, command, token).await,
        (None, Some(proof)) => accounts.sign_up_as_invited(request, command, proof).await,
        (None, None) => accounts.sign_up(request, command).await,
    }
}

/// Checks that the account would become the first operator, because the page says so.
async fn check_operator(browser: &Browser, token: &str) -> Result<(), PageError> {
    match browser.pages.steward.first_operator.check(token).await {
        Err(Error::NotFound(_)) => Err(PageError::OperatorLink),
        result => Ok(result?),
    }
}

/// Parses the form. The address of a person with an emailed invite is that of the invite.
fn parse(form: &Form, invited: Option<&Email>) -> Result<SignUp, SignUpErrors> {
    let mut errors = SignUpErrors::default();
    let email = invited.map_or_else(|| Email::parse(form.text("email")), |email| Ok(email.clone()));
    let email = email.map_err(|error| errors.email = Some(Field::EMAIL.explain(error)));
    let password = Password::parse(Secret::new(form.text("password").to_owned()));
    let password = password.map_err(|error| errors.password = Some(Field::PASSWORD.explain(error)));
    let name = form.given("name").map(Name::parse).transpose();
    let name = name.map_err(|error| errors.name = Some(Field::NAME.explain(error)));
    let username = form.given("username").map(Username::parse).transpose();
    let username = username.map_err(|error| errors.username = Some(Field::USERNAME.explain(error)));
    match (email, password, name, username) {
        (Ok(email), Ok(password), Ok(name), Ok(username)) => Ok(SignUp { email, password, name, username }),
        _ => Err(errors),
    }
}

/// What a form is for, and what is wrong with it.
struct Context<'a> {
    pending: Option<&'a Pending>,
    offer: Option<&'a InviteOffer>,
    errors: &'a SignUpErrors,
}

fn form(
    browser: &Browser,
    status: StatusCode,
    input: &Form,
    Context { pending, offer, errors }: &Context<'_>,
) -> PageResult {
    let invited = offer.and_then(|offer| offer.email.as_ref());
    let view = views::SignUp {
        csrf: &browser.csrf(),
        intent: input.intent()?,
        client: pending.map(|pending| pending.client.name()),
        operator: input.given(OPERATOR),
        team: offer.map(|offer| offer.found.team_name.as_str()),
        email: invited.map_or_else(|| input.text("email"), Email::shown),
        is_invited: invited.is_some(),
        name: input.text("name"),
        username: input.text("username"),
        offers_email_codes: input.given(OPERATOR).is_none() && offer.is_none() && are_offered(browser, *pending),
        errors,
    };
    with_browser_cookie(browser, page_with(status, &view, &elsewhere(*pending))?)
}
