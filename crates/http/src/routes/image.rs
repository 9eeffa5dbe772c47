//! Images of projects, and serving those of projects and clients (docs/contract.md#images). Uploads require a permission and downloads are public. The response
//! headers keep browsers from running an image as a page.

use actix_web::body::SizedStream;
use actix_web::http::header::{
    ACCESS_CONTROL_ALLOW_ORIGIN, CACHE_CONTROL, CONTENT_DISPOSITION, CONTENT_SECURITY_POLICY,
    CROSS_ORIGIN_RESOURCE_POLICY, ETAG, EntityTag,
};
use actix_web::web::Bytes;
use actix_web::{HttpResponse, web};
use futures_util::stream;
use steward_api as wire;
use steward_domain::error::ResourceKind;
use steward_domain::model::{Project, ProjectImage, ServiceAddress};
use steward_domain::ports::StoreError;
use steward_domain::usecases::PublicImage;

use crate::Api;
use crate::error::ApiError;
use crate::extract::precondition::{self, ResourceTag};
use crate::extract::upload::Upload;
use crate::extract::{Authenticated, OptionalCaller, PathIds};
use crate::response;
use crate::route::{ApiRoute, routes};

pub(crate) fn routes() -> Vec<ApiRoute> {
    routes! {
        ListImages => list;
        UploadIcon => upload_icon;
        DeleteIcon => delete_icon;
        UploadBackground => upload_background;
        DeleteBackground => delete_background;
        GetImage => get_image;
    }
}

/// The content at the URL of an image never changes.
const CACHE_IMMUTABLE: &str = "public, max-age=31536000, immutable";
/// Content security policy of images. If a browser interprets an image as a page, the page can do nothing.
const POLICY: &str = "default-src 'none'; sandbox";

fn image_file(project: &Project, which: ProjectImage) -> Option<wire::ImageFile> {
    let image = project.images.get(which)?;
    let (content_type, last_modified) = (image.format.media_type().into(), image.uploaded_at.into());
    Some(wire::ImageFile { content_type, size: image.size, last_modified })
}

fn uploaded_images(project: &Project, address: &ServiceAddress) -> wire::UploadedImages {
    let url = |which| project.image_url(which, address);
    let (icon, background) = (ProjectImage::Icon, ProjectImage::Background);
    wire::UploadedImages {
        icon: image_file(project, icon).map(|file| wire::UploadedIcon { icon_url: url(icon), file }),
        background: image_file(project, background)
            .map(|file| wire::UploadedBackground { background_url: url(background), file }),
    }
}

/// Returns the images of a project as GET shows them.
fn shown(project: &Project, api: &Api) -> wire::ProjectImages {
    wire::ProjectImages { success: true, images: uploaded_images(project, &api.steward.address) }
}

pub(crate) async fn list(api: web::Data<Api>, caller: Authenticated, path: PathIds) -> Result<HttpResponse, ApiError> {
    let project = api.steward.images.list(&caller.0, path.project()?).await?;
    response::resource(path.request(), ResourceKind::Project, project.revision, &shown(&project, &api))
}

pub(crate) async fn upload_icon(
    api: web::Data<Api>,
    caller: Authenticated,
    path: PathIds,
    upload: Upload,
) -> Result<HttpResponse, ApiError> {
    let (icon_url, tag) = upload_image(&api, &caller, &path, ProjectImage::Icon, upload).await?;
    Ok(response::tagged(tag, response::ok(&wire::IconUploaded { success: true, icon_url })))
}

pub(crate) async fn upload_background(
    api: web::Data<Api>,
    caller: Authenticated,
    path: PathIds,
    upload: Upload,
) -> Result<HttpResponse, ApiError> {
    let (background_url, tag) = upload_image(&api, &caller, &path, ProjectImage::Background, upload).await?;
    Ok(response::tagged(tag, response::ok(&wire::BackgroundUploaded { success: true, background_url })))
}

/// Stores an uploaded image. Returns its URL and the entity tag of the project's images.
async fn upload_image(
    api: &Api,
    caller: &Authenticated,
    path: &PathIds,
    which: ProjectImage,
    upload: Upload,
) -> Result<(Option<String>, ResourceTag), ApiError> {
    let project = api.steward.images.upload(&caller.0, path.project()?, which, upload.file(which.used_as())).await?;
    let tag = ResourceTag::of(project.revision, &shown(&project, api));
    Ok((project.image_url(which, &api.steward.address), tag))
}

pub(crate) async fn delete_icon(
    api: web::Data<Api>,
    caller: Authenticated,
    path: PathIds,
) -> Result<HttpResponse, ApiError> {
    let (project, when) = (path.project()?, precondition::for_write(path.request())?);
    api.steward.images.delete(&caller.0, project, ProjectImage::Icon, &when).await?;
    Ok(response::ok(&wire::Deleted { success: true, message: "The icon was deleted.".into() }))
}

pub(crate) async fn delete_background(
    api: web::Data<Api>,
    caller: Authenticated,
    path: PathIds,
) -> Result<HttpResponse, ApiError> {
    let (project, when) = (path.project()?, precondition::for_write(path.request())?);
    api.steward.images.delete(&caller.0, project, ProjectImage::Background, &when).await?;
    Ok(response::ok(&wire::Deleted { success: true, message: "The background was deleted.".into() }))
}

pub(crate) async fn get_image(api: web::Data<Api>, _: OptionalCaller, path: PathIds) -> Result<HttpResponse, ApiError> {
    let found = api.steward.images.show(path.project()?.uuid(), path.file()).await?;
    let tag = EntityTag::new_strong(found.image.id.to_string());
    let is_cached = steward_web::is_cached(path.request(), &tag);
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
