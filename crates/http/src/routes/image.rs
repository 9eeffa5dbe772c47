//! Images of projects (docs/contract.md#images). Uploads require a permission and downloads are public. The response
//! headers keep browsers from running an image as a page.

use actix_web::body::SizedStream;
use actix_web::http::header::{
    ACCESS_CONTROL_ALLOW_ORIGIN, CACHE_CONTROL, CONTENT_DISPOSITION, CONTENT_SECURITY_POLICY,
    CROSS_ORIGIN_RESOURCE_POLICY, ETAG, EntityTag,
};
use actix_web::web::Bytes;
use actix_web::{HttpResponse, web};
use futures_util::stream;
use serde::Serialize;
use steward_domain::error::ResourceKind;
use steward_domain::model::{ImageUse, Project, ServiceAddress};
use steward_domain::ports::StoreError;
use steward_domain::usecases::PublicImage;
use utoipa::ToSchema;

use crate::Api;
use crate::error::ApiError;
use crate::extract::precondition::{self, ResourceTag};
use crate::extract::upload::Upload;
use crate::extract::{Authenticated, OptionalCaller, PathIds};
use crate::response::{self, Deleted, format_timestamp};
use crate::route::{ApiRoute, operations, service_routes};

pub(crate) fn routes() -> Vec<ApiRoute> {
    let mut routes = operations! {
        ImageList => list [PreconditionFailed];
        IconUpload => upload_icon [InvalidImage, UnsupportedImage, ImageTooLarge];
        IconDelete => delete_icon [PreconditionFailed];
        BackgroundUpload => upload_background [InvalidImage, UnsupportedImage, ImageTooLarge];
        BackgroundDelete => delete_background [PreconditionFailed];
    };
    routes.extend(service_routes! {
        get_image;
    });
    routes
}

/// The content at the URL of an image never changes.
const CACHE_IMMUTABLE: &str = "public, max-age=31536000, immutable";
/// Content security policy of images. If a browser interprets an image as a page, the page can do nothing.
const POLICY: &str = "default-src 'none'; sandbox";

#[derive(Serialize, ToSchema)]
pub(crate) struct ImagesBody {
    /// Always `true`.
    success: bool,
    /// The uploaded images.
    images: UploadedImages,
}

/// Uploaded images of a project.
#[derive(Serialize, ToSchema)]
pub(crate) struct UploadedImages {
    /// The icon; null if none was uploaded.
    icon: Option<IconBody>,
    /// The background; null if none was uploaded.
    background: Option<BackgroundBody>,
}

#[derive(Serialize, ToSchema)]
pub(crate) struct IconBody {
    /// Public URL of the icon. It changes with every upload.
    #[schema(example = "https://steward.example.com/images/018f2a3c-7d1e-7cc4-9b3a-2f6d1c0e8a55/\
        018f2a3d-0a1b-7c2d-8e3f-405162738495.png")]
    icon_url: Option<String>,
    #[serde(flatten)]
    file: FileBody,
}

