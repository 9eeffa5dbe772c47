//! Rules of the retention of the audit log: only old, sealed events are deleted, and the chains stay valid.

use chrono::TimeDelta;
use steward_domain::administration::{AuditRetention, RetentionCutoff, Verification};

use super::{
    FOREVER, SEALED_AFTER, audit, of_project, of_team, project_chain, put, rename, seal, seal_at, settled, targets,
    team_chain, verified,
};
use crate::fixture::{Fixture, TestStore, later};

async fn delete_old(store: &TestStore, retention: AuditRetention) {
    let audit = audit(store, retention);
    while audit.retention_step().await.unwrap().more {}
}

pub async fn old_events_are_deleted_and_the_chain_stays_valid(store: TestStore) {
    let world = Fixture::make(&store, "acme").await;
    rename(&store, &world, 2).await;
    put(&store, &world, "x", later(1)).await;
    seal(&store).await;
    put(&store, &world, "y", later(2)).await;
    delete_old(&store, FOREVER).await;
    assert_eq!(settled(&store, of_team(&world)).await.len(), 4, "Nothing is deleted without a retention period.");

    let second = Some(TimeDelta::seconds(1));
    delete_old(&store, AuditRetention { events: None, item_changes: second }).await;
    let left = settled(&store, of_team(&world)).await;
    assert_eq!(left.len(), 3, "Sealed item changes can be deleted before events; unsealed ones cannot.");
    assert_eq!(left[2].target_id, "y");
    assert_eq!(verified(&store, project_chain(&world)).await, (1, 1));
    seal(&store).await;

    delete_old(&store, AuditRetention { events: second, item_changes: None }).await;
    assert_eq!(settled(&store, of_team(&world)).await, []);
    assert_eq!(verified(&store, team_chain(&world)).await, (2, 2));
    assert_eq!(verified(&store, project_chain(&world)).await, (2, 2));
    let cutoff = store.retention_cutoff().await.unwrap();
    assert_eq!(cutoff.events, Some(later(SEALED_AFTER - 1_000_000)));
    delete_old(&store, AuditRetention { events: Some(TimeDelta::days(9)), item_changes: None }).await;
    assert_eq!(
        store.retention_cutoff().await.unwrap(),
        cutoff,
        "A longer retention period must not move the cutoff back."
    );
    put(&store, &world, "z", later(3)).await;
    let [event] = settled(&store, of_team(&world)).await.try_into().unwrap();
    assert!(event.position > store.sealed_position().await.unwrap(), "Positions must not be reused.");
}

pub async fn recent_and_unsealed_events_are_retained(store: TestStore) {
    let world = Fixture::make(&store, "acme").await;
    put(&store, &world, "old", later(0)).await;
    put(&store, &world, "young", later(10)).await;
    seal(&store).await;
    put(&store, &world, "unsealed", later(0)).await;
    let retention_cutoff = RetentionCutoff { events: None, item_changes: Some(later(10)) };
    assert_eq!(store.delete_old_events(&retention_cutoff, 10).await.unwrap(), 1);
    assert_eq!(targets(&settled(&store, of_project(&world)).await), ["young", "unsealed"]);
}

pub async fn marks_are_deleted_with_the_events(store: TestStore) {
    let world = Fixture::make(&store, "acme").await;
    put(&store, &world, "x", later(0)).await;
    seal_at(&store, later(5)).await;
    // A mark can be above the position up to which the log is sealed.
    put(&store, &world, "y", later(1)).await;
    seal_at(&store, later(6)).await;
    let delete = async |before| {
        let cutoff = RetentionCutoff { events: Some(later(before)), item_changes: Some(later(before)) };
        store.delete_old_events(&cutoff, 10).await.unwrap()
    };
    while delete(5).await > 0 {}
    assert_eq!(settled(&store, of_team(&world)).await, []);
    assert_eq!([delete(6).await, delete(6).await], [1, 0]);
}

pub async fn seals_are_deleted_from_the_start_of_a_chain(store: TestStore) {
    let world = Fixture::make(&store, "acme").await;
    for number in 0..5 {
        put(&store, &world, "x", later(number)).await;
        seal_at(&store, later(number)).await;
    }
    let chain = project_chain(&world);
    let numbers =
        async || store.seals(chain, 0, 10).await.unwrap().into_iter().map(|seal| seal.number).collect::<Vec<_>>();
    assert_eq!(store.delete_seals(chain, later(0), 9).await.unwrap(), 0, "Newer seals must be retained.");
    assert_eq!(store.delete_seals(chain, later(3), 2).await.unwrap(), 2);
    assert_eq!(numbers().await, [3, 4, 5]);
    let retention_cutoff = RetentionCutoff { events: Some(later(0)), item_changes: None };
    store.delete_old_events(&retention_cutoff, 1).await.unwrap();
    assert_eq!(verified(&store, chain).await, (3, 0));
    assert_eq!(store.delete_seals(chain, later(3), 2).await.unwrap(), 1);
    assert_eq!(store.delete_seals(chain, later(9), 9).await.unwrap(), 1);
    assert_eq!(numbers().await, [5], "The last seal must be retained.");
    assert_eq!(store.delete_seals(chain, later(9), 9).await.unwrap(), 0);
}

pub async fn a_chain_that_starts_late_is_broken_unless_events_were_deleted(store: TestStore) {
    let world = Fixture::make(&store, "acme").await;
    for _ in 0..2 {
        put(&store, &world, "x", later(0)).await;
        seal(&store).await;
    }
    let chain = project_chain(&world);
    store.delete_seals(chain, later(SEALED_AFTER + 1), 1).await.unwrap();
    let verified = audit(&store, FOREVER).verify(chain).await.unwrap();
    assert!(matches!(verified, Verification::Broken { number: 2, .. }), "{verified:?}");
}
