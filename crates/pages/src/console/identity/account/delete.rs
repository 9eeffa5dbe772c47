//! Deleting the account.

use askama::Template;
use steward_domain::identity::{DeletionProgress, Email};
use steward_domain::kernel::error::{Conflict, Error};

use crate::console::frame::{FormState, Shell, Signed, Submission};
use crate::error::PageResult;
use crate::request::cookie::without_browser;
use crate::response::page;
use crate::views::AccountDeleted;

/// Deletes the account and signs the browser out.
pub(crate) async fn submit(mut submission: Submission) -> PageResult {
    submission.describe("Delete your account");
    let signed = &submission.signed;
    let is_named = |typed: Email| typed == signed.signed_in.account.email;
    let deleted = if Email::parse(submission.form.text("confirm")).is_ok_and(is_named) {
        signed.steward().own_account.delete(&signed.caller).await
    } else {
        Err(Error::invalid("confirm", "The text must be your email address."))
    };
    match deleted {
        Ok(progress) => {
            let view = AccountDeleted { is_complete: progress == DeletionProgress::Complete };
            Ok(without_browser(&signed.browser.pages, page(&view)?)?)
        }
        // The page lists the teams of which the person is the last owner.
        Err(error @ (Error::Invalid(_) | Error::Conflict(Conflict::LastOwnerOf(_)))) => {
            delete_page(signed, submission.refused(error)?).await
        }
        Err(error) => submission.unless_confirmed(error).await,
    }
}

/// Asks whether to delete the account, or shows what prevents it.
pub(crate) async fn delete_page(signed: &Signed, form: FormState) -> PageResult {
    let teams = signed.steward().own_account.teams_without_other_owner(&signed.caller).await?;
    let view = DeleteAccount {
        shell: signed.account_shell("Delete").await?,
        email: signed.signed_in.account.email.shown(),
        teams: teams.iter().map(|team| (team.name.to_string(), format!("/console/teams/{}", team.id))).collect(),
        form,
    };
    view.form.page(signed, &view)
}

#[derive(Template)]
#[template(path = "console/identity/account/delete.html")]
struct DeleteAccount<'a> {
    shell: Shell,
    email: &'a str,
    /// Names and addresses of the teams of which the person is the last owner.
    teams: Vec<(String, String)>,
    form: FormState,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_deletion_that_continues_is_not_reported_as_complete() {
        let text = |is_complete| AccountDeleted { is_complete }.render().unwrap();
        assert!(text(true).contains("was deleted") && !text(true).contains("being deleted"));
        assert!(text(false).contains("being deleted") && !text(false).contains("was deleted"));
    }
}
