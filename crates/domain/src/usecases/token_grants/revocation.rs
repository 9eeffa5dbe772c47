//! Tokens ended: by whoever has one (RFC 7009), by the person they are about, or because one was used twice.

use crate::changes::Changes;
use crate::error::{Error, ErrorCode, OAuthError, ResourceKind};
use crate::model::{ClientId, FamilyOfAccount, OpaqueKind, Request, SignedIn, TokenFamily, TokenFamilyId};
use crate::policy::{LimitedAction, Operation, Permit};
use crate::usecases::retry_stale;

use super::TokenGrants;

impl TokenGrants {
    /// Ends the sign-in that a token follows from (RFC 7009). A token that is not known is as good as revoked.
    pub async fn revoke(&self, request: Request, token: &str, client: Option<&str>) -> Result<(), Error> {
        let Some(of_account) = self.family_of(token).await? else {
            self.rate_limiter.take_from(LimitedAction::TokenFrom, &request, self.clock.now()).await?;
            return Ok(());
        };
        let client = client.map(|text| ClientId::parse(text, &self.address));
        if client.is_some_and(|client| !client.is_some_and(|client| client.is(&of_account.family.client))) {
            return Err(OAuthError::grant("the token was given to another client").into());
        }
        let permit = Permit::for_self(Operation::TokenRevoke, of_account.family.account_id, request);
        self.end(&permit, of_account.family.id).await
    }

    /// The family that a refresh or access token belongs to, used or not, good or not.
    async fn family_of(&self, token: &str) -> Result<Option<FamilyOfAccount>, Error> {
        if let Some(secret) = OpaqueKind::RefreshToken.parse(token) {
            return Ok(self.reader.refresh_token(&self.digest(&secret)).await?.map(|(_, family)| family));
        }
        match self.verifier.verify(token, self.clock.now()).await.map(|verified| verified.claims.family) {
            Ok(Some(id)) => Ok(self.reader.token_family(id, None).await?),
            Ok(None) => {
                let issued = "a token that the operator issued cannot be revoked; it ends by itself";
                Err(OAuthError::new(ErrorCode::UnsupportedTokenType, issued).into())
            }
            Err(Error::Unauthenticated(_)) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Revokes a family because somebody who should not have it has one of its tokens.
    pub(super) async fn betrayed(&self, request: &Request, id: TokenFamilyId) -> Result<(), Error> {
        self.end(&Permit::for_system(Operation::TokenReuse, request.clone()), id).await
    }

    /// Revokes a family, however often others try to do so at the same time.
    async fn end(&self, permit: &Permit, id: TokenFamilyId) -> Result<(), Error> {
        retry_stale(async || {
            let found = self.reader.token_family(id, None).await?;
            let Some(family) = found.map(|found| found.family).filter(|family| family.revoked_at.is_none()) else {
                return Ok(());
            };
            let now = self.clock.now();
            let revoked = TokenFamily { revoked_at: Some(now), ..family.clone() };
            let changes = Changes::by(permit.clone(), now).replace(family, revoked);
            self.store.commit(changes).await?;
            Ok(())
        })
        .await
    }

    /// The person's own programs: what signed in to this service itself, without a browser, the newest first.
    pub async fn programs(&self, signed_in: &SignedIn) -> Result<Vec<TokenFamily>, Error> {
        let families = self.reader.first_party_families(signed_in.account.id, self.clock.now()).await?;
        Ok(families.into_iter().filter(|family| family.is_live(&signed_in.account)).collect())
    }

    /// Ends one of the person's own programs.
    pub async fn end_program(&self, request: Request, signed_in: &SignedIn, id: TokenFamilyId) -> Result<(), Error> {
        let account = signed_in.account.id;
        let permit = Permit::for_self(Operation::SessionEnd, account, request);
        let found = self.reader.token_family(id, None).await?;
        found.filter(|found| found.account.id == account).ok_or(Error::NotFound(ResourceKind::TokenFamily))?;
        self.end(&permit, id).await
    }
}
