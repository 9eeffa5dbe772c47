//! OpenID Connect: discovery, and the code flow with PKCE (OpenID Connect Core §3.1, RFC 7636, RFC 9700).

use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use chrono::{DateTime, Utc};
use futures_util::future::{BoxFuture, FutureExt as _};
use lru::LruCache;
use openidconnect::core::{
    CoreAuthenticationFlow, CoreClient, CoreClientAuthMethod, CoreIdTokenClaims, CoreJwsSigningAlgorithm,
    CoreProviderMetadata, CoreTokenResponse, CoreUserInfoClaims,
};
use openidconnect::{
    AccessTokenHash, AuthType, AuthenticationFlow, AuthorizationCode, ClaimsVerificationError, ClientId, ClientSecret,
    CsrfToken, EndUserName, HttpRequest, HttpResponse, IssuerUrl, LocalizedClaim, LoginHint, Nonce,
    OAuth2TokenResponse as _, PkceCodeVerifier, RedirectUrl, RequestTokenError, Scope, SignatureVerificationError,
    TokenResponse as _,
};
use steward_domain::model::{IdentityProvider, IdentityProviderId, ProviderIdentity, ProviderKind, Secret};
use steward_domain::ports::{ProviderError, ProviderRequest, ProviderResponse};

use super::fetch::{FetchError, ProviderHttp};
use super::identity::identity_of;

/// How long the metadata and the keys of a provider are kept, and how old they must be to be fetched again for a key that is not
/// among them, so that invalid tokens do not cause any number of requests.
const METADATA_TTL: Duration = Duration::from_mins(10);
const MIN_REFRESH_AGE: Duration = Duration::from_secs(5);
/// Maximum number of providers whose metadata is kept.
const MAX_PROVIDERS: usize = 128;
/// Maximum number of keys of a provider.
const MAX_KEYS: usize = 50;
/// The algorithms of ID tokens that are accepted. Not those with a shared secret, and not `none`.
const ALGORITHMS: [CoreJwsSigningAlgorithm; 9] = [
    CoreJwsSigningAlgorithm::RsaSsaPkcs1V15Sha256,
    CoreJwsSigningAlgorithm::RsaSsaPkcs1V15Sha384,
    CoreJwsSigningAlgorithm::RsaSsaPkcs1V15Sha512,
    CoreJwsSigningAlgorithm::RsaSsaPssSha256,
    CoreJwsSigningAlgorithm::RsaSsaPssSha384,
    CoreJwsSigningAlgorithm::RsaSsaPssSha512,
    CoreJwsSigningAlgorithm::EcdsaP256Sha256,
    CoreJwsSigningAlgorithm::EcdsaP384Sha384,
    CoreJwsSigningAlgorithm::EdDsa,
];
/// How far the clocks of a provider and of this service may differ.
const TOLERANCE: Duration = Duration::from_mins(1);

/// The metadata of providers.
pub(super) struct Discovered(Mutex<LruCache<IdentityProviderId, Arc<Metadata>>>);

struct Metadata {
    provider: CoreProviderMetadata,
    fetched_at: Instant,
}

impl Default for Discovered {
    fn default() -> Self {
        Self(Mutex::new(LruCache::new(NonZeroUsize::new(MAX_PROVIDERS).unwrap_or(NonZeroUsize::MIN))))
    }
}

impl Discovered {
    /// Returns metadata that is not older than `max_age`.
    async fn metadata(
        &self,
        http: &ProviderHttp,
        provider: &IdentityProvider,
        max_age: Duration,
    ) -> Result<Arc<Metadata>, ProviderError> {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner).get(&provider.id).cloned();
        if let Some(kept) = kept.filter(|kept| kept.fetched_at.elapsed() < max_age) {
            return Ok(kept);
        }
        let issuer = IssuerUrl::new(provider.issuer.as_str().to_owned()).map_err(unreachable)?;
        let http = sender(http);
        let found = CoreProviderMetadata::discover_async(issuer, &http).await.map_err(unreachable)?;
        if found.jwks().keys().len() > MAX_KEYS {
            return Err(ProviderError::Unreachable(format!("it has more than {MAX_KEYS} keys")));
        }
        let metadata = Arc::new(Metadata { provider: found, fetched_at: Instant::now() });
        self.0.lock().unwrap_or_else(PoisonError::into_inner).put(provider.id, metadata.clone());
        Ok(metadata)
    }
}

