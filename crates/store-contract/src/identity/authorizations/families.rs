//! Rules of lists of token families.

use steward_domain::administration::Project;
use steward_domain::identity::{RefreshToken, TokenFamily};
use steward_domain::kernel::changes::Entity;

use super::{family, grant, refresh_token};
use crate::fixture::{Fixture, TestStore, change, insert, later};

/// Stores three families of the owner for the project, or for first-party clients: an active one, which is returned, a
/// revoked one, and one whose refresh token has expired.
async fn insert_families(store: &TestStore, world: &Fixture, project: Option<&Project>) -> TokenFamily {
    let [active, revoked, expired] = [(); 3].map(|()| family(&world.owner, project));
    for family in [&active, &revoked, &expired] {
        insert(store, [family.clone().into()]).await;
    }
    let old = RefreshToken { expires_at: later(100), ..refresh_token(&expired) };
    insert(store, [refresh_token(&active).into(), refresh_token(&revoked).into(), old.into()]).await;
    let revoked_family = TokenFamily { revoked_at: Some(later(3)), ..revoked.clone() };
    store.commit(change().replace(revoked, revoked_family)).await.unwrap();
    active
}

pub async fn active_families_are_those_of_the_account_and_client(store: TestStore) {
    let (world, other) = (Fixture::make(&store, "acme").await, Fixture::make(&store, "other").await);
    let all: [Entity; 3] = [
        grant(&world.owner, &world.project).into(),
        grant(&world.owner, &other.project).into(),
        grant(&other.owner, &world.project).into(),
    ];
    insert(&store, all).await;
    let first_party = insert_families(&store, &world, None).await;
    let of_project = insert_families(&store, &world, Some(&world.project)).await;
    let elsewhere = insert_families(&store, &world, Some(&other.project)).await;
    insert_families(&store, &other, None).await;
    insert_families(&store, &other, Some(&world.project)).await;
    let newer = TokenFamily { created_at: later(9), ..family(&world.owner, Some(&world.project)) };
    insert(&store, [newer.clone().into()]).await;
    insert(&store, [refresh_token(&newer).into()]).await;
    let active = async |project| store.active_families(world.owner.id, project, later(500)).await.unwrap();
    assert_eq!(active(None).await, [first_party]);
    assert_eq!(active(Some(world.project.id)).await, [newer, of_project]);
    assert_eq!(active(Some(other.project.id)).await, [elsewhere]);
}
