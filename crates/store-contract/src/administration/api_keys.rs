//! Rules of API keys.

use steward_domain::administration::ApiKey;
use steward_domain::kernel::{
    CommitError, Credential, CredentialUse, KeyDigest, Label, Named, PresentedValue, ProjectId, ReplacedValue,
    ReplacedValues, ResourceScope, Time, Unique,
};

use crate::fixture::{Fixture, TestStore, change, document, insert, insert_many, key, later, schema, try_insert};

fn unknown() -> KeyDigest {
    KeyDigest { pepper: 1, hex: "0".repeat(64) }
}

pub async fn a_key_is_found_by_any_of_several_digests(store: TestStore) {
    let world = Fixture::make(&store, "acme").await;
    let stored = ApiKey { expires_at: Some(later(5)), ..key(&world.project, &world.owner) };
    insert(&store, [stored.clone().into(), schema(&world.project, 1, document(1)).into()]).await;
    let bearer = store.key_bearer(&[unknown(), stored.digest.clone()]).await.unwrap().unwrap();
    assert_eq!((&bearer.key, &bearer.project.project), (&stored, &world.project));
    assert_eq!((bearer.project.team_slug.clone(), bearer.project.schema_number), (world.team.slug, 1));
    assert_eq!(store.key_bearer(&[unknown()]).await.unwrap(), None);
    assert_eq!(store.key_bearer(&[]).await.unwrap(), None);
}

pub async fn a_key_of_another_project_is_not_found(store: TestStore) {
    let (world, other) = (Fixture::make(&store, "acme").await, Fixture::make(&store, "other").await);
    let first = key(&world.project, &world.owner);
    insert(&store, [first.clone().into()]).await;
    assert_eq!(store.key(world.project.id, first.id).await.unwrap().as_ref(), Some(&first));
    assert_eq!(store.key(other.project.id, first.id).await.unwrap(), None);
}

pub async fn key_digests_are_unique(store: TestStore) {
    let world = Fixture::make(&store, "acme").await;
    let first = key(&world.project, &world.owner);
    let second = ApiKey { digest: first.digest.clone(), ..key(&world.project, &world.owner) };
    insert(&store, [first.into()]).await;
    let refused = try_insert(&store, [second.into()]).await;
    assert!(matches!(refused, Err(CommitError::Taken(Unique::KeyDigest))), "{refused:?}");
}

pub async fn a_regenerated_key_is_not_found_by_its_old_digest(store: TestStore) {
    let world = Fixture::make(&store, "acme").await;
    let old = key(&world.project, &world.owner);
    insert(&store, [old.clone().into()]).await;
    let new = ApiKey { digest: KeyDigest { pepper: 2, hex: "f".repeat(64) }, ..old.clone() };
    store.commit(change().replace(old.clone(), new.clone())).await.unwrap();
    assert_eq!(store.key_bearer(&[old.digest]).await.unwrap(), None);
    let found = store.key_bearer(std::slice::from_ref(&new.digest)).await.unwrap().unwrap().key;
    assert_eq!((found.id, found.digest), (old.id, new.digest));
}

pub async fn keys_by_creator_are_limited_to_the_teams_projects(store: TestStore) {
    let (world, other) = (Fixture::make(&store, "acme").await, Fixture::make(&store, "other").await);
    let first = key(&world.project, &world.owner);
    let entities =
        [first.clone(), key(&world.project, &other.owner), key(&other.project, &world.owner)].map(Into::into);
    insert(&store, entities).await;
    assert_eq!(store.keys_created_by(world.team.id, world.owner.id).await.unwrap(), [first]);
}

pub async fn labels_of_keys_of_several_projects_are_listed_newest_first(store: TestStore) {
    let (world, other) = (Fixture::make(&store, "acme").await, Fixture::make(&store, "other").await);
    let labelled = |world: &Fixture, label: &str, hint: &str, age| ApiKey {
        label: Label::parse(label).unwrap(),
        hint: hint.to_owned(),
        created_at: later(age),
        ..key(&world.project, &world.owner)
    };
    let keys = [
        labelled(&world, "Übersicht 100%", "stw_sk_...aaaa", 1),
        labelled(&world, "CI", "stw_sk_...bbBb", 2),
        labelled(&other, "übersicht", "stw_pk_...cccc", 3),
    ];
    insert_many(&store, keys.clone().map(Into::into)).await;
    let [first, second, foreign] = keys.map(|key| Named {
        scope: ResourceScope::Project(key.project_id),
        id: key.id.uuid(),
        name: key.label.to_string(),
        hint: key.hint,
    });
    let (both, own) = ([world.project.id, other.project.id], [world.project.id]);
    let labels = async |projects: &[ProjectId], limit| store.key_labels(projects, limit).await.unwrap();
    assert_eq!(labels(&both, 9).await, [foreign.clone(), second.clone(), first.clone()]);
    assert_eq!(labels(&both, 2).await, [foreign, second.clone()]);
    assert_eq!(labels(&own, 9).await, [second, first], "A key of another project is not listed.");
    assert_eq!(labels(&[], 9).await, []);
}

