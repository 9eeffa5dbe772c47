//! The metadata and the keys of providers (OpenID Connect Discovery §3 and §4). Only members that are used are read,
//! because providers send others in formats of their own.

use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use http::Request;
use http::header::ACCEPT;
use lru::LruCache;
use openidconnect::core::CoreJsonWebKey;
use serde::Deserialize;
use serde_json::Value;
use steward_domain::identity::{IdentityProvider, ProviderError};
use steward_domain::kernel::IdentityProviderId;
use url::Url;

use super::fetch::{ProviderHttp, ProviderHttpRequest};

/// How long the metadata and the keys of a provider are kept, and how old they must be to be fetched again for a key that is not
/// among them, so that invalid tokens do not cause any number of requests.
pub(super) const METADATA_TTL: Duration = Duration::from_mins(10);
pub(super) const MIN_REFRESH_AGE: Duration = Duration::from_secs(5);
/// Maximum number of providers whose metadata is kept.
const MAX_PROVIDERS: usize = 128;
/// Maximum number of keys of a provider.
const MAX_KEYS: usize = 50;
/// How a client sends its secret in the header (OpenID Connect Core §9).
const BASIC: &str = "client_secret_basic";
const JSON: &str = "application/json";

/// The metadata as the provider sends it. Members that are null are absent.
#[derive(Deserialize)]
struct Document {
    issuer: Option<Value>,
    authorization_endpoint: Option<Value>,
    token_endpoint: Option<Value>,
    userinfo_endpoint: Option<Value>,
    jwks_uri: Option<Value>,
    token_endpoint_auth_methods_supported: Option<Value>,
}

#[derive(Deserialize)]
struct KeySet {
    keys: Vec<Value>,
}

/// What is used of a provider.
pub(super) struct Metadata {
    pub(super) authorization_endpoint: Url,
    pub(super) token_endpoint: Url,
    pub(super) userinfo_endpoint: Option<Url>,
    /// Whether the token endpoint accepts the secret of a client with HTTP Basic.
    pub(super) accepts_basic: bool,
    /// The public keys of the kinds that are known.
    pub(super) keys: Vec<CoreJsonWebKey>,
    fetched_at: Instant,
}

/// The metadata of providers.
pub(super) struct Discovered(Mutex<LruCache<IdentityProviderId, Arc<Metadata>>>);

impl Default for Discovered {
    fn default() -> Self {
        Self(Mutex::new(LruCache::new(NonZeroUsize::new(MAX_PROVIDERS).unwrap_or(NonZeroUsize::MIN))))
    }
}

impl Discovered {
    /// Returns metadata that is not older than `max_age`.
    pub(super) async fn metadata(
        &self,
        http: &ProviderHttp,
        provider: &IdentityProvider,
        max_age: Duration,
    ) -> Result<Arc<Metadata>, ProviderError> {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner).get(&provider.id).cloned();
        if let Some(kept) = kept.filter(|kept| kept.fetched_at.elapsed() < max_age) {
            return Ok(kept);
        }
        let metadata = Arc::new(fetched(http, provider).await?);
        self.0.lock().unwrap_or_else(PoisonError::into_inner).put(provider.id, metadata.clone());
        Ok(metadata)
    }
}

/// Returns the issuer that the metadata of a provider names, if the metadata has all that a sign-in needs.
pub(super) async fn issuer(http: &ProviderHttp, provider: &IdentityProvider) -> Result<String, ProviderError> {
    let document = document(http, provider).await?;
    url("authorization_endpoint", document.authorization_endpoint.as_ref())?;
    url("token_endpoint", document.token_endpoint.as_ref())?;
    url("jwks_uri", document.jwks_uri.as_ref())?;
    text("issuer", document.issuer.as_ref()).map(str::to_owned)
}

/// Fetches the metadata and the keys of a provider.
async fn fetched(http: &ProviderHttp, provider: &IdentityProvider) -> Result<Metadata, ProviderError> {
    let (document, fetched_at) = (document(http, provider).await?, Instant::now());
    let (issuer, expected) = (text("issuer", document.issuer.as_ref())?, provider.issuer.as_str());
    if issuer != expected {
        return Err(unusable(format!("`issuer` in its metadata must be {expected}, and is {issuer}")));
    }
    let set: KeySet = http.json(get(url("jwks_uri", document.jwks_uri.as_ref())?.as_str())).await?;
    // Those of unknown kinds, and for other purposes, sign nothing that is read here.
    let keys: Vec<CoreJsonWebKey> = set.keys.into_iter().filter_map(|key| serde_json::from_value(key).ok()).collect();
    if keys.len() > MAX_KEYS {
        return Err(unusable(format!("it has more than {MAX_KEYS} keys")));
    }
    // A provider that lists nothing accepts HTTP Basic.
    let methods = document.token_endpoint_auth_methods_supported.as_ref().and_then(Value::as_array);
    Ok(Metadata {
        authorization_endpoint: url("authorization_endpoint", document.authorization_endpoint.as_ref())?,
        token_endpoint: url("token_endpoint", document.token_endpoint.as_ref())?,
        userinfo_endpoint: url("userinfo_endpoint", document.userinfo_endpoint.as_ref()).ok(),
        accepts_basic: methods.is_none_or(|methods| methods.iter().any(|method| method == BASIC)),
        keys,
        fetched_at,
    })
}

async fn document(http: &ProviderHttp, provider: &IdentityProvider) -> Result<Document, ProviderError> {
    let issuer = provider.issuer.as_str();
    let issuer = issuer.strip_suffix('/').unwrap_or(issuer);
    http.json(get(&format!("{issuer}/.well-known/openid-configuration"))).await
}

fn get(url: &str) -> ProviderHttpRequest {
    Request::get(url).header(ACCEPT, JSON).body(Vec::new())
}

fn url(name: &str, value: Option<&Value>) -> Result<Url, ProviderError> {
    text(name, value)?.parse().map_err(|_| unusable(format!("`{name}` in its metadata is not a URL")))
}

fn text<'a>(name: &str, value: Option<&'a Value>) -> Result<&'a str, ProviderError> {
    value.and_then(Value::as_str).ok_or_else(|| unusable(format!("its metadata has no `{name}`")))
}

fn unusable(problem: String) -> ProviderError {
    ProviderError::Unreachable(problem)
}
