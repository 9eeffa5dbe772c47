//! The only place that sends requests.

use std::mem;

use reqwest::header::{AUTHORIZATION, HeaderValue};
use tokio::time::sleep;

use crate::client::Inner;
use crate::request::Parts;
use crate::{Error, Response, retry};

/// Maximum size of a response.
const MAX_BODY_BYTES: usize = 512 * 1024 * 1024;

/// Code of the error of a request for which the person must enter the password again (RFC 9470).
const SIGN_IN_AGAIN: &str = "insufficient_user_authentication";

/// Sends a request. Replaces a rejected token once, by a refreshed one or, if the service requires that, by one of a new
/// sign-in. Retries temporary errors if that has no further effect.
pub(crate) async fn send(client: &Inner, parts: &Parts) -> Result<Response, Error> {
    let mut token = client.credential.token().await?;
    let (mut retries, mut has_refreshed, mut has_signed_in) = (0_u32, false, false);
    loop {
        let error = match attempt(client, parts, token.as_deref()).await {
            Err(error) => error,
            response => return response,
        };
        if let (Error::Unauthorized(reason), Some(rejected)) = (&error, &token) {
            let replacement = match reason.code == SIGN_IN_AGAIN {
                true if !mem::replace(&mut has_signed_in, true) => client.credential.sign_in_again(rejected).await?,
                false if !mem::replace(&mut has_refreshed, true) => client.credential.refresh(rejected).await?,
                _ => None,
            };
            let Some(replacement) = replacement else { return Err(error) };
            token = Some(replacement);
            continue;
        }
        if !parts.is_repeatable() || retries >= client.max_retries {
            return Err(error);
        }
        let Some(delay) = retry::delay(&error, retries) else { return Err(error) };
        sleep(delay).await;
        retries = retries.saturating_add(1);
    }
}

async fn attempt(client: &Inner, parts: &Parts, token: Option<&str>) -> Result<Response, Error> {
    let lost = |source: reqwest::Error| Error::Transport {
        server: client.server.as_str().to_owned(),
        source: source.without_url(),
    };
    let mut response = client.http.execute(request(parts, token)?).await.map_err(lost)?;
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
