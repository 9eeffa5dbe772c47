//! The only place that sends requests.

use std::fmt;
use std::mem;
use std::time::Duration;

use reqwest::Method;
use reqwest::header::{AUTHORIZATION, HeaderMap, HeaderValue};
use tokio::time::sleep;
use url::Url;

use crate::{Credential, Error, Response, ServiceUrl, retry};

/// Code of the error of a request for which the person must enter the password again (RFC 9470).
const SIGN_IN_AGAIN: &str = "insufficient_user_authentication";

pub(crate) const IDEMPOTENCY_KEY: &str = "idempotency-key";

/// Maximum size of a response.
const MAX_BODY_BYTES: usize = 512 * 1024 * 1024;

/// The connections to a service, and how to authenticate.
#[derive(Debug)]
pub(crate) struct Transport {
    pub(crate) http: reqwest::Client,
    pub(crate) server: ServiceUrl,
    pub(crate) credential: Credential,
    pub(crate) max_retries: u32,
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

/// Sends a request. Replaces a rejected token once, by a refreshed one or, if the service requires that, by one of a new
/// sign-in. Retries temporary errors if that has no further effect.
pub(crate) async fn send(transport: &Transport, parts: &Parts) -> Result<Response, Error> {
    let mut token = transport.credential.token().await?;
    let (mut retries, mut has_refreshed, mut has_signed_in) = (0_u32, false, false);
    loop {
        let error = match attempt(transport, parts, token.as_deref()).await {
            Err(error) => error,
            response => return response,
        };
        if let (Error::Unauthorized(reason), Some(rejected)) = (&error, &token) {
            let replacement = match reason.code == SIGN_IN_AGAIN {
                true if !mem::replace(&mut has_signed_in, true) => transport.credential.sign_in_again(rejected).await?,
                false if !mem::replace(&mut has_refreshed, true) => transport.credential.refresh(rejected).await?,
                _ => None,
            };
            let Some(replacement) = replacement else { return Err(error) };
            token = Some(replacement);
            continue;
        }
        if !parts.is_repeatable() || retries >= transport.max_retries {
            return Err(error);
        }
        let Some(delay) = retry::delay(&error, retries) else { return Err(error) };
        sleep(delay).await;
        retries = retries.saturating_add(1);
    }
}

async fn attempt(transport: &Transport, parts: &Parts, token: Option<&str>) -> Result<Response, Error> {
    let lost = |source: reqwest::Error| Error::Transport {
        server: transport.server.as_str().to_owned(),
        source: source.without_url(),
    };
    let mut response = transport.http.execute(request(parts, token)?).await.map_err(lost)?;
    let (status, headers) = (response.status(), response.headers().clone());
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(lost)? {
        body.extend_from_slice(&chunk);
        if body.len() > MAX_BODY_BYTES {
            return Err(Error::ResponseTooLarge(MAX_BODY_BYTES));
        }
    }
    let is_not_modified = status.as_u16() == 304;
    if status.is_success() || is_not_modified {
        Ok(Response { status: status.as_u16(), headers, body })
    } else {
        Err(Error::of_response(status.as_u16(), &headers, &body))
    }
}

fn request(parts: &Parts, token: Option<&str>) -> Result<reqwest::Request, Error> {
    let mut request = reqwest::Request::new(parts.method.clone(), parts.url.clone());
    *request.headers_mut() = parts.headers.clone();
    if let Some(token) = token {
        let value = HeaderValue::from_str(&format!("Bearer {token}"));
        let mut value =
            value.map_err(|_| Error::InvalidRequest("The token contains invalid characters.".to_owned()))?;
        value.set_sensitive(true);
        request.headers_mut().insert(AUTHORIZATION, value);
    }
    if let Some(body) = &parts.body {
        *request.body_mut() = Some(body.clone().into());
    }
    if let Some(timeout) = parts.timeout {
        *request.timeout_mut() = Some(timeout);
    }
    Ok(request)
}
