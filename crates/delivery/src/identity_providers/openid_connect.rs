//! OpenID Connect: the code flow with PKCE (OpenID Connect Core §3.1, RFC 7636, RFC 9700).

use std::sync::Arc;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http::Request;
use http::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HeaderValue};
use openidconnect::core::CoreJsonWebKey;
use serde::Deserialize;
use serde_json::Value;
use steward_domain::identity::{
    IdentityProvider, ProviderError, ProviderIdentity, ProviderKind, ProviderRequest, ProviderResponse,
};
use steward_domain::kernel::Secret;
use url::{Url, form_urlencoded};

use super::claims::{Claims, refused};
use super::discovery::{Discovered, METADATA_TTL, MIN_REFRESH_AGE, Metadata};
use super::fetch::{ProviderHttp, ProviderHttpRequest, unreachable};
use super::identity::identity_of;
use super::signed_jwt::SignedJwt;

/// The media type of a userinfo response that is signed (OpenID Connect Core §5.3.2).
const JWT: &str = "application/jwt";

/// The members of a token response that are used, or of an error (RFC 6749 §5).
#[derive(Deserialize)]
struct TokenResponse {
    access_token: Option<Value>,
    id_token: Option<Value>,
    error: Option<Value>,
}

/// What the code was redeemed for.
struct Tokens {
    /// Empty if the provider sent none.
    access: Secret,
    id: String,
}

/// A provider that speaks OpenID Connect.
pub(super) struct OpenIdConnect<'a> {
    pub(super) http: &'a ProviderHttp,
    pub(super) discovered: &'a Discovered,
    pub(super) provider: &'a IdentityProvider,
}

