//! Setting up and removing the second factors of the own account.

use chrono::{DateTime, TimeDelta};
use zeroize::Zeroizing;

use crate::identity::account::notices::announce;
use crate::identity::factor::factors::Factors;
use crate::identity::factor::removal::{check_passkey_used, with_new_factor};
use crate::identity::factor::sign_in::recovery_digest;
use crate::identity::{
    AccountChange, AuthenticationMethod, AuthenticationProof, AuthenticatorApp, CODE_BYTES, CODES, IdentityCore,
    KEY_BYTES, NewAuthenticatorKey, RecoveryCodes, SecondFactors, SignedIn, accepted_steps, key_purpose, recovery_code,
};
use crate::kernel::changes::Changes;
use crate::kernel::error::{Error, ResourceKind};
use crate::kernel::policy::Operation;
use crate::kernel::{
    AccountId, CommitError, Request, RetryError, Revision, Secret, Time, Unique, retry_stale, six_digits, use_cases,
};

/// How long a new key can be set up.
const NEW_KEY_TTL: TimeDelta = TimeDelta::hours(1);

use_cases! {
    /// Use cases of the second factors of the own account.
    pub struct SecondFactorSettings { core: IdentityCore }
}

impl SecondFactorSettings {
    /// Returns the second factors of the account.
    pub async fn get(&self, signed_in: &SignedIn) -> Result<SecondFactors, Error> {
        Ok(self.core.ports.second_factors.second_factors(signed_in.account.id).await?)
    }

    /// Generates a key for an authenticator app. Nothing is stored before a code proves that the app has it.
    pub fn new_key(&self, signed_in: &SignedIn) -> Result<NewAuthenticatorKey, Error> {
        let entropy = self.core.system.secrets.entropy();
        let bytes = Zeroizing::new(entropy.iter().copied().take(KEY_BYTES).collect::<Vec<_>>());
        let expires_at = (self.core.now() + NEW_KEY_TTL).timestamp_micros().to_be_bytes();
        let plain = Zeroizing::new([expires_at.as_slice(), &bytes].concat());
        let encrypted = self.core.encrypt_for_browser(&new_key_purpose(signed_in.account.id), &plain)?;
        Ok(NewAuthenticatorKey { bytes, encrypted })
    }

    /// Returns a generated key from its encrypted form. Fails if it was not generated for this account, or too long ago.
    pub fn key(&self, signed_in: &SignedIn, encrypted: &str) -> Result<NewAuthenticatorKey, Error> {
        let invalid =
            || Error::invalid("code", "The page was opened too long ago. Open it again, and scan the new code.");
        let purpose = new_key_purpose(signed_in.account.id);
        let plain = self.core.decrypt_from_browser(&purpose, encrypted).ok_or_else(invalid)?;
        let (expires_at, bytes) = plain.split_first_chunk().ok_or_else(invalid)?;
        let expires_at: Option<Time> = DateTime::from_timestamp_micros(i64::from_be_bytes(*expires_at));
        if expires_at.is_none_or(|at| at <= self.core.now()) {
            return Err(invalid());
        }
        Ok(NewAuthenticatorKey { bytes: Zeroizing::new(bytes.to_vec()), encrypted: encrypted.to_owned() })
    }

    /// Sets up an authenticator app with a generated key and a code that the app shows. Requires a confirmation. Returns new
    /// recovery codes, which are shown only here, and the proof with which the session goes on: the code is its second
    /// factor.
    pub async fn add_app(
        &self,
        request: Request,
        signed_in: &SignedIn,
        encrypted_key: &str,
        code: &str,
    ) -> Result<(Vec<Secret>, AuthenticationProof), Error> {
        let (account, now) = (&signed_in.account, self.core.now());
        check_passkey_used(&self.core, signed_in).await?;
        let permit = signed_in.permit(Operation::AuthenticatorAppAdd, None, request, now)?;
        let key = self.key(signed_in, encrypted_key)?;
        let code =
            six_digits(code).ok_or_else(|| Error::invalid("code", "must be the six digits that the app shows"))?;
        let step = self.step_of(&key, &code, now).ok_or_else(|| {
            Error::invalid("code", "is not the one that the app shows now. Check that the clock of the device is right")
        })?;

        let app = AuthenticatorApp {
            id: self.core.next_id().into(),
            account_id: account.id,
            key: self.core.system.encrypter.encrypt(&key_purpose(account.id), &key.bytes)?,
            last_step: step,
            created_at: now,
            last_used: now,
            revision: Revision::FIRST,
        };
        let (recovery_codes, codes) = self.generate_codes(account.id, now);

        let changes = Changes::by(permit, now).insert(app).insert(recovery_codes);
        self.core.commit(with_new_factor(changes, account)).await.map_err(|error| match error {
            CommitError::Taken(Unique::AuthenticatorApp | Unique::RecoveryCodes) => {
                let message = "An authenticator app is already set up. If you did not save its recovery codes, generate \
                               new ones under \"Two-factor\". To set up another app, remove this one first.";
                Error::invalid("code", message)
            }
            error => error.into(),
        })?;
        announce(&self.core, account, AccountChange::AppAdded).await;
        let (methods, at) = (signed_in.session.methods.clone(), signed_in.session.authenticated_at);
        let methods = methods.and(AuthenticationMethod::OneTimeCode);
        Ok((codes, AuthenticationProof { account: account.clone(), methods, at, provider: None }))
    }

