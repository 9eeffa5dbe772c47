//! Things to store: a small world, and variations of what is in it.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use serde_json::{Map, Value, json};
use steward_domain::changes::{Changes, ItemPlace, Subject};
use steward_domain::mocks::{
    a_key, a_member, a_permit, a_permit_resting_on, a_project, a_team, an_account, an_invite, instant,
};
use steward_domain::model::schema::{Document, SchemaVersion};
use steward_domain::model::{
    AccessBasis, Account, ApiKey, Invite, Item, ItemId, ItemValue, JsonObject, KeyDigest, Member, Precondition,
    Project, ProjectUser, Recipient, Revision, Team, Time, UserStatus,
};
use steward_domain::ports::{CommitError, Committed, Store};
use uuid::Uuid;

/// The store under test.
pub type TestStore = Arc<dyn Store>;

/// An id that was not given before.
pub fn id() -> Uuid {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    Uuid::from_u64_pair(0x0194_0000_0000_7000, 0x8000_0000_0000_0000 | NEXT.fetch_add(1, Ordering::Relaxed))
}

/// A moment so many microseconds after the fixtures were made.
pub fn later(micros: i64) -> Time {
    instant() + chrono::TimeDelta::microseconds(micros)
}

/// A change that the service itself makes.
pub fn change() -> Changes {
    Changes::by(a_permit(), instant())
}

/// The same, resting on this.
pub fn change_resting_on(basis: AccessBasis) -> Changes {
    Changes::by(a_permit_resting_on(basis), instant())
}

/// Stores new things.
pub async fn insert(store: &TestStore, subjects: impl IntoIterator<Item = Subject>) {
    try_insert(store, subjects).await.expect("what is new can be stored");
}

/// Tries to store new things.
pub async fn try_insert(
    store: &TestStore,
    subjects: impl IntoIterator<Item = Subject>,
) -> Result<Committed, CommitError> {
    store.commit(subjects.into_iter().fold(change(), Changes::insert)).await
}

/// An account of its own.
pub fn account(username: &str) -> Account {
    Account { id: id().into(), ..an_account(username) }
}

/// A team of this owner, and the owner's membership.
pub fn team(slug: &str, owner: &Account) -> (Team, Member) {
    let team = Team { id: id().into(), owner: owner.id, ..a_team(slug) };
    let member = a_member(&team, owner.id, "owner");
    (team, member)
}

/// A project of this team.
pub fn project(slug: &str, team: &Team) -> Project {
    Project { id: id().into(), team_id: team.id, ..a_project(slug) }
}

/// An API key of this project with a digest of its own.
pub fn key(project: &Project, creator: &Account) -> ApiKey {
    let id = id();
    ApiKey {
        id: id.into(),
        project_id: project.id,
        created_by: creator.id,
        digest: KeyDigest { pepper: 1, hex: format!("{}{}", id.as_simple(), id.as_simple()) },
        ..a_key()
    }
}

/// An invite of this team.
pub fn invite(team: &Team, by: &Account, recipient: Recipient) -> Invite {
    Invite { id: id().into(), team_id: team.id, invited_by: by.id, ..an_invite(recipient) }
}

/// A version of a project's schema.
pub fn schema(project: &Project, number: u32, document: Value) -> SchemaVersion {
    SchemaVersion {
        id: id().into(),
        project_id: project.id,
        number,
        document: Document::parse(&document).unwrap(),
        published_at: later(i64::from(number)),
    }
}

/// The smallest document of this version.
pub fn document(version: u32) -> Value {
    json!({"project_id": "p", "version": version, "tables": {}})
}

/// This account's part in this project.
pub fn user(project: &Project, account: &Account) -> ProjectUser {
    ProjectUser {
        id: id().into(),
        project_id: project.id,
        account_id: account.id,
        user_did: "did:web:localhost:u:1".into(),
        pds_url: "http://localhost".into(),
        status: UserStatus::Connected,
        meta: JsonObject::default(),
        profile: JsonObject::default(),
        last_seen_at: instant(),
        created_at: instant(),
        revision: Revision::FIRST,
    }
}

/// Members of a JSON object.
pub fn members(value: Value) -> Map<String, Value> {
    value.as_object().unwrap().clone()
}

/// A team with an owner, a project, and a connected user.
pub struct Fixture {
    pub owner: Account,
    pub team: Team,
    pub member: Member,
    pub project: Project,
    pub user: ProjectUser,
}

impl Fixture {
    /// Stores a world whose slugs and usernames begin with `name`.
    pub async fn make(store: &TestStore, name: &str) -> Self {
        let owner = account(&format!("{name}-owner"));
        let (team, member) = team(name, &owner);
        let project = project(name, &team);
        let user = user(&project, &owner);
        let subjects: [Subject; 5] = [
            owner.clone().into(),
            team.clone().into(),
            member.clone().into(),
            project.clone().into(),
            user.clone().into(),
        ];
        insert(store, subjects).await;
        Self { owner, team, member, project, user }
    }

    /// The place of an item of the user in table `notes`.
    pub fn place(&self, id: &str) -> ItemPlace {
        ItemPlace {
            project_id: self.project.id,
            user_id: self.user.id,
            table: "notes".into(),
            id: ItemId::parse(id).unwrap(),
        }
    }

    /// An item there.
    pub fn item(&self, id: &str, value: Value) -> Item {
        let place = self.place(id);
        Item {
            project_id: place.project_id,
            user_id: place.user_id,
            table: place.table,
            id: place.id,
            value: ItemValue::of(&members(value)),
        }
    }

    /// Puts an item there.
    pub async fn put(
        &self,
        store: &TestStore,
        id: &str,
        value: Value,
        when: Precondition,
    ) -> Result<Committed, CommitError> {
        store.commit(change().put(self.item(id, value), when)).await
    }
}
