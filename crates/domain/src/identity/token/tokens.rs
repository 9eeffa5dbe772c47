//! The token endpoint: exchanges codes, refresh tokens and secrets of clients for tokens
//! (docs/contract.md#token-endpoint; RFC 6749 §4.1.3, §4.4 and §6).

use chrono::TimeDelta;

use crate::data::UserStatus;
use crate::identity::oauth::refused_requests::RefusedClientRequest;
use crate::identity::provider::required::check_required_provider;
use crate::identity::token::used_ids::Sender;
use crate::identity::{
    ACCESS_TTL, AccessClaims, Account, AuthenticationClaims, AuthenticationMethods, AuthenticationProof, Client,
    ClientId, ClientType, GrantType, IdClaims, IdentityCore, KeyThumbprint, PresentedClient, ProjectClient, Proof,
    RefreshState, RefreshToken, Scope, ScopeSet, Subject, TokenFamily, UserClaims,
};
use crate::kernel::changes::Changes;
use crate::kernel::error::{Error, ErrorCode, Forbidden, InvalidProof, OAuthError};
use crate::kernel::policy::{
    AccountRules, AccountStanding, LastSignIn, LimitedAction, Operation, Permit, UnmetCondition,
};
use crate::kernel::{
    OpaqueKind, RefreshTokenId, Request, Revision, Secret, Time, TokenFamilyId, to_the_second, use_cases,
};

/// Parameters of a token request.
#[derive(Debug, Clone, Default)]
#[expect(missing_docs, reason = "each field is the parameter of RFC 6749 or RFC 8628 that it is named after")]
pub struct TokenRequest {
    pub grant_type: Option<String>,
    pub code: Option<Secret>,
    pub redirect_uri: Option<String>,
    /// From `client_id` and `client_secret`, from HTTP Basic, or from an assertion.
    pub client: Option<PresentedClient>,
    pub code_verifier: Option<Secret>,
    pub device_code: Option<Secret>,
    pub refresh_token: Option<Secret>,
    pub scope: Option<String>,
    /// The proof of the key to which the tokens are bound (RFC 9449 §5); `None` for bearer tokens.
    pub proof: Option<Proof>,
}

/// A successful token response.
#[derive(Debug, Clone)]
pub struct Tokens {
    /// Authenticates API requests.
    pub access_token: Secret,
    /// Remaining lifetime of the access token.
    pub lasts: TimeDelta,
    /// Exchanged for new tokens when the access token expires; `None` if the client may not renew tokens.
    pub refresh_token: Option<Secret>,
    /// Identifies the user who signed in; `None` without the scope `openid`.
    pub id_token: Option<Secret>,
    /// Scopes that the tokens grant, or the roles of a client that acts on its own behalf, separated by spaces.
    pub scope: String,
    /// The key to which the access token is bound; `None` for a bearer token.
    pub bound_to: Option<KeyThumbprint>,
}

impl Tokens {
    /// Returns the `token_type`: the scheme with which the access token is sent.
    pub fn token_type(&self) -> &'static str {
        token_type(self.bound_to.as_ref())
    }
}

/// Returns the type of an access token (RFC 6749 §7.1, RFC 9449 §5).
pub(crate) fn token_type(bound_to: Option<&KeyThumbprint>) -> &'static str {
    if bound_to.is_some() { "DPoP" } else { "Bearer" }
}

use_cases! {
    /// Use cases of OAuth tokens.
    pub struct TokenGrants { pub(crate) core: IdentityCore }
}

/// What a token request presents.
enum PresentedGrant {
    Code(Secret),
    Refresh(Secret),
    Device(Secret),
    /// The client itself.
    Client,
}

impl TokenGrants {
    /// Exchanges a code, a refresh token or the secret of a client for tokens. Clients differ in practice, so `grant_type`
    /// defaults to `authorization_code`, and a refresh token is also accepted in `code` (docs/contract.md#token-endpoint).
    pub async fn exchange(&self, request: Request, command: &TokenRequest) -> Result<Tokens, Error> {
        let tokens = match presented(command)? {
            PresentedGrant::Code(code) => self.redeem(&request, &code, GrantType::AuthorizationCode, command).await,
            PresentedGrant::Refresh(token) => self.refresh(&request, &token, command).await,
            PresentedGrant::Device(code) => self.redeem(&request, &code, GrantType::DeviceCode, command).await,
            PresentedGrant::Client => self.client_credentials(command).await,
        };
        // Only failures count towards the rate limit: all users of a project may share one IP address. That a device has to
        // wait is none.
        let has_to_wait =
            |error: &OAuthError| matches!(error.code, ErrorCode::AuthorizationPending | ErrorCode::SlowDown);
        if let Err(Error::OAuth(error)) = &tokens
            && !has_to_wait(error)
        {
            self.core.action_limiter.take_from(LimitedAction::TokenFrom, &request, self.core.now()).await?;
            self.record_refusal(&request, command, error).await;
        }
        tokens
    }

