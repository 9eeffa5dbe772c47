//! Requests to providers: without redirects, of limited size and duration, and for providers of projects not to private
//! networks.

use std::sync::Arc;
use std::time::Duration;

use anyhow::ensure;
use futures_util::StreamExt as _;
use http::Uri;
use openidconnect::{HttpRequest, HttpResponse};
use reqwest::Client;
use reqwest::header::{HeaderValue, USER_AGENT};
use reqwest::redirect::Policy;
use steward_domain::model::{IdentityProvider, WebhookUrl};

use crate::public_only::PublicOnly;

/// Timeout for connecting.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(2);
/// Metadata, keys and tokens have some kilobytes.
const MAX_BYTES: usize = 64 * 1024;
/// Maximum number of names that are resolved at once: each occupies a thread until its resolver gives up.
const MAX_RESOLVING: usize = 64;
const AGENT: HeaderValue = HeaderValue::from_static(concat!("Steward/", env!("CARGO_PKG_VERSION")));

/// The HTTP clients for providers.
pub(super) struct HttpClients {
    everywhere: Client,
    public: Client,
    allow_private: bool,
}

/// Sends requests to one provider.
#[derive(Clone)]
pub(super) struct ProviderHttp {
    client: Client,
    /// Whether it may only be in public networks.
    is_limited: bool,
    allow_http: bool,
}

/// Why a request failed. The message contains no part of the request.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(super) struct FetchError(String);

impl HttpClients {
    pub(super) fn new(allow_private: bool) -> Result<Self, reqwest::Error> {
        // A proxy could reach addresses that the service must not reach.
        let client = || Client::builder().redirect(Policy::none()).connect_timeout(CONNECT_TIMEOUT).no_proxy();
        let public = client().dns_resolver(Arc::new(PublicOnly::at_most(MAX_RESOLVING))).build()?;
        Ok(Self { everywhere: client().build()?, public, allow_private })
    }

    /// Returns the client for a provider. That of a project may only be in public networks.
    pub(super) fn of(&self, provider: &IdentityProvider) -> ProviderHttp {
        let is_limited = provider.project_id.is_some() && !self.allow_private;
        let client = if is_limited { &self.public } else { &self.everywhere };
        ProviderHttp { client: client.clone(), is_limited, allow_http: self.allow_private }
    }
}

impl ProviderHttp {
    /// Sends a request.
    pub(super) async fn send(self, request: HttpRequest) -> Result<HttpResponse, FetchError> {
        let host = request.uri().host().unwrap_or_default().to_owned();
        self.response(request).await.map_err(|error| FetchError(format!("{host}: {error:#}")))
    }

    async fn response(&self, mut request: HttpRequest) -> anyhow::Result<HttpResponse> {
        self.check(request.uri())?;
        request.headers_mut().insert(USER_AGENT, AGENT);
        // The URL can contain secrets.
        let request = request.try_into().map_err(reqwest::Error::without_url)?;
        let received = self.client.execute(request).await.map_err(reqwest::Error::without_url)?;
        let (status, headers) = (received.status(), received.headers().clone());
        let (mut stream, mut body) = (received.bytes_stream(), Vec::new());
        while let Some(part) = stream.next().await {
            body.extend_from_slice(&part.map_err(reqwest::Error::without_url)?);
            ensure!(body.len() <= MAX_BYTES, "the response is too long");
        }
        let mut response = HttpResponse::new(body);
        *response.status_mut() = status;
        *response.headers_mut() = headers;
        Ok(response)
    }

    /// Checks a URL that the provider names. IP addresses in it are never resolved.
    pub(super) fn check(&self, url: &Uri) -> anyhow::Result<()> {
        let is_allowed = match url.scheme_str() {
            Some("https") => !self.is_limited || WebhookUrl::parse(&url.to_string(), false).is_ok(),
            Some("http") => self.allow_http,
            _ => false,
        };
        ensure!(is_allowed, "the address is not https, or in a private network");
        Ok(())
    }
}
