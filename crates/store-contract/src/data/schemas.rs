//! Rules of published schema versions.

use serde_json::json;
use steward_domain::kernel::{CommitError, PageRequest, Unique};

use crate::fixture::{Fixture, TestStore, document, insert, schema, try_insert};

pub async fn version_numbers_are_unique_per_project(store: TestStore) {
    let (world, other) = (Fixture::make(&store, "acme").await, Fixture::make(&store, "other").await);
    insert(&store, [schema(&world.project, 1, document(1)).into(), schema(&other.project, 1, document(1)).into()])
        .await;
    let refused = try_insert(&store, [schema(&world.project, 1, document(1)).into()]).await;
    assert!(matches!(refused, Err(CommitError::Taken(Unique::SchemaNumber))), "{refused:?}");
}

pub async fn a_document_round_trips_unchanged(store: TestStore) {
    let world = Fixture::make(&store, "acme").await;
    let sent = json!({
        "zeta": {"b": [1, 2.5, -0.1, 1e22, 18_446_744_073_709_551_615_u64, "😀", null], "a": {}},
        "version": 1, "tables": {"T": {"fields": {"z": {"type": "json", "note": "x"}, "a": {"type": "string"}}}},
        "project_id": "p",
    });
    insert(&store, [schema(&world.project, 1, sent.clone()).into()]).await;
    let found = store.newest_schema(world.project.id).await.unwrap().unwrap();
    assert_eq!(found.document.to_json(), sent.to_string());
}

pub async fn versions_are_listed_newest_first(store: TestStore) {
    let (world, other) = (Fixture::make(&store, "acme").await, Fixture::make(&store, "other").await);
    assert_eq!(store.newest_schema(world.project.id).await.unwrap(), None);
    for number in 1..=3 {
        insert(&store, [schema(&world.project, number, document(number)).into()]).await;
    }
    let all = store.schemas(world.project.id, &PageRequest::FIRST).await.unwrap().items;
    assert_eq!(all.iter().map(|version| version.number).collect::<Vec<_>>(), [3, 2, 1]);
    assert_eq!(store.newest_schema(world.project.id).await.unwrap().as_ref(), Some(&all[0]));
    assert_eq!(store.schema(world.project.id, 2).await.unwrap().as_ref(), Some(&all[1]));
    assert_eq!(store.schema(world.project.id, 4).await.unwrap(), None);
    assert_eq!(store.schema(world.project.id, u32::MAX).await.unwrap(), None);
    assert_eq!(store.schema(other.project.id, 1).await.unwrap(), None);
}
