//! Signing in at an identity provider (OpenID Connect IdentityCore §3.1, RFC 9700).

use crate::identity::account::held::{Choices, Confirmer, Held};
use crate::identity::session::sign_in_guard::SignInGuard;
use crate::identity::{
    AuthenticationMethod, AuthenticationProof, Email, FirstOperator, IdentityCore, IdentityProvider, ProviderError,
    ProviderIdentity, ProviderRequest, ProviderResponse, SecondFactorSignIn, SignInOutcome, SignInProgress, SignedIn,
};
use crate::kernel::error::{AuthenticationError, Error, ResourceKind};
use crate::kernel::policy::{AccountStanding, LastSignIn, LimitedAction, Operation, UnmetCondition};
use crate::kernel::{IdentityProviderId, OpaqueKind, ProjectId, Request, Secret, is_control, use_cases};

use super::failed_sign_ins::record;
use super::identity_account::{IdentityAccount, IdentityAccounts};
use super::linking::link;
use super::required::required_provider;
use super::state::{ProvenIdentity, ProviderSignInState, UnlinkedIdentity};
use super::{redirect_uri, secret_purpose};

/// How a sign-in at a provider begins.
#[derive(Default)]
pub struct ProviderSignInStart<'a> {
    /// Why the person signs in, as a query. It comes back with [`ProviderSignInState`].
    pub query: &'a str,
    /// The project that the person signs in to.
    pub project: Option<ProjectId>,
    /// Who probably signs in.
    pub login_hint: Option<&'a str>,
    /// Whether the provider must ask the person to authenticate, even if they are signed in there.
    pub must_authenticate: bool,
    /// The person who links an identity to their account; `None` to sign in.
    pub link_to: Option<&'a SignedIn>,
}

/// The parameters with which a provider sends the browser back.
#[derive(Default)]
pub struct ProviderCallback<'a> {
    /// The authorization code.
    pub code: Option<&'a str>,
    /// The issuer (RFC 9207).
    pub issuer: Option<&'a str>,
    /// The error code, if the provider refused.
    pub error: Option<&'a str>,
}

/// What follows a sign-in at a provider.
pub enum ProviderOutcome {
    /// The identity belongs to an account.
    SignedIn(Box<SignInProgress>),
    /// An account has the address of the identity. The person has to sign in to it first: then the identity is linked. Holds
    /// the cookie that says so.
    SignInFirst(Secret),
    /// The identity proves the address of an account, and the person has to choose first what the account keeps. Holds the
    /// cookie with the identity.
    Undecided(Secret),
    /// The identity was linked to the account of the person who is signed in.
    Linked,
}

use_cases! {
    /// Use cases of signing in at a provider.
    pub struct ProviderSignIns {
        core: IdentityCore, first_operator: FirstOperator, guard: SignInGuard, second_factor: SecondFactorSignIn,
        accounts: IdentityAccounts,
    }
}

impl ProviderSignIns {
    /// Returns the providers that a sign-in page offers: those of the service, and those of the project that the person signs
    /// in to.
    pub async fn offered(&self, project: Option<ProjectId>) -> Result<Vec<IdentityProvider>, Error> {
        let mut providers = self.core.ports.identity_providers.identity_providers(None).await?;
        if let Some(project) = project {
            providers.extend(self.core.ports.identity_providers.identity_providers(Some(project)).await?);
        }
        providers.retain(|provider| provider.is_enabled);
        Ok(providers)
    }

    /// Returns the provider at which people with this address have to sign in, except operators. They get the same answer, so
    /// that nobody learns who they are.
    pub async fn required_for(&self, email: &Email) -> Result<Option<IdentityProvider>, Error> {
        required_provider(&self.core, email).await
    }