    /// Checks the proof of a request, which binds the tokens to its key. Fails without one if the client requires it,
    /// with another key than that of `grant`, to which the code or the refresh token is bound (RFC 9449 §5 and §10), and
    /// if another request has used the proof.
    pub(crate) fn check_proof(
        &self,
        client: Option<&ProjectClient>,
        grant: Option<&KeyThumbprint>,
        proof: Option<&Proof>,
    ) -> Result<(), OAuthError> {
        let is_required = grant.is_some() || client.is_some_and(|client| client.settings.require_dpop);
        match proof {
            None if is_required => Err(InvalidProof::Missing.into()),
            None => Ok(()),
            Some(proof) if grant.is_some_and(|grant| *grant != proof.key) => {
                Err(OAuthError::grant("The code or refresh token is bound to another key than that of the proof."))
            }
            Some(proof) => Ok(self.core.proofs.check_unused(proof)?),
        }
    }

    /// Uses the proof of a request whose grant is valid, and returns its key.
    pub(crate) fn proven_key<'a>(&self, proof: Option<&'a Proof>) -> Result<Option<&'a KeyThumbprint>, OAuthError> {
        Ok(proof.map(|proof| self.core.proofs.use_once(Sender::Known, proof)).transpose()?)
    }

    /// Records a refused request for the project of the client that it names. Not that of a refresh token, which expires in
    /// the normal course of things, nor that of a device, whose code a person denies or does not enter.
    async fn record_refusal(&self, request: &Request, command: &TokenRequest, error: &OAuthError) {
        let is_normal = command.refresh_token.is_some() || command.device_code.is_some();
        let Some(named) = command.client.as_ref().filter(|_| !is_normal) else { return };
        let Ok(Client { id, project: Some(project), .. }) = Client::find(&self.core, named.id.as_str()).await else {
            return;
        };
        let (operation, redirect_uri) = (Operation::TokenExchange, command.redirect_uri.as_deref());
        let refusal = RefusedClientRequest { operation, client: &id, redirect_uri, error };
        self.core.record_refusal(request, &project, refusal).await;
    }

    /// Issues tokens to a user who has authenticated directly with this service, without an OAuth client.
    pub async fn first_party(&self, request: Request, authenticated: AuthenticationProof) -> Result<Tokens, Error> {
        let (AuthenticationProof { account, methods, at, provider }, now) = (authenticated, self.core.now());
        check_required_provider(&self.core, &account, provider.map(|provider| provider.id)).await?;
        let standing = AccountStanding::of(&account, LastSignIn::new(at, &methods, false).missing_factor());
        self.core.authentication.rules().check(Operation::LogIn.rule().conditions, standing, now)?;
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
            ends_at: None,
            revoked_at: None,
            lost_at: None,
            revision: Revision::FIRST,
        };
        let (tokens, refresh) = self.tokens(&family, &account, None, None, None, now).await?;
        let permit = Permit::authenticated(Operation::LogIn, account.id, request)?;
        self.core.commit(Changes::by(permit, now).insert(family).insert_all(refresh)).await?;
        Ok(tokens)
    }

    /// Refuses tokens to an account that does not meet the conditions by now: whose address has to be confirmed, or
    /// whose sign-in has one factor where two are required.
    pub(crate) async fn check_account(
        &self,
        account: &Account,
        methods: &AuthenticationMethods,
        client: &ClientId,
        now: Time,
    ) -> Result<(), Error> {
        let missing_factor = LastSignIn::new(now, methods, false).missing_factor();
        let project = match client.project().filter(|_| missing_factor.is_some()) {
            Some(id) => self.core.ports.projects.project(id).await?,
            None => None,
        };
        let of_project = project.and_then(|found| found.project.sign_in.second_factor_from);
        let rules = AccountRules { of_project, ..self.core.authentication.rules() };
        let standing = AccountStanding::of(account, missing_factor);
        rules.check(Operation::TokenExchange.rule().conditions, standing, now).map_err(|unmet| {
            OAuthError::grant(match unmet {
                UnmetCondition::ConfirmedEmail => Forbidden::UnconfirmedEmail.to_string(),
                UnmetCondition::SecondFactor(_) => "A second factor is required by now. Sign in again.".to_owned(),
            })
            .into()
        })
    }

    /// Whether the user is blocked in the family's project.
    pub(crate) async fn is_blocked(&self, family: TokenFamilyId) -> Result<bool, Error> {
        let found = self.core.ports.authorizations.user_bearer(family, None).await?;
        Ok(found.is_none_or(|(_, bearer)| bearer.user.status == UserStatus::Blocked))
    }

    /// Generates tokens of a family of this account, and returns them with the refresh token to store. `client`: the
    /// registered client that receives them, if it is one. `key`: the key to which they are bound. Reloads the signing keys first, so that the tokens are not signed
    /// with a key that another process has revoked.
    pub(crate) async fn tokens(
        &self,
        family: &TokenFamily,
        account: &Account,
        client: Option<&ProjectClient>,
        nonce: Option<String>,
        key: Option<&KeyThumbprint>,
        now: Time,
    ) -> Result<(Tokens, Option<RefreshToken>), Error> {
        self.core.keys.reload().await?;
        let authentication = AuthenticationClaims::new(family.authenticated_at, &family.methods);
        let issued_at = to_the_second(now);
        let ttl = client.map_or(ACCESS_TTL, |client| client.access_token_ttl(ACCESS_TTL));
        let expires_at = (issued_at + ttl).min(to_the_second(self.core.settings.family_lifetime.end_of(family)));
        // A client whose scopes were narrowed since receives fewer.
        let scopes = match client {
            Some(client) => client.settings.permitted_scopes(&family.scopes).unwrap_or(ScopeSet::none()),
            None => family.scopes.clone(),
        };
        let pair = RefreshTokenId::from(self.core.next_id());
        let access_token = self.core.ports.tokens.issue(&AccessClaims {
            subject: Subject::Account(family.account_id),
            client: client.map(|client| client.id),
            audience: family.client.audience(),
            scopes: scopes.clone(),
            issued_at,
            expires_at,
            id: pair.uuid(),
            family: Some(family.id),
            authentication: Some(authentication.clone()),
            bound_to: key.cloned(),
        })?;
        let id_token = if scopes.has(Scope::OpenId) {
            let claims = IdClaims {
                subject: family.account_id,
                client: family.client.clone(),
                nonce,
                authentication,
                issued_at,
                expires_at,
                user: UserClaims::of(account, &scopes),
                session: family.session_id,
            };
            Some(self.core.ports.tokens.issue_id_token(&claims, &access_token)?)
        } else {
            None
        };
        let may_renew = client.is_none_or(|client| client.settings.grant_types.contain(GrantType::RefreshToken));
        // That of a confidential client is bound to the client already, which authenticates (RFC 9449 §5).
        let is_public = client.is_none_or(|client| client.client_type() == ClientType::Public);
        let renewed_with = key.filter(|_| is_public);
        let kind = match (client, renewed_with) {
            (_, Some(_)) => OpaqueKind::BoundRefreshToken,
            (Some(_), None) => OpaqueKind::ClientRefreshToken,
            (None, None) => OpaqueKind::RefreshToken,
        };
        let (refresh_token, stored) =
            may_renew.then(|| self.refresh_token((kind, pair), family, renewed_with.cloned(), now)).unzip();
        let bound_to = key.cloned();
        let (scope, lasts) = (scopes.to_string(), expires_at - issued_at);
        Ok((Tokens { access_token, lasts, refresh_token, id_token, scope, bound_to }, stored))
    }

    fn refresh_token(
        &self,
        (kind, id): (OpaqueKind, RefreshTokenId),
        family: &TokenFamily,
        bound_to: Option<KeyThumbprint>,
        now: Time,
    ) -> (Secret, RefreshToken) {
        let secret = self.core.new_secret(kind);
        let stored = RefreshToken {
            id,
            family_id: family.id,
            digest: self.core.digest(&secret),
            issued_at: now,
            expires_at: self.core.settings.family_lifetime.refresh_token_end(family, now),
            state: RefreshState::Current,
            used_at: None,
            bound_to,
            revision: Revision::FIRST,
        };
        (secret, stored)
    }
}

