//! Authentication of bearer credentials.

use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use chrono::TimeDelta;
use lru::LruCache;

use crate::error::{AuthenticationError, Error, Forbidden};
use crate::model::{
    AccessBasis, Account, ApiKey, Audience, Caller, Identity, KeyBearer, KeyDigest, KeyValue, PresentedValue,
    ProjectUser, Request, Scope, Time, TokenFamilyWithAccount, UserBearer, UserStatus,
};
use crate::ports::{
    AccessReader, AccountReader, AuthorizationReader, Clock, Credential, KeyDigester, PersonalTokenReader, Store,
    TokenVault, UserActivityRecorder, VerifiedToken,
};
use crate::work::Work;

use super::{TokenVerifier, Usage};

/// Limits of the credential cache: number of entries, and how long an entry is valid. The last use of a credential is
/// recorded with this precision.
const MAX_CACHED: NonZeroUsize = NonZeroUsize::MIN.saturating_add(9_999);
const CACHE_TTL: TimeDelta = TimeDelta::seconds(60);

/// The result of the last full check of a credential.
#[derive(Clone)]
struct CachedCredential {
    /// Reduced by [`Identity::to_remember`].
    identity: Identity,
    basis: AccessBasis,
    /// Digests of the key's value; empty for access tokens.
    digests: Arc<[KeyDigest]>,
    checked_at: Time,
}

/// Resolves bearer credentials to callers.
#[derive(Clone)]
pub struct Authentication {
    cache: Arc<Mutex<LruCache<String, CachedCredential>>>,
    vault: Arc<dyn TokenVault>,
    keys: Arc<dyn AccessReader>,
    personal_tokens: Arc<dyn PersonalTokenReader>,
    families: Arc<dyn AuthorizationReader>,
    accounts: Arc<dyn AccountReader>,
    digester: Arc<dyn KeyDigester>,
    tokens: TokenVerifier,
    usage: Arc<Usage>,
    sightings: Arc<dyn UserActivityRecorder>,
    clock: Arc<dyn Clock>,
}

impl Authentication {
    /// Creates the use case with an empty cache.
    pub fn new(
        store: Arc<dyn Store>,
        digester: Arc<dyn KeyDigester>,
        tokens: TokenVerifier,
        usage: Arc<Usage>,
        vault: Arc<dyn TokenVault>,
        clock: Arc<dyn Clock>,
    ) -> Self {
        Self {
            cache: empty_cache(),
            vault,
            keys: store.clone(),
            personal_tokens: store.clone(),
            families: store.clone(),
            accounts: store.clone(),
            digester,
            tokens,
            usage,
            sightings: store,
            clock,
        }
    }

    /// Authenticates a bearer credential with one query. API keys and personal access tokens are recognized by their
    /// prefix (contract 1.2); everything else is an access token. `from_browser`: the request has an `Origin` header.
    pub async fn bearer(&self, credential: &str, from_browser: bool, request: Request) -> Result<Caller, Error> {
        let checked = if KeyValue::has_key_prefix(credential) {
            self.key(credential, from_browser).await
        } else {
            self.token(credential).await
        };
        let cache_key = self.vault.sha256(credential);
        match checked {
            Ok(checked) => {
                Work::set_tenant(checked.identity.tenant());
                let basis = checked.basis;
                if basis != AccessBasis::default() {
                    let identity = checked.identity.for_cache();
                    self.lock().put(cache_key, CachedCredential { identity, digests: checked.digests, ..checked });
                }
                let identity = checked.identity;
                Ok(Caller { identity, request, basis, is_cached: false })
            }
            Err(error) => {
                self.lock().pop(&cache_key);
                Err(error)
            }
        }
    }

    /// Like [`Authentication::bearer`], but without a query if the credential was checked recently: for operations
    /// whose statements verify [`Caller::basis`]. Expiry is still checked against the clock. Before a cached caller is
    /// refused, the request MUST be retried with the caller that [`Authentication::bearer`] returns.
    pub async fn cached(&self, credential: &str, from_browser: bool, request: Request) -> Result<Caller, Error> {
        match self.recall(credential, from_browser).await {
            Some(CachedCredential { identity, basis, .. }) => {
                Work::set_tenant(identity.tenant());
                Ok(Caller { identity, request, basis, is_cached: true })
            }
            None => self.bearer(credential, from_browser, request).await,
        }
    }

