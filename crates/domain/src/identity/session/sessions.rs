//! Browser sessions: signing in, listing sessions and signing out.

use chrono::TimeDelta;

use crate::identity::provider::required::check_required_provider;
use crate::identity::{AuthenticationProof, ClientId, IdentityCore, LogoutDelivery, Session, SignedIn, TokenFamily};
use crate::kernel::changes::Changes;
use crate::kernel::error::{Error, ResourceKind};
use crate::kernel::policy::{AuthorityChange, Operation, Permit};
use crate::kernel::{
    AccountId, CommitError, Credential, Issued, OpaqueKind, Request, RetryError, Revision, Secret, SessionId, Time,
    TokenDigest, is_control, retry_stale, use_cases,
};

/// Maximum length of the stored user agent, in characters.
const MAX_USER_AGENT_CHARS: usize = 256;
/// How many token families of a session are read and revoked at once.
const FAMILY_BATCH_SIZE: u16 = 500;

use_cases! {
    /// Use cases of sessions. A browser is identified by a random token in its cookie. Signing in creates a session with a
    /// new token (OWASP ASVS 3.2.1).
    #[derive(Clone)]
    pub struct Sessions { core: IdentityCore }
}

impl SignedIn {
    /// Permits an operation of the account that requires a confirmation.
    pub(crate) fn permit(
        &self,
        operation: Operation,
        change: Option<AuthorityChange<'_>>,
        request: Request,
        now: Time,
    ) -> Result<Permit, Error> {
        self.confirm(operation, change, now)?;
        Permit::authenticated(operation, self.account.id, request)
    }
}

impl Sessions {
    /// Generates a token for a browser that has none.
    pub fn new_browser(&self) -> Secret {
        self.core.new_secret(OpaqueKind::Browser)
    }

    /// The CSRF token that every form must send back. Other sites cannot know it.
    pub fn form_token(&self, browser: &Secret) -> String {
        self.core.system.vault.sha256(&format!("form {}", browser.expose()))
    }

    /// Returns how long a session lasts at most.
    pub fn total_lifetime(&self) -> TimeDelta {
        self.core.settings.session_lifetime.total
    }

    /// Returns the live session of this browser and its account, and records its use.
    pub async fn current(&self, browser: &Secret) -> Result<Option<SignedIn>, Error> {
        let sessions = &self.core.ports.authorizations;
        let found = match sessions.session(&self.core.digest(browser)).await? {
            Some(found) => Some(found).filter(SignedIn::is_unlimited),
            None => sessions.session(&self.limited_digest(browser)).await?,
        };
        let now = self.core.now();
        let live = found.filter(|signed_in| signed_in.is_live(self.core.settings.session_lifetime, now));
        if let Some(SignedIn { session, .. }) = &live {
            self.core.usage.note(Credential::Session(session.id), session.last_used, now, None);
        }
        Ok(live)
    }

    /// Reads a session again. `None` if it has ended or if its password was changed. The browser may have a new token: a
    /// sign-in to the same account replaces it, but not the ID of the session.
    pub async fn reload(&self, before: &Session) -> Result<Option<SignedIn>, Error> {
        let found = self.core.ports.authorizations.session_of(before.account_id, before.id).await?;
        Ok(found.filter(|signed_in| {
            signed_in.is_live(self.core.settings.session_lifetime, self.core.now())
                && signed_in.session.password_set_at == before.password_set_at
        }))
    }

