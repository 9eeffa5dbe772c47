//! Uploaded images of a project, and images as anyone reads them (docs/contract.md#images).

use std::borrow::Cow;

use crate::openapi::ToSchema;
use serde::{Deserialize, Serialize};

use crate::operation::{SERVICE, operations};
use crate::response::{Binary, Deleted};
use crate::values::Timestamp;

operations! {
    ROWS, "projects";

    /// List uploaded images
    ///
    /// Returns the uploaded icon and background of the project.
    ListImages Get "/project/{id}/upload", Reads Safe, at(Project), 200(ProjectImages, "The uploaded images."),
        304("The images have the ETag in `If-None-Match`."), shows(ProjectImages), deviates("docs/contract.md#images"),
        errors("precondition_failed"), command("project image list");

    /// Upload an icon
    ///
    /// Replaces the icon of the project. Anyone who knows its URL can read it.
    UploadIcon Post "/project/{id}/upload/icon", Writes Keyed Upload(Icon), at(Project),
        body(ImageForm => "multipart/form-data"), 200(IconUploaded, "The icon was uploaded."), shows(ProjectImages),
        deviates("docs/contract.md#images"), errors("invalid_image", "unsupported_image", "image_too_large"),
        command("project image upload");

    /// Upload a background
    ///
    /// Replaces the background image of the project. Anyone who knows its URL can read it.
    UploadBackground Post "/project/{id}/upload/background", Writes Keyed Upload(Background), at(Project),
        body(ImageForm => "multipart/form-data"), 200(BackgroundUploaded, "The background was uploaded."),
        shows(ProjectImages), deviates("docs/contract.md#images"),
        errors("invalid_image", "unsupported_image", "image_too_large"), command("project image upload");

    /// Delete the icon
    ///
    /// Deletes the uploaded icon of the project.
    DeleteIcon Delete "/project/{id}/upload/icon", Writes Keyed, at(Project), 200(Deleted, "The icon was deleted."),
        deviates("docs/contract.md#responses"), errors("precondition_failed"), command("project image delete");

    /// Delete the background
    ///
    /// Deletes the uploaded background image of the project.
    DeleteBackground Delete "/project/{id}/upload/background", Writes Keyed, at(Project),
        200(Deleted, "The background was deleted."), deviates("docs/contract.md#responses"),
        errors("precondition_failed"), command("project image delete");
}

operations! {
    SERVICE_ROWS, SERVICE;

    /// Get an image
    ///
    /// Returns an uploaded icon or background of a project, or a logo of a client. The content at this URL never changes, so clients may cache it
    /// without revalidation.
    GetImage Get "/images/{id}/{file}", Reads Safe, at(Project, File), 200(text Binary => "image/*", "The image."),
        304("The image has the ETag in `If-None-Match`."), shows(Binary);
}

/// The uploaded images of a project.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct ProjectImages {
    /// Always `true`.
    pub success: bool,
    /// The uploaded images.
    pub images: UploadedImages,
}

/// Uploaded images of a project.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct UploadedImages {
    /// The icon; null if none was uploaded.
    pub icon: Option<UploadedIcon>,
    /// The background; null if none was uploaded.
    pub background: Option<UploadedBackground>,
}

/// An uploaded icon.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct UploadedIcon {
    /// Public URL of the icon. It changes with every upload.
    #[schema(example = "https://steward.example.com/images/018f2a3c-7d1e-7cc4-9b3a-2f6d1c0e8a55/\
        018f2a3d-0a1b-7c2d-8e3f-405162738495.png")]
    pub icon_url: Option<String>,
    /// The file.
    #[serde(flatten)]
    pub file: ImageFile,
}

/// An uploaded background.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct UploadedBackground {
    /// Public URL of the background. It changes with every upload.
    #[schema(example = "https://steward.example.com/images/018f2a3c-7d1e-7cc4-9b3a-2f6d1c0e8a55/\
        018f2a3d-0a1b-7c2d-8e3f-405162738495.png")]
    pub background_url: Option<String>,
    /// The file.
    #[serde(flatten)]
    pub file: ImageFile,
}

/// The file of an uploaded image.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ImageFile {
    /// Media type: `image/png`, `image/jpeg`, `image/webp` or `image/gif`.
    #[schema(example = "image/png")]
    pub content_type: Cow<'static, str>,
    /// Size in bytes.
    #[schema(example = 48211)]
    pub size: i64,
    /// When the image was uploaded.
    pub last_modified: Timestamp,
}

/// Form with an image to upload.
#[derive(Debug, Clone, Default, Serialize, Deserialize, ToSchema)]
pub struct ImageForm {
    /// PNG, JPEG, WebP or GIF image. The format is detected from the content. An icon or a logo has at most 2 MiB and
    /// 16 to 4,096 pixels per side, a background at most 8 MiB and 16 to 8,192 pixels per side.
    #[schema(value_type = String, format = Binary)]
    pub file: Vec<u8>,
}

/// Confirmation that an icon was uploaded.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct IconUploaded {
    /// Always `true`.
    pub success: bool,
    /// Public URL of the new icon.
    #[schema(example = "https://steward.example.com/images/018f2a3c-7d1e-7cc4-9b3a-2f6d1c0e8a55/\
        018f2a3d-0a1b-7c2d-8e3f-405162738495.png")]
    pub icon_url: Option<String>,
}

/// Confirmation that a background was uploaded.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct BackgroundUploaded {
    /// Always `true`.
    pub success: bool,
    /// Public URL of the new background.
    #[schema(example = "https://steward.example.com/images/018f2a3c-7d1e-7cc4-9b3a-2f6d1c0e8a55/\
        018f2a3d-0a1b-7c2d-8e3f-405162738495.png")]
    pub background_url: Option<String>,
}
