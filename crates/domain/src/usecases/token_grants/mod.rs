//! The token endpoint: exchanges codes and refresh tokens for tokens (contract 3; RFC 6749 §4.1.3 and §6).

mod introspection;
mod revocation;

use std::sync::Arc;

use chrono::TimeDelta;

use crate::changes::Changes;
use crate::error::{Error, ErrorCode, OAuthError};
use crate::model::{
    AccessClaims, AuthorizationCode, ClientId, CodeChallenge, IdClaims, OpaqueKind, REFRESH_GRACE, REFRESH_TTL,
    RefreshState, RefreshToken, Request, Revision, Scope, ScopeSet, Secret, ServiceAddress, Time, TokenDigest,
    TokenFamily, TokenFamilyId, UserStatus,
};
use crate::policy::{LimitedAction, Operation, Permit};
use crate::ports::{
    AccessTokens, AccountReader, AuthorizationReader, Clock, CommitError, IdGenerator, SecretGenerator, TokenVault,
    UnitOfWork,
};

use super::accounts::to_the_second;
use super::{Authenticated, Core, CurrentKeys, RateLimiter, TokenVerifier, retry_stale};

pub use introspection::Introspection;

/// Lifetime of an access token (contract 3).
pub(super) const ACCESS_TTL: TimeDelta = TimeDelta::minutes(15);

/// Parameters of a token request.
#[derive(Debug, Clone, Default)]
#[expect(missing_docs, reason = "each field is the parameter of RFC 6749 that it is named after")]
pub struct TokenRequest {
    pub grant_type: Option<String>,
    pub code: Option<Secret>,
    pub redirect_uri: Option<String>,
    pub client_id: Option<String>,
    pub code_verifier: Option<Secret>,
    pub refresh_token: Option<Secret>,
}

/// A successful token response.
#[derive(Debug, Clone)]
pub struct Tokens {
    /// Authenticates API requests.
    pub access_token: Secret,
    /// Remaining lifetime of the access token.
    pub lasts: TimeDelta,
    /// Exchanged for new tokens when the access token expires.
    pub refresh_token: Secret,
    /// Identifies the user who signed in; `None` without the scope `openid`.
    pub id_token: Option<Secret>,
    /// Scopes that the tokens grant.
    pub scopes: ScopeSet,
}

/// Use cases of OAuth tokens.
#[expect(missing_docs, reason = "each field is named after its port")]
pub struct TokenGrants {
    pub address: ServiceAddress,
    pub reader: Arc<dyn AuthorizationReader>,
    pub accounts: Arc<dyn AccountReader>,
    pub store: Arc<dyn UnitOfWork>,
    pub tokens: Arc<dyn AccessTokens>,
    pub verifier: TokenVerifier,
    pub keys: Arc<CurrentKeys>,
    pub vault: Arc<dyn TokenVault>,
    pub secrets: Arc<dyn SecretGenerator>,
    pub rate_limiter: Arc<RateLimiter>,
    pub clock: Arc<dyn Clock>,
    pub ids: Arc<dyn IdGenerator>,
}

/// The credential that a token request presents.
enum PresentedGrant {
    Code(Secret),
    Refresh(Secret),
}

impl TokenGrants {
    /// Creates the use cases from the shared components.
    pub fn new(core: &Core) -> Self {
        Self {
            address: core.address.clone(),
            reader: core.store.clone(),
            accounts: core.store.clone(),
            store: core.unit_of_work.clone(),
            tokens: core.system.tokens.clone(),
            verifier: core.verifier.clone(),
            keys: core.keys.clone(),
            vault: core.system.vault.clone(),
            secrets: core.system.secrets.clone(),
            rate_limiter: core.rate_limiter.clone(),
            clock: core.system.clock.clone(),
            ids: core.system.ids.clone(),
        }
    }

    /// Exchanges a code or a refresh token for tokens. Clients differ in practice, so `grant_type` defaults to
    /// `authorization_code`, and a refresh token is also accepted in `code` (contract 3).
    pub async fn exchange(&self, request: Request, command: &TokenRequest) -> Result<Tokens, Error> {
        let presented = presented(command)?;
        let client = match &command.client_id {
            Some(text) => Some(
                ClientId::parse(text, &self.address)
                    .ok_or_else(|| OAuthError::new(ErrorCode::InvalidClient, "No client has this `client_id`."))?,
            ),
            None => None,
        };
        let client = client.as_ref();
        let tokens = match presented {
            PresentedGrant::Code(code) => self.redeem(&request, &code, client, command).await,
            PresentedGrant::Refresh(token) => self.refresh(&request, &token, client).await,
        };
        // Only failures count towards the rate limit: all users of a project may share one IP address.
        if matches!(tokens, Err(Error::OAuth(_))) {
            self.rate_limiter.take_from(LimitedAction::TokenFrom, &request, self.clock.now()).await?;
        }
        tokens
    }

