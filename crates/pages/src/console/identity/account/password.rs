//! Changing the password of the account.

use askama::Template;
use steward_domain::identity::{Password, Session};
use steward_domain::kernel::error::{AuthenticationError, Error, FieldViolations};
use steward_domain::kernel::{Issued, Secret};

use crate::console::frame::{FormState, Shell, Signed, Submission};
use crate::error::PageResult;
use crate::response::see_other;

/// The address of the page.
const ADDRESS: &str = "/console/account/password";

/// Sets the new password. This browser stays signed in, with a new cookie.
pub(crate) async fn submit(mut submission: Submission) -> PageResult {
    let has_password = submission.signed.signed_in.account.password.is_some();
    if !has_password && submission.signed.caller.must_confirm {
        submission.describe("Set a password");
        return submission.ask_for_password().await;
    }
    if submission.form.given("password").is_none() && !has_password {
        // The person has confirmed that it is them, and can choose a password now.
        return Ok(see_other(ADDRESS));
    }
    match change(&submission).await {
        Ok((session, known)) => {
            submission.signed.adopt(session, known);
            let message = "Your password was changed. You are signed out everywhere else.";
            submission.signed.next("/console/account/sessions", message)
        }
        Err(error) => password_page(&submission.signed, submission.refused(error)?).await,
    }
}

async fn change(submission: &Submission) -> Result<(Issued<Session>, Secret), Error> {
    let (signed, secret) = (&submission.signed, |name: &str| Secret::new(submission.form.text(name).to_owned()));
    let mut violations = FieldViolations::default();
    let password = violations.check("password", Password::parse(secret("password")));
    let password = violations.finish(password)?;
    let own_account = &signed.steward().own_account;
    let password = own_account.accept_password(&signed.signed_in, password).await?;
    let code = submission.form.given("code");
    let authenticated = match signed.signed_in.account.password {
        Some(_) => submission.check_password(secret("current_password"), code).await.map_err(of_field)?,
        None => own_account.recent_sign_in(&signed.signed_in)?,
    };
    let (request, user_agent, renewed) =
        (signed.caller.request.clone(), &signed.browser.user_agent, authenticated.clone());
    let session = own_account.change_password(request, authenticated, &signed.signed_in, user_agent, password).await?;
    // The new password ends what was known before.
    Ok((session, signed.browser.remembered(&renewed)?))
}

/// A wrong password and a wrong code are errors of their fields.
fn of_field(error: Error) -> Error {
    match error {
        Error::Unauthenticated(AuthenticationError::WrongPassword) => Error::invalid("current_password", "is wrong"),
        Error::Unauthenticated(AuthenticationError::WrongCode) => {
            Error::invalid("code", "is wrong, expired or already used")
        }
        Error::Unauthenticated(AuthenticationError::MistypedCode) => {
            Error::invalid("code", "must be the six digits that the app shows, or a whole recovery code")
        }
        Error::Unauthenticated(AuthenticationError::SecondFactorRequired) => Error::invalid("code", "must be entered"),
        error => error,
    }
}

/// Shows the form.
pub(crate) async fn password_page(signed: &Signed, form: FormState) -> PageResult {
    let view = ChangePassword {
        shell: signed.account_shell("Password").await?,
        email: signed.signed_in.account.email.shown(),
        asks_for_code: signed.signed_in.has_second_factor,
        has_password: signed.signed_in.account.password.is_some(),
        must_confirm: signed.caller.must_confirm,
        form,
    };
    view.form.page(signed, &view)
}

#[derive(Template)]
#[template(path = "console/identity/account/password.html")]
struct ChangePassword<'a> {
    shell: Shell,
    email: &'a str,
    /// Whether the account has a second factor.
    asks_for_code: bool,
    has_password: bool,
    /// Whether a person without a password has to confirm that it is them before setting one.
    must_confirm: bool,
    form: FormState,
}
