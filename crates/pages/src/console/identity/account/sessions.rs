//! Where the person is signed in: browsers, and programs of the service itself.

use askama::Template;
use steward_domain::identity::{Session, TokenFamily};
use steward_domain::kernel::error::{Error, ResourceKind};
use steward_domain::kernel::{SessionId, TokenFamilyId};

use crate::console::frame::{FormState, Shell, Signed, Submission, Timestamp};
use crate::error::PageResult;
use crate::request::browser_name::browser_name;

/// The address of the page.
pub(crate) const ADDRESS: &str = "/console/account/sessions";

/// Shows the sessions and programs.
pub(crate) async fn show(signed: Signed) -> PageResult {
    let (steward, signed_in) = (signed.steward(), &signed.signed_in);
    let sessions = steward.sessions.list(signed_in).await?;
    let programs = steward.token_grants.first_party_sign_ins(signed_in).await?;
    signed.page(&Sessions {
        shell: signed.account_shell("Sessions").await?,
        form: FormState::new(&signed, &[]),
        current: signed_in.session.id,
        sessions,
        programs,
    })
}

/// Ends a session.
pub(crate) async fn end(mut submission: Submission) -> PageResult {
    submission.describe("End a session");
    let signed = &submission.signed;
    let id = SessionId::parse(submission.form.text("id")).ok_or(Error::NotFound(ResourceKind::Session))?;
    let ended = signed.steward().sessions.end(signed.caller.request.clone(), &signed.signed_in, id).await;
    after(&submission, ended, "The session has ended.").await
}

/// Signs a program out.
pub(crate) async fn end_program(mut submission: Submission) -> PageResult {
    submission.describe("Sign a program out");
    let signed = &submission.signed;
    let id = TokenFamilyId::parse(submission.form.text("id")).ok_or(Error::NotFound(ResourceKind::TokenFamily))?;
    let (grants, request) = (&signed.steward().token_grants, signed.caller.request.clone());
    let ended = grants.revoke_first_party_sign_in(request, &signed.signed_in, id).await;
    after(&submission, ended, "The program was signed out.").await
}

/// Redirects to the page, also if the session no longer exists.
async fn after(submission: &Submission, result: Result<(), Error>, message: &str) -> PageResult {
    match result {
        Ok(()) | Err(Error::NotFound(_)) => submission.signed.next(ADDRESS, message),
        Err(error) => submission.unless_confirmed(error).await,
    }
}

/// Returns the name of the browser of a session.
fn browser(session: &Session) -> String {
    browser_name(&session.user_agent).unwrap_or_else(|| "A browser".to_owned())
}

#[derive(Template)]
#[template(path = "console/identity/account/sessions.html")]
struct Sessions {
    shell: Shell,
    form: FormState,
    sessions: Vec<Session>,
    current: SessionId,
    programs: Vec<TokenFamily>,
}