    /// Begins a sign-in in this browser. Returns the URL of the provider.
    pub async fn begin(
        &self,
        request: &Request,
        browser: &Secret,
        id: IdentityProviderId,
        start: ProviderSignInStart<'_>,
    ) -> Result<String, Error> {
        self.first_operator.require_claimed().await?;
        let now = self.core.now();
        if let Some(signed_in) = start.link_to {
            signed_in.confirm(Operation::IdentityLink, None, now)?;
        }
        self.core.action_limiter.take_from(LimitedAction::ProviderFrom, request, now).await?;
        let provider = self.usable(id).await?;
        if provider.project_id.is_some() && provider.project_id != start.project {
            return Err(not_found());
        }
        let state = ProviderSignInState {
            provider: id,
            at: now,
            link_to: start.link_to.map(|signed_in| signed_in.account.id),
            must_authenticate: start.must_authenticate,
            nonce: self.random(),
            code_verifier: self.random(),
            query: start.query.to_owned(),
        };
        let authentication = ProviderRequest {
            redirect_uri: redirect_uri(&self.core, id),
            state: state.encrypt(&self.core, browser)?,
            nonce: state.nonce.clone(),
            code_challenge: self.core.system.vault.sha256(state.code_verifier.expose()),
            login_hint: start.login_hint.map(str::to_owned),
            must_authenticate: start.must_authenticate,
        };
        match self.core.ports.provider_client.authorization_url(&provider, &authentication).await {
            Ok(url) => Ok(url),
            Err(error) => Err(self.failed(request, &provider, &error).await),
        }
    }

    /// Returns the sign-in to which the response of a provider belongs. `None` if it did not begin in this browser, or at
    /// another provider (RFC 9700 §4.4), or too long ago.
    pub fn resume(&self, browser: &Secret, id: IdentityProviderId, state: &str) -> Option<ProviderSignInState> {
        ProviderSignInState::decrypt(&self.core, browser, state).filter(|state| state.provider == id)
    }

    /// Finishes a sign-in with the response of the provider.
    pub async fn finish(
        &self,
        request: &Request,
        browser: &Secret,
        state: &ProviderSignInState,
        callback: &ProviderCallback<'_>,
        signed_in: Option<&SignedIn>,
    ) -> Result<ProviderOutcome, Error> {
        let result = async {
            let provider = self.usable(state.provider).await?;
            // Counted also if it fails: a state can be sent any number of times.
            self.core.action_limiter.take_from(LimitedAction::ProviderFrom, request, self.core.now()).await?;
            let identity = self.identity(request, &provider, state, callback).await?;
            match state.link_to {
                Some(account) => {
                    let is_same = |signed_in: &&SignedIn| signed_in.account.id == account && signed_in.is_unlimited();
                    let outdated = AuthenticationError::OutdatedProviderSignIn;
                    let holder = signed_in.filter(is_same).ok_or(outdated)?;
                    self.check_may_link(holder.standing())?;
                    link(&self.core, request, &holder.account, &provider, &identity.subject, identity.email).await?;
                    Ok(ProviderOutcome::Linked)
                }
                None => {
                    let confirmer = Confirmer { signed_in, choices: &Choices::default() };
                    self.sign_in(request, browser, &provider, identity, state.must_authenticate, confirmer).await
                }
            }
        };
        let result = result.await;
        self.count(request, &result).await;
        result
    }

    /// Returns about what the person has to choose whose identity waits for that in this browser. `None` if no identity waits.
    pub async fn held(&self, browser: &Secret, cookie: &str) -> Result<Option<Held>, Error> {
        let Some(waiting) = ProvenIdentity::decrypt(&self.core, browser, cookie) else { return Ok(None) };
        self.accounts.held(&waiting.identity.email).await.map(Some)
    }

