//! Authentication of bearer credentials.

mod keys;
pub(super) mod known_credentials;
mod presented_credential;
#[cfg(test)]
mod tests;
mod tokens;

use std::sync::Arc;

use crate::administration::KeyValue;
use crate::identity::{AccessClaims, Proof, Proofs, TokenFamily, TokenVerifier};
use crate::kernel::error::{AuthenticationError, Error, InvalidProof};
use crate::kernel::policy::{AccountRules, Conditions};
use crate::kernel::work::Work;
use crate::kernel::{Caller, Clock, Identity, Kernel, Request, Time, Usage};
use crate::{IdentityPorts, IdentitySettings};
use keys::KeyAuthentication;
use known_credentials::{CheckedCredential, KnownCredential, KnownCredentials};
pub use presented_credential::PresentedCredential;
use tokens::TokenAuthentication;

/// Resolves bearer credentials to callers.
#[derive(Clone)]
pub struct Authentication {
    keys: KeyAuthentication,
    tokens: TokenAuthentication,
    clock: Arc<dyn Clock>,
}

impl Authentication {
    /// Creates the use case.
    pub fn new(
        kernel: &Kernel,
        ports: &IdentityPorts,
        settings: &IdentitySettings,
        verifier: TokenVerifier,
        usage: Arc<Usage>,
        proofs: Proofs,
    ) -> Self {
        let rules = AccountRules::new(&settings.sign_up, settings.second_factor);
        Self {
            keys: KeyAuthentication {
                keys: kernel.system.access.clone(),
                personal_tokens: ports.personal_tokens.clone(),
                digester: ports.digester.clone(),
                usage: usage.clone(),
                accounts: ports.accounts.clone(),
                rules,
            },
            tokens: TokenAuthentication {
                verifier,
                proofs,
                families: ports.authorizations.clone(),
                accounts: ports.accounts.clone(),
                clients: ports.project_clients.clone(),
                sightings: ports.user_activity.clone(),
                usage,
                first_party_clients: settings.first_party_clients.clone(),
                rules,
            },
            clock: kernel.system.clock.clone(),
        }
    }

    /// Returns what the operator requires of accounts.
    pub(crate) fn rules(&self) -> AccountRules {
        self.tokens.rules
    }

    /// Returns what is known of credentials.
    pub fn known(&self) -> &Arc<KnownCredentials> {
        &self.tokens.verifier.known
    }

    /// Returns a credential that is sent with the scheme `Bearer`.
    pub fn presented(&self, value: &str, from_browser: bool) -> PresentedCredential {
        PresentedCredential::bearer(value, self.known().digest(value), from_browser)
    }

    /// Returns when an access token expires.
    pub(crate) async fn expires_at(&self, token: &PresentedCredential, now: Time) -> Result<Time, Error> {
        Ok(self.tokens.verifier.verify(token.text(), &token.digest, now).await?.claims.expires_at)
    }

    /// Returns whether an access token of this family belongs to a pair whose response was lost, so that another pair
    /// was issued in its place.
    pub async fn is_lost(&self, family: &TokenFamily, claims: &AccessClaims) -> Result<bool, Error> {
        Ok(self.tokens.is_lost(family, claims.pair(), claims.issued_at).await?)
    }

    /// Verifies the proof of a key that a request of this method to this path has (RFC 9449 §4.3).
    pub fn proof(&self, jwt: &str, method: &str, path: &str) -> Result<Proof, InvalidProof> {
        self.tokens.proofs.verify(jwt, method, path)
    }

