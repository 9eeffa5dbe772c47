//! Image formats.

use crate::kernel::named;

named! {
    /// Image formats that every browser displays and that cannot contain scripts.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    #[expect(missing_docs, reason = "each variant is named after its format")]
    pub enum ImageFormat: "the file name extension" {
        Png = "png",
        Jpeg = "jpg",
        WebP = "webp",
        Gif = "gif",
    }
}

impl ImageFormat {
    /// Returns the media type.
    pub const fn media_type(self) -> &'static str {
        match self {
            Self::Png => "image/png",
            Self::Jpeg => "image/jpeg",
            Self::WebP => "image/webp",
            Self::Gif => "image/gif",
        }
    }
}
