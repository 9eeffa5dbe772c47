//! The uses of a project's images, and the limits of each.

use std::ops::RangeInclusive;

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