    /// Authenticates a credential with one query. API keys and personal access tokens are recognized by their prefix
    /// (docs/contract.md#credentials); everything else is an access token. `conditions`: those of the operation, which
    /// the account of a person must meet.
    pub async fn bearer(
        &self,
        credential: &PresentedCredential,
        request: Request,
        conditions: Conditions,
    ) -> Result<Caller, Error> {
        let (now, text) = (self.clock.now(), credential.text());
        let checked = match (KeyValue::has_key_prefix(text), &credential.proof) {
            (false, _) => self.tokens.check(credential, conditions, now).await,
            (true, None) => self.keys.check(text, credential.from_browser, conditions, now).await,
            (true, Some(_)) => Err(AuthenticationError::UnboundCredential.into()),
        };
        // One that is refused counts by its address.
        let checked = checked.inspect_err(|error| match error {
            Error::Unauthenticated(error) if error.is_of_proof() => {}
            Error::Unauthenticated(_) | Error::Forbidden(_) => self.known().forget(&credential.digest),
            _ => {}
        })?;
        Work::set_tenant(checked.identity.tenant());
        self.known().put_checked(&credential.digest, &checked);
        Ok(checked.caller(request, false, now))
    }

    /// Like [`Authentication::bearer`], but without a query if the credential was checked recently: for operations
    /// whose statements verify [`Caller::basis`]. Expiry is still checked against the clock. Before a cached caller is
    /// refused, the request MUST be retried with the caller that [`Authentication::bearer`] returns.
    pub async fn cached(
        &self,
        credential: &PresentedCredential,
        request: Request,
        conditions: Conditions,
    ) -> Result<Caller, Error> {
        let now = self.clock.now();
        match self.recall(self.remembered(credential).as_deref(), credential, conditions, now)? {
            Some(checked) => {
                self.tokens.proofs.use_with(credential.proof.as_ref())?;
                Work::set_tenant(checked.identity.tenant());
                Ok(checked.caller(request, true, now))
            }
            // Rare, so that the future of every request is small.
            None => Box::pin(self.bearer(credential, request, conditions)).await,
        }
    }

    /// Like [`Authentication::bearer`], but a recent check is only compared with the epochs of the store: for operations
    /// that require nothing but a valid credential.
    pub async fn current(
        &self,
        credential: &PresentedCredential,
        request: Request,
        conditions: Conditions,
    ) -> Result<Caller, Error> {
        let now = self.clock.now();
        if let Some(checked) = self.recall(self.remembered(credential).as_deref(), credential, conditions, now)? {
            Work::set_tenant(checked.identity.tenant());
            if self.keys.keys.is_current(&checked.basis).await? {
                self.tokens.proofs.use_with(credential.proof.as_ref())?;
                return Ok(checked.caller(request, true, now));
            }
        }
        Box::pin(self.bearer(credential, request, conditions)).await
    }

    /// Returns what is known of a credential. That of a request was looked up when the request arrived.
    fn remembered(&self, credential: &PresentedCredential) -> Option<Arc<KnownCredential>> {
        credential.known.clone().or_else(|| self.known().find(&credential.digest))
    }

    /// Returns the last check of the credential, unless the credential must be checked again. The proof of its key is that of
    /// this request, which has not used it yet.
    fn recall<'a>(
        &self,
        known: Option<&'a KnownCredential>,
        credential: &PresentedCredential,
        conditions: Conditions,
        now: Time,
    ) -> Result<Option<&'a CheckedCredential>, AuthenticationError> {
        let Some(known) = known else { return Ok(None) };
        let meets = |standing| self.tokens.rules.check(conditions, standing, now).is_ok();
        let found = known.checked(now).filter(|checked| checked.standing.is_none_or(meets));
        let Some(checked) = found else { return Ok(None) };
        let token = self.tokens.verifier.recheck(known, now);
        let is_valid = match &checked.identity {
            Identity::Key(bearer) => self.keys.recheck(bearer, &checked.digests, credential.from_browser, now),
            Identity::User(bearer) if bearer.user.needs_activity_update(now) => false,
            Identity::User(_) | Identity::Client(_) | Identity::Account(_) => token.is_some(),
            Identity::Token(token) => self.keys.recheck_personal(token, now),
        };
        if !is_valid {
            return Ok(None);
        }
        let bound_to = token.and_then(|token| token.claims.bound_to.as_ref());
        self.tokens.proofs.check_holder(&credential.digest, bound_to, credential.proof.as_ref())?;
        Ok(Some(checked))
    }
}
