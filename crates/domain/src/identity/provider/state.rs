//! What a browser keeps while a person signs in at a provider.

use chrono::DateTime;

use crate::identity::{Email, IdentityCore, PROVIDER_SIGN_IN_TTL};
use crate::kernel::error::Error;
use crate::kernel::{AccountId, IdentityProviderId, Secret, Time};

/// Encryption purposes.
const SIGN_IN: &str = "provider sign-in";
const LINK: &str = "provider identity";
const CONFIRM: &str = "provider confirmation";
const NONE: &str = "-";

/// A sign-in that waits for the response of a provider. It travels as `state`, encrypted for one browser, so that nothing is
/// stored and any number of sign-ins can be open.
#[derive(Debug, Clone)]
pub struct ProviderSignInState {
    /// The provider.
    pub provider: IdentityProviderId,
    /// When the sign-in began.
    pub(super) at: Time,
    /// The account to which the identity is linked; `None` to sign in.
    pub(super) link_to: Option<AccountId>,
    /// Whether the person had to authenticate at the provider.
    pub(super) must_authenticate: bool,
    pub(super) nonce: Secret,
    pub(super) code_verifier: Secret,
    /// Why the person signs in, as a query.
    pub query: String,
}

/// An identity that waits for the person to prove the account that has its address.
#[derive(Debug, Clone)]
pub struct UnlinkedIdentity {
    /// The provider.
    pub provider: IdentityProviderId,
    /// The address of the identity and of the account.
    pub email: Email,
    pub(super) subject: String,
    pub(super) at: Time,
}

/// An identity that proves the address of an account, and waits until the person has chosen what the account keeps.
#[derive(Debug, Clone)]
pub(super) struct ProvenIdentity {
    pub(super) identity: UnlinkedIdentity,
    /// Whether the person had to authenticate at the provider.
    pub(super) must_authenticate: bool,
    /// What the provider said about the address.
    pub(super) email_verified: Option<bool>,
}

impl ProviderSignInState {
    /// Returns whether an identity is linked to the account of the person who is signed in.
    pub fn links(&self) -> bool {
        self.link_to.is_some()
    }

    pub(super) fn encrypt(&self, core: &IdentityCore, browser: &Secret) -> Result<Secret, Error> {
        let text = format!(
            "{} {} {} {} {} {} {}",
            self.at.timestamp_micros(),
            self.provider,
            self.link_to.map_or_else(|| NONE.to_owned(), |account| account.to_string()),
            u8::from(self.must_authenticate),
            self.nonce.expose(),
            self.code_verifier.expose(),
            self.query,
        );
        Ok(Secret::new(core.encrypt_for_browser(&core.purpose_in(browser, SIGN_IN), text.as_bytes())?))
    }

    /// Returns the sign-in that began in this browser; `None` if it has expired.
    pub(super) fn decrypt(core: &IdentityCore, browser: &Secret, state: &str) -> Option<Self> {
        let plain = core.decrypt_from_browser(&core.purpose_in(browser, SIGN_IN), state)?;
        let mut parts = std::str::from_utf8(&plain).ok()?.splitn(7, ' ');
        let at = time(parts.next()?)?;
        let decrypted = Self {
            at,
            provider: IdentityProviderId::parse(parts.next()?)?,
            link_to: AccountId::parse(parts.next()?),
            must_authenticate: parts.next()? == "1",
            nonce: Secret::new(parts.next()?.to_owned()),
            code_verifier: Secret::new(parts.next()?.to_owned()),
            query: parts.next()?.to_owned(),
        };
        (core.now() < at + PROVIDER_SIGN_IN_TTL).then_some(decrypted)
    }
}

impl UnlinkedIdentity {
    pub(super) fn encrypt(&self, core: &IdentityCore, browser: &Secret) -> Result<Secret, Error> {
        let text = self.to_text();
        Ok(Secret::new(core.encrypt_for_browser(&core.purpose_in(browser, LINK), text.as_bytes())?))
    }

    /// Returns the identity of this browser; `None` if it has expired.
    pub(super) fn decrypt(core: &IdentityCore, browser: &Secret, cookie: &str) -> Option<Self> {
        let plain = core.decrypt_from_browser(&core.purpose_in(browser, LINK), cookie)?;
        Self::of_text(core, std::str::from_utf8(&plain).ok()?)
    }

    fn to_text(&self) -> String {
        // The subject is last, because it may contain spaces.
        format!("{} {} {} {}", self.at.timestamp_micros(), self.provider, self.email, self.subject)
    }

    fn of_text(core: &IdentityCore, text: &str) -> Option<Self> {
        let mut parts = text.splitn(4, ' ');
        let at = time(parts.next()?)?;
        let decrypted = Self {
            at,
            provider: IdentityProviderId::parse(parts.next()?)?,
            email: Email::parse(parts.next()?).ok()?,
            subject: parts.next()?.to_owned(),
        };
        (core.now() < at + PROVIDER_SIGN_IN_TTL).then_some(decrypted)
    }
}

