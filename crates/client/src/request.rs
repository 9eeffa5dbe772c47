//! Requests and responses.

use std::fmt;
use std::time::Duration;

use reqwest::Method;
use reqwest::header::{CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue, IF_MATCH};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use url::Url;

use crate::{Client, Error, retry, transport};

pub(crate) const IDEMPOTENCY_KEY: &str = "idempotency-key";

/// A request. It is sent by [`send`](Self::send), which also reports errors of the other methods.
#[derive(Debug)]
#[must_use]
pub struct Request {
    client: Client,
    parts: Result<Parts, Error>,
}

/// What is sent with each attempt.
pub(crate) struct Parts {
    pub(crate) method: Method,
    pub(crate) url: Url,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Option<Vec<u8>>,
    pub(crate) timeout: Option<Duration>,
}

/// The query, the headers and the body can contain secrets.
impl fmt::Debug for Parts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = self.url.path();
        f.debug_struct("Parts").field("method", &self.method).field("path", &path).finish_non_exhaustive()
    }
}

impl Parts {
    /// Returns whether a second attempt has no further effect.
    pub(crate) fn is_repeatable(&self) -> bool {
        self.method.is_safe() || self.headers.contains_key(IDEMPOTENCY_KEY)
    }
}

impl Request {
    pub(crate) fn new(client: Client, method: Method, url: Result<Url, Error>) -> Self {
        let parts = url.map(|url| Parts { method, url, headers: HeaderMap::new(), body: None, timeout: None });
        Self { client, parts }
    }

    /// Adds a parameter to the query.
    pub fn query(self, name: &str, value: impl fmt::Display) -> Self {
        self.with(|parts| {
            parts.url.query_pairs_mut().append_pair(name, &value.to_string());
            Ok(())
        })
    }

    /// Sets a header.
    pub fn header(self, name: &str, value: &str) -> Self {
        self.with(|parts| {
            let invalid = || Error::InvalidRequest(format!("The header {name:?} is not valid."));
            let name = HeaderName::from_bytes(name.as_bytes()).map_err(|_| invalid())?;
            parts.headers.insert(name, HeaderValue::from_str(value).map_err(|_| invalid())?);
            Ok(())
        })
    }

    /// Sets the body, as JSON.
    pub fn json(self, body: &(impl Serialize + ?Sized)) -> Self {
        match serde_json::to_vec(body) {
            Ok(bytes) => self.body("application/json", bytes),
            Err(error) => {
                Self { parts: Err(Error::InvalidRequest(format!("The body is not valid JSON: {error}"))), ..self }
            }
        }
    }

    /// Sets the body and its media type.
    pub fn body(self, content_type: &str, body: Vec<u8>) -> Self {
        let request = self.header(CONTENT_TYPE.as_str(), content_type);
        request.with(|parts| {
            parts.body = Some(body);
            Ok(())
        })
    }

    /// Performs the request only if the resource still has this `ETag`.
    pub fn if_match(self, etag: &str) -> Self {
        self.header(IF_MATCH.as_str(), etag)
    }

    /// Performs the request only if the resource still has this `ETag`. `None` performs it in any case.
    pub(crate) fn if_unchanged(self, etag: Option<&str>) -> Self {
        match etag {
            Some(etag) => self.if_match(etag),
            None => self,
        }
    }

    /// Sets a random `Idempotency-Key`, so that the request can be retried. Only for operations that support it.
    pub fn idempotent(self) -> Self {
        self.idempotency_key(&retry::random_id().to_string())
    }

    /// Sets the `Idempotency-Key`, so that the request can be retried. Only for operations that support it.
    pub fn idempotency_key(self, key: &str) -> Self {
        self.header(IDEMPOTENCY_KEY, key)
    }

    /// Sets the timeout of one attempt.
    pub fn timeout(self, timeout: Duration) -> Self {
        self.with(|parts| {
            parts.timeout = Some(timeout);
            Ok(())
        })
    }

    /// Sends the request, with retries, and returns the response.
    ///
    /// # Errors
    ///
    /// The API's error if the status is not 2xx or 304, and errors of the transport.
    pub async fn send(self) -> Result<Response, Error> {
        transport::send(&self.client.inner, &self.parts?).await
    }

    fn with(self, change: impl FnOnce(&mut Parts) -> Result<(), Error>) -> Self {
        let parts = self.parts.and_then(|mut parts| change(&mut parts).map(|()| parts));
        Self { client: self.client, parts }
    }
}

/// A successful response.
#[derive(Clone)]
pub struct Response {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Vec<u8>,
}

/// The body can contain secrets, such as the value of a new key.
impl fmt::Debug for Response {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Response").field("status", &self.status).finish_non_exhaustive()
    }
}

/// The wrapper of most bodies.
#[derive(Deserialize)]
struct Wrapped<T> {
    data: T,
}

impl Response {
    /// Returns the status.
    pub fn status(&self) -> u16 {
        self.status
    }

    /// Returns a header, unless it is absent or not text.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).and_then(|value| value.to_str().ok())
    }

    /// Returns the version of the resource, for [`Request::if_match`].
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
        Ok(self.json::<Wrapped<T>>()?.data)
    }

    /// Parses the member `data` of the body, and adds the version.
    pub(crate) fn versioned<T: DeserializeOwned>(&self) -> Result<Versioned<T>, Error> {
        Ok(Versioned { value: self.data()?, etag: self.etag().map(str::to_owned) })
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
