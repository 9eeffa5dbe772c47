//! The logo of a client: uploading and removing it.

use actix_web::dev::Payload;
use actix_web::{FromRequest, HttpRequest, HttpResponse};
use futures_util::future::{FutureExt as _, LocalBoxFuture};
use steward_domain::error::{Error, ResourceKind};
use steward_domain::model::{ImageUse, ProjectClient};
use steward_domain::policy::Operation;

use crate::console::frame::{Confirmation, FormState, ImagePage, ImageSubmission, Outcome, Signed, Submission};
use crate::error::PageError;

use super::scope::{address, below_client, client_id, list_shell, load};

/// A form with the logo of a client. It is received only after the person's permission is checked.
pub(crate) struct LogoSubmission {
    image: ImageSubmission,
    client: ProjectClient,
}

impl FromRequest for LogoSubmission {
    type Error = PageError;
    type Future = LocalBoxFuture<'static, Result<Self, PageError>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let received = ImageSubmission::receive(request, payload, async |signed| {
            let (scope, client) = load(signed).await?;
            scope.permitted.require(Operation::ClientLogoUpload)?;
            Ok((ImageUse::Logo, client))
        });
        async move { received.await.map(|(image, client)| Self { image, client }) }.boxed_local()
    }
}

/// Returns the path of the uploaded logo.
pub(super) fn path_of(client: &ProjectClient) -> Option<String> {
    Some(client.logo.as_ref()?.path(client.id))
}

fn logo_address(client: &ProjectClient) -> String {
    format!("{}/logo", address(client.project_id, client.id))
}

/// Shows the logo and the form that replaces it.
pub(crate) async fn show(signed: Signed) -> Result<HttpResponse, PageError> {
    let form = FormState::new(&signed, &[]);
    upload_page(&signed, form).await
}

/// Replaces the logo.
pub(crate) async fn submit(upload: LogoSubmission) -> Result<HttpResponse, PageError> {
    let LogoSubmission { image: ImageSubmission { submission, file }, client } = upload;
    let operation = Operation::ClientLogoUpload;
    submission.signed.begin(operation, 0)?;
    let submitted = submission.run_once(operation, async |caller| {
        let clients = &submission.signed.steward().clients;
        clients.upload_logo(caller, client.project_id, client.id, file.content()).await?;
        Ok(Outcome::next(logo_address(&client), "The logo was uploaded."))
    });
    submitted.await?.or_show(|form| upload_page(&submission.signed, form)).await
}

async fn upload_page(signed: &Signed, form: FormState) -> Result<HttpResponse, PageError> {
    let (scope, client) = load(signed).await?;
    if !form.is_refused() {
        scope.permitted.require(Operation::ClientLogoUpload)?;
    }
    let view = ImagePage {
        shell: below_client(list_shell(signed, &scope).await?, &scope, &client, "Logo"),
        form,
        title: "Logo",
        address: logo_address(&client),
        image: path_of(&client).map(|path| (path, "Logo of the client")),
        used_as: ImageUse::Logo,
        note: if client.registered_itself {
            "People do not see the logo when they sign in, because the client registered itself."
        } else {
            "People see it in place of the icon of the project when they sign in to this client."
        },
        back: (address(client.project_id, client.id), "Back to the client"),
    };
    view.form.page(signed, &view)
}

/// Asks whether to remove the logo.
pub(crate) async fn show_remove(signed: Signed) -> Result<HttpResponse, PageError> {
    let form = FormState::new(&signed, &[]);
    remove_page(&signed, form).await
}

/// Removes the logo.
pub(crate) async fn submit_remove(submission: Submission) -> Result<HttpResponse, PageError> {
    let (project, id) = (submission.signed.project_id()?, client_id(&submission.signed)?);
    let when = submission.precondition();
    let submitted = submission.run_once(Operation::ClientLogoDelete, async |caller| {
        submission.signed.steward().clients.delete_logo(caller, project, id, &when).await?;
        Ok(Outcome::next(address(project, id), "The logo was removed."))
    });
    submitted.await?.or_show(|form| remove_page(&submission.signed, form)).await
}

async fn remove_page(signed: &Signed, form: FormState) -> Result<HttpResponse, PageError> {
    let (scope, client) = load(signed).await?;
    if !form.is_refused() {
        scope.permitted.require(Operation::ClientLogoDelete)?;
    }
    if client.logo.is_none() {
        return Err(Error::NotFound(ResourceKind::Image).into());
    }
    let back = logo_address(&client);
    let shell = below_client(list_shell(signed, &scope).await?, &scope, &client, "Logo");
    let page = Confirmation {
        shell: shell.below(back.clone(), "Remove"),
        form: form.with_revision(client.revision),
        title: "Remove the logo",
        subject: client.settings.name.to_string(),
        consequences: vec!["The uploaded file is deleted. Pages that link to it no longer show it.".to_owned()],
        last_used: None,
        address: format!("{back}/remove"),
        button: "Remove the logo",
        is_danger: true,
        back,
    };
    page.form.page(signed, &page)
}