    /// Finishes the sign-in of an identity that waited for these choices. It waits on if one is missing.
    pub async fn decide(
        &self,
        request: &Request,
        browser: &Secret,
        cookie: &str,
        confirmer: Confirmer<'_>,
    ) -> Result<ProviderOutcome, Error> {
        let result = async {
            let waiting = ProvenIdentity::decrypt(&self.core, browser, cookie);
            let waiting = waiting.ok_or(AuthenticationError::OutdatedProviderSignIn)?;
            let provider = self.usable(waiting.identity.provider).await?;
            self.core.action_limiter.take_from(LimitedAction::ProviderFrom, request, self.core.now()).await?;
            let identity = ProviderIdentity {
                subject: waiting.identity.subject,
                email: Some(waiting.identity.email),
                email_verified: waiting.email_verified,
                name: None,
            };
            self.sign_in(request, browser, &provider, identity, waiting.must_authenticate, confirmer).await
        };
        let result = result.await;
        self.count(request, &result).await;
        result
    }

    async fn count(&self, request: &Request, result: &Result<ProviderOutcome, Error>) {
        let counted = match result {
            Ok(ProviderOutcome::SignInFirst(_) | ProviderOutcome::Undecided(_) | ProviderOutcome::Linked) => None,
            Ok(ProviderOutcome::SignedIn(progress)) if matches!(**progress, SignInProgress::NeedsSecondFactor(_)) => {
                Some(SignInOutcome::SecondFactor)
            }
            result => SignInOutcome::of(result, SignInOutcome::WrongIdentity),
        };
        self.core.sign_ins.count(counted);
        // Only one of its two steps counts, so that many people can sign in from one office.
        if result.is_ok() {
            self.core.action_limiter.refund_from(LimitedAction::ProviderFrom, request).await;
        }
    }

    async fn identity(
        &self,
        request: &Request,
        provider: &IdentityProvider,
        state: &ProviderSignInState,
        callback: &ProviderCallback<'_>,
    ) -> Result<ProviderIdentity, Error> {
        let code = match (callback.error, callback.code) {
            (None, Some(code)) => Secret::new(code.to_owned()),
            (Some("access_denied" | "login_required" | "user_cancelled_authorize"), _) => {
                return Err(AuthenticationError::ProviderDenied.into());
            }
            (error, _) => return Err(self.failed(request, provider, &returned(error)).await),
        };
        let secret = match &provider.client_secret {
            Some(encrypted) => {
                let plain = self.core.system.encrypter.decrypt(&secret_purpose(provider.id), encrypted)?;
                Some(Secret::new(String::from_utf8_lossy(&plain).into_owned()))
            }
            None => None,
        };
        let response = ProviderResponse {
            code,
            issuer: callback.issuer.map(str::to_owned),
            redirect_uri: redirect_uri(&self.core, provider.id),
            nonce: state.nonce.clone(),
            code_verifier: state.code_verifier.clone(),
            authenticated_after: state.must_authenticate.then_some(state.at),
            received_at: self.core.now(),
        };
        match self.core.ports.provider_client.identity(provider, secret.as_ref(), &response).await {
            Ok(identity) => Ok(identity),
            Err(error) => Err(self.failed(request, provider, &error).await),
        }
    }

    /// Records why a provider failed. The person learns only that it did.
    async fn failed(&self, request: &Request, provider: &IdentityProvider, error: &ProviderError) -> Error {
        record(&self.core, request, provider, error).await;
        AuthenticationError::ProviderFailed.into()
    }

