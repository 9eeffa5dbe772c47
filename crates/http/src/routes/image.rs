//! Images of projects (contract 4): taken in by those who may, shown to everybody, and run by no browser.

use actix_web::body::SizedStream;
use actix_web::http::Method;
use actix_web::http::header::{
    ACCESS_CONTROL_ALLOW_ORIGIN, CACHE_CONTROL, CONTENT_DISPOSITION, CONTENT_SECURITY_POLICY,
    CROSS_ORIGIN_RESOURCE_POLICY, ETAG, EntityTag, Header as _, IfNoneMatch,
};
use actix_web::web::Bytes;
use actix_web::{HttpRequest, HttpResponse, web};
use futures_util::stream;
use serde::Serialize;
use steward_domain::model::{ImageUse, Project, ServiceAddress};
use steward_domain::ports::StoreError;
use steward_domain::usecases::PublicImage;
use utoipa::ToSchema;

use super::{Address, at};
use crate::Api;
use crate::answer::{self, moment};
use crate::error::{ApiError, CredentialError, ErrorBody};
use crate::extract::{Authenticated, PathIds, Visitor};
use crate::upload::Upload;

pub(crate) fn mount(routes: &mut Vec<Address>) {
    at("/project/{id}/upload").get(list).mount(routes);
    at("/project/{id}/upload/icon").on(Method::POST, upload_icon).on(Method::DELETE, delete_icon).mount(routes);
    at("/project/{id}/upload/background")
        .on(Method::POST, upload_background)
        .on(Method::DELETE, delete_background)
        .mount(routes);
    at("/images/{id}/{file}").get(show).mount(routes);
}

/// Whoever has seen an address has seen all that will ever be there.
const CACHE_IMMUTABLE: &str = "public, max-age=31536000, immutable";
/// Should a browser take an image for a page after all, it may do nothing.
const POLICY: &str = "default-src 'none'; sandbox";

#[derive(Serialize, ToSchema)]
pub(crate) struct ImagesBody {
    success: bool,
    images: UploadedImages,
}

/// The uploaded images; null where there is none.
#[derive(Serialize, ToSchema)]
pub(crate) struct UploadedImages {
    icon: Option<IconBody>,
    background: Option<BackgroundBody>,
}

#[derive(Serialize, ToSchema)]
pub(crate) struct IconBody {
    icon_url: Option<String>,
    #[serde(flatten)]
    file: FileBody,
}

#[derive(Serialize, ToSchema)]
pub(crate) struct BackgroundBody {
    background_url: Option<String>,
    #[serde(flatten)]
    file: FileBody,
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct FileBody {
    content_type: &'static str,
    /// In bytes.
    size: i64,
    #[schema(format = DateTime)]
    last_modified: String,
}

impl FileBody {
    fn of(project: &Project, used_as: ImageUse) -> Option<Self> {
        let image = project.images.used_as(used_as)?;
        let (content_type, last_modified) = (image.format.media_type(), moment(image.uploaded_at));
        Some(Self { content_type, size: image.size, last_modified })
    }
}

impl UploadedImages {
    fn of(project: &Project, address: &ServiceAddress) -> Self {
        let url = |used_as| project.image_url(used_as, address);
        let (icon, background) = (ImageUse::Icon, ImageUse::Background);
        Self {
            icon: FileBody::of(project, icon).map(|file| IconBody { icon_url: url(icon), file }),
            background: FileBody::of(project, background)
                .map(|file| BackgroundBody { background_url: url(background), file }),
        }
    }
}

/// An image to upload.
#[derive(ToSchema)]
#[expect(dead_code, reason = "only describes the form that `Upload` reads")]
pub(crate) struct ImageForm {
    /// A PNG, JPEG, WebP or GIF image, told by its content: an icon of at most 2 MiB and 4,096 pixels a side, a background
    /// of at most 8 MiB and 8,192.
    #[schema(value_type = String, format = Binary)]
    file: Vec<u8>,
}

#[derive(Serialize, ToSchema)]
pub(crate) struct IconUploaded {
    success: bool,
    icon_url: Option<String>,
}

#[derive(Serialize, ToSchema)]
pub(crate) struct BackgroundUploaded {
    success: bool,
    background_url: Option<String>,
}

#[derive(Serialize, ToSchema)]
pub(crate) struct ImageDeleted {
    success: bool,
    message: &'static str,
}

/// List a project's uploaded images
#[utoipa::path(get, path = "/project/{id}/upload", operation_id = "listImages", tag = "projects",
    params(("id" = String, Path)), responses((status = 200, body = ImagesBody)))]
pub(crate) async fn list(api: web::Data<Api>, caller: Authenticated, named: PathIds) -> Result<HttpResponse, ApiError> {
    let project = api.steward.images.list(&caller.0, named.project()?).await?;
    Ok(answer::ok(&ImagesBody { success: true, images: UploadedImages::of(&project, &api.steward.address) }))
}

/// Give a project an icon
#[utoipa::path(post, path = "/project/{id}/upload/icon", operation_id = "uploadIcon", tag = "projects",
    params(("id" = String, Path)), request_body(content = ImageForm, content_type = "multipart/form-data"),
    responses((status = 200, body = IconUploaded), (status = 409, body = ErrorBody),
        (status = 413, body = ErrorBody, description = "the image is too large"),
        (status = 415, body = ErrorBody, description = "the body is no multipart form, or the file no image in a known format")))]
