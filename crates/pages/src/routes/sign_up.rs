//! The sign-up page.

use actix_web::http::StatusCode;
use actix_web::{HttpRequest, HttpResponse};
use steward_domain::error::{Conflict, Error, ErrorCode, Forbidden, ResourceKind};
use steward_domain::model::{Email, Name, Password, Secret, Username};
use steward_domain::usecases::{Authenticated, Pending, SignUp};

use super::sign_in::pending;
use super::{elsewhere, redirect_after_sign_in, with_browser_cookie};
use crate::browser::Browser;
use crate::cookie::{with_browser, with_known_browser};
use crate::error::{PageError, sentence};
use crate::form::Form;
use crate::response::{page_with, with_code};
use crate::views::{self, SignUpErrors};

/// The token of the link with which the first person signs up as operator.
const OPERATOR: &str = "operator";

/// Shows the sign-up form.
pub(crate) async fn show(browser: Browser, request: HttpRequest) -> Result<HttpResponse, PageError> {
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
    form(&browser, StatusCode::OK, &query, pending.as_ref(), &SignUpErrors::default())
}

/// Creates the account and signs in.
pub(crate) async fn take(browser: Browser, form: Form) -> Result<HttpResponse, PageError> {
    browser.check(&form)?;
    let pending = pending(&browser, form.intent()?).await?;
    let command = match parse(&form) {
        Ok(command) => command,
        Err(errors) => {
            let page = self::form(&browser, StatusCode::BAD_REQUEST, &form, pending.as_ref(), &errors)?;
            return Ok(with_code(page, ErrorCode::InvalidRequest));
        }
    };
    let steward = &browser.pages.steward;
    let mut errors = SignUpErrors::default();
    let (status, code) = match sign_up(&browser, command, form.given(OPERATOR)).await {
        Ok(authenticated) => {
            let (request, before) = (browser.request.clone(), browser.signed_in.clone());
            let known = browser.remembered(&authenticated)?;
            let session = steward.sessions.begin(request, authenticated, &browser.user_agent, before).await?;
            let response = with_browser(&browser.pages, redirect_after_sign_in(form.intent()?), &session.secret)?;
            return Ok(with_known_browser(&browser.pages, response, &known)?);
        }
        Err(error @ Error::Conflict(Conflict::EmailTaken)) => {
            errors.email = Some(sentence(&error));
            (StatusCode::CONFLICT, error.code())
        }
        Err(error @ Error::Conflict(Conflict::UsernameTaken)) => {
            errors.username = Some(sentence(&error));
            (StatusCode::CONFLICT, error.code())
        }
        Err(error @ Error::Forbidden(Forbidden::SignUpByInvite | Forbidden::SignUpDomain(_))) => {
            errors.email = Some(sentence(&error));
            (StatusCode::FORBIDDEN, error.code())
        }
        Err(error @ Error::TooMany { .. }) => {
            errors.general = Some(sentence(&error));
            (StatusCode::TOO_MANY_REQUESTS, error.code())
        }
        Err(Error::NotFound(ResourceKind::EmailLink)) => return Err(PageError::OperatorLink),
        Err(error) => return Err(error.into()),
    };
    Ok(with_code(self::form(&browser, status, &form, pending.as_ref(), &errors)?, code))
}

async fn sign_up(browser: &Browser, command: SignUp, operator: Option<&str>) -> Result<Authenticated, Error> {
    let (accounts, request) = (&browser.pages.steward.accounts, browser.request.clone());
    match operator {
        Some(token) => accounts.sign_up_as_operator(request, command, token).await,
        None => accounts.sign_up(request, command).await,
    }
}

/// Checks that the account would become the first operator, because the page says so.
async fn check_operator(browser: &Browser, token: &str) -> Result<(), PageError> {
    match browser.pages.steward.first_operator.check(token).await {
        Err(Error::NotFound(_)) => Err(PageError::OperatorLink),
        result => Ok(result?),
    }
}

fn parse(form: &Form) -> Result<SignUp, SignUpErrors> {
    let mut errors = SignUpErrors::default();
    let email = Email::parse(form.text("email"));
    let email = email.map_err(|error| errors.email = Some(format!("The email address {error}.")));
    let password = Password::parse(Secret::new(form.text("password").to_owned()));
    let password = password.map_err(|error| errors.password = Some(format!("The password {error}.")));
    let name = form.given("name").map(Name::parse).transpose();
    let name = name.map_err(|error| errors.name = Some(format!("The name {error}.")));
    let username = form.given("username").map(Username::parse).transpose();
    let username = username.map_err(|error| errors.username = Some(format!("The username {error}.")));
    match (email, password, name, username) {
        (Ok(email), Ok(password), Ok(name), Ok(username)) => Ok(SignUp { email, password, name, username }),
        _ => Err(errors),
    }
}

fn form(
    browser: &Browser,
    status: StatusCode,
    input: &Form,
    pending: Option<&Pending>,
    errors: &SignUpErrors,
) -> Result<HttpResponse, PageError> {
    let view = views::SignUp {
        csrf: &browser.csrf(),
        intent: input.intent()?,
        client: pending.map(|pending| pending.client.name()),
        operator: input.given(OPERATOR),
        email: input.text("email"),
        name: input.text("name"),
        username: input.text("username"),
        errors,
    };
    with_browser_cookie(browser, page_with(status, &view, &elsewhere(pending))?)
}
