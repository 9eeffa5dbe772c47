//! Rules of the audit log: nothing is lost from a chain, and nobody's place is taken.

use std::sync::Arc;

use chrono::TimeDelta;
use steward_domain::mocks::{CountingIds, FixedClock, MockTokenVault, a_request};
use steward_domain::model::{AuditEvent, AuditFilter, AuditScope, Caller, Identity, Name, PageRequest, Seal};
use steward_domain::usecases::{Access, Audit, Proof, Shares, Teams, Throttle, UpdateTeam};
use uuid::Uuid;

use crate::fixture::{Fresh, World, later};

fn caller(world: &World) -> Caller {
    Caller::new(Identity::Account(world.owner.id), a_request())
}

/// Renames the team this many times, each with an event.
pub(crate) async fn rename(store: &Fresh, world: &World, times: usize) {
    let clock = Arc::new(FixedClock::default());
    let access = Access::new(store.clone(), store.clone(), Arc::new(Throttle::off()), clock.clone());
    let ids = Arc::new(CountingIds::default());
    let teams = Teams::new(access, store.clone(), store.clone(), store.clone(), store.clone(), clock, ids);
    for number in 0..times {
        let name = Some(Name::parse(&format!("Name {number}")).unwrap());
        teams.update(&caller(world), world.team.id, UpdateTeam { name, slug: None }).await.unwrap();
    }
}

/// Seals the log, and forgets it after a time.
pub(crate) fn audit(store: &Fresh, retention: Option<TimeDelta>) -> Audit {
    let clock = Arc::new(FixedClock(later(60_000_000)));
    let mut vault = MockTokenVault::new();
    // Any text but the same one has another digest here; that real ones do is the vault's own test.
    vault
        .expect_sha256()
        .returning(|text| format!("{:08x}{}", text.len(), text.chars().rev().take(600).collect::<String>()));
    let access = Access::new(store.clone(), store.clone(), Arc::new(Throttle::off()), clock.clone());
    let shares = Arc::new(Shares::new(store.clone(), clock.clone(), Uuid::from_u128(1)));
    Audit::new(access, store.clone(), store.clone(), shares, Arc::new(vault), clock, retention)
}

async fn sealed(store: &Fresh, world: &World) -> Vec<AuditEvent> {
    store.sealed_events(AuditScope::Team(world.team.id), 0, 1000).await.unwrap()
}

fn positions(events: &[AuditEvent]) -> Vec<i64> {
    events.iter().map(|event| event.seal.as_ref().unwrap().position).collect()
}

pub async fn events_get_places_without_a_gap_in_the_order_they_were_written(store: Fresh) {
    let world = World::make(&store, "acme").await;
    rename(&store, &world, 3).await;
    assert_eq!(store.next_unsealed_team(None).await.unwrap(), Some(world.team.id));
    assert_eq!(store.next_unsealed_team(Some(world.team.id)).await.unwrap(), None);
    assert_eq!(audit(&store, None).seal().await.unwrap(), 3);
    rename(&store, &world, 2).await;
    assert_eq!(audit(&store, None).seal().await.unwrap(), 2);
    let events = sealed(&store, &world).await;
    assert_eq!(positions(&events), [1, 2, 3, 4, 5]);
    let names: Vec<_> = events.iter().map(|event| event.after.as_ref().unwrap()["name"].clone()).collect();
    assert_eq!(names, ["Name 0", "Name 1", "Name 2", "Name 0", "Name 1"]);
    let rest = store.sealed_events(AuditScope::Team(world.team.id), 3, 1).await.unwrap();
    assert_eq!(positions(&rest), [4]);
    assert_eq!(store.next_unsealed_team(None).await.unwrap(), None);
    assert_eq!(store.sealed_teams(None, 10).await.unwrap(), [world.team.id]);
    assert_eq!(store.sealed_teams(Some(world.team.id), 10).await.unwrap(), []);
}

pub async fn of_many_who_seal_at_once_each_event_gets_one_place(store: Fresh) {
    let world = World::make(&store, "acme").await;
    rename(&store, &world, 40).await;
    let sealers = (0..8).map(|_| {
        let store = store.clone();
        tokio::spawn(async move { audit(&store, None).seal().await.unwrap() })
    });
    for sealer in sealers.collect::<Vec<_>>() {
        sealer.await.unwrap();
    }
    assert_eq!(positions(&sealed(&store, &world).await), (1..=40).collect::<Vec<i64>>());
    let proof = audit(&store, None).prove(world.team.id).await.unwrap();
    assert!(matches!(proof, Proof::Holds { events: 40, .. }), "{proof:?}");
}

