//! Exchanging a refresh token for new tokens (RFC 6749 §6), and for other ones if the response with them was lost.

use crate::identity::{
    Account, GrantType, ProjectClient, Proof, REFRESH_GRACE, RefreshState, RefreshToken, TokenFamily,
    TokenFamilyWithAccount, TokenGrants, TokenRequest, Tokens,
};
use crate::kernel::changes::Changes;
use crate::kernel::error::{Error, OAuthError};
use crate::kernel::policy::{Operation, Permit};
use crate::kernel::{CommitError, OpaqueKind, Request, RetryError, Secret, Time, retry_stale};

/// A refresh token that its client presents, with its key if it is bound to one.
struct Presented<'a> {
    request: &'a Request,
    secret: Secret,
    token: RefreshToken,
    family: TokenFamily,
    account: Account,
    /// The client, if a project registered it. A confidential one has authenticated.
    client: Option<ProjectClient>,
    /// Whether the request names the client.
    is_named: bool,
    /// The proof of the request.
    proof: Option<&'a Proof>,
    now: Time,
}

impl Presented<'_> {
    /// Refuses tokens in place of a lost pair to a client that has neither a secret nor a key and does not name itself.
    fn check_named(&self, lost: &RefreshToken) -> Result<(), OAuthError> {
        if self.is_named || self.token.bound_to.is_some() || lost.bound_to.is_some() {
            return Ok(());
        }
        Err(OAuthError::grant(
            "The refresh token was already used. If the response was lost, send `client_id` to get other tokens.",
        ))
    }
}

impl TokenGrants {
    /// Exchanges a refresh token for new tokens.
    pub(crate) async fn refresh(
        &self,
        request: &Request,
        secret: &Secret,
        command: &TokenRequest,
    ) -> Result<Tokens, Error> {
        retry_stale(async || {
            let presented = self.presented(request, secret, command).await?;
            let (token, now) = (&presented.token, presented.now);
            match &token.state {
                RefreshState::Replaced { at, answer: Some(answer), .. } if now < *at + REFRESH_GRACE => {
                    Ok(self.same_response(&presented, answer)?)
                }
                RefreshState::Current if self.core.settings.family_lifetime.allows(&presented.family, token, now) => {
                    self.renew(&presented, None).await
                }
                RefreshState::Current => Err(unknown().into()),
                RefreshState::Replaced { .. } | RefreshState::Lost { .. } => match self.lost_pair(&presented).await? {
                    Some(lost) => self.renew(&presented, Some(lost)).await,
                    None => {
                        // Two parties have the token, so one of them must have stolen it (RFC 9700 §4.14.2).
                        self.revoke_reused(request, presented.family.id).await?;
                        let message = "The refresh token was already used. Its tokens are revoked. Sign in again.";
                        Err(OAuthError::grant(message).into())
                    }
                },
            }
        })
        .await
    }