    /// Creates a session with a new token. `before` is the browser's previous session. If it is of the same account, the
    /// new session replaces it and keeps its ID, which clients know as `sid`. Otherwise it ends. Refused if the address of the
    /// account requires another provider, unless the person is signed in already and only confirms that.
    pub async fn begin(
        &self,
        request: Request,
        authenticated: AuthenticationProof,
        user_agent: &str,
        before: Option<SignedIn>,
    ) -> Result<Issued<Session>, Error> {
        let limited_to = authenticated.limited_to();
        let AuthenticationProof { account, methods, at, provider } = authenticated;
        let continues = |before: &SignedIn| before.account.id == account.id && before.is_unlimited();
        if !before.as_ref().is_some_and(continues) {
            check_required_provider(&self.core, &account, provider.map(|provider| provider.id)).await?;
        }
        let replaced = match before {
            Some(before) if before.account.id == account.id => Some(before.session),
            Some(before) => {
                self.sign_out(request.clone(), before).await?;
                None
            }
            None => None,
        };
        let permit = Permit::authenticated(Operation::SignIn, account.id, request.clone())?;
        let (now, secret) = (self.core.now(), self.new_browser());
        let session = Session {
            id: SessionId::from(self.core.next_id()),
            digest: if limited_to.is_some() { self.limited_digest(&secret) } else { self.core.digest(&secret) },
            account_id: account.id,
            authenticated_at: at,
            methods,
            password_set_at: account.password_set_at,
            limited_to,
            user_agent: user_agent.chars().filter(|c| !is_control(*c)).take(MAX_USER_AGENT_CHARS).collect(),
            address: request.address,
            expires_at: now + self.core.settings.session_lifetime.total,
            last_used: Some(now),
            revision: Revision::FIRST,
        };

        if let Some(replaced) = replaced {
            // With another revision, so that only one of several concurrent sign-ins replaces the session.
            let next = Session { id: replaced.id, revision: replaced.revision.next(), ..session.clone() };
            let changes = Changes::by(permit.clone(), now).remove(replaced).insert(next.clone());
            match self.core.commit(changes).await {
                // The previous session ended in the meantime.
                Err(CommitError::Stale(ResourceKind::Session)) => {}
                result => {
                    result?;
                    return Ok(Issued { value: next, secret });
                }
            }
        }
        self.core.commit(Changes::by(permit, now).insert(session.clone())).await?;
        Ok(Issued { value: session, secret })
    }

    /// Lists the account's live sessions, newest first.
    pub async fn list(&self, signed_in: &SignedIn) -> Result<Vec<Session>, Error> {
        let (now, lifetime) = (self.core.now(), self.core.settings.session_lifetime);
        let all = self.core.ports.authorizations.sessions_of(signed_in.account.id).await?;
        Ok(all.into_iter().filter(|found| found.is_live(lifetime, now)).map(|found| found.session).collect())
    }

    /// Ends one of the account's sessions. Another one than that of the browser requires a confirmation.
    pub async fn end(&self, request: Request, signed_in: &SignedIn, id: SessionId) -> Result<(), Error> {
        let change = AuthorityChange::Session { is_current: signed_in.session.id == id };
        let permit = signed_in.permit(Operation::SessionEnd, Some(change), request, self.core.now())?;

        let found = self.core.ports.authorizations.session_of(signed_in.account.id, id).await?;
        let found = found.ok_or(Error::NotFound(ResourceKind::Session))?;

        self.remove(&permit, &found.session).await
    }

    /// Ends the session of the current browser.
    pub async fn sign_out(&self, request: Request, signed_in: SignedIn) -> Result<(), Error> {
        let permit = Permit::authenticated(Operation::SignOut, signed_in.account.id, request)?;
        self.remove(&permit, &signed_in.session).await
    }

    /// Ends all sessions of an account whose password was reset.
    pub(crate) async fn end_all(&self, request: Request, account: AccountId) -> Result<(), Error> {
        self.end_outdated(&Permit::authenticated(Operation::PasswordReset, account, request)?, account).await
    }

    /// Ends all sessions of an account that began before its password was set.
    pub(crate) async fn end_outdated(&self, permit: &Permit, account: AccountId) -> Result<(), Error> {
        for found in self.core.ports.authorizations.sessions_of(account).await? {
            // The session that the person has begun with the new password, if any, goes on.
            if found.session.password_set_at != found.account.password_set_at {
                self.remove(permit, &found.session).await?;
            }
        }
        Ok(())
    }

    /// Removes a session, revokes the tokens that end with it, and queues a logout token for each client that registers
    /// a URL for it.
    async fn remove(&self, permit: &Permit, session: &Session) -> Result<(), Error> {
        let is_removed = retry_stale(async || {
            let (mut clients, mut after) = (Vec::new(), None);
            loop {
                let families =
                    self.core.ports.authorizations.families_of_session(session.id, after, FAMILY_BATCH_SIZE).await?;
                let is_complete = families.len() < usize::from(FAMILY_BATCH_SIZE);
                after = families.last().map(|family| family.id);
                clients.extend(families.iter().map(|family| family.client.clone()));
                let now = self.core.now();
                let changes = revoked(Changes::by(permit.clone(), now), families, now);
                if !is_complete {
                    self.core.commit(changes).await?;
                    continue;
                }

                let deliveries = self.logout_deliveries(session, clients, now).await?;
                let changes = deliveries.into_iter().fold(changes.remove(session.clone()), Changes::insert);
                return match self.core.commit(changes).await {
                    Ok(_) => Ok(true),
                    // Already removed, which is the intended result.
                    Err(CommitError::Stale(ResourceKind::Session)) => Ok(false),
                    Err(error) => Err(RetryError::from(error)),
                };
            }
        })
        .await?;
        if is_removed { self.revoke_late(permit, session.id).await } else { Ok(()) }
    }

