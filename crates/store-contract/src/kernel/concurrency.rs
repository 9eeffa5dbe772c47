//! Rules of concurrent changes.

use serde_json::json;
use steward_domain::administration::{AuditRetention, Member, Members, Recipient, UpdateMember};
use steward_domain::identity::Account;
use steward_domain::kernel::changes::{Changes, Entity};
use steward_domain::kernel::error::{Conflict, Error};
use steward_domain::kernel::policy::{EndableKinds, RoleSet};
use steward_domain::kernel::{
    AccessBasis, Caller, CommitError, Committed, Identity, PageRequest, Precondition, Revision,
};
use steward_domain::mocks::{a_member, a_request, instant, mock_system_ports};

use crate::administration::audit_log::cores;
use crate::data::item_queries::ask;
use crate::fixture::{Fixture, TestStore, account, change, document, insert, invite, project, schema, team};
use crate::timing::{MANY, SOME, run_concurrently};

/// Commits all changes, [`MANY`] of them at the same time. Returns the results in no particular order.
pub(crate) async fn commit_concurrently(
    store: &TestStore,
    changes: impl IntoIterator<Item = Changes>,
) -> Vec<Result<Committed, CommitError>> {
    commit(store, MANY, changes).await
}

/// Like [`commit_concurrently`], with [`SOME`] changes at the same time.
pub(crate) async fn commit_some_concurrently(
    store: &TestStore,
    changes: impl IntoIterator<Item = Changes>,
) -> Vec<Result<Committed, CommitError>> {
    commit(store, SOME, changes).await
}

async fn commit(
    store: &TestStore,
    concurrency: usize,
    changes: impl IntoIterator<Item = Changes>,
) -> Vec<Result<Committed, CommitError>> {
    let commit = |change| {
        let store = store.clone();
        async move { store.commit(change).await }
    };
    run_concurrently(concurrency, changes.into_iter().map(commit)).await
}

/// Asserts that one change was stored and that all others were refused as taken or stale.
#[track_caller]
pub(crate) fn assert_one_succeeds(results: &[Result<Committed, CommitError>]) {
    let refused =
        |result: &&Result<Committed, CommitError>| matches!(result, Err(CommitError::Taken(_) | CommitError::Stale(_)));
    assert_eq!(results.iter().filter(|result| result.is_ok()).count(), 1, "{results:?}");
    assert_eq!(results.iter().filter(refused).count(), results.len() - 1, "{results:?}");
}

fn fifty_inserts(make: impl Fn() -> Entity) -> Vec<Changes> {
    (0..50).map(|_| change().insert(make())).collect()
}

pub async fn one_of_fifty_concurrent_teams_gets_a_slug(store: TestStore) {
    let world = Fixture::make(&store, "acme").await;
    assert_one_succeeds(&commit_concurrently(&store, fifty_inserts(|| team("wanted", &world.owner).0.into())).await);
}

pub async fn one_of_fifty_concurrent_projects_gets_a_slug(store: TestStore) {
    let world = Fixture::make(&store, "acme").await;
    assert_one_succeeds(&commit_concurrently(&store, fifty_inserts(|| project("wanted", &world.team).into())).await);
}

pub async fn one_of_fifty_concurrent_publications_succeeds(store: TestStore) {
    let world = Fixture::make(&store, "acme").await;
    assert_one_succeeds(
        &commit_concurrently(&store, fifty_inserts(|| schema(&world.project, 1, document(1)).into())).await,
    );
    assert_eq!(store.schemas(world.project.id, &PageRequest::FIRST).await.unwrap().items.len(), 1);
}

pub async fn one_of_fifty_concurrent_acceptances_adds_a_member(store: TestStore) {
    let world = Fixture::make(&store, "acme").await;
    let ann = account("ann");
    let invite = invite(&world.team, &world.owner, Recipient::Username(ann.username.clone().unwrap()));
    insert(&store, [ann.clone().into(), invite.clone().into()]).await;
    let (accepted, member) = invite.clone().accept(&ann, instant()).unwrap();
    let accept = || change().replace(invite.clone(), accepted.clone()).insert(member.clone());
    assert_one_succeeds(&commit_concurrently(&store, (0..50).map(|_| accept())).await);
    assert_eq!(store.members(world.team.id, &PageRequest::FIRST).await.unwrap().items.len(), 2);
}