    async fn recall(&self, credential: &str, from_browser: bool) -> Option<CachedCredential> {
        let now = self.clock.now();
        let entry = self.lock().get(&self.vault.sha256(credential)).cloned()?;
        if now - entry.checked_at >= CACHE_TTL {
            return None;
        }
        match &entry.identity {
            Identity::Key(bearer) => {
                let which = bearer.key.value_of(&entry.digests, now)?;
                if bearer.key.is_expired(now) || bearer.key.is_private && from_browser || which != bearer.presented {
                    return None;
                }
                self.usage.note(Credential::Key(bearer.key.id, which), last_used(&bearer.key, which), now, None);
            }
            Identity::User(bearer) if bearer.user.needs_activity_update(now) => return None,
            Identity::User(_) | Identity::Account(_) => drop(self.tokens.verify(credential, now).await.ok()?),
            Identity::Token(_) => return None,
        }
        Some(entry)
    }

    fn lock(&self) -> MutexGuard<'_, LruCache<String, CachedCredential>> {
        self.cache.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn token(&self, credential: &str) -> Result<CachedCredential, Error> {
        let now = self.clock.now();
        // The query for the token's account or family also checks that the signing key is still stored.
        let VerifiedToken { claims, signed_by } = self.tokens.verify(credential, now).await?;
        let checked = |identity, basis| CachedCredential { identity, basis, digests: Arc::default(), checked_at: now };
        let basis_at =
            |epoch| AccessBasis { project: None, account: Some((claims.subject, epoch)), signed_by: Some(signed_by) };
        match (claims.audience, claims.family) {
            (Audience::Service, _) if !claims.scopes.has(Scope::Admin) => {
                Err(Forbidden::WrongScope(Scope::Admin).into())
            }
            (Audience::Service, None) => {
                let found = self.accounts.signed_account(claims.subject, signed_by).await?;
                found.filter(Account::is_active).ok_or(AuthenticationError::RevokedToken)?;
                Ok(checked(Identity::Account(claims.subject), AccessBasis::default()))
            }
            (Audience::Service, Some(family)) => {
                let found = self.families.token_family(family, Some(signed_by)).await?;
                let family = found.filter(TokenFamilyWithAccount::is_live).ok_or(AuthenticationError::RevokedToken)?;
                Ok(checked(Identity::Account(claims.subject), basis_at(family.access_epoch)))
            }
            (Audience::Project(_), None) => Err(AuthenticationError::InvalidToken.into()),
            (Audience::Project(_), Some(family)) => {
                let found = self.families.user_bearer(family, Some(signed_by)).await?;
                let (family, bearer) =
                    found.filter(|(family, _)| family.is_live()).ok_or(AuthenticationError::RevokedToken)?;
                if bearer.user.status == UserStatus::Blocked {
                    return Err(Forbidden::Blocked.into());
                }
                self.record_activity(&bearer.user, now).await;
                let project = Some((bearer.project.project.id, bearer.project.access_epoch));
                let basis = AccessBasis { project, ..basis_at(family.access_epoch) };
                Ok(checked(Identity::User(Arc::new(UserBearer { scopes: claims.scopes, ..bearer })), basis))
            }
        }
    }

    /// Records that the user is active in the project. A failure does not fail the request: the next request tries
    /// again.
    async fn record_activity(&self, user: &ProjectUser, now: Time) {
        if user.status == UserStatus::Connected && user.needs_activity_update(now) {
            drop(self.sightings.record_seen(user.project_id, user.id, now).await);
        }
    }