/// Returns the URL of the authentication request.
pub(super) async fn authorization_url(
    http: &ProviderHttp,
    discovered: &Discovered,
    provider: &IdentityProvider,
    request: &ProviderRequest,
) -> Result<String, ProviderError> {
    let metadata = discovered.metadata(http, provider, METADATA_TTL).await?;
    let endpoint = metadata.provider.authorization_endpoint().url();
    http.check(&endpoint.as_str().parse().map_err(unreachable)?).map_err(unreachable)?;
    let (state, nonce) = (request.state.expose().to_owned(), request.nonce.expose().to_owned());
    let client = client_of(provider, &metadata.provider, None).set_redirect_uri(redirect_uri(&request.redirect_uri)?);
    let flow: AuthenticationFlow<_> = CoreAuthenticationFlow::AuthorizationCode;
    let mut url = client
        .authorize_url(flow, || CsrfToken::new(state), || Nonce::new(nonce))
        .add_scopes(scopes(provider.kind).map(|scope| Scope::new(scope.to_owned())))
        .add_extra_param("code_challenge", request.code_challenge.clone())
        .add_extra_param("code_challenge_method", "S256");
    if let Some(hint) = &request.login_hint {
        url = url.set_login_hint(LoginHint::new(hint.clone()));
    }
    if request.must_authenticate {
        url = url.set_max_age(Duration::ZERO).add_extra_param("prompt", "login");
    }
    if provider.kind == ProviderKind::Apple {
        // Apple returns the address only in a form.
        url = url.add_extra_param("response_mode", "form_post");
    }
    let (url, ..) = url.url();
    Ok(url.into())
}

const fn scopes(kind: ProviderKind) -> [&'static str; 2] {
    match kind {
        ProviderKind::Apple => ["email", "name"],
        _ => ["email", "profile"],
    }
}

/// Redeems the code, and returns whose it is.
pub(super) async fn identity(
    http: &ProviderHttp,
    discovered: &Discovered,
    provider: &IdentityProvider,
    client_secret: Option<&Secret>,
    response: &ProviderResponse,
) -> Result<ProviderIdentity, ProviderError> {
    let metadata = discovered.metadata(http, provider, METADATA_TTL).await?;
    let send = sender(http);
    let tokens: CoreTokenResponse = client_of(provider, &metadata.provider, client_secret)
        .set_redirect_uri(redirect_uri(&response.redirect_uri)?)
        .exchange_code(AuthorizationCode::new(response.code.expose().to_owned()))
        .map_err(unreachable)?
        .set_pkce_verifier(PkceCodeVerifier::new(response.code_verifier.expose().to_owned()))
        .request_async(&send)
        .await
        .map_err(|error| match error {
            RequestTokenError::ServerResponse(refusal) => ProviderError::Invalid(refusal.error().to_string()),
            RequestTokenError::Request(error) => unreachable(error),
            other => ProviderError::Invalid(other.to_string()),
        })?;
    let claims = match claims(provider, &metadata.provider, &tokens, response) {
        // The provider may have a new key.
        Err(ClaimsVerificationError::SignatureVerification(SignatureVerificationError::NoMatchingKey)) => {
            let metadata = discovered.metadata(http, provider, MIN_REFRESH_AGE).await?;
            claims(provider, &metadata.provider, &tokens, response)
        }
        result => result,
    };
    let claims = claims.map_err(|error| ProviderError::Invalid(error.to_string()))?;
    let mut email = claims.email().map(|email| (email.to_string(), claims.email_verified()));
    let mut name = claims.name().and_then(localized);
    let client = client_of(provider, &metadata.provider, client_secret);
    if email.is_none() && metadata.provider.userinfo_endpoint().is_some() {
        // It must be about the same person.
        let subject = Some(claims.subject().clone());
        let request = client.user_info(tokens.access_token().clone(), subject).map_err(unreachable)?;
        let person: CoreUserInfoClaims = request.request_async(&send).await.map_err(unreachable)?;
        email = person.email().map(|email| (email.to_string(), person.email_verified()));
        name = name.or_else(|| person.name().and_then(localized));
    }
    let email = email.as_ref().map(|(email, is_verified)| (email.as_str(), *is_verified));
    identity_of(claims.subject(), email, name.as_deref())
}

