//! Requests to providers: without redirects, of limited size and duration, and for providers of projects not to private
//! networks.

use std::sync::Arc;
use std::time::Duration;

use anyhow::ensure;
use futures_util::StreamExt as _;
use http::{Request, Response, Uri};
use reqwest::Client;
use reqwest::header::{HeaderValue, USER_AGENT};
use reqwest::redirect::Policy;
use serde::de::DeserializeOwned;
use steward_domain::administration::WebhookUrl;
use steward_domain::identity::{IdentityProvider, ProviderError};

use crate::public_only::PublicOnly;

/// Timeout for connecting.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(2);
/// Metadata, keys and tokens have some kilobytes.
const MAX_BYTES: usize = 64 * 1024;
/// Maximum number of names that are resolved at once: each occupies a thread until its resolver gives up.
const MAX_RESOLVING: usize = 64;
const AGENT: HeaderValue = HeaderValue::from_static(concat!("Steward/", env!("CARGO_PKG_VERSION")));

/// A request to a provider, which may not have been valid to build: providers choose parts of it.
pub(super) type ProviderHttpRequest = http::Result<Request<Vec<u8>>>;

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
    /// Sends a request. Returns the response, whatever its status is.
    pub(super) async fn send(&self, request: ProviderHttpRequest) -> Result<Response<Vec<u8>>, ProviderError> {
        let request = request.map_err(unreachable)?;
        let host = request.uri().host().unwrap_or_default().to_owned();
        self.response(request).await.map_err(|error| ProviderError::Unreachable(format!("{host}: {error:#}")))
    }

    /// Sends a request. Returns the response if it is successful.
    pub(super) async fn successful(&self, request: ProviderHttpRequest) -> Result<Response<Vec<u8>>, ProviderError> {
        let request = request.map_err(unreachable)?;
        let address = format!("{}{}", request.uri().host().unwrap_or_default(), request.uri().path());
        let response = self.send(Ok(request)).await?;
        if !response.status().is_success() {
            return Err(ProviderError::Invalid(format!("{address}: the status was {}", response.status().as_u16())));
        }
        Ok(response)
    }

    /// Sends a request. Returns the JSON of a successful response, whatever media type it has.
    pub(super) async fn json<T: DeserializeOwned>(&self, request: ProviderHttpRequest) -> Result<T, ProviderError> {
        let response = self.successful(request).await?;
        // The text of the error could contain a part of a token.
        serde_json::from_slice(response.body())
            .map_err(|_| ProviderError::Invalid("the response is not the expected JSON".to_owned()))
    }

    async fn response(&self, mut request: Request<Vec<u8>>) -> anyhow::Result<Response<Vec<u8>>> {
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
        let mut response = Response::new(body);
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

/// The error of a provider that cannot be used, with its causes.
pub(super) fn unreachable(error: impl Into<anyhow::Error>) -> ProviderError {
    ProviderError::Unreachable(format!("{:#}", error.into()))
}
