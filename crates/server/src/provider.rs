//! The command line's client for a Steward service. It discovers the endpoints from the service's URL (RFC 8414).

use std::time::Duration;

use anyhow::{Context as _, bail};
use reqwest::redirect::Policy;
use reqwest::{Client, Response, StatusCode};
use serde::Deserialize;
use steward_domain::model::ClientId;
use url::{Host, Url};

use crate::credentials::Credentials;

/// Timeout of one request.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(30);

/// The endpoints that the client uses.
#[derive(Deserialize)]
struct Metadata {
    issuer: String,
    authorization_endpoint: String,
    token_endpoint: String,
    userinfo_endpoint: String,
    revocation_endpoint: String,
}

#[derive(Deserialize)]
struct Tokens {
    access_token: String,
    refresh_token: String,
}

#[derive(Deserialize)]
struct ErrorResponse {
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
        let server = server.trim_end_matches('/');
        let client = Client::builder().redirect(Policy::none()).timeout(REQUEST_TIMEOUT);
        // Requests to this machine must not go through a proxy.
        let client = if check(server)? { client.no_proxy() } else { client }.build()?;
        let address = format!("{server}/.well-known/openid-configuration");
        let response = client.get(&address).send().await;
        let response = successful(response.with_context(|| format!("Cannot reach {server}"))?).await?;
        let metadata: Metadata = response.json().await.with_context(|| format!("{server} is not a Steward service"))?;
        // RFC 8414 §3.3: without this check, one service could impersonate another.
        if metadata.issuer != server {
            bail!("The service at {server} identifies itself as {}. Sign in with --server {0}.", metadata.issuer);
        }
        let Metadata { authorization_endpoint, token_endpoint, userinfo_endpoint, revocation_endpoint, .. } = &metadata;
        for address in [authorization_endpoint, token_endpoint, userinfo_endpoint, revocation_endpoint] {
            check(address)?;
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

    /// Exchanges an authorization code or a refresh token for tokens.
    pub async fn tokens(&self, parameters: &[(&str, &str)]) -> anyhow::Result<Credentials> {
        let response = self.post(&self.metadata.token_endpoint, parameters).await?;
        let tokens: Tokens = successful(response).await?.json().await?;
        Ok(Credentials {
            server: self.metadata.issuer.clone(),
            access_token: tokens.access_token,
            refresh_token: tokens.refresh_token,
        })
    }

    /// Revokes the refresh token, which ends the sign-in.
    pub async fn revoke(&self, refresh_token: &str) -> anyhow::Result<()> {
        successful(self.post(&self.metadata.revocation_endpoint, &[("token", refresh_token)]).await?).await?;
        Ok(())
    }

    /// Returns the signed-in account, or `None` if the access token is no longer valid.
    pub async fn userinfo(&self, access_token: &str) -> anyhow::Result<Option<serde_json::Value>> {
        let request = self.client.get(&self.metadata.userinfo_endpoint).bearer_auth(access_token);
        let response = request.send().await.context("Cannot reach the service")?;
        if response.status() == StatusCode::UNAUTHORIZED {
            return Ok(None);
        }
        Ok(Some(successful(response).await?.json().await?))
    }

    async fn post(&self, address: &str, parameters: &[(&str, &str)]) -> anyhow::Result<Response> {
        let mut form = parameters.to_vec();
        let client = ClientId::first_party();
        form.push(("client_id", client.as_str()));
        self.client.post(address).form(&form).send().await.context("Cannot reach the service")
    }
}

/// Rejects a URL over which tokens could be intercepted. Returns whether the URL is on this machine.
fn check(server: &str) -> anyhow::Result<bool> {
    let url = Url::parse(server).with_context(|| format!("{server:?} is not a valid URL, such as https://host"))?;
    let is_local = match url.host() {
        Some(Host::Domain(name)) => name == "localhost",
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    };
    match url.scheme() {
        "https" => Ok(is_local),
        "http" if is_local => Ok(true),
        _ => bail!("{server} must use HTTPS. Over HTTP, others on the network can read the tokens."),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_sent_over_tls_or_stay_on_this_machine() {
        for valid in ["https://steward.example", "http://localhost:3003", "http://127.0.0.1:1", "http://[::1]:1"] {
            assert!(check(valid).is_ok(), "{valid}");
        }
        assert!(!check("https://steward.example").unwrap() && check("http://localhost:3003").unwrap());
        for invalid in
            ["http://steward.example", "http://localhost.evil.example", "file:///etc/hostname", "steward.example"]
        {
            assert!(check(invalid).is_err(), "{invalid}");
        }
    }
}