    /// Finds a refresh token, and checks that its client presents it.
    async fn presented<'a>(
        &self,
        request: &'a Request,
        secret: &Secret,
        command: &'a TokenRequest,
    ) -> Result<Presented<'a>, Error> {
        let secret = OpaqueKind::parse_refresh_token(secret.expose()).ok_or_else(unknown)?;
        let found = self.core.ports.authorizations.refresh_token(&self.core.digest(&secret)).await?;
        let is_usable = |(_, found): &(RefreshToken, TokenFamilyWithAccount)| {
            found.is_live() && self.core.settings.first_party_clients.know(&found.family.client)
        };
        let (token, of_account) = found.filter(is_usable).ok_or_else(unknown)?;
        let TokenFamilyWithAccount { family, account, .. } = of_account;
        let now = self.core.now();
        if token.state == RefreshState::Current {
            // The response with the token has arrived, also if the request is refused.
            self.core.usage.note_pair(token.id, now);
        }
        let (is_named, proof) = (command.client.is_some(), command.proof.as_ref());
        let client = self.check_owner(&family.client, command.client.as_ref(), "refresh token").await?;
        if let Some(client) = &client {
            client.check_grant_type(GrantType::RefreshToken)?;
        }
        self.check_proof(client.as_ref(), token.bound_to.as_ref(), proof)?;
        Ok(Presented { request, secret, token, family, account, client, is_named, proof, now })
    }

    /// Returns the stored response of a refresh token that was exchanged within the grace period.
    fn same_response(&self, presented: &Presented<'_>, answer: &[u8]) -> Result<Tokens, Error> {
        let stored = self.stored_response(&presented.secret, answer, &presented.family, presented.now)?;
        if stored.bound_to.as_ref() != presented.proof.map(|proof| &proof.key) {
            let message = "The refresh token was already used with another key. Send the same proof key again.";
            return Err(OAuthError::grant(message).into());
        }
        self.proven_key(presented.proof)?;
        Ok(stored)
    }

    /// Returns the pair for which the presented token was exchanged, if nobody has used it, so that the response with it
    /// may have been lost. A use that another process has not stored yet is missed. The holder of the pair then loses the
    /// access with the next request, and the sign-in ends when they present the refresh token.
    async fn lost_pair(&self, presented: &Presented<'_>) -> Result<Option<RefreshToken>, Error> {
        let Presented { token, family, now, .. } = presented;
        let RefreshState::Replaced { next: Some(next), .. } = token.state else { return Ok(None) };
        if !self.core.settings.family_lifetime.allows(family, token, *now) || self.core.usage.has_noted(next) {
            return Ok(None);
        }
        let found = self.core.ports.authorizations.refresh_token_of(family.id, next).await?;
        Ok(found.filter(RefreshToken::is_unused))
    }

    /// Issues the next pair of tokens, in place of a lost one if there is one.
    async fn renew(&self, presented: &Presented<'_>, lost: Option<RefreshToken>) -> Result<Tokens, RetryError> {
        let Presented { token, family, account, now, .. } = presented;
        let (client, now) = (presented.client.as_ref(), *now);
        if let Some(lost) = &lost {
            self.check_proof(client, lost.bound_to.as_ref(), presented.proof)?;
            presented.check_named(lost)?;
        }
        self.check_account(account, &family.methods, &family.client, now).await?;
        if family.client.project().is_some() && self.is_blocked(family.id).await? {
            return Err(OAuthError::grant("The user is blocked in this project.").into());
        }

        let key = self.proven_key(presented.proof)?;
        let (tokens, new) = self.tokens(family, account, client, None, key, now).await?;
        let answer = Some(self.encrypt_response(&presented.secret, &tokens, now)?);
        // Once for each token: after that, it is refused.
        let next = new.as_ref().filter(|_| lost.is_none()).map(|new| new.id);
        let exchanged = RefreshToken { state: RefreshState::Replaced { at: now, answer, next }, ..token.clone() };
        let permit = Permit::authenticated(Operation::TokenExchange, family.account_id, presented.request.clone())?;
        let changes = Changes::by(permit, now);
        // The family first, which a new token locks: its tokens are locked after it, as when it is removed.
        let changes = match lost {
            Some(lost) => {
                let ended = RefreshToken { state: RefreshState::Lost { at: now }, ..lost.clone() };
                let after = family.after_loss_of(&lost);
                changes.replace(family.clone(), after).insert_all(new).replace(lost, ended)
            }
            None => changes.insert_all(new),
        };
        match self.core.commit(changes.replace(token.clone(), exchanged)).await {
            Ok(_) => Ok(tokens),
            Err(CommitError::Orphaned) => Err(unknown().into()),
            Err(error) => Err(error.into()),
        }
    }
}

fn unknown() -> OAuthError {
    OAuthError::grant("The refresh token is invalid, expired or revoked. Sign in again.")
}

#[cfg(test)]
mod tests {
    use chrono::TimeDelta;
    use zeroize::Zeroizing;

    use super::*;
    use crate::identity::oauth::fixtures::{
        StoredSignIn, a_stored_sign_in, is_refused, is_revocation, present, present_as_client,
    };
    use crate::identity::{ACCESS_TTL, FamilyLifetime, REFRESH_TTL};
    use crate::kernel::changes::{Entity, Write};
    use crate::mocks::{a_family, a_refresh_token, id_of, instant};

    /// A sign-in whose refresh token was exchanged at [`instant`], and whose stored response was deleted.
    fn an_exchanged_sign_in(next: RefreshToken) -> StoredSignIn {
        let state = RefreshState::Replaced { at: instant(), answer: None, next: Some(next.id) };
        let token = RefreshToken { state, ..a_refresh_token() };
        StoredSignIn { token, next: Some(next), ..a_stored_sign_in() }
    }

