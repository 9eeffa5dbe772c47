//! Accounts: signing up, signing in, and reading the caller's own account.

pub(crate) mod administration;
pub(crate) mod administrator;
pub(crate) mod deletion;
pub(crate) mod deletion_progress;
pub(super) mod entity;
pub(crate) mod export;
pub(crate) mod first_confirmation;
pub(crate) mod first_operator;
pub(crate) mod held;
pub(super) mod login;
pub(super) mod notices;
pub(crate) mod own_account;
pub(crate) mod port;
pub(super) mod sign_up_policy;
pub(crate) mod strangers;

use chrono::TimeDelta;

use crate::administration::member::people::taken;
use crate::administration::{InviteProofs, People, Recipient};
use crate::identity::account::notices::announce;
use crate::identity::email::deliverable::check_deliverable;
use crate::identity::provider::required::check_provider;
use crate::identity::session::sign_in_guard::SignInGuard;
use crate::identity::{
    ACCESS_TTL, AccessClaims, Account, AccountChange, Audience, AuthenticationMethod, AuthenticationProof, Email,
    EmailLinks, FirstOperator, IdentityCore, LinkPurpose, Login, Password, PersonalWords, ScopeSet, SecondFactorSignIn,
    SignInOutcome, SignInProgress, SignUpMode, SignedIn, Subject, Username,
};
use crate::kernel::changes::Changes;
use crate::kernel::error::{AuthenticationError, Error, Forbidden, ResourceKind};
use crate::kernel::policy::{Conditions, LimitedAction, Operation, Permit, accepts};
use crate::kernel::{
    AccountId, Caller, Identity, IdentityProviderId, InviteId, Name, PageRequest, Request, Secret, Time, TokenDigest,
    account_of, to_the_second, use_cases,
};

/// Time after the sign-up in which sign-ins in other browsers are expected.
const FIRST_SIGN_INS: TimeDelta = TimeDelta::hours(1);

/// Values of a new account.
#[derive(Debug, Clone)]
#[expect(missing_docs, reason = "each field is named after its value")]
pub struct SignUp {
    pub email: Email,
    pub password: Password,
    pub name: Option<Name>,
    pub username: Option<Username>,
}

/// Why a person gets an account.
enum Basis {
    /// The sign-up policy allows it.
    Policy,
    /// The emailed link of an invite, with the digest of its proof.
    Invite(InviteId, TokenDigest),
    /// The link in the log of a new service.
    OperatorLink,
}

use_cases! {
    /// Use cases of accounts.
    pub struct Accounts {
        core: IdentityCore, links: EmailLinks, first_operator: FirstOperator, guard: SignInGuard,
        second_factor: SecondFactorSignIn, proofs: InviteProofs of administration,
        people: People of administration,
    }
}

impl Accounts {
    /// Creates an account if the service is claimed and the sign-up policy allows it. The email address is unverified,
    /// and a verification link is sent to it.
    pub async fn sign_up(&self, request: Request, command: SignUp) -> Result<AuthenticationProof, Error> {
        self.core.action_limiter.take_from(LimitedAction::SignUpFrom, &request, self.core.now()).await?;
        self.first_operator.require_claimed().await?;
        may_sign_up(&self.core, &command.email, None).await?;
        self.create(request, command, Basis::Policy).await
    }

    /// Creates an account with the emailed link of an invite. The address of the account is the invited one, which the
    /// link proves.
    pub async fn sign_up_as_invited(
        &self,
        request: Request,
        command: SignUp,
        (id, proof): (InviteId, &str),
    ) -> Result<AuthenticationProof, Error> {
        let now = self.core.now();
        self.core.action_limiter.take_from(LimitedAction::SignUpFrom, &request, now).await?;
        self.first_operator.require_claimed().await?;
        let (_, email, digest) = self.proofs.find(id, proof, now).await?;
        self.core.settings.sign_up.admits(&email, true)?;
        check_provider(&self.core, &email, None).await?;
        self.create(request, SignUp { email, ..command }, Basis::Invite(id, digest)).await
    }

    /// Creates the first account, as operator, with the token of a link of [`FirstOperator`]. The sign-up policy does
    /// not apply: only a person who can read the log of the service has the link.
    pub async fn sign_up_as_operator(
        &self,
        request: Request,
        command: SignUp,
        token: &str,
    ) -> Result<AuthenticationProof, Error> {
        self.core.action_limiter.take_from(LimitedAction::SignUpFrom, &request, self.core.now()).await?;
        self.first_operator.claim(token).await?;
        let created = self.create(request, command, Basis::OperatorLink).await;
        if created.is_err() {
            self.first_operator.release().await;
        }
        created
    }