    async fn key(&self, credential: &str, from_browser: bool) -> Result<CachedCredential, Error> {
        let value = KeyValue::parse(credential).map_err(|_| AuthenticationError::MistypedKey)?;
        let digests = self.digester.candidates(&value);
        if value.is_personal() {
            return self.personal(&value, digests).await;
        }
        let bearer = self.keys.key_bearer(&digests).await?.ok_or(AuthenticationError::UnknownKey)?;
        let now = self.clock.now();
        let which = bearer.key.value_of(&digests, now).ok_or(AuthenticationError::UnknownKey)?;
        if bearer.key.is_expired(now) {
            return Err(AuthenticationError::ExpiredKey.into());
        }
        if bearer.key.is_private && from_browser {
            return Err(AuthenticationError::PrivateKeyInBrowser.into());
        }
        self.record_usage(&bearer.key, which, &value, now);
        let project = Some((bearer.project.project.id, bearer.project.access_epoch));
        let identity = Identity::Key(Arc::new(KeyBearer { presented: which, ..bearer }));
        let basis = AccessBasis { project, ..AccessBasis::default() };
        Ok(CachedCredential { identity, basis, digests: digests.into(), checked_at: now })
    }

    async fn personal(&self, value: &KeyValue, digests: Vec<KeyDigest>) -> Result<CachedCredential, Error> {
        let token = self.personal_tokens.token_by_digest(&digests).await?.ok_or(AuthenticationError::UnknownKey)?;
        let now = self.clock.now();
        if token.is_expired(now) {
            return Err(AuthenticationError::ExpiredKey.into());
        }
        let redigested = self.redigested(value, &token.digest, now);
        self.usage.note(Credential::Token(token.id), token.last_used, now, redigested);
        let (identity, basis) = (Identity::Token(Arc::new(token)), AccessBasis::default());
        Ok(CachedCredential { identity, basis, digests: digests.into(), checked_at: now })
    }

    /// Returns the stored digest and its replacement if a newer pepper is in use.
    fn redigested(&self, value: &KeyValue, stored: &KeyDigest, now: Time) -> Option<(KeyDigest, KeyDigest)> {
        let newest = self.digester.digest(value, now);
        (newest.pepper > stored.pepper).then(|| (stored.clone(), newest))
    }

    fn record_usage(&self, key: &ApiKey, which: PresentedValue, value: &KeyValue, now: Time) {
        let stored = match (which, &key.previous) {
            (PresentedValue::Previous, Some(previous)) => &previous.digest,
            _ => &key.digest,
        };
        let redigested = self.redigested(value, stored, now);
        self.usage.note(Credential::Key(key.id, which), last_used(key, which), now, redigested);
    }
}

/// When this value of the key was last used, as stored.
fn last_used(key: &ApiKey, which: PresentedValue) -> Option<Time> {
    match (which, &key.previous) {
        (PresentedValue::Previous, Some(previous)) => previous.last_used,
        _ => key.last_used,
    }
}

fn empty_cache() -> Arc<Mutex<LruCache<String, CachedCredential>>> {
    Arc::new(Mutex::new(LruCache::new(MAX_CACHED)))
}

#[cfg(test)]
mod tests {
    use chrono::TimeDelta;
    use serde_json::json;
    use zeroize::Zeroizing;

    use super::*;
    use crate::mocks::{
        FixedClock, MockAccessReader, MockAccessTokens, MockAccountReader, MockAuthorizationReader, MockClock,
        MockKeyDigester, MockPersonalTokenReader, MockTokenVault, MockUsageRecorder, MockUserActivityRecorder,
        a_bearer, a_family, a_key, a_request, a_user_bearer, an_account, id_of, instant, verifier,
    };
    use crate::model::{AccessClaims, AccessEpoch, JsonObject, ScopeSet, TokenFamily};
    use crate::ports::TokenError;

    fn personal() -> Arc<MockPersonalTokenReader> {
        Arc::new(MockPersonalTokenReader::new())
    }

    /// A reader that returns Ann's account for every signing key.
    fn accounts() -> Arc<MockAccountReader> {
        let mut accounts = MockAccountReader::new();
        accounts.expect_signed_account().returning(|_, _| Ok(Some(an_account("ann"))));
        Arc::new(accounts)
    }

