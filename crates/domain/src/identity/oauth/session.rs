//! The state of the sign-in that issued an access token, for clients that start or wake up (docs/contract.md#sessions).

use crate::data::UserStatus;
use crate::identity::{
    Audience, ClientId, PresentedCredential, ScopeSet, TokenFamilyWithAccount, TokenGrants, VerifiedToken,
};
use crate::kernel::error::{AuthenticationError, Error, Forbidden};
use crate::kernel::policy::{Operation, accepts};
use crate::kernel::{AccountId, Caller, ServerKeyId, StoreError, Time, TokenFamilyId};

/// A sign-in whose access token is valid.
#[derive(Debug, Clone)]
pub struct ActiveSignIn {
    /// The token family; for a token that the operator issued, the ID of the token.
    pub id: uuid::Uuid,
    /// The account that signed in.
    pub account: AccountId,
    /// The client, as it sent its ID.
    pub client: ClientId,
    /// Scopes of the token.
    pub scopes: ScopeSet,
    /// When the person last used the project, with a precision of 15 minutes; `None` for a first-party token.
    pub last_seen_at: Option<Time>,
}

impl TokenGrants {
    /// Returns the sign-in of an access token. `caller` is the caller that the token authenticates; `None` if it was
    /// rejected. Fails with [`AuthenticationError::SignInEnded`] if no new tokens can be requested, so that the person
    /// must sign in again. Fails with another authentication error if the token is invalid or has only expired, and says
    /// nothing about one that is bound to a key of which the request has no proof.
    pub async fn sign_in(&self, caller: Option<&Caller>, token: &PresentedCredential) -> Result<ActiveSignIn, Error> {
        if let Some(caller) = caller {
            accepts(Operation::SessionGet, &caller.identity)?;
        }
        let now = self.core.now();
        let (verified, is_expired) = match self.core.verifier.verify(token.text(), &token.digest, now).await {
            Ok(verified) => (verified, false),
            Err(Error::Unauthenticated(AuthenticationError::ExpiredToken)) => {
                let invalid = |_| AuthenticationError::InvalidToken;
                (self.core.ports.tokens.verify_expired(token.text()).map_err(invalid)?, true)
            }
            Err(error) => return Err(error),
        };
        self.core.proofs.check_holder(&token.digest, verified.claims.bound_to.as_ref(), token.proof.as_ref())?;
        let Some(family) = verified.claims.family else { return self.without_family(&verified, is_expired).await };
        let pair = verified.claims.pair();
        let sign_in = match verified.claims.audience {
            Audience::Service => self.of_service(family, verified).await?,
            Audience::Project(_) => self.of_project(family, verified).await?,
        };
        self.core.proofs.use_with(token.proof.as_ref())?;
        if !is_expired {
            self.core.usage.note_pair(pair, now);
            return Ok(sign_in);
        }
        let is_refreshable = self.core.ports.authorizations.is_refreshable(family, now).await?;
        let error = if is_refreshable { AuthenticationError::ExpiredToken } else { AuthenticationError::SignInEnded };
        Err(error.into())
    }

    /// A token that the operator issued cannot be refreshed or revoked.
    async fn without_family(&self, verified: &VerifiedToken, is_expired: bool) -> Result<ActiveSignIn, Error> {
        let claims = &verified.claims;
        let subject = claims.subject.account().ok_or(Forbidden::ClientNotAccepted)?;
        let account = self.core.ports.accounts.signed_account(subject, verified.signed_by).await?;
        let is_active =
            account.as_ref().is_some_and(|(account, _)| account.is_active()) && claims.audience == Audience::Service;
        if is_expired || !is_active {
            return Err(AuthenticationError::SignInEnded.into());
        }
        Ok(ActiveSignIn {
            id: claims.id,
            account: subject,
            client: ClientId::first_party(),
            scopes: claims.scopes.clone(),
            last_seen_at: None,
        })
    }

    async fn of_service(&self, id: TokenFamilyId, verified: VerifiedToken) -> Result<ActiveSignIn, Error> {
        let families = &self.core.ports.authorizations;
        let found = signed(async |signed_by| families.token_family(id, signed_by).await, verified.signed_by).await?;
        self.active_sign_in(found, verified, None).await
    }

    async fn of_project(&self, id: TokenFamilyId, verified: VerifiedToken) -> Result<ActiveSignIn, Error> {
        let families = &self.core.ports.authorizations;
        let found = signed(async |signed_by| families.user_bearer(id, signed_by).await, verified.signed_by).await?;
        let (family, bearer) = found;
        if bearer.user.status != UserStatus::Connected {
            return Err(AuthenticationError::SignInEnded.into());
        }
        self.active_sign_in(family, verified, Some(bearer.user.last_seen_at)).await
    }

    /// Returns the sign-in if it has not ended, its tokens are not revoked and its client still exists.
    async fn active_sign_in(
        &self,
        found: TokenFamilyWithAccount,
        verified: VerifiedToken,
        last_seen_at: Option<Time>,
    ) -> Result<ActiveSignIn, Error> {
        let has_ended = self.core.settings.family_lifetime.end_of(&found.family) <= self.core.now();
        if has_ended || !found.is_live() || !self.core.settings.first_party_clients.know(&found.family.client) {
            return Err(AuthenticationError::SignInEnded.into());
        }
        // The sign-in continues with the tokens that were issued in place of this one.
        if self.core.authentication.is_lost(&found.family, &verified.claims).await? {
            return Err(AuthenticationError::RevokedToken.into());
        }
        Ok(ActiveSignIn {
            id: found.family.id.uuid(),
            account: found.family.account_id,
            client: found.family.client,
            scopes: verified.claims.scopes,
            last_seen_at,
        })
    }
}

