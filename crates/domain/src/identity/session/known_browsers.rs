//! Browsers that have signed in to an account before. They have their own limit of attempts, so that attackers who
//! guess passwords cannot lock out the owner (OWASP, "Slow Down Online Guessing Attacks with Device Cookies"). A new password,
//! and signing out everywhere, end them: the browser may be that of someone else.

use chrono::DateTime;
use uuid::Uuid;

use crate::identity::{Account, AssuranceLevel, AuthenticationProof, IdentityCore, KNOWN_BROWSER_TTL};
use crate::kernel::error::Error;
use crate::kernel::{AccountId, Secret, Time, use_cases};

/// Maximum number of accounts per browser. Above it, the account with the oldest sign-in is dropped.
const MAX_ACCOUNTS: usize = 5;
/// Encryption purpose of the cookie.
const PURPOSE: &str = "known-browser";

/// Proof that a browser has signed in to an account before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct KnownBrowser {
    pub account: AccountId,
    /// ID that its attempts are counted by.
    pub id: Uuid,
    /// Whether the last sign-in included a second factor, which a stolen password does not give.
    pub has_passed_second_factor: bool,
    expires_at: Time,
}

impl KnownBrowser {
    /// Returns whether the browser is known to the account: it signed in after the sessions of the account last ended.
    pub fn is_of(&self, account: &Account) -> bool {
        self.account == account.id && self.expires_at - KNOWN_BROWSER_TTL >= account.password_set_at
    }
}

use_cases! {
    /// Reads and writes the cookie of a known browser. The cookie is not stored on the server: it is encrypted with the
    /// server secret, so nobody else can create one.
    pub(crate) struct KnownBrowsers { core: IdentityCore }
}

impl KnownBrowsers {
    /// Returns the unexpired accounts in a cookie. Empty if the cookie was not issued by this service.
    pub fn read(&self, cookie: &str, now: Time) -> Vec<KnownBrowser> {
        let Some(bytes) = self.core.decrypt_from_browser(PURPOSE, cookie) else { return Vec::new() };
        let known = bytes.chunks(KnownBrowser::LENGTH).map(KnownBrowser::parse).collect::<Option<Vec<_>>>();
        known.unwrap_or_default().into_iter().filter(|browser| browser.expires_at > now).collect()
    }

    /// Returns the cookie for a browser that has just signed in to the account. It keeps the other accounts of the
    /// previous cookie.
    pub fn write(&self, before: &str, authenticated: &AuthenticationProof, now: Time) -> Result<Secret, Error> {
        let account = authenticated.account.id;
        let mut known = self.read(before, now);
        // Attempts that the browser used up before a new password no longer count.
        let existing = known.iter().find(|browser| browser.is_of(&authenticated.account));
        let id = existing.map_or_else(|| self.core.next_id(), |browser| browser.id);
        known.retain(|browser| browser.account != account);
        let has_passed_second_factor = authenticated.methods.level() == AssuranceLevel::TwoFactors;
        known.insert(0, KnownBrowser { account, id, has_passed_second_factor, expires_at: now + KNOWN_BROWSER_TTL });
        known.truncate(MAX_ACCOUNTS);
        let bytes: Vec<u8> = known.iter().flat_map(KnownBrowser::bytes).collect();
        Ok(Secret::new(self.core.encrypt_for_browser(PURPOSE, &bytes)?))
    }
}

impl KnownBrowser {
    const LENGTH: usize = 41;

    fn bytes(&self) -> Vec<u8> {
        let expires_at = self.expires_at.timestamp_micros().to_be_bytes();
        let factor = [u8::from(self.has_passed_second_factor)];
        [self.account.uuid().as_bytes().as_slice(), self.id.as_bytes(), &factor, &expires_at].concat()
    }

    fn parse(bytes: &[u8]) -> Option<Self> {
        let (account, rest) = bytes.split_first_chunk()?;
        let (id, rest) = rest.split_first_chunk()?;
        let (has_passed_second_factor, rest) = match rest.split_first()? {
            (0, rest) => (false, rest),
            (1, rest) => (true, rest),
            _ => return None,
        };
        let expires_at = DateTime::from_timestamp_micros(i64::from_be_bytes(rest.try_into().ok()?))?;
        let (account, id) = (Uuid::from_bytes(*account).into(), Uuid::from_bytes(*id));
        Some(Self { account, id, has_passed_second_factor, expires_at })
    }
}

#[cfg(test)]
mod tests {
    use chrono::TimeDelta;

