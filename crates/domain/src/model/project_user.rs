//! Project users: an account's part in one project.

use std::sync::Arc;

use chrono::TimeDelta;
use serde_json::{Value, json};

use super::{
    Account, AccountId, InvalidValue, JsonObject, ProjectId, ProjectInTeam, ProjectUserId, Revision, ScopeSet,
    ServiceAddress, Time,
};

/// How exactly it is known when somebody last used a project. The day is known exactly.
const SEEN_INTERVAL: TimeDelta = TimeDelta::minutes(15);

/// Whether a project user may be written to (contract 7).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UserStatus {
    /// Uses the project.
    Connected,
    /// Has left it; connecting again brings them back.
    Disconnected,
    /// Was shut out by the project.
    Blocked,
}

impl UserStatus {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Connected, Self::Disconnected, Self::Blocked];

    /// The name on the wire and at rest.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Connected => "connected",
            Self::Disconnected => "disconnected",
            Self::Blocked => "blocked",
        }
    }

    /// Reads a name.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.as_str() == text)
    }

    /// Reads what is stored. Whom a newer version put in a state that this one does not know is shut out.
    pub fn read(text: &str) -> Self {
        Self::parse(text).unwrap_or(Self::Blocked)
    }
}

/// An account's part in one project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProjectUser {
    /// Its id: distinct from the account's, so that projects cannot match their users.
    pub id: ProjectUserId,
    /// The project.
    pub project_id: ProjectId,
    /// The account.
    pub account_id: AccountId,
    /// The account's DID.
    pub user_did: String,
    /// Where the person's data lives: this service's base address.
    pub pds_url: String,
    /// Whether the user may be written to.
    pub status: UserStatus,
    /// What the project notes about the person.
    pub meta: JsonObject,
    /// What the account shows of itself.
    pub profile: JsonObject,
    /// When the person last used the project, to a quarter of an hour.
    pub last_seen_at: Time,
    /// When the person first connected.
    pub created_at: Time,
    /// For compare-and-set.
    pub revision: Revision,
}

impl ProjectUser {
    /// An account that connects for the first time.
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
            revision: Revision::FIRST,
        }
    }

    /// The user, back or still there. `None` when the project shut them out.
    pub fn seen(&self, account: &Account, now: Time) -> Option<Self> {
        (self.status != UserStatus::Blocked).then(|| Self {
            status: UserStatus::Connected,
            profile: profile_of(account),
            last_seen_at: now,
            ..self.clone()
        })
    }
}

impl ProjectUser {
    /// Whether it is worth noting that the person is here now: who uses a project all the time is noted once a quarter of
    /// an hour, and on each day.
    pub fn is_news(&self, now: Time) -> bool {
        now - self.last_seen_at >= SEEN_INTERVAL || now.date_naive() > self.last_seen_at.date_naive()
    }

    /// What a search looks through: name, username and DID in lower case, a line each.
    pub fn searched(&self) -> String {
        let text = |name: &str| self.profile.members().get(name).and_then(Value::as_str).unwrap_or_default();
        format!("{}\n{}\n{}", text("name"), text("username"), self.user_did).to_lowercase()
    }
}

/// Part of a person's name, username or DID, in whatever letter case: 1 to 100 characters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UserSearch(String);

impl UserSearch {
    /// Trims and checks the text.
    pub fn parse(text: &str) -> Result<Self, InvalidValue> {
        let text = text.trim();
        if (1..=100).contains(&text.chars().count()) && !text.contains(char::is_control) {
            Ok(Self(text.to_lowercase()))
        } else {
            Err(InvalidValue("must be 1 to 100 characters, without control characters"))
        }
    }

    /// The text as [`ProjectUser::searched`] would hold it.
    pub fn folded(&self) -> &str {
        &self.0
    }
}

/// Which of a project's users are wanted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct UserFilter {
    /// Those who are so. `None`: all.
    pub status: Option<UserStatus>,
    /// Those who hold this text. `None`: all.
    pub search: Option<UserSearch>,
}

/// A person's token for one project, with what it opens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UserBearer {
    /// The person, as a user of the project.
    pub user: ProjectUser,
    /// The project.
    pub project: Arc<ProjectInTeam>,
    /// What the token allows.
    pub scopes: ScopeSet,
}

/// What an account shows of itself to the projects it uses.
fn profile_of(account: &Account) -> JsonObject {
    let profile = json!({
        "name": account.name.as_ref().map(|name| name.as_str()),
        "username": account.username.as_ref().map(|name| name.as_str()),
    });
    match profile {
        Value::Object(members) => JsonObject::parse(members).unwrap_or_default(),
        _ => JsonObject::default(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mocks::{a_user_bearer, instant};

    #[test]
    fn a_person_is_news_once_in_a_while_and_once_a_day() {
        let user = ProjectUser { last_seen_at: instant() - TimeDelta::minutes(10), ..a_user_bearer("ann").user };
        assert!(user.is_news(instant()), "it is another day, if only just");
        let user = ProjectUser { last_seen_at: instant(), ..user };
        assert!(!user.is_news(instant() + SEEN_INTERVAL - TimeDelta::microseconds(1)));
        assert!(user.is_news(instant() + SEEN_INTERVAL));
    }

    #[test]
    fn a_search_ignores_letter_case_and_has_bounds() {
        let user = a_user_bearer("Ann_B").user;
        assert!(user.searched().contains(UserSearch::parse(" aNN_b ").unwrap().folded()));
        assert!(user.searched().contains(UserSearch::parse("DID:WEB").unwrap().folded()));
        assert_eq!(UserSearch::parse("ÄÖ").unwrap().folded(), "äö");
        for bad in ["", "  ", "a\nb", "a\0", &"x".repeat(101)] {
            assert!(UserSearch::parse(bad).is_err(), "{bad}");
        }
    }
}
