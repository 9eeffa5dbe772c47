//! Passkeys of accounts: setting them up, and signing in with them.

use chrono::{DateTime, TimeDelta};

use crate::identity::account::notices::{announce, warn_owner};
use crate::identity::factor::removal::{check_passkey_used, must_use_passkey, with_new_factor};
use crate::identity::session::sign_in_guard::SignInGuard;
use crate::identity::{
    Account, AccountChange, AuthenticationMethod, AuthenticationProof, Ceremony, IdentityCore, MAX_PASSKEYS, Passkey,
    PasskeyError, PendingSignIn, SignInOutcome, SignedIn,
};
use crate::kernel::changes::Changes;
use crate::kernel::error::{AuthenticationError, Error, ResourceKind};
use crate::kernel::policy::{LimitedAction, Operation, Permit};
use crate::kernel::{
    CommitError, Label, PasskeyId, Request, RetryError, Revision, Secret, Time, Unique, retry_stale, use_cases,
};

/// How long a challenge can be answered. The sign-in page may be open for a while before the person chooses a passkey.
const CHALLENGE_TTL: TimeDelta = TimeDelta::hours(1);
/// Encryption purposes of the state of ceremonies.
const SIGN_IN: &str = "passkey sign-in";
const REGISTRATION: &str = "passkey registration";

/// A challenge for an authenticator.
pub struct PasskeyChallenge {
    /// The options for the browser, as JSON.
    pub options: String,
    /// What the form sends back with the response. It is encrypted with the server secret, so that nothing is stored.
    pub ceremony: String,
}

use_cases! {
    /// Use cases of passkeys.
    pub struct Passkeys { core: IdentityCore, guard: SignInGuard }
}

impl Passkeys {
    /// Returns whether passkeys can be used at the address of the service.
    pub fn are_available(&self) -> bool {
        self.core.ports.passkey_ceremonies.are_available()
    }

    /// Lists the passkeys of the account, oldest first.
    pub async fn list(&self, signed_in: &SignedIn) -> Result<Vec<Passkey>, Error> {
        Ok(self.core.ports.passkeys.passkeys(signed_in.account.id).await?)
    }

    /// Returns whether the account that a person signs in to has a passkey.
    pub async fn has_any(&self, sign_in: &PendingSignIn) -> Result<bool, Error> {
        Ok(!self.core.ports.passkeys.passkeys(sign_in.account().id).await?.is_empty())
    }

    /// Returns whether the person has to use a passkey before factors are added or removed.
    pub async fn must_use_one(&self, signed_in: &SignedIn) -> Result<bool, Error> {
        must_use_passkey(&self.core, signed_in).await
    }

    /// Starts to set up a passkey.
    pub async fn begin_registration(&self, signed_in: &SignedIn) -> Result<PasskeyChallenge, Error> {
        let existing = self.list(signed_in).await?;
        refuse_too_many(existing.len())?;
        let ceremony =
            self.core.ports.passkey_ceremonies.begin_registration(&signed_in.account, &existing).map_err(refused)?;
        self.challenge_of(ceremony, &registration_purpose(&signed_in.account))
    }

    /// Sets up a passkey with the response of its authenticator. Requires a confirmation.
    pub async fn add(
        &self,
        request: Request,
        signed_in: &SignedIn,
        name: Label,
        ceremony: &str,
        response: &str,
    ) -> Result<(Passkey, AuthenticationProof), Error> {
        let (account, now) = (&signed_in.account, self.core.now());
        check_passkey_used(&self.core, signed_in).await?;
        let permit = signed_in.permit(Operation::PasskeyAdd, None, request, now)?;
        let (issued_at, state) = self.state_of(ceremony, &registration_purpose(account), now).ok_or_else(outdated)?;
        refuse_too_many(self.list(signed_in).await?.len())?;
        let proven = self.core.ports.passkey_ceremonies.finish_registration(&state, response).map_err(refused)?;
        let passkey = Passkey {
            id: self.core.next_id().into(),
            account_id: account.id,
            credential_id: proven.id,
            name,
            credential: proven.record,
            is_synced: proven.is_synced,
            last_challenge: issued_at,
            created_at: now,
            last_used: now,
            revision: Revision::FIRST,
        };
        let changes = with_new_factor(Changes::by(permit, now).insert(passkey.clone()), account);
        self.core.commit(changes).await.map_err(|error| match error {
            CommitError::Taken(Unique::Passkey) => Error::invalid("name", "This passkey is already set up."),
            error => error.into(),
        })?;
        announce(&self.core, account, AccountChange::PasskeyAdded).await;
        let (methods, at) = (signed_in.session.methods.clone(), signed_in.session.authenticated_at);
        let methods = methods.and(AuthenticationMethod::Passkey);
        Ok((passkey, AuthenticationProof { account: account.clone(), methods, at, provider: None }))
    }

