//! Rules that hold when many come at once.

use std::sync::Arc;

use serde_json::json;
use steward_domain::changes::{Changes, Subject};
use steward_domain::error::{Conflict, Error};
use steward_domain::mocks::{FixedClock, a_member, a_request, instant};
use steward_domain::model::{
    AccessBasis, Account, Caller, Identity, Item, Member, PageRequest, Precondition, Recipient,
};
use steward_domain::policy::RoleSet;
use steward_domain::ports::{CommitError, Committed};
use steward_domain::usecases::{Access, Authority, Members, RateLimiter, UpdateMember};
use tokio::task::JoinSet;

use crate::fixture::{Fixture, TestStore, account, change, document, insert, invite, project, schema, team};
use crate::item_queries::ask;

/// Commits all at once; the results in no particular order.
async fn at_once(store: &TestStore, changes: impl IntoIterator<Item = Changes>) -> Vec<Result<Committed, CommitError>> {
    let mut commits = JoinSet::new();
    for change in changes {
        let store = store.clone();
        commits.spawn(async move { store.commit(change).await });
    }
    commits.join_all().await
}

/// Claims that one was stored and that the others were refused, not merely turned away.
#[track_caller]
fn one_wins(results: &[Result<Committed, CommitError>]) {
    let refused =
        |result: &&Result<Committed, CommitError>| matches!(result, Err(CommitError::Taken(_) | CommitError::Stale(_)));
    assert_eq!(results.iter().filter(|result| result.is_ok()).count(), 1, "{results:?}");
    assert_eq!(results.iter().filter(refused).count(), results.len() - 1, "{results:?}");
}

fn fifty(make: impl Fn() -> Subject) -> Vec<Changes> {
    (0..50).map(|_| change().insert(make())).collect()
}

pub async fn of_fifty_who_want_a_slug_one_gets_it(store: TestStore) {
    let world = Fixture::make(&store, "acme").await;
    one_wins(&at_once(&store, fifty(|| team("wanted", &world.owner).0.into())).await);
}

pub async fn of_fifty_who_want_a_project_slug_one_gets_it(store: TestStore) {
    let world = Fixture::make(&store, "acme").await;
    one_wins(&at_once(&store, fifty(|| project("wanted", &world.team).into())).await);
}

pub async fn of_fifty_who_publish_a_version_one_does(store: TestStore) {
    let world = Fixture::make(&store, "acme").await;
    one_wins(&at_once(&store, fifty(|| schema(&world.project, 1, document(1)).into())).await);
    assert_eq!(store.schemas(world.project.id, &PageRequest::FIRST).await.unwrap().items.len(), 1);
}

pub async fn of_fifty_who_accept_an_invite_one_becomes_a_member(store: TestStore) {
    let world = Fixture::make(&store, "acme").await;
    let ann = account("ann");
    let invite = invite(&world.team, &world.owner, Recipient::Username(ann.username.clone().unwrap()));
    insert(&store, [ann.clone().into(), invite.clone().into()]).await;
    let (accepted, member) = invite.clone().accept(&ann, instant()).unwrap();
    let accept = || change().replace(invite.clone(), accepted.clone()).insert(member.clone());
    one_wins(&at_once(&store, (0..50).map(|_| accept())).await);
    assert_eq!(store.members(world.team.id, &PageRequest::FIRST).await.unwrap().items.len(), 2);
}

/// A maker's demotion, which revokes their invite, and the acceptance of that invite, which holds the maker.
pub async fn of_a_demotion_and_an_acceptance_at_once_one_is_stale(store: TestStore) {
    let world = Fixture::make(&store, "acme").await;
    for round in 0..20 {
        let (maker, ann) = (account(&format!("maker-{round}")), account(&format!("ann-{round}")));
        let admin = a_member(&world.team, maker.id, "admin");
        let offer = invite(&world.team, &maker, Recipient::Username(ann.username.clone().unwrap()));
        insert(&store, [maker.clone().into(), ann.clone().into(), admin.clone().into(), offer.clone().into()]).await;
        let (accepted, member) = offer.clone().accept(&ann, instant()).unwrap();
        let accept = change().hold(admin.clone()).replace(offer.clone(), accepted).insert(member);
        let viewer = Member { roles: RoleSet::parse("viewer").unwrap(), ..admin.clone() };
        let demote = change().replace(admin, viewer).replace(offer.clone(), offer.revoke(instant()).unwrap());
        one_wins(&at_once(&store, [accept, demote]).await);
    }
}