pub async fn a_place_is_given_once(store: Fresh) {
    let world = World::make(&store, "acme").await;
    rename(&store, &world, 2).await;
    let (_, events) = store.unsealed_events(world.team.id, 10).await.unwrap();
    let seal = |position| Seal { position, prev: "p".into(), hash: "h".into() };
    let both = [(events[0].number, seal(1)), (events[1].number, seal(1))];
    assert!(!store.seal(world.team.id, &both, &[], later(0)).await.unwrap(), "one place for two");
    assert_eq!(store.unsealed_events(world.team.id, 10).await.unwrap().1.len(), 2, "all or none");
    assert!(store.seal(world.team.id, &[(events[0].number, seal(1))], &[], later(0)).await.unwrap());
    assert!(
        !store.seal(world.team.id, &[(events[0].number, seal(2))], &[], later(0)).await.unwrap(),
        "two places for one"
    );
    let other = World::make(&store, "other").await;
    assert!(
        !store.seal(other.team.id, &[(events[1].number, seal(2))], &[], later(0)).await.unwrap(),
        "another team's event"
    );
}

pub async fn the_log_is_narrowed_by_each_filter_and_to_its_team(store: Fresh) {
    let (world, other) = (World::make(&store, "acme").await, World::make(&store, "other").await);
    rename(&store, &world, 3).await;
    rename(&store, &other, 1).await;
    let of_team = AuditScope::Team(world.team.id);
    let shown = store.audit_events(of_team, &AuditFilter::default(), &PageRequest::FIRST).await.unwrap().items;
    assert!(shown.len() == 3 && shown.iter().all(|event| event.seal.is_none()), "also what has no place yet");
    assert_eq!(sealed(&store, &world).await, [], "and that is not among what is in order");
    audit(&store, None).seal().await.unwrap();
    let found = async |scope, filter: AuditFilter| {
        store.audit_events(scope, &filter, &PageRequest::FIRST).await.unwrap().items.len()
    };
    let any = AuditFilter::default;
    assert_eq!(found(of_team, any()).await, 3);
    assert_eq!(found(AuditScope::Project(world.team.id, world.project.id), any()).await, 0);
    assert_eq!(found(of_team, AuditFilter { actor: Some(world.owner.id.uuid()), ..any() }).await, 3);
    assert_eq!(found(of_team, AuditFilter { actor: Some(other.owner.id.uuid()), ..any() }).await, 0);
    assert_eq!(found(of_team, AuditFilter { action: Some("team.updated".into()), ..any() }).await, 3);
    assert_eq!(found(of_team, AuditFilter { action: Some("team.deleted".into()), ..any() }).await, 0);
    assert_eq!(found(of_team, AuditFilter { target: Some(world.team.id.to_string()), ..any() }).await, 3);
    assert_eq!(found(of_team, AuditFilter { target: Some(other.team.id.to_string()), ..any() }).await, 0);
    assert_eq!(found(of_team, AuditFilter { from: Some(later(1)), ..any() }).await, 0);
    assert_eq!(found(of_team, AuditFilter { to: Some(later(0)), ..any() }).await, 0);
    assert_eq!(found(of_team, AuditFilter { from: Some(later(0)), to: Some(later(1)), ..any() }).await, 3);
    let first = PageRequest { limit: Some(2), after: None, ..PageRequest::FIRST };
    let page = store.audit_events(of_team, &any(), &first).await.unwrap();
    let second = PageRequest { limit: Some(2), after: page.next.clone(), ..PageRequest::FIRST };
    let rest = store.audit_events(of_team, &any(), &second).await.unwrap();
    assert_eq!((page.items.len(), rest.items.len(), rest.next), (2, 1, None));
    assert!(page.items[1].number > rest.items[0].number, "newest first, also within one moment");
}

