//! The images of a project: uploading and removing them.

use std::hash::Hasher as _;

use actix_web::dev::Payload;
use actix_web::http::StatusCode;
use actix_web::{FromRequest, HttpRequest, HttpResponse};
use askama::Template;
use futures_util::future::{FutureExt as _, LocalBoxFuture};
use siphasher::sip::SipHasher13;
use steward_domain::error::{Error, ResourceKind};
use steward_domain::model::{ImageError, ImageUse, Project};
use steward_domain::policy::Operation;

use crate::console::frame::{FormState, Outcome, ProjectScope, Shell, Signed, Submission};
use crate::error::PageError;
use crate::form::Form;
use crate::upload::Upload;

/// Maximum size of a form: that of the largest image and some fields.
const MAX_BYTES: usize = ImageUse::Background.max_bytes() + 64 * 1024;

/// A form with an image. It is received only after the person's permission is checked.
pub(crate) struct ImageSubmission {
    submission: Submission,
    scope: ProjectScope,
    used_as: ImageUse,
    file: Option<Vec<u8>>,
    is_too_large: bool,
}

impl FromRequest for ImageSubmission {
    type Error = PageError;
    type Future = LocalBoxFuture<'static, Result<Self, PageError>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let signed = Signed::from_request(request, payload);
        let upload = Upload::read(request, payload, MAX_BYTES);
        async move {
            let signed = signed.await?;
            let (used_as, scope) = (used_as(&signed)?, signed.project().await?);
            scope.permitted.require(upload_operation(used_as))?;

            let Upload { form, file, is_too_large } = upload.await?;
            signed.browser.check(&form)?;
            let form = with_digest(&form, file.as_deref());
            Ok(Self { submission: Submission::new(signed, form), scope, used_as, file, is_too_large })
        }
        .boxed_local()
    }
}

/// Adds a field that distinguishes the file from any other one, because only fields identify a repeated submission.
fn with_digest(form: &Form, file: Option<&[u8]>) -> Form {
    let mut hasher = SipHasher13::new();
    hasher.write(file.unwrap_or_default());
    let digest = ("digest".to_owned(), hasher.finish().to_string());
    let fields = form.fields().map(|(name, value)| (name.to_owned(), value.to_owned()));
    Form::of_fields(fields.chain([digest]).collect())
}

/// Returns what the image in the path is used for.
fn used_as(signed: &Signed) -> Result<ImageUse, PageError> {
    let found = ImageUse::ALL.into_iter().find(|used_as| used_as.as_str() == signed.parameter("use"));
    found.ok_or(PageError::NoPage(StatusCode::NOT_FOUND))
}

const fn upload_operation(used_as: ImageUse) -> Operation {
    match used_as {
        ImageUse::Icon => Operation::IconUpload,
        ImageUse::Background => Operation::BackgroundUpload,
    }
}

/// Returns the path of an uploaded image.
pub(crate) fn path_of(project: &Project, used_as: ImageUse) -> Option<String> {
    let image = project.images.used_as(used_as)?;
    Some(format!("/images/{}/{}", project.id, image.file_name()))
}

/// Shows an image and the form that replaces it.
pub(crate) async fn show(signed: Signed) -> Result<HttpResponse, PageError> {
    let form = FormState::new(&signed, &[]);
    upload_page(&signed, form).await
}

/// Replaces an image.
pub(crate) async fn submit(upload: ImageSubmission) -> Result<HttpResponse, PageError> {
    let ImageSubmission { submission, scope, used_as, file, is_too_large } = upload;
    let (operation, address) = (upload_operation(used_as), scope.at(&format!("/images/{}", used_as.as_str())));
    submission.signed.begin(operation, 0)?;
    let received = async move {
        match file {
            _ if is_too_large => Err(Error::Image(ImageError::TooLarge(used_as))),
            Some(file) => Ok(file),
            None => Err(Error::invalid("file", "Choose an image.")),
        }
    };
    let submitted = submission.run_once(operation, async |caller| {
        submission.signed.steward().images.upload(caller, scope.project.id, used_as, received).await?;
        Ok(Outcome::next(address, "The image was uploaded."))
    });
    submitted.await?.or_show(|form| upload_page(&submission.signed, form)).await
}

async fn upload_page(signed: &Signed, form: FormState) -> Result<HttpResponse, PageError> {
    let (scope, used_as) = (signed.project().await?, used_as(signed)?);
    scope.permitted.require(Operation::ProjectUpdate)?;
    let title = title(used_as);
    let view = UploadImage {
        shell: scope.shell(signed, "Settings").await?.below(scope.at("/settings"), title),
        title,
        address: scope.at(&format!("/images/{}", used_as.as_str())),
        image: path_of(&scope.project, used_as),
        max_mebibytes: used_as.max_bytes() / (1024 * 1024),
        smallest: *used_as.side_range().start(),
        largest: *used_as.side_range().end(),
        scope,
        form,
    };
    view.form.page(signed, &view)
}

const fn title(used_as: ImageUse) -> &'static str {
    match used_as {
        ImageUse::Icon => "Icon",
        ImageUse::Background => "Background image",
    }
}

#[derive(Template)]
#[template(path = "console/project/image.html")]
struct UploadImage {
    shell: Shell,
    scope: ProjectScope,
    title: &'static str,
    address: String,
    image: Option<String>,
    max_mebibytes: usize,
    smallest: usize,
    largest: usize,
    form: FormState,
}

/// Asks whether to remove an image.
pub(crate) async fn show_remove(signed: Signed) -> Result<HttpResponse, PageError> {
    let form = FormState::new(&signed, &[]);
    remove_page(&signed, form).await
}

/// Removes an image.
pub(crate) async fn submit_remove(submission: Submission) -> Result<HttpResponse, PageError> {
    let (used_as, scope) = (used_as(&submission.signed)?, submission.signed.project().await?);
    let operation = match used_as {
        ImageUse::Icon => Operation::IconDelete,
        ImageUse::Background => Operation::BackgroundDelete,
    };
    let (when, address) = (submission.precondition(), scope.at(&format!("/images/{}", used_as.as_str())));
    let submitted = submission.run_once(operation, async |caller| {
        submission.signed.steward().images.delete(caller, scope.project.id, used_as, &when).await?;
        Ok(Outcome::next(address, "The image was removed."))
    });
    submitted.await?.or_show(|form| remove_page(&submission.signed, form)).await
}

async fn remove_page(signed: &Signed, form: FormState) -> Result<HttpResponse, PageError> {
    let (scope, used_as) = (signed.project().await?, used_as(signed)?);
    scope.permitted.require(Operation::ProjectUpdate)?;
    if scope.project.images.used_as(used_as).is_none() {
        return Err(Error::NotFound(ResourceKind::Image).into());
    }
    let form = form.with_revision(scope.project.revision);
    let (title, address) = (title(used_as), scope.at(&format!("/images/{}", used_as.as_str())));
    let settings = scope.shell(signed, "Settings").await?;
    let shell = settings.below(scope.at("/settings"), title).below(address.clone(), "Remove");
    let view = RemoveImage { shell, title, address, form };
    view.form.page(signed, &view)
}

#[derive(Template)]
#[template(path = "console/project/image_remove.html")]
struct RemoveImage {
    shell: Shell,
    title: &'static str,
    address: String,
    form: FormState,
}
