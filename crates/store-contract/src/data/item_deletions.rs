//! Rules of deletions of items that can be undone.

use chrono::TimeDelta;
use serde_json::json;
use steward_domain::data::{ItemDeletion, SyncSpan};
use steward_domain::identity::Expiring;
use steward_domain::kernel::error::ResourceKind;
use steward_domain::kernel::{AccessBasis, CommitError, Precondition};
use steward_domain::mocks::instant;

use crate::fixture::{Fixture, TestStore, change, id};

fn deletion(world: &Fixture) -> ItemDeletion {
    ItemDeletion {
        project_id: world.project.id,
        id: id().into(),
        user_id: world.user.id,
        table: "notes".into(),
        deleted_by: world.owner.id,
        expires_at: instant() + ItemDeletion::TTL,
    }
}

/// Deletes these items so that it can be undone.
async fn delete(store: &TestStore, world: &Fixture, ids: &[&str]) -> ItemDeletion {
    let deletion = deletion(world);
    let remove = |changes: steward_domain::kernel::changes::Changes, id: &&str| {
        changes.remove_item(world.place(id), Precondition::Exists)
    };
    store.commit(ids.iter().fold(change(), remove).keep_deletion(deletion.clone())).await.unwrap();
    deletion
}

async fn undo(store: &TestStore, deletion: &ItemDeletion) -> Result<(), CommitError> {
    let found = store.item_deletion(deletion.project_id, deletion.user_id, deletion.id).await.unwrap();
    let items = found.map(|(_, items)| items).unwrap_or_default();
    let changes = change().end_deletion(deletion.project_id, deletion.id);
    let restore = |changes: steward_domain::kernel::changes::Changes, item: steward_domain::data::DeletedItem| {
        let created_at = item.created_at;
        changes.restore(deletion.restored(item), created_at)
    };
    store.commit(items.into_iter().fold(changes, restore)).await.map(drop)
}

pub async fn a_deletion_is_undone_exactly_and_once(store: TestStore) {
    let (world, other) = (Fixture::make(&store, "acme").await, Fixture::make(&store, "other").await);
    let basis = AccessBasis::default();
    for (id, value) in [("a", json!({"t": "😀\u{0007}", "n": 1e22})), ("b", json!({}))] {
        world.put(&store, id, value, Precondition::None).await.unwrap();
    }
    let before = store.item(&world.place("a"), &basis).await.unwrap().unwrap();
    let usage = store.project_usage(world.project.id).await.unwrap();
    let kept = delete(&store, &world, &["a", "b"]).await;
    assert_eq!(store.project_usage(world.project.id).await.unwrap().items, 0);
    let listed = store.item_deletions(world.project.id, Some(world.user.id)).await.unwrap();
    assert_eq!(listed, [(kept.clone(), 2)]);
    for (project, user) in [(other.project.id, world.user.id), (world.project.id, other.user.id)] {
        assert_eq!(store.item_deletion(project, user, kept.id).await.unwrap(), None);
        assert_eq!(store.item_deletions(project, Some(user)).await.unwrap(), []);
    }
    assert_eq!(store.item_deletions(world.project.id, None).await.unwrap(), [(kept.clone(), 2)]);
    assert_eq!(store.item_deletions(other.project.id, None).await.unwrap(), []);

    undo(&store, &kept).await.unwrap();
    let after = store.item(&world.place("a"), &basis).await.unwrap().unwrap();
    assert_eq!((&after.item, after.created_at), (&before.item, before.created_at));
    assert_eq!(store.project_usage(world.project.id).await.unwrap(), usage);
    let (owner, span) = ((world.project.id, world.user.id), SyncSpan { after: 0, through: i64::MAX });
    assert_eq!(store.items_deleted(owner, span, None, 10, &basis).await.unwrap().len(), 0);
    let again = undo(&store, &kept).await;
    assert!(matches!(again, Err(CommitError::Stale(ResourceKind::Item))), "{again:?}");
}

pub async fn an_item_that_exists_again_is_not_restored(store: TestStore) {
    let world = Fixture::make(&store, "acme").await;
    for id in ["a", "b"] {
        world.put(&store, id, json!({"v": 1}), Precondition::None).await.unwrap();
    }
    let kept = delete(&store, &world, &["a", "b"]).await;
    world.put(&store, "b", json!({"v": 2}), Precondition::Absent).await.unwrap();
    let refused = undo(&store, &kept).await;
    assert!(matches!(refused, Err(CommitError::Stale(ResourceKind::Item))), "{refused:?}");
    let basis = AccessBasis::default();
    assert_eq!(store.item(&world.place("a"), &basis).await.unwrap(), None, "A refused change must store nothing.");
    let found = store.item_deletion(world.project.id, world.user.id, kept.id).await.unwrap();
    assert_eq!(found.map(|(_, items)| items.len()), Some(2), "A refused change must keep the deletion.");
}

pub async fn deletions_of_a_project_are_bounded(store: TestStore) {
    let (world, other) = (Fixture::make(&store, "acme").await, Fixture::make(&store, "other").await);
    other.put(&store, "x", json!({}), Precondition::None).await.unwrap();
    let others = delete(&store, &other, &["x"]).await;
    let limit = usize::from(ItemDeletion::MAX_PER_PROJECT);
    let mut kept = Vec::new();
    for _ in 0..limit + 2 {
        world.put(&store, "x", json!({}), Precondition::None).await.unwrap();
        kept.push(delete(&store, &world, &["x"]).await.id);
    }
    let listed = store.item_deletions(world.project.id, Some(world.user.id)).await.unwrap();
    let listed: Vec<_> = listed.iter().map(|(one, _)| one.id).rev().collect();
    assert_eq!(listed, kept[2..]);
    assert_eq!(store.item_deletions(other.project.id, Some(other.user.id)).await.unwrap(), [(others, 1)]);
}

pub async fn deletions_end_with_their_user_and_their_time(store: TestStore) {
    let world = Fixture::make(&store, "acme").await;
    let kept = async || store.item_deletions(world.project.id, Some(world.user.id)).await.unwrap().len();
    let delete_one = async || {
        world.put(&store, "x", json!({}), Precondition::None).await.unwrap();
        delete(&store, &world, &["x"]).await;
        assert_eq!(kept().await, 1);
    };
    delete_one().await;
    let expires_at = instant() + ItemDeletion::TTL;
    assert_eq!(store.sweep(Expiring::ItemDeletions, expires_at, 10).await.unwrap(), 0);
    let after = expires_at + TimeDelta::microseconds(1);
    assert_eq!(store.sweep(Expiring::ItemDeletions, after, 10).await.unwrap(), 1);
    assert_eq!(kept().await, 0);

    delete_one().await;
    store.commit(change().erase_items(world.project.id, world.user.id, 10)).await.unwrap();
    assert_eq!(kept().await, 0, "Erased items must not be restored.");
    delete_one().await;
    store.commit(change().remove_user_data(world.project.id, world.user.id, 10)).await.unwrap();
    assert_eq!(kept().await, 0);
    delete_one().await;
    store.commit(change().remove(world.user.clone())).await.unwrap();
    assert_eq!(kept().await, 0);
}
