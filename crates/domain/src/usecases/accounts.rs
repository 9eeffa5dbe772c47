//! Accounts: signing up, signing in, and what an account shows of itself.

use std::sync::Arc;

use chrono::{DurationRound as _, TimeDelta};

use crate::changes::Changes;
use crate::error::{AuthenticationFault, Conflict, Error, Kind};
use crate::model::{
    AccessClaims, Account, AccountId, Audience, Caller, Email, Identity, Name, Password, Request, Revision, ScopeSet,
    Secret, Time, Username,
};
use crate::policy::{Operation, Permit};
use crate::ports::{AccessTokens, AccountReader, Clock, CommitError, IdGenerator, PasswordHasher, Unique, UnitOfWork};

/// How long a session's access token is good (contract 3).
const SESSION: TimeDelta = TimeDelta::minutes(15);

/// What somebody signs up with.
#[derive(Debug, Clone)]
#[expect(missing_docs, reason = "each field is the value it is named after")]
pub struct SignUp {
    pub email: Email,
    pub password: Password,
    pub name: Option<Name>,
    pub username: Option<Username>,
}

/// How somebody names the account they sign in to.
#[derive(Debug, Clone)]
pub enum Login {
    /// By email.
    Email(Email),
    /// By username.
    Username(Username),
    /// By something that no account can have.
    Nobody,
}

impl Login {
    /// An email when it holds an `@`, else a username.
    pub fn parse(text: &str) -> Self {
        let email = || Email::parse(text).map(Self::Email);
        let username = || Username::parse(text).map(Self::Username);
        if text.contains('@') { email() } else { username() }.unwrap_or(Self::Nobody)
    }
}

/// A first-party session: a person at their own account.
#[derive(Debug, Clone)]
pub struct Session {
    /// The access token.
    pub access_token: Secret,
    /// For how long it is good.
    pub lasts: TimeDelta,
    /// What it allows.
    pub scopes: ScopeSet,
}

/// The use cases of accounts.
pub struct Accounts {
    accounts: Arc<dyn AccountReader>,
    store: Arc<dyn UnitOfWork>,
    passwords: Arc<dyn PasswordHasher>,
    tokens: Arc<dyn AccessTokens>,
    clock: Arc<dyn Clock>,
    ids: Arc<dyn IdGenerator>,
}

impl Accounts {
    /// Over these ports.
    pub fn new(
        accounts: Arc<dyn AccountReader>,
        store: Arc<dyn UnitOfWork>,
        passwords: Arc<dyn PasswordHasher>,
        tokens: Arc<dyn AccessTokens>,
        clock: Arc<dyn Clock>,
        ids: Arc<dyn IdGenerator>,
    ) -> Self {
        Self { accounts, store, passwords, tokens, clock, ids }
    }

    /// Makes an account for whoever asks. Its email is not verified yet.
    pub async fn sign_up(&self, request: Request, command: SignUp) -> Result<Account, Error> {
        let id = AccountId::from(self.ids.next());
        self.create(id, Permit::for_signup(id, request), command, false).await
    }

    /// Makes an account on the operator's word, who vouches for the email.
    pub async fn provision(&self, request: Request, command: SignUp) -> Result<Account, Error> {
        let id = AccountId::from(self.ids.next());
        self.create(id, Permit::for_system(Operation::AccountProvision, request), command, true).await
    }

    async fn create(
        &self,
        id: AccountId,
        permit: Permit,
        command: SignUp,
        email_verified: bool,
    ) -> Result<Account, Error> {
        let password = self.passwords.hash(command.password).await?;
        let now = self.clock.now();
        let account = Account {
            id,
            email: command.email,
            email_verified,
            username: command.username,
            name: command.name,
            password,
            created_at: now,
            revision: Revision::FIRST,
        };

        let changes = Changes::by(permit, now).insert(account.clone());
        self.store.commit(changes).await.map_err(|error| match error {
            CommitError::Taken(Unique::AccountEmail) => Conflict::EmailTaken.into(),
            CommitError::Taken(Unique::AccountUsername) => Conflict::UsernameTaken.into(),
            other => Error::from(other),
        })?;
        Ok(account)
    }

    /// Begins a session. It takes as long for an unknown account as for a wrong password, and says the same.
    pub async fn log_in(&self, login: &Login, password: Secret) -> Result<Session, Error> {
        let account = match login {
            Login::Email(email) => self.accounts.account_by_email(email).await?,
            Login::Username(username) => self.accounts.account_by_username(username).await?,
            Login::Nobody => None,
        };
        let hash = account.as_ref().map(|account| account.password.clone());
        let right = self.passwords.verify(password, hash).await?;

        match account {
            Some(account) if right => self.session(account.id, SESSION),
            _ => Err(AuthenticationFault::WrongPassword.into()),
        }
    }

    /// Begins a session on the operator's word, of the given length.
    pub async fn issue_token(&self, email: &Email, lasts: Option<TimeDelta>) -> Result<Session, Error> {
        let account = self.accounts.account_by_email(email).await?.ok_or(Error::NotFound(Kind::Account))?;
        self.session(account.id, lasts.unwrap_or(SESSION))
    }

    /// The caller's own account.
    pub async fn whoami(&self, caller: &Caller) -> Result<Account, Error> {
        let id = account_of(caller)?;
        Ok(self.accounts.account(id).await?.ok_or(AuthenticationFault::UnknownAccount)?)
    }

    fn session(&self, subject: AccountId, lasts: TimeDelta) -> Result<Session, Error> {
        let issued_at = to_the_second(self.clock.now());
        let scopes = ScopeSet::first_party();
        let claims = AccessClaims {
            subject,
            audience: Audience::Service,
            scopes: scopes.clone(),
            issued_at,
            expires_at: issued_at + lasts,
            id: self.ids.next(),
        };
        Ok(Session { access_token: self.tokens.issue(&claims)?, lasts, scopes })
    }
}

/// The second that the moment is in: the precision of tokens.
pub(super) fn to_the_second(time: Time) -> Time {
    time.duration_trunc(TimeDelta::seconds(1)).unwrap_or(time)
}

/// The account that calls; keys are refused.
pub(super) fn account_of(caller: &Caller) -> Result<AccountId, Error> {
    match &caller.identity {
        Identity::Account(id) => Ok(*id),
        Identity::Key(_) => Err(crate::error::Forbidden::KeyRefused.into()),
    }
}