impl ProvenIdentity {
    /// The purpose differs from that of an identity that nothing proves yet, so that a cookie of one is never one of the other.
    pub(super) fn encrypt(&self, core: &IdentityCore, browser: &Secret) -> Result<Secret, Error> {
        let verified = self.email_verified.map_or(NONE, |verified| if verified { "1" } else { "0" });
        let text = format!("{} {verified} {}", u8::from(self.must_authenticate), self.identity.to_text());
        Ok(Secret::new(core.encrypt_for_browser(&core.purpose_in(browser, CONFIRM), text.as_bytes())?))
    }

    /// Returns the identity of this browser; `None` if it has expired.
    pub(super) fn decrypt(core: &IdentityCore, browser: &Secret, cookie: &str) -> Option<Self> {
        let plain = core.decrypt_from_browser(&core.purpose_in(browser, CONFIRM), cookie)?;
        let mut parts = std::str::from_utf8(&plain).ok()?.splitn(3, ' ');
        let must_authenticate = parts.next()? == "1";
        let email_verified = match parts.next()? {
            NONE => None,
            verified => Some(verified == "1"),
        };
        Some(Self { identity: UnlinkedIdentity::of_text(core, parts.next()?)?, must_authenticate, email_verified })
    }
}

fn time(micros: &str) -> Option<Time> {
    DateTime::from_timestamp_micros(micros.parse().ok()?)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::mocks::{FixedClock, MockStore, MockTokenVault, id_of, instant, mock_identity, mock_system_ports};
    use crate::{Ports, SystemPorts};

    fn core_at(now: Time) -> Arc<IdentityCore> {
        let mut vault = MockTokenVault::new();
        vault.expect_sha256().returning(str::to_owned);
        let system = SystemPorts { clock: Arc::new(FixedClock(now)), vault: Arc::new(vault), ..mock_system_ports() };
        mock_identity(Ports { system, ..MockStore::default().into() })
    }

    fn secret(text: &str) -> Secret {
        Secret::new(text.to_owned())
    }

    #[test]
    fn a_sign_in_continues_in_its_browser_until_it_expires() {
        let state = ProviderSignInState {
            provider: id_of("provider").into(),
            at: instant(),
            link_to: Some(id_of("ann").into()),
            must_authenticate: true,
            nonce: secret("nonce"),
            code_verifier: secret("verifier"),
            query: "request=a b".to_owned(),
        };
        let (core, browser) = (core_at(instant()), secret("browser"));
        let encrypted = state.encrypt(&core, &browser).unwrap();
        let decrypt =
            |core: &IdentityCore, browser: &Secret, text: &str| ProviderSignInState::decrypt(core, browser, text);
        let found = decrypt(&core, &browser, encrypted.expose()).unwrap();
        assert_eq!((found.provider, found.at, found.link_to), (state.provider, state.at, state.link_to));
        assert_eq!((found.nonce.expose(), found.code_verifier.expose()), ("nonce", "verifier"));
        assert_eq!((found.must_authenticate, found.query.as_str()), (true, "request=a b"));
        let without_account = ProviderSignInState { link_to: None, must_authenticate: false, ..state };
        let encrypted_without = without_account.encrypt(&core, &browser).unwrap();
        let found = decrypt(&core, &browser, encrypted_without.expose()).unwrap();
        assert!(!found.links() && !found.must_authenticate);

        assert!(decrypt(&core, &secret("another"), encrypted.expose()).is_none());
        let expired = core_at(instant() + PROVIDER_SIGN_IN_TTL);
        assert!(decrypt(&expired, &browser, encrypted.expose()).is_none());
    }

    #[test]
    fn an_identity_waits_in_its_browser_until_it_expires() {
        let waiting = UnlinkedIdentity {
            provider: id_of("provider").into(),
            email: Email::parse("ann@example.com").unwrap(),
            subject: "a subject".to_owned(),
            at: instant(),
        };
        let (core, browser) = (core_at(instant()), secret("browser"));
        let cookie = waiting.encrypt(&core, &browser).unwrap();
        let found = UnlinkedIdentity::decrypt(&core, &browser, cookie.expose()).unwrap();
        assert_eq!(
            (found.provider, &found.email, found.subject.as_str()),
            (waiting.provider, &waiting.email, "a subject")
        );
        // A cookie is not a state.
        assert!(ProviderSignInState::decrypt(&core, &browser, cookie.expose()).is_none());
        assert!(UnlinkedIdentity::decrypt(&core, &secret("another"), cookie.expose()).is_none());
        let expired = core_at(instant() + PROVIDER_SIGN_IN_TTL);
        assert!(UnlinkedIdentity::decrypt(&expired, &browser, cookie.expose()).is_none());

        // Nothing proves it.
        assert!(ProvenIdentity::decrypt(&core, &browser, cookie.expose()).is_none());
        for email_verified in [None, Some(true), Some(false)] {
            let proven = ProvenIdentity { identity: waiting.clone(), must_authenticate: true, email_verified };
            let cookie = proven.encrypt(&core, &browser).unwrap();
            let found = ProvenIdentity::decrypt(&core, &browser, cookie.expose()).unwrap();
            assert_eq!((found.must_authenticate, found.email_verified), (true, email_verified));
            assert_eq!(found.identity.subject, waiting.subject);
            assert!(UnlinkedIdentity::decrypt(&core, &browser, cookie.expose()).is_none());
            assert!(ProvenIdentity::decrypt(&expired, &browser, cookie.expose()).is_none());
        }
    }
}
