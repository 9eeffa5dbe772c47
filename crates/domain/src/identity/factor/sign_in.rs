//! The second factor of a sign-in: a one-time code or a recovery code, after the password or a link.

use chrono::DateTime;

use crate::identity::account::notices::{notify, warn_owner};
use crate::identity::session::authentication_proof::{
    AuthenticationProof, PendingSignIn, SignInProgress, UsedProvider,
};
use crate::identity::session::sign_in_guard::SignInGuard;
use crate::identity::{
    Account, AccountChange, AuthenticationMethod, AuthenticationMethods, IdentityCore, PENDING_SIGN_IN_TTL,
    SecondFactorCode, SignInOutcome, accepted_steps, key_purpose,
};
use crate::kernel::changes::Changes;
use crate::kernel::error::{AuthenticationError, Error};
use crate::kernel::policy::{LimitedAction, Operation, Permit};
use crate::kernel::{
    AccountId, IdentityProviderId, ProjectId, Request, RetryError, Secret, Time, TokenDigest, retry_stale, use_cases,
};

/// Encryption purpose of the cookie.
const PURPOSE: &str = "pending-sign-in";

/// What the cookie says about a sign-in.
struct StoredSignIn {
    id: AccountId,
    password_set_at: Time,
    at: Time,
    method: AuthenticationMethod,
    provider: Option<UsedProvider>,
}

use_cases! {
    /// Use cases of the second factor of a sign-in.
    pub struct SecondFactorSignIn { core: IdentityCore, guard: SignInGuard }
}

impl SecondFactorSignIn {
    /// Returns how far a sign-in is after its first factor.
    pub(crate) async fn after(&self, account: Account, method: AuthenticationMethod) -> Result<SignInProgress, Error> {
        self.progress(account, method, None).await
    }

    /// The same, after a sign-in that may have been at an identity provider.
    pub(crate) async fn progress(
        &self,
        account: Account,
        method: AuthenticationMethod,
        provider: Option<UsedProvider>,
    ) -> Result<SignInProgress, Error> {
        let at = self.core.now();
        let factors = self.core.ports.second_factors.second_factors(account.id).await?;
        Ok(if factors.are_required() {
            SignInProgress::NeedsSecondFactor(PendingSignIn { account, method, at, provider })
        } else {
            SignInProgress::Complete(AuthenticationProof { account, methods: method.into(), at, provider })
        })
    }

    /// Returns a cookie with which this browser continues the sign-in on the page that asks for the second factor. It is
    /// encrypted with the server secret, so that nothing is stored and nobody else can create one.
    pub fn to_cookie(&self, pending: &PendingSignIn, browser: &Secret) -> Result<Secret, Error> {
        let text = format!(
            "{} {} {} {} {} {} {}",
            pending.account.id,
            pending.at.timestamp_micros(),
            pending.account.password_set_at.timestamp_micros(),
            pending.method.as_str(),
            pending.provider.map_or_else(|| "-".to_owned(), |provider| provider.id.to_string()),
            pending.limited_to().map_or_else(|| "-".to_owned(), |id| id.to_string()),
            self.binding(browser),
        );
        Ok(Secret::new(self.core.encrypt_for_browser(PURPOSE, text.as_bytes())?))
    }

    /// Returns the sign-in of a cookie. `None` if the cookie was not issued to this browser or has expired, or if the
    /// password was changed or the second factor removed since: then the person begins again.
    pub async fn from_cookie(&self, cookie: &str, browser: &Secret) -> Result<Option<PendingSignIn>, Error> {
        let Some(stored) = self.parse(cookie, browser) else { return Ok(None) };
        let StoredSignIn { id, password_set_at, at, method, provider } = stored;
        let is_same = |account: &Account| account.is_active() && account.password_set_at == password_set_at;
        let Some(account) = self.core.ports.accounts.account(id).await?.filter(is_same) else { return Ok(None) };
        let factors = self.core.ports.second_factors.second_factors(id).await?;
        Ok(factors.are_required().then_some(PendingSignIn { account, method, at, provider }))
    }

    fn parse(&self, cookie: &str, browser: &Secret) -> Option<StoredSignIn> {
        let bytes = self.core.decrypt_from_browser(PURPOSE, cookie)?;
        let text = std::str::from_utf8(&bytes).ok()?;
        let mut parts = text.splitn(7, ' ');
        let id = AccountId::parse(parts.next()?)?;
        let at = DateTime::from_timestamp_micros(parts.next()?.parse().ok()?)?;
        let password_set_at = DateTime::from_timestamp_micros(parts.next()?.parse().ok()?)?;
        let method = AuthenticationMethod::parse(parts.next()?)?;
        let (provider, project_id) = (IdentityProviderId::parse(parts.next()?), ProjectId::parse(parts.next()?));
        let provider = provider.map(|id| UsedProvider { id, project_id });
        let is_valid = parts.next()? == self.binding(browser) && self.core.now() < at + PENDING_SIGN_IN_TTL;
        is_valid.then_some(StoredSignIn { id, password_set_at, at, method, provider })
    }

