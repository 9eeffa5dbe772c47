//! Images of projects: what they are for, and which bytes count as one. The bytes are looked at, never decoded, so that
//! nothing small unpacks to something large here.

mod structure;

use std::ops::RangeInclusive;

use imagesize::{ImageType, blob_size, image_type};

use super::{ImageId, Time};

/// What an image of a project is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ImageUse {
    /// What stands for the project in lists and on the pages where people allow it.
    Icon,
    /// What is behind the project's own pages.
    Background,
}

impl ImageUse {
    /// Both of them.
    pub const ALL: [Self; 2] = [Self::Icon, Self::Background];

    /// Its name on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Icon => "icon",
            Self::Background => "background",
        }
    }

    /// How many bytes it may hold (contract 4).
    pub const fn most_bytes(self) -> usize {
        match self {
            Self::Icon => 2 * 1024 * 1024,
            Self::Background => 8 * 1024 * 1024,
        }
    }

    /// How many pixels each side may have.
    pub const fn sides(self) -> RangeInclusive<usize> {
        match self {
            Self::Icon => 16..=4096,
            Self::Background => 16..=8192,
        }
    }
}

/// The formats that every browser shows, and runs nothing of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "each is the format it is named after")]
pub enum ImageFormat {
    Png,
    Jpeg,
    WebP,
    Gif,
}

impl ImageFormat {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Png, Self::Jpeg, Self::WebP, Self::Gif];

    /// Its media type.
    pub const fn media_type(self) -> &'static str {
        match self {
            Self::Png => "image/png",
            Self::Jpeg => "image/jpeg",
            Self::WebP => "image/webp",
            Self::Gif => "image/gif",
        }
    }

    /// How file names end.
    pub const fn extension(self) -> &'static str {
        match self {
            Self::Png => "png",
            Self::Jpeg => "jpg",
            Self::WebP => "webp",
            Self::Gif => "gif",
        }
    }

    /// The format whose file names end so.
    pub fn of_extension(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|format| format.extension() == text)
    }
}

/// Why bytes are not taken as an image of a project.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ImageError {
    /// There are none.
    #[error("the file is empty; send an image")]
    Empty,
    /// There are too many.
    #[error("a project's {} holds at most {} MiB; send a smaller file", .0.as_str(), .0.most_bytes() / (1024 * 1024))]
    TooLarge(ImageUse),
    /// They are in none of the formats, whatever the file is called.
    #[error("the file is no PNG, JPEG, WebP or GIF image; send one of these")]
    OtherFormat,
    /// They begin as an image and do not go on as one.
    #[error("the {} image is damaged or cut off; export it anew", .0.extension())]
    Broken(ImageFormat),
    /// They go on after the image: two kinds of file in one.
    #[error("something follows the {} image in the file; export it anew, as an image alone", .0.extension())]
    Followed(ImageFormat),
    /// It is too small to be seen or too large to be shown.
    #[error(
        "the image is {width} x {height} pixels; each side of a project's {} has {} to {}",
        .used_as.as_str(), .used_as.sides().start(), .used_as.sides().end()
    )]
    Dimensions {
        /// What it is for.
        used_as: ImageUse,
        /// Pixels.
        width: usize,
        /// Pixels.
        height: usize,
    },
}

/// The bytes of an image that may be shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImageFile {
    format: ImageFormat,
    bytes: Vec<u8>,
}

impl ImageFile {
    /// Checks that the bytes are one whole image in one of the formats, told by what they hold, of a size that its use
    /// allows, and nothing else.
    pub fn parse(used_as: ImageUse, bytes: Vec<u8>) -> Result<Self, ImageError> {
        if bytes.is_empty() {
            return Err(ImageError::Empty);
        }
        if bytes.len() > used_as.most_bytes() {
            return Err(ImageError::TooLarge(used_as));
        }
        let format = match image_type(&bytes) {
            Ok(ImageType::Png) => ImageFormat::Png,
            Ok(ImageType::Jpeg) => ImageFormat::Jpeg,
            Ok(ImageType::Webp) => ImageFormat::WebP,
            Ok(ImageType::Gif) => ImageFormat::Gif,
            _ => return Err(ImageError::OtherFormat),
        };
        structure::check(format, &bytes)?;
        let size = blob_size(&bytes).map_err(|_| ImageError::Broken(format))?;
        let (width, height) = (size.width, size.height);
        if !used_as.sides().contains(&width) || !used_as.sides().contains(&height) {
            return Err(ImageError::Dimensions { used_as, width, height });
        }
        Ok(Self { format, bytes })
    }

    /// Its format.
    pub fn format(&self) -> ImageFormat {
        self.format
    }

    /// How many bytes it has.
    pub fn size(&self) -> i64 {
        i64::try_from(self.bytes.len()).unwrap_or(i64::MAX)
    }

    /// The bytes.
    pub fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }
}

/// An image that was uploaded. It never changes: another one has another id, and so another address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Image {
    /// Its id.
    pub id: ImageId,
    /// Its format.
    pub format: ImageFormat,
    /// How many bytes it has.
    pub size: i64,
    /// When it was uploaded.
    pub uploaded_at: Time,
}

impl Image {
    /// The last part of its address.
    pub fn file_name(&self) -> String {
        format!("{}.{}", self.id, self.format.extension())
    }

    /// What its bytes are kept under.
    pub fn key(&self) -> BlobKey {
        BlobKey(self.file_name())
    }
}

/// What bytes are kept under: lower-case emails, digits, hyphens and one dot, made here and nowhere else. So it can be a
/// file's name as it is, and never leads out of its directory.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct BlobKey(String);

impl BlobKey {
    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// The images of one project.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[expect(missing_docs, reason = "each is the image it is named after")]
pub struct ProjectImages {
    pub icon: Option<Image>,
    pub background: Option<Image>,
}

impl ProjectImages {
    /// The one that is used so.
    pub fn used_as(&self, used_as: ImageUse) -> Option<&Image> {
        match used_as {
            ImageUse::Icon => self.icon.as_ref(),
            ImageUse::Background => self.background.as_ref(),
        }
    }

    /// The same with another one, or none, that is used so.
    pub fn with(self, used_as: ImageUse, image: Option<Image>) -> Self {
        match used_as {
            ImageUse::Icon => Self { icon: image, ..self },
            ImageUse::Background => Self { background: image, ..self },
        }
    }

    /// The one whose address ends so, and what it is used as.
    pub fn named(&self, file_name: &str) -> Option<(ImageUse, &Image)> {
        let all = ImageUse::ALL.into_iter().filter_map(|used_as| Some((used_as, self.used_as(used_as)?)));
        all.into_iter().find(|(_, image)| image.file_name() == file_name)
    }

    /// What their bytes are kept under.
    pub fn keys(&self) -> Vec<BlobKey> {
        self.icon.iter().chain(&self.background).map(Image::key).collect()
    }
}

#[cfg(test)]
mod tests;
