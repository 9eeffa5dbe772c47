//! Images of projects and clients, and their validation. Image data is inspected but never decoded, so that a small
//! file cannot expand to a large amount of memory.

mod error;
pub(crate) mod files;
mod format;
mod image_use;
pub(super) mod images;
pub(crate) mod port;
mod structure;

use std::fmt::Display;

use imagesize::{ImageType, blob_size, image_type};

use crate::kernel::{ImageId, ServiceAddress, Time, as_text};

pub use error::ImageError;
pub use format::ImageFormat;
pub use image_use::{ImageUse, ProjectImage};

/// The validated bytes of an image.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImageFile {
    format: ImageFormat,
    bytes: Vec<u8>,
}

impl ImageFile {
    /// Checks that the bytes are exactly one complete image in a supported format, within the limits of its use. The
    /// format is detected from the content.
    pub fn parse(used_as: ImageUse, bytes: Vec<u8>) -> Result<Self, ImageError> {
        if bytes.is_empty() {
            return Err(ImageError::Empty);
        }
        if bytes.len() > used_as.max_bytes() {
            return Err(ImageError::TooLarge(used_as));
        }
        let format = match image_type(&bytes) {
            Ok(ImageType::Png) => ImageFormat::Png,
            Ok(ImageType::Jpeg) => ImageFormat::Jpeg,
            Ok(ImageType::Webp) => ImageFormat::WebP,
            Ok(ImageType::Gif) => ImageFormat::Gif,
            _ => return Err(ImageError::UnsupportedFormat),
        };
        structure::check(format, &bytes)?;
        let size = blob_size(&bytes).map_err(|_| ImageError::Malformed(format))?;
        let (width, height) = (size.width, size.height);
        if !used_as.side_range().contains(&width) || !used_as.side_range().contains(&height) {
            return Err(ImageError::Dimensions { used_as, width, height });
        }
        Ok(Self { format, bytes })
    }

    /// Returns the format.
    pub fn format(&self) -> ImageFormat {
        self.format
    }

    /// Returns the size, in bytes.
    pub fn size(&self) -> i64 {
        i64::try_from(self.bytes.len()).unwrap_or(i64::MAX)
    }

    /// Returns the bytes.
    pub fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }
}

/// An uploaded image. It is immutable: a replacement has a different ID and therefore a different URL.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Image {
    /// Unique ID of the image.
    pub id: ImageId,
    /// The format of the image.
    pub format: ImageFormat,
    /// The size, in bytes.
    pub size: i64,
    /// When the image was uploaded.
    pub uploaded_at: Time,
}

impl Image {
    /// Returns the last path segment of the image's URL.
    pub fn file_name(&self) -> String {
        format!("{}.{}", self.id, self.format.as_str())
    }

    /// Returns the path of the image at this service. `owner`: the ID of the project or the client that uses it.
    pub fn path(&self, owner: impl Display) -> String {
        format!("/images/{owner}/{}", self.file_name())
    }

    /// Returns the public URL of the image.
    pub fn url(&self, owner: impl Display, address: &ServiceAddress) -> String {
        address.at(&self.path(owner))
    }

    /// Returns the key of the image in the blob store.
    pub fn key(&self) -> BlobKey {
        BlobKey(self.file_name())
    }
}

/// A key in the blob store: lowercase letters, digits, hyphens and one dot. Keys are created only in this module, so
/// that a key is always a valid file name and cannot escape its directory.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct BlobKey(String);

as_text!(BlobKey);

/// The images of a project.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[expect(missing_docs, reason = "each field is named after the use of the image")]
pub struct ProjectImages {
    pub icon: Option<Image>,
    pub background: Option<Image>,
}

impl ProjectImages {
    /// Returns one of the images, if it was uploaded.
    pub fn get(&self, which: ProjectImage) -> Option<&Image> {
        match which {
            ProjectImage::Icon => self.icon.as_ref(),
            ProjectImage::Background => self.background.as_ref(),
        }
    }

    /// Replaces or removes one of the images.
    pub fn with(self, which: ProjectImage, image: Option<Image>) -> Self {
        match which {
            ProjectImage::Icon => Self { icon: image, ..self },
            ProjectImage::Background => Self { background: image, ..self },
        }
    }

    /// Returns the image with this file name, and its use.
    pub fn named(&self, file_name: &str) -> Option<(ImageUse, &Image)> {
        let all = ProjectImage::ALL.into_iter().filter_map(|which| Some((which.used_as(), self.get(which)?)));
        all.into_iter().find(|(_, image)| image.file_name() == file_name)
    }

    /// Returns the blob keys of the images.
    pub fn keys(&self) -> Vec<BlobKey> {
        self.icon.iter().chain(&self.background).map(Image::key).collect()
    }
}

#[cfg(test)]
mod tests;