    fn binding(&self, browser: &Secret) -> String {
        self.core.system.vault.sha256(&format!("pending sign-in {}", browser.expose()))
    }

    /// Completes a sign-in with a one-time code or a recovery code. Each code is accepted once, by all replicas together.
    /// Attempts are counted by account, and those of a browser that used a code before by browser. `known_browser` is the
    /// cookie that says so. A text that cannot be a code is not an attempt.
    pub async fn complete(
        &self,
        request: &Request,
        pending: PendingSignIn,
        code: &str,
        known_browser: &str,
    ) -> Result<AuthenticationProof, Error> {
        let result = self.check(request, &pending, code, known_browser).await;
        self.core.sign_ins.count(SignInOutcome::of(&result, SignInOutcome::WrongCode));
        let methods = AuthenticationMethods::from(pending.method).and(result?);
        Ok(AuthenticationProof { account: pending.account, methods, at: pending.at, provider: pending.provider })
    }

    /// Completes a sign-in that requires nothing else, or has a code for the second factor. Without one, it fails with
    /// [`AuthenticationError::SecondFactorRequired`].
    pub(crate) async fn complete_with(
        &self,
        request: &Request,
        progress: SignInProgress,
        code: Option<&str>,
        known_browser: &str,
    ) -> Result<AuthenticationProof, Error> {
        match (progress, code) {
            (SignInProgress::Complete(authenticated), _) => Ok(authenticated),
            (SignInProgress::NeedsSecondFactor(pending), Some(code)) => {
                self.complete(request, pending, code, known_browser).await
            }
            (SignInProgress::NeedsSecondFactor(_), None) => Err(AuthenticationError::SecondFactorRequired.into()),
        }
    }

    async fn check(
        &self,
        request: &Request,
        pending: &PendingSignIn,
        code: &str,
        known_browser: &str,
    ) -> Result<AuthenticationMethod, Error> {
        let code = SecondFactorCode::parse(code).ok_or(AuthenticationError::MistypedCode)?;
        let (account, now) = (&pending.account, self.core.now());
        let (action, subject) = match pending.limited_to() {
            // Otherwise a provider of a project could use up the attempts of the owner.
            Some(project) => (LimitedAction::SecondFactorOf, format!("{} {project}", account.id)),
            None => self.guard.limit_of_codes(account, known_browser, now),
        };
        let admitted = self.core.action_limiter.take(action, &subject, now).await;
        if action == LimitedAction::SecondFactorOf
            && pending.limited_to().is_none()
            && matches!(admitted, Err(Error::TooMany { .. }))
        {
            let reason = "Too many wrong codes were entered after the correct password.";
            let warning = (LimitedAction::SecondFactorWarningTo, reason, AccountChange::CodesRefused);
            warn_owner(&self.core, request, account, warning, now).await;
        }
        admitted?;
        let method = self.use_code(request, account, &code).await?;
        self.core.action_limiter.refund(action, &subject).await;
        if pending.limited_to().is_none() {
            self.guard.record_network(account, request, now).await;
        }
        Ok(method)
    }

    /// Uses a code up. Of several requests with the same code, the store accepts one, and the others find it used.
    async fn use_code(
        &self,
        request: &Request,
        account: &Account,
        code: &SecondFactorCode,
    ) -> Result<AuthenticationMethod, Error> {
        let wrong = || Error::from(AuthenticationError::WrongCode);
        let left = retry_stale(async || {
            let factors = self.core.ports.second_factors.second_factors(account.id).await?;
            let now = self.core.now();
            let permit = Permit::authenticated(Operation::SecondFactorVerify, account.id, request.clone())?;
            let changes = Changes::by(permit, now);
            let (changes, left) = match code {
                SecondFactorCode::OneTime(code) => {
                    let app = factors.app.ok_or_else(wrong)?;
                    let key = self.core.system.encrypter.decrypt(&key_purpose(account.id), &app.key)?;
                    let is_code = |step: i64| self.core.ports.one_time_codes.is_code_of(&key, step, code.expose());
                    let mut unused = accepted_steps(now).filter_map(|step| app.used(step, now));
                    let used = unused.find(|used| is_code(used.last_step)).ok_or_else(wrong)?;
                    (changes.replace(app, used), None)
                }
                SecondFactorCode::Recovery(code) => {
                    let codes = factors.recovery_codes.filter(|_| factors.app.is_some()).ok_or_else(wrong)?;
                    let used = codes.without(&recovery_digest(&self.core, account.id, code)).ok_or_else(wrong)?;
                    let left = used.digests.len();
                    (changes.replace(codes, used), Some(left))
                }
            };
            self.core.commit(changes).await?;
            Ok::<_, RetryError>(left)
        })
        .await?;
        let Some(left) = left else { return Ok(AuthenticationMethod::OneTimeCode) };
        notify(&self.core, account, AccountChange::CodeUsed(left));
        Ok(AuthenticationMethod::RecoveryCode)
    }
}