    /// Exchanges an authorization code for tokens, once.
    async fn redeem(
        &self,
        request: &Request,
        secret: &Secret,
        client: Option<&ClientId>,
        command: &TokenRequest,
    ) -> Result<Tokens, Error> {
        retry_stale(async || {
            let unknown = || OAuthError::grant("The code is invalid or has expired. Sign in again.");
            let secret = OpaqueKind::AuthorizationCode.parse(secret.expose()).ok_or_else(unknown)?;
            let code = self.reader.authorization_code(&self.digest(&secret)).await?.ok_or_else(unknown)?;
            if code.redeemed_at.is_some() {
                // The first use may have been by an attacker, so all tokens are revoked (RFC 6749 §4.1.2).
                self.revoke_reused(request, code.family_id).await?;
                return Err(
                    OAuthError::grant("The code was already used. Its tokens are revoked. Sign in again.").into()
                );
            }
            let now = self.clock.now();
            if code.expires_at <= now {
                return Err(unknown().into());
            }
            self.check_code(&code, client, command)?;
            let account = self.accounts.account(code.account_id).await?;
            if account.as_ref().is_some_and(|account| !account.is_active()) {
                return Err(unknown().into());
            }
            if account.is_none_or(|account| account.password_set_at != code.password_set_at) {
                return Err(OAuthError::grant("The user's password has changed. Sign in again.").into());
            }

            let family = TokenFamily {
                id: code.family_id,
                account_id: code.account_id,
                client: code.client.clone(),
                scopes: code.scopes.clone(),
                authenticated_at: code.authenticated_at,
                password_set_at: code.password_set_at,
                created_at: now,
                revoked_at: None,
                revision: Revision::FIRST,
            };
            let (tokens, refresh) = self.tokens(&family, code.nonce.clone(), now).await?;
            let permit = Permit::for_self(Operation::TokenExchange, family.account_id, request.clone());
            let redeemed = AuthorizationCode { redeemed_at: Some(now), ..code.clone() };
            let changes = Changes::by(permit, now).replace(code, redeemed).insert(family).insert(refresh);
            match self.store.commit(changes).await {
                Ok(_) => Ok(tokens),
                // The grant was revoked in the meantime.
                Err(CommitError::Orphaned) => Err(unknown().into()),
                Err(error) => Err(error.into()),
            }
        })
        .await
    }

    /// Exchanges a refresh token for new tokens.
    async fn refresh(&self, request: &Request, secret: &Secret, client: Option<&ClientId>) -> Result<Tokens, Error> {
        retry_stale(async || {
            let unknown = || OAuthError::grant("The refresh token is invalid, expired or revoked. Sign in again.");
            let secret = OpaqueKind::RefreshToken.parse(secret.expose()).ok_or_else(unknown)?;
            let found = self.reader.refresh_token(&self.digest(&secret)).await?;
            let (token, family_of_account) = found.filter(|(_, family)| family.is_live()).ok_or_else(unknown)?;
            let (family, now) = (family_of_account.family, self.clock.now());
            if client.is_some_and(|client| !client.is(&family.client)) {
                return Err(OAuthError::grant("The refresh token was issued to another client.").into());
            }
            match &token.state {
                RefreshState::Replaced { at, answer: Some(answer) } if now < *at + REFRESH_GRACE => {
                    return Ok(self.stored_response(&secret, answer, &family, now)?);
                }
                RefreshState::Replaced { .. } => {
                    // Two parties have the token, so one of them must have stolen it (RFC 9700 §4.14.2).
                    self.revoke_reused(request, family.id).await?;
                    return Err(OAuthError::grant(
                        "The refresh token was already used. Its tokens are revoked. Sign in again.",
                    )
                    .into());
                }
                RefreshState::Current if token.expires_at <= now => return Err(unknown().into()),
                RefreshState::Current => {}
            }
            if family.client.project().is_some() && self.is_blocked(family.id).await? {
                return Err(OAuthError::grant("The user is blocked in this project.").into());
            }

            let (tokens, next) = self.tokens(&family, None, now).await?;
            let answer = self.encrypt_response(&secret, &tokens, now)?;
            let replaced =
                RefreshToken { state: RefreshState::Replaced { at: now, answer: Some(answer) }, ..token.clone() };
            let permit = Permit::for_self(Operation::TokenExchange, family.account_id, request.clone());
            // Insert the new token first: this locks the family before its tokens, in the same order as the
            // removal of a family.
            let changes = Changes::by(permit, now).insert(next).replace(token, replaced);
            match self.store.commit(changes).await {
                Ok(_) => Ok(tokens),
                Err(CommitError::Orphaned) => Err(unknown().into()),
                Err(error) => Err(error.into()),
            }
        })
        .await
    }

