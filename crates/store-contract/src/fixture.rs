//! Test data: a small fixture and functions that create variations of its parts.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use serde_json::{Map, Value, json};
use steward_domain::Store;
use steward_domain::administration::{ApiKey, Invite, Member, Project, Recipient, Team};
use steward_domain::data::schema::{Document, SchemaVersion};
use steward_domain::data::{Item, ItemId, ItemPath, ItemValue, ProjectUser, UserStatus};
use steward_domain::identity::Account;
use steward_domain::kernel::changes::{Changes, Entity};
use steward_domain::kernel::{
    AccessBasis, CommitError, Committed, JsonObject, KeyDigest, Precondition, Revision, Time,
};
use steward_domain::mocks::{
    a_key, a_member, a_permit, a_permit_with_basis, a_project, a_team, an_account, an_invite, instant,
};
use uuid::Uuid;

/// The store under test.
pub type TestStore = Arc<dyn Store>;

/// Maximum number of writes of a change whose size does not matter, so that it ends in time even on a slow machine.
pub(crate) const MAX_WRITES: usize = 100;

/// Returns a new unique UUID.
pub fn id() -> Uuid {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    Uuid::from_u64_pair(0x0194_0000_0000_7000, 0x8000_0000_0000_0000 | NEXT.fetch_add(1, Ordering::Relaxed))
}

/// Returns the timestamp `micros` microseconds after the creation of the fixtures.
pub fn later(micros: i64) -> Time {
    instant() + chrono::TimeDelta::microseconds(micros)
}

/// Returns an empty change by the service itself.
pub fn change() -> Changes {
    Changes::by(a_permit(), instant())
}

/// Same as [`change`], with an access basis.
pub fn change_with_basis(basis: AccessBasis) -> Changes {
    Changes::by(a_permit_with_basis(basis), instant())
}

/// Inserts rows. Panics on an error.
pub async fn insert(store: &TestStore, entities: impl IntoIterator<Item = Entity>) {
    try_insert(store, entities).await.expect("Unable to insert the test data.");
}

/// Inserts many rows, in several changes. Panics on an error.
pub async fn insert_many(store: &TestStore, entities: impl IntoIterator<Item = Entity>) {
    let mut entities = entities.into_iter().peekable();
    while entities.peek().is_some() {
        insert(store, entities.by_ref().take(MAX_WRITES)).await;
    }
}

/// Inserts rows and returns the result.
pub async fn try_insert(
    store: &TestStore,
    entities: impl IntoIterator<Item = Entity>,
) -> Result<Committed, CommitError> {
    store.commit(entities.into_iter().fold(change(), Changes::insert)).await
}

/// Returns a new account with this username.
pub fn account(username: &str) -> Account {
    Account { id: id().into(), ..an_account(username) }
}

/// Returns a new team and the membership of its owner.
pub fn team(slug: &str, owner: &Account) -> (Team, Member) {
    let team = Team { id: id().into(), owner: owner.id, ..a_team(slug) };
    let member = a_member(&team, owner.id, "owner");
    (team, member)
}

/// Returns a new project of the team.
pub fn project(slug: &str, team: &Team) -> Project {
    Project { id: id().into(), team_id: team.id, ..a_project(slug) }
}

/// Returns a new API key of the project with a unique digest.
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

/// Returns a new invite to the team.
pub fn invite(team: &Team, by: &Account, recipient: Recipient) -> Invite {
    Invite { id: id().into(), team_id: team.id, invited_by: by.id, ..an_invite(recipient) }
}

/// Returns a new schema version of the project.
pub fn schema(project: &Project, number: u32, document: Value) -> SchemaVersion {
    SchemaVersion {
        id: id().into(),
        project_id: project.id,
        number,
        document: Document::parse(&document).unwrap(),
        published_at: later(i64::from(number)),
    }
}

/// Returns the smallest valid schema document with this version.
pub fn document(version: u32) -> Value {
    json!({"project_id": "p", "version": version, "tables": {}})
}

/// Returns a new user of the project for the account.
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
        deletion_started_at: None,
        revision: Revision::FIRST,
    }
}

/// Returns the members of a JSON object. Panics for other values.
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
    /// Creates and stores a fixture. Its slugs and its username start with `name`.
    pub async fn make(store: &TestStore, name: &str) -> Self {
        let owner = account(&format!("{name}-owner"));
        let (team, member) = team(name, &owner);
        let project = project(name, &team);
        let user = user(&project, &owner);
        let entities: [Entity; 5] = [
            owner.clone().into(),
            team.clone().into(),
            member.clone().into(),
            project.clone().into(),
            user.clone().into(),
        ];
        insert(store, entities).await;
        Self { owner, team, member, project, user }
    }

    /// Returns the place of an item of the user in the table `notes`.
    pub fn place(&self, id: &str) -> ItemPath {
        ItemPath {
            project_id: self.project.id,
            user_id: self.user.id,
            table: "notes".into(),
            id: ItemId::stored(id).unwrap(),
        }
    }

    /// Returns an item at this place.
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

    /// Puts an item at this place.
    pub async fn put(
        &self,
        store: &TestStore,
        id: &str,
        value: Value,
        when: Precondition,
    ) -> Result<Committed, CommitError> {
        store.commit(change().put(self.item(id, value), when)).await
    }

    /// Puts this many small items in the table `notes`.
    pub async fn put_many(&self, store: &TestStore, count: usize) {
        let items: Vec<Item> =
            (0..count).map(|number| self.item(&format!("n{number:05}"), json!({"n": number}))).collect();
        for batch in items.chunks(MAX_WRITES) {
            let put = batch.iter().cloned().fold(change(), |changes, item| changes.put(item, Precondition::None));
            store.commit(put).await.expect("Unable to store the items.");
        }
    }
}
