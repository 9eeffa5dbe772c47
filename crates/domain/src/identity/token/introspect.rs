//! Token introspection (RFC 7662).

use crate::data::UserStatus;
use crate::identity::token::tokens::token_type;
use crate::identity::{
    Account, Audience, AuthenticationClaims, ClientId, ClientType, KeyThumbprint, PresentedClient, RefreshState,
    RefreshToken, Subject, TokenFamilyWithAccount, TokenGrants, VerifiedToken,
};
use crate::kernel::error::{Error, Forbidden};
use crate::kernel::policy::{AccountRules, AccountStanding, Conditions, LimitedAction, Operation, accepts};
use crate::kernel::{Caller, Identity, OpaqueKind, Request, Secret, Time, TokenFamilyId};

/// An active token's properties (RFC 7662 §2.2).
#[derive(Debug, Clone)]
#[expect(missing_docs, reason = "each other field is the member of RFC 7662 that it is named after")]
pub struct Introspection {
    pub token_type: &'static str,
    /// The scopes, or the roles of a client that acts on its own behalf, separated by spaces.
    pub scope: String,
    pub client_id: ClientId,
    pub sub: Subject,
    pub audience: Audience,
    pub exp: Time,
    pub iat: Time,
    /// The token family (sign-in) that issued the token; `None` for a token issued by the operator or with the secret of a
    /// client.
    pub family: Option<TokenFamilyId>,
    /// The sign-in; `None` for a token issued by the operator or with the secret of a client.
    pub authentication: Option<AuthenticationClaims>,
    /// The key to which the token is bound (`cnf`, RFC 9449 §6.2); `None` for a token without one.
    pub bound_to: Option<KeyThumbprint>,
}

impl TokenGrants {
    /// Introspects a token. The caller must be an API key or a client of the token's project, or the token's own account.
    /// Returns `None` if the token is not active or the caller may not introspect it.
    pub async fn introspect(&self, caller: &Caller, token: &str) -> Result<Option<Introspection>, Error> {
        accepts(Operation::TokenIntrospect, &caller.identity)?;
        if matches!(&caller.identity, Identity::Key(bearer) if !bearer.key.is_private) {
            return Err(Forbidden::PublicKey.into());
        }
        let may_introspect = |found: &Introspection| match &caller.identity {
            Identity::Account(account) => found.sub == Subject::Account(*account),
            Identity::Key(_) | Identity::Client(_) | Identity::User(_) | Identity::Token(_) => {
                let own = caller.identity.only_project();
                own.is_some_and(|own| found.audience == Audience::Project(own.project.id))
            }
        };
        self.active(token, may_introspect).await
    }

    /// Introspects a token for a client that names itself. A confidential client that authenticates can introspect the tokens
    /// for its project. Any other client receives only the properties of its own tokens, which anyone with the
    /// token can use. Returns `None` for every other token.
    pub async fn introspect_for_client(
        &self,
        request: &Request,
        client: &PresentedClient,
        token: &str,
    ) -> Result<Option<Introspection>, Error> {
        let registered = self.authenticated_client(client).await;
        if matches!(registered, Err(Error::OAuth(_))) {
            self.core.action_limiter.take_from(LimitedAction::TokenFrom, request, self.core.now()).await?;
        }
        // Anyone can register a client in a project that the operator has opened.
        let confidential =
            registered?.filter(|client| client.client_type() == ClientType::Confidential && !client.registered_itself);
        let may_introspect = |found: &Introspection| match &confidential {
            Some(confidential) => found.audience == Audience::Project(confidential.project_id),
            None => client.id.is(&found.client_id),
        };
        let found = self.active(token, may_introspect).await?;
        if found.is_none() {
            self.core.action_limiter.take_from(LimitedAction::TokenFrom, request, self.core.now()).await?;
        }
        Ok(found)
    }

    /// Returns the properties of a token if it is active and the caller may introspect it.
    async fn active(
        &self,
        token: &str,
        may_introspect: impl FnOnce(&Introspection) -> bool,
    ) -> Result<Option<Introspection>, Error> {
        let now = self.core.now();
        let found = match OpaqueKind::parse_refresh_token(token) {
            Some(secret) => self.introspect_refresh(&secret, now).await?,
            None => self.introspect_access(token, now).await?,
        };
        let is_known = |found: &Introspection| self.core.settings.first_party_clients.know(&found.client_id);
        let Some(found) = found.filter(is_known).filter(may_introspect) else { return Ok(None) };
        let is_refused = match (found.audience, found.family) {
            (Audience::Project(_), Some(family)) => self.is_refused(family, now).await?,
            (Audience::Service, _) | (_, None) => false,
        };
        Ok(Some(found).filter(|_| !is_refused))
    }

