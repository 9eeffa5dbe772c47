//! Token revocation: by anyone who presents a token (RFC 7009), by the account that owns it, or because a token was
//! used twice.

use crate::identity::{PresentedClient, SignedIn, TokenFamily, TokenFamilyWithAccount, TokenGrants};
use crate::kernel::changes::Changes;
use crate::kernel::error::{Error, ErrorCode, OAuthError, ResourceKind};
use crate::kernel::policy::{AuthorityChange, LimitedAction, Operation, Permit};
use crate::kernel::{OpaqueKind, Request, TokenFamilyId, retry_stale};

impl TokenGrants {
    /// Revokes all tokens of the sign-in that issued this token (RFC 7009). Succeeds if the token is unknown.
    pub async fn revoke(&self, request: Request, token: &str, client: Option<&PresentedClient>) -> Result<(), Error> {
        let Some(family_of_account) = self.family_of(token).await? else {
            self.core.action_limiter.take_from(LimitedAction::TokenFrom, &request, self.core.now()).await?;
            return Ok(());
        };
        self.check_owner(&family_of_account.family.client, client, "token").await?;
        let permit = Permit::authenticated(Operation::TokenRevoke, family_of_account.family.account_id, request)?;
        self.revoke_family(&permit, family_of_account.family.id).await
    }

    /// Returns the family of a refresh or access token. A refresh token may be used or expired; an access token must
    /// be valid.
    async fn family_of(&self, token: &str) -> Result<Option<TokenFamilyWithAccount>, Error> {
        if let Some(secret) = OpaqueKind::parse_refresh_token(token) {
            return Ok(self
                .core
                .ports
                .authorizations
                .refresh_token(&self.core.digest(&secret))
                .await?
                .map(|(_, family)| family));
        }
        let digest = self.core.verifier.known.digest(token);
        match self.core.verifier.verify(token, &digest, self.core.now()).await.map(|verified| verified.claims.family) {
            Ok(Some(id)) => Ok(self.core.ports.authorizations.token_family(id, None).await?),
            Ok(None) => {
                let message = "This token cannot be revoked and expires on its own. To end tokens of client_credentials, \
                               delete the client.";
                Err(OAuthError::new(ErrorCode::UnsupportedTokenType, message).into())
            }
            Err(Error::Unauthenticated(_)) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Revokes a family because one of its tokens was used twice and may be stolen.
    pub(crate) async fn revoke_reused(&self, request: &Request, id: TokenFamilyId) -> Result<(), Error> {
        self.revoke_family(&Permit::system(Operation::TokenReuse, request.clone())?, id).await
    }

    /// Revokes a family unless it is already revoked. Retries on concurrent changes.
    pub(crate) async fn revoke_family(&self, permit: &Permit, id: TokenFamilyId) -> Result<(), Error> {
        retry_stale(async || {
            let found = self.core.ports.authorizations.token_family(id, None).await?;
            let Some(family) = found.map(|found| found.family).filter(|family| family.revoked_at.is_none()) else {
                return Ok(());
            };
            let now = self.core.now();
            let revoked = TokenFamily { revoked_at: Some(now), ..family.clone() };
            let changes = Changes::by(permit.clone(), now).replace(family, revoked);
            self.core.save(changes).await
        })
        .await
    }

    /// Lists the account's live first-party sign-ins without a browser, newest first.
    pub async fn first_party_sign_ins(&self, signed_in: &SignedIn) -> Result<Vec<TokenFamily>, Error> {
        let now = self.core.now();
        let families = self.core.ports.authorizations.active_families(signed_in.account.id, None, now).await?;
        let is_live = |family: &TokenFamily| {
            family.is_live(&signed_in.account) && now < self.core.settings.family_lifetime.end_of(family)
        };
        Ok(families.into_iter().filter(is_live).collect())
    }

    /// Revokes one of the account's first-party sign-ins.
    pub async fn revoke_first_party_sign_in(
        &self,
        request: Request,
        signed_in: &SignedIn,
        id: TokenFamilyId,
    ) -> Result<(), Error> {
        let account = signed_in.account.id;
        let change = AuthorityChange::Session { is_current: false };
        let permit = signed_in.permit(Operation::SessionEnd, Some(change), request, self.core.now())?;
        let found = self.core.ports.authorizations.token_family(id, None).await?;
        found.filter(|found| found.account.id == account).ok_or(Error::NotFound(ResourceKind::TokenFamily))?;
        self.revoke_family(&permit, id).await
    }
}