    /// Checks that the code was issued to this client, for this redirect URI and for this verifier (RFC 6749 §4.1.3,
    /// RFC 7636 §4.6).
    fn check_code(
        &self,
        code: &AuthorizationCode,
        client: Option<&ClientId>,
        command: &TokenRequest,
    ) -> Result<(), OAuthError> {
        if client.is_some_and(|client| !client.is(&code.client)) {
            return Err(OAuthError::grant("The code was issued to another client."));
        }
        match &command.redirect_uri {
            Some(uri) if uri != code.redirect_uri.as_str() => {
                return Err(OAuthError::grant(
                    "The `redirect_uri` parameter does not match the authorization request.",
                ));
            }
            // Without a verifier, the redirect URI binds the code to its request (OAuth 2.1 §10.2).
            None if code.challenge.is_none() => {
                return Err(OAuthError::request(
                    "The `redirect_uri` parameter is missing. Send the value from the authorization request.",
                ));
            }
            _ => {}
        }
        match (&code.challenge, &command.code_verifier) {
            (None, None) => Ok(()),
            // An attacker may have removed the challenge from the authorization request (RFC 9700 §4.8.2).
            (None, Some(_)) => Err(OAuthError::grant(
                "The authorization request had no `code_challenge`. Do not send `code_verifier`.",
            )),
            (Some(_), None) => Err(OAuthError::grant("The `code_verifier` parameter is missing.")),
            (Some(challenge), Some(verifier)) => {
                let verifier = verifier.expose();
                let matches = CodeChallenge::is_verifier(verifier) && self.vault.sha256(verifier) == challenge.as_str();
                if matches {
                    Ok(())
                } else {
                    Err(OAuthError::grant("The `code_verifier` parameter does not match the `code_challenge`."))
                }
            }
        }
    }

    /// Issues tokens to a user who has authenticated directly with this service, without an OAuth client.
    pub async fn first_party(&self, request: Request, authenticated: Authenticated) -> Result<Tokens, Error> {
        let (account, now) = (authenticated.account, self.clock.now());
        let family = TokenFamily {
            id: self.ids.next().into(),
            account_id: account.id,
            client: ClientId::first_party(),
            scopes: ScopeSet::first_party(),
            authenticated_at: now,
            password_set_at: account.password_set_at,
            created_at: now,
            revoked_at: None,
            revision: Revision::FIRST,
        };
        let (tokens, refresh) = self.tokens(&family, None, now).await?;
        let permit = Permit::for_self(Operation::LogIn, account.id, request);
        self.store.commit(Changes::by(permit, now).insert(family).insert(refresh)).await?;
        Ok(tokens)
    }

    /// Whether the user is blocked in the family's project.
    async fn is_blocked(&self, family: TokenFamilyId) -> Result<bool, Error> {
        let found = self.reader.user_bearer(family, None).await?;
        Ok(found.is_none_or(|(_, bearer)| bearer.user.status == UserStatus::Blocked))
    }

