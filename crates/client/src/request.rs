//! Requests.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use reqwest::Method;
use reqwest::header::{CONTENT_TYPE, HeaderName, HeaderValue, IF_MATCH};
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
        let is_repeatable = method.is_safe();
        let parts = url.map(|url| Parts { request: reqwest::Request::new(method, url), is_repeatable });
        Self { transport, parts }
    }

    /// Adds a parameter to the query.
    pub fn query(self, name: &str, value: impl fmt::Display) -> Self {
        self.with(|parts| {
            parts.request.url_mut().query_pairs_mut().append_pair(name, &value.to_string());
        })
    }

    /// Sets a header.
    pub fn header(self, name: &str, value: &str) -> Self {
        match (HeaderName::from_bytes(name.as_bytes()), HeaderValue::from_str(value)) {
            (Ok(name), Ok(value)) => self.with(|parts| drop(parts.request.headers_mut().insert(name, value))),
            _ => self.failed(format!("The header {name:?} is not valid.")),
        }
    }

    /// Sets the body, as JSON.
    pub fn json(self, body: &(impl Serialize + ?Sized)) -> Self {
        match serde_json::to_vec(body) {
            Ok(bytes) => self.body("application/json", bytes),
            Err(error) => self.failed(format!("The body is not valid JSON: {error}")),
        }
    }

    /// Sets the body and its media type.
    pub fn body(self, content_type: &str, body: Vec<u8>) -> Self {
        self.header(CONTENT_TYPE.as_str(), content_type).with(|parts| *parts.request.body_mut() = Some(body.into()))
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
        self.with(|parts| parts.is_repeatable = true)
    }

    /// Sets the timeout of one attempt.
    pub fn timeout(self, timeout: Duration) -> Self {
        self.with(|parts| *parts.request.timeout_mut() = Some(timeout))
    }

    /// Sends the request, with retries, and returns the response.
    ///
    /// # Errors
    ///
    /// The API's error if the status is not 2xx or 304, and errors of the transport.
    pub async fn send(self) -> Result<Response, Error> {
        transport::send(&self.transport, &self.parts?).await
    }

    fn with(mut self, change: impl FnOnce(&mut Parts)) -> Self {
        if let Ok(parts) = &mut self.parts {
            change(parts);
        }
        self
    }

    /// Returns the request with an error, unless it has one already.
    fn failed(self, message: String) -> Self {
        Self { parts: self.parts.and(Err(Error::InvalidRequest(message))), ..self }
    }
}
