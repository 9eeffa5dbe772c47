//! Project users: accounts that use a project.

use std::sync::Arc;

use chrono::TimeDelta;
use serde_json::{Value, json};

use crate::administration::ProjectInTeam;
use crate::identity::{Account, Email, ScopeSet};
use crate::kernel::{
    AccountId, AuditView, Audited, InvalidValue, JsonObject, OwnerIds, ProjectId, ProjectUserId, ResourceKind,
    Revision, ServiceAddress, Time, named,
};

/// The precision of [`ProjectUser::last_seen_at`]. Its day is exact.
const SEEN_INTERVAL: TimeDelta = TimeDelta::minutes(15);

named! {
    /// The status of a project user, which determines whether their data may be written
    /// (docs/contract.md#project-users).
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum UserStatus: "the name used in the API and in the database" {
        /// The user uses the project.
        Connected = "connected",
        /// The user left the project, and can connect again.
        Disconnected = "disconnected",
        /// The project blocked the user.
        Blocked = "blocked",
    }
}

impl UserStatus {
    /// Parses a stored name. Maps an unknown name, stored by a newer version, to [`Self::Blocked`].
    pub fn from_stored(text: &str) -> Self {
        Self::parse(text).unwrap_or(Self::Blocked)
    }
}

/// An account that uses a project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProjectUser {
    /// Unique ID of the project user. It differs from the account's ID, so that projects cannot match their users.
    pub id: ProjectUserId,
    /// The project that the account uses.
    pub project_id: ProjectId,
    /// The account.
    pub account_id: AccountId,
    /// The account's DID.
    pub user_did: String,
    /// Where the person's data is stored: the base URL of this service.
    pub pds_url: String,
    /// The status, which determines whether the user's data may be written.
    pub status: UserStatus,
    /// Data that the project stores about the person.
    pub meta: JsonObject,
    /// The account's name and username, as shown to the project.
    pub profile: JsonObject,
    /// When the person last used the project, with a precision of 15 minutes.
    pub last_seen_at: Time,
    /// When the person first connected.
    pub created_at: Time,
    /// When the project started to delete the user. Such a user is blocked, and their data is not shown to anybody.
    pub deletion_started_at: Option<Time>,
    /// The revision, for compare-and-set.
    pub revision: Revision,
}

impl Audited for ProjectUser {
    const KIND: ResourceKind = ResourceKind::ProjectUser;

    fn owner_ids(&self) -> OwnerIds {
        (None, Some(self.project_id))
    }

    fn audit_view(&self) -> Option<AuditView> {
        // Audit events outlive the user, so they must not identify the account.
        AuditView::of(self.id, json!({"status": self.status.as_str()}))
    }
}

impl ProjectUser {
    /// The member of the metadata that marks a test person: a developer who connected to their own project to try it.
    pub const TEST_PERSON: &'static str = "test_person";

    /// Returns whether the user is marked as a test person.
    pub fn is_test_person(&self) -> bool {
        self.meta.members().get(Self::TEST_PERSON) == Some(&Value::Bool(true))
    }

    /// Creates a user for an account that connects for the first time.
    pub fn new(id: ProjectUserId, project: ProjectId, account: &Account, address: &ServiceAddress, now: Time) -> Self {
        Self {
            id,
            project_id: project,
            account_id: account.id,
            user_did: address.account_did(account.id),
            pds_url: address.as_str().to_owned(),
            status: UserStatus::Connected,
            meta: JsonObject::default(),
            profile: profile_of(account),
            last_seen_at: now,
            created_at: now,
            deletion_started_at: None,
            revision: Revision::FIRST,
        }
    }

    /// Returns the user as one whose deletion starts at `now`, unless it started earlier.
    pub fn deleting(&self, now: Time) -> Self {
        let deletion_started_at = self.deletion_started_at.or(Some(now));
        Self { status: UserStatus::Blocked, deletion_started_at, ..self.clone() }
    }

    /// Returns whether the user is being deleted.
    pub const fn is_being_deleted(&self) -> bool {
        self.deletion_started_at.is_some()
    }

    /// Returns the user as connected and last seen at `now`; `None` if the project blocked the user.
    pub fn seen(&self, account: &Account, now: Time) -> Option<Self> {
        (self.status != UserStatus::Blocked).then(|| Self {
            status: UserStatus::Connected,
            profile: profile_of(account),
            last_seen_at: now,
            ..self.clone()
        })
    }

