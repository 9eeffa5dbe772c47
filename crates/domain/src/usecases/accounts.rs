//! Accounts: signing up, signing in, and what an account shows of itself.

use std::sync::Arc;

use chrono::{DurationRound as _, TimeDelta};

use crate::changes::Changes;
use crate::error::{AuthenticationError, Conflict, Error, Forbidden, ResourceKind};
use crate::model::{
    AccessClaims, Account, AccountId, Audience, Caller, Email, Identity, LinkPurpose, Name, PageRequest, Password,
    Recipient, Request, Revision, ScopeSet, Secret, SignUpMode, SignUpPolicy, Time, Username,
};
use crate::policy::{LimitedAction, Operation, Permit};
use crate::ports::{
    AccessTokens, AccountReader, Clock, CommitError, IdGenerator, InviteReader, PasswordHasher, Unique, UnitOfWork,
};

use super::access::takes;
use super::sign_in_guard::SignInGuard;
use super::token_grants::ACCESS_TTL;
use super::{EmailLinks, RateLimiter, SignInOutcome};

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

    /// The form in which attempts are counted.
    pub(super) fn folded(&self) -> String {
        match self {
            Self::Email(email) => email.folded(),
            Self::Username(username) => username.folded(),
            Self::Nobody => String::new(),
        }
    }
}

/// An account whose password was just given: only this module tells of one.
#[derive(Debug, Clone)]
pub struct Authenticated {
    pub(super) account: Account,
}

impl Authenticated {
    /// The account.
    pub fn account(&self) -> &Account {
        &self.account
    }
}

/// The use cases of accounts.
pub struct Accounts {
    accounts: Arc<dyn AccountReader>,
    store: Arc<dyn UnitOfWork>,
    passwords: Arc<dyn PasswordHasher>,
    tokens: Arc<dyn AccessTokens>,
    links: EmailLinks,
    guard: SignInGuard,
    invites: Arc<dyn InviteReader>,
    sign_up: SignUpPolicy,
    rate_limiter: Arc<RateLimiter>,
    clock: Arc<dyn Clock>,
    ids: Arc<dyn IdGenerator>,
}

impl Accounts {
    /// Over these ports.
    #[expect(clippy::too_many_arguments, reason = "each is a port of its own, given once at the wiring")]
    pub(super) fn new(
        accounts: Arc<dyn AccountReader>,
        store: Arc<dyn UnitOfWork>,
        passwords: Arc<dyn PasswordHasher>,
        tokens: Arc<dyn AccessTokens>,
        links: EmailLinks,
        guard: SignInGuard,
        invites: Arc<dyn InviteReader>,
        sign_up: SignUpPolicy,
        rate_limiter: Arc<RateLimiter>,
        clock: Arc<dyn Clock>,
        ids: Arc<dyn IdGenerator>,
    ) -> Self {
        Self { accounts, store, passwords, tokens, links, guard, invites, sign_up, rate_limiter, clock, ids }
    }

    /// Makes an account for whoever asks. Its email is not verified yet: an email with a link goes there.
    pub async fn sign_up(&self, request: Request, command: SignUp) -> Result<Authenticated, Error> {
        self.rate_limiter.take_from(LimitedAction::SignUpFrom, &request, self.clock.now()).await?;
        self.may_sign_up(&command.email).await?;
        let id = AccountId::from(self.ids.next());
        let permit = Permit::for_self(Operation::SignUp, id, request.clone());
        let account = self.account(id, command, false).await?;

        let (link, email) = self.links.link(LinkPurpose::VerifyEmail, &account.email, account.created_at);
        self.insert(Changes::by(permit, account.created_at).insert(account.clone()).insert(link)).await?;
        self.links.deliver(email);
        self.guard.record_network(&account, &request, account.created_at).await;
        Ok(Authenticated { account })
    }

    /// Whether anybody at all may sign up: else no page leads there.
    pub fn accepts_sign_ups(&self) -> bool {
        self.sign_up.mode != SignUpMode::Closed
    }

    async fn may_sign_up(&self, email: &Email) -> Result<(), Error> {
        let is_invited = match self.sign_up.mode {
            SignUpMode::Invite => {
                let (recipient, first) =
                    (Recipient::Email(email.clone()), PageRequest { limit: Some(1), ..PageRequest::FIRST });
                let found = self.invites.pending_invites_naming(&[recipient], self.clock.now(), &first).await?;
                !found.items.is_empty()
            }
            SignUpMode::Open | SignUpMode::Closed => false,
        };
        Ok(self.sign_up.admits(email, is_invited)?)
    }

    /// Makes an account on the operator's word, who vouches for the email.
    pub async fn provision(&self, request: Request, command: SignUp) -> Result<Account, Error> {
        let permit = Permit::for_system(Operation::AccountProvision, request);
        let account = self.account(AccountId::from(self.ids.next()), command, true).await?;

        self.insert(Changes::by(permit, account.created_at).insert(account.clone())).await?;
        Ok(account)
    }