#[derive(Serialize, ToSchema)]
pub(crate) struct BackgroundBody {
    /// Public URL of the background. It changes with every upload.
    #[schema(example = "https://steward.example.com/images/018f2a3c-7d1e-7cc4-9b3a-2f6d1c0e8a55/\
        018f2a3d-0a1b-7c2d-8e3f-405162738495.png")]
    background_url: Option<String>,
    #[serde(flatten)]
    file: FileBody,
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct FileBody {
    /// Media type: `image/png`, `image/jpeg`, `image/webp` or `image/gif`.
    #[schema(example = "image/png")]
    content_type: &'static str,
    /// Size in bytes.
    #[schema(example = 48211)]
    size: i64,
    /// When the image was uploaded.
    #[schema(format = DateTime)]
    last_modified: String,
}

impl FileBody {
    fn of(project: &Project, used_as: ImageUse) -> Option<Self> {
        let image = project.images.used_as(used_as)?;
        let (content_type, last_modified) = (image.format.media_type(), format_timestamp(image.uploaded_at));
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

/// Form with an image to upload.
#[derive(ToSchema)]
#[expect(dead_code, reason = "only describes the form that `Upload` reads")]
pub(crate) struct ImageForm {
    /// PNG, JPEG, WebP or GIF image. The format is detected from the content. An icon has at most 2 MiB and 16 to 4,096
    /// pixels per side, a background at most 8 MiB and 16 to 8,192 pixels per side.
    #[schema(value_type = String, format = Binary)]
    file: Vec<u8>,
}

#[derive(Serialize, ToSchema)]
pub(crate) struct IconUploaded {
    /// Always `true`.
    success: bool,
    /// Public URL of the new icon.
    #[schema(example = "https://steward.example.com/images/018f2a3c-7d1e-7cc4-9b3a-2f6d1c0e8a55/\
        018f2a3d-0a1b-7c2d-8e3f-405162738495.png")]
    icon_url: Option<String>,
}

#[derive(Serialize, ToSchema)]
pub(crate) struct BackgroundUploaded {
    /// Always `true`.
    success: bool,
    /// Public URL of the new background.
    #[schema(example = "https://steward.example.com/images/018f2a3c-7d1e-7cc4-9b3a-2f6d1c0e8a55/\
        018f2a3d-0a1b-7c2d-8e3f-405162738495.png")]
    background_url: Option<String>,
}

/// Returns the images of a project as GET shows them.
fn shown(project: &Project, api: &Api) -> ImagesBody {
    ImagesBody { success: true, images: UploadedImages::of(project, &api.steward.address) }
}

/// List uploaded images
///
/// Returns the uploaded icon and background of the project.
#[utoipa::path(get, path = "/project/{id}/upload", tag = "projects",
    responses((status = 200, body = ImagesBody, description = "The uploaded images."),
        (status = 304, description = "The images have the ETag in `If-None-Match`.")))]
pub(crate) async fn list(api: web::Data<Api>, caller: Authenticated, path: PathIds) -> Result<HttpResponse, ApiError> {
    let project = api.steward.images.list(&caller.0, path.project()?).await?;
    response::resource(path.request(), ResourceKind::Project, project.revision, &shown(&project, &api))
}

/// Upload an icon
///
/// Replaces the icon of the project. Anyone who knows its URL can read it.
#[utoipa::path(post, path = "/project/{id}/upload/icon", tag = "projects",
    request_body(content = ImageForm, content_type = "multipart/form-data"),
    responses((status = 200, body = IconUploaded, description = "The icon was uploaded.")))]
pub(crate) async fn upload_icon(
    api: web::Data<Api>,
    caller: Authenticated,
    path: PathIds,
    upload: Upload,
) -> Result<HttpResponse, ApiError> {
    let (icon_url, tag) = upload_image(&api, &caller, &path, ImageUse::Icon, upload).await?;
    Ok(response::tagged(tag, response::ok(&IconUploaded { success: true, icon_url })))
}

/// Upload a background
///
/// Replaces the background image of the project. Anyone who knows its URL can read it.
#[utoipa::path(post, path = "/project/{id}/upload/background", tag = "projects",
    request_body(content = ImageForm, content_type = "multipart/form-data"),
    responses((status = 200, body = BackgroundUploaded, description = "The background was uploaded.")))]
pub(crate) async fn upload_background(
    api: web::Data<Api>,
    caller: Authenticated,
    path: PathIds,
    upload: Upload,
) -> Result<HttpResponse, ApiError> {
    let (background_url, tag) = upload_image(&api, &caller, &path, ImageUse::Background, upload).await?;
    Ok(response::tagged(tag, response::ok(&BackgroundUploaded { success: true, background_url })))
}