    /// A vault whose hash of a credential is the credential itself.
    fn vault() -> Arc<MockTokenVault> {
        let mut vault = MockTokenVault::new();
        vault.expect_sha256().returning(str::to_owned);
        Arc::new(vault)
    }

    fn usage() -> Arc<Usage> {
        Arc::new(Usage::new(Arc::new(MockUsageRecorder::new())))
    }

    /// Authenticates with an API key that is stored like this.
    async fn with_key(key: Option<ApiKey>, from_browser: bool) -> Result<Caller, Error> {
        let mut keys = MockAccessReader::new();
        keys.expect_key_bearer().returning(move |_| Ok(key.clone().map(a_bearer)));
        let mut digester = MockKeyDigester::new();
        digester.expect_candidates().returning(|_| vec![a_key().digest]);
        digester.expect_digest().returning(|_, _| a_key().digest);
        let value = KeyValue::from_entropy(true, &Zeroizing::new([1; 32]));
        let (tokens, clock) = (verifier(MockAccessTokens::new()), Arc::new(FixedClock::default()));
        let families = Arc::new(MockAuthorizationReader::new());
        let (sightings, keys) = (Arc::new(MockUserActivityRecorder::new()), Arc::new(keys));
        let authentication = Authentication {
            cache: empty_cache(),
            keys,
            personal_tokens: personal(),
            families,
            accounts: accounts(),
            digester: Arc::new(digester),
            tokens,
            usage: usage(),
            sightings,
            vault: vault(),
            clock,
        };
        authentication.bearer(value.secret().expose(), from_browser, a_request()).await
    }

    /// Authenticates with a token with these claims, whose family is stored like this.
    async fn with_token(claims: Result<AccessClaims, TokenError>, family: TokenFamily) -> Result<Caller, Error> {
        let mut tokens = MockAccessTokens::new();
        let signed_by = id_of("key").into();
        tokens.expect_verify().return_once(move |_, _| claims.map(|claims| VerifiedToken { claims, signed_by }));
        let family_of_account =
            TokenFamilyWithAccount { family, account: an_account("ann"), access_epoch: AccessEpoch::default() };
        let mut families = MockAuthorizationReader::new();
        let found = family_of_account.clone();
        families.expect_token_family().returning(move |_, _| Ok(Some(found.clone())));
        families
            .expect_user_bearer()
            .returning(move |_, _| Ok(Some((family_of_account.clone(), a_user_bearer("ann")))));
        let keys = Arc::new(MockAccessReader::new());
        let (digester, clock) = (Arc::new(MockKeyDigester::new()), Arc::new(FixedClock::default()));
        let (sightings, families) = (Arc::new(MockUserActivityRecorder::new()), Arc::new(families));
        let authentication = Authentication {
            cache: empty_cache(),
            keys,
            personal_tokens: personal(),
            families,
            accounts: accounts(),
            digester,
            tokens: verifier(tokens),
            usage: usage(),
            sightings,
            vault: vault(),
            clock,
        };
        authentication.bearer("token", false, a_request()).await
    }

    fn error(result: Result<Caller, Error>) -> AuthenticationError {
        match result {
            Err(Error::Unauthenticated(error)) => error,
            other => panic!("{other:?}"),
        }
    }

    #[tokio::test]
    async fn a_key_is_valid_until_it_expires_and_a_private_key_is_rejected_from_a_browser() {
        assert!(with_key(Some(a_key()), false).await.is_ok());
        assert_eq!(error(with_key(None, false).await), AuthenticationError::UnknownKey);
        assert_eq!(error(with_key(Some(a_key()), true).await), AuthenticationError::PrivateKeyInBrowser);
        assert!(with_key(Some(ApiKey { is_private: false, ..a_key() }), true).await.is_ok());
        let expiring_at = |at| Some(ApiKey { expires_at: Some(at), ..a_key() });
        assert!(with_key(expiring_at(instant() + TimeDelta::microseconds(1)), false).await.is_ok());
        assert_eq!(error(with_key(expiring_at(instant()), false).await), AuthenticationError::ExpiredKey);
    }