    /// Changes the name of a passkey.
    pub async fn rename(
        &self,
        request: Request,
        signed_in: &SignedIn,
        id: PasskeyId,
        name: Label,
    ) -> Result<(), Error> {
        let permit = Permit::authenticated(Operation::PasskeyRename, signed_in.account.id, request)?;
        retry_stale(async || {
            let loaded = self.one(signed_in, id).await?;
            let changed = Passkey { name: name.clone(), ..loaded.clone() };
            self.core.commit(Changes::by(permit.clone(), self.core.now()).replace(loaded, changed)).await?;
            Ok::<_, RetryError>(())
        })
        .await
    }

    /// Removes a passkey. Requires a confirmation.
    pub async fn remove(&self, request: Request, signed_in: &SignedIn, id: PasskeyId) -> Result<(), Error> {
        check_passkey_used(&self.core, signed_in).await?;
        let permit = signed_in.permit(Operation::PasskeyRemove, None, request, self.core.now())?;
        retry_stale(async || {
            let loaded = self.one(signed_in, id).await?;
            self.core.commit(Changes::by(permit.clone(), self.core.now()).remove(loaded)).await?;
            Ok::<_, RetryError>(())
        })
        .await?;
        announce(&self.core, &signed_in.account, AccountChange::PasskeyRemoved).await;
        Ok(())
    }

    async fn one(&self, signed_in: &SignedIn, id: PasskeyId) -> Result<Passkey, Error> {
        let found = self.list(signed_in).await?.into_iter().find(|passkey| passkey.id == id);
        found.ok_or(Error::NotFound(ResourceKind::Passkey))
    }

    /// Returns a challenge for any passkey, which only this browser can answer.
    pub fn begin_sign_in(&self, browser: &Secret) -> Result<PasskeyChallenge, Error> {
        let ceremony = self.core.ports.passkey_ceremonies.begin_sign_in().map_err(refused)?;
        self.challenge_of(ceremony, &self.core.purpose_in(browser, SIGN_IN))
    }

    /// Signs in with the response of an authenticator, which verified the person: a passkey is two factors in one. Each
    /// challenge is answered once, by all replicas together.
    pub async fn sign_in(
        &self,
        request: &Request,
        browser: &Secret,
        ceremony: &str,
        response: &str,
    ) -> Result<AuthenticationProof, Error> {
        let result = self.verified(request, browser, ceremony, response).await;
        self.core.sign_ins.count(SignInOutcome::of(&result, SignInOutcome::WrongPasskey));
        result
    }

    async fn verified(
        &self,
        request: &Request,
        browser: &Secret,
        ceremony: &str,
        response: &str,
    ) -> Result<AuthenticationProof, Error> {
        let purpose = self.core.purpose_in(browser, SIGN_IN);
        let (issued_at, state) = self.state_of(ceremony, &purpose, self.core.now()).ok_or_else(outdated)?;
        let (account_id, id) = self.core.ports.passkey_ceremonies.identify(response).map_err(refused)?;
        retry_stale(async || {
            let unknown = || Error::from(AuthenticationError::UnknownPasskey);
            let passkey = self.core.ports.passkeys.passkey(&id).await?.ok_or_else(unknown)?;
            if passkey.account_id != account_id {
                return Err(unknown().into());
            }
            let account = self.core.ports.accounts.account(passkey.account_id).await?.filter(Account::is_active);
            let account = account.ok_or_else(unknown)?;
            // Before the counter: the same response, sent twice, does not indicate a copy.
            if !passkey.accepts(issued_at) {
                return Err(outdated().into());
            }
            let now = self.core.now();
            let proven = match self.core.ports.passkey_ceremonies.finish_sign_in(&state, response, &passkey.credential)
            {
                Ok(proven) => proven,
                Err(PasskeyError::Copied) => {
                    let reason = "The counter of a passkey did not increase: there may be a copy of it.";
                    let warning = (LimitedAction::PasskeyWarningTo, reason, AccountChange::PasskeyCopied);
                    warn_owner(&self.core, request, &account, warning, now).await;
                    return Err(refused(PasskeyError::Copied).into());
                }
                Err(error) => return Err(refused(error).into()),
            };
            let used = passkey.used(issued_at, proven.record, proven.is_synced, now).ok_or_else(outdated)?;
            let permit = Permit::authenticated(Operation::PasskeyVerify, account.id, request.clone())?;
            self.core.commit(Changes::by(permit, now).replace(passkey, used)).await?;
            self.guard.record_network(&account, request, now).await;
            let methods = AuthenticationMethod::Passkey.into();
            Ok::<_, RetryError>(AuthenticationProof { account, methods, at: now, provider: None })
        })
        .await
    }