pub async fn all_keys_by_a_creator_are_found(store: TestStore) {
    let world = Fixture::make(&store, "acme").await;
    insert_many(&store, (0..1_001).map(|_| key(&world.project, &world.owner).into())).await;
    assert_eq!(store.keys_created_by(world.team.id, world.owner.id).await.unwrap().len(), 1_001);
}

fn digest(fill: &str) -> KeyDigest {
    KeyDigest { pepper: 2, hex: fill.repeat(64) }
}

fn replaced(fill: &str, last_used: Option<Time>) -> Option<ReplacedValue<KeyDigest>> {
    Some(ReplacedValue { stored: digest(fill), expires_at: later(9), last_used })
}

pub async fn a_key_is_also_found_by_the_digests_of_replaced_values(store: TestStore) {
    let world = Fixture::make(&store, "acme").await;
    let values = ReplacedValues {
        previous: replaced("e", Some(later(3))),
        earlier: replaced("d", Some(later(2))),
        used_before: Some(later(1)),
    };
    let stored = ApiKey { replaced: values, last_used: Some(later(4)), ..key(&world.project, &world.owner) };
    insert(&store, [stored.clone().into()]).await;
    for (fill, presented) in [("e", PresentedValue::Previous), ("d", PresentedValue::Earlier)] {
        let found = store.key_bearer(&[unknown(), digest(fill)]).await.unwrap().unwrap();
        assert_eq!((&found.key, found.presented), (&stored, presented));
    }
    let clash = [
        ReplacedValues { previous: replaced("e", None), ..ReplacedValues::none() },
        ReplacedValues { earlier: replaced("d", None), ..ReplacedValues::none() },
    ];
    for values in clash {
        let clash = ApiKey { replaced: values, ..key(&world.project, &world.owner) };
        let refused = try_insert(&store, [clash.into()]).await;
        assert!(matches!(refused, Err(CommitError::Taken(Unique::KeyDigest))), "{refused:?}");
    }
}

pub async fn uses_are_recorded_and_digests_are_renewed(store: TestStore) {
    let world = Fixture::make(&store, "acme").await;
    let values =
        ReplacedValues { previous: replaced("e", None), earlier: replaced("d", None), ..ReplacedValues::none() };
    let stored = ApiKey { replaced: values, ..key(&world.project, &world.owner) };
    insert(&store, [stored.clone().into()]).await;
    let used = |value, at, redigested| CredentialUse { credential: Credential::Key(stored.id, value), at, redigested };
    let renewed = KeyDigest { pepper: 3, hex: "a".repeat(64) };
    let uses = [
        used(PresentedValue::Current, later(7), Some((stored.digest.clone(), renewed.clone()))),
        used(PresentedValue::Current, later(5), Some((unknown(), digest("b")))),
        used(PresentedValue::Previous, later(6), Some((digest("e"), digest("c")))),
        used(PresentedValue::Earlier, later(5), Some((digest("d"), digest("b")))),
        CredentialUse {
            credential: Credential::Key(crate::fixture::id().into(), PresentedValue::Current),
            ..used(PresentedValue::Current, later(1), None)
        },
    ];
    store.record_uses(&uses).await.unwrap();
    let found = store.key_bearer(std::slice::from_ref(&renewed)).await.unwrap().unwrap().key;
    let values = ReplacedValues {
        previous: replaced("c", Some(later(6))),
        earlier: replaced("b", Some(later(5))),
        used_before: None,
    };
    let expected = ApiKey { digest: renewed, last_used: Some(later(7)), replaced: values, ..stored.clone() };
    assert_eq!(
        found, expected,
        "The later timestamp is retained, a replaced digest is not renewed, and the revision is not raised."
    );
}

pub async fn regenerating_a_key_counts_as_creating_it(store: TestStore) {
    let (world, other) = (Fixture::make(&store, "acme").await, Fixture::make(&store, "other").await);
    let stored = ApiKey { regenerated_by: Some(other.owner.id), ..key(&world.project, &world.owner) };
    insert(&store, [stored.clone().into()]).await;
    for creator in [world.owner.id, other.owner.id] {
        assert_eq!(store.keys_created_by(world.team.id, creator).await.unwrap(), std::slice::from_ref(&stored));
    }
}
