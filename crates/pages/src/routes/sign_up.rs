//! Making an account.

use actix_web::http::StatusCode;
use actix_web::{HttpRequest, HttpResponse};
use steward_domain::error::{Conflict, Error, Forbidden};
use steward_domain::model::{Email, Name, Password, Secret, Username};
use steward_domain::usecases::{Pending, SignUp};

use super::sign_in::pending;
use super::{elsewhere, onwards, told};
use crate::answer::{page_with, with_browser, with_known_browser};
use crate::browser::Browser;
use crate::fault::{Fault, sentence};
use crate::form::Form;
use crate::views::{self, SignUpFaults};

/// Asks for what an account needs.
pub(crate) async fn show(browser: Browser, request: HttpRequest) -> Result<HttpResponse, Fault> {
    if !browser.pages.steward.accounts.takes_sign_ups() {
        return Err(Error::from(Forbidden::SignUpClosed).into());
    }
    let query = Form::of_query(&request);
    let pending = pending(&browser, query.errand()?).await?;
    form(&browser, StatusCode::OK, &query, pending.as_ref(), &SignUpFaults::default())
}

/// Makes the account and signs in.
pub(crate) async fn take(browser: Browser, form: Form) -> Result<HttpResponse, Fault> {
    browser.check(&form)?;
    let pending = pending(&browser, form.errand()?).await?;
    let command = match parse(&form) {
        Ok(command) => command,
        Err(faults) => return self::form(&browser, StatusCode::BAD_REQUEST, &form, pending.as_ref(), &faults),
    };
    let steward = &browser.pages.steward;
    let mut faults = SignUpFaults::default();
    let status = match steward.accounts.sign_up(browser.request.clone(), command).await {
        Ok(authenticated) => {
            let (request, before) = (browser.request.clone(), browser.signed_in.clone());
            let known = browser.remembered(&authenticated)?;
            let session = steward.sessions.begin(request, authenticated, &browser.user_agent, before).await?;
            let response = with_browser(&browser.pages, onwards(form.errand()?), &session.secret)?;
            return with_known_browser(&browser, response, &known);
        }
        Err(error @ Error::Conflict(Conflict::EmailTaken)) => {
            faults.email = Some(sentence(&error));
            StatusCode::CONFLICT
        }
        Err(error @ Error::Conflict(Conflict::UsernameTaken)) => {
            faults.username = Some(sentence(&error));
            StatusCode::CONFLICT
        }
        Err(error @ Error::Forbidden(Forbidden::SignUpByInvite | Forbidden::SignUpDomain(_))) => {
            faults.email = Some(sentence(&error));
            StatusCode::FORBIDDEN
        }
        Err(error @ Error::TooMany { .. }) => {
            faults.general = Some(sentence(&error));
            StatusCode::TOO_MANY_REQUESTS
        }
        Err(error) => return Err(error.into()),
    };
    self::form(&browser, status, &form, pending.as_ref(), &faults)
}

fn parse(form: &Form) -> Result<SignUp, SignUpFaults> {
    let mut faults = SignUpFaults::default();
    let email = Email::parse(form.text("email")).map_err(|fault| faults.email = Some(format!("It {fault}.")));
    let password = Password::parse(Secret::new(form.text("password").to_owned()));
    let password = password.map_err(|fault| faults.password = Some(format!("It {fault}.")));
    let name = form.given("name").map(Name::parse).transpose();
    let name = name.map_err(|fault| faults.name = Some(format!("It {fault}.")));
    let username = form.given("username").map(Username::parse).transpose();
    let username = username.map_err(|fault| faults.username = Some(format!("It {fault}.")));
    match (email, password, name, username) {
        (Ok(email), Ok(password), Ok(name), Ok(username)) => Ok(SignUp { email, password, name, username }),
        _ => Err(faults),
    }
}

fn form(
    browser: &Browser,
    status: StatusCode,
    sent: &Form,
    pending: Option<&Pending>,
    faults: &SignUpFaults,
) -> Result<HttpResponse, Fault> {
    let view = views::SignUp {
        csrf: &browser.csrf(),
        errand: sent.errand()?,
        client: pending.map(|pending| pending.client.name()),
        email: sent.text("email"),
        name: sent.text("name"),
        username: sent.text("username"),
        faults,
    };
    told(browser, page_with(status, &view, &elsewhere(pending))?)
}