/// Stores an uploaded image. Returns its URL and the entity tag of the project's images.
async fn upload_image(
    api: &Api,
    caller: &Authenticated,
    path: &PathIds,
    used_as: ImageUse,
    upload: Upload,
) -> Result<(Option<String>, ResourceTag), ApiError> {
    let project = api.steward.images.upload(&caller.0, path.project()?, used_as, upload.file(used_as)).await?;
    let tag = ResourceTag::of(project.revision, &shown(&project, api));
    Ok((project.image_url(used_as, &api.steward.address), tag))
}

/// Delete the icon
///
/// Deletes the uploaded icon of the project.
#[utoipa::path(delete, path = "/project/{id}/upload/icon", tag = "projects",
    responses((status = 200, body = Deleted, description = "The icon was deleted.")))]
pub(crate) async fn delete_icon(
    api: web::Data<Api>,
    caller: Authenticated,
    path: PathIds,
) -> Result<HttpResponse, ApiError> {
    let (project, when) = (path.project()?, precondition::for_write(path.request())?);
    api.steward.images.delete(&caller.0, project, ImageUse::Icon, &when).await?;
    Ok(response::ok(&Deleted { success: true, message: "The icon was deleted." }))
}

/// Delete the background
///
/// Deletes the uploaded background image of the project.
#[utoipa::path(delete, path = "/project/{id}/upload/background", tag = "projects",
    responses((status = 200, body = Deleted, description = "The background was deleted.")))]
pub(crate) async fn delete_background(
    api: web::Data<Api>,
    caller: Authenticated,
    path: PathIds,
) -> Result<HttpResponse, ApiError> {
    let (project, when) = (path.project()?, precondition::for_write(path.request())?);
    api.steward.images.delete(&caller.0, project, ImageUse::Background, &when).await?;
    Ok(response::ok(&Deleted { success: true, message: "The background was deleted." }))
}

/// Get an image
///
/// Returns an uploaded icon or background of a project. The content at this URL never changes, so clients may cache it
/// without revalidation.
#[utoipa::path(get, path = "/images/{id}/{file}", operation_id = "getImage", tag = "service",
    responses((status = 200, body = Vec<u8>, content_type = "image/*", description = "The image."),
        (status = 304, description = "The image has the ETag in `If-None-Match`.")))]
pub(crate) async fn get_image(api: web::Data<Api>, _: OptionalCaller, path: PathIds) -> Result<HttpResponse, ApiError> {
    let found = api.steward.images.show(path.project()?, path.file()).await?;
    let tag = EntityTag::new_strong(found.image.id.to_string());
    let is_cached = precondition::is_cached(path.request(), &tag);
    let mut response = if is_cached { HttpResponse::NotModified() } else { HttpResponse::Ok() };
    response
        .insert_header((CACHE_CONTROL, CACHE_IMMUTABLE))
        .insert_header((ETAG, tag.to_string()))
        .insert_header((CONTENT_SECURITY_POLICY, POLICY))
        .insert_header((CROSS_ORIGIN_RESOURCE_POLICY, "cross-origin"))
        .insert_header((ACCESS_CONTROL_ALLOW_ORIGIN, "*"));
    if is_cached {
        return Ok(response.finish());
    }
    let PublicImage { image, used_as, bytes } = found;
    let file_name = format!("{}.{}", used_as.as_str(), image.format.extension());
    let chunks = stream::try_unfold(bytes, |mut bytes| async move {
        let chunk = bytes.next().await.inspect_err(|error| {
            // The response has started, so it can only be cut off. Only this log entry reports the cause.
            tracing::warn!(cause = ?error, "Failed to read an image from the blob store. The response was cut off.");
        })?;
        Ok::<_, StoreError>(chunk.map(|chunk| (Bytes::from(chunk), bytes)))
    });
    let size = u64::try_from(image.size).unwrap_or_default();
    Ok(response
        .content_type(image.format.media_type())
        .insert_header((CONTENT_DISPOSITION, format!("inline; filename=\"{file_name}\"")))
        .body(SizedStream::new(size, Box::pin(chunks))))
}
