//! Exchanging an authorization code for tokens (RFC 6749 §4.1.3).

use crate::identity::{
    AuthorizationCode, CodeChallenge, GrantType, ProjectClient, RedirectUri, TokenFamily, TokenGrants, TokenRequest,
    Tokens,
};
use crate::kernel::changes::Changes;
use crate::kernel::error::{Error, OAuthError};
use crate::kernel::policy::{Operation, Permit};
use crate::kernel::{
    AccountId, CommitError, OpaqueKind, Request, RetryError, Revision, Secret, SessionId, Time, TokenFamilyId,
    retry_stale,
};

impl TokenGrants {
    /// Exchanges an authorization code for tokens, once. Also the code of a device, after a person allowed its request: the
    /// authorization code that was issued then has the digest of the device code.
    pub(crate) async fn redeem(
        &self,
        request: &Request,
        secret: &Secret,
        grant_type: GrantType,
        command: &TokenRequest,
    ) -> Result<Tokens, Error> {
        let secret = match grant_type {
            GrantType::DeviceCode => OpaqueKind::DeviceCode.parse(secret.expose()),
            _ => OpaqueKind::parse_code(secret.expose()),
        };
        let digest = self.core.digest(&secret.ok_or_else(unknown)?);
        let proof = command.proof.as_ref();
        retry_stale(async || {
            let Some(code) = self.core.ports.authorizations.authorization_code(&digest).await? else {
                return Err(match grant_type {
                    GrantType::DeviceCode => self.why_no_tokens(digest.clone(), command.client.as_ref()).await?,
                    _ => unknown(),
                }
                .into());
            };
            let client = self.check_owner(&code.client, command.client.as_ref(), "code").await?;
            if let Some(client) = &client {
                client.check_grant_type(grant_type)?;
            }
            // First, so that the same request again is refused for its proof and revokes nothing.
            self.check_proof(client.as_ref(), code.bound_to.as_ref(), proof)?;
            if code.redeemed_at.is_some() {
                // The first use may have been by an attacker, so all tokens are revoked (RFC 6749 §4.1.2).
                self.revoke_reused(request, code.family_id).await?;
                return Err(
                    OAuthError::grant("The code was already used. Its tokens are revoked. Sign in again.").into()
                );
            }
            let now = self.core.now();
            if code.expires_at <= now {
                return Err(unknown().into());
            }
            check_redirect_uri(&code, command)?;
            if let Err((error, is_wrong)) = self.check_verifier(&code, command) {
                if is_wrong {
                    self.use_up(request, code, now).await?;
                }
                return Err(error.into());
            }
            let account = self.core.ports.accounts.account(code.account_id).await?.ok_or_else(unknown)?;
            if !account.is_active() || !self.core.settings.first_party_clients.know(&code.client) {
                return Err(unknown().into());
            }
            if account.password_set_at != code.password_set_at {
                return Err(OAuthError::grant("The user's password has changed. Sign in again.").into());
            }
            self.check_account(&account, &code.methods, &code.client, now).await?;
            let key = self.proven_key(proof)?;

            let family = family(&code, client.as_ref(), now);
            let (id, session) = (family.id, family.session_id.filter(|_| family.ends_with_session()));
            let nonce = code.nonce.clone();
            let (tokens, refresh) = self.tokens(&family, &account, client.as_ref(), nonce, key, now).await?;
            let permit = Permit::authenticated(Operation::TokenExchange, family.account_id, request.clone())?;
            let redeemed = AuthorizationCode { redeemed_at: Some(now), ..code.clone() };
            let changes = Changes::by(permit, now).replace(code, redeemed).insert(family).insert_all(refresh);
            self.core.commit(changes).await.map_err(|error| match error {
                // The grant was revoked in the meantime.
                CommitError::Orphaned => unknown().into(),
                error => RetryError::from(error),
            })?;
            if let Some(session) = session {
                self.check_session(request, account.id, id, session).await?;
            }
            Ok(tokens)
        })
        .await
    }

    /// Revokes the tokens of a family if its session has ended. Checked after the commit, because a session that ends later
    /// revokes the tokens itself.
    async fn check_session(
        &self,
        request: &Request,
        account: AccountId,
        family: TokenFamilyId,
        session: SessionId,
    ) -> Result<(), RetryError> {
        if self.core.ports.authorizations.session_of(account, session).await?.is_some() {
            return Ok(());
        }
        let permit = Permit::authenticated(Operation::TokenRevoke, account, request.clone())?;
        self.revoke_family(&permit, family).await?;
        Err(OAuthError::grant("The user has signed out. Sign in again.").into())
    }

