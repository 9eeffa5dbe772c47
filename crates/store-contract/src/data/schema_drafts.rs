//! Rules of drafts of schemas.

use chrono::TimeDelta;
use steward_domain::data::{DraftEditor, SchemaDraft};
use steward_domain::identity::{Account, Expiring};
use steward_domain::kernel::{CommitError, Unique};
use steward_domain::mocks::instant;

use crate::fixture::{Fixture, TestStore, account, change, document, insert, later, project, schema};

fn draft(world: &Fixture, account: &Account, content: &str) -> SchemaDraft {
    SchemaDraft {
        project_id: world.project.id,
        account_id: account.id,
        editor: DraftEditor::Json,
        content: content.into(),
        based_on: 0,
        updated_at: later(1),
    }
}

async fn save(store: &TestStore, draft: &SchemaDraft) {
    store.commit(change().save_draft(draft.clone())).await.unwrap();
}

pub async fn each_person_has_a_draft_of_their_own(store: TestStore) {
    let (world, other) = (Fixture::make(&store, "acme").await, Fixture::make(&store, "other").await);
    let ann = account("ann");
    insert(&store, [ann.clone().into()]).await;
    let (first, anns) = (draft(&world, &world.owner, "{\"😀\": "), draft(&world, &ann, "hers"));
    save(&store, &first).await;
    save(&store, &anns).await;
    let second =
        SchemaDraft { editor: DraftEditor::Tables, content: "[]".into(), based_on: 7, updated_at: later(9), ..first };
    save(&store, &second).await;
    let found = async |account: &Account| store.schema_draft(world.project.id, account.id).await.unwrap();
    assert_eq!(found(&world.owner).await, Some(second));
    assert_eq!(found(&ann).await, Some(anns));
    assert_eq!(store.schema_draft(other.project.id, ann.id).await.unwrap(), None);
    assert_eq!(store.schema_drafts(other.project.id).await.unwrap(), []);
    let listed = store.schema_drafts(world.project.id).await.unwrap();
    let listed: Vec<_> = listed.iter().map(|one| (one.account_id, one.based_on, one.updated_at)).collect();
    assert_eq!(listed, [(world.owner.id, 7, later(9)), (ann.id, 0, later(1))]);

    for _ in 0..2 {
        store.commit(change().discard_draft(world.project.id, ann.id)).await.unwrap();
        assert_eq!(found(&ann).await, None);
    }
    assert!(found(&world.owner).await.is_some());
}

pub async fn a_publication_and_its_draft_are_stored_together(store: TestStore) {
    let world = Fixture::make(&store, "acme").await;
    save(&store, &draft(&world, &world.owner, "mine")).await;
    let publish = |number| {
        let version = schema(&world.project, number, document(number));
        change().insert(version).discard_draft(world.project.id, world.owner.id)
    };
    insert(&store, [schema(&world.project, 1, document(1)).into()]).await;
    let refused = store.commit(publish(1)).await;
    assert!(matches!(refused, Err(CommitError::Taken(Unique::SchemaNumber))), "{refused:?}");
    let found = async || store.schema_draft(world.project.id, world.owner.id).await.unwrap();
    assert!(found().await.is_some(), "A refused publication must keep the draft.");
    store.commit(publish(2)).await.unwrap();
    assert_eq!(found().await, None);
}

pub async fn drafts_end_with_their_member_account_or_age(store: TestStore) {
    let (world, other) = (Fixture::make(&store, "acme").await, Fixture::make(&store, "other").await);
    let (ann, second) = (account("ann"), project("second", &world.team));
    insert(&store, [ann.clone().into(), second.clone().into()]).await;
    let member = steward_domain::mocks::a_member(&world.team, ann.id, "developer");
    insert(&store, [member.clone().into()]).await;
    let own = draft(&world, &ann, "first");
    save(&store, &own).await;
    save(&store, &SchemaDraft { project_id: second.id, ..own.clone() }).await;
    save(&store, &SchemaDraft { project_id: other.project.id, ..own.clone() }).await;
    save(&store, &draft(&world, &world.owner, "mine")).await;

    store.commit(change().remove(member)).await.unwrap();
    let found = async |project| store.schema_draft(project, ann.id).await.unwrap().is_some();
    assert!(!found(world.project.id).await && !found(second.id).await);
    assert!(found(other.project.id).await, "A draft in another team must stay.");
    store.commit(change().remove(ann.clone())).await.unwrap();
    assert!(!found(other.project.id).await);

    let mine = async || store.schema_draft(world.project.id, world.owner.id).await.unwrap();
    assert_eq!(store.sweep(Expiring::SchemaDrafts, instant(), 10).await.unwrap(), 0);
    assert!(mine().await.is_some());
    assert_eq!(store.sweep(Expiring::SchemaDrafts, instant() + TimeDelta::days(1), 10).await.unwrap(), 1);
    assert_eq!(mine().await, None);
}
