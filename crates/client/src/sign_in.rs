//! Sign-in of people: authorization code with PKCE (RFC 7636).

mod pending;
mod session;
mod tokens;
mod web;

use std::fmt::Display;

pub use pending::{PendingSignIn, StartedSignIn};
pub use session::SignInSession;
pub use tokens::SignInTokens;
pub use web::WebSignIn;

use steward_api::{ExchangeToken, RevokeToken, Secret, TokenParameters, TokenRequest};
use url::form_urlencoded::Serializer;

use crate::{Client, Credential, Error};

const DEFAULT_SCOPE: &str = "openid profile email offline_access app:db:read app:db:write";

impl Client {
    /// Returns how people sign in to a project. `client_id` is the ID of the project, or of an OAuth client that it
    /// registered, and `redirect_uri` one of its registered URLs.
    pub fn sign_in(&self, client_id: impl Display, redirect_uri: impl Into<String>) -> SignIn {
        SignIn {
            client: self.with_credential(Credential::None),
            client_id: client_id.to_string(),
            redirect_uri: redirect_uri.into(),
            client_secret: None,
            scope: DEFAULT_SCOPE.to_owned(),
        }
    }
}

/// Signs people in, in web apps and in programs that open a browser: [`Client::sign_in`].
///
/// 1. [`start`](Self::start) returns the page on which the person signs in. Keep `pending` for this browser, for example in a
///    session.
/// 2. [`complete`](Self::complete) exchanges the code with which the browser returns for tokens.
/// 3. [`session`](Self::session) returns a [`TokenSource`](crate::TokenSource), which replaces tokens before they expire.
/// 4. [`sign_out`](Self::sign_out) ends the sign-in, and [`sign_out_url`](Self::sign_out_url) returns the page that ends it at
///    the service, too.
///
/// In a web app, [`web`](Self::web) does this for the browsers of all people.
#[derive(Debug, Clone)]
pub struct SignIn {
    client: Client,
    client_id: String,
    redirect_uri: String,
    client_secret: Option<Secret>,
    scope: String,
}

impl SignIn {
    /// Sets the secret of a confidential client.
    #[must_use]
    pub fn client_secret(self, secret: impl Into<Secret>) -> Self {
        Self { client_secret: Some(secret.into()), ..self }
    }

    /// Sets the scopes, separated by spaces. By default, they are
    /// `openid profile email offline_access app:db:read app:db:write`.
    #[must_use]
    pub fn scope(self, scope: impl Into<String>) -> Self {
        Self { scope: scope.into(), ..self }
    }

    /// Begins a sign-in. Redirect the browser to the URL that is returned.
    pub fn start(&self) -> StartedSignIn {
        self.start_with(&[])
    }

    /// Begins a sign-in with further parameters of the authorization request, such as `prompt`, `login_hint`, `max_age` and
    /// `ui_locales`.
    pub fn start_with(&self, parameters: &[(&str, &str)]) -> StartedSignIn {
        let pending = PendingSignIn::new();
        let mut query = Serializer::new(String::new());
        query.append_pair("client_id", &self.client_id).append_pair("redirect_uri", &self.redirect_uri);
        query.append_pair("response_type", "code").append_pair("scope", &self.scope);
        query.append_pair("state", &pending.state).append_pair("nonce", &pending.nonce);
        query.append_pair("code_challenge", &pending.challenge()).append_pair("code_challenge_method", "S256");
        query.extend_pairs(parameters);
        let url = format!("{}/auth/authorize?{}", self.issuer(), query.finish());
        StartedSignIn { url, pending }
    }

    /// Completes a sign-in. `callback` is the URL with which the browser returned, or its query. `pending` was kept for this
    /// browser; it can be used once.
    ///
    /// # Errors
    ///
    /// [`Error::SignInFailed`] if the person was not signed in, and errors of the transport.
    pub async fn complete(&self, callback: &str, pending: PendingSignIn) -> Result<SignInTokens, Error> {
        let code = pending.code_of(callback, self.issuer())?;
        let request = TokenRequest {
            grant_type: Some("authorization_code".to_owned()),
            code: Some(code),
            redirect_uri: Some(self.redirect_uri.clone()),
            code_verifier: Some(pending.verifier.clone()),
            ..self.token_request()
        };
        let response = self.client.call::<ExchangeToken>(&[]).body(&request).json().await.map_err(|error| {
            let code = error.api().map(|error| error.code.clone()).filter(|code| code == "invalid_grant");
            match code {
                Some(code) => Error::SignInFailed { code, message: error.to_string() },
                None => error,
            }
        })?;
        let tokens = SignInTokens::new(response, None);
        pending.check(&tokens, self.issuer(), &self.client_id)?;
        Ok(tokens)
    }

    /// Exchanges the refresh token for new tokens. [`SignInSession`] does so when it is necessary.
    ///
    /// # Errors
    ///
    /// [`Error::SignedOut`] if the sign-in has ended, and errors of the transport.
    pub async fn refresh(&self, tokens: &SignInTokens) -> Result<SignInTokens, Error> {
        let refresh_token = tokens.refresh_token.clone().ok_or(Error::SignedOut)?;
        let request = TokenRequest {
            grant_type: Some("refresh_token".to_owned()),
            refresh_token: Some(refresh_token),
            ..self.token_request()
        };
        // For a minute, the service returns the same tokens again.
        let response = self.client.call::<ExchangeToken>(&[]).body(&request).repeatable().json().await;
        let response = response.map_err(|error| match error.api() {
            Some(api) if api.code == "invalid_grant" => Error::SignedOut,
            _ => error,
        })?;
        Ok(SignInTokens::new(response, Some(tokens)))
    }

    /// Revokes the tokens, which ends this sign-in. The person stays signed in at the service in the browser: see
    /// [`sign_out_url`](Self::sign_out_url).
    ///
    /// # Errors
    ///
    /// Errors of the transport.
    pub async fn sign_out(&self, tokens: &SignInTokens) -> Result<(), Error> {
        let parameters = TokenParameters {
            token: tokens.refresh_token.clone().unwrap_or_else(|| tokens.access_token.clone()),
            client_id: Some(self.client_id.clone()),
            client_secret: self.client_secret.clone(),
            ..TokenParameters::default()
        };
        self.client.call::<RevokeToken>(&[]).body(&parameters).repeatable().done().await
    }

    /// Returns the page that ends the sign-in of the browser at the service. `return_to` is a URL that is registered in the
    /// settings of the project.
    pub fn sign_out_url(&self, tokens: Option<&SignInTokens>, return_to: Option<&str>) -> String {
        let mut query = Serializer::new(String::new());
        query.append_pair("client_id", &self.client_id);
        let id_token = tokens.and_then(|tokens| tokens.id_token.as_ref());
        query.extend_pairs(id_token.map(|token| ("id_token_hint", token.expose())));
        query.extend_pairs(return_to.map(|url| ("post_logout_redirect_uri", url)));
        format!("{}/auth/logout?{}", self.issuer(), query.finish())
    }

    fn issuer(&self) -> &str {
        self.client.server().as_str()
    }

    fn token_request(&self) -> TokenRequest {
        TokenRequest {
            client_id: Some(self.client_id.clone()),
            client_secret: self.client_secret.clone(),
            ..TokenRequest::default()
        }
    }
}

#[cfg(test)]
mod tests;