    /// Checks the PKCE verifier (RFC 7636 §4.6). Returns why it is refused, and whether it is a wrong one.
    fn check_verifier(&self, code: &AuthorizationCode, command: &TokenRequest) -> Result<(), (OAuthError, bool)> {
        let refused = |message: &str, is_wrong| Err((OAuthError::grant(message), is_wrong));
        match (&code.challenge, command.code_verifier.as_ref().map(Secret::expose)) {
            (None, None) => Ok(()),
            // An attacker may have removed the challenge from the authorization request (RFC 9700 §4.8.2).
            (None, Some(_)) => {
                refused("The authorization request had no `code_challenge`. Do not send `code_verifier`.", false)
            }
            (Some(_), None) => refused("The `code_verifier` parameter is missing.", false),
            (Some(challenge), Some(verifier))
                if CodeChallenge::is_verifier(verifier)
                    && self.core.system.vault.sha256(verifier) == challenge.as_str() =>
            {
                Ok(())
            }
            _ => refused(
                "The `code_verifier` parameter does not match the `code_challenge`. The code can no longer be used. Sign \
                 in again.",
                true,
            ),
        }
    }

    /// Uses up a code that was presented with a wrong verifier: the caller that presented it did not request it, and cannot
    /// try another verifier.
    async fn use_up(&self, request: &Request, code: AuthorizationCode, now: Time) -> Result<(), RetryError> {
        let permit = Permit::system(Operation::TokenReuse, request.clone())?;
        let used = AuthorizationCode { redeemed_at: Some(now), ..code.clone() };
        self.core.save(Changes::by(permit, now).replace(code, used)).await
    }
}

fn unknown() -> OAuthError {
    OAuthError::grant("The code is invalid or has expired. Sign in again.")
}

/// Checks that the code was issued for this redirect URI (RFC 6749 §4.1.3).
fn check_redirect_uri(code: &AuthorizationCode, command: &TokenRequest) -> Result<(), OAuthError> {
    // OAuth 2.1 omits it here: PKCE binds the code to its request (OAuth 2.1 §10.2).
    let sent_to = code.redirect_uri.as_ref().map(RedirectUri::as_str);
    if command.redirect_uri.is_some() && command.redirect_uri.as_deref() != sent_to {
        return Err(OAuthError::grant("The `redirect_uri` parameter does not match the authorization request."));
    }
    Ok(())
}

/// Returns the family of the tokens that a code is exchanged for. `client`: the registered client, if it is one.
fn family(code: &AuthorizationCode, client: Option<&ProjectClient>, now: Time) -> TokenFamily {
    TokenFamily {
        id: code.family_id,
        account_id: code.account_id,
        client: code.client.clone(),
        // The browser in which a person entered the code of a device may be signed out without the device.
        session_id: code.redirect_uri.is_some().then_some(code.session_id),
        scopes: code.scopes.clone(),
        authenticated_at: code.authenticated_at,
        methods: code.methods.clone(),
        password_set_at: code.password_set_at,
        created_at: now,
        ends_at: client.and_then(|client| client.sign_in_end(now)),
        revoked_at: None,
        lost_at: None,
        revision: Revision::FIRST,
    }
}

#[cfg(test)]
mod tests {
    use chrono::TimeDelta;

    use super::*;
    use crate::identity::oauth::fixtures::{StoredSignIn, a_stored_sign_in, is_refused, is_revocation, present};
    use crate::mocks::instant;

    #[tokio::test]
    async fn a_code_is_valid_for_ten_minutes_and_one_use() {
        let (stored, last) = (a_stored_sign_in(), instant() + TimeDelta::minutes(10) - TimeDelta::microseconds(1));
        let (tokens, writes) = present(&stored, OpaqueKind::AuthorizationCode, last).await;
        assert!(tokens.is_ok() && writes.len() == 3, "{writes:?}");
        let end = instant() + TimeDelta::minutes(10);
        let (result, writes) = present(&stored, OpaqueKind::AuthorizationCode, end).await;
        assert!(is_refused(result) && writes.is_empty());
        let code = AuthorizationCode { redeemed_at: Some(instant()), ..stored.code.clone() };
        let (result, writes) =
            present(&StoredSignIn { code, ..stored.clone() }, OpaqueKind::AuthorizationCode, end).await;
        assert!(
            is_refused(result) && is_revocation(&writes),
            "A second use revokes the tokens even after expiry: {writes:?}"
        );
        let code = AuthorizationCode { password_set_at: instant() - TimeDelta::days(1), ..stored.code.clone() };
        let (result, writes) = present(&StoredSignIn { code, ..stored }, OpaqueKind::AuthorizationCode, last).await;
        assert!(is_refused(result) && writes.is_empty(), "A password change must invalidate the code.");
    }
}
