//! A Steward service as the command line's client sees it: found by its address alone (RFC 8414).

use std::time::Duration;

use anyhow::{Context as _, bail};
use reqwest::redirect::Policy;
use reqwest::{Client, Response, StatusCode};
use serde::Deserialize;
use steward_domain::model::ClientId;
use url::{Host, Url};

use crate::credentials::Credentials;

/// How long one request may take.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(30);

/// The addresses that the client needs.
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

/// The service.
pub struct Provider {
    client: Client,
    metadata: Metadata,
}

impl Provider {
    /// Finds the service at an address. Over a network it must be https.
    pub async fn discover(server: &str) -> anyhow::Result<Self> {
        let server = server.trim_end_matches('/');
        let client = Client::builder().redirect(Policy::none()).timeout(REQUEST_TIMEOUT);
        // What stays on this machine must not be told to a proxy.
        let client = if check(server)? { client.no_proxy() } else { client }.build()?;
        let address = format!("{server}/.well-known/openid-configuration");
        let found = client.get(&address).send().await;
        let found = good(found.with_context(|| format!("{server} cannot be reached"))?).await?;
        let metadata: Metadata = found.json().await.with_context(|| format!("{server} is no Steward service"))?;
        // RFC 8414 §3.3: else one service could pose as another.
        if metadata.issuer != server {
            bail!("the service at {server} calls itself {}; sign in with --server {0}", metadata.issuer);
        }
        let Metadata { authorization_endpoint, token_endpoint, userinfo_endpoint, revocation_endpoint, .. } = &metadata;
        for address in [authorization_endpoint, token_endpoint, userinfo_endpoint, revocation_endpoint] {
            check(address)?;
        }
        Ok(Self { client, metadata })
    }

    /// Who answers: what the answer's `iss` must be (RFC 9207 §2.4).
    pub fn issuer(&self) -> &str {
        &self.metadata.issuer
    }

    /// Where a person signs in.
    pub fn authorize(&self, parameters: &[(&str, &str)]) -> anyhow::Result<Url> {
        let mut url = Url::parse(&self.metadata.authorization_endpoint)?;
        url.query_pairs_mut().append_pair("client_id", ClientId::first_party().as_str()).extend_pairs(parameters);
        Ok(url)
    }

    /// Turns a code or a refresh token into tokens.
    pub async fn tokens(&self, parameters: &[(&str, &str)]) -> anyhow::Result<Credentials> {
        let answer = self.post(&self.metadata.token_endpoint, parameters).await?;
        let tokens: Tokens = good(answer).await?.json().await?;
        Ok(Credentials {
            server: self.metadata.issuer.clone(),
            access_token: tokens.access_token,
            refresh_token: tokens.refresh_token,
        })
    }

    /// Ends the sign-in.
    pub async fn revoke(&self, refresh_token: &str) -> anyhow::Result<()> {
        good(self.post(&self.metadata.revocation_endpoint, &[("token", refresh_token)]).await?).await?;
        Ok(())
    }

    /// Who is signed in. `None`: the access token is not good any more.
    pub async fn userinfo(&self, access_token: &str) -> anyhow::Result<Option<serde_json::Value>> {
        let request = self.client.get(&self.metadata.userinfo_endpoint).bearer_auth(access_token);
        let answer = request.send().await.context("the service cannot be reached")?;
        if answer.status() == StatusCode::UNAUTHORIZED {
            return Ok(None);
        }
        Ok(Some(good(answer).await?.json().await?))
    }

    async fn post(&self, address: &str, parameters: &[(&str, &str)]) -> anyhow::Result<Response> {
        let mut form = parameters.to_vec();
        let client = ClientId::first_party();
        form.push(("client_id", client.as_str()));
        self.client.post(address).form(&form).send().await.context("the service cannot be reached")
    }
}

/// Refuses an address at which tokens could be read on the way. Tells whether it is on this machine.
fn check(server: &str) -> anyhow::Result<bool> {
    let url = Url::parse(server).with_context(|| format!("{server} is no address; send one like https://host"))?;
    let here = match url.host() {
        Some(Host::Domain(name)) => name == "localhost",
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    };
    match url.scheme() {
        "https" => Ok(here),
        "http" if here => Ok(true),
        _ => bail!("{server} must be https: over http anybody on the way reads the tokens"),
    }
}

/// The answer, or why the service refused.
async fn good(answer: Response) -> anyhow::Result<Response> {
    if answer.status().is_success() {
        return Ok(answer);
    }
    let status = answer.status();
    match answer.json::<ErrorResponse>().await {
        Ok(refusal) => bail!("the service refused: {}", refusal.message),
        Err(_) => bail!("the service answered {status}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_travel_over_tls_or_stay_on_this_machine() {
        for good in ["https://steward.example", "http://localhost:3003", "http://127.0.0.1:1", "http://[::1]:1"] {
            assert!(check(good).is_ok(), "{good}");
        }
        assert!(!check("https://steward.example").unwrap() && check("http://localhost:3003").unwrap());
        for bad in
            ["http://steward.example", "http://localhost.evil.example", "file:///etc/hostname", "steward.example"]
        {
            assert!(check(bad).is_err(), "{bad}");
        }
    }
}
