//! The images of a project: uploading and removing them.

use actix_web::http::StatusCode;
use steward_domain::administration::{ImageUse, Project, ProjectImage};
use steward_domain::kernel::error::{Error, ResourceKind};
use steward_domain::kernel::policy::Operation;

use crate::console::frame::{
    Confirmation, FormState, ImagePage, ImageSubject, ImageSubmission, Outcome, ProjectScope, Signed, Submission,
};
use crate::error::{PageError, PageResult};

impl ImageSubject for (ProjectImage, ProjectScope) {
    async fn permitted(signed: &Signed) -> Result<(ImageUse, Self), PageError> {
        let (which, scope) = (image_in_path(signed)?, signed.project().await?);
        scope.permitted.require(which.operations().0)?;
        Ok((which.used_as(), (which, scope)))
    }
}

/// Returns the image that the path names.
fn image_in_path(signed: &Signed) -> Result<ProjectImage, PageError> {
    let found = ProjectImage::ALL.into_iter().find(|which| which.used_as().as_str() == signed.parameter("use"));
    found.ok_or(PageError::NoPage(StatusCode::NOT_FOUND))
}

/// Returns the path of an uploaded image.
pub(crate) fn path_of(project: &Project, which: ProjectImage) -> Option<String> {
    Some(project.images.get(which)?.path(project.id))
}

fn address(scope: &ProjectScope, which: ProjectImage) -> String {
    scope.at(&format!("/images/{}", which.used_as().as_str()))
}

/// Replaces an image.
pub(crate) async fn submit(upload: ImageSubmission<(ProjectImage, ProjectScope)>) -> PageResult {
    let ImageSubmission { submission, file, subject: (which, scope) } = upload;
    let (operation, _) = which.operations();
    submission.signed.begin(operation, 0)?;
    let submitted = submission.run_once(operation, async |caller| {
        submission.signed.steward().images.upload(caller, scope.project.id, which, file.content()).await?;
        Ok(Outcome::next(address(&scope, which), "The image was uploaded."))
    });
    submitted.await?.or_show(|form| upload_page(&submission.signed, form)).await
}

/// Shows an image and the form that replaces it.
pub(crate) async fn upload_page(signed: &Signed, form: FormState) -> PageResult {
    let (scope, which) = (signed.project().await?, image_in_path(signed)?);
    scope.permitted.require(Operation::ProjectUpdate)?;
    let (title, alt) = title(which);
    let view = ImagePage {
        shell: scope.shell(signed, "Settings").await?.below(scope.at("/settings"), title),
        form,
        title,
        image: path_of(&scope.project, which).map(|path| (path, alt)),
        used_as: which.used_as(),
        note: "",
        back: "Back to the settings",
    };
    view.form.page(signed, &view)
}

/// Returns the title of the page of an image, and what the image is.
const fn title(which: ProjectImage) -> (&'static str, &'static str) {
    match which {
        ProjectImage::Icon => ("Icon", "Icon of the project"),
        ProjectImage::Background => ("Background image", "Background image of the project"),
    }
}

/// Removes an image.
pub(crate) async fn submit_remove(submission: Submission) -> PageResult {
    let (which, scope) = (image_in_path(&submission.signed)?, submission.signed.project().await?);
    let (_, operation) = which.operations();
    let when = submission.precondition();
    let submitted = submission.run_once(operation, async |caller| {
        submission.signed.steward().images.delete(caller, scope.project.id, which, &when).await?;
        Ok(Outcome::next(address(&scope, which), "The image was removed."))
    });
    submitted.await?.or_show(|form| remove_page(&submission.signed, form)).await
}

/// Asks whether to remove an image.
pub(crate) async fn remove_page(signed: &Signed, form: FormState) -> PageResult {
    let (scope, which) = (signed.project().await?, image_in_path(signed)?);
    scope.permitted.require(Operation::ProjectUpdate)?;
    if scope.project.images.get(which).is_none() {
        return Err(Error::NotFound(ResourceKind::Image).into());
    }
    let form = form.with_revision(scope.project.revision);
    let (title, _) = title(which);
    let settings = scope.shell(signed, "Settings").await?;
    let shell = settings.below(scope.at("/settings"), title).below(address(&scope, which), "Remove");
    let page = Confirmation {
        consequences: vec!["The uploaded file is deleted. Pages that link to it no longer show it."],
        ..Confirmation::of_danger(shell, form, "Remove the image", title)
    };
    page.page(signed)
}