/// Runs the demotion of an inviter, which revokes their invite, and the acceptance of that invite, which holds the
/// inviter.
pub async fn a_concurrent_demotion_or_acceptance_is_stale(store: TestStore) {
    let world = Fixture::make(&store, "acme").await;
    for round in 0..20 {
        let (inviter, ann) = (account(&format!("inviter-{round}")), account(&format!("ann-{round}")));
        let admin = a_member(&world.team, inviter.id, "admin");
        let offer = invite(&world.team, &inviter, Recipient::Username(ann.username.clone().unwrap()));
        insert(&store, [inviter.clone().into(), ann.clone().into(), admin.clone().into(), offer.clone().into()]).await;
        let (accepted, member) = offer.clone().accept(&ann, instant()).unwrap();
        let accept = change().hold(admin.clone()).replace(offer.clone(), accepted).insert(member);
        let viewer = Member { roles: RoleSet::parse("viewer").unwrap(), ..admin.clone() };
        let demote = change().replace(admin, viewer).replace(offer.clone(), offer.revoke(instant()).unwrap());
        assert_one_succeeds(&commit_concurrently(&store, [accept, demote]).await);
    }
}

/// Invites by the same member can be accepted concurrently.
pub async fn changes_that_hold_the_same_member_do_not_conflict(store: TestStore) {
    let world = Fixture::make(&store, "acme").await;
    let people: Vec<_> = (0..30).map(|number| account(&format!("ann-{number}"))).collect();
    insert(&store, people.iter().cloned().map(Into::into)).await;
    let join =
        |person: &Account| change().hold(world.member.clone()).insert(a_member(&world.team, person.id, "viewer"));
    let results = commit_concurrently(&store, people.iter().map(join)).await;
    assert!(results.iter().all(Result::is_ok), "{results:?}");
}

fn members(store: &TestStore) -> Members {
    Members::new(&cores(store, mock_system_ports(), AuditRetention::default()).administration)
}

pub async fn one_of_two_owners_who_leave_concurrently_stays(store: TestStore) {
    let world = Fixture::make(&store, "acme").await;
    let second = account("second");
    insert(&store, [second.clone().into(), a_member(&world.team, second.id, "owner").into()]).await;
    let members = members(&store);
    let leave = async |id| {
        let caller = Caller::new(Identity::Account(id), a_request());
        let command = UpdateMember { roles: Some(RoleSet::parse("viewer").unwrap()), ..UpdateMember::default() };
        members.update(&caller, world.team.id, id, command, &EndableKinds::default(), &Precondition::None).await
    };
    let results = tokio::join!(leave(world.owner.id), leave(second.id));
    let [first, second] = [results.0, results.1];
    let refused =
        [&first, &second].into_iter().filter(|result| matches!(result, Err(Error::Conflict(Conflict::LastOwner))));
    assert_eq!(refused.count(), 1, "{first:?} {second:?}");
    let left = store.members(world.team.id, &PageRequest::FIRST).await.unwrap().items;
    let owners: Vec<_> = left.iter().filter(|member| member.roles.is_owner()).map(|member| member.account_id).collect();
    let team_owner = store.team_membership(owners[0], world.team.id).await.unwrap().unwrap().team.owner;
    assert_eq!(owners, [team_owner]);
}

pub async fn one_of_fifty_concurrent_creations_of_an_item_succeeds(store: TestStore) {
    let world = Fixture::make(&store, "acme").await;
    let make = || change().put(world.item("x", json!({})), Precondition::Absent);
    assert_one_succeeds(&commit_concurrently(&store, (0..50).map(|_| make())).await);
}

pub async fn independent_changes_all_succeed(store: TestStore) {
    let world = Fixture::make(&store, "acme").await;
    let put = |number: i32| change().put(world.item(&format!("n{number}"), json!({"n": number})), Precondition::None);
    let results = commit_concurrently(&store, (0..100).map(put)).await;
    assert!(results.iter().all(Result::is_ok), "{results:?}");
    let all = store
        .items(world.project.id, world.user.id, "notes", &ask(&[("limit", "1000")]), &AccessBasis::default())
        .await
        .unwrap()
        .items;
    assert_eq!(all.len(), 100);
}

pub async fn each_concurrent_write_of_an_item_raises_its_revision(store: TestStore) {
    let world = Fixture::make(&store, "acme").await;
    let put = |number: i32| change().put(world.item("x", json!({"n": number})), Precondition::None);
    let results = commit_concurrently(&store, (0..20).map(put)).await;
    let created = results.iter().filter(|result| result.as_ref().is_ok_and(|done| done.items[0].created)).count();
    assert_eq!(created, 1, "{results:?}");
    let stored = store.item(&world.place("x"), &AccessBasis::default()).await.unwrap().unwrap();
    assert_eq!(stored.revision.0, Revision::first_at(instant()).0 + 19);
}