/// Returns the digest to store for a recovery code of an account.
pub(crate) fn recovery_digest(core: &IdentityCore, account: AccountId, code: &Secret) -> TokenDigest {
    TokenDigest(core.system.vault.sha256(&format!("recovery code {account} {}", code.expose())))
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use chrono::TimeDelta;

    use super::*;
    use crate::identity::{AuthenticatorApp, RecoveryCodes, SecondFactors};
    use crate::kernel::changes::{Entity, Write};
    use crate::kernel::error::ResourceKind;
    use crate::kernel::{CommitError, Committed, Encrypter as _, Revision};
    use crate::mocks::{
        FixedClock, MockOneTimeCodes, MockStore, MockTokenVault, PurposeEncrypter, a_request, an_account, id_of,
        instant, mock_identity, mock_system_ports,
    };
    use crate::{Ports, SystemPorts};

    type Stored = Arc<Mutex<SecondFactors>>;

    fn step() -> i64 {
        *accepted_steps(instant()).start() + 1
    }

    /// In these tests, the code of a step is its number, and the digest of a text is the text.
    fn code(step: i64) -> String {
        format!("{:06}", step % 1_000_000)
    }

    /// Ann's app, whose last code was of an earlier step, and one recovery code.
    fn factors() -> SecondFactors {
        let account_id = an_account("ann").id;
        let app = AuthenticatorApp {
            id: id_of("app").into(),
            account_id,
            key: PurposeEncrypter.encrypt(&key_purpose(account_id), b"key").unwrap(),
            last_step: step() - 9,
            created_at: instant(),
            last_used: instant(),
            revision: Revision::FIRST,
        };
        let recovery_codes = RecoveryCodes {
            id: id_of("codes").into(),
            account_id,
            digests: vec![TokenDigest(format!("recovery code {account_id} gaytemzugu3doobz"))],
            created_at: instant(),
            revision: Revision::FIRST,
        };
        SecondFactors { app: Some(app), recovery_codes: Some(recovery_codes) }
    }

    /// The use cases over these factors, at `now`. `before_commit` is what another request does before the first commit.
    fn use_cases(stored: &Stored, now: Time, mut before_commit: Option<fn(&mut SecondFactors)>) -> SecondFactorSignIn {
        let mut store = MockStore::default();
        let read = stored.clone();
        store.second_factors.expect_second_factors().returning(move |_| Ok(read.lock().unwrap().clone()));
        store.accounts.expect_account().returning(|_| Ok(Some(an_account("ann"))));
        let written = stored.clone();
        store.unit_of_work.expect_commit().returning(move |changes| {
            let mut stored = written.lock().unwrap();
            if let Some(change) = before_commit.take() {
                change(&mut stored);
                return Err(CommitError::Stale(ResourceKind::AuthenticatorApp));
            }
            for write in changes.writes() {
                match write {
                    Write::Replace(Entity::AuthenticatorApp(app)) => stored.app = Some(app.clone()),
                    Write::Replace(Entity::RecoveryCodes(codes)) => stored.recovery_codes = Some(codes.clone()),
                    other => panic!("{other:?}"),
                }
            }
            Ok(Committed::default())
        });
        let mut vault = MockTokenVault::new();
        vault.expect_sha256().returning(str::to_owned);
        let mut codes = MockOneTimeCodes::new();
        codes.expect_is_code_of().returning(|key, step, text| key == b"key" && text == code(step));
        let system = SystemPorts {
            clock: Arc::new(FixedClock(now)),
            vault: Arc::new(vault),
            one_time_codes: Arc::new(codes),
            ..mock_system_ports()
        };
        SecondFactorSignIn::new(&mock_identity(Ports { system, ..store.into() }))
    }

    fn pending() -> PendingSignIn {
        PendingSignIn {
            account: an_account("ann"),
            method: AuthenticationMethod::Password,
            at: instant(),
            provider: None,
        }
    }

    async fn complete(use_cases: &SecondFactorSignIn, code: &str) -> Option<String> {
        match use_cases.complete(&a_request(), pending(), code, "").await {
            Ok(authenticated) => Some(authenticated.methods.to_string()),
            Err(Error::Unauthenticated(AuthenticationError::WrongCode)) => None,
            Err(error) => panic!("{error}"),
        }
    }

    #[tokio::test]
    async fn each_code_completes_one_sign_in() {
        let stored = Arc::new(Mutex::new(factors()));
        let use_cases = use_cases(&stored, instant(), None);
        assert_eq!(complete(&use_cases, &code(step() - 2)).await, None);
        assert_eq!(complete(&use_cases, &code(step() + 2)).await, None);
        assert_eq!(complete(&use_cases, &code(step())).await.as_deref(), Some("password one_time_code"));
        assert_eq!(complete(&use_cases, &code(step())).await, None);
        assert_eq!(complete(&use_cases, &code(step() - 1)).await, None, "A code of an earlier step is not accepted.");
        assert_eq!(complete(&use_cases, &code(step() + 1)).await.as_deref(), Some("password one_time_code"));
        let recovery = "GAYT-EMZU-GU3D-OOBZ";
        assert_eq!(complete(&use_cases, recovery).await.as_deref(), Some("password recovery_code"));
        assert_eq!(complete(&use_cases, recovery).await, None);
    }

    #[tokio::test]
    async fn a_text_that_cannot_be_a_code_is_not_an_attempt() {
        let use_cases = use_cases(&Arc::new(Mutex::new(factors())), instant(), None);
        for text in ["", "12345", "1234567", "12345x", "gayt-emzu-gu3d-00bz"] {
            let refused = use_cases.complete(&a_request(), pending(), text, "").await;
            let is_mistyped = matches!(refused, Err(Error::Unauthenticated(AuthenticationError::MistypedCode)));
            assert!(is_mistyped, "{text}");
        }
        assert!(use_cases.core.sign_ins.outcomes().all(|(_, count)| count == 0));
    }

    #[tokio::test]
    async fn a_code_that_another_request_uses_first_is_refused() {
        let stored = Arc::new(Mutex::new(factors()));
        let others_use: fn(&mut SecondFactors) = |stored| {
            stored.app = stored.app.as_ref().and_then(|app| app.used(step(), instant()));
        };
        assert_eq!(complete(&use_cases(&stored, instant(), Some(others_use)), &code(step())).await, None);
        let others_use: fn(&mut SecondFactors) = |stored| {
            stored.recovery_codes =
                stored.recovery_codes.clone().map(|codes| RecoveryCodes { digests: vec![], ..codes });
        };
        assert_eq!(complete(&use_cases(&stored, instant(), Some(others_use)), "gaytemzugu3doobz").await, None);
    }

    #[tokio::test]
    async fn a_recovery_code_without_a_factor_to_recover_is_refused() {
        let stored = Arc::new(Mutex::new(SecondFactors { app: None, ..factors() }));
        assert_eq!(complete(&use_cases(&stored, instant(), None), "gaytemzugu3doobz").await, None);
    }

    #[tokio::test]
    async fn a_sign_in_is_as_old_as_its_first_factor() {
        let now = instant() + TimeDelta::minutes(9);
        let use_cases = use_cases(&Arc::new(Mutex::new(factors())), now, None);
        let code = code(*accepted_steps(now).start());
        let authenticated = use_cases.complete(&a_request(), pending(), &code, "").await.unwrap();
        assert_eq!(authenticated.at, instant());
    }

    #[tokio::test]
    async fn a_pending_sign_in_lasts_ten_minutes_in_its_browser() {
        let stored = Arc::new(Mutex::new(factors()));
        let (browser, other) = (Secret::new("one".to_owned()), Secret::new("other".to_owned()));
        let cookie = use_cases(&stored, instant(), None).to_cookie(&pending(), &browser).unwrap();
        let found = async |now: Time, browser: &Secret, cookie: &str| {
            use_cases(&stored, now, None).from_cookie(cookie, browser).await.unwrap().is_some()
        };
        let last = instant() + PENDING_SIGN_IN_TTL - TimeDelta::microseconds(1);
        assert!(found(last, &browser, cookie.expose()).await);
        assert!(!found(instant() + PENDING_SIGN_IN_TTL, &browser, cookie.expose()).await);
        assert!(!found(instant(), &other, cookie.expose()).await);
        let changed = Account { password_set_at: instant() - TimeDelta::days(1), ..an_account("ann") };
        let changed = PendingSignIn { account: changed, ..pending() };
        let changed = use_cases(&stored, instant(), None).to_cookie(&changed, &browser).unwrap();
        assert!(!found(instant(), &browser, changed.expose()).await, "A new password ends it.");
        let without = Arc::new(Mutex::new(SecondFactors { app: None, ..factors() }));
        let removed = use_cases(&without, instant(), None).from_cookie(cookie.expose(), &browser).await.unwrap();
        assert!(removed.is_none(), "Without a second factor, there is nothing to wait for.");
        for forged in ["", "00", "zz", &"0".repeat(2_000)] {
            assert!(!found(instant(), &browser, forged).await, "{forged}");
        }
    }
}
