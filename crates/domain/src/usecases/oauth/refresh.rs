//! Exchanging a refresh token for new tokens (RFC 6749 §6), and returning the same response if a client repeats the
//! request.

use crate::changes::Changes;
use crate::error::{Error, OAuthError};
use crate::model::{
    GrantType, KeyThumbprint, OpaqueKind, REFRESH_GRACE, RefreshState, RefreshToken, Request, Secret,
    TokenFamilyWithAccount,
};
use crate::policy::{Operation, Permit};
use crate::ports::CommitError;
use crate::usecases::retry_stale;

use super::{TokenGrants, TokenRequest, Tokens};

impl TokenGrants {
    /// Exchanges a refresh token for new tokens.
    pub(super) async fn refresh(
        &self,
        request: &Request,
        secret: &Secret,
        command: &TokenRequest,
    ) -> Result<Tokens, Error> {
        let proof = command.proof.as_ref();
        retry_stale(async || {
            let unknown = || OAuthError::grant("The refresh token is invalid, expired or revoked. Sign in again.");
            let secret = OpaqueKind::parse_refresh_token(secret.expose()).ok_or_else(unknown)?;
            let found = self.core.store.authorizations.refresh_token(&self.digest(&secret)).await?;
            let is_usable = |(_, found): &(RefreshToken, TokenFamilyWithAccount)| {
                found.is_live() && self.core.first_party_clients.know(&found.family.client)
            };
            let (token, family_of_account) = found.filter(is_usable).ok_or_else(unknown)?;
            let (family, account) = (family_of_account.family, family_of_account.account);
            let now = self.core.now();
            let client = self.check_owner(&family.client, command.client.as_ref(), "refresh token").await?;
            if let Some(client) = &client {
                client.check_grant_type(GrantType::RefreshToken)?;
            }
            self.check_proof(client.as_ref(), token.bound_to.as_ref(), proof)?;
            match &token.state {
                RefreshState::Replaced { at, answer: Some(answer) } if now < *at + REFRESH_GRACE => {
                    let stored = self.stored_response(&secret, answer, &family, now)?;
                    if stored.bound_to.as_ref() != proof.map(|proof| &proof.key) {
                        let message =
                            "The refresh token was already used with another key. Send the same proof key again.";
                        return Err(OAuthError::grant(message).into());
                    }
                    self.proven_key(proof)?;
                    return Ok(stored);
                }
                RefreshState::Replaced { .. } => {
                    // Two parties have the token, so one of them must have stolen it (RFC 9700 §4.14.2).
                    self.revoke_reused(request, family.id).await?;
                    return Err(OAuthError::grant(
                        "The refresh token was already used. Its tokens are revoked. Sign in again.",
                    )
                    .into());
                }
                RefreshState::Current if !self.core.family_lifetime.allows(&family, &token, now) => {
                    return Err(unknown().into());
                }
                RefreshState::Current => {}
            }
            self.check_confirmed(&account)?;
            self.check_second_factor(&family.methods, &family.client, &account, now).await?;
            if family.client.project().is_some() && self.is_blocked(family.id).await? {
                return Err(OAuthError::grant("The user is blocked in this project.").into());
            }

            let key = self.proven_key(proof)?;
            let (tokens, next) = self.tokens(&family, &account, client.as_ref(), None, key, now).await?;
            let answer = self.encrypt_response(&secret, &tokens, now)?;
            let replaced =
                RefreshToken { state: RefreshState::Replaced { at: now, answer: Some(answer) }, ..token.clone() };
            let permit = Permit::authenticated(Operation::TokenExchange, family.account_id, request.clone())?;
            // Insert the new token first: this locks the family before its tokens, in the same order as the
            // removal of a family.
            let changes = Changes::by(permit, now).insert_all(next).replace(token, replaced);
            match self.core.commit(changes).await {
                Ok(_) => Ok(tokens),
                Err(CommitError::Orphaned) => Err(unknown().into()),
                Err(error) => Err(error.into()),
            }
        })
        .await
    }
}

#[cfg(test)]
mod tests {
    use chrono::TimeDelta;
    use zeroize::Zeroizing;

    use super::*;
    use crate::changes::{Entity, Write};
    use crate::mocks::{a_family, instant};
    use crate::model::{ACCESS_TTL, FamilyLifetime, REFRESH_TTL, Time, TokenFamily};
    use crate::usecases::oauth::fixtures::{StoredSignIn, a_stored_sign_in, is_refused, is_revocation, present};