impl OpenIdConnect<'_> {
    async fn metadata(&self, max_age: Duration) -> Result<Arc<Metadata>, ProviderError> {
        self.discovered.metadata(self.http, self.provider, max_age).await
    }

    /// Returns the URL of the authentication request.
    pub(super) async fn authorization_url(&self, request: &ProviderRequest) -> Result<String, ProviderError> {
        let (http, provider) = (self.http, self.provider);
        let metadata = self.metadata(METADATA_TTL).await?;
        let mut url: Url = metadata.authorization_endpoint.clone();
        http.check(&url.as_str().parse().map_err(unreachable)?).map_err(unreachable)?;
        let mut query = url.query_pairs_mut();
        query
            .append_pair("response_type", "code")
            .append_pair("client_id", provider.client_id.as_str())
            .append_pair("redirect_uri", &request.redirect_uri)
            .append_pair("scope", scopes(provider.kind))
            .append_pair("state", request.state.expose())
            .append_pair("nonce", request.nonce.expose())
            .append_pair("code_challenge", &request.code_challenge)
            .append_pair("code_challenge_method", "S256")
            .extend_pairs(request.login_hint.as_ref().map(|hint| ("login_hint", hint)));
        if request.must_authenticate {
            query.append_pair("max_age", "0").append_pair("prompt", "login");
        }
        if provider.kind == ProviderKind::Apple {
            // Apple returns the address only in a form.
            query.append_pair("response_mode", "form_post");
        }
        drop(query);
        Ok(url.into())
    }

    /// Redeems the code, and returns whose it is.
    pub(super) async fn identity(
        &self,
        client_secret: Option<&Secret>,
        response: &ProviderResponse,
    ) -> Result<ProviderIdentity, ProviderError> {
        let (provider, metadata) = (self.provider, self.metadata(METADATA_TTL).await?);
        let tokens = self.redeem(self.token_request(&metadata, client_secret, response)).await?;
        let jwt = SignedJwt::parse(&tokens.id)?;
        let key = self.signing_key(&jwt).await?;
        let claims = jwt.claims()?;
        claims.check_issuer(provider)?;
        claims.check_audience(provider)?;
        claims.check_expiry(response.received_at)?;
        claims.check_nonce(response.nonce.expose())?;
        claims.check_authenticated(response.authenticated_after)?;
        claims.check_access_token(&jwt.hash_of(tokens.access.expose(), &key))?;
        let subject = claims.subject()?;
        // Some providers share the address only there.
        let more = match &metadata.userinfo_endpoint {
            Some(endpoint) if claims.email().is_none() && !tokens.access.expose().is_empty() => {
                let more = self.userinfo(endpoint, &tokens.access).await?;
                if more.subject()? != subject {
                    return Err(refused("sub", "of the userinfo endpoint is that of another person"));
                }
                Some(more)
            }
            _ => None,
        };
        let more = more.as_ref();
        let email = claims.email().or_else(|| more.and_then(Claims::email));
        let name = claims.name().or_else(|| more.and_then(Claims::name));
        identity_of(&subject, email, name)
    }

    /// Returns the request that redeems the code (RFC 6749 §4.1.3). The secret is encoded before HTTP Basic (RFC 6749 §2.3.1).
    fn token_request(
        &self,
        metadata: &Metadata,
        client_secret: Option<&Secret>,
        response: &ProviderResponse,
    ) -> ProviderHttpRequest {
        let id = self.provider.client_id.as_str();
        let mut form = form_urlencoded::Serializer::new(String::new());
        form.append_pair("grant_type", "authorization_code")
            .append_pair("code", response.code.expose())
            .append_pair("redirect_uri", &response.redirect_uri)
            .append_pair("code_verifier", response.code_verifier.expose());
        let mut request = Request::post(metadata.token_endpoint.as_str())
            .header(ACCEPT, "application/json")
            .header(CONTENT_TYPE, "application/x-www-form-urlencoded");
        match client_secret {
            Some(secret) if metadata.accepts_basic => {
                let encoded = |text: &str| form_urlencoded::byte_serialize(text.as_bytes()).collect::<String>();
                let both = format!("{}:{}", encoded(id), encoded(secret.expose()));
                request = request.header(AUTHORIZATION, format!("Basic {}", STANDARD.encode(both)));
            }
            _ => {
                let secret = client_secret.map(|secret| ("client_secret", secret.expose()));
                form.append_pair("client_id", id).extend_pairs(secret);
            }
        }
        request.body(form.finish().into_bytes())
    }

    async fn redeem(&self, request: ProviderHttpRequest) -> Result<Tokens, ProviderError> {
        let received = self.http.send(request).await?;
        let text = |value: Option<&Value>| value.and_then(Value::as_str).map(str::to_owned);
        // The text of the error could contain a part of a token.
        let parsed: Option<TokenResponse> = serde_json::from_slice(received.body()).ok();
        let error = parsed.as_ref().and_then(|parsed| text(parsed.error.as_ref()));
        if !received.status().is_success() || error.is_some() {
            let status = received.status().as_u16();
            let error = error.unwrap_or_else(|| "no error code".to_owned());
            return Err(ProviderError::Invalid(format!("the token endpoint returned {status} with {error}")));
        }
        let id = parsed.as_ref().and_then(|parsed| text(parsed.id_token.as_ref()));
        let id = id.ok_or_else(|| ProviderError::Invalid("the token endpoint returned no ID token".to_owned()))?;
        let access = parsed.and_then(|parsed| text(parsed.access_token.as_ref())).unwrap_or_default();
        Ok(Tokens { access: Secret::new(access), id })
    }

    /// Returns the key of the provider with which a JWT is signed. The provider may have a new one.
    async fn signing_key(&self, jwt: &SignedJwt<'_>) -> Result<CoreJsonWebKey, ProviderError> {
        for max_age in [METADATA_TTL, MIN_REFRESH_AGE] {
            let metadata = self.metadata(max_age).await?;
            if let Some(key) = jwt.signing_key(&metadata.keys) {
                return Ok(key.clone());
            }
        }
        Err(ProviderError::Invalid("the token is signed with no key of the provider".to_owned()))
    }

    /// Returns what the userinfo endpoint says about the person, as JSON or as a signed JWT.
    async fn userinfo(&self, endpoint: &Url, access_token: &Secret) -> Result<Claims, ProviderError> {
        let request = Request::get(endpoint.as_str())
            .header(ACCEPT, "application/json")
            .header(AUTHORIZATION, format!("Bearer {}", access_token.expose()))
            .body(Vec::new());
        let received = self.http.successful(request).await?;
        if !received.headers().get(CONTENT_TYPE).is_some_and(is_jwt) {
            return Claims::parse(received.body());
        }
        let jwt = std::str::from_utf8(received.body()).map_err(unreachable)?.trim();
        let jwt = SignedJwt::parse(jwt)?;
        self.signing_key(&jwt).await?;
        let claims = jwt.claims()?;
        if claims.iss.is_some() {
            claims.check_issuer(self.provider)?;
        }
        if claims.aud.is_some() {
            claims.check_audience(self.provider)?;
        }
        Ok(claims)
    }
}

const fn scopes(kind: ProviderKind) -> &'static str {
    match kind {
        ProviderKind::Apple => "openid email name",
        _ => "openid email profile",
    }
}

fn is_jwt(media_type: &HeaderValue) -> bool {
    let essence = media_type.to_str().unwrap_or_default().split(';').next().unwrap_or_default();
    essence.trim().eq_ignore_ascii_case(JWT)
}