    /// Revokes the tokens of codes that were redeemed while the session was being removed.
    async fn revoke_late(&self, permit: &Permit, session: SessionId) -> Result<(), Error> {
        retry_stale(async || {
            let mut after = None;
            loop {
                let families =
                    self.core.ports.authorizations.families_of_session(session, after, FAMILY_BATCH_SIZE).await?;
                let is_complete = families.len() < usize::from(FAMILY_BATCH_SIZE);
                after = families.last().map(|family| family.id);
                let now = self.core.now();
                let changes = revoked(Changes::by(permit.clone(), now), families, now);
                if changes.writes().next().is_some() {
                    self.core.commit(changes).await?;
                }
                if is_complete {
                    return Ok(());
                }
            }
        })
        .await
    }

    /// Returns a delivery to each of the clients whose project registers a URL.
    async fn logout_deliveries(
        &self,
        session: &Session,
        mut clients: Vec<ClientId>,
        now: Time,
    ) -> Result<Vec<LogoutDelivery>, Error> {
        clients.sort_unstable_by(|one, other| one.as_str().cmp(other.as_str()));
        clients.dedup();
        let mut deliveries = Vec::new();
        for client in clients {
            let Some(project_id) = client.project() else { continue };
            let found = self.core.ports.projects.project(project_id).await?;
            if found.is_none_or(|found| found.project.sign_in.backchannel_logout_uri.is_none()) {
                continue;
            }
            deliveries.push(LogoutDelivery {
                id: self.core.next_id().into(),
                account_id: session.account_id,
                session_id: session.id,
                client,
                project_id,
                attempts: 0,
                next_attempt_at: now,
            });
        }
        Ok(deliveries)
    }

    /// Returns the digest of a session that counts for a project only. A version of the service that does not know such
    /// sessions does not find them.
    fn limited_digest(&self, browser: &Secret) -> TokenDigest {
        TokenDigest(self.core.system.vault.sha256(&format!("limited {}", browser.expose())))
    }
}

/// Revokes those of the families that end with their session.
fn revoked(changes: Changes, families: Vec<TokenFamily>, now: Time) -> Changes {
    let ending = families.into_iter().filter(|family| family.revoked_at.is_none() && family.ends_with_session());
    revoke(changes, ending, now)
}