    use super::*;
    use crate::identity::{AuthenticationMethod, AuthenticationMethods};
    use crate::kernel::hex;
    use crate::mocks::{MockStore, an_account, instant, mock_identity};

    /// A sign-in with the password.
    fn with_password(username: &str) -> AuthenticationProof {
        let methods = AuthenticationMethod::Password.into();
        AuthenticationProof { account: an_account(username), methods, at: instant(), provider: None }
    }

    /// A sign-in with the password and a code.
    fn with_code(username: &str) -> AuthenticationProof {
        let methods =
            AuthenticationMethods::from(AuthenticationMethod::Password).and(AuthenticationMethod::OneTimeCode);
        AuthenticationProof { methods, ..with_password(username) }
    }

    fn browsers() -> KnownBrowsers {
        KnownBrowsers::new(&mock_identity(MockStore::default()))
    }

    #[test]
    fn a_cookie_proves_earlier_sign_ins_until_it_expires() {
        let (browsers, ann, bob) = (browsers(), an_account("ann").id, an_account("bob").id);
        let first = browsers.write("", &with_password("ann"), instant()).unwrap();
        let both = browsers.write(first.expose(), &with_password("bob"), instant()).unwrap();
        let known = browsers.read(both.expose(), instant());
        assert_eq!(known.iter().map(|browser| browser.account).collect::<Vec<_>>(), [bob, ann]);
        let again = browsers.write(both.expose(), &with_password("ann"), instant() + TimeDelta::days(1)).unwrap();
        let later = browsers.read(again.expose(), instant() + KNOWN_BROWSER_TTL);
        assert_eq!(later.iter().map(|browser| (browser.account, browser.id)).collect::<Vec<_>>(), [(ann, known[1].id)]);
    }

    #[test]
    fn a_browser_is_known_to_a_limited_number_of_accounts() {
        let browsers = browsers();
        let mut cookie = Secret::new(String::new());
        for number in 0..9 {
            cookie = browsers.write(cookie.expose(), &with_code(&format!("person{number}")), instant()).unwrap();
        }
        let known = browsers.read(cookie.expose(), instant());
        assert_eq!((known.len(), known[0].account), (MAX_ACCOUNTS, an_account("person8").id));
    }

    #[test]
    fn a_cookie_says_which_sign_ins_included_a_second_factor() {
        let browsers = browsers();
        let factors = |cookie: &Secret| {
            let known = browsers.read(cookie.expose(), instant());
            known.into_iter().map(|browser| browser.has_passed_second_factor).collect::<Vec<_>>()
        };
        let first = browsers.write("", &with_code("ann"), instant()).unwrap();
        let both = browsers.write(first.expose(), &with_password("bob"), instant()).unwrap();
        assert_eq!((factors(&first), factors(&both)), (vec![true], vec![false, true]));
        let password = browsers.write(first.expose(), &with_password("ann"), instant()).unwrap();
        assert_eq!(factors(&password), [false]);

        let factor = PURPOSE.len() + 32;
        let bytes = hex::decode(first.expose()).unwrap();
        let (mut neither, shorter) = (bytes.clone(), &bytes[..bytes.len() - 1]);
        assert_eq!(std::mem::replace(&mut neither[factor], 2), 1);
        for invalid in [neither.as_slice(), shorter] {
            assert!(factors(&Secret::new(hex::encode(invalid))).is_empty(), "{invalid:?}");
        }
    }

    #[test]
    fn a_browser_is_no_longer_known_after_a_new_password() {
        let (browsers, ann) = (browsers(), an_account("ann"));
        let changed_at = instant() + TimeDelta::hours(1);
        let changed = Account { password_set_at: changed_at, ..ann.clone() };
        let cookie = browsers.write("", &with_code("ann"), instant()).unwrap();
        let known = |cookie: &Secret, at| browsers.read(cookie.expose(), at).remove(0);
        let before = known(&cookie, changed_at);
        assert!(before.is_of(&ann) && !before.is_of(&changed) && !before.is_of(&an_account("bob")));

        let signed_in = AuthenticationProof { account: changed.clone(), ..with_code("ann") };
        let renewed = known(&browsers.write(cookie.expose(), &signed_in, changed_at).unwrap(), changed_at);
        assert!(renewed.is_of(&changed) && renewed.id != before.id);
    }

    #[test]
    fn a_forged_cookie_proves_nothing() {
        for forged in ["", "0", "zz", "00ff", "ä", &"0".repeat(2_000)] {
            assert_eq!(browsers().read(forged, instant()), [], "{forged}");
        }
    }
}
