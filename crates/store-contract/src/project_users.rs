//! Rules of project users, and of free-form objects in general.

use serde_json::json;
use steward_domain::model::{JsonObject, PageRequest, ProjectUser, UserStatus};
use steward_domain::ports::{CommitError, Unique};

use crate::fixture::{Fresh, World, change, later, members, try_insert, user};

pub async fn an_account_is_in_a_project_once(store: Fresh) {
    let world = World::make(&store, "acme").await;
    let refused = try_insert(&store, [user(&world.project, &world.owner).into()]).await;
    assert!(matches!(refused, Err(CommitError::Taken(Unique::ProjectUser))), "{refused:?}");
    let found = store.user_of(world.project.id, world.owner.id).await.unwrap();
    assert_eq!(found, Some(world.user));
}

pub async fn another_projects_user_is_none(store: Fresh) {
    let (world, other) = (World::make(&store, "acme").await, World::make(&store, "other").await);
    assert_eq!(store.user(world.project.id, world.user.id).await.unwrap().as_ref(), Some(&world.user));
    assert_eq!(store.user(other.project.id, world.user.id).await.unwrap(), None);
    assert_eq!(store.user_of(other.project.id, world.owner.id).await.unwrap(), None);
    let listed = store.users(other.project.id, &PageRequest::ALL).await.unwrap().items;
    assert_eq!(listed, [other.user]);
}

pub async fn free_form_objects_come_back_as_they_went(store: Fresh) {
    let world = World::make(&store, "acme").await;
    let meta = json!({"z": "😀", "a": [0.1, 1e22, -5, i64::MIN, u64::MAX, 1.5e300, null, true], "": {"deep": [[{}]]}});
    let changed = ProjectUser {
        meta: JsonObject::parse(members(meta.clone())).unwrap(),
        status: UserStatus::Blocked,
        last_seen_at: later(7),
        ..world.user.clone()
    };
    store.commit(change().replace(world.user, changed.clone())).await.unwrap();
    let found = store.user(world.project.id, changed.id).await.unwrap().unwrap();
    assert_eq!(found.meta.to_json(), meta.to_string());
    assert_eq!((found.status, found.last_seen_at), (changed.status, changed.last_seen_at));
}