    fn claims() -> AccessClaims {
        AccessClaims {
            subject: id_of("ann").into(),
            audience: Audience::Service,
            scopes: ScopeSet::first_party(),
            issued_at: instant(),
            expires_at: instant(),
            id: id_of("token"),
            family: Some(id_of("family").into()),
        }
    }

    #[tokio::test]
    async fn only_a_first_party_token_with_full_scope_can_administer() {
        let administers = with_token(Ok(claims()), a_family("ann")).await.unwrap();
        assert_eq!(administers.identity, Identity::Account(id_of("ann").into()));
        assert_eq!(
            error(with_token(Err(TokenError::Expired), a_family("ann")).await),
            AuthenticationError::ExpiredToken
        );
        let narrow = AccessClaims { scopes: ScopeSet::parse("openid email"), ..claims() };
        let narrow = with_token(Ok(narrow), a_family("ann")).await;
        assert!(matches!(narrow, Err(Error::Forbidden(Forbidden::WrongScope(Scope::Admin)))));
        let of_project = AccessClaims { audience: Audience::Project(id_of("project").into()), ..claims() };
        let caller = with_token(Ok(of_project.clone()), a_family("ann")).await.unwrap();
        assert!(matches!(caller.identity, Identity::User(_)));
        let without_family = AccessClaims { family: None, ..of_project };
        assert_eq!(error(with_token(Ok(without_family), a_family("ann")).await), AuthenticationError::InvalidToken);
    }

    #[tokio::test]
    async fn a_token_is_revoked_with_its_family_and_by_a_password_change() {
        let revoked = TokenFamily { revoked_at: Some(instant()), ..a_family("ann") };
        let of_old_password = TokenFamily { password_set_at: instant() - TimeDelta::days(1), ..a_family("ann") };
        for family in [revoked, of_old_password] {
            for audience in [Audience::Service, Audience::Project(id_of("project").into())] {
                let result = with_token(Ok(AccessClaims { audience, ..claims() }), family.clone()).await;
                assert_eq!(error(result), AuthenticationError::RevokedToken);
            }
        }
    }

    /// Authenticates with this key's value at these times. Returns the callers and how often the key was queried.
    async fn cached_at(key: ApiKey, times: &[TimeDelta], from_browser: bool) -> (Vec<Result<Caller, Error>>, usize) {
        let (lookups, now) = (Arc::new(Mutex::new(0)), Arc::new(Mutex::new(instant())));
        let (mut keys, mut digester, mut clock) = (MockAccessReader::new(), MockKeyDigester::new(), MockClock::new());
        let counted = lookups.clone();
        keys.expect_key_bearer().returning(move |_| {
            *counted.lock().unwrap() += 1;
            Ok(Some(a_bearer(key.clone())))
        });
        digester.expect_candidates().returning(|_| vec![a_key().digest]);
        digester.expect_digest().returning(|_, _| a_key().digest);
        let shown = now.clone();
        clock.expect_now().returning(move || *shown.lock().unwrap());
        let authentication = Authentication {
            cache: empty_cache(),
            keys: Arc::new(keys),
            personal_tokens: personal(),
            families: Arc::new(MockAuthorizationReader::new()),
            accounts: accounts(),
            digester: Arc::new(digester),
            tokens: verifier(MockAccessTokens::new()),
            usage: usage(),
            sightings: Arc::new(MockUserActivityRecorder::new()),
            vault: vault(),
            clock: Arc::new(clock),
        };
        let value = KeyValue::from_entropy(true, &Zeroizing::new([1; 32]));
        let mut callers = Vec::new();
        for after in times {
            *now.lock().unwrap() = instant() + *after;
            callers.push(authentication.cached(value.secret().expose(), from_browser, a_request()).await);
        }
        let lookups = *lookups.lock().unwrap();
        (callers, lookups)
    }

