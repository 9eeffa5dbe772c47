//! Why a file is rejected as an image.

use super::format::ImageFormat;
use super::image_use::ImageUse;

/// Why a file is rejected as an image.
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
    #[error("The {} image is damaged or truncated. Export the image again.", .0.as_str().to_ascii_uppercase())]
    Malformed(ImageFormat),
    /// The file contains other data after the image.
    #[error("The file contains other data after the {} image. Export the image again.", .0.as_str().to_ascii_uppercase())]
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
