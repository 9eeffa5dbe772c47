//! The command line's OAuth client for a Steward service. It discovers the endpoints from the service's URL (RFC 8414).

use std::time::Duration;

use anyhow::{Context as _, bail};
use reqwest::redirect::Policy;
use reqwest::{Client, Response, StatusCode};
use serde::Deserialize;
use steward_client::ServiceUrl;
use steward_domain::identity::{ClientId, GrantType};
use url::Url;

use super::credentials::Credentials;

/// Timeout of one request.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(30);

/// The endpoints that the client uses.
#[derive(Deserialize)]
struct Metadata {
    issuer: String,
    authorization_endpoint: String,
    token_endpoint: String,
    revocation_endpoint: String,
    /// `None` for an earlier version of the service.
    device_authorization_endpoint: Option<String>,
}

#[derive(Deserialize)]
struct Tokens {
    access_token: String,
    refresh_token: String,
}

/// What a person enters on another device, and what this program exchanges for tokens (RFC 8628 §3.2).
#[derive(Deserialize)]
pub struct DeviceCodes {
    pub device_code: String,
    pub user_code: String,
    pub verification_uri: String,
    /// In seconds.
    pub expires_in: u64,
    /// In seconds.
    pub interval: u64,
}

/// The response to a request for the tokens of a device.
pub enum DeviceTokens {
    Issued(Credentials),
    /// The person has not decided yet.
    Pending,
    /// The same, and the next request has to wait longer.
    SlowDown,
}

#[derive(Deserialize)]
struct ErrorResponse {
    /// Empty outside OAuth.
    #[serde(default)]
    error: String,
    message: String,
}

/// A discovered service.
pub struct Provider {
    client: Client,
    metadata: Metadata,
}

impl Provider {
    /// Discovers the service at a URL. The URL must use HTTPS unless it is on this machine.
    pub async fn discover(server: &str) -> anyhow::Result<Self> {
        let url = ServiceUrl::parse(server)?;
        let server = url.as_str();
        let client = Client::builder().redirect(Policy::none()).timeout(REQUEST_TIMEOUT);
        // Requests to this machine must not go through a proxy.
        let client = if url.is_local() { client.no_proxy() } else { client }.build()?;
        let address = format!("{server}/.well-known/openid-configuration");
        let response = client.get(&address).send().await;
        let response = successful(response.with_context(|| format!("Cannot reach {server}"))?).await?;
        let metadata: Metadata = response.json().await.with_context(|| format!("{server} is not a Steward service"))?;
        // RFC 8414 §3.3: without this check, one service could impersonate another.
        if metadata.issuer != server {
            bail!("The service at {server} identifies itself as {}. Sign in with --server {0}.", metadata.issuer);
        }
        let Metadata { authorization_endpoint, token_endpoint, revocation_endpoint, .. } = &metadata;
        let device = metadata.device_authorization_endpoint.as_ref();
        for address in [authorization_endpoint, token_endpoint, revocation_endpoint].into_iter().chain(device) {
            ServiceUrl::parse(address)?;
        }
        Ok(Self { client, metadata })
    }

    /// Returns the issuer: the required `iss` of an authorization response (RFC 9207 §2.4).
    pub fn issuer(&self) -> &str {
        &self.metadata.issuer
    }

    /// Returns the URL at which a person signs in.
    pub fn authorize(&self, parameters: &[(&str, &str)]) -> anyhow::Result<Url> {
        let mut url = Url::parse(&self.metadata.authorization_endpoint)?;
        url.query_pairs_mut().append_pair("client_id", ClientId::first_party().as_str()).extend_pairs(parameters);
        Ok(url)
    }

    /// Exchanges an authorization code for tokens.
    pub async fn tokens(&self, parameters: &[(&str, &str)]) -> anyhow::Result<Credentials> {
        self.credentials(self.post(&self.metadata.token_endpoint, parameters).await?).await
    }

    /// Begins a sign-in on another device.
    pub async fn authorize_device(&self, parameters: &[(&str, &str)]) -> anyhow::Result<DeviceCodes> {
        let endpoint = self.metadata.device_authorization_endpoint.as_ref().context(
            "This version of the service does not sign in on another device. Run `steward login --no-browser` instead.",
        )?;
        successful(self.post(endpoint, parameters).await?).await?.json().await.context("The service sent no code")
    }

    /// Asks for the tokens of a sign-in on another device.
    pub async fn device_tokens(&self, device_code: &str) -> anyhow::Result<DeviceTokens> {
        let grant = [("grant_type", GrantType::DeviceCode.as_str()), ("device_code", device_code)];
        // A service that cannot be reached or is busy is asked again, less often (RFC 8628 §3.5).
        let Ok(response) = self.post(&self.metadata.token_endpoint, &grant).await else {
            return Ok(DeviceTokens::SlowDown);
        };
        let status = response.status();
        if status == StatusCode::TOO_MANY_REQUESTS || status.is_server_error() {
            return Ok(DeviceTokens::SlowDown);
        }
        if status != StatusCode::BAD_REQUEST {
            return self.credentials(response).await.map(DeviceTokens::Issued);
        }
        let refused: ErrorResponse = response.json().await.context("The service refused the request")?;
        match refused.error.as_str() {
            "authorization_pending" => Ok(DeviceTokens::Pending),
            "slow_down" => Ok(DeviceTokens::SlowDown),
            _ => bail!("Sign-in failed: {}", refused.message),
        }
    }

    /// Exchanges a refresh token for new tokens. Returns `None` if the service rejects it.
    pub async fn refresh(&self, refresh_token: &str) -> anyhow::Result<Option<Credentials>> {
        let grant = [("grant_type", "refresh_token"), ("refresh_token", refresh_token)];
        let response = self.post(&self.metadata.token_endpoint, &grant).await?;
        if matches!(response.status(), StatusCode::BAD_REQUEST | StatusCode::UNAUTHORIZED) {
            return Ok(None);
        }
        self.credentials(response).await.map(Some)
    }

    /// Revokes the refresh token, which ends the sign-in.
    pub async fn revoke(&self, refresh_token: &str) -> anyhow::Result<()> {
        successful(self.post(&self.metadata.revocation_endpoint, &[("token", refresh_token)]).await?).await?;
        Ok(())
    }

    async fn credentials(&self, response: Response) -> anyhow::Result<Credentials> {
        let Tokens { access_token, refresh_token } = successful(response).await?.json().await?;
        Ok(Credentials { server: self.metadata.issuer.clone(), access_token, refresh_token })
    }

    async fn post(&self, address: &str, parameters: &[(&str, &str)]) -> anyhow::Result<Response> {
        let mut form = parameters.to_vec();
        let client = ClientId::first_party();
        form.push(("client_id", client.as_str()));
        self.client.post(address).form(&form).send().await.context("Cannot reach the service")
    }
}

/// Returns the response if it is successful, or else the service's error.
async fn successful(response: Response) -> anyhow::Result<Response> {
    if response.status().is_success() {
        return Ok(response);
    }
    let status = response.status();
    match response.json::<ErrorResponse>().await {
        Ok(error) => bail!("The service returned an error: {}", error.message),
        Err(_) => bail!("The service responded with status {status}."),
    }
}
