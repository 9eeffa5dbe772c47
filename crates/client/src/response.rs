//! Responses.

use reqwest::header::HeaderMap;
use serde::de::DeserializeOwned;
use steward_api::Data;

use crate::Error;
use crate::debug::opaque;

/// A successful response.
#[derive(Clone)]
pub struct Response {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Vec<u8>,
}

// The body can contain secrets, such as the value of a new key.
opaque!(Response, |response| status = response.status);

impl Response {
    /// Returns the status.
    pub fn status(&self) -> u16 {
        self.status
    }

    /// Returns a header, unless it is absent or not text.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).and_then(|value| value.to_str().ok())
    }

    /// Returns the version of the resource, for [`Request::if_match`](crate::Request::if_match).
    pub fn etag(&self) -> Option<&str> {
        self.header("etag")
    }

    /// Returns the body.
    pub fn bytes(&self) -> &[u8] {
        &self.body
    }

    /// Parses the body as JSON.
    ///
    /// # Errors
    ///
    /// [`Error::Decode`] if the body does not have this form.
    pub fn json<T: DeserializeOwned>(&self) -> Result<T, Error> {
        serde_json::from_slice(&self.body).map_err(Error::Decode)
    }

    /// Parses the member `data` of the body.
    ///
    /// # Errors
    ///
    /// [`Error::Decode`] if the body does not have this form.
    pub fn data<T: DeserializeOwned>(&self) -> Result<T, Error> {
        Ok(self.json::<Data<T>>()?.data)
    }
}

/// A resource and its version.
#[derive(Debug, Clone)]
pub struct Versioned<T> {
    /// The resource.
    pub value: T,
    /// The version, for `if_match`.
    pub etag: Option<String>,
}