    /// Whether the project of the sign-in refuses its tokens: the user is blocked, or a second factor is required by now.
    async fn is_refused(&self, family: TokenFamilyId, now: Time) -> Result<bool, Error> {
        let found = self.core.ports.authorizations.user_bearer(family, None).await?;
        Ok(found.is_none_or(|(found, bearer)| {
            let of_project = bearer.project.project.sign_in.second_factor_from;
            let rules = AccountRules { of_project, ..self.core.authentication.rules() };
            bearer.user.status == UserStatus::Blocked || rules.check(Conditions::All, found.standing(), now).is_err()
        }))
    }

    /// Whether the account may use its tokens, as when they are presented.
    fn may_use(&self, standing: AccountStanding, now: Time) -> bool {
        self.core.authentication.rules().check(Conditions::All, standing, now).is_ok()
    }

    async fn introspect_refresh(&self, secret: &Secret, now: Time) -> Result<Option<Introspection>, Error> {
        let found = self.core.ports.authorizations.refresh_token(&self.core.digest(secret)).await?;
        let is_active = |(token, family): &(RefreshToken, TokenFamilyWithAccount)| {
            family.is_live()
                && token.state == RefreshState::Current
                && self.core.settings.family_lifetime.allows(&family.family, token, now)
                && self.may_use(family.standing(), now)
        };
        let Some((token, TokenFamilyWithAccount { family, .. })) = found.filter(is_active) else { return Ok(None) };
        self.core.usage.note_pair(token.id, now);
        Ok(Some(Introspection {
            token_type: "refresh_token",
            scope: family.scopes.to_string(),
            audience: family.client.audience(),
            client_id: family.client,
            sub: Subject::Account(family.account_id),
            exp: token.expires_at,
            iat: token.issued_at,
            family: Some(family.id),
            authentication: Some(AuthenticationClaims::new(family.authenticated_at, &family.methods)),
            bound_to: token.bound_to,
        }))
    }

    async fn introspect_access(&self, token: &str, now: Time) -> Result<Option<Introspection>, Error> {
        let digest = self.core.verifier.known.digest(token);
        let VerifiedToken { claims, signed_by } = match self.core.verifier.verify(token, &digest, now).await {
            Ok(verified) => verified,
            Err(Error::Unauthenticated(_)) => return Ok(None),
            Err(error) => return Err(error),
        };
        let mut scope = claims.scopes.to_string();
        let client_id = match (&claims.subject, claims.family) {
            (Subject::Client(id, roles), _) => {
                let found = self.core.ports.project_clients.client_bearer(*id, signed_by).await?;
                let Some((client, _)) = found.filter(|(client, _)| client.acts_on_its_own_behalf()) else {
                    return Ok(None);
                };
                scope = client.scope_with(roles);
                Some(ClientId::registered(&client))
            }
            (Subject::Account(account), None) => {
                let found = self.core.ports.accounts.signed_account(*account, signed_by).await?;
                let is_valid =
                    |account: &Account| account.is_active() && self.may_use(AccountStanding::of(account, None), now);
                found.filter(|(account, _)| is_valid(account)).map(|_| ClientId::first_party())
            }
            (Subject::Account(_), Some(family)) => {
                let found = self.core.ports.authorizations.token_family(family, Some(signed_by)).await?;
                let is_valid = |found: &TokenFamilyWithAccount| found.is_live() && self.may_use(found.standing(), now);
                let Some(found) = found.filter(is_valid) else { return Ok(None) };
                if self.core.authentication.is_lost(&found.family, &claims).await? {
                    return Ok(None);
                }
                self.core.usage.note_pair(claims.pair(), now);
                Some(found.family.client)
            }
        };
        let Some(client_id) = client_id else { return Ok(None) };
        Ok(Some(Introspection {
            token_type: token_type(claims.bound_to.as_ref()),
            scope,
            client_id,
            sub: claims.subject,
            audience: claims.audience,
            exp: claims.expires_at,
            iat: claims.issued_at,
            family: claims.family,
            authentication: claims.authentication,
            bound_to: claims.bound_to,
        }))
    }
}
