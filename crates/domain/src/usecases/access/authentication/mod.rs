//! Authentication of bearer credentials.

mod checked_credentials;
mod keys;
#[cfg(test)]
mod tests;
mod tokens;

use std::sync::Arc;

use crate::error::Error;
use crate::model::{Caller, FirstPartyClients, Identity, KeyValue, Request, SecondFactorPolicy, SignUpPolicy};
use crate::ports::{Clock, KeyDigester, StorePorts, TokenVault};
use crate::work::Work;

use crate::usecases::{TokenVerifier, Usage};
use checked_credentials::{CheckedCredential, CheckedCredentials};
use keys::KeyAuthentication;
use tokens::TokenAuthentication;

/// Which clients and accounts may use credentials.
#[derive(Debug, Clone, Default)]
pub struct SignInRules {
    /// The first-party clients.
    pub first_party_clients: FirstPartyClients,
    /// The policy that may require a confirmed address.
    pub sign_up: SignUpPolicy,
    /// Who has to use a second factor.
    pub second_factor: SecondFactorPolicy,
}

/// Resolves bearer credentials to callers.
#[derive(Clone)]
pub struct Authentication {
    cache: CheckedCredentials,
    keys: KeyAuthentication,
    tokens: TokenAuthentication,
    clock: Arc<dyn Clock>,
}

impl Authentication {
    /// Creates the use case with an empty cache.
    pub fn new(
        store: &StorePorts,
        digester: Arc<dyn KeyDigester>,
        verifier: TokenVerifier,
        usage: Arc<Usage>,
        vault: Arc<dyn TokenVault>,
        clock: Arc<dyn Clock>,
        SignInRules { first_party_clients, sign_up, second_factor }: SignInRules,
    ) -> Self {
        Self {
            cache: CheckedCredentials::new(vault),
            keys: KeyAuthentication {
                keys: store.access.clone(),
                personal_tokens: store.personal_tokens.clone(),
                digester,
                usage,
                accounts: store.accounts.clone(),
                sign_up: sign_up.clone(),
                second_factor,
            },
            tokens: TokenAuthentication {
                verifier,
                families: store.authorizations.clone(),
                accounts: store.accounts.clone(),
                clients: store.project_clients.clone(),
                sightings: store.user_activity.clone(),
                first_party_clients,
                sign_up,
                second_factor,
            },
            clock,
        }
    }

    /// Authenticates a bearer credential with one query. API keys and personal access tokens are recognized by their
    /// prefix (docs/contract.md#credentials); everything else is an access token. `from_browser`: the request has an
    /// `Origin` header.
    pub async fn bearer(&self, credential: &str, from_browser: bool, request: Request) -> Result<Caller, Error> {
        let now = self.clock.now();
        let checked = if KeyValue::has_key_prefix(credential) {
            self.keys.check(credential, from_browser, now).await
        } else {
            self.tokens.check(credential, now).await
        };
        let checked = checked.inspect_err(|_| self.cache.remove(credential))?;
        Work::set_tenant(checked.identity.tenant());
        self.cache.put(credential, &checked);
        Ok(checked.caller(request, false, now))
    }

    /// Like [`Authentication::bearer`], but without a query if the credential was checked recently: for operations
    /// whose statements verify [`Caller::basis`]. Expiry is still checked against the clock. Before a cached caller is
    /// refused, the request MUST be retried with the caller that [`Authentication::bearer`] returns.
    pub async fn cached(&self, credential: &str, from_browser: bool, request: Request) -> Result<Caller, Error> {
        match self.recall(credential, from_browser).await {
            Some(checked) => {
                Work::set_tenant(checked.identity.tenant());
                Ok(checked.caller(request, true, self.clock.now()))
            }
            None => self.bearer(credential, from_browser, request).await,
        }
    }

    /// Like [`Authentication::bearer`], but a recent check is only compared with the epochs of the store: for operations
    /// that require nothing but a valid credential.
    pub async fn current(&self, credential: &str, from_browser: bool, request: Request) -> Result<Caller, Error> {
        if let Some(checked) = self.recall(credential, from_browser).await {
            Work::set_tenant(checked.identity.tenant());
            if self.keys.keys.is_current(&checked.basis).await? {
                return Ok(checked.caller(request, true, self.clock.now()));
            }
        }
        self.bearer(credential, from_browser, request).await
    }

    /// Returns the last check of the credential, unless the credential must be checked again.
    async fn recall(&self, credential: &str, from_browser: bool) -> Option<CheckedCredential> {
        let now = self.clock.now();
        let checked = self.cache.get(credential, now)?;
        let is_valid = match &checked.identity {
            Identity::Key(bearer) => self.keys.recheck(bearer, &checked.digests, from_browser, now),
            Identity::User(bearer) if bearer.user.needs_activity_update(now) => false,
            Identity::User(_) | Identity::Client(_) | Identity::Account(_) => {
                self.tokens.is_valid(credential, now).await
            }
            Identity::Token(token) => self.keys.recheck_personal(token, now),
        };
        is_valid.then_some(checked)
    }
}