    /// Returns whether to record that the person uses the project at `now`: if the last record is at least 15 minutes
    /// old, or from an earlier day.
    pub fn needs_activity_update(&self, now: Time) -> bool {
        now - self.last_seen_at >= SEEN_INTERVAL || now.date_naive() > self.last_seen_at.date_naive()
    }

    /// Returns the text that a search matches: name, username and DID in lowercase, one per line.
    pub fn search_text(&self) -> String {
        let text = |name: &str| self.profile.members().get(name).and_then(Value::as_str).unwrap_or_default();
        format!("{}\n{}\n{}", text("name"), text("username"), self.user_did).to_lowercase()
    }
}

/// A user as the administrators of the project see them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VisibleUser {
    /// The user.
    pub user: ProjectUser,
    /// The current address of the account, if the person granted the scope `email` to the project and did not revoke
    /// it.
    pub email: Option<Email>,
}

/// A search text, matched case-insensitively against name, username and DID: 1 to 100 characters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UserSearch {
    text: String,
    folded: String,
    email: Option<Email>,
}

impl UserSearch {
    /// The permitted numbers of characters.
    pub const LENGTH: std::ops::RangeInclusive<usize> = 1..=100;

    /// Trims and validates the text.
    pub fn parse(text: &str) -> Result<Self, InvalidValue> {
        let text = text.trim();
        if Self::LENGTH.contains(&text.chars().count()) && !text.contains(char::is_control) {
            Ok(Self { text: text.to_owned(), folded: text.to_lowercase(), email: Email::parse(text).ok() })
        } else {
            Err(InvalidValue("must be 1 to 100 characters without control characters"))
        }
    }

    /// Returns the trimmed text.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Returns whether a text contains the search text, ignoring case.
    pub fn matches(&self, text: &str) -> bool {
        text.to_lowercase().contains(&self.folded)
    }

    /// Returns the text as an address; `None` if it is not a whole one. Part of an address finds nobody, so that a
    /// search needs no scan of all addresses.
    pub fn email(&self) -> Option<Email> {
        self.email.clone()
    }

    /// Returns the text in lowercase, to be matched against [`ProjectUser::search_text`].
    pub fn folded(&self) -> &str {
        &self.folded
    }
}

/// A filter for listing the users of a project.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct UserFilter {
    /// Only users with this status; `None` for all.
    pub status: Option<UserStatus>,
    /// Only users that match this search text; `None` for all.
    pub search: Option<UserSearch>,
}

/// The bearer of a person's token for a project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UserBearer {
    /// The person as a user of the project.
    pub user: ProjectUser,
    /// The project that the token is for.
    pub project: Arc<ProjectInTeam>,
    /// The scopes of the token.
    pub scopes: ScopeSet,
}

/// Returns the part of an account that is shown to the projects it uses.
fn profile_of(account: &Account) -> JsonObject {
    let name = account.name.as_ref().map(|name| name.as_str());
    let username = account.username.as_ref().map(|name| name.as_str());
    let members = [("name", name), ("username", username)].map(|(name, value)| (name.to_owned(), json!(value)));
    JsonObject::parse(members.into_iter().collect()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mocks::{a_user_bearer, instant};

    #[test]
    fn use_of_a_project_is_recorded_every_fifteen_minutes_and_on_each_day() {
        let user = ProjectUser { last_seen_at: instant() - TimeDelta::minutes(10), ..a_user_bearer("ann").user };
        assert!(user.needs_activity_update(instant()), "the day has changed");
        let user = ProjectUser { last_seen_at: instant(), ..user };
        assert!(!user.needs_activity_update(instant() + SEEN_INTERVAL - TimeDelta::microseconds(1)));
        assert!(user.needs_activity_update(instant() + SEEN_INTERVAL));
    }

    #[test]
    fn a_search_text_is_case_insensitive_and_limited() {
        let user = a_user_bearer("Ann_B").user;
        assert!(user.search_text().contains(UserSearch::parse(" aNN_b ").unwrap().folded()));
        assert!(user.search_text().contains(UserSearch::parse("DID:WEB").unwrap().folded()));
        assert_eq!(UserSearch::parse("ÄÖ").unwrap().folded(), "äö");
        for invalid in ["", "  ", "a\nb", "a\0", &"x".repeat(101)] {
            assert!(UserSearch::parse(invalid).is_err(), "{invalid}");
        }
    }
}
