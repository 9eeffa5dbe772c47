//! The caller's own account: changing its profile and its password, and deleting it.

use std::sync::Arc;

use crate::administration::{AuditEvent, Recipient, Team};
use crate::data::DataCore;
use crate::identity::account::administration::AccountAdministration;
use crate::identity::account::administrator::Administrator;
use crate::identity::account::deletion_progress::DeletionProgress;
use crate::identity::account::notices::announce;
use crate::identity::{
    AcceptedPassword, Account, AccountChange, AuthenticationProof, IdentityCore, Password, PersonalWords, Session,
    Sessions, SignedIn, Username,
};
use crate::kernel::changes::Changes;
use crate::kernel::error::{AuthenticationError, Conflict, Error, ResourceKind};
use crate::kernel::policy::{Operation, Permit};
use crate::kernel::work::Work;
use crate::kernel::{
    AccountId, Caller, CommitError, Issued, Name, Page, PageRequest, Precondition, Request, RetryError, Unique,
    account_of, retry_stale,
};

/// New values of a profile.
#[derive(Debug, Clone)]
#[expect(missing_docs, reason = "each field is named after its value")]
pub struct UpdateProfile {
    pub name: Option<Name>,
    pub username: Option<Username>,
}

/// Use cases of the caller's own account.
pub struct OwnAccount {
    core: Arc<IdentityCore>,
    administration: AccountAdministration,
    sessions: Sessions,
}

impl OwnAccount {
    /// Creates the use cases from the shared components.
    pub fn new(core: &Arc<IdentityCore>, data: &Arc<DataCore>) -> Self {
        let administration = AccountAdministration::new(core, data);
        Self { core: core.clone(), administration, sessions: Sessions::new(core) }
    }

    /// Changes the name and the username. A profile that already has these values is not changed, whatever the
    /// precondition, so that the same form can be submitted twice.
    pub async fn update(&self, caller: &Caller, command: UpdateProfile, when: &Precondition) -> Result<(), Error> {
        let id = account_of(caller)?;
        retry_stale(async || {
            let permit = Permit::authenticated(Operation::OwnAccountUpdate, id, caller.request.clone())?;

            let loaded = self.account(id).await?;
            let (name, username) = (command.name.clone(), command.username.clone());
            let is_renamed = text(username.as_ref()) != text(loaded.username.as_ref());
            if !is_renamed && name == loaded.name {
                return Ok(());
            }
            when.check(ResourceKind::Account, loaded.revision)?;
            if username != loaded.username {
                self.check_not_invited(&loaded).await?;
            }
            let changed = Account { name, username, ..loaded.clone() };

            let changes = Changes::by(permit, self.core.now()).replace(loaded, changed);
            let committed = self.core.commit(changes).await;
            committed.map(drop).map_err(|error| match error {
                CommitError::Taken(Unique::AccountUsername) => RetryError::from(Conflict::UsernameTaken),
                error => error.into(),
            })
        })
        .await
    }

    /// Refuses to give up a username that pending invites name, because another person could take it and accept them.
    async fn check_not_invited(&self, account: &Account) -> Result<(), Error> {
        let Some(username) = account.username.clone() else { return Ok(()) };
        let recipients = [Recipient::Username(username)];
        let first = PageRequest { limit: Some(1), ..PageRequest::FIRST };
        let pending = self.core.ports.invites.pending_invites_naming(&recipients, self.core.now(), &first).await?;
        if pending.items.is_empty() {
            return Ok(());
        }
        Err(Error::invalid(
            "username",
            "cannot be changed while an invite names it. Accept or decline the invite first",
        ))
    }

    /// Accepts a new password of the account. Call it before the person proves their identity, because that uses up a code.
    pub async fn accept_password(&self, signed_in: &SignedIn, password: Password) -> Result<AcceptedPassword, Error> {
        self.core.accept_new(password, PersonalWords::of(&signed_in.account)).await
    }