    /// The refresh token that was issued in exchange.
    fn a_next_token() -> RefreshToken {
        RefreshToken { id: id_of("next").into(), ..a_refresh_token() }
    }

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
        let state = RefreshState::Replaced { at: instant(), answer: Some(answer), next: None };
        let stored = StoredSignIn { token: RefreshToken { state, ..a_stored_sign_in().token }, ..a_stored_sign_in() };
        let within = instant() + REFRESH_GRACE - TimeDelta::seconds(1);
        let (tokens, writes) = present(&stored, OpaqueKind::RefreshToken, within).await;
        let tokens = tokens.unwrap();
        let renewed = tokens.refresh_token.as_ref().map(Secret::expose);
        assert_eq!((tokens.access_token.expose(), renewed), ("access-1", Some(refresh.expose())));
        assert_eq!((tokens.lasts.num_seconds(), writes.len()), (841, 0));
        let (result, writes) = present(&stored, OpaqueKind::RefreshToken, instant() + REFRESH_GRACE).await;
        assert!(is_refused(result) && is_revocation(&writes), "{writes:?}");
        let state = RefreshState::Replaced { at: instant(), answer: None, next: None };
        let forgotten = StoredSignIn { token: RefreshToken { state, ..stored.token.clone() }, ..stored };
        let (result, writes) = present(&forgotten, OpaqueKind::RefreshToken, within).await;
        assert!(
            is_refused(result) && is_revocation(&writes),
            "The response is not returned again after the new token was used: {writes:?}"
        );
    }

    #[tokio::test]
    async fn a_lost_response_is_replaced_by_another_pair_once() {
        let (next, later) = (a_next_token(), instant() + TimeDelta::minutes(10));
        let stored = an_exchanged_sign_in(next.clone());
        let (tokens, writes) = present_as_client(&stored, OpaqueKind::RefreshToken, later).await;
        assert!(tokens.is_ok(), "{tokens:?}");
        let [
            Write::Replace(Entity::TokenFamily(family)),
            Write::Insert(Entity::RefreshToken(new)),
            Write::Replace(Entity::RefreshToken(lost)),
            Write::Replace(Entity::RefreshToken(exchanged)),
        ] = writes.as_slice()
        else {
            panic!("{writes:?}")
        };
        assert_eq!((family.lost_at, family.revoked_at), (Some(next.issued_at), None));
        assert_eq!((lost, new.is_unused()), (&RefreshToken { state: RefreshState::Lost { at: later }, ..next }, true));
        assert!(
            matches!(exchanged.state, RefreshState::Replaced { at, answer: Some(_), next: None } if at == later),
            "{exchanged:?}"
        );
        let again = StoredSignIn { token: exchanged.clone(), ..stored };
        let (tokens, writes) = present(&again, OpaqueKind::RefreshToken, later + TimeDelta::seconds(59)).await;
        assert!(tokens.is_ok() && writes.is_empty(), "The same pair is returned for a minute: {tokens:?}");
        let (result, writes) = present_as_client(&again, OpaqueKind::RefreshToken, later + REFRESH_GRACE).await;
        assert!(is_refused(result) && is_revocation(&writes), "{writes:?}");
    }

    #[tokio::test]
    async fn a_response_was_not_lost_if_its_tokens_were_used_or_the_refresh_token_has_expired() {
        let (next, later) = (a_next_token(), instant() + TimeDelta::minutes(10));
        let replaced = RefreshState::Replaced { at: instant(), answer: None, next: None };
        let stored = an_exchanged_sign_in(next.clone());
        let expired = RefreshToken { expires_at: later, ..stored.token.clone() };
        for stored in [
            an_exchanged_sign_in(RefreshToken { used_at: Some(instant()), ..next.clone() }),
            an_exchanged_sign_in(RefreshToken { state: replaced.clone(), ..next.clone() }),
            an_exchanged_sign_in(RefreshToken { state: RefreshState::Lost { at: instant() }, ..next.clone() }),
            StoredSignIn { next: None, ..stored.clone() },
            StoredSignIn { token: expired, ..stored.clone() },
            StoredSignIn { token: RefreshToken { state: replaced, ..stored.token.clone() }, ..stored },
            StoredSignIn {
                token: RefreshToken { state: RefreshState::Lost { at: instant() }, ..next },
                ..a_stored_sign_in()
            },
        ] {
            let (result, writes) = present_as_client(&stored, OpaqueKind::RefreshToken, later).await;
            assert!(is_refused(result) && is_revocation(&writes), "{:?}: {writes:?}", stored.token.state);
        }
    }

    #[tokio::test]
    async fn a_client_without_a_key_or_secret_names_itself_to_replace_a_lost_response() {
        let (next, later) = (a_next_token(), instant() + TimeDelta::minutes(10));
        let stored = an_exchanged_sign_in(next);
        let (result, writes) = present(&stored, OpaqueKind::RefreshToken, later).await;
        assert!(is_refused(result) && writes.is_empty(), "Nothing has been stolen: {writes:?}");
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
