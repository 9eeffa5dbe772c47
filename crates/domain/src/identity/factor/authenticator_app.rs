//! Authenticator apps: programs that show a new one-time code every 30 seconds (RFC 6238).

use std::ops::RangeInclusive;

use url::form_urlencoded;
use zeroize::Zeroizing;

use crate::identity::Email;
use crate::kernel::text::base32;
use crate::kernel::{AccountId, AuthenticatorAppId, Revision, Secret, ServiceAddress, Time, audited};

/// Number of bytes of a key: that of the digests of SHA-1, which apps use (RFC 4226 §4).
pub(crate) const KEY_BYTES: usize = 20;
/// How long a code is shown, in seconds.
const STEP_SECONDS: i64 = 30;
/// How many steps the clocks may differ, in either direction (RFC 6238 §5.2).
const TOLERATED_STEPS: i64 = 1;

/// The authenticator app of an account. There is at most one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuthenticatorApp {
    /// Unique ID of the app.
    pub id: AuthenticatorAppId,
    /// The account that signs in with it.
    pub account_id: AccountId,
    /// The key of its codes, encrypted for this account, so that no other account can use it.
    pub key: Vec<u8>,
    /// The time step of the last code that was used. Only codes of later steps are accepted.
    pub last_step: i64,
    /// When it was set up.
    pub created_at: Time,
    /// When a code of it was last used.
    pub last_used: Time,
    /// The revision, for compare-and-set: of several requests with the same code, one succeeds.
    pub revision: Revision,
}

/// Returns the purpose for which the key of an account's app is encrypted, so that no other account can use it.
pub(crate) fn key_purpose(account: AccountId) -> String {
    format!("authenticator app {account}")
}

/// Returns the time steps whose codes are accepted.
pub(crate) fn accepted_steps(now: Time) -> RangeInclusive<i64> {
    let step = now.timestamp().div_euclid(STEP_SECONDS);
    step - TOLERATED_STEPS..=step + TOLERATED_STEPS
}

impl AuthenticatorApp {
    /// Returns the app after a code of this time step was used, or `None` if a code of this step or of a later one was
    /// used before.
    pub(crate) fn used(&self, step: i64, now: Time) -> Option<Self> {
        (step > self.last_step).then(|| Self { last_step: step, last_used: now, ..self.clone() })
    }
}

audited!(AuthenticatorApp as AuthenticatorApp of nobody, |app| {
    "account_id": app.account_id.to_string(), "last_used": app.last_used.to_rfc3339(),
});

/// A key for an app that is not set up yet.
pub struct NewAuthenticatorKey {
    pub(crate) bytes: Zeroizing<Vec<u8>>,
    /// The key in encrypted form, which the form that sets up the app sends back.
    pub encrypted: String,
}

impl NewAuthenticatorKey {
    /// Returns the key as people type it, in groups of four characters.
    pub fn text(&self) -> Secret {
        let text = base32::encode(&self.bytes);
        let groups: Vec<_> = text.as_bytes().chunks(4).map(String::from_utf8_lossy).collect();
        Secret::new(groups.join(" "))
    }

    /// Returns the address that an app reads from a QR code (Key URI Format of Google Authenticator). The issuer is the
    /// host of the service, so that accounts of several services can be told apart.
    pub fn address(&self, service: &ServiceAddress, account: &Email) -> Secret {
        let (issuer, key) = (encode(service.hostname()), base32::encode(&self.bytes));
        let account = encode(account.as_str());
        Secret::new(format!("otpauth://totp/{issuer}:{account}?secret={key}&issuer={issuer}"))
    }
}

/// Encodes a text without spaces as a part of a URL.
fn encode(text: &str) -> String {
    form_urlencoded::byte_serialize(text.as_bytes()).collect()
}

#[cfg(test)]
mod tests {
    use chrono::TimeDelta;

    use super::*;
    use crate::mocks::{id_of, instant};

    #[test]
    fn a_step_is_accepted_once_and_not_before_a_later_one() {
        let app = AuthenticatorApp {
            id: id_of("app").into(),
            account_id: id_of("ann").into(),
            key: Vec::new(),
            last_step: 7,
            created_at: instant(),
            last_used: instant(),
            revision: Revision::FIRST,
        };
        assert_eq!((app.used(6, instant()), app.used(7, instant())), (None, None));
        let later = instant() + TimeDelta::seconds(1);
        assert_eq!(app.used(8, later), Some(AuthenticatorApp { last_step: 8, last_used: later, ..app }));
    }

    #[test]
    fn codes_of_the_step_before_and_after_are_accepted() {
        let step = instant().timestamp() / 30;
        assert_eq!(accepted_steps(instant()), step - 1..=step + 1);
        assert_eq!(accepted_steps(instant() + TimeDelta::seconds(29)), step - 1..=step + 1);
        assert_eq!(accepted_steps(instant() + TimeDelta::seconds(30)), step..=step + 2);
    }

    #[test]
    fn an_app_reads_the_issuer_the_account_and_the_key() {
        let key = NewAuthenticatorKey { bytes: b"12345678901234567890".to_vec().into(), encrypted: String::new() };
        assert_eq!(key.text().expose(), "GEZD GNBV GY3T QOJQ GEZD GNBV GY3T QOJQ");
        let service = ServiceAddress::parse("https://steward.example:8443").unwrap();
        let address = key.address(&service, &Email::parse("ann+x@example.com").unwrap());
        let expected = "otpauth://totp/steward.example:ann%2Bx%40example.com\
                        ?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=steward.example";
        assert_eq!(address.expose(), expected);
    }
}