/// Invites by one member are accepted side by side.
pub async fn those_who_hold_a_member_do_not_collide(store: TestStore) {
    let world = Fixture::make(&store, "acme").await;
    let people: Vec<_> = (0..30).map(|number| account(&format!("ann-{number}"))).collect();
    insert(&store, people.iter().cloned().map(Into::into)).await;
    let join =
        |person: &Account| change().hold(world.member.clone()).insert(a_member(&world.team, person.id, "viewer"));
    let results = at_once(&store, people.iter().map(join)).await;
    assert!(results.iter().all(Result::is_ok), "{results:?}");
}

fn members(store: &TestStore) -> Members {
    let clock = Arc::new(FixedClock::default());
    let authority = Authority {
        teams: store.clone(),
        keys: store.clone(),
        invites: store.clone(),
        webhooks: store.clone(),
        store: store.clone(),
        clock: clock.clone(),
    };
    let access = Access::new(store.clone(), store.clone(), Arc::new(RateLimiter::off()), clock.clone());
    Members::new(access, store.clone(), authority, store.clone(), clock)
}

pub async fn of_two_owners_who_leave_one_stays(store: TestStore) {
    let world = Fixture::make(&store, "acme").await;
    let second = account("second");
    insert(&store, [second.clone().into(), a_member(&world.team, second.id, "owner").into()]).await;
    let members = members(&store);
    let leave = async |id| {
        let caller = Caller::new(Identity::Account(id), a_request());
        let command = UpdateMember { roles: Some(RoleSet::parse("viewer").unwrap()), role_name: None };
        members.update(&caller, world.team.id, id, command).await
    };
    let results = tokio::join!(leave(world.owner.id), leave(second.id));
    let [first, second] = [results.0, results.1];
    let refused =
        [&first, &second].into_iter().filter(|result| matches!(result, Err(Error::Conflict(Conflict::LastOwner))));
    assert_eq!(refused.count(), 1, "{first:?} {second:?}");
    let left = store.members(world.team.id, &PageRequest::FIRST).await.unwrap().items;
    let owners: Vec<_> = left.iter().filter(|member| member.roles.is_owner()).map(|member| member.account_id).collect();
    let shown = store.team_membership(owners[0], world.team.id).await.unwrap().unwrap().team.owner;
    assert_eq!(owners, [shown]);
}

pub async fn of_fifty_who_make_an_item_one_does(store: TestStore) {
    let world = Fixture::make(&store, "acme").await;
    let make = || change().put(world.item("x", json!({})), Precondition::Absent);
    one_wins(&at_once(&store, (0..50).map(|_| make())).await);
}

pub async fn independent_changes_are_all_kept(store: TestStore) {
    let world = Fixture::make(&store, "acme").await;
    let put = |number: i32| change().put(world.item(&format!("n{number}"), json!({"n": number})), Precondition::None);
    let results = at_once(&store, (0..100).map(put)).await;
    assert!(results.iter().all(Result::is_ok), "{results:?}");
    let all = store
        .items(world.project.id, world.user.id, "notes", &ask(&[("limit", "1000")]), &AccessBasis::default())
        .await
        .unwrap()
        .items;
    assert_eq!(all.len(), 100);
}

pub async fn writes_of_one_item_are_all_counted(store: TestStore) {
    let world = Fixture::make(&store, "acme").await;
    let put = |number: i32| change().put(world.item("x", json!({"n": number})), Precondition::None);
    let results = at_once(&store, (0..20).map(put)).await;
    let created = results.iter().filter(|result| result.as_ref().is_ok_and(|done| done.items[0].created)).count();
    assert_eq!(created, 1, "{results:?}");
    let stored = store.item(&world.place("x"), &AccessBasis::default()).await.unwrap().unwrap();
    assert_eq!(stored.revision.0, Item::first_revision(instant()).0 + 19);
}
