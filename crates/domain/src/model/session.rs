//! Sessions: where a person is signed in with a browser.

use std::net::IpAddr;

use chrono::TimeDelta;

use super::{Account, AccountId, Revision, SessionId, Time, TokenDigest};

/// How long a session lasts.
pub const SESSION_TTL: TimeDelta = TimeDelta::days(30);

/// How long a browser or network that an account was signed in to from is told from others.
pub const KNOWN_BROWSER_TTL: TimeDelta = TimeDelta::days(90);

/// A browser in which a person is signed in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Session {
    /// Its id, as people see it in the list of their sessions.
    pub id: SessionId,
    /// What is kept of the cookie.
    pub digest: TokenDigest,
    /// Who is signed in.
    pub account_id: AccountId,
    /// When the person gave their password.
    pub authenticated_at: Time,
    /// When that password was set: a new one ends the session.
    pub password_set_at: Time,
    /// What the browser calls itself.
    pub user_agent: String,
    /// Where it signed in from.
    pub address: Option<IpAddr>,
    /// Until when it is good.
    pub expires_at: Time,
    /// For compare-and-set.
    pub revision: Revision,
}

/// A person who is signed in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SignedIn {
    /// Where.
    pub session: Session,
    /// Who.
    pub account: Account,
}

impl SignedIn {
    /// Whether the session is good still.
    pub fn is_live(&self, now: Time) -> bool {
        let same_password = self.session.password_set_at == self.account.password_set_at;
        self.session.expires_at > now && same_password && self.account.is_active()
    }
}
