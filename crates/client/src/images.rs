//! Icon and background of a project.

use chrono::{DateTime, Utc};
use reqwest::Method;
use serde::{Deserialize, Serialize};

use crate::{Client, Error, Request, retry};

/// Operations of the images of a project.
#[derive(Debug, Clone)]
pub struct Images {
    client: Client,
    project_id: String,
}

/// What an image is used as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
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
    pub(crate) fn new(client: Client, project_id: &str) -> Self {
        Self { client, project_id: project_id.to_owned() }
    }

    /// Returns the uploaded images.
    ///
    /// # Errors
    ///
    /// See [`Error`].
    pub async fn list(&self) -> Result<UploadedImages, Error> {
        let request = self.client.at(Method::GET, &["project", self.project_id.as_str(), "upload"]);
        Ok(request.send().await?.json::<Listing>()?.images)
    }

    /// Uploads a PNG, JPEG, WebP or GIF image and returns its public URL.
    ///
    /// # Errors
    ///
    /// See [`Error`].
    pub async fn upload(&self, kind: ImageKind, image: &[u8]) -> Result<String, Error> {
        let (media_type, body) = form(image);
        let request = self.at(Method::POST, kind).body(&media_type, body);
        let uploaded: Uploaded = request.send().await?.json()?;
        Ok(uploaded.icon_url.or(uploaded.background_url).unwrap_or_default())
    }

    /// Deletes an image.
    ///
    /// # Errors
    ///
    /// See [`Error`].
    pub async fn delete(&self, kind: ImageKind) -> Result<(), Error> {
        self.at(Method::DELETE, kind).send().await?;
        Ok(())
    }

    fn at(&self, method: Method, kind: ImageKind) -> Request {
        self.client.at(method, &["project", self.project_id.as_str(), "upload", kind.as_str()]).idempotent()
    }
}

/// Returns the media type and the body of a form with one file (RFC 7578). The service detects the format itself.
fn form(file: &[u8]) -> (String, Vec<u8>) {
    // Random, so that the file does not contain it.
    let boundary = retry::random_id().simple().to_string();
    let head = "Content-Disposition: form-data; name=\"file\"; filename=\"image\"\r\n\
        Content-Type: application/octet-stream";
    let mut body = format!("--{boundary}\r\n{head}\r\n\r\n").into_bytes();
    body.extend_from_slice(file);
    body.extend_from_slice(format!("\r\n--{boundary}--\r\n").as_bytes());
    (format!("multipart/form-data; boundary={boundary}"), body)
}

#[derive(Deserialize)]
struct Listing {
    images: UploadedImages,
}

#[derive(Deserialize)]
struct Uploaded {
    icon_url: Option<String>,
    background_url: Option<String>,
}

/// Uploaded images of a project.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[non_exhaustive]
pub struct UploadedImages {
    /// The icon; `None` if none was uploaded.
    pub icon: Option<UploadedImage>,
    /// The background; `None` if none was uploaded.
    pub background: Option<UploadedImage>,
}

/// An uploaded image.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[non_exhaustive]
pub struct UploadedImage {
    /// Media type: `image/png`, `image/jpeg`, `image/webp` or `image/gif`.
    #[serde(rename(deserialize = "contentType"))]
    pub content_type: String,
    /// Size in bytes.
    pub size: u64,
    /// When the image was uploaded.
    #[serde(rename(deserialize = "lastModified"))]
    pub uploaded_at: DateTime<Utc>,
    /// Public URL. It changes with every upload.
    #[serde(alias = "icon_url", alias = "background_url")]
    pub url: Option<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_form_contains_the_file() {
        let (media_type, body) = form(b"\x89PNG\r\n");
        let boundary = media_type.strip_prefix("multipart/form-data; boundary=").unwrap();
        let body = String::from_utf8_lossy(&body).into_owned();
        let (head, rest) = body.split_once("\r\n\r\n").unwrap();
        assert!(head.starts_with(&format!("--{boundary}\r\n")) && head.contains("name=\"file\""), "{head}");
        assert_eq!(rest, format!("\u{fffd}PNG\r\n\r\n--{boundary}--\r\n"));
    }

    #[test]
    fn an_image_has_one_url_whatever_it_is_used_as() {
        let image = r#"{"contentType": "image/png", "size": 3, "lastModified": "2026-01-31T12:00:00.000Z"#;
        let images: UploadedImages = serde_json::from_str(&format!(
            r#"{{"icon": {image}", "icon_url": "i"}}, "background": {image}", "background_url": "b"}}}}"#
        ))
        .unwrap();
        let url = |image: Option<UploadedImage>| image.unwrap().url.unwrap();
        assert_eq!((url(images.icon), url(images.background)), ("i".to_owned(), "b".to_owned()));
    }
}