    #[tokio::test]
    async fn a_refresh_token_is_valid_for_thirty_days() {
        let stored = a_stored_sign_in();
        let last = instant() + REFRESH_TTL - TimeDelta::microseconds(1);
        let (tokens, writes) = present(&stored, OpaqueKind::RefreshToken, last).await;
        assert!(tokens.is_ok() && writes.len() == 2, "{writes:?}");
        let (result, writes) = present(&stored, OpaqueKind::RefreshToken, instant() + REFRESH_TTL).await;
        assert!(is_refused(result) && writes.is_empty());
    }

    #[tokio::test]
    async fn a_family_ends_after_its_lifetime_and_without_use() {
        let lifetime = FamilyLifetime::default();
        let (day, second) = (TimeDelta::days(1), TimeDelta::seconds(1));
        let used = |at: Time| RefreshToken { issued_at: at, expires_at: at + REFRESH_TTL, ..a_stored_sign_in().token };

        let end = instant() + lifetime.total;
        let stored = StoredSignIn { token: used(end - day), ..a_stored_sign_in() };
        let (tokens, writes) = present(&stored, OpaqueKind::RefreshToken, end - second).await;
        assert_eq!(tokens.unwrap().lasts, second, "An access token ends with its family.");
        let next = writes.iter().find_map(|write| match write {
            Write::Insert(Entity::RefreshToken(token)) => Some(token.expires_at),
            _ => None,
        });
        assert_eq!(next, Some(end), "{writes:?}");
        let (result, writes) = present(&stored, OpaqueKind::RefreshToken, end).await;
        assert!(is_refused(result) && writes.is_empty());

        // A token that was issued with a longer lifetime.
        let token = RefreshToken { expires_at: instant() + day * 365, ..used(instant()) };
        let stored = StoredSignIn { token, ..a_stored_sign_in() };
        let idle = instant() + lifetime.idle;
        assert!(present(&stored, OpaqueKind::RefreshToken, idle - second).await.0.is_ok());
        assert!(is_refused(present(&stored, OpaqueKind::RefreshToken, idle).await.0));
    }

    #[tokio::test]
    async fn a_replaced_refresh_token_returns_the_same_tokens_for_a_minute_and_then_revokes_the_family() {
        let end = (instant() + ACCESS_TTL).timestamp();
        let refresh = OpaqueKind::RefreshToken.from_entropy(&Zeroizing::new([8; 32]));
        let answer = format!("access-1\n{end}\n{}\nid-1", refresh.expose()).into_bytes();
        let state = RefreshState::Replaced { at: instant(), answer: Some(answer) };
        let stored = StoredSignIn { token: RefreshToken { state, ..a_stored_sign_in().token }, ..a_stored_sign_in() };
        let within = instant() + REFRESH_GRACE - TimeDelta::seconds(1);
        let (tokens, writes) = present(&stored, OpaqueKind::RefreshToken, within).await;
        let tokens = tokens.unwrap();
        let renewed = tokens.refresh_token.as_ref().map(Secret::expose);
        assert_eq!((tokens.access_token.expose(), renewed), ("access-1", Some(refresh.expose())));
        assert_eq!((tokens.lasts.num_seconds(), writes.len()), (841, 0));
        let (result, writes) = present(&stored, OpaqueKind::RefreshToken, instant() + REFRESH_GRACE).await;
        assert!(is_refused(result) && is_revocation(&writes), "{writes:?}");
        let state = RefreshState::Replaced { at: instant(), answer: None };
        let forgotten = StoredSignIn { token: RefreshToken { state, ..stored.token.clone() }, ..stored };
        let (result, writes) = present(&forgotten, OpaqueKind::RefreshToken, within).await;
        assert!(
            is_refused(result) && is_revocation(&writes),
            "The response is not returned again after the new token was used: {writes:?}"
        );
    }

    #[tokio::test]
    async fn a_revoked_family_and_one_of_an_old_password_issue_no_tokens() {
        let revoked = TokenFamily { revoked_at: Some(instant()), ..a_family("ann") };
        let of_old_password = TokenFamily { password_set_at: instant() - TimeDelta::days(1), ..a_family("ann") };
        for family in [revoked, of_old_password] {
            let (result, writes) =
                present(&StoredSignIn { family, ..a_stored_sign_in() }, OpaqueKind::RefreshToken, instant()).await;
            assert!(is_refused(result) && writes.is_empty());
        }
    }
}
