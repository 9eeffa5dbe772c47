//! Rules of changes: all writes of a change succeed or none.

use serde_json::json;
use steward_domain::administration::Team;
use steward_domain::kernel::changes::Changes;
use steward_domain::kernel::error::ResourceKind;
use steward_domain::kernel::{AccessBasis, CommitError, Name, PageRequest, Precondition, Revision};
use steward_domain::mocks::{a_member, a_permit_in, instant};

use crate::fixture::{Fixture, TestStore, account, change, insert, key, project, team};
use crate::timing::wait_until;

pub async fn a_refused_write_rolls_back_the_whole_change(store: TestStore) {
    let world = Fixture::make(&store, "acme").await;
    let (new, member) = team("new", &world.owner);
    let orphan = a_member(&new, account("nobody").id, "viewer");
    let refused = store.commit(change().insert(new.clone()).insert(member).insert(orphan)).await;
    assert!(matches!(refused, Err(CommitError::Orphaned)), "{refused:?}");
    assert_eq!(store.taken_team_slugs(std::slice::from_ref(&new.slug)).await.unwrap(), []);

    let renamed = Team { name: Name::parse("Renamed").unwrap(), ..world.team.clone() };
    let stale = Team { revision: Revision(7), ..world.team.clone() };
    let refused = store.commit(change().replace(world.team.clone(), renamed).replace(stale.clone(), stale)).await;
    assert!(matches!(refused, Err(CommitError::Stale(ResourceKind::Team))), "{refused:?}");
    let seen = store.team_membership(world.owner.id, world.team.id).await.unwrap().unwrap();
    assert_eq!(seen.team, world.team);

    let stored = key(&world.project, &world.owner);
    let item = world.item("x", json!({}));
    let refused = store.commit(change().insert(stored.clone()).put(item.clone(), Precondition::Exists)).await;
    assert!(matches!(refused, Err(CommitError::Stale(ResourceKind::Item))), "{refused:?}");
    let refused = store.commit(change().put(item, Precondition::None).insert(project("acme", &world.team))).await;
    assert!(matches!(refused, Err(CommitError::Taken(_))), "{refused:?}");
    assert_eq!(store.key(world.project.id, stored.id).await.unwrap(), None);
    assert_eq!(store.item(&world.place("x"), &AccessBasis::default()).await.unwrap(), None);

    insert(&store, [stored.clone().into()]).await;
    assert_eq!(store.keys(world.project.id, &PageRequest::FIRST).await.unwrap().items, [stored]);
}

pub async fn a_reachable_store_is_healthy(store: TestStore) {
    wait_until("The store is not healthy.", async || store.check().await.is_ok()).await;
}

pub async fn a_write_outside_the_team_or_project_of_its_permit_is_refused(store: TestStore) {
    let (world, other) = (Fixture::make(&store, "acme").await, Fixture::make(&store, "other").await);
    let permit = a_permit_in(world.team.id, Some(world.project.id));
    let changes = || Changes::by(permit.clone(), instant());
    let own = key(&world.project, &world.owner);
    for refused in [
        changes().insert(own.clone()).insert(key(&other.project, &other.owner)),
        changes().put(other.item("x", json!({})), Precondition::None),
        changes().lock(other.team.clone()),
    ] {
        let refused = store.commit(refused).await;
        assert!(matches!(refused, Err(CommitError::Refused(_))), "{refused:?}");
    }
    assert_eq!(store.key(world.project.id, own.id).await.unwrap(), None);
    store.commit(changes().insert(own.clone())).await.unwrap();
    assert!(store.key(world.project.id, own.id).await.unwrap().is_some());
}