    /// Generates tokens of a family, and returns them with the refresh token to store. Reloads the signing keys first,
    /// so that the tokens are not signed with a key that another process has revoked.
    async fn tokens(
        &self,
        family: &TokenFamily,
        nonce: Option<String>,
        now: Time,
    ) -> Result<(Tokens, RefreshToken), Error> {
        self.keys.reload().await?;
        let issued_at = to_the_second(now);
        let expires_at = issued_at + ACCESS_TTL;
        let access_token = self.tokens.issue(&AccessClaims {
            subject: family.account_id,
            audience: family.client.audience(),
            scopes: family.scopes.clone(),
            issued_at,
            expires_at,
            id: self.ids.next(),
            family: Some(family.id),
        })?;
        let id_token = if family.scopes.has(Scope::OpenId) {
            let claims = IdClaims {
                subject: family.account_id,
                client: family.client.clone(),
                nonce,
                authenticated_at: to_the_second(family.authenticated_at),
                issued_at,
                expires_at,
            };
            Some(self.tokens.issue_id_token(&claims, &access_token)?)
        } else {
            None
        };
        let secret = OpaqueKind::RefreshToken.from_entropy(&self.secrets.entropy());
        let refresh = RefreshToken {
            id: self.ids.next().into(),
            family_id: family.id,
            digest: self.digest(&secret),
            issued_at: now,
            expires_at: now + REFRESH_TTL,
            state: RefreshState::Current,
            revision: Revision::FIRST,
        };
        let scopes = family.scopes.clone();
        Ok((Tokens { access_token, lasts: ACCESS_TTL, refresh_token: secret, id_token, scopes }, refresh))
    }

    /// Encrypts the response to a refresh with the presented refresh token, so that it can be returned again only to a
    /// client that presents the same token. One line each: access token, its expiry in Unix time, refresh token, ID
    /// token.
    fn encrypt_response(&self, secret: &Secret, tokens: &Tokens, now: Time) -> Result<Vec<u8>, Error> {
        let end = (to_the_second(now) + ACCESS_TTL).timestamp();
        let id_token = tokens.id_token.as_ref().map_or("", Secret::expose);
        let (access, refresh) = (tokens.access_token.expose(), tokens.refresh_token.expose());
        self.vault.encrypt(secret, &Secret::new(format!("{access}\n{end}\n{refresh}\n{id_token}")))
    }

    /// Returns the stored response of an earlier refresh.
    fn stored_response(
        &self,
        secret: &Secret,
        answer: &[u8],
        family: &TokenFamily,
        now: Time,
    ) -> Result<Tokens, Error> {
        let text = self.vault.decrypt(secret, answer)?;
        let mut lines = text.expose().split('\n');
        let mut line = || {
            lines.next().ok_or_else(|| Error::Internal(anyhow::anyhow!("A stored token response has too few lines.")))
        };
        let (access, end, refresh, id_token) = (line()?, line()?, line()?, line()?);
        let end: i64 = end
            .parse()
            .map_err(|_| Error::Internal(anyhow::anyhow!("A stored token response has an invalid expiry.")))?;
        Ok(Tokens {
            access_token: Secret::new(access.to_owned()),
            lasts: TimeDelta::seconds(end.saturating_sub(now.timestamp())),
            refresh_token: Secret::new(refresh.to_owned()),
            id_token: (!id_token.is_empty()).then(|| Secret::new(id_token.to_owned())),
            scopes: family.scopes.clone(),
        })
    }

    fn digest(&self, secret: &Secret) -> TokenDigest {
        TokenDigest(self.vault.sha256(secret.expose()))
    }
}

fn presented(command: &TokenRequest) -> Result<PresentedGrant, OAuthError> {
    let (code, refresh) = (command.code.clone(), command.refresh_token.clone());
    let is_refresh = |secret: &Secret| OpaqueKind::RefreshToken.parse(secret.expose()).is_some();
    match command.grant_type.as_deref() {
        Some("refresh_token") => refresh.or(code).map(PresentedGrant::Refresh),
        None | Some("authorization_code") => match (code, refresh) {
            (Some(code), _) if is_refresh(&code) => Some(PresentedGrant::Refresh(code)),
            (Some(code), _) => Some(PresentedGrant::Code(code)),
            (None, Some(refresh)) if command.grant_type.is_none() => Some(PresentedGrant::Refresh(refresh)),
            (None, _) => None,
        },
        Some(_) => {
            let message = "The `grant_type` parameter must be `authorization_code` or `refresh_token`.";
            return Err(OAuthError::new(ErrorCode::UnsupportedGrantType, message));
        }
    }
    .ok_or_else(|| OAuthError::request("No credential was sent. Send `code` or `refresh_token`."))
}

#[cfg(test)]
mod tests {
    use zeroize::Zeroizing;