    #[tokio::test]
    async fn a_cached_key_is_queried_again_after_the_ttl_and_still_expires() {
        let seconds = |times: &[i64]| times.iter().map(|after| TimeDelta::seconds(*after)).collect::<Vec<_>>();
        let (callers, lookups) = cached_at(a_key(), &seconds(&[0, 1, 59, 60, 61]), false).await;
        let cached: Vec<bool> = callers.iter().map(|caller| caller.as_ref().unwrap().is_cached).collect();
        assert_eq!((cached, lookups), (vec![false, true, true, false, true], 2));

        let short = ApiKey { expires_at: Some(instant() + TimeDelta::seconds(10)), ..a_key() };
        let (mut callers, _) = cached_at(short, &seconds(&[0, 9, 10]), false).await;
        assert_eq!(error(callers.pop().unwrap()), AuthenticationError::ExpiredKey);
        assert!(callers.into_iter().all(|caller| caller.is_ok()));
        let (callers, lookups) = cached_at(a_key(), &seconds(&[0, 1]), true).await;
        assert!(callers.into_iter().all(|caller| error(caller) == AuthenticationError::PrivateKeyInBrowser));
        assert_eq!(lookups, 2);
    }

    #[test]
    fn cached_identities_are_small_regardless_of_project_size() {
        let large = || JsonObject::parse(json!({"text": "x".repeat(60_000)}).as_object().unwrap().clone()).unwrap();
        let mut key = a_bearer(a_key());
        Arc::make_mut(&mut key.project).project.profile = large();
        let mut user = a_user_bearer("ann");
        (user.user.meta, user.user.profile) = (large(), large());
        Arc::make_mut(&mut user.project).project.profile = large();
        for identity in [Identity::Key(Arc::new(key)), Identity::User(Arc::new(user))] {
            let cached = identity.for_cache();
            assert!(format!("{cached:?}").len() < 5_000, "{cached:?}");
            assert_eq!((cached.holder(), cached.tenant()), (identity.holder(), identity.tenant()));
        }
    }

    /// Authenticates a project user who was last seen this long ago. Returns how often the activity is recorded.
    async fn recorded_after(ago: TimeDelta) -> usize {
        let mut tokens = MockAccessTokens::new();
        let claims = AccessClaims { audience: Audience::Project(id_of("project").into()), ..claims() };
        let verified = VerifiedToken { claims, signed_by: id_of("key").into() };
        tokens.expect_verify().returning(move |_, _| Ok(verified.clone()));
        let family_of_account = TokenFamilyWithAccount {
            family: a_family("ann"),
            account: an_account("ann"),
            access_epoch: AccessEpoch::default(),
        };
        let mut families = MockAuthorizationReader::new();
        families
            .expect_user_bearer()
            .returning(move |_, _| Ok(Some((family_of_account.clone(), a_user_bearer("ann")))));
        let records = Arc::new(std::sync::Mutex::new(0));
        let mut sightings = MockUserActivityRecorder::new();
        let counted = records.clone();
        sightings.expect_record_seen().returning(move |_, _, _| {
            *counted.lock().unwrap() += 1;
            Err(crate::ports::StoreError::Unavailable(anyhow::anyhow!("The store is unavailable.")))
        });
        let (keys, digester) = (Arc::new(MockAccessReader::new()), Arc::new(MockKeyDigester::new()));
        let clock = Arc::new(FixedClock(instant() + ago));
        let (families, tokens) = (Arc::new(families), verifier(tokens));
        let sightings = Arc::new(sightings);
        let authentication = Authentication {
            cache: empty_cache(),
            keys,
            personal_tokens: personal(),
            families,
            accounts: accounts(),
            digester,
            tokens,
            usage: usage(),
            sightings,
            vault: vault(),
            clock,
        };
        assert!(
            authentication.bearer("token", false, a_request()).await.is_ok(),
            "A failure to record activity must not reject the caller."
        );
        *records.lock().unwrap()
    }

    #[tokio::test]
    async fn user_activity_is_not_recorded_on_every_request() {
        assert_eq!(recorded_after(TimeDelta::minutes(14)).await, 0);
        assert_eq!(recorded_after(TimeDelta::minutes(15)).await, 1);
    }
}