pub async fn old_events_are_forgotten_but_not_the_end_of_a_chain(store: Fresh) {
    let world = World::make(&store, "acme").await;
    rename(&store, &world, 5).await;
    let old = audit(&store, Some(TimeDelta::seconds(1)));
    old.seal().await.unwrap();
    rename(&store, &world, 1).await;
    while old.forget_step().await.unwrap().more {}
    assert_eq!(positions(&sealed(&store, &world).await), [5], "the last link stays");
    assert_eq!(store.unsealed_events(world.team.id, 10).await.unwrap().1.len(), 1, "and what has no place yet");
    let proof = old.prove(world.team.id).await.unwrap();
    assert!(matches!(proof, Proof::Holds { events: 1, .. }), "{proof:?}");
    old.seal().await.unwrap();
    let proof = old.prove(world.team.id).await.unwrap();
    assert!(matches!(proof, Proof::Holds { events: 2, .. }), "{proof:?}");
    assert_eq!(audit(&store, None).forget_step().await.unwrap().done, 0, "without a retention nothing goes");
}

/// The chain after one step of forgetting.
async fn forgotten(store: &Fresh, world: &World, most: u16) -> Vec<i64> {
    store.forget_chain(Some(world.team.id), later(60_000_000), most).await.unwrap();
    positions(&sealed(store, world).await)
}

pub async fn a_chain_is_forgotten_from_its_beginning_and_some_at_a_time(store: Fresh) {
    let (world, other) = (World::make(&store, "acme").await, World::make(&store, "other").await);
    rename(&store, &world, 5).await;
    rename(&store, &other, 2).await;
    audit(&store, None).seal().await.unwrap();
    assert_eq!(store.forget_chain(Some(world.team.id), later(0), 9).await.unwrap(), 0, "not what is younger");
    assert_eq!(forgotten(&store, &world, 2).await, [3, 4, 5]);
    assert!(matches!(audit(&store, None).prove(world.team.id).await.unwrap(), Proof::Holds { events: 3, .. }));
    assert_eq!(forgotten(&store, &world, 2).await, [5], "the last link stays");
    assert_eq!(forgotten(&store, &world, 2).await, [5]);
    assert_eq!(positions(&sealed(&store, &other).await), [1, 2], "another team's chain");
}

pub async fn teams_take_turns_to_be_sealed(store: Fresh) {
    let (first, second) = (World::make(&store, "acme").await, World::make(&store, "other").await);
    rename(&store, &first, 600).await;
    rename(&store, &second, 1).await;
    let audit = audit(&store, None);
    assert!(audit.seal_step().await.unwrap().more);
    assert!(audit.seal_step().await.unwrap().more);
    assert_eq!(sealed(&store, &second).await.len(), 1, "a team with little waits for one step of another");
    let so_far = sealed(&store, &first).await.len();
    assert!(so_far > 0 && so_far < 600, "{so_far} in one step");
    assert!(audit.seal_step().await.unwrap().done > 0);
    audit.seal().await.unwrap();
    assert_eq!(sealed(&store, &first).await.len(), 600);
}

pub async fn one_holder_has_a_share_until_its_lease_is_over(store: Fresh) {
    let (me, other) = (Uuid::from_u128(1), Uuid::from_u128(2));
    let take = async |share: &str, holder, now, until| {
        store.take_share(share, holder, later(now), later(until)).await.unwrap()
    };
    assert!(take("x", me, 0, 10).await);
    assert!(!take("x", other, 9, 20).await);
    assert!(take("y", other, 9, 20).await, "another share");
    assert!(take("x", me, 9, 20).await, "it is prolonged");
    assert!(!take("x", other, 11, 30).await);
    assert!(take("x", other, 20, 30).await, "it was over");
    assert!(!take("x", me, 21, 40).await);
    store.give_back_shares(other).await.unwrap();
    assert!(take("x", me, 21, 40).await && take("y", me, 0, 1).await);
}

pub async fn of_many_who_want_a_share_one_has_it(store: Fresh) {
    let takers = (1..=20_u128).map(|number| {
        let store = store.clone();
        tokio::spawn(async move { store.take_share("x", Uuid::from_u128(number), later(0), later(10)).await.unwrap() })
    });
    let mut had = 0;
    for taker in takers.collect::<Vec<_>>() {
        had += u8::from(taker.await.unwrap());
    }
    assert_eq!(had, 1);
}