    use super::*;
    use crate::changes::{Subject, Write};
    use crate::mocks::{
        CountingIds, FixedClock, MockAccessTokens, MockAccountReader, MockAuthorizationReader, MockSecretGenerator,
        MockTokenVault, RecordingUnitOfWork, a_family, a_request, an_account, id_of, instant, no_keys, verifier,
    };
    use crate::model::{AccessEpoch, RedirectUri, TokenFamilyWithAccount};

    /// The stored rows of Ann's sign-in.
    #[derive(Clone)]
    struct StoredSignIn {
        code: AuthorizationCode,
        family: TokenFamily,
        token: RefreshToken,
    }

    fn stored() -> StoredSignIn {
        let family = a_family("ann");
        let token = RefreshToken {
            id: id_of("refresh").into(),
            family_id: family.id,
            digest: TokenDigest("digest".into()),
            issued_at: instant(),
            expires_at: instant() + REFRESH_TTL,
            state: RefreshState::Current,
            revision: Revision::FIRST,
        };
        let code = AuthorizationCode {
            family_id: family.id,
            digest: TokenDigest("digest".into()),
            account_id: family.account_id,
            client: ClientId::first_party(),
            redirect_uri: RedirectUri::parse("http://127.0.0.1/callback").unwrap(),
            scopes: ScopeSet::first_party(),
            nonce: None,
            challenge: None,
            authenticated_at: instant(),
            password_set_at: instant(),
            created_at: instant(),
            expires_at: instant() + TimeDelta::minutes(10),
            redeemed_at: None,
            revision: Revision::FIRST,
        };
        StoredSignIn { code, family, token }
    }

    /// Presents a code or a refresh token at this time. Returns the result and the writes.
    async fn present(stored: &StoredSignIn, kind: OpaqueKind, now: Time) -> (Result<Tokens, Error>, Vec<Write>) {
        let mut reader = MockAuthorizationReader::new();
        let family_of_account = TokenFamilyWithAccount {
            family: stored.family.clone(),
            account: an_account("ann"),
            access_epoch: AccessEpoch::default(),
        };
        let (code, token, found) = (stored.code.clone(), stored.token.clone(), family_of_account.clone());
        reader.expect_authorization_code().returning(move |_| Ok(Some(code.clone())));
        reader.expect_refresh_token().returning(move |_| Ok(Some((token.clone(), found.clone()))));
        reader.expect_token_family().returning(move |_, _| Ok(Some(family_of_account.clone())));
        let mut accounts = MockAccountReader::new();
        accounts.expect_account().returning(|_| Ok(Some(an_account("ann"))));
        let mut tokens = MockAccessTokens::new();
        tokens.expect_issue().returning(|_| Ok(Secret::new("access".into())));
        tokens.expect_issue_id_token().returning(|_, _| Ok(Secret::new("id".into())));
        let mut vault = MockTokenVault::new();
        vault.expect_sha256().returning(|_| "digest".into());
        vault.expect_encrypt().returning(|_, text| Ok(text.expose().as_bytes().to_vec()));
        vault
            .expect_decrypt()
            .returning(|_, encrypted| Ok(Secret::new(String::from_utf8(encrypted.to_vec()).unwrap())));
        let mut secrets = MockSecretGenerator::new();
        secrets.expect_entropy().returning(|| Zeroizing::new([9; 32]));
        let store = Arc::new(RecordingUnitOfWork::default());
        let grants = TokenGrants {
            address: ServiceAddress::parse("http://localhost:3003").unwrap(),
            reader: Arc::new(reader),
            accounts: Arc::new(accounts),
            store: store.clone(),
            tokens: Arc::new(tokens),
            verifier: verifier(MockAccessTokens::new()),
            keys: no_keys(),
            vault: Arc::new(vault),
            secrets: Arc::new(secrets),
            rate_limiter: Arc::new(RateLimiter::on()),
            clock: Arc::new(FixedClock(now)),
            ids: Arc::new(CountingIds::default()),
        };
        let presented = kind.from_entropy(&Zeroizing::new([7; 32]));
        let redirect_uri = Some(stored.code.redirect_uri.to_string());
        let command = TokenRequest { code: Some(presented), redirect_uri, ..TokenRequest::default() };
        let result = grants.exchange(a_request(), &command).await;
        let writes = store.changes().iter().flat_map(|changes| changes.writes().to_vec()).collect();
        (result, writes)
    }

