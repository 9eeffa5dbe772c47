//! The logo of a client: uploading and removing it.

use steward_domain::administration::ImageUse;
use steward_domain::identity::ProjectClient;
use steward_domain::kernel::error::{Error, ResourceKind};
use steward_domain::kernel::policy::Operation;

use crate::console::frame::{
    Confirmation, FormState, ImagePage, ImageSubject, ImageSubmission, Outcome, Signed, Submission,
};
use crate::error::{PageError, PageResult};

use super::scope::{address, below_client, client_id, list_shell, load};

impl ImageSubject for ProjectClient {
    async fn permitted(signed: &Signed) -> Result<(ImageUse, Self), PageError> {
        let (scope, client) = load(signed).await?;
        scope.permitted.require(Operation::ClientLogoUpload)?;
        Ok((ImageUse::Logo, client))
    }
}

/// Returns the path of the uploaded logo.
pub(super) fn path_of(client: &ProjectClient) -> Option<String> {
    Some(client.logo.as_ref()?.path(client.id))
}

fn logo_address(client: &ProjectClient) -> String {
    format!("{}/logo", address(client.project_id, client.id))
}

/// Replaces the logo.
pub(crate) async fn submit(upload: ImageSubmission<ProjectClient>) -> PageResult {
    let ImageSubmission { submission, file, subject: client } = upload;
    let operation = Operation::ClientLogoUpload;
    submission.signed.begin(operation, 0)?;
    let submitted = submission.run_once(operation, async |caller| {
        let clients = &submission.signed.steward().clients;
        clients.upload_logo(caller, client.project_id, client.id, file.content()).await?;
        Ok(Outcome::next(logo_address(&client), "The logo was uploaded."))
    });
    submitted.await?.or_show(|form| upload_page(&submission.signed, form)).await
}

/// Shows the logo and the form that replaces it.
pub(crate) async fn upload_page(signed: &Signed, form: FormState) -> PageResult {
    let (scope, client) = load(signed).await?;
    form.require(scope.permitted, Operation::ClientLogoUpload)?;
    let view = ImagePage {
        shell: below_client(list_shell(signed, &scope).await?, &scope, &client, "Logo"),
        form,
        title: "Logo",
        image: path_of(&client).map(|path| (path, "Logo of the client")),
        used_as: ImageUse::Logo,
        note: if client.registered_itself {
            "People do not see the logo when they sign in, because the client registered itself."
        } else {
            "People see it in place of the icon of the project when they sign in to this client."
        },
        back: "Back to the client",
    };
    view.form.page(signed, &view)
}

/// Removes the logo.
pub(crate) async fn submit_remove(submission: Submission) -> PageResult {
    let (project, id) = (submission.signed.project_id()?, client_id(&submission.signed)?);
    let when = submission.precondition();
    let submitted = submission.run_once(Operation::ClientLogoDelete, async |caller| {
        submission.signed.steward().clients.delete_logo(caller, project, id, &when).await?;
        Ok(Outcome::next(address(project, id), "The logo was removed."))
    });
    submitted.await?.or_show(|form| remove_page(&submission.signed, form)).await
}

/// Asks whether to remove the logo.
pub(crate) async fn remove_page(signed: &Signed, form: FormState) -> PageResult {
    let (scope, client) = load(signed).await?;
    form.require(scope.permitted, Operation::ClientLogoDelete)?;
    if client.logo.is_none() {
        return Err(Error::NotFound(ResourceKind::Image).into());
    }
    let shell = below_client(list_shell(signed, &scope).await?, &scope, &client, "Logo");
    let (shell, form) = (shell.below(logo_address(&client), "Remove"), form.with_revision(client.revision));
    let page = Confirmation {
        consequences: vec!["The uploaded file is deleted. Pages that link to it no longer show it."],
        ..Confirmation::of_danger(shell, form, "Remove the logo", client.settings.name.as_str())
    };
    page.page(signed)
}
