//! The only place that sends requests.

use std::mem;

#[cfg(feature = "live")]
use reqwest::header::HeaderMap;
use reqwest::header::{AUTHORIZATION, HeaderValue};
use reqwest::redirect::Policy;
use tokio::time::sleep;

use crate::debug::opaque;
use crate::{Credential, Error, Response, ServiceUrl, retry};

/// Code of the error of a request for which the person must enter the password again (RFC 9470).
const SIGN_IN_AGAIN: &str = "insufficient_user_authentication";

pub(crate) const IDEMPOTENCY_KEY: &str = "idempotency-key";

/// Maximum size of a response.
const MAX_BODY_BYTES: usize = 512 * 1024 * 1024;

/// The connections to a service, and how to authenticate.
#[derive(Debug, Clone)]
pub(crate) struct Transport {
    pub(crate) http: reqwest::Client,
    pub(crate) server: ServiceUrl,
    pub(crate) credential: Credential,
    pub(crate) max_retries: u32,
    /// `None` if the program has set the HTTP client.
    #[cfg(feature = "live")]
    pub(crate) user_agent: Option<String>,
}

/// Returns the client of all requests to a service, without a timeout.
pub(crate) fn http(server: &ServiceUrl, user_agent: &str) -> reqwest::ClientBuilder {
    // A redirect could send the request to another service.
    let http = reqwest::Client::builder().redirect(Policy::none()).user_agent(user_agent);
    // Requests to this machine must not go through a proxy.
    if server.is_local() { http.no_proxy() } else { http }
}

/// What is sent with each attempt.
pub(crate) struct Parts {
    pub(crate) request: reqwest::Request,
    /// Whether a second attempt has no further effect.
    pub(crate) is_repeatable: bool,
}

// The query, the headers and the body can contain secrets.
opaque!(Parts, |parts| method = parts.request.method(), path = parts.request.url().path());

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
        if !parts.is_repeatable || retries >= transport.max_retries {
            return Err(error);
        }
        let Some(delay) = retry::delay(&error, retries) else { return Err(error) };
        sleep(delay).await;
        retries = retries.saturating_add(1);
    }
}

async fn attempt(transport: &Transport, parts: &Parts, token: Option<&str>) -> Result<Response, Error> {
    let response = transport.http.execute(request(parts, token)?).await;
    let mut response = response.map_err(|source| Error::transport(transport.server.as_str(), source))?;
    let (status, headers) = (response.status(), response.headers().clone());
    let body = body_of(&mut response, &transport.server).await?;
    let is_not_modified = status.as_u16() == 304;
    if status.is_success() || is_not_modified {
        Ok(Response { status: status.as_u16(), headers, body })
    } else {
        Err(Error::of_response(status.as_u16(), &headers, &body))
    }
}

async fn body_of(response: &mut reqwest::Response, server: &ServiceUrl) -> Result<Vec<u8>, Error> {
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(|source| Error::transport(server.as_str(), source))? {
        body.extend_from_slice(&chunk);
        if body.len() > MAX_BODY_BYTES {
            return Err(Error::ResponseTooLarge(MAX_BODY_BYTES));
        }
    }
    Ok(body)
}

/// Sends a request to use its connection for another protocol. Returns the response if it is successful.
#[cfg(feature = "live")]
pub(crate) async fn upgrade(transport: &Transport, path: &str, headers: HeaderMap) -> Result<reqwest::Response, Error> {
    let lost = |source| Error::transport(transport.server.as_str(), source);
    let http = match &transport.user_agent {
        // HTTP/2 has no upgrades, and a timeout would end the connection.
        Some(user_agent) => http(&transport.server, user_agent).http1_only().build().map_err(lost)?,
        None => transport.http.clone(),
    };
    let response = http.get(transport.server.at_path(path)?).headers(headers).send().await;
    let mut response = response.map_err(lost)?;
    if response.status().is_client_error() || response.status().is_server_error() {
        let body = body_of(&mut response, &transport.server).await?;
        return Err(Error::of_response(response.status().as_u16(), response.headers(), &body));
    }
    Ok(response)
}

fn request(parts: &Parts, token: Option<&str>) -> Result<reqwest::Request, Error> {
    let copy = parts.request.try_clone();
    let mut request = copy.ok_or_else(|| Error::InvalidRequest("The body cannot be sent again.".to_owned()))?;
    if let Some(token) = token {
        let value = HeaderValue::from_str(&format!("Bearer {token}"));
        let mut value =
            value.map_err(|_| Error::InvalidRequest("The token contains invalid characters.".to_owned()))?;
        value.set_sensitive(true);
        request.headers_mut().insert(AUTHORIZATION, value);
    }
    Ok(request)
}
