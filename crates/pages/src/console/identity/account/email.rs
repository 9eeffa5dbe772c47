//! Changing the email address of the account. The link in the email opens a page with a button, because mail scanners
//! follow links.

use askama::Template;
use steward_domain::identity::Email;
use steward_domain::kernel::error::Error;

use crate::console::frame::{FormState, Shell, Signed, Submission};
use crate::error::PageResult;

use super::profile;

/// The address of the form.
const ADDRESS: &str = "/console/account/email";

/// Sends a link to the new address.
pub(crate) async fn submit(mut submission: Submission) -> PageResult {
    submission.describe("Change your email address");
    match request(&submission).await {
        Ok(email) => {
            let message = if submission.signed.steward().email_changes.sends_emails() {
                format!("Open the link in the email to {} to change your address.", email.shown())
            } else {
                let link = format!("the link to {} in the log of the service", email.shown());
                format!("To change your address, open {link}, or ask an operator of this service for it.")
            };
            submission.signed.next(ADDRESS, &message)
        }
        Err(error) => submission.refuse(error).await?.or_show(|form| email_page(&submission.signed, form)).await,
    }
}

async fn request(submission: &Submission) -> Result<Email, Error> {
    let email = Email::parse(submission.form.text("email")).map_err(|error| Error::invalid("email", error))?;
    let signed = &submission.signed;
    let changes = &signed.steward().email_changes;
    changes.request(signed.caller.request.clone(), &signed.signed_in, &email).await?;
    Ok(email)
}

/// Shows the form that asks for the new address.
pub(crate) async fn email_page(signed: &Signed, form: FormState) -> PageResult {
    let view = ChangeEmail {
        shell: signed.account_shell("Email").await?,
        email: signed.signed_in.account.email.shown(),
        sends_emails: signed.steward().email_changes.sends_emails(),
        form,
    };
    view.form.page(signed, &view)
}

#[derive(Template)]
#[template(path = "console/identity/account/email.html")]
struct ChangeEmail<'a> {
    shell: Shell,
    email: &'a str,
    sends_emails: bool,
    form: FormState,
}

/// Changes the address.
pub(crate) async fn submit_confirm(submission: Submission) -> PageResult {
    let (signed, token) = (&submission.signed, submission.form.text("token"));
    let changes = &signed.steward().email_changes;
    match changes.confirm(signed.caller.request.clone(), &signed.signed_in, token).await {
        Ok(email) => signed.next(profile::ADDRESS, &format!("Your email address is {} now.", email.shown())),
        Err(error) => confirm_page(signed, submission.refused(error)?).await,
    }
}

/// Asks to confirm the address that the link was sent to.
pub(crate) async fn confirm_page(signed: &Signed, form: FormState) -> PageResult {
    let form = form.starting_with(&[("token", signed.query("token").as_str())]);
    let email = signed.steward().email_changes.requested(&signed.signed_in, form.value("token")).await?;
    let view = ConfirmEmail { shell: signed.account_shell("Email").await?, email: email.shown(), form };
    view.form.page(signed, &view)
}

#[derive(Template)]
#[template(path = "console/identity/account/email_confirm.html")]
struct ConfirmEmail<'a> {
    shell: Shell,
    email: &'a str,
    form: FormState,
}
