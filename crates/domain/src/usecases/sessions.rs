//! Sessions: signing in with a browser, seeing where one is signed in, signing out.

use std::sync::Arc;

use crate::changes::Changes;
use crate::error::{Error, ResourceKind};
use crate::model::{
    Issued, OpaqueKind, Request, Revision, SESSION_TTL, Secret, Session, SessionId, SignedIn, TokenDigest,
};
use crate::policy::{Operation, Permit};
use crate::ports::{AuthorizationReader, Clock, CommitError, IdGenerator, SecretGenerator, TokenVault, UnitOfWork};

use super::Authenticated;

/// The longest name of a browser that is kept, in characters.
const MAX_USER_AGENT_BYTES: usize = 256;

/// The use cases of sessions. A browser is known by a random token in its cookie; it names a session once somebody has
/// signed in, with a new one (OWASP ASVS 3.2.1).
#[derive(Clone)]
pub struct Sessions {
    pub(super) sessions: Arc<dyn AuthorizationReader>,
    pub(super) store: Arc<dyn UnitOfWork>,
    pub(super) vault: Arc<dyn TokenVault>,
    pub(super) secrets: Arc<dyn SecretGenerator>,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) ids: Arc<dyn IdGenerator>,
}

impl Sessions {
    /// A token for a browser that has none.
    pub fn new_browser(&self) -> Secret {
        OpaqueKind::Browser.from_entropy(&self.secrets.entropy())
    }

    /// What every form that a browser is shown must send back: no other site can know it.
    pub fn form_token(&self, browser: &Secret) -> String {
        self.vault.sha256(&format!("form {}", browser.expose()))
    }

    /// Who is signed in with this browser.
    pub async fn current(&self, browser: &Secret) -> Result<Option<SignedIn>, Error> {
        let found = self.sessions.session(&self.digest(browser)).await?;
        Ok(found.filter(|signed_in| signed_in.is_live(self.clock.now())))
    }

    /// Begins a session, under a new token. Whatever session the browser had ends.
    pub async fn begin(
        &self,
        request: Request,
        authenticated: Authenticated,
        user_agent: &str,
        before: Option<SignedIn>,
    ) -> Result<Issued<Session>, Error> {
        let account = authenticated.account;
        let permit = Permit::for_self(Operation::SignIn, account.id, request.clone());
        let (now, secret) = (self.clock.now(), self.new_browser());
        let session = Session {
            id: SessionId::from(self.ids.next()),
            digest: self.digest(&secret),
            account_id: account.id,
            authenticated_at: now,
            password_set_at: account.password_set_at,
            user_agent: user_agent.chars().filter(|c| !c.is_control()).take(MAX_USER_AGENT_BYTES).collect(),
            address: request.address,
            expires_at: now + SESSION_TTL,
            revision: Revision::FIRST,
        };

        let changes = Changes::by(permit, now).insert(session.clone());
        let with_end = match before {
            Some(before) => changes.clone().remove(before.session),
            None => changes.clone(),
        };
        match self.store.commit(with_end).await {
            // It ended by itself meanwhile.
            Err(CommitError::Stale(ResourceKind::Session)) => self.store.commit(changes).await?,
            result => result?,
        };
        Ok(Issued { value: session, secret })
    }

    /// Where the person is signed in, the newest first.
    pub async fn list(&self, signed_in: &SignedIn) -> Result<Vec<Session>, Error> {
        let now = self.clock.now();
        let all = self.sessions.sessions_of(signed_in.account.id).await?;
        Ok(all.into_iter().filter(|one| one.is_live(now)).map(|one| one.session).collect())
    }

    /// Ends one of the person's sessions.
    pub async fn end(&self, request: Request, signed_in: &SignedIn, id: SessionId) -> Result<(), Error> {
        let permit = Permit::for_self(Operation::SessionEnd, signed_in.account.id, request);

        let all = self.sessions.sessions_of(signed_in.account.id).await?;
        let found = all.into_iter().find(|one| one.session.id == id).ok_or(Error::NotFound(ResourceKind::Session))?;

        self.remove(permit, found.session).await
    }

    /// Signs out of this browser.
    pub async fn sign_out(&self, request: Request, signed_in: SignedIn) -> Result<(), Error> {
        let permit = Permit::for_self(Operation::SignOut, signed_in.account.id, request);
        self.remove(permit, signed_in.session).await
    }

    async fn remove(&self, permit: Permit, session: Session) -> Result<(), Error> {
        match self.store.commit(Changes::by(permit, self.clock.now()).remove(session)).await {
            // It is gone: that is what was wanted.
            Ok(_) | Err(CommitError::Stale(ResourceKind::Session)) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    fn digest(&self, browser: &Secret) -> TokenDigest {
        TokenDigest(self.vault.sha256(browser.expose()))
    }
}