    fn challenge_of(&self, ceremony: Ceremony, purpose: &str) -> Result<PasskeyChallenge, Error> {
        let issued_at = self.core.now().timestamp_micros().to_be_bytes();
        let plain = [issued_at.as_slice(), &ceremony.state].concat();
        let encrypted = self.core.encrypt_for_browser(purpose, &plain)?;
        Ok(PasskeyChallenge { options: ceremony.options, ceremony: encrypted })
    }

    /// Returns when a challenge was issued, and its state. `None` if it is not one for this purpose, or too old.
    fn state_of(&self, ceremony: &str, purpose: &str, now: Time) -> Option<(Time, Vec<u8>)> {
        let plain = self.core.decrypt_from_browser(purpose, ceremony)?;
        let (issued_at, state) = plain.split_first_chunk()?;
        let issued_at: Time = DateTime::from_timestamp_micros(i64::from_be_bytes(*issued_at))?;
        (now < issued_at + CHALLENGE_TTL).then(|| (issued_at, state.to_vec()))
    }
}

fn registration_purpose(account: &Account) -> String {
    format!("{REGISTRATION} {}", account.id)
}

/// Refuses a further passkey if an account has the maximum.
fn refuse_too_many(count: usize) -> Result<(), Error> {
    if count < MAX_PASSKEYS {
        return Ok(());
    }
    let message = format!("An account can have {MAX_PASSKEYS} passkeys. Remove one that you do not use.");
    Err(Error::invalid("name", message))
}

fn outdated() -> Error {
    AuthenticationError::OutdatedChallenge.into()
}

