//! Browser sessions of signed-in people.

use std::net::IpAddr;

use chrono::TimeDelta;

use crate::identity::{Account, AuthenticationMethods};
use crate::kernel::error::Error;
use crate::kernel::policy::{AccountStanding, AuthorityChange, LastSignIn, Operation};
use crate::kernel::{AccountId, ProjectId, Revision, SessionId, Time, TokenDigest, audited};

/// How long a session lasts (OWASP ASVS 5, 7.3). After that the person signs in again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SessionLifetime {
    /// The time since the sign-in.
    pub total: TimeDelta,
    /// The time without use.
    pub idle: TimeDelta,
}

impl Default for SessionLifetime {
    fn default() -> Self {
        Self { total: TimeDelta::days(30), idle: TimeDelta::days(30) }
    }
}

/// How long a browser or network from which an account signed in is recognized.
pub const KNOWN_BROWSER_TTL: TimeDelta = TimeDelta::days(90);

/// The time that a person has for the second factor after the first one.
pub const PENDING_SIGN_IN_TTL: TimeDelta = TimeDelta::minutes(10);

/// A browser in which a person is signed in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Session {
    /// Unique ID of the session, as shown in the list of sessions.
    pub id: SessionId,
    /// The digest of the cookie.
    pub digest: TokenDigest,
    /// The account that is signed in.
    pub account_id: AccountId,
    /// When the person signed in.
    pub authenticated_at: Time,
    /// How the person signed in.
    pub methods: AuthenticationMethods,
    /// When that password was set. Setting a new password ends the session.
    pub password_set_at: Time,
    /// The `User-Agent` of the browser.
    pub user_agent: String,
    /// The only project for which the session counts, because the person signed in at a provider of this project; `None` if it
    /// counts everywhere.
    pub limited_to: Option<ProjectId>,
    /// The IP address of the sign-in.
    pub address: Option<IpAddr>,
    /// When the session expires.
    pub expires_at: Time,
    /// When the session was last used, with a precision of one minute; `None` for one that an earlier version began and that
    /// was not used since.
    pub last_used: Option<Time>,
    /// The revision, for compare-and-set.
    pub revision: Revision,
}

audited!(Session as Session of nobody, |session| {
    "account_id": session.account_id.to_string(), "methods": session.methods.to_string(),
    "limited_to": session.limited_to.map(|project| project.to_string()),
    "expires_at": session.expires_at.to_rfc3339(),
});

/// A person who is signed in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SignedIn {
    /// The session of the person.
    pub session: Session,
    /// The account of the person.
    pub account: Account,
    /// Whether the account has a second factor now. The session may have begun before it was set up.
    pub has_second_factor: bool,
}

impl SignedIn {
    /// Returns the sign-in of the session, which decides about confirmations.
    pub fn last_sign_in(&self) -> LastSignIn {
        LastSignIn::new(self.session.authenticated_at, &self.session.methods, self.has_second_factor)
    }

    /// Returns what decides whether the person meets the conditions of an operation or a page.
    pub fn standing(&self) -> AccountStanding {
        AccountStanding::of(&self.account, self.last_sign_in().missing_factor())
    }

    /// Refuses an operation that requires a confirmation unless the person signed in recently with all factors of the
    /// account. `change`: what it changes, if that decides.
    pub(crate) fn confirm(
        &self,
        operation: Operation,
        change: Option<AuthorityChange<'_>>,
        now: Time,
    ) -> Result<(), Error> {
        Ok(operation.check_confirmed(self.last_sign_in().must_confirm(now), change)?)
    }

    /// Returns whether the session counts for the whole service, and not only for a project.
    pub fn is_unlimited(&self) -> bool {
        self.session.limited_to.is_none()
    }

    /// Returns whether the session is still valid. It may have begun with another lifetime.
    pub fn is_live(&self, lifetime: SessionLifetime, now: Time) -> bool {
        let session = &self.session;
        let same_password = session.password_set_at == self.account.password_set_at;
        let last_used = session.last_used.unwrap_or(session.authenticated_at);
        let is_idle = now >= last_used + lifetime.idle;
        let ends_at = session.expires_at.min(session.authenticated_at + lifetime.total);
        now < ends_at && !is_idle && same_password && self.account.is_active()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mocks::{a_session, instant};

    #[test]
    fn a_session_ends_after_its_lifetime_and_without_use() {
        let (found, hour) = (a_session(), TimeDelta::hours(1));
        let used = |last_used| {
            let session = Session { last_used, expires_at: instant() + hour * 24, ..found.session.clone() };
            SignedIn { session, ..found.clone() }
        };
        let is_live = |last_used, total, idle, after| {
            used(last_used)
                .is_live(SessionLifetime { total: hour * total, idle: hour * idle }, instant() + hour * after)
        };
        let recently = Some(instant() + hour * 20);
        assert!(is_live(None, 24, 24, 23) && !is_live(None, 24, 24, 24));
        assert!(is_live(recently, 24, 4, 23) && !is_live(None, 24, 4, 4) && is_live(None, 24, 4, 3));
        assert!(!is_live(recently, 24, 3, 23) && !is_live(recently, 48, 48, 24), "It expires as it was created.");
        assert!(!is_live(recently, 8, 24, 21), "A shorter lifetime applies to sessions that exist.");
    }
}