    /// Returns the time step whose code a person entered.
    fn step_of(&self, key: &NewAuthenticatorKey, code: &Secret, now: Time) -> Option<i64> {
        let is_code = |step: &i64| self.core.ports.one_time_codes.is_code_of(&key.bytes, *step, code.expose());
        accepted_steps(now).find(is_code)
    }

    /// Removes the authenticator app, and with it the recovery codes. Requires a confirmation, which asks for a code.
    pub async fn remove_app(&self, request: Request, signed_in: &SignedIn) -> Result<(), Error> {
        let account = &signed_in.account;
        let permit = signed_in.permit(Operation::AuthenticatorAppRemove, None, request, self.core.now())?;
        retry_stale(async || {
            let factors = Factors::second(&self.core, account.id).await?;
            if factors.are_absent() {
                return Err(Error::NotFound(ResourceKind::AuthenticatorApp).into());
            }
            self.core.commit(factors.removed_by(Changes::by(permit.clone(), self.core.now()))).await?;
            Ok::<_, RetryError>(())
        })
        .await?;
        announce(&self.core, account, AccountChange::AppRemoved).await;
        Ok(())
    }

    /// Generates new recovery codes, which are shown only here. The previous ones are no longer valid. Requires a
    /// confirmation.
    pub async fn replace_recovery_codes(&self, request: Request, signed_in: &SignedIn) -> Result<Vec<Secret>, Error> {
        let account = &signed_in.account;
        let permit = signed_in.permit(Operation::RecoveryCodesReplace, None, request, self.core.now())?;
        let codes = retry_stale(async || {
            let factors = self.core.ports.second_factors.second_factors(account.id).await?;
            if !factors.are_required() {
                return Err(Error::NotFound(ResourceKind::RecoveryCodes).into());
            }
            let now = self.core.now();
            let (generated, codes) = self.generate_codes(account.id, now);

            let changes = Changes::by(permit.clone(), now);
            let changes = match factors.recovery_codes {
                Some(before) => {
                    let after = RecoveryCodes { id: before.id, revision: before.revision, ..generated };
                    changes.replace(before, after)
                }
                None => changes.insert(generated),
            };
            self.core.commit(changes).await?;
            Ok::<_, RetryError>(codes)
        })
        .await?;
        announce(&self.core, account, AccountChange::CodesReplaced).await;
        Ok(codes)
    }

    fn generate_codes(&self, account_id: AccountId, now: Time) -> (RecoveryCodes, Vec<Secret>) {
        let generate = || {
            let entropy = self.core.system.secrets.entropy();
            entropy.first_chunk::<CODE_BYTES>().map(recovery_code)
        };
        let codes: Vec<Secret> = std::iter::repeat_with(generate).take(CODES).flatten().collect();
        let digest =
            |code: &Secret| recovery_digest(&self.core, account_id, &Secret::new(code.expose().replace('-', "")));
        let recovery_codes = RecoveryCodes {
            id: self.core.next_id().into(),
            account_id,
            digests: codes.iter().map(digest).collect(),
            created_at: now,
            revision: Revision::FIRST,
        };
        (recovery_codes, codes)
    }
}

fn new_key_purpose(account: AccountId) -> String {
    format!("new authenticator app {account}")
}
