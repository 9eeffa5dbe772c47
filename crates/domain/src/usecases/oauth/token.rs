//! The token endpoint: exchanges codes and refresh tokens for tokens (docs/contract.md#token-endpoint; RFC 6749 §4.1.3
//! and §6).

use std::sync::Arc;

use chrono::TimeDelta;

use crate::changes::Changes;
use crate::error::{Error, ErrorCode, OAuthError};
use crate::model::{
    ACCESS_TTL, AccessClaims, Account, AuthenticationClaims, ClientId, IdClaims, OpaqueKind, RefreshState,
    RefreshToken, Request, Revision, Scope, ScopeSet, Secret, Time, TokenDigest, TokenFamily, TokenFamilyId,
    UserClaims, UserStatus, to_the_second,
};
use crate::policy::{LimitedAction, Operation, Permit};
use crate::usecases::identity_providers::required::check_required_provider;
use crate::usecases::{AuthenticationProof, Core};

use super::client::unknown_client;

/// Parameters of a token request.
#[derive(Debug, Clone, Default)]
#[expect(missing_docs, reason = "each field is the parameter of RFC 6749 that it is named after")]
pub struct TokenRequest {
    pub grant_type: Option<String>,
    pub code: Option<Secret>,
    pub redirect_uri: Option<String>,
    pub client_id: Option<ClientId>,
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
pub struct TokenGrants {
    pub(super) core: Arc<Core>,
}

/// The credential that a token request presents.
enum PresentedGrant {
    Code(Secret),
    Refresh(Secret),
}

impl TokenGrants {
    /// Creates the use cases from the shared components.
    pub fn new(core: &Arc<Core>) -> Self {
        Self { core: core.clone() }
    }

    /// Exchanges a code or a refresh token for tokens. Clients differ in practice, so `grant_type` defaults to
    /// `authorization_code`, and a refresh token is also accepted in `code` (docs/contract.md#token-endpoint).
    pub async fn exchange(&self, request: Request, command: &TokenRequest) -> Result<Tokens, Error> {
        let client = command.client_id.as_ref();
        let tokens = match presented(command)? {
            PresentedGrant::Code(code) => self.redeem(&request, &code, client, command).await,
            PresentedGrant::Refresh(token) => self.refresh(&request, &token, client).await,
        };
        // Only failures count towards the rate limit: all users of a project may share one IP address.
        if matches!(tokens, Err(Error::OAuth(_))) {
            self.core.action_limiter.take_from(LimitedAction::TokenFrom, &request, self.core.now()).await?;
        }
        tokens
    }

    /// Returns the client that a request names, with HTTP Basic or in its body. Clients have no secrets, so the name
    /// proves nothing. Fails if the names differ or are unknown.
    pub fn client(&self, basic: Option<&str>, in_body: Option<&str>) -> Result<Option<ClientId>, OAuthError> {
        let parse =
            |id: &str| self.core.first_party_clients.parse_id(id, &self.core.address).ok_or_else(unknown_client);
        match (basic.map(parse).transpose()?, in_body.map(parse).transpose()?) {
            (Some(basic), Some(in_body)) if !basic.is(&in_body) => Err(OAuthError::request(
                "The `client_id` parameter does not match the user name of HTTP Basic. Send only one of them.",
            )),
            (basic, in_body) => Ok(in_body.or(basic)),
        }
    }

    /// Issues tokens to a user who has authenticated directly with this service, without an OAuth client.
    pub async fn first_party(&self, request: Request, authenticated: AuthenticationProof) -> Result<Tokens, Error> {
        let (AuthenticationProof { account, methods, at, provider }, now) = (authenticated, self.core.now());
        check_required_provider(&self.core, &account, provider.map(|provider| provider.id)).await?;
        self.core.sign_up.check_confirmed(&account)?;
        let family = TokenFamily {
            id: self.core.next_id().into(),
            account_id: account.id,
            client: ClientId::first_party(),
            session_id: None,
            scopes: ScopeSet::first_party(),
            authenticated_at: at,
            methods,
            password_set_at: account.password_set_at,
            created_at: now,
            revoked_at: None,
            revision: Revision::FIRST,
        };
        let (tokens, refresh) = self.tokens(&family, &account, None, now).await?;
        let permit = Permit::authenticated(Operation::LogIn, account.id, request)?;
        self.core.commit(Changes::by(permit, now).insert(family).insert(refresh)).await?;
        Ok(tokens)
    }

    /// Refuses tokens to an account that has to confirm its address first.
    pub(super) fn check_confirmed(&self, account: &Account) -> Result<(), OAuthError> {
        self.core.sign_up.check_confirmed(account).map_err(|error| OAuthError::grant(error.to_string()))
    }

    /// Whether the user is blocked in the family's project.
    pub(super) async fn is_blocked(&self, family: TokenFamilyId) -> Result<bool, Error> {
        let found = self.core.store.authorizations.user_bearer(family, None).await?;
        Ok(found.is_none_or(|(_, bearer)| bearer.user.status == UserStatus::Blocked))
    }

    /// Generates tokens of a family of this account, and returns them with the refresh token to store. Reloads the
    /// signing keys first, so that the tokens are not signed with a key that another process has revoked.
    pub(super) async fn tokens(
        &self,
        family: &TokenFamily,
        account: &Account,
        nonce: Option<String>,
        now: Time,
    ) -> Result<(Tokens, RefreshToken), Error> {
        self.core.keys.reload().await?;
        let authentication = AuthenticationClaims::new(family.authenticated_at, &family.methods);
        let issued_at = to_the_second(now);
        let expires_at = (issued_at + ACCESS_TTL).min(to_the_second(self.core.family_lifetime.end_of(family)));
        let access_token = self.core.system.tokens.issue(&AccessClaims {
            subject: family.account_id,
            audience: family.client.audience(),
            scopes: family.scopes.clone(),
            issued_at,
            expires_at,
            id: self.core.next_id(),
            family: Some(family.id),
            authentication: Some(authentication.clone()),
        })?;
        let id_token = if family.scopes.has(Scope::OpenId) {
            let claims = IdClaims {
                subject: family.account_id,
                client: family.client.clone(),
                nonce,
                authentication,
                issued_at,
                expires_at,
                user: UserClaims::of(account, &family.scopes),
                session: family.session_id,
            };
            Some(self.core.system.tokens.issue_id_token(&claims, &access_token)?)
        } else {
            None
        };
        let secret = OpaqueKind::RefreshToken.from_entropy(&self.core.system.secrets.entropy());
        let refresh = RefreshToken {
            id: self.core.next_id().into(),
            family_id: family.id,
            digest: self.digest(&secret),
            issued_at: now,
            expires_at: self.core.family_lifetime.refresh_token_end(family, now),
            state: RefreshState::Current,
            revision: Revision::FIRST,
        };
        let scopes = family.scopes.clone();
        let lasts = expires_at - issued_at;
        Ok((Tokens { access_token, lasts, refresh_token: secret, id_token, scopes }, refresh))
    }

    pub(super) fn digest(&self, secret: &Secret) -> TokenDigest {
        TokenDigest(self.core.system.vault.sha256(secret.expose()))
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
