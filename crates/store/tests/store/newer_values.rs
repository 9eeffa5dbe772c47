//! Values that a newer version of the service stored do not break this version: after a rollback, their rows are
//! skipped.

#![expect(clippy::unwrap_used, reason = "a test panics if its setup fails")]

use std::sync::Arc;

use serde_json::json;
use steward_domain::administration::{Invite, Recipient};
use steward_domain::data::schema::FieldType;
use steward_domain::data::{ItemQuery, RawItemQuery};
use steward_domain::identity::{Email, EmailLink, LinkPurpose, ServerKey, ServerKeyPurpose};
use steward_domain::kernel::{AccessBasis, PageRequest, PageSize, Precondition, Revision, TokenDigest};
use steward_store::scratch::{ScratchDatabase, execute_sql};
use steward_store::{PostgresStore, SqliteStore};
use steward_store_contract::fixture::{Fixture, TestStore, id, insert, invite, later};

/// The columns whose values are restricted to those that this version knows.
const RESTRICTED: [(&str, &str); 4] =
    [("server_keys", "kind"), ("email_links", "purpose"), ("invites", "recipient_kind"), ("indexed_fields", "kind")];

fn key(generation: i64) -> ServerKey {
    ServerKey {
        id: id().into(),
        purpose: ServerKeyPurpose::KeyPepper,
        generation,
        encrypted: Vec::new(),
        created_at: later(0),
        use_from: later(0),
        revision: Revision::FIRST,
    }
}

async fn unknown_server_keys_are_skipped(store: &TestStore, execute: &impl Fn(&str)) {
    let (known, unknown) = (key(1), key(2));
    insert(store, [known.clone().into(), unknown.clone().into()]).await;
    execute(&format!("UPDATE server_keys SET kind = 'newer', algorithm = 'newer' WHERE id = '{}'", unknown.id));
    assert_eq!(store.server_keys().await.unwrap(), [known]);
}

async fn unknown_email_links_are_skipped(store: &TestStore, execute: &impl Fn(&str)) {
    let digest = TokenDigest("0".repeat(64));
    let link = EmailLink {
        id: id().into(),
        digest: digest.clone(),
        purpose: LinkPurpose::VerifyEmail,
        email: Email::parse("ann@example.com").unwrap(),
        created_at: later(0),
        expires_at: later(1),
        revision: Revision::FIRST,
    };
    insert(store, [link.into()]).await;
    assert!(store.email_link(&digest).await.unwrap().is_some());
    execute("UPDATE email_links SET purpose = 'newer'");
    assert_eq!(store.email_link(&digest).await.unwrap(), None);
}

async fn unknown_invites_are_skipped(store: &TestStore, world: &Fixture, execute: &impl Fn(&str)) {
    let to = |email: &str| Recipient::Email(Email::parse(email).unwrap());
    let new_invite = |email: &str| invite(&world.team, &world.owner, to(email));
    let (known, unknown): (Invite, Invite) = (new_invite("ann@example.com"), new_invite("bob@example.com"));
    insert(store, [known.clone().into(), unknown.clone().into()]).await;
    execute(&format!("UPDATE invites SET recipient_kind = 'newer' WHERE id = '{}'", unknown.id));

    let (team, now, all) = (world.team.id, later(0), PageRequest::FIRST);
    assert_eq!(store.pending_invites(team, now, &all).await.unwrap().items, std::slice::from_ref(&known));
    assert_eq!(store.pending_invites_by(team, world.owner.id, now).await.unwrap(), std::slice::from_ref(&known));
    let recipients = [known.recipient.clone(), unknown.recipient.clone()];
    let named = store.pending_invites_naming(&recipients, now, &all).await.unwrap().items;
    assert_eq!(named.into_iter().map(|found| found.invite).collect::<Vec<_>>(), [known]);
    assert_eq!(store.invite(unknown.id).await.unwrap(), None);
    assert_eq!(store.pending_invite_for(team, &unknown.recipient).await.unwrap(), None);
}

async fn an_index_of_an_unknown_field_type_is_not_used(store: &TestStore, world: &Fixture, execute: &impl Fn(&str)) {
    world.put(store, "one", json!({"a": "x"}), Precondition::None).await.unwrap();
    execute(&format!(
        "INSERT INTO indexed_fields (project_id, id, table_name, field, kind, state, filled_user, filled_table, \
         filled_item) VALUES ('{}', 1, 'notes', 'a', 'newer', 'filled', '{}', '', '')",
        world.project.id, world.user.id
    ));
    let parameters = vec![("a".to_owned(), "eq.x".to_owned()), ("order".to_owned(), "a".to_owned())];
    let raw = RawItemQuery { parameters, cursor: None, size: PageSize::MAX };
    let query = ItemQuery::parse(&raw, &[("a", FieldType::String)]).unwrap();
    let found = store.items(world.project.id, world.user.id, "notes", &query, &AccessBasis::default()).await.unwrap();
    assert_eq!(found.items.len(), 1);
}

async fn rows_with_unknown_values_are_skipped(store: TestStore, execute: impl Fn(&str)) {
    let world = Fixture::make(&store, "acme").await;
    unknown_server_keys_are_skipped(&store, &execute).await;
    unknown_email_links_are_skipped(&store, &execute).await;
    unknown_invites_are_skipped(&store, &world, &execute).await;
    an_index_of_an_unknown_field_type_is_not_used(&store, &world, &execute).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn rows_with_unknown_values_are_skipped_on_sqlite() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("store.db").display().to_string();
    SqliteStore::migrate(&path).unwrap();
    let store = Arc::new(SqliteStore::open(&path, 2).unwrap());
    let execute =
        |statement: &str| execute_sql(&path, &format!("PRAGMA ignore_check_constraints = ON; {statement}")).unwrap();
    rows_with_unknown_values_are_skipped(store, execute).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn rows_with_unknown_values_are_skipped_on_postgres() {
    let database = ScratchDatabase::migrated().unwrap();
    for (table, column) in RESTRICTED {
        let drop = format!("ALTER TABLE {table} DROP CONSTRAINT {table}_{column}_check");
        execute_sql(&database.url(), &drop).unwrap();
    }
    let store = Arc::new(PostgresStore::open(&database.url(), 2).unwrap());
    let execute = |statement: &str| execute_sql(&database.url(), statement).unwrap();
    rows_with_unknown_values_are_skipped(store, execute).await;
}