    fn refused<T: std::fmt::Debug>(result: Result<T, Error>) -> bool {
        matches!(result, Err(Error::OAuth(OAuthError { code: ErrorCode::InvalidGrant, .. })))
    }

    fn is_revocation(writes: &[Write]) -> bool {
        matches!(writes, [Write::Replace(Subject::TokenFamily(family))] if family.revoked_at.is_some())
    }

    #[tokio::test]
    async fn a_code_is_valid_for_ten_minutes_and_one_use() {
        let (stored, last) = (stored(), instant() + TimeDelta::minutes(10) - TimeDelta::microseconds(1));
        let (tokens, writes) = present(&stored, OpaqueKind::AuthorizationCode, last).await;
        assert!(tokens.is_ok() && writes.len() == 3, "{writes:?}");
        let end = instant() + TimeDelta::minutes(10);
        let (result, writes) = present(&stored, OpaqueKind::AuthorizationCode, end).await;
        assert!(refused(result) && writes.is_empty());
        let code = AuthorizationCode { redeemed_at: Some(instant()), ..stored.code.clone() };
        let (result, writes) =
            present(&StoredSignIn { code, ..stored.clone() }, OpaqueKind::AuthorizationCode, end).await;
        assert!(
            refused(result) && is_revocation(&writes),
            "A second use revokes the tokens even after expiry: {writes:?}"
        );
        let code = AuthorizationCode { password_set_at: instant() - TimeDelta::days(1), ..stored.code.clone() };
        let (result, writes) = present(&StoredSignIn { code, ..stored }, OpaqueKind::AuthorizationCode, last).await;
        assert!(refused(result) && writes.is_empty(), "A password change must invalidate the code.");
    }

    #[tokio::test]
    async fn a_refresh_token_is_valid_for_thirty_days() {
        let stored = stored();
        let last = instant() + REFRESH_TTL - TimeDelta::microseconds(1);
        let (tokens, writes) = present(&stored, OpaqueKind::RefreshToken, last).await;
        assert!(tokens.is_ok() && writes.len() == 2, "{writes:?}");
        let (result, writes) = present(&stored, OpaqueKind::RefreshToken, instant() + REFRESH_TTL).await;
        assert!(refused(result) && writes.is_empty());
    }

    #[tokio::test]
    async fn a_replaced_refresh_token_returns_the_same_tokens_for_a_minute_and_then_revokes_the_family() {
        let end = (instant() + ACCESS_TTL).timestamp();
        let refresh = OpaqueKind::RefreshToken.from_entropy(&Zeroizing::new([8; 32]));
        let answer = format!("access-1\n{end}\n{}\nid-1", refresh.expose()).into_bytes();
        let state = RefreshState::Replaced { at: instant(), answer: Some(answer) };
        let stored = StoredSignIn { token: RefreshToken { state, ..stored().token }, ..stored() };
        let within = instant() + REFRESH_GRACE - TimeDelta::seconds(1);
        let (tokens, writes) = present(&stored, OpaqueKind::RefreshToken, within).await;
        let tokens = tokens.unwrap();
        assert_eq!((tokens.access_token.expose(), tokens.refresh_token.expose()), ("access-1", refresh.expose()));
        assert_eq!((tokens.lasts.num_seconds(), writes.len()), (841, 0));
        let (result, writes) = present(&stored, OpaqueKind::RefreshToken, instant() + REFRESH_GRACE).await;
        assert!(refused(result) && is_revocation(&writes), "{writes:?}");
        let state = RefreshState::Replaced { at: instant(), answer: None };
        let forgotten = StoredSignIn { token: RefreshToken { state, ..stored.token.clone() }, ..stored };
        let (result, writes) = present(&forgotten, OpaqueKind::RefreshToken, within).await;
        assert!(
            refused(result) && is_revocation(&writes),
            "The response is not returned again after the new token was used: {writes:?}"
        );
    }

    #[tokio::test]
    async fn a_revoked_family_and_one_of_an_old_password_issue_no_tokens() {
        let revoked = TokenFamily { revoked_at: Some(instant()), ..a_family("ann") };
        let of_old_password = TokenFamily { password_set_at: instant() - TimeDelta::days(1), ..a_family("ann") };
        for family in [revoked, of_old_password] {
            let (result, writes) =
                present(&StoredSignIn { family, ..stored() }, OpaqueKind::RefreshToken, instant()).await;
            assert!(refused(result) && writes.is_empty());
        }
    }
}
