//! Projects that have access to the person's account.

use askama::Template;
use steward_domain::identity::GrantedProject;
use steward_domain::kernel::ProjectId;
use steward_domain::kernel::error::{Error, ResourceKind};

use crate::console::frame::{FormState, Shell, Signed, Submission, Timestamp};
use crate::error::PageResult;
use crate::routes::scope_line;
use crate::wording::message::Message;

/// The address of the list.
pub(crate) const ADDRESS: &str = "/console/account/apps";

/// Lists the projects.
pub(crate) async fn show(signed: Signed) -> PageResult {
    let granted = signed.steward().grants.list(&signed.signed_in).await?;
    signed.page(&Apps {
        shell: signed.account_shell("Apps").await?,
        form: FormState::new(&signed, &[]),
        apps: granted.into_iter().map(|app| (titles(&app), app)).collect(),
    })
}

/// Revokes the access of a project, also if it has none anymore.
pub(crate) async fn revoke(submission: Submission) -> PageResult {
    let signed = &submission.signed;
    let project = ProjectId::parse(submission.form.text("project_id")).ok_or(Error::NotFound(ResourceKind::Grant))?;
    let request = signed.caller.request.clone();
    match signed.steward().grants.revoke(request, &signed.signed_in, project).await {
        Ok(()) | Err(Error::NotFound(_)) => signed.next(ADDRESS, "The app no longer has access to your account."),
        Err(error) => Err(error.into()),
    }
}

/// Returns what a project has access to.
fn titles(granted: &GrantedProject) -> Vec<&'static str> {
    granted.effective_scopes().iter().map(|scope| Message::english(scope_line(scope).title)).collect()
}

#[derive(Template)]
#[template(path = "console/identity/account/apps.html")]
struct Apps {
    shell: Shell,
    form: FormState,
    /// What the projects have access to, and the projects.
    apps: Vec<(Vec<&'static str>, GrantedProject)>,
}