fn presented(command: &TokenRequest) -> Result<PresentedGrant, OAuthError> {
    let (code, refresh) = (command.code.clone(), command.refresh_token.clone());
    let is_refresh = |secret: &Secret| OpaqueKind::parse_refresh_token(secret.expose()).is_some();
    match command.grant_type.as_deref() {
        Some("client_credentials") => Some(PresentedGrant::Client),
        Some(name) if name == GrantType::DeviceCode.as_str() => {
            let missing = || OAuthError::request("The `device_code` parameter is missing.");
            return command.device_code.clone().map(PresentedGrant::Device).ok_or_else(missing);
        }
        Some("refresh_token") => refresh.or(code).map(PresentedGrant::Refresh),
        None | Some("authorization_code") => match (code, refresh) {
            (Some(code), _) if is_refresh(&code) => Some(PresentedGrant::Refresh(code)),
            (Some(code), _) => Some(PresentedGrant::Code(code)),
            (None, Some(refresh)) if command.grant_type.is_none() => Some(PresentedGrant::Refresh(refresh)),
            (None, _) => None,
        },
        Some(_) => {
            let names = GrantType::ALL.map(GrantType::as_str).join(", ");
            let message = format_args!("The `grant_type` parameter must be one of: {names}.");
            return Err(OAuthError::new(ErrorCode::UnsupportedGrantType, message));
        }
    }
    .ok_or_else(|| OAuthError::request("No credential was sent. Send `code` or `refresh_token`."))
}