/// Revokes all of the families.
pub(crate) fn revoke(changes: Changes, families: impl IntoIterator<Item = TokenFamily>, now: Time) -> Changes {
    families.into_iter().fold(changes, |changes, family| {
        let revoked = TokenFamily { revoked_at: Some(now), ..family.clone() };
        changes.replace(family, revoked)
    })
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use zeroize::Zeroizing;

    use super::*;
    use crate::administration::WebhookUrl;
    use crate::identity::{ScopeSet, SessionLifetime};
    use crate::kernel::changes::{Entity, Write};
    use crate::mocks::{
        MockSecretGenerator, MockStore, MockTokenVault, RecordingUnitOfWork, a_family, a_project_in_team, a_request,
        a_session, id_of, instant, mock_identity, mock_system_ports,
    };
    use crate::{Ports, StorePorts, SystemPorts};

    fn of_project(number: usize, scopes: &str) -> TokenFamily {
        let project = a_project_in_team().project.id;
        TokenFamily {
            id: id_of(&format!("family-{number}")).into(),
            client: ClientId::stored(project.to_string(), Some(project)),
            scopes: ScopeSet::parse(scopes),
            ..a_family("ann")
        }
    }

    /// Signs out of a session with these token families. `late`: those of codes that are redeemed in the meantime.
    /// Returns the writes of each commit.
    async fn sign_out(families: Vec<TokenFamily>, late: Vec<TokenFamily>) -> Vec<Vec<Write>> {
        let (mut store, unit_of_work) = (MockStore::default(), Arc::new(RecordingUnitOfWork::default()));
        let committed = unit_of_work.clone();
        store.authorizations.expect_families_of_session().returning(move |_, after, limit| {
            let is_removal = |write: &Write| matches!(write, Write::Remove(Entity::Session(_)));
            if committed.changes().iter().any(|changes| changes.writes().any(is_removal)) {
                return Ok(late.clone());
            }
            let rest = families.iter().skip_while(|family| after.is_some() && Some(family.id) != after);
            Ok(rest.skip(usize::from(after.is_some())).take(usize::from(limit)).cloned().collect())
        });
        store.projects.expect_project().returning(|_| {
            let mut found = a_project_in_team();
            found.project.sign_in.backchannel_logout_uri = WebhookUrl::parse("https://app.example/out", false).ok();
            Ok(Some(found))
        });
        let store = StorePorts { unit_of_work: unit_of_work.clone(), ..store.into() };
        let sessions = Sessions::new(&mock_identity(store));
        sessions.sign_out(a_request(), a_session()).await.unwrap();
        unit_of_work.changes().iter().map(|changes| changes.writes().cloned().collect()).collect()
    }

    fn is_revocation(write: &Write) -> bool {
        matches!(write, Write::Replace(Entity::TokenFamily(family)) if family.revoked_at == Some(instant()))
    }

    #[tokio::test]
    async fn the_time_until_the_second_factor_does_not_count_as_idle() {
        let (mut secrets, mut vault) = (MockSecretGenerator::new(), MockTokenVault::new());
        secrets.expect_entropy().returning(|| Zeroizing::new([9; 32]));
        vault.expect_sha256().returning(str::to_owned);
        let system = SystemPorts { secrets: Arc::new(secrets), vault: Arc::new(vault), ..mock_system_ports() };
        let mut store = MockStore::default();
        store.identity_providers.expect_identity_providers().returning(|_| Ok(Vec::new()));
        let store = StorePorts { unit_of_work: Arc::new(RecordingUnitOfWork::default()), ..store.into() };
        let sessions = Sessions::new(&mock_identity(Ports { system, ..store.into() }));

        let (SignedIn { account, session, .. }, minute) = (a_session(), TimeDelta::minutes(1));
        let at = instant() - minute * 9;
        let proof = AuthenticationProof { account, methods: session.methods, at, provider: None };
        let session = sessions.begin(a_request(), proof, "", None).await.unwrap().value;
        let signed_in = SignedIn { session, ..a_session() };
        let lifetime = SessionLifetime { total: minute * 60, idle: minute * 5 };
        let is_live = |minutes| signed_in.is_live(lifetime, instant() + minute * minutes);
        assert!(is_live(0) && is_live(4) && !is_live(5));
    }

    #[tokio::test]
    async fn signing_out_revokes_all_tokens_of_the_session_in_batches_and_notifies_a_client_once() {
        let count = usize::from(FAMILY_BATCH_SIZE) + 2;
        let commits = sign_out((0..count).map(|number| of_project(number, "openid")).collect(), Vec::new()).await;
        let [first, last] = commits.try_into().unwrap();
        assert!(first.len() == usize::from(FAMILY_BATCH_SIZE) && first.iter().all(is_revocation));
        assert!(
            matches!(
                last.as_slice(),
                [one, other, Write::Remove(Entity::Session(_)), Write::Insert(Entity::LogoutDelivery(_))]
                    if is_revocation(one) && is_revocation(other)
            ),
            "{last:?}"
        );
    }

    #[tokio::test]
    async fn tokens_of_a_code_that_is_redeemed_during_the_sign_out_are_revoked() {
        let late = vec![of_project(0, "openid"), of_project(1, "openid offline_access")];
        let [removal, revocation] = sign_out(Vec::new(), late).await.try_into().unwrap();
        assert!(matches!(removal.as_slice(), [Write::Remove(Entity::Session(_))]), "{removal:?}");
        assert!(revocation.len() == 1 && revocation.iter().all(is_revocation), "{revocation:?}");
    }

    #[tokio::test]
    async fn offline_access_first_party_tokens_and_revoked_tokens_are_left_as_they_are() {
        let revoked = TokenFamily { revoked_at: Some(instant()), ..of_project(1, "openid") };
        let families = vec![of_project(0, "openid offline_access"), revoked, a_family("ann")];
        let [writes] = sign_out(families, Vec::new()).await.try_into().unwrap();
        assert!(
            matches!(writes.as_slice(), [Write::Remove(Entity::Session(_)), Write::Insert(Entity::LogoutDelivery(_))]),
            "{writes:?}"
        );
    }
}
