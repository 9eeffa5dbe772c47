//! Rules of deleted projects and the deletion of their data.

use serde_json::json;
use steward_domain::data::SyncReceipt;
use steward_domain::kernel::{AccessBasis, CommitError, PageRequest, Precondition, Unique};

use crate::fixture::{Fixture, TestStore, change, document, insert, key, project, schema, try_insert};
use crate::identity::authorizations::{family, grant};

pub async fn a_deleted_project_is_not_found(store: TestStore) {
    let world = Fixture::make(&store, "acme").await;
    let (key, family) = (key(&world.project, &world.owner), family(&world.owner, Some(&world.project)));
    let grant = grant(&world.owner, &world.project);
    insert(&store, [key.clone().into(), grant.into(), family.clone().into()]).await;
    assert!(store.key_bearer(std::slice::from_ref(&key.digest)).await.unwrap().is_some());
    assert!(store.user_bearer(family.id, None).await.unwrap().is_some());

    // IDs are public: another project may use this ID as its slug.
    let other = Fixture::make(&store, "other").await;
    insert(&store, [project(&world.project.id.to_string(), &other.team).into()]).await;
    store.commit(change().remove(world.project.clone())).await.unwrap();
    let (id, owner) = (world.project.id, world.owner.id);
    assert_eq!(store.project(id).await.unwrap(), None);
    assert_eq!(store.project_membership(owner, id).await.unwrap(), None);
    assert_eq!(store.projects_of(owner, None, &PageRequest::FIRST).await.unwrap().items, []);
    assert_eq!(store.projects_in(world.team.id, &PageRequest::FIRST).await.unwrap().items, []);
    assert_eq!(store.key_bearer(&[key.digest]).await.unwrap(), None);
    assert_eq!(store.keys_created_by(world.team.id, owner).await.unwrap(), []);
    assert_eq!(store.user_bearer(family.id, None).await.unwrap(), None);
    assert_eq!(store.grants_of(owner).await.unwrap(), []);

    let stale = store.commit(change().remove(world.project.clone())).await;
    assert!(stale.is_err(), "A project can be deleted only once: {stale:?}");
    insert(&store, [project("acme", &world.team).into()]).await;
    let twice = try_insert(&store, [project("acme", &world.team).into()]).await;
    assert!(matches!(twice, Err(CommitError::Taken(Unique::ProjectSlug))), "{twice:?}");
}

pub async fn cleanup_deletes_only_the_projects_rows_in_bounded_steps(store: TestStore) {
    let (world, other) = (Fixture::make(&store, "acme").await, Fixture::make(&store, "other").await);
    for world in [&world, &other] {
        let (key, family) = (key(&world.project, &world.owner), family(&world.owner, Some(&world.project)));
        let schema = schema(&world.project, 1, document(1));
        insert(&store, [key.into(), schema.into(), grant(&world.owner, &world.project).into(), family.into()]).await;
        for id in ["a", "b", "c", "d", "e"] {
            world.put(&store, id, json!({}), Precondition::None).await.unwrap();
        }
        world.put(&store, "gone", json!({}), Precondition::None).await.unwrap();
        let (project_id, user_id) = (world.project.id, world.user.id);
        let receipt = SyncReceipt { project_id, user_id, slot: 0, digest: "d".into() };
        let removal = change().remove_item(world.place("gone"), Precondition::None).record_receipt(receipt);
        store.commit(removal).await.unwrap();
    }
    assert_eq!(store.deleted_project(None).await.unwrap(), None);
    assert!(
        !store.remove_data(world.project.id, 100).await.unwrap(),
        "Data of a project that is not deleted must be retained."
    );
    assert!(store.project(world.project.id).await.unwrap().is_some());

    store.commit(change().remove(world.project.clone())).await.unwrap();
    let mut steps = 1;
    while store.remove_data(world.project.id, 2).await.unwrap() {
        let left = store.deleted_project(None).await.unwrap().unwrap();
        assert_eq!((left.id, left.images), (world.project.id, world.project.images.clone()));
        steps += 1;
    }
    // Five items, a tombstone, a receipt, a user, a family, a grant, a key, and a version, two at a time.
    assert_eq!(steps, 8);
    assert_eq!(store.deleted_project(None).await.unwrap(), None);
    assert_eq!(store.user(world.project.id, world.user.id).await.unwrap(), None);
    store.commit(change().remove(world.team)).await.unwrap();

    for id in ["a", "b", "c", "d", "e"] {
        assert!(
            store.item(&other.place(id), &AccessBasis::default()).await.unwrap().is_some(),
            "Item {id} of another project must be retained."
        );
    }
    assert_eq!(store.grants_of(other.owner.id).await.unwrap().len(), 1);
}
