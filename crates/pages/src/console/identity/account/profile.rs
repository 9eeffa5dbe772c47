//! The person's account: the profile.

use askama::Template;
use steward_domain::identity::{Account, UpdateProfile, Username};
use steward_domain::kernel::Name;
use steward_domain::kernel::error::{Error, FieldViolations};

use crate::console::frame::{Crumb, FormState, Shell, Signed, Submission, Timestamp};
use crate::error::{PageError, PageResult};
use crate::request::form::Form;

/// The address of the profile.
pub(crate) const ADDRESS: &str = "/console/account";

impl Signed {
    /// Returns the layout of a page of the account.
    pub(crate) async fn account_shell(&self, tab: &'static str) -> Result<Shell, PageError> {
        let crumbs = vec![Crumb::to("Your account", ADDRESS), Crumb::here(tab)];
        self.shell(crumbs, self.tabs().below(ADDRESS, tab)).await
    }
}

/// Changes the profile. The same form can be submitted twice.
pub(crate) async fn submit(submission: Submission) -> PageResult {
    match update(&submission).await {
        Ok(()) => submission.signed.next(ADDRESS, "Your profile was saved."),
        Err(error) => profile_page(&submission.signed, submission.refused(error)?).await,
    }
}

async fn update(submission: &Submission) -> Result<(), Error> {
    let (signed, when) = (&submission.signed, submission.precondition());
    signed.steward().own_account.update(&signed.caller, command(&submission.form)?, &when).await
}

fn command(form: &Form) -> Result<UpdateProfile, Error> {
    let mut violations = FieldViolations::default();
    let command = UpdateProfile {
        name: violations.check_given("name", form.given("name"), Name::parse),
        username: violations.check_given("username", form.given("username"), Username::parse),
    };
    violations.finish(Some(command))
}

/// Shows the profile.
pub(crate) async fn profile_page(signed: &Signed, form: FormState) -> PageResult {
    let account = &signed.signed_in.account;
    let name = account.name.as_ref().map_or("", Name::as_str);
    let values = [("name", name), ("username", account.username.as_ref().map_or("", Username::as_str))];
    let view = Profile {
        shell: signed.account_shell("Profile").await?,
        sends_emails: signed.steward().email_changes.sends_emails(),
        form: form.starting_with(&values).with_revision(account.revision),
        account,
    };
    view.form.page(signed, &view)
}

#[derive(Template)]
#[template(path = "console/identity/account/profile.html")]
struct Profile<'a> {
    shell: Shell,
    account: &'a Account,
    sends_emails: bool,
    form: FormState,
}
