//! Browser sessions: signing in, listing sessions and signing out.

use std::sync::Arc;

use crate::changes::Changes;
use crate::error::{Error, ResourceKind};
use crate::model::{
    Issued, OpaqueKind, Request, Revision, SESSION_TTL, Secret, Session, SessionId, SignedIn, TokenDigest,
};
use crate::policy::{Operation, Permit};
use crate::ports::{AuthorizationReader, Clock, CommitError, IdGenerator, SecretGenerator, TokenVault, UnitOfWork};

use super::{Authenticated, Core};

/// Maximum length of the stored user agent, in characters.
const MAX_USER_AGENT_BYTES: usize = 256;

/// Use cases of sessions. A browser is identified by a random token in its cookie. Signing in creates a session with a
/// new token (OWASP ASVS 3.2.1).
#[derive(Clone)]
#[expect(missing_docs, reason = "each field is named after its port")]
pub struct Sessions {
    pub sessions: Arc<dyn AuthorizationReader>,
    pub store: Arc<dyn UnitOfWork>,
    pub vault: Arc<dyn TokenVault>,
    pub secrets: Arc<dyn SecretGenerator>,
    pub clock: Arc<dyn Clock>,
    pub ids: Arc<dyn IdGenerator>,
}

impl Sessions {
    /// Creates the use cases from the shared components.
    pub fn new(core: &Core) -> Self {
        Self {
            sessions: core.store.clone(),
            store: core.unit_of_work.clone(),
            vault: core.system.vault.clone(),
            secrets: core.system.secrets.clone(),
            clock: core.system.clock.clone(),
            ids: core.system.ids.clone(),
        }
    }

    /// Generates a token for a browser that has none.
    pub fn new_browser(&self) -> Secret {
        OpaqueKind::Browser.from_entropy(&self.secrets.entropy())
    }

    /// The CSRF token that every form must send back. Other sites cannot know it.
    pub fn form_token(&self, browser: &Secret) -> String {
        self.vault.sha256(&format!("form {}", browser.expose()))
    }

    /// Returns the live session of this browser and its account.
    pub async fn current(&self, browser: &Secret) -> Result<Option<SignedIn>, Error> {
        let found = self.sessions.session(&self.digest(browser)).await?;
        Ok(found.filter(|signed_in| signed_in.is_live(self.clock.now())))
    }

    /// Creates a session with a new token. The browser's previous session ends.
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
        let with_removal = match before {
            Some(before) => changes.clone().remove(before.session),
            None => changes.clone(),
        };
        match self.store.commit(with_removal).await {
            // The previous session ended in the meantime.
            Err(CommitError::Stale(ResourceKind::Session)) => self.store.commit(changes).await?,
            result => result?,
        };
        Ok(Issued { value: session, secret })
    }

    /// Lists the account's live sessions, newest first.
    pub async fn list(&self, signed_in: &SignedIn) -> Result<Vec<Session>, Error> {
        let now = self.clock.now();
        let all = self.sessions.sessions_of(signed_in.account.id).await?;
        Ok(all.into_iter().filter(|found| found.is_live(now)).map(|found| found.session).collect())
    }

    /// Ends one of the account's sessions.
    pub async fn end(&self, request: Request, signed_in: &SignedIn, id: SessionId) -> Result<(), Error> {
        let permit = Permit::for_self(Operation::SessionEnd, signed_in.account.id, request);

        let all = self.sessions.sessions_of(signed_in.account.id).await?;
        let found =
            all.into_iter().find(|found| found.session.id == id).ok_or(Error::NotFound(ResourceKind::Session))?;

        self.remove(permit, found.session).await
    }

    /// Ends the session of the current browser.
    pub async fn sign_out(&self, request: Request, signed_in: SignedIn) -> Result<(), Error> {
        let permit = Permit::for_self(Operation::SignOut, signed_in.account.id, request);
        self.remove(permit, signed_in.session).await
    }

    async fn remove(&self, permit: Permit, session: Session) -> Result<(), Error> {
        match self.store.commit(Changes::by(permit, self.clock.now()).remove(session)).await {
            // Already deleted, which is the intended result.
            Ok(_) | Err(CommitError::Stale(ResourceKind::Session)) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    fn digest(&self, browser: &Secret) -> TokenDigest {
        TokenDigest(self.vault.sha256(browser.expose()))
    }
}