    /// Returns the sign-in of a session as proof for the first password of an account without one. It must be recent.
    pub fn recent_sign_in(&self, signed_in: &SignedIn) -> Result<AuthenticationProof, Error> {
        if signed_in.account.password.is_some() {
            return Err(AuthenticationError::WrongPassword.into());
        }
        if signed_in.last_sign_in().must_confirm(self.core.now()) {
            return Err(AuthenticationError::ConfirmationRequired.into());
        }
        let session = &signed_in.session;
        let (methods, at) = (session.methods.clone(), session.authenticated_at);
        Ok(AuthenticationProof { account: signed_in.account.clone(), methods, at, provider: None })
    }

    /// Sets a new password, which invalidates all earlier sessions and tokens, and continues the session of the browser.
    /// `authenticated` proves that the person knows the current password, and has the second factor of the account; for an
    /// account without a password, it is the recent sign-in.
    pub async fn change_password(
        &self,
        request: Request,
        authenticated: AuthenticationProof,
        signed_in: &SignedIn,
        user_agent: &str,
        password: AcceptedPassword,
    ) -> Result<Issued<Session>, Error> {
        let AuthenticationProof { account: proven, methods, at, .. } = authenticated;
        if proven.id != signed_in.account.id {
            return Err(AuthenticationError::WrongPassword.into());
        }
        let permit = Permit::authenticated(Operation::PasswordChange, proven.id, request.clone())?;
        let password = self.core.hash(password).await?;
        let now = self.core.now();
        let account = retry_stale(async || {
            let loaded = self.account(proven.id).await?;
            // Someone else has set another password in the meantime.
            if loaded.password_set_at != proven.password_set_at || !loaded.is_active() {
                return Err(Error::from(AuthenticationError::WrongPassword).into());
            }
            let changed = Account { password: Some(password.clone()), password_set_at: now, ..loaded.clone() };

            let changes = Changes::by(permit.clone(), now).replace(loaded, changed.clone());
            self.core.commit(changes).await?;
            Ok(changed)
        })
        .await?;
        let before = Some(signed_in.clone());
        let renewed = AuthenticationProof { account, methods, at, provider: None };
        let session = self.sessions.begin(request, renewed, user_agent, before).await?;
        // The other sessions are no longer valid. Ending them also notifies the clients, which can wait: if it fails,
        // the new password is set nevertheless.
        drop(self.sessions.end_outdated(&permit, proven.id).await);
        announce(&self.core, &signed_in.account, AccountChange::PasswordChanged).await;
        Ok(session)
    }

    /// Lists what happened to the account, newest first: sign-ins, and changes of the ways to sign in.
    pub async fn events(&self, signed_in: &SignedIn, page: &PageRequest) -> Result<Page<AuditEvent>, Error> {
        Ok(self.core.ports.audit_log.account_events(signed_in.account.id, page).await?)
    }

    /// Returns the teams of which the caller is the only owner. Until they have another one or are deleted, the account
    /// cannot be deleted.
    pub async fn teams_without_other_owner(&self, caller: &Caller) -> Result<Vec<Team>, Error> {
        self.administration.teams_without_other_owner(account_of(caller)?).await
    }

    /// Deletes the account, as [`AccountAdministration::delete`] does. Requires a confirmation.
    pub async fn delete(&self, caller: &Caller) -> Result<DeletionProgress, Error> {
        let id = account_of(caller)?;
        Operation::OwnAccountDelete.check_confirmed(caller.must_confirm, None)?;
        Work::set_lane(Operation::OwnAccountDelete.rule().lane);

        self.administration.delete_by(&Administrator::Holder(caller), id).await
    }

    async fn account(&self, id: AccountId) -> Result<Account, Error> {
        Ok(self.core.ports.accounts.account(id).await?.ok_or(AuthenticationError::UnknownAccount)?)
    }
}

/// Usernames are equal regardless of case, but a person may also change the case.
fn text(username: Option<&Username>) -> Option<&str> {
    username.map(Username::as_str)
}
