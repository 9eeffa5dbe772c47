//! Signing in at identity providers: OpenID Connect, and GitHub, whose OAuth is not OpenID Connect.

mod claims;
mod discovery;
mod fetch;
mod github;
mod identity;
mod in_progress;
mod openid_connect;
mod signed_jwt;

use std::time::Duration;

use async_trait::async_trait;
use steward_domain::identity::{
    IdentityProvider, IdentityProviderClient, ProviderError, ProviderIdentity, ProviderKind, ProviderRequest,
    ProviderResponse,
};
use steward_domain::kernel::{Secret, is_control};
use tokio::time::timeout;

use self::discovery::Discovered;
use self::fetch::{HttpClients, ProviderHttp};
use self::in_progress::InProgress;
use self::openid_connect::OpenIdConnect;

/// Maximum length of the reason of a failure, in characters.
const MAX_REASON_CHARS: usize = 300;
/// A person waits, and the request has to be answered within the time of its lane.
const TIMEOUT: Duration = Duration::from_millis(3_500);

/// Signs in at identity providers over HTTP.
pub struct HttpIdentityProviders {
    clients: HttpClients,
    discovered: Discovered,
    in_progress: InProgress,
}

impl HttpIdentityProviders {
    /// Creates a client. `allow_private` allows http, and providers of projects in private networks. Those of the service may
    /// always be in private networks, because the operator chooses them.
    pub fn new(allow_private: bool) -> Result<Self, reqwest::Error> {
        Ok(Self {
            clients: HttpClients::new(allow_private)?,
            discovered: Discovered::default(),
            in_progress: InProgress::default(),
        })
    }

    fn openid_connect<'a>(&'a self, http: &'a ProviderHttp, provider: &'a IdentityProvider) -> OpenIdConnect<'a> {
        OpenIdConnect { http, discovered: &self.discovered, provider }
    }

    /// Runs a step within its time.
    async fn run<T>(
        &self,
        provider: &IdentityProvider,
        step: impl Future<Output = Result<T, ProviderError>>,
    ) -> Result<T, ProviderError> {
        let Some(_slot) = self.in_progress.begin(provider) else { return Err(ProviderError::Busy) };
        match timeout(TIMEOUT, step).await {
            Ok(result) => result.map_err(printable),
            Err(_) => Err(ProviderError::Unreachable("it did not respond in time".to_owned())),
        }
    }

    /// Runs a step of a sign-in within its time, and logs why it failed.
    async fn run_sign_in<T>(
        &self,
        provider: &IdentityProvider,
        step: impl Future<Output = Result<T, ProviderError>>,
    ) -> Result<T, ProviderError> {
        let result = self.run(provider, step).await;
        if let Err(error) = &result {
            let (id, project) = (provider.id.to_string(), provider.project_id.map(|id| id.to_string()));
            let (issuer, claim, error) = (provider.issuer.as_str(), error.claim(), error.to_string());
            tracing::warn!(provider = id, issuer, project, claim, error, "A sign-in at an identity provider failed.");
        }
        result
    }
}

/// Returns an error whose text, of which providers choose a part, is short and on one line.
fn printable(error: ProviderError) -> ProviderError {
    let short = |text: String| text.chars().filter(|c| !is_control(*c)).take(MAX_REASON_CHARS).collect();
    match error {
        ProviderError::Unreachable(reason) => ProviderError::Unreachable(short(reason)),
        ProviderError::Invalid(reason) => ProviderError::Invalid(short(reason)),
        ProviderError::Claim { name, problem } => ProviderError::Claim { name, problem: short(problem) },
        ProviderError::Busy => ProviderError::Busy,
    }
}

#[async_trait]
impl IdentityProviderClient for HttpIdentityProviders {
    async fn issuer(&self, provider: &IdentityProvider) -> Result<String, ProviderError> {
        let http = self.clients.of(provider);
        self.run(provider, discovery::issuer(&http, provider)).await
    }

    async fn authorization_url(
        &self,
        provider: &IdentityProvider,
        request: &ProviderRequest,
    ) -> Result<String, ProviderError> {
        let http = self.clients.of(provider);
        let step = async {
            match provider.kind {
                ProviderKind::GitHub => github::authorization_url(provider, request),
                _ => self.openid_connect(&http, provider).authorization_url(request).await,
            }
        };
        self.run_sign_in(provider, step).await
    }

    async fn identity<'a>(
        &self,
        provider: &IdentityProvider,
        client_secret: Option<&'a Secret>,
        response: &ProviderResponse,
    ) -> Result<ProviderIdentity, ProviderError> {
        let http = self.clients.of(provider);
        let step = async {
            // A response that names another issuer was mixed up (RFC 9207 §2.4).
            if response.issuer.as_deref().is_some_and(|issuer| issuer != provider.issuer.as_str()) {
                return Err(claims::refused("iss", "of the response is that of another provider"));
            }
            match provider.kind {
                ProviderKind::GitHub => github::identity(&http, provider, client_secret, response).await,
                _ => self.openid_connect(&http, provider).identity(client_secret, response).await,
            }
        };
        self.run_sign_in(provider, step).await
    }
}