    /// Signs in to the account of an identity, or lets the identity wait until the person has proven the account.
    async fn sign_in(
        &self,
        request: &Request,
        browser: &Secret,
        provider: &IdentityProvider,
        identity: ProviderIdentity,
        must_authenticate: bool,
        confirmer: Confirmer<'_>,
    ) -> Result<ProviderOutcome, Error> {
        let found = self.accounts.find(request, provider, &identity, confirmer).await;
        if let Err(Error::Unauthenticated(AuthenticationError::IdentityWithoutEmail)) = &found {
            let problem = "is missing, or is not a valid email address".to_owned();
            record(&self.core, request, provider, &ProviderError::Claim { name: "email", problem }).await;
        }
        let (at, email_verified) = (self.core.now(), identity.email_verified);
        let waiting = |email| UnlinkedIdentity { provider: provider.id, email, subject: identity.subject, at };
        let account = match found? {
            IdentityAccount::Proven(account) => *account,
            IdentityAccount::Unproven(email) => {
                return Ok(ProviderOutcome::SignInFirst(waiting(email).encrypt(&self.core, browser)?));
            }
            IdentityAccount::Undecided(email) => {
                let proven = ProvenIdentity { identity: waiting(email), must_authenticate, email_verified };
                return Ok(ProviderOutcome::Undecided(proven.encrypt(&self.core, browser)?));
            }
        };
        let method = match must_authenticate {
            true => AuthenticationMethod::IdentityProviderAgain,
            false => AuthenticationMethod::IdentityProvider,
        };
        let progress = self.second_factor.progress(account, method, Some(provider.into())).await?;
        if let SignInProgress::Complete(authenticated) = &progress
            && provider.project_id.is_none()
        {
            self.guard.record_network(&authenticated.account, request, self.core.now()).await;
        }
        Ok(ProviderOutcome::SignedIn(Box::new(progress)))
    }

    /// Links the identity that waited until the person signed in to the account with its address. Returns whether it was
    /// linked. `browser`: the token that the browser had before it signed in. A sign-in that counts for a project only proves
    /// nothing.
    pub async fn link_waiting(
        &self,
        request: &Request,
        browser: &Secret,
        cookie: &str,
        authenticated: &AuthenticationProof,
    ) -> Result<bool, Error> {
        let Some(waiting) = self.waiting(browser, cookie) else { return Ok(false) };
        let account = &authenticated.account;
        if waiting.email != account.email || authenticated.limited_to().is_some() {
            return Ok(false);
        }
        let provider = match self.usable(waiting.provider).await {
            Err(Error::NotFound(ResourceKind::IdentityProvider)) => return Ok(false),
            provider => provider?,
        };
        // An invite may have confirmed the address since.
        let Some(account) = self.core.ports.accounts.account(account.id).await? else { return Ok(false) };
        let sign_in = LastSignIn::new(authenticated.at, &authenticated.methods, false);
        if self.check_may_link(AccountStanding::of(&account, sign_in.missing_factor())).is_err() {
            return Ok(false);
        }
        match link(&self.core, request, &account, &provider, &waiting.subject, Some(waiting.email)).await {
            Ok(()) => Ok(true),
            Err(Error::Unauthenticated(refused)) if refused.is_of_provider() => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Refuses an account that does not meet the conditions of linking an identity.
    fn check_may_link(&self, standing: AccountStanding) -> Result<(), UnmetCondition> {
        self.core.authentication.rules().check(Operation::IdentityLink.rule().conditions, standing, self.core.now())
    }

    /// Returns the identity that waits for the person to sign in to its account.
    pub fn waiting(&self, browser: &Secret, cookie: &str) -> Option<UnlinkedIdentity> {
        UnlinkedIdentity::decrypt(&self.core, browser, cookie)
    }

    /// Returns a provider at which people can sign in.
    pub async fn usable(&self, id: IdentityProviderId) -> Result<IdentityProvider, Error> {
        let found = self.core.ports.identity_providers.identity_provider(id).await?;
        found.filter(|provider| provider.is_enabled).ok_or_else(not_found)
    }

    fn random(&self) -> Secret {
        self.core.new_secret(OpaqueKind::EmailLink)
    }
}

fn not_found() -> Error {
    Error::NotFound(ResourceKind::IdentityProvider)
}

/// Returns the error of a provider that returned an error code instead of a code (RFC 6749 §4.1.2.1), or neither.
fn returned(error: Option<&str>) -> ProviderError {
    /// Longer than all that are known.
    const MAX_CHARS: usize = 100;
    let code: String = error.unwrap_or("no code").chars().filter(|c| !is_control(*c)).take(MAX_CHARS).collect();
    ProviderError::Invalid(format!("it returned {code}"))
}
