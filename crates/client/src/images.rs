//! Icon and background of a project, and forms that upload an image.

use steward_api::Deleted;

use crate::{Call, Error, Images, retry};

/// What an image is used as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ImageKind {
    /// The icon: at most 2 MiB, and 16 to 4,096 pixels per side.
    Icon,
    /// The background of the project's pages: at most 8 MiB, and 16 to 8,192 pixels per side.
    Background,
}

impl ImageKind {
    /// Returns the name in the API.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Icon => "icon",
            Self::Background => "background",
        }
    }
}

impl Images {
    /// Uploads a PNG, JPEG, WebP or GIF image and returns its public URL.
    ///
    /// # Errors
    ///
    /// See [`Error`].
    pub async fn upload(&self, kind: ImageKind, image: &[u8]) -> Result<String, Error> {
        let url = match kind {
            ImageKind::Icon => self.upload_icon(image).json().await?.icon_url,
            ImageKind::Background => self.upload_background(image).json().await?.background_url,
        };
        Ok(url.unwrap_or_default())
    }

    /// Deletes an image.
    pub fn delete(&self, kind: ImageKind) -> Call<(), Deleted> {
        match kind {
            ImageKind::Icon => self.delete_icon(),
            ImageKind::Background => self.delete_background(),
        }
    }
}

impl<Q, R> Call<Q, R> {
    /// Sets the body: a form with one file.
    pub(crate) fn form(self, file: &[u8]) -> Self {
        let (media_type, body) = form_with(file);
        self.raw_body(&media_type, body)
    }
}

/// Returns the media type and the body of a form with one file (RFC 7578). The service detects the format itself.
fn form_with(file: &[u8]) -> (String, Vec<u8>) {
    // Random, so that the file does not contain it.
    let boundary = retry::random_id().simple().to_string();
    let head = "Content-Disposition: form-data; name=\"file\"; filename=\"image\"\r\n\
        Content-Type: application/octet-stream";
    let mut body = format!("--{boundary}\r\n{head}\r\n\r\n").into_bytes();
    body.extend_from_slice(file);
    body.extend_from_slice(format!("\r\n--{boundary}--\r\n").as_bytes());
    (format!("multipart/form-data; boundary={boundary}"), body)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_form_contains_the_file() {
        let (media_type, body) = form_with(b"\x89PNG\r\n");
        let boundary = media_type.strip_prefix("multipart/form-data; boundary=").unwrap();
        let body = String::from_utf8_lossy(&body).into_owned();
        let (head, rest) = body.split_once("\r\n\r\n").unwrap();
        assert!(head.starts_with(&format!("--{boundary}\r\n")) && head.contains("name=\"file\""), "{head}");
        assert_eq!(rest, format!("\u{fffd}PNG\r\n\r\n--{boundary}--\r\n"));
    }
}
