//! Images of projects, and serving those of projects and clients (docs/contract.md#images). Uploads require a
//! permission and downloads are public. The response headers keep browsers from running an image as a page.

use actix_web::HttpResponse;
use actix_web::body::SizedStream;
use actix_web::http::header::{
    ACCESS_CONTROL_ALLOW_ORIGIN, CACHE_CONTROL, CONTENT_DISPOSITION, CONTENT_SECURITY_POLICY,
    CROSS_ORIGIN_RESOURCE_POLICY, ETAG, EntityTag,
};
use actix_web::web::Bytes;
use futures_util::stream;
use steward_api::{self as wire, Operation, path};
use steward_domain::administration::{Project, ProjectImage, PublicImage};
use steward_domain::kernel::StoreError;

use crate::Api;
use crate::error::ApiError;
use crate::route::serve;
use crate::serve::{Call, Open, Outcome, Tag};

serve! {
    ListImages => list;
    UploadIcon => upload_icon;
    DeleteIcon => delete_icon;
    UploadBackground => upload_background;
    DeleteBackground => delete_background;
    GetImage => get_image;
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

/// Returns the images of a project as GET shows them.
fn shown(project: &Project, api: &Api) -> wire::ProjectImages {
    let url = |which| project.image_url(which, &api.steward.address);
    let (icon, background) = (ProjectImage::Icon, ProjectImage::Background);
    let images = wire::UploadedImages {
        icon: image_file(project, icon).map(|file| wire::UploadedIcon { icon_url: url(icon), file }),
        background: image_file(project, background)
            .map(|file| wire::UploadedBackground { background_url: url(background), file }),
    };
    wire::ProjectImages { success: true, images }
}

async fn list(call: Call<wire::ListImages>) -> Outcome<wire::ListImages> {
    let project = call.api.steward.images.list(&call.caller, call.path).await?;
    call.shows(project.revision, shown(&project, &call.api))
}

/// Stores an uploaded image. Returns its URL and the entity tag of the project's images.
async fn upload<O: Operation<Path = (path::Project,)>>(
    call: &Call<O>,
    which: ProjectImage,
) -> Result<(Option<String>, Tag<wire::ProjectImages>), ApiError> {
    let image = call.image(which.used_as());
    let project = call.api.steward.images.upload(&call.caller, call.path, which, image).await?;
    let tag = Tag::of(project.revision, &shown(&project, &call.api));
    Ok((project.image_url(which, &call.api.steward.address), tag))
}

async fn upload_icon(call: Call<wire::UploadIcon>) -> Outcome<wire::UploadIcon> {
    let (icon_url, tag) = upload(&call, ProjectImage::Icon).await?;
    call.about(tag, wire::IconUploaded { success: true, icon_url })
}

async fn upload_background(call: Call<wire::UploadBackground>) -> Outcome<wire::UploadBackground> {
    let (background_url, tag) = upload(&call, ProjectImage::Background).await?;
    call.about(tag, wire::BackgroundUploaded { success: true, background_url })
}

async fn delete_icon(call: Call<wire::DeleteIcon>) -> Outcome<wire::DeleteIcon> {
    call.api.steward.images.delete(&call.caller, call.path, ProjectImage::Icon, call.when()).await?;
    call.reply(wire::Deleted { success: true, message: "The icon was deleted.".into() })
}

async fn delete_background(call: Call<wire::DeleteBackground>) -> Outcome<wire::DeleteBackground> {
    call.api.steward.images.delete(&call.caller, call.path, ProjectImage::Background, call.when()).await?;
    call.reply(wire::Deleted { success: true, message: "The background was deleted.".into() })
}

/// Raw, because an image has its own media type and caching, and its tag is its name.
async fn get_image(call: Call<wire::GetImage, Open>) -> Outcome<wire::GetImage> {
    let (owner, file) = &call.path;
    let found = call.api.steward.images.show(owner.uuid(), file).await?;
    let tag = EntityTag::new_strong(found.image.id.to_string());
    let is_cached = steward_web::is_cached(&call.request, &tag);
    let mut response = if is_cached { HttpResponse::NotModified() } else { HttpResponse::Ok() };
    response
        .insert_header((CACHE_CONTROL, CACHE_IMMUTABLE))
        .insert_header((ETAG, tag.to_string()))
        .insert_header((CONTENT_SECURITY_POLICY, POLICY))
        .insert_header((CROSS_ORIGIN_RESOURCE_POLICY, "cross-origin"))
        .insert_header((ACCESS_CONTROL_ALLOW_ORIGIN, "*"));
    if is_cached {
        return call.raw(response.finish());
    }
    let PublicImage { image, used_as, bytes } = found;
    let file_name = format!("{}.{}", used_as.as_str(), image.format.as_str());
    let chunks = stream::try_unfold(bytes, |mut bytes| async move {
        let chunk = bytes.next().await.inspect_err(|error| {
            // The response has started, so it can only be cut off. Only this log entry reports the cause.
            tracing::warn!(cause = ?error, "Failed to read an image from the blob store. The response was cut off.");
        })?;
        Ok::<_, StoreError>(chunk.map(|chunk| (Bytes::from(chunk), bytes)))
    });
    let size = u64::try_from(image.size).unwrap_or_default();
    response
        .content_type(image.format.media_type())
        .insert_header((CONTENT_DISPOSITION, format!("inline; filename=\"{file_name}\"")));
    call.raw(response.body(SizedStream::new(size, Box::pin(chunks))))
}
