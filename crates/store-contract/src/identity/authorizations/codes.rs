//! Rules of lists of authorization codes.

use steward_domain::identity::AuthorizationCode;
use steward_domain::kernel::changes::Entity;

use super::{code, grant};
use crate::fixture::{Fixture, TestStore, change, insert, later};

pub async fn redeemable_codes_are_those_of_the_account_and_project(store: TestStore) {
    let (world, other) = (Fixture::make(&store, "acme").await, Fixture::make(&store, "other").await);
    let grants: [Entity; 3] = [
        grant(&world.owner, &world.project).into(),
        grant(&world.owner, &other.project).into(),
        grant(&other.owner, &world.project).into(),
    ];
    insert(&store, grants).await;
    let own = || code(&world.owner, Some(&world.project));
    let (older, newer) = (own(), AuthorizationCode { created_at: later(9), ..own() });
    for stored in [
        newer.clone(),
        older.clone(),
        AuthorizationCode { redeemed_at: Some(later(3)), ..own() },
        AuthorizationCode { expires_at: later(100), ..own() },
        code(&world.owner, None),
        code(&world.owner, Some(&other.project)),
        code(&other.owner, Some(&world.project)),
    ] {
        insert(&store, [stored.into()]).await;
    }
    let redeemable = async || store.redeemable_codes(world.owner.id, world.project.id, later(100)).await.unwrap();
    assert_eq!(redeemable().await, [newer.clone(), older.clone()]);

    let expired = AuthorizationCode { expires_at: later(100), ..older.clone() };
    store.commit(change().replace(older, expired)).await.unwrap();
    assert_eq!(redeemable().await, [newer]);
}
