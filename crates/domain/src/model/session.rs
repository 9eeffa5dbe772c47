//! Browser sessions of signed-in people.

use std::net::IpAddr;

use chrono::TimeDelta;
use serde_json::json;

use crate::error::Error;
use crate::policy::{AuthorityChange, LastSignIn, Operation};

use super::{
    Account, AccountId, AuditView, Audited, AuthenticationMethods, OwnerIds, ProjectId, ResourceKind, Revision,
    SessionId, Time, TokenDigest,
};

/// The lifetime of a session.
pub const SESSION_TTL: TimeDelta = TimeDelta::days(30);

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
    /// The revision, for compare-and-set.
    pub revision: Revision,
}

impl Audited for Session {
    const KIND: ResourceKind = ResourceKind::Session;

    fn owner_ids(&self) -> OwnerIds {
        (None, None)
    }

    fn audit_view(&self) -> Option<AuditView> {
        Some(AuditView {
            id: self.id.to_string(),
            state: json!({
                "account_id": self.account_id.to_string(), "methods": self.methods.to_string(),
                "limited_to": self.limited_to.map(|project| project.to_string()), "expires_at": self.expires_at.to_rfc3339(),
            }),
        })
    }
}

/// The account that is signed in with the cookie of a request; `None` if no session has this cookie. Pages add it to the
/// extensions of the request, whose rate limit counts by account.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SessionAccount(pub Option<AccountId>);

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

    /// Returns whether the session is still valid.
    pub fn is_live(&self, now: Time) -> bool {
        let same_password = self.session.password_set_at == self.account.password_set_at;
        self.session.expires_at > now && same_password && self.account.is_active()
    }
}
