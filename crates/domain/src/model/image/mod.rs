//! Images of projects and their validation. Image data is inspected but never decoded, so that a small file cannot
//! expand to a large amount of memory.

mod structure;

use std::ops::RangeInclusive;

use imagesize::{ImageType, blob_size, image_type};

use super::{ImageId, Time};

/// The use of an image of a project.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ImageUse {
    /// The icon of the project in lists and on consent pages.
    Icon,
    /// The background of the project's own pages.
    Background,
}

impl ImageUse {
    /// All variants.
    pub const ALL: [Self; 2] = [Self::Icon, Self::Background];

    /// Returns the name used in the API.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Icon => "icon",
            Self::Background => "background",
        }
    }

    /// Returns the maximum file size, in bytes (docs/contract.md#images).
    pub const fn max_bytes(self) -> usize {
        match self {
            Self::Icon => 2 * 1024 * 1024,
            Self::Background => 8 * 1024 * 1024,
        }
    }

    /// Returns the allowed width and height, in pixels.
    pub const fn side_range(self) -> RangeInclusive<usize> {
        match self {
            Self::Icon => 16..=4096,
            Self::Background => 16..=8192,
        }
    }
}

/// Image formats that every browser displays and that cannot contain scripts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "each variant is named after its format")]
pub enum ImageFormat {
    Png,
    Jpeg,
    WebP,
    Gif,
}

impl ImageFormat {
    /// All variants.
    pub const ALL: [Self; 4] = [Self::Png, Self::Jpeg, Self::WebP, Self::Gif];

    /// Returns the media type.
    pub const fn media_type(self) -> &'static str {
        match self {
            Self::Png => "image/png",
            Self::Jpeg => "image/jpeg",
            Self::WebP => "image/webp",
            Self::Gif => "image/gif",
        }
    }

    /// Returns the file name extension.
    pub const fn extension(self) -> &'static str {
        match self {
            Self::Png => "png",
            Self::Jpeg => "jpg",
            Self::WebP => "webp",
            Self::Gif => "gif",
        }
    }

    /// Returns the format with this file name extension.
    pub fn of_extension(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|format| format.extension() == text)
    }
}

/// Why a file is rejected as an image of a project.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ImageError {
    /// The file is empty.
    #[error("The file is empty. Send an image.")]
    Empty,
    /// The file exceeds the size limit.
    #[error("The {} can be at most {} MiB. Send a smaller file.", .0.as_str(), .0.max_bytes() / (1024 * 1024))]
    TooLarge(ImageUse),
    /// The content has none of the supported formats. The file name does not matter.
    #[error("The file is not a PNG, JPEG, WebP or GIF image. Send an image in one of these formats.")]
    UnsupportedFormat,
    /// The file starts like an image but is malformed.
    #[error("The {} image is damaged or truncated. Export the image again.", .0.extension().to_ascii_uppercase())]
    Malformed(ImageFormat),
    /// The file contains other data after the image.
    #[error("The file contains other data after the {} image. Export the image again.", .0.extension().to_ascii_uppercase())]
    TrailingData(ImageFormat),
    /// The image is too small or too large, in pixels.
    #[error(
        "The image is {width} x {height} pixels. Each side of the {} must be {} to {} pixels.",
        .used_as.as_str(), .used_as.side_range().start(), .used_as.side_range().end()
    )]
    Dimensions {
        /// The use of the image.
        used_as: ImageUse,
        /// The width of the image, in pixels.
        width: usize,
        /// The height of the image, in pixels.
        height: usize,
    },
}

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
        format!("{}.{}", self.id, self.format.extension())
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

impl BlobKey {
    /// Returns the text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// The images of a project.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[expect(missing_docs, reason = "each field is named after the use of the image")]
pub struct ProjectImages {
    pub icon: Option<Image>,
    pub background: Option<Image>,
}

impl ProjectImages {
    /// Returns the image with this use.
    pub fn used_as(&self, used_as: ImageUse) -> Option<&Image> {
        match used_as {
            ImageUse::Icon => self.icon.as_ref(),
            ImageUse::Background => self.background.as_ref(),
        }
    }

    /// Replaces or removes the image with this use.
    pub fn with(self, used_as: ImageUse, image: Option<Image>) -> Self {
        match used_as {
            ImageUse::Icon => Self { icon: image, ..self },
            ImageUse::Background => Self { background: image, ..self },
        }
    }

    /// Returns the image with this file name, and its use.
    pub fn named(&self, file_name: &str) -> Option<(ImageUse, &Image)> {
        let all = ImageUse::ALL.into_iter().filter_map(|used_as| Some((used_as, self.used_as(used_as)?)));
        all.into_iter().find(|(_, image)| image.file_name() == file_name)
    }

    /// Returns the blob keys of the images.
    pub fn keys(&self) -> Vec<BlobKey> {
        self.icon.iter().chain(&self.background).map(Image::key).collect()
    }
}

#[cfg(test)]
mod tests;