pub(crate) async fn upload_icon(
    api: web::Data<Api>,
    caller: Authenticated,
    named: PathIds,
    upload: Upload,
) -> Result<HttpResponse, ApiError> {
    let icon_url = uploaded(&api, &caller, &named, ImageUse::Icon, upload).await?;
    Ok(answer::ok(&IconUploaded { success: true, icon_url }))
}

/// Give a project a background
#[utoipa::path(post, path = "/project/{id}/upload/background", operation_id = "uploadBackground", tag = "projects",
    params(("id" = String, Path)), request_body(content = ImageForm, content_type = "multipart/form-data"),
    responses((status = 200, body = BackgroundUploaded), (status = 409, body = ErrorBody),
        (status = 413, body = ErrorBody, description = "the image is too large"),
        (status = 415, body = ErrorBody, description = "the body is no multipart form, or the file no image in a known format")))]
pub(crate) async fn upload_background(
    api: web::Data<Api>,
    caller: Authenticated,
    named: PathIds,
    upload: Upload,
) -> Result<HttpResponse, ApiError> {
    let background_url = uploaded(&api, &caller, &named, ImageUse::Background, upload).await?;
    Ok(answer::ok(&BackgroundUploaded { success: true, background_url }))
}

/// The address of the image that is there now.
async fn uploaded(
    api: &Api,
    caller: &Authenticated,
    named: &PathIds,
    used_as: ImageUse,
    upload: Upload,
) -> Result<Option<String>, ApiError> {
    let project = api.steward.images.upload(&caller.0, named.project()?, used_as, upload.file(used_as)).await?;
    Ok(project.image_url(used_as, &api.steward.address))
}

/// Take a project's uploaded icon away
#[utoipa::path(delete, path = "/project/{id}/upload/icon", operation_id = "deleteIcon", tag = "projects",
    params(("id" = String, Path)), responses((status = 200, body = ImageDeleted), (status = 409, body = ErrorBody)))]
pub(crate) async fn delete_icon(
    api: web::Data<Api>,
    caller: Authenticated,
    named: PathIds,
) -> Result<HttpResponse, ApiError> {
    api.steward.images.delete(&caller.0, named.project()?, ImageUse::Icon).await?;
    Ok(answer::ok(&ImageDeleted { success: true, message: "the icon is deleted" }))
}

/// Take a project's uploaded background away
#[utoipa::path(delete, path = "/project/{id}/upload/background", operation_id = "deleteBackground", tag = "projects",
    params(("id" = String, Path)), responses((status = 200, body = ImageDeleted), (status = 409, body = ErrorBody)))]
pub(crate) async fn delete_background(
    api: web::Data<Api>,
    caller: Authenticated,
    named: PathIds,
) -> Result<HttpResponse, ApiError> {
    api.steward.images.delete(&caller.0, named.project()?, ImageUse::Background).await?;
    Ok(answer::ok(&ImageDeleted { success: true, message: "the background is deleted" }))
}

/// Show an uploaded image
#[utoipa::path(get, path = "/images/{id}/{file}", operation_id = "getImage", tag = "service",
    params(("id" = String, Path, description = "the project"), ("file" = String, Path)),
    responses((status = 200, body = Vec<u8>, content_type = "image/*"), (status = 304, description = "as it was"),
        (status = 404, body = ErrorBody), CredentialError))]
pub(crate) async fn show(api: web::Data<Api>, _: Visitor, named: PathIds) -> Result<HttpResponse, ApiError> {
    let shown = api.steward.images.show(named.project()?, named.file()).await?;
    let tag = EntityTag::new_strong(shown.image.id.to_string());
    let is_known = is_known(named.request(), &tag);
    let mut response = if is_known { HttpResponse::NotModified() } else { HttpResponse::Ok() };
    response
        .insert_header((CACHE_CONTROL, CACHE_IMMUTABLE))
        .insert_header((ETAG, tag.to_string()))
        .insert_header((CONTENT_SECURITY_POLICY, POLICY))
        .insert_header((CROSS_ORIGIN_RESOURCE_POLICY, "cross-origin"))
        .insert_header((ACCESS_CONTROL_ALLOW_ORIGIN, "*"));
    if is_known {
        return Ok(response.finish());
    }
    let PublicImage { image, used_as, bytes } = shown;
    let file_name = format!("{}.{}", used_as.as_str(), image.format.extension());
    let pieces = stream::try_unfold(bytes, |mut bytes| async move {
        let piece = bytes.next().await.inspect_err(|error| {
            // The answer has begun: it can only break off, and nobody else tells why.
            tracing::warn!(cause = ?error, "an image could not be sent to its end");
        })?;
        Ok::<_, StoreError>(piece.map(|piece| (Bytes::from(piece), bytes)))
    });
    let size = u64::try_from(image.size).unwrap_or_default();
    Ok(response
        .content_type(image.format.media_type())
        .insert_header((CONTENT_DISPOSITION, format!("inline; filename=\"{file_name}\"")))
        .body(SizedStream::new(size, Box::pin(pieces))))
}

/// Whether the caller has the image already.
fn is_known(request: &HttpRequest, tag: &EntityTag) -> bool {
    match IfNoneMatch::parse(request) {
        Ok(IfNoneMatch::Any) => true,
        Ok(IfNoneMatch::Items(tags)) => tags.iter().any(|known| known.weak_eq(tag)),
        Err(_) => false,
    }
}