    /// Creates an account for a person. Unless the address is proven, sends the verification link.
    async fn create(&self, request: Request, command: SignUp, basis: Basis) -> Result<AuthenticationProof, Error> {
        let id = AccountId::from(self.core.next_id());
        let permit = Permit::authenticated(Operation::SignUp, id, request.clone())?;
        let is_proven = matches!(basis, Basis::Invite(..));
        let account = self.account(id, command, is_proven).await?;
        let mut account = Account { language: request.language, ..account };

        let (language, now) = (request.language.unwrap_or_default(), account.created_at);
        let (link, email) = self.links.link(LinkPurpose::VerifyEmail, &account.email, None, language, now);
        let mut changes = Changes::by(permit, account.created_at).insert(account.clone());
        match basis {
            Basis::Policy => changes = changes.insert(link),
            Basis::Invite(invite, proof) => changes = changes.use_invite_proof(invite, proof),
            Basis::OperatorLink => {
                let is_operator = true;
                // A change of its own, so that the audit log records it like later ones.
                changes = changes.insert(link).replace(account.clone(), Account { is_operator, ..account.clone() });
                account = Account { is_operator, revision: account.revision.next(), ..account };
            }
        }
        self.core.commit(changes).await.map_err(taken)?;
        if !is_proven {
            self.core.ports.mailer.send(email);
        }
        self.guard.record_network(&account, &request, account.created_at).await;
        let (at, methods) = (account.created_at, AuthenticationMethod::Password.into());
        Ok(AuthenticationProof { account, methods, at, provider: None })
    }

    /// Returns the time from which the operator requires a second factor of the account; `None` if not.
    pub fn second_factor_due(&self, account: &Account) -> Option<Time> {
        self.core.settings.second_factor.due_for(account.is_operator)
    }

    /// Refuses a session whose account does not meet the conditions of a page. Credentials are refused when they are
    /// authenticated.
    pub fn check_conditions(&self, conditions: Conditions, signed_in: &SignedIn) -> Result<(), Error> {
        Ok(self.core.authentication.rules().check(conditions, signed_in.standing(), self.core.now())?)
    }

    /// Whether sign-up is open to anyone. If not, no page links to it.
    pub fn accepts_sign_ups(&self) -> bool {
        self.core.settings.sign_up.mode != SignUpMode::Closed
    }

    /// Creates an account for the operator, who confirms the email address.
    pub async fn provision(&self, request: Request, command: SignUp) -> Result<Account, Error> {
        let account = self.account(AccountId::from(self.core.next_id()), command, true).await?;

        self.people.add(request, account).await
    }

    async fn account(&self, id: AccountId, command: SignUp, email_verified: bool) -> Result<Account, Error> {
        check_deliverable(&*self.core.ports.mailer, &command.email).await?;
        let words = PersonalWords::new(&command.email, command.name.as_ref(), command.username.as_ref());
        let password = self.core.hash_new(command.password, words).await?;
        let now = self.core.now();
        let (username, name, password) = (command.username, command.name, Some(password));
        Ok(Account { email_verified, username, name, password, ..Account::new(id, command.email, now) })
    }

    /// Authenticates with a password. An unknown account takes as long as a wrong password and returns the same error.
    /// Both count as attempts, and above the rate limits no password is checked. `known_browser` is the cookie that
    /// [`Accounts::remember_browser`] returned for the browser; empty if it has none. For an account with a second factor,
    /// the sign-in is not complete then.
    pub async fn authenticate(
        &self,
        request: &Request,
        login: &Login,
        password: Secret,
        known_browser: &str,
    ) -> Result<SignInProgress, Error> {
        let result = self.check(request, login, password, known_browser).await;
        self.core.sign_ins.count(match &result {
            Ok((outcome, _)) => *outcome,
            Err(Error::TooMany { .. }) => SignInOutcome::Limited,
            Err(_) => SignInOutcome::Failed,
        });
        // A disabled account returns the same error for every password.
        let (_, progress) = result?;
        Ok(progress.ok_or(AuthenticationError::WrongPassword)?)
    }

    /// Authenticates as [`Accounts::authenticate`] does, and with a code if the account has a second factor. Without a
    /// code, it then fails with [`AuthenticationError::SecondFactorRequired`].
    pub async fn authenticate_fully(
        &self,
        request: &Request,
        login: &Login,
        password: Secret,
        code: Option<&str>,
        known_browser: &str,
    ) -> Result<AuthenticationProof, Error> {
        let progress = self.authenticate(request, login, password, known_browser).await?;
        self.second_factor.complete_with(request, progress, code, known_browser).await
    }

    /// Authenticates with a password for tokens outside of OAuth, unless the operator turned that off.
    pub async fn authenticate_for_tokens(
        &self,
        request: &Request,
        login: &Login,
        password: Secret,
    ) -> Result<AuthenticationProof, Error> {
        if !self.core.settings.password_tokens {
            return Err(Forbidden::NoPasswordTokens.into());
        }
        self.authenticate_fully(request, login, password, None, "").await
    }

