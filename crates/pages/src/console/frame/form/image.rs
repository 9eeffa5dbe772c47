//! The form that replaces an image.

use std::hash::Hasher as _;

use actix_web::dev::Payload;
use actix_web::{FromRequest, HttpRequest};
use askama::Template;
use futures_util::future::{FutureExt as _, LocalBoxFuture};
use siphasher::sip::SipHasher13;
use steward_domain::administration::{ImageError, ImageUse};
use steward_domain::kernel::error::Error;

use crate::console::frame::{Shell, Signed};
use crate::error::PageError;
use crate::request::form::Form;
use crate::request::upload::Upload;

use super::state::FormState;
use super::submission::Submission;

/// Maximum size of a form: that of the largest image and some fields.
const MAX_BYTES: usize = ImageUse::Background.max_bytes() + 64 * 1024;

/// What has an image.
pub(crate) trait ImageSubject: Sized + 'static {
    /// Returns what the path names, and what its image is used for. Fails if the person may not upload it.
    async fn permitted(signed: &Signed) -> Result<(ImageUse, Self), PageError>;
}

/// A submitted form with an image. It is received only after the person's permission is checked.
pub(crate) struct ImageSubmission<T> {
    pub(crate) submission: Submission,
    pub(crate) file: ImageUpload,
    pub(crate) subject: T,
}

/// The file of a submitted form.
pub(crate) struct ImageUpload {
    used_as: ImageUse,
    content: Option<Vec<u8>>,
    is_too_large: bool,
}

impl<T: ImageSubject> FromRequest for ImageSubmission<T> {
    type Error = PageError;
    type Future = LocalBoxFuture<'static, Result<Self, PageError>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let signed = Signed::from_request(request, payload);
        let upload = Upload::read(request, payload, MAX_BYTES);
        async move {
            let signed = signed.await?;
            let (used_as, subject) = T::permitted(&signed).await?;

            let Upload { form, file, is_too_large } = upload.await?;
            signed.browser.check(&form)?;
            let form = with_digest(&form, file.as_deref());
            let file = ImageUpload { used_as, content: file, is_too_large };
            Ok(Self { submission: Submission::new(signed, form), file, subject })
        }
        .boxed_local()
    }
}

impl ImageUpload {
    /// Returns the content, or why there is none.
    pub(crate) async fn content(self) -> Result<Vec<u8>, Error> {
        match self.content {
            _ if self.is_too_large => Err(Error::Image(ImageError::TooLarge(self.used_as))),
            Some(content) => Ok(content),
            None => Err(Error::invalid("file", "Choose an image.")),
        }
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

/// Shows an image and the form that replaces it.
#[derive(Template)]
#[template(path = "console/frame/image.html")]
pub(crate) struct ImagePage {
    pub(crate) shell: Shell,
    pub(crate) form: FormState,
    pub(crate) title: &'static str,
    /// The path of the current image, and what it is.
    pub(crate) image: Option<(String, &'static str)>,
    pub(crate) used_as: ImageUse,
    /// A sentence about where people see the image; empty for none.
    pub(crate) note: &'static str,
    /// The words of the link to the page above.
    pub(crate) back: &'static str,
}

impl ImagePage {
    fn max_mebibytes(&self) -> usize {
        self.used_as.max_bytes() / (1024 * 1024)
    }
}
