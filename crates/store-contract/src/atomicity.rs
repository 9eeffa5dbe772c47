//! Rules of changes: whole or not at all.

use serde_json::json;
use steward_domain::error::ResourceKind;
use steward_domain::mocks::a_member;
use steward_domain::model::{AccessBasis, Name, PageRequest, Precondition, Revision, Team};
use steward_domain::ports::CommitError;

use crate::fixture::{Fixture, TestStore, account, change, insert, key, project, team};

pub async fn a_refused_write_takes_the_whole_change_with_it(store: TestStore) {
    let world = Fixture::make(&store, "acme").await;
    let (new, member) = team("new", &world.owner);
    let nobody = a_member(&new, account("nobody").id, "viewer");
    let refused = store.commit(change().insert(new.clone()).insert(member).insert(nobody)).await;
    assert!(matches!(refused, Err(CommitError::Orphaned)), "{refused:?}");
    assert_eq!(store.taken_team_slugs(std::slice::from_ref(&new.slug)).await.unwrap(), []);

    let renamed = Team { name: Name::parse("Renamed").unwrap(), ..world.team.clone() };
    let stale = Team { revision: Revision(7), ..world.team.clone() };
    let refused = store.commit(change().replace(world.team.clone(), renamed).replace(stale.clone(), stale)).await;
    assert!(matches!(refused, Err(CommitError::Stale(ResourceKind::Team))), "{refused:?}");
    let seen = store.team_membership(world.owner.id, world.team.id).await.unwrap().unwrap();
    assert_eq!(seen.team, world.team);

    let kept = key(&world.project, &world.owner);
    let item = world.item("x", json!({}));
    let refused = store.commit(change().insert(kept.clone()).put(item.clone(), Precondition::Exists)).await;
    assert!(matches!(refused, Err(CommitError::Stale(ResourceKind::Item))), "{refused:?}");
    let refused = store.commit(change().put(item, Precondition::None).insert(project("acme", &world.team))).await;
    assert!(matches!(refused, Err(CommitError::Taken(_))), "{refused:?}");
    assert_eq!(store.key(world.project.id, kept.id).await.unwrap(), None);
    assert_eq!(store.item(&world.place("x"), &AccessBasis::default()).await.unwrap(), None);

    insert(&store, [kept.clone().into()]).await;
    assert_eq!(store.keys(world.project.id, &PageRequest::FIRST).await.unwrap().items, [kept]);
}

pub async fn an_answering_store_says_so(store: TestStore) {
    store.check().await.unwrap();
}
