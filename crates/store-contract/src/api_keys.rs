//! Rules of API keys.

use steward_domain::model::{ApiKey, KeyDigest};
use steward_domain::ports::{CommitError, Unique};

use crate::fixture::{Fresh, World, change, document, insert, key, later, schema, try_insert};

fn unknown() -> KeyDigest {
    KeyDigest { pepper: 1, hex: "0".repeat(64) }
}

pub async fn a_key_is_found_by_any_of_several_digests(store: Fresh) {
    let world = World::make(&store, "acme").await;
    let kept = ApiKey { expires_at: Some(later(5)), ..key(&world.project, &world.owner) };
    insert(&store, [kept.clone().into(), schema(&world.project, 1, document(1)).into()]).await;
    let bearer = store.key_bearer(&[unknown(), kept.digest.clone()]).await.unwrap().unwrap();
    assert_eq!((&bearer.key, &bearer.project.project), (&kept, &world.project));
    assert_eq!((bearer.project.team_slug, bearer.project.schema_number), (world.team.slug, 1));
    assert_eq!(store.key_bearer(&[unknown()]).await.unwrap(), None);
    assert_eq!(store.key_bearer(&[]).await.unwrap(), None);
}

pub async fn another_projects_key_is_none(store: Fresh) {
    let (world, other) = (World::make(&store, "acme").await, World::make(&store, "other").await);
    let own = key(&world.project, &world.owner);
    insert(&store, [own.clone().into()]).await;
    assert_eq!(store.key(world.project.id, own.id).await.unwrap().as_ref(), Some(&own));
    assert_eq!(store.key(other.project.id, own.id).await.unwrap(), None);
}

pub async fn a_digest_is_had_once(store: Fresh) {
    let world = World::make(&store, "acme").await;
    let first = key(&world.project, &world.owner);
    let second = ApiKey { digest: first.digest.clone(), ..key(&world.project, &world.owner) };
    insert(&store, [first.into()]).await;
    let refused = try_insert(&store, [second.into()]).await;
    assert!(matches!(refused, Err(CommitError::Taken(Unique::KeyDigest))), "{refused:?}");
}

pub async fn after_regeneration_the_old_digest_finds_nothing(store: Fresh) {
    let world = World::make(&store, "acme").await;
    let old = key(&world.project, &world.owner);
    insert(&store, [old.clone().into()]).await;
    let new = ApiKey { digest: KeyDigest { pepper: 2, hex: "f".repeat(64) }, ..old.clone() };
    store.commit(change().replace(old.clone(), new.clone())).await.unwrap();
    assert_eq!(store.key_bearer(&[old.digest]).await.unwrap(), None);
    let found = store.key_bearer(std::slice::from_ref(&new.digest)).await.unwrap().unwrap().key;
    assert_eq!((found.id, found.digest), (old.id, new.digest));
}

pub async fn the_keys_that_a_member_made_are_those_in_the_teams_projects(store: Fresh) {
    let (world, other) = (World::make(&store, "acme").await, World::make(&store, "other").await);
    let own = key(&world.project, &world.owner);
    let subjects = [own.clone(), key(&world.project, &other.owner), key(&other.project, &world.owner)].map(Into::into);
    insert(&store, subjects).await;
    assert_eq!(store.keys_made_by(world.team.id, world.owner.id).await.unwrap(), [own]);
}