fn refused(error: PasskeyError) -> Error {
    match error {
        PasskeyError::Invalid => AuthenticationError::WrongPasskey.into(),
        PasskeyError::Copied => AuthenticationError::CopiedPasskey.into(),
        PasskeyError::Corrupt => Error::Internal(error.into()),
        PasskeyError::Unavailable => Error::invalid(
            "public_url",
            "Passkeys require a public URL with https and a host name. Ask the operator to set STEWARD_PUBLIC_URL.",
        ),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use super::*;
    use crate::identity::VerifiedCredential;
    use crate::kernel::Committed;
    use crate::kernel::changes::{Entity, Write};
    use crate::mocks::ports::MockPasskeyCeremonies;
    use crate::mocks::{
        FixedClock, MockStore, MockTokenVault, a_request, an_account, id_of, instant, mock_identity, mock_system_ports,
    };
    use crate::{Ports, SystemPorts};

    type Stored = Arc<Mutex<Passkey>>;

    /// Ann's passkey, which was set up an hour ago.
    fn passkey() -> Stored {
        Arc::new(Mutex::new(Passkey {
            id: id_of("passkey").into(),
            account_id: an_account("ann").id,
            credential_id: vec![1],
            name: Label::parse("Phone").unwrap(),
            credential: "counter 1".into(),
            is_synced: false,
            last_challenge: instant() - TimeDelta::hours(1),
            created_at: instant() - TimeDelta::hours(1),
            last_used: instant() - TimeDelta::hours(1),
            revision: Revision::FIRST,
        }))
    }

    /// The use cases over this passkey. `before_commit` is what another request does before the first commit. A response is
    /// the counter of the authenticator. Recorded refusals are counted.
    fn use_cases(
        stored: &Stored,
        refusals: &Arc<Mutex<usize>>,
        mut before_commit: Option<fn(&mut Passkey)>,
    ) -> Passkeys {
        let mut store = MockStore::default();
        let read = stored.clone();
        store
            .passkeys
            .expect_passkey()
            .returning(move |id| Ok(Some(read.lock().unwrap().clone()).filter(|_| id == [1])));
        store.accounts.expect_account().returning(|_| Ok(Some(an_account("ann"))));
        let (written, refusals) = (stored.clone(), refusals.clone());
        store.unit_of_work.expect_commit().returning(move |changes| {
            let mut stored = written.lock().unwrap();
            if let Some(change) = before_commit.take() {
                change(&mut stored);
                return Err(CommitError::Stale(ResourceKind::Passkey));
            }
            let mut is_refused = true;
            for write in changes.writes() {
                let Write::Replace(Entity::Passkey(passkey)) = write else { panic!("{write:?}") };
                (*stored, is_refused) = (passkey.clone(), false);
            }
            *refusals.lock().unwrap() += usize::from(is_refused);
            Ok(Committed::default())
        });
        let mut vault = MockTokenVault::new();
        vault.expect_sha256().returning(str::to_owned);
        let mut passkeys = MockPasskeyCeremonies::new();
        passkeys.expect_begin_sign_in().returning(|| Ok(Ceremony { options: "{}".into(), state: b"state".to_vec() }));
        passkeys.expect_identify().returning(|_| Ok((an_account("ann").id, vec![1])));
        passkeys.expect_finish_sign_in().returning(|state, response, stored| {
            assert_eq!(state, b"state");
            let response = format!("counter {response}");
            if *stored >= *response {
                Err(PasskeyError::Copied)
            } else {
                Ok(VerifiedCredential { id: vec![1], record: response, is_synced: true })
            }
        });
        let system = SystemPorts {
            clock: Arc::new(FixedClock(instant())),
            vault: Arc::new(vault),
            passkey_ceremonies: Arc::new(passkeys),
            ..mock_system_ports()
        };
        Passkeys::new(&mock_identity(Ports { system, ..store.into() }))
    }

    async fn sign_in(passkeys: &Passkeys, counter: &str) -> Result<String, AuthenticationError> {
        let browser = Secret::new("browser".into());
        let challenge = passkeys.begin_sign_in(&browser).unwrap();
        match passkeys.sign_in(&a_request(), &browser, &challenge.ceremony, counter).await {
            Ok(authenticated) => Ok(authenticated.methods.to_string()),
            Err(Error::Unauthenticated(error)) => Err(error),
            Err(error) => panic!("{error}"),
        }
    }

    #[tokio::test]
    async fn each_challenge_is_answered_once() {
        let stored = passkey();
        let passkeys = use_cases(&stored, &Arc::default(), None);
        assert_eq!(sign_in(&passkeys, "2").await, Ok("passkey".into()));
        assert_eq!(stored.lock().unwrap().last_used, instant());
        // The clock stands still, so the next challenge has the same time.
        assert_eq!(sign_in(&passkeys, "3").await, Err(AuthenticationError::OutdatedChallenge));
        let browser = Secret::new("another browser".into());
        let challenge = passkeys.begin_sign_in(&Secret::new("browser".into())).unwrap();
        let refused = passkeys.sign_in(&a_request(), &browser, &challenge.ceremony, "3").await;
        assert!(matches!(refused, Err(Error::Unauthenticated(AuthenticationError::OutdatedChallenge))), "{refused:?}");
    }

    #[test]
    fn a_challenge_can_be_answered_for_an_hour() {
        let passkeys = use_cases(&passkey(), &Arc::default(), None);
        let browser = Secret::new("browser".into());
        let ceremony = passkeys.begin_sign_in(&browser).unwrap().ceremony;
        let state_at = |at| passkeys.state_of(&ceremony, &passkeys.core.purpose_in(&browser, SIGN_IN), at);
        assert_eq!(state_at(instant() + TimeDelta::minutes(59)), Some((instant(), b"state".to_vec())));
        assert_eq!(state_at(instant() + TimeDelta::hours(1)), None);
    }

    #[tokio::test]
    async fn an_answer_that_another_request_uses_first_is_refused() {
        let others_use: fn(&mut Passkey) = |stored| {
            (stored.last_challenge, stored.credential) = (instant(), "counter 2".into());
        };
        let refusals = Arc::default();
        let passkeys = use_cases(&passkey(), &refusals, Some(others_use));
        assert_eq!(sign_in(&passkeys, "2").await, Err(AuthenticationError::OutdatedChallenge));
        assert_eq!(*refusals.lock().unwrap(), 0, "It is not a copy.");
        let others_rename: fn(&mut Passkey) = |stored| stored.name = Label::parse("Old phone").unwrap();
        let passkeys = use_cases(&passkey(), &Arc::default(), Some(others_rename));
        assert_eq!(sign_in(&passkeys, "2").await, Ok("passkey".into()), "Another change does not refuse the response.");
    }

    #[tokio::test]
    async fn a_copied_passkey_is_refused_and_recorded() {
        let (stored, refusals) = (passkey(), Arc::new(Mutex::new(0)));
        let passkeys = use_cases(&stored, &refusals, None);
        assert_eq!(sign_in(&passkeys, "1").await, Err(AuthenticationError::CopiedPasskey));
        assert_eq!(*refusals.lock().unwrap(), 1);
    }
}
