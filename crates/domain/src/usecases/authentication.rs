//! Whose credential is it?

use std::sync::Arc;

use crate::error::{AuthenticationFault, Error, Forbidden};
use crate::model::{Audience, Caller, Identity, KeyValue, Request, Scope};
use crate::ports::{AccessReader, AccessTokens, Clock, KeyDigester, TokenRefusal};

/// Turns bearer credentials into callers.
pub struct Authentication {
    keys: Arc<dyn AccessReader>,
    digester: Arc<dyn KeyDigester>,
    tokens: Arc<dyn AccessTokens>,
    clock: Arc<dyn Clock>,
}

impl Authentication {
    /// Over these ports.
    pub fn new(
        keys: Arc<dyn AccessReader>,
        digester: Arc<dyn KeyDigester>,
        tokens: Arc<dyn AccessTokens>,
        clock: Arc<dyn Clock>,
    ) -> Self {
        Self { keys, digester, tokens, clock }
    }

    /// The caller behind a bearer credential: a first-party access token or an API key, told apart by the key's prefix
    /// (contract 1.2). A token needs no query, a key one. `from_browser` says that the request came with an Origin.
    pub async fn bearer(&self, credential: &str, from_browser: bool, request: Request) -> Result<Caller, Error> {
        let identity = if KeyValue::is_meant(credential) {
            self.key(credential, from_browser).await?
        } else {
            self.token(credential)?
        };
        Ok(Caller { identity, request })
    }

    fn token(&self, credential: &str) -> Result<Identity, Error> {
        let claims = self.tokens.verify(credential, self.clock.now()).map_err(|refusal| match refusal {
            TokenRefusal::Invalid => AuthenticationFault::BadToken,
            TokenRefusal::Expired => AuthenticationFault::ExpiredToken,
        })?;
        if claims.audience != Audience::Service {
            return Err(AuthenticationFault::BadToken.into());
        }
        if !claims.scopes.has(Scope::Admin) {
            return Err(Forbidden::WrongScope.into());
        }
        Ok(Identity::Account(claims.subject))
    }

    async fn key(&self, credential: &str, from_browser: bool) -> Result<Identity, Error> {
        let value = KeyValue::parse(credential).map_err(|_| AuthenticationFault::MistypedKey)?;
        let bearer = self.keys.key_bearer(&self.digester.candidates(&value)).await?;
        let bearer = bearer.ok_or(AuthenticationFault::UnknownKey)?;
        if bearer.key.is_expired(self.clock.now()) {
            return Err(AuthenticationFault::ExpiredKey.into());
        }
        if bearer.key.is_private && from_browser {
            return Err(AuthenticationFault::PrivateKeyInBrowser.into());
        }
        Ok(Identity::Key(Box::new(bearer)))
    }
}
