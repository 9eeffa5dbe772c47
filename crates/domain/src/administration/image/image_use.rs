//! The uses of images, and the limits of each.

use std::ops::RangeInclusive;

use crate::kernel::named;
use crate::kernel::policy::Operation;

named! {
    /// What an image is used for.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum ImageUse: "the name used in the API" {
        /// The icon of a project in lists and on consent pages.
        Icon = "icon",
        /// The background of a project's own pages.
        Background = "background",
        /// The logo of an OAuth client on consent pages.
        Logo = "logo",
    }
}

impl ImageUse {
    /// Returns the maximum file size, in bytes (docs/contract.md#images).
    pub const fn max_bytes(self) -> usize {
        match self {
            Self::Icon | Self::Logo => 2 * 1024 * 1024,
            Self::Background => 8 * 1024 * 1024,
        }
    }

    /// Returns the allowed width and height, in pixels.
    pub const fn side_range(self) -> RangeInclusive<usize> {
        match self {
            Self::Icon | Self::Logo => 16..=4096,
            Self::Background => 16..=8192,
        }
    }
}

/// An image of a project.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "each variant is the use of the image with this name")]
pub enum ProjectImage {
    Icon,
    Background,
}

impl ProjectImage {
    /// All variants.
    pub const ALL: [Self; 2] = [Self::Icon, Self::Background];

    /// Returns what the image is used for.
    pub const fn used_as(self) -> ImageUse {
        match self {
            Self::Icon => ImageUse::Icon,
            Self::Background => ImageUse::Background,
        }
    }

    /// Returns the operations that upload and delete the image.
    pub const fn operations(self) -> (Operation, Operation) {
        match self {
            Self::Icon => (Operation::IconUpload, Operation::IconDelete),
            Self::Background => (Operation::BackgroundUpload, Operation::BackgroundDelete),
        }
    }
}
