//! Rules of access epochs: statements verify the basis of an access decision, and every write that could change the
//! decision invalidates the basis.

use serde_json::json;
use steward_domain::administration::{ApiKey, Member, Team};
use steward_domain::data::{ProjectUser, UserStatus};
use steward_domain::identity::{AuthenticatorApp, TokenFamily};
use steward_domain::kernel::changes::Changes;
use steward_domain::kernel::{AccessBasis, AccessEpoch, CommitError, Label, Precondition, RoleName};
use steward_domain::mocks::{a_family, id_of};

use crate::data::item_queries::ask;
use crate::fixture::{Fixture, TestStore, change, change_with_basis, document, insert, key, later, schema};
use crate::identity::second_factors::app;

/// Returns the current access basis of a key of the project combined with a sign-in of the owner.
async fn basis(store: &TestStore, world: &Fixture) -> AccessBasis {
    let membership = store.project_membership(world.owner.id, world.project.id).await.unwrap().unwrap();
    let project = Some((world.project.id, membership.project.access_epoch));
    // Only sign-ins read the epoch of an account, so find it by trial.
    let mut basis = AccessBasis { project, account: Some((world.owner.id, AccessEpoch(0))), signed_by: None };
    for epoch in 0..100 {
        basis.account = Some((world.owner.id, AccessEpoch(epoch)));
        if store.is_current(&basis).await.unwrap() {
            break;
        }
    }
    basis
}

fn of_project(basis: AccessBasis) -> AccessBasis {
    AccessBasis { account: None, ..basis }
}

fn of_account(basis: AccessBasis) -> AccessBasis {
    AccessBasis { project: None, ..basis }
}

/// Commits the changes, then asserts whether the project part and the account part of the previous basis are still
/// current.
async fn assert_current_after(
    store: &TestStore,
    world: &Fixture,
    changes: Changes,
    (project, account): (bool, bool),
    description: &str,
) {
    let before = basis(store, world).await;
    store.commit(changes).await.unwrap();
    assert_eq!(store.is_current(&of_project(before)).await.unwrap(), project, "Project basis after {description}.");
    assert_eq!(store.is_current(&of_account(before)).await.unwrap(), account, "Account basis after {description}.");
}

pub async fn only_changes_that_may_end_access_raise_the_epoch(store: TestStore) {
    let world = Fixture::make(&store, "acme").await;
    let (first, second) = (key(&world.project, &world.owner), key(&world.project, &world.owner));
    let of_project = (false, true);
    let of_account = (true, false);
    let none = (true, true);

    let added = change().insert(first.clone()).insert(second.clone());
    assert_current_after(&store, &world, added, none, "a new key").await;
    let renamed = ApiKey { label: Label::parse("other").unwrap(), ..first.clone() };
    assert_current_after(&store, &world, change().replace(first, renamed), of_project, "a changed key").await;
    assert_current_after(&store, &world, change().remove(second), of_project, "a removed key").await;
    let published = schema(&world.project, 1, document(1));
    assert_current_after(&store, &world, change().insert(published), of_project, "a published schema").await;

    let item = change().put(world.item("x", json!({})), Precondition::None);
    assert_current_after(&store, &world, item, none, "an item").await;
    let blocked = ProjectUser { status: UserStatus::Blocked, ..world.user.clone() };
    assert_current_after(&store, &world, change().replace(world.user.clone(), blocked), of_account, "a blocked user")
        .await;

    let family = a_family("ann");
    let family = TokenFamily { account_id: world.owner.id, ..family };
    assert_current_after(&store, &world, change().insert(family.clone()), none, "a sign-in").await;
    let revoked = TokenFamily { revoked_at: Some(later(1)), ..family.clone() };
    assert_current_after(&store, &world, change().replace(family, revoked), of_account, "a sign-out").await;
    let member = store.member(world.team.id, world.owner.id).await.unwrap().unwrap();
    let member = Member { role_name: RoleName::parse("Chief").unwrap(), ..member };
    let changes = change().replace(member.clone(), member);
    assert_current_after(&store, &world, changes, of_account, "changed roles").await;
    let account = store.account(world.owner.id).await.unwrap().unwrap();
    assert_current_after(&store, &world, change().replace(account.clone(), account), of_account, "a changed account")
        .await;
    let app = app(&world.owner);
    assert_current_after(&store, &world, change().insert(app.clone()), of_account, "an authenticator app").await;
    let used = AuthenticatorApp { last_step: app.last_step + 1, ..app.clone() };
    assert_current_after(&store, &world, change().replace(app.clone(), used), none, "a code of the app").await;
    let app = AuthenticatorApp { revision: app.revision.next(), ..app };
    assert_current_after(&store, &world, change().remove(app), of_account, "a removed app").await;
    let stricter = Team { second_factor_from: Some(later(1)), ..world.team.clone() };
    let changes = change().replace(world.team.clone(), stricter);
    assert_current_after(&store, &world, changes, of_project, "a changed team").await;
    let membership = store.project_membership(world.owner.id, world.project.id).await.unwrap().unwrap();
    assert_eq!(membership.project.second_factor_from, Some(later(1)));
    assert_current_after(&store, &world, change().remove(world.project.clone()), of_project, "a deleted project").await;
}