    async fn account(&self, id: AccountId, command: SignUp, email_verified: bool) -> Result<Account, Error> {
        let password = self.passwords.hash(command.password).await?;
        let now = self.clock.now();
        Ok(Account {
            id,
            email: command.email,
            email_verified,
            username: command.username,
            name: command.name,
            password,
            password_set_at: now,
            created_at: now,
            disabled_at: None,
            revision: Revision::FIRST,
        })
    }

    async fn insert(&self, changes: Changes) -> Result<(), Error> {
        self.store.commit(changes).await.map_err(|error| match error {
            CommitError::Taken(Unique::AccountEmail) => Conflict::EmailTaken.into(),
            CommitError::Taken(Unique::AccountUsername) => Conflict::UsernameTaken.into(),
            other => Error::from(other),
        })?;
        Ok(())
    }

    /// Checks a password. It takes as long for an unknown account as for a wrong password, and says the same. Both count as
    /// attempts, and beyond the limits no password is checked. `known_browser` is the cookie that
    /// [`Accounts::remember_browser`] made for the browser, if it has one.
    pub async fn authenticate(
        &self,
        request: &Request,
        login: &Login,
        password: Secret,
        known_browser: &str,
    ) -> Result<Authenticated, Error> {
        let result = self.check(request, login, password, known_browser).await;
        self.guard.stats.count(match &result {
            Ok(Some(account)) if account.is_active() => SignInOutcome::Ok,
            Ok(Some(_)) => SignInOutcome::Disabled,
            Ok(None) => SignInOutcome::WrongPassword,
            Err(Error::TooMany { .. }) => SignInOutcome::Limited,
            Err(_) => SignInOutcome::Failed,
        });
        // A disabled account says the same of every password.
        let account = result?.filter(Account::is_active).ok_or(AuthenticationError::WrongPassword)?;
        Ok(Authenticated { account })
    }

    /// The account, if the password is its.
    async fn check(
        &self,
        request: &Request,
        login: &Login,
        password: Secret,
        known_browser: &str,
    ) -> Result<Option<Account>, Error> {
        let now = self.clock.now();
        let admitted = self.guard.admit(request, login, known_browser, now).await?;
        let hash = admitted.account.as_ref().map(|account| account.password.clone());
        let right = self.passwords.verify(password, hash).await?;

        let Some(account) = admitted.account.clone().filter(|_| right) else { return Ok(None) };
        if account.is_active() {
            self.guard.welcome(admitted, &account, request, now).await;
        }
        Ok(Some(account))
    }

    /// The cookie by which the browser is known to have signed in to the account, beside what the one before it says. It
    /// lasts for [`KNOWN_BROWSER_TTL`](crate::model::KNOWN_BROWSER_TTL), and keeps an allowance of attempts that strangers cannot use up.
    pub fn remember_browser(&self, authenticated: &Authenticated, before: &str) -> Result<Secret, Error> {
        self.guard.remember_browser(before, authenticated.account.id, self.clock.now())
    }

    /// An access token on the operator's word, of the given length. Nothing revokes it.
    pub async fn issue_token(&self, email: &Email, lasts: Option<TimeDelta>) -> Result<Secret, Error> {
        let account = self.accounts.account_by_email(email).await?.ok_or(Error::NotFound(ResourceKind::Account))?;
        if !account.is_active() {
            return Err(Error::account_disabled());
        }
        let issued_at = to_the_second(self.clock.now());
        self.tokens.issue(&AccessClaims {
            subject: account.id,
            audience: Audience::Service,
            scopes: ScopeSet::first_party(),
            issued_at,
            expires_at: issued_at + lasts.unwrap_or(ACCESS_TTL),
            id: self.ids.next(),
            family: None,
        })
    }

    /// Whether there is such an account: its DID says no more.
    pub async fn exists(&self, id: AccountId) -> Result<(), Error> {
        self.accounts.account(id).await?.ok_or(Error::NotFound(ResourceKind::Account))?;
        Ok(())
    }

    /// The caller's own account, and which scopes say how much of it is shown.
    pub async fn whoami(&self, caller: &Caller) -> Result<(Account, ScopeSet), Error> {
        takes(Operation::UserInfo, &caller.identity)?;
        let (id, scopes) = match &caller.identity {
            Identity::User(bearer) => (bearer.user.account_id, bearer.scopes.clone()),
            _ => (account_of(caller)?, ScopeSet::first_party()),
        };
        let account = self.accounts.account(id).await?.ok_or(AuthenticationError::UnknownAccount)?;
        Ok((account, scopes))
    }
}

/// The second that the moment is in: the precision of tokens.
pub(super) fn to_the_second(time: Time) -> Time {
    time.duration_trunc(TimeDelta::seconds(1)).unwrap_or(time)
}

/// The account that calls, signed in; keys and tokens of all other kinds are refused.
pub(super) fn account_of(caller: &Caller) -> Result<AccountId, Error> {
    match &caller.identity {
        Identity::Account(id) => Ok(*id),
        Identity::Token(_) => Err(Forbidden::PersonalTokenRefused.into()),
        Identity::Key(_) => Err(Forbidden::KeyRefused.into()),
        Identity::User(_) => Err(AuthenticationError::TokenOfProject.into()),
    }
}