    /// Checks the password. Returns how far the sign-in is if it is correct and the account is enabled.
    async fn check(
        &self,
        request: &Request,
        login: &Login,
        password: Secret,
        known_browser: &str,
    ) -> Result<(SignInOutcome, Option<SignInProgress>), Error> {
        let now = self.core.now();
        let admitted = self.guard.admit(request, login, known_browser, now).await?;
        let checked = self.core.check_password(request, admitted.account.clone(), password).await?;

        let Some(account) = checked else {
            return Ok((SignInOutcome::WrongPassword, None));
        };
        if !account.is_active() {
            return Ok((SignInOutcome::Disabled, None));
        }
        self.guard.refund(&admitted).await;
        let progress = self.second_factor.after(account, AuthenticationMethod::Password).await?;
        let outcome = match &progress {
            SignInProgress::Complete(authenticated) => {
                self.guard.record_network(&authenticated.account, request, now).await;
                SignInOutcome::Ok
            }
            SignInProgress::NeedsSecondFactor(_) => SignInOutcome::SecondFactor,
        };
        Ok((outcome, Some(progress)))
    }

    /// Returns a cookie that records that the browser has signed in to the account, in addition to the accounts in the
    /// previous cookie. It is valid for [`KNOWN_BROWSER_TTL`](crate::identity::KNOWN_BROWSER_TTL), and gives the
    /// browser its own limit of attempts, which others cannot use up.
    pub fn remember_browser(&self, authenticated: &AuthenticationProof, before: &str) -> Result<Secret, Error> {
        // Otherwise a provider of a project could make browsers of its own known.
        if authenticated.limited_to().is_some() {
            return Ok(Secret::new(before.to_owned()));
        }
        self.guard.browsers.write(before, authenticated, self.core.now())
    }

    /// Stores the language of the page with an account that has none yet.
    pub async fn remember_language(&self, request: &Request, account: &Account) {
        if let Some(language) = request.language.filter(|_| account.language.is_none()) {
            self.core.usage.record_language(account.id, language).await;
        }
    }

    /// Sends an email if the browser with this cookie has not signed in to the account before. Not in the first hour of the account,
    /// in which its holder signs in with all browsers, nor to an address that is not confirmed, which may be that of a stranger.
    pub async fn announce_browser(&self, request: &Request, authenticated: &AuthenticationProof, before: &str) {
        let (account, now) = (&authenticated.account, self.core.now());
        let is_expected = now - account.created_at < FIRST_SIGN_INS || !account.email_verified;
        // A browser that signs in at the provider of a project does not become known.
        if is_expected || authenticated.limited_to().is_some() || self.guard.knows(account, before, now) {
            return;
        }
        announce(&self.core, account, AccountChange::NewBrowser(request.address)).await;
    }

    /// Issues an access token for the operator, with the given lifetime or the default one. It cannot be revoked.
    pub async fn issue_token(&self, email: &Email, ttl: Option<TimeDelta>) -> Result<Secret, Error> {
        let account =
            self.core.ports.accounts.account_by_email(email).await?.ok_or(Error::NotFound(ResourceKind::Account))?;
        if !account.is_active() {
            return Err(Error::account_disabled());
        }
        let issued_at = to_the_second(self.core.now());
        self.core.ports.tokens.issue(&AccessClaims {
            subject: Subject::Account(account.id),
            client: None,
            audience: Audience::Service,
            scopes: ScopeSet::first_party(),
            issued_at,
            expires_at: issued_at + ttl.unwrap_or(ACCESS_TTL),
            id: self.core.next_id(),
            family: None,
            authentication: None,
            bound_to: None,
        })
    }

    /// Checks that the account exists. Its DID document contains nothing else.
    pub async fn exists(&self, id: AccountId) -> Result<(), Error> {
        self.core.ports.accounts.account(id).await?.ok_or(Error::NotFound(ResourceKind::Account))?;
        Ok(())
    }

    /// Returns the caller's own account, and the scopes that determine which fields are visible.
    pub async fn whoami(&self, caller: &Caller) -> Result<(Account, ScopeSet), Error> {
        accepts(Operation::UserInfo, &caller.identity)?;
        let (id, scopes) = match &caller.identity {
            Identity::User(bearer) => (bearer.user.account_id, bearer.scopes.clone()),
            _ => (account_of(caller)?, ScopeSet::first_party()),
        };
        let account = self.core.ports.accounts.account(id).await?.ok_or(AuthenticationError::UnknownAccount)?;
        Ok((account, scopes))
    }
}

/// Checks that the policy lets a person with this address sign up. `provider`: at which they signed in.
pub(crate) async fn may_sign_up(
    core: &IdentityCore,
    email: &Email,
    provider: Option<IdentityProviderId>,
) -> Result<(), Error> {
    let is_invited = match core.settings.sign_up.mode {
        SignUpMode::Invite => {
            let recipient = Recipient::Email(email.clone());
            let first = PageRequest { limit: Some(1), ..PageRequest::FIRST };
            let found = core.ports.invites.pending_invites_naming(&[recipient], core.now(), &first).await?;
            !found.items.is_empty()
        }
        SignUpMode::Open | SignUpMode::Closed => false,
    };
    core.settings.sign_up.admits(email, is_invited)?;
    check_provider(core, email, provider).await
}
