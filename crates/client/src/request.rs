//! Requests.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use reqwest::Method;
use reqwest::header::{CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue, IF_MATCH};
use serde::Serialize;
use url::Url;

use crate::transport::{self, IDEMPOTENCY_KEY, Parts, Transport};
use crate::{Error, Response, retry};

/// A request. It is sent by [`send`](Self::send), which also reports errors of the other methods.
#[derive(Debug)]
#[must_use]
pub struct Request {
    transport: Arc<Transport>,
    parts: Result<Parts, Error>,
}

impl Request {
    pub(crate) fn new(transport: Arc<Transport>, method: Method, url: Result<Url, Error>) -> Self {
        let (headers, is_repeatable) = (HeaderMap::new(), method.is_safe());
        let parts = url.map(|url| Parts { method, url, headers, body: None, timeout: None, is_repeatable });
        Self { transport, parts }
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

    /// Sets a random `Idempotency-Key`, so that the request can be retried. Only for operations that support it.
    pub fn idempotent(self) -> Self {
        self.idempotency_key(&retry::random_id().to_string())
    }

    /// Sets the `Idempotency-Key`, so that the request can be retried. Only for operations that support it.
    pub fn idempotency_key(self, key: &str) -> Self {
        self.header(IDEMPOTENCY_KEY, key).repeatable()
    }

    /// Lets the request be retried. Only for requests whose repetition has no further effect.
    pub(crate) fn repeatable(self) -> Self {
        self.with(|parts| {
            parts.is_repeatable = true;
            Ok(())
        })
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
        transport::send(&self.transport, &self.parts?).await
    }

    fn with(self, change: impl FnOnce(&mut Parts) -> Result<(), Error>) -> Self {
        let parts = self.parts.and_then(|mut parts| change(&mut parts).map(|()| parts));
        Self { transport: self.transport, parts }
    }
}
