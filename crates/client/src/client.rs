//! The client and its builder.

use std::sync::Arc;
use std::time::Duration;

use reqwest::Method;
use url::Url;

use crate::transport::{self, Transport};
use crate::{Credential, Error, Request, ServiceUrl};

/// Timeout of one attempt, unless the builder or the request sets another one.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(30);
const MAX_RETRIES: u32 = 4;

/// Client of one service. It is cheap to clone, and clones share their connections.
#[derive(Debug, Clone)]
pub struct Client {
    pub(crate) transport: Arc<Transport>,
}

impl Client {
    /// Returns a builder for a client of the service at a URL.
    pub fn builder(server: impl Into<String>) -> ClientBuilder {
        ClientBuilder {
            server: server.into(),
            credential: Credential::None,
            user_agent: concat!("steward-client/", env!("CARGO_PKG_VERSION")).to_owned(),
            timeout: REQUEST_TIMEOUT,
            max_retries: MAX_RETRIES,
            http: None,
        }
    }

    /// Returns the URL of the service.
    pub fn server(&self) -> &ServiceUrl {
        &self.transport.server
    }

    /// Returns a client of the same service with another credential, such as that of another person. Both share their
    /// connections.
    pub fn with_credential(&self, credential: Credential) -> Self {
        Self { transport: Arc::new(Transport { credential, ..Transport::clone(&self.transport) }) }
    }

    /// Returns a request for any operation of the API. The path starts with a slash and may have a query.
    pub fn request(&self, method: Method, path: &str) -> Request {
        self.at(method, self.transport.server.at_path(path))
    }

    /// Returns a request for a URL of the service.
    pub(crate) fn at(&self, method: Method, url: Result<Url, Error>) -> Request {
        Request::new(self.transport.clone(), method, url)
    }
}

/// Builds a [`Client`].
#[derive(Debug, Clone)]
#[must_use]
pub struct ClientBuilder {
    server: String,
    credential: Credential,
    user_agent: String,
    timeout: Duration,
    max_retries: u32,
    http: Option<reqwest::Client>,
}

impl ClientBuilder {
    /// Sets how the client authenticates.
    pub fn credential(self, credential: Credential) -> Self {
        Self { credential, ..self }
    }

    /// Sets the `User-Agent` header.
    pub fn user_agent(self, user_agent: impl Into<String>) -> Self {
        Self { user_agent: user_agent.into(), ..self }
    }

    /// Sets the timeout of one attempt: 30 seconds by default.
    pub fn timeout(self, timeout: Duration) -> Self {
        Self { timeout, ..self }
    }

    /// Sets the HTTP client of all requests, for example with a proxy or certificates of your own. `timeout` and
    /// `user_agent` are then those of this client. It must not follow redirects, which could lead to another service:
    /// see [`Policy::none`](reqwest::redirect::Policy::none). For live items over HTTPS, it has
    /// [`http1_only`](reqwest::ClientBuilder::http1_only), because HTTP/2 has no upgrades, and no timeout, which would
    /// end their connection.
    pub fn http_client(self, http: reqwest::Client) -> Self {
        Self { http: Some(http), ..self }
    }

    /// Sets how many times a request is retried: 4 by default.
    pub fn max_retries(self, max_retries: u32) -> Self {
        Self { max_retries, ..self }
    }

    /// Builds the client.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidServer`] if the URL is not valid or tokens could be intercepted.
    pub fn build(self) -> Result<Client, Error> {
        let server = ServiceUrl::parse(&self.server)?;
        let build = || transport::http(&server, &self.user_agent).timeout(self.timeout).build();
        #[cfg(feature = "live")]
        let user_agent = self.http.is_none().then(|| self.user_agent.clone());
        let http = self.http.map_or_else(build, Ok);
        let http = http.map_err(|source| Error::transport(server.as_str(), source))?;
        let transport = Transport {
            http,
            server,
            credential: self.credential,
            max_retries: self.max_retries,
            #[cfg(feature = "live")]
            user_agent,
        };
        Ok(Client { transport: Arc::new(transport) })
    }
}