/// Returns what is found, if the key that signed the token was not revoked. If it was, the refresh token is still valid.
async fn signed<T>(
    find: impl AsyncFn(Option<ServerKeyId>) -> Result<Option<T>, StoreError>,
    signed_by: ServerKeyId,
) -> Result<T, Error> {
    if let Some(found) = find(Some(signed_by)).await? {
        return Ok(found);
    }
    let exists = find(None).await?.is_some();
    Err(if exists { AuthenticationError::InvalidToken } else { AuthenticationError::SignInEnded }.into())
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::identity::{AccessClaims, FamilyLifetime, KeyThumbprint, ProofClaims, TokenError, TokenFamily};
    use crate::kernel::AccessEpoch;
    use crate::kernel::error::InvalidProof;
    use crate::mocks::{
        MockAccessTokens, MockClientSignatures, MockStore, MockTokenVault, a_family, a_verified_token, an_account,
        instant, mock_identity, mock_system_ports,
    };
    use crate::{Ports, SystemPorts};

    /// Asks for the sign-in of an expired access token.
    async fn of_expired_token(family: TokenFamily, is_refreshable: bool) -> AuthenticationError {
        of_bound_token(None, family, is_refreshable).await
    }

    async fn of_bound_token(
        bound_to: Option<KeyThumbprint>,
        family: TokenFamily,
        is_refreshable: bool,
    ) -> AuthenticationError {
        let token = PresentedCredential::bearer("token", "token".into(), false);
        error(&grants(bound_to, family, is_refreshable), &token).await
    }

    async fn error(grants: &TokenGrants, token: &PresentedCredential) -> AuthenticationError {
        match grants.sign_in(None, token).await {
            Err(Error::Unauthenticated(error)) => error,
            other => panic!("{other:?}"),
        }
    }

    fn a_key() -> KeyThumbprint {
        KeyThumbprint::parse(&"x".repeat(43)).unwrap()
    }

    /// The use cases. Every access token has expired, and every proof is that of [`a_key`].
    fn grants(bound_to: Option<KeyThumbprint>, family: TokenFamily, is_refreshable: bool) -> TokenGrants {
        let (mut tokens, mut store) = (MockAccessTokens::new(), MockStore::without_server_keys());
        tokens.expect_verify().returning(|_, _| Err(TokenError::Expired));
        let claims = AccessClaims { bound_to, ..a_verified_token().claims };
        let verified = VerifiedToken { claims, ..a_verified_token() };
        tokens.expect_verify_expired().returning(move |_| Ok(verified.clone()));
        let found = TokenFamilyWithAccount {
            family,
            account: an_account("ann"),
            has_second_factor: false,
            access_epoch: AccessEpoch::default(),
        };
        store.authorizations.expect_token_family().returning(move |_, _| Ok(Some(found.clone())));
        store.authorizations.expect_is_refreshable().returning(move |_, _| Ok(is_refreshable));
        let (mut vault, mut signatures) = (MockTokenVault::new(), MockClientSignatures::new());
        vault.expect_sha256().returning(str::to_owned);
        let claims = ProofClaims {
            key: a_key(),
            id: "1".into(),
            method: "GET".into(),
            url: "http://localhost:3003/auth/session".into(),
            issued_at: instant(),
            token_hash: Some("token".into()),
        };
        signatures.expect_proof().returning(move |_| Some(claims.clone()));
        let (tokens, vault, signatures) = (Arc::new(tokens), Arc::new(vault), Arc::new(signatures));
        let system = SystemPorts { tokens, vault, signatures, ..mock_system_ports() };
        TokenGrants::new(&mock_identity(Ports { system, ..store.into() }))
    }

    #[tokio::test]
    async fn nothing_is_said_about_a_bound_token_without_a_proof() {
        for is_refreshable in [false, true] {
            let error = of_bound_token(Some(a_key()), a_family("ann"), is_refreshable).await;
            assert_eq!(error, AuthenticationError::BoundToken);
        }
    }

    #[tokio::test]
    async fn only_the_proof_of_a_sign_in_that_goes_on_is_remembered() {
        let revoked = TokenFamily { revoked_at: Some(instant()), ..a_family("ann") };
        for (family, repeated) in
            [(revoked, AuthenticationError::SignInEnded), (a_family("ann"), InvalidProof::Used.into())]
        {
            let grants = grants(Some(a_key()), family, true);
            let ask = async || {
                let proof = grants.core.proofs.verify("jwt", "GET", "/auth/session").unwrap();
                let bearer = PresentedCredential::bearer("token", "token".into(), false);
                error(&grants, &PresentedCredential { proof: Some(proof), ..bearer }).await
            };
            ask().await;
            assert_eq!(ask().await, repeated);
        }
    }

    #[tokio::test]
    async fn an_expired_token_can_be_refreshed_unless_its_sign_in_has_ended() {
        let revoked = TokenFamily { revoked_at: Some(instant()), ..a_family("ann") };
        let old = TokenFamily { created_at: instant() - FamilyLifetime::default().total, ..a_family("ann") };
        let unregistered = TokenFamily { client: ClientId::stored("unregistered".into(), None), ..a_family("ann") };
        assert_eq!(of_expired_token(a_family("ann"), true).await, AuthenticationError::ExpiredToken);
        assert_eq!(of_expired_token(a_family("ann"), false).await, AuthenticationError::SignInEnded);
        for ended in [revoked, old, unregistered] {
            assert_eq!(of_expired_token(ended, true).await, AuthenticationError::SignInEnded);
        }
    }
}
