//! What there is to say of a token, to whom it concerns (RFC 7662).

use crate::error::{Error, Forbidden};
use crate::model::{
    Account, AccountId, Audience, Caller, ClientId, FamilyOfAccount, Identity, OpaqueKind, RefreshState, RefreshToken,
    ScopeSet, Secret, Time, TokenFamilyId,
};
use crate::policy::Operation;
use crate::ports::VerifiedToken;
use crate::usecases::access::takes;

use super::TokenGrants;

/// What there is to say of a token that is good (RFC 7662 §2.2).
#[derive(Debug, Clone)]
#[expect(missing_docs, reason = "each other field is the member of RFC 7662 that it is named after")]
pub struct Introspection {
    pub token_type: &'static str,
    pub scope: ScopeSet,
    pub client_id: String,
    pub sub: AccountId,
    pub audience: Audience,
    pub exp: Time,
    pub iat: Time,
    /// The sign-in that it follows from.
    pub family: Option<TokenFamilyId>,
}

impl TokenGrants {
    /// What there is to say of a token, to a key of the project that it is for, or to the person it is about. `None`: it is
    /// not good, or not theirs to know.
    pub async fn introspect(&self, caller: &Caller, token: &str) -> Result<Option<Introspection>, Error> {
        takes(Operation::TokenIntrospect, &caller.identity)?;
        if matches!(&caller.identity, Identity::Key(bearer) if !bearer.key.is_private) {
            return Err(Forbidden::PublicKey.into());
        }
        let now = self.clock.now();
        let found = match OpaqueKind::RefreshToken.parse(token) {
            Some(secret) => self.introspect_refresh(&secret, now).await?,
            None => self.introspect_access(token, now).await?,
        };
        let concerns = |found: &Introspection| match &caller.identity {
            Identity::Account(account) => found.sub == *account,
            Identity::Key(bearer) => found.audience == Audience::Project(bearer.project.project.id),
            Identity::User(_) | Identity::Token(_) => false,
        };
        let Some(found) = found.filter(concerns) else { return Ok(None) };
        match (found.audience, found.family) {
            (Audience::Project(_), Some(family)) if self.is_shut_out(family).await? => Ok(None),
            _ => Ok(Some(found)),
        }
    }

    async fn introspect_refresh(&self, secret: &Secret, now: Time) -> Result<Option<Introspection>, Error> {
        let found = self.reader.refresh_token(&self.digest(secret)).await?;
        let good = |(token, family): &(RefreshToken, FamilyOfAccount)| {
            family.is_live() && token.state == RefreshState::Current && token.expires_at > now
        };
        Ok(found.filter(good).map(|(token, of_account)| Introspection {
            token_type: "refresh_token",
            scope: of_account.family.scopes,
            client_id: of_account.family.client.as_str().to_owned(),
            sub: of_account.family.account_id,
            audience: of_account.family.client.audience(),
            exp: token.expires_at,
            iat: token.issued_at,
            family: Some(of_account.family.id),
        }))
    }

    async fn introspect_access(&self, token: &str, now: Time) -> Result<Option<Introspection>, Error> {
        let VerifiedToken { claims, signed_by } = match self.verifier.verify(token, now).await {
            Ok(verified) => verified,
            Err(Error::Unauthenticated(_)) => return Ok(None),
            Err(error) => return Err(error),
        };
        let client_id = match claims.family {
            None => match self.accounts.signed_account(claims.subject, signed_by).await?.filter(Account::is_active) {
                Some(_) => ClientId::first_party().as_str().to_owned(),
                None => return Ok(None),
            },
            Some(id) => match self.reader.token_family(id, Some(signed_by)).await?.filter(FamilyOfAccount::is_live) {
                Some(of_account) => of_account.family.client.as_str().to_owned(),
                None => return Ok(None),
            },
        };
        Ok(Some(Introspection {
            token_type: "Bearer",
            scope: claims.scopes,
            client_id,
            sub: claims.subject,
            audience: claims.audience,
            exp: claims.expires_at,
            iat: claims.issued_at,
            family: claims.family,
        }))
    }
}
