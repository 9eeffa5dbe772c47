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

#[cfg(test)]
mod tests {
    use chrono::TimeDelta;
    use zeroize::Zeroizing;

    use super::*;
    use crate::mocks::{
        FixedClock, MockAccessReader, MockAccessTokens, MockKeyDigester, a_bearer, a_key, a_request, id_of, instant,
    };
    use crate::model::{AccessClaims, ApiKey, ScopeSet};

    /// Asks with a key that is kept like this.
    async fn with_key(key: Option<ApiKey>, from_browser: bool) -> Result<Caller, Error> {
        let mut keys = MockAccessReader::new();
        keys.expect_key_bearer().returning(move |_| Ok(key.clone().map(a_bearer)));
        let mut digester = MockKeyDigester::new();
        digester.expect_candidates().returning(|_| vec![a_key().digest]);
        let value = KeyValue::from_entropy(true, &Zeroizing::new([1; 32]));
        let (tokens, clock) = (Arc::new(MockAccessTokens::new()), Arc::new(FixedClock::default()));
        let authentication = Authentication::new(Arc::new(keys), Arc::new(digester), tokens, clock);
        authentication.bearer(value.secret().expose(), from_browser, a_request()).await
    }

    /// Asks with a token that says this.
    async fn with_token(claims: Result<AccessClaims, TokenRefusal>) -> Result<Caller, Error> {
        let mut tokens = MockAccessTokens::new();
        tokens.expect_verify().return_once(move |_, _| claims);
        let keys = Arc::new(MockAccessReader::new());
        let (digester, clock) = (Arc::new(MockKeyDigester::new()), Arc::new(FixedClock::default()));
        Authentication::new(keys, digester, Arc::new(tokens), clock).bearer("token", false, a_request()).await
    }

    fn fault(result: Result<Caller, Error>) -> AuthenticationFault {
        match result {
            Err(Error::Unauthenticated(fault)) => fault,
            other => panic!("{other:?}"),
        }
    }

    #[tokio::test]
    async fn a_key_is_good_until_it_expires_and_not_in_a_browser() {
        assert!(with_key(Some(a_key()), false).await.is_ok());
        assert_eq!(fault(with_key(None, false).await), AuthenticationFault::UnknownKey);
        assert_eq!(fault(with_key(Some(a_key()), true).await), AuthenticationFault::PrivateKeyInBrowser);
        assert!(with_key(Some(ApiKey { is_private: false, ..a_key() }), true).await.is_ok());
        let until = |at| Some(ApiKey { expires_at: Some(at), ..a_key() });
        assert!(with_key(until(instant() + TimeDelta::microseconds(1)), false).await.is_ok());
        assert_eq!(fault(with_key(until(instant()), false).await), AuthenticationFault::ExpiredKey);
    }

    #[tokio::test]
    async fn only_a_first_party_token_of_full_scope_administers() {
        let claims = AccessClaims {
            subject: id_of("ann").into(),
            audience: Audience::Service,
            scopes: ScopeSet::first_party(),
            issued_at: instant(),
            expires_at: instant(),
            id: id_of("token"),
        };
        assert!(with_token(Ok(claims.clone())).await.is_ok());
        let of_project = AccessClaims { audience: Audience::Project(id_of("project").into()), ..claims.clone() };
        assert_eq!(fault(with_token(Ok(of_project)).await), AuthenticationFault::BadToken);
        assert_eq!(fault(with_token(Err(TokenRefusal::Expired)).await), AuthenticationFault::ExpiredToken);
        let narrow = AccessClaims { scopes: ScopeSet::parse("openid email"), ..claims };
        assert!(matches!(with_token(Ok(narrow)).await, Err(Error::Forbidden(Forbidden::WrongScope))));
    }
}
