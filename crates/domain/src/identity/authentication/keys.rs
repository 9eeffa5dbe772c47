//! Authentication with API keys and personal access tokens.

use std::sync::Arc;

use crate::administration::{KeyBearer, KeyValue};
use crate::identity::{AccountReader, PersonalToken, PersonalTokenBearer, PersonalTokenReader};
use crate::kernel::error::{AuthenticationError, Error};
use crate::kernel::policy::{AccountRules, AccountStanding, Conditions};
use crate::kernel::{AccessBasis, AccessReader, Credential, Identity, KeyDigest, KeyDigester, Time, Usage};

use super::known_credentials::CheckedCredential;

/// Checks API keys and personal access tokens, and records their use.
#[derive(Clone)]
pub(super) struct KeyAuthentication {
    pub keys: Arc<dyn AccessReader>,
    pub personal_tokens: Arc<dyn PersonalTokenReader>,
    pub digester: Arc<dyn KeyDigester>,
    pub usage: Arc<Usage>,
    pub accounts: Arc<dyn AccountReader>,
    pub rules: AccountRules,
}

impl KeyAuthentication {
    /// Checks an API key or personal access token with one query.
    pub async fn check(
        &self,
        credential: &str,
        from_browser: bool,
        conditions: Conditions,
        now: Time,
    ) -> Result<CheckedCredential, Error> {
        let value = KeyValue::parse(credential).map_err(|_| AuthenticationError::MistypedKey)?;
        let digests = self.digester.candidates(&value);
        if value.is_personal() {
            self.personal_token(&value, digests, conditions, now).await
        } else {
            self.api_key(&value, digests, from_browser, now).await
        }
    }

    /// Returns whether an API key that was checked recently is still valid, without a query.
    pub fn recheck(&self, bearer: &KeyBearer, digests: &[KeyDigest], from_browser: bool, now: Time) -> bool {
        let Some(which) = bearer.key.value_of(digests, now) else { return false };
        if bearer.key.is_expired(now) || bearer.key.is_private && from_browser || which != bearer.presented {
            return false;
        }
        self.usage.note(Credential::Key(bearer.key.id, which), bearer.key.last_used_of(which), now, None);
        true
    }

    /// Returns whether a personal access token that was checked recently is still valid, without a query.
    pub fn recheck_personal(&self, token: &PersonalToken, now: Time) -> bool {
        if token.is_expired(now) {
            return false;
        }
        self.usage.note(Credential::Token(token.id), token.last_used, now, None);
        true
    }

    async fn api_key(
        &self,
        value: &KeyValue,
        digests: Vec<KeyDigest>,
        from_browser: bool,
        now: Time,
    ) -> Result<CheckedCredential, Error> {
        let bearer = self.keys.key_bearer(&digests).await?.ok_or(AuthenticationError::UnknownKey)?;
        let which = bearer.key.value_of(&digests, now).ok_or(AuthenticationError::UnknownKey)?;
        if bearer.key.is_expired(now) {
            return Err(AuthenticationError::ExpiredKey.into());
        }
        if bearer.key.is_private && from_browser {
            return Err(AuthenticationError::PrivateKeyInBrowser.into());
        }
        let redigested = self.redigested(value, bearer.key.digest_of(which), now);
        self.usage.note(Credential::Key(bearer.key.id, which), bearer.key.last_used_of(which), now, redigested);
        let project = Some((bearer.project.project.id, bearer.project.access_epoch));
        let identity = Identity::Key(Arc::new(KeyBearer { presented: which, ..bearer }));
        let basis = AccessBasis { project, ..AccessBasis::default() };
        let (digests, checked_at) = (digests.into(), now);
        Ok(CheckedCredential { identity, basis, digests, checked_at, sign_in: None, standing: None })
    }

    async fn personal_token(
        &self,
        value: &KeyValue,
        digests: Vec<KeyDigest>,
        conditions: Conditions,
        now: Time,
    ) -> Result<CheckedCredential, Error> {
        let found = self.personal_tokens.token_by_digest(&digests).await?;
        let PersonalTokenBearer { token, access_epoch, is_operator, has_second_factor } =
            found.ok_or(AuthenticationError::UnknownKey)?;
        if token.is_expired(now) {
            return Err(AuthenticationError::ExpiredKey.into());
        }
        let is_confirmed = match self.rules.confirmed_email {
            true => {
                let account = self.accounts.account(token.account_id).await?;
                account.ok_or(AuthenticationError::UnknownKey)?.counts_as_confirmed()
            }
            // Nobody asks.
            false => true,
        };
        let missing_factor = (!has_second_factor).then_some(AuthenticationError::SecondFactorMissing);
        let standing = AccountStanding { is_confirmed, is_operator, missing_factor };
        self.rules.check(conditions, standing, now)?;
        let redigested = self.redigested(value, &token.digest, now);
        self.usage.note(Credential::Token(token.id), token.last_used, now, redigested);
        let basis = AccessBasis { account: Some((token.account_id, access_epoch)), ..AccessBasis::default() };
        let identity = Identity::Token(Arc::new(token));
        let (digests, checked_at) = (digests.into(), now);
        let standing = Some(standing);
        Ok(CheckedCredential { identity, basis, digests, checked_at, sign_in: None, standing })
    }

    /// Returns the stored digest and its replacement if a newer pepper is in use.
    fn redigested(&self, value: &KeyValue, stored: &KeyDigest, now: Time) -> Option<(KeyDigest, KeyDigest)> {
        let newest = self.digester.digest(value, now);
        (newest.pepper > stored.pepper).then(|| (stored.clone(), newest))
    }
}