pub async fn a_statement_does_nothing_when_its_access_basis_is_stale(store: TestStore) {
    let world = Fixture::make(&store, "acme").await;
    world.put(&store, "x", json!({"a": 1}), Precondition::None).await.unwrap();
    let before = store.item(&world.place("x"), &AccessBasis::default()).await.unwrap();
    let now = basis(&store, &world).await;
    assert_eq!(store.item(&world.place("x"), &now).await.unwrap(), before);
    let listed = async |basis: &AccessBasis| {
        let found = store.items(world.project.id, world.user.id, "notes", &ask(&[]), basis).await.unwrap();
        found.items.len()
    };
    assert_eq!(listed(&now).await, 1);
    let put = async |id: &str, basis: AccessBasis| {
        store.commit(change_with_basis(basis).put(world.item(id, json!({})), Precondition::None)).await
    };
    put("y", now).await.unwrap();

    let next = |epoch: AccessEpoch| AccessEpoch(epoch.0 + 1);
    let no_key = AccessBasis { signed_by: Some(id_of("key").into()), ..now };
    let other_project = AccessBasis { project: now.project.map(|(id, epoch)| (id, next(epoch))), ..now };
    let other_account = AccessBasis { account: now.account.map(|(id, epoch)| (id, next(epoch))), ..now };
    for stale_basis in [no_key, other_project, other_account] {
        assert!(!store.is_current(&stale_basis).await.unwrap());
        assert_eq!(store.item(&world.place("x"), &stale_basis).await.unwrap(), None);
        assert_eq!(listed(&stale_basis).await, 0);
        for (id, when) in [("x", Precondition::None), ("x", Precondition::Exists), ("z", Precondition::Absent)] {
            let put = change_with_basis(stale_basis).put(world.item(id, json!({})), when);
            assert!(matches!(store.commit(put).await, Err(CommitError::Stale(_))), "{id}");
        }
        let removal = change_with_basis(stale_basis).remove_item(world.place("x"), Precondition::None);
        assert!(matches!(store.commit(removal).await, Err(CommitError::Stale(_))));
        let several = change_with_basis(stale_basis)
            .put(world.item("a", json!({})), Precondition::None)
            .put(world.item("b", json!({})), Precondition::None);
        assert!(store.commit(several).await.is_err());
    }
    assert_eq!(store.item(&world.place("x"), &now).await.unwrap(), before);
    assert_eq!(listed(&now).await, 2);
    insert(&store, [schema(&world.project, 1, document(1)).into()]).await;
    assert_eq!(listed(&now).await, 0);
}