/// Returns the function with which the library sends requests.
fn sender(http: &ProviderHttp) -> impl Fn(HttpRequest) -> BoxFuture<'static, Result<HttpResponse, FetchError>> + use<> {
    let http = http.clone();
    move |request| http.clone().send(request).boxed()
}

/// Verifies the ID token (OpenID Connect Core §3.1.3.7).
fn claims(
    provider: &IdentityProvider,
    metadata: &CoreProviderMetadata,
    tokens: &CoreTokenResponse,
    response: &ProviderResponse,
) -> Result<CoreIdTokenClaims, ClaimsVerificationError> {
    let client = client_of(provider, metadata, None);
    let after = response.authenticated_after;
    let verifier = client
        .id_token_verifier()
        .set_allowed_algs(ALGORITHMS)
        .set_auth_time_verifier_fn(move |at| check_authenticated(at, after));
    let other = |problem: &str| ClaimsVerificationError::Other(problem.to_owned());
    let token = tokens.id_token().ok_or_else(|| other("the response has no ID token"))?;
    let claims = token.claims(&verifier, &Nonce::new(response.nonce.expose().to_owned()))?;
    if let Some(expected) = claims.access_token_hash() {
        let (algorithm, key) = (token.signing_alg(), token.signing_key(&verifier));
        let algorithm = algorithm.map_err(|_| other("the algorithm is unknown"))?;
        let key = key.map_err(ClaimsVerificationError::SignatureVerification)?;
        let actual = AccessTokenHash::from_token(tokens.access_token(), algorithm, key);
        if actual.ok().as_ref() != Some(expected) {
            return Err(other("the ID token belongs to another access token"));
        }
    }
    Ok(claims.clone())
}

/// Checks that the person authenticated after this time. Not all providers say when.
fn check_authenticated(at: Option<DateTime<Utc>>, after: Option<DateTime<Utc>>) -> Result<(), String> {
    let (Some(at), Some(after)) = (at, after) else { return Ok(()) };
    if at + TOLERANCE >= after { Ok(()) } else { Err("the person did not authenticate again".to_owned()) }
}

type Client = CoreClient<
    openidconnect::EndpointSet,
    openidconnect::EndpointNotSet,
    openidconnect::EndpointNotSet,
    openidconnect::EndpointNotSet,
    openidconnect::EndpointMaybeSet,
    openidconnect::EndpointMaybeSet,
>;

fn client_of(provider: &IdentityProvider, metadata: &CoreProviderMetadata, secret: Option<&Secret>) -> Client {
    let id = ClientId::new(provider.client_id.as_str().to_owned());
    let secret = secret.map(|secret| ClientSecret::new(secret.expose().to_owned()));
    let client = CoreClient::from_provider_metadata(metadata.clone(), id, secret);
    // A provider that lists nothing accepts HTTP Basic (OpenID Connect Discovery §3).
    let methods = metadata.token_endpoint_auth_methods_supported();
    let accepts_basic = methods.is_none_or(|methods| methods.contains(&CoreClientAuthMethod::ClientSecretBasic));
    client.set_auth_type(if accepts_basic { AuthType::BasicAuth } else { AuthType::RequestBody })
}

fn redirect_uri(text: &str) -> Result<RedirectUrl, ProviderError> {
    RedirectUrl::new(text.to_owned()).map_err(unreachable)
}

/// Returns a name in any language.
fn localized(name: &LocalizedClaim<EndUserName>) -> Option<String> {
    let in_any = || name.iter().next().map(|(_, name)| name);
    name.get(None).or_else(in_any).map(|name| name.to_string())
}

/// The error of a provider that cannot be used, with its causes.
fn unreachable(error: impl Into<anyhow::Error>) -> ProviderError {
    ProviderError::Unreachable(format!("{:#}", error.into()))
}
