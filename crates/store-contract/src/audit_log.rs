//! Rules of the audit log: whoever reads in order misses nothing, and nothing is lost from a chain.

use std::sync::Arc;
use std::time::Duration;

use chrono::TimeDelta;
use serde_json::json;
use steward_domain::changes::Changes;
use steward_domain::mocks::{CountingIds, FixedClock, MockTokenVault, a_permit_in, a_request, id_of};
use steward_domain::model::{
    AuditChain, AuditEvent, AuditFilter, AuditScope, Caller, Identity, Name, PageRequest, Precondition, Time,
};
use steward_domain::ports::{RetentionCutoff, SealedBatch};
use steward_domain::usecases::{Access, Audit, AuditRetention, RateLimiter, Shares, Teams, UpdateTeam, Verification};
use tokio::task::JoinSet;
use uuid::Uuid;

use crate::fixture::{Fixture, TestStore, later};

fn caller(world: &Fixture) -> Caller {
    Caller::new(Identity::Account(world.owner.id), a_request())
}

/// Renames the team this many times, each with an event.
pub(crate) async fn rename(store: &TestStore, world: &Fixture, times: usize) {
    let clock = Arc::new(FixedClock::default());
    let access = Access::new(store.clone(), store.clone(), Arc::new(RateLimiter::off()), clock.clone());
    let ids = Arc::new(CountingIds::default());
    let teams = Teams::new(access, store.clone(), store.clone(), store.clone(), store.clone(), clock, ids);
    for number in 0..times {
        let name = Some(Name::parse(&format!("Name {number}")).unwrap());
        teams.update(&caller(world), world.team.id, UpdateTeam { name, slug: None }).await.unwrap();
    }
}

/// Puts an item, as somebody of the team.
async fn put(store: &TestStore, world: &Fixture, id: &str, at: Time) {
    let permit = a_permit_in(world.team.id, Some(world.project.id));
    store.commit(Changes::by(permit, at).put(world.item(id, json!({})), Precondition::None)).await.unwrap();
}

/// When [`audit`] seals.
const SEALED_AFTER: i64 = 60_000_000;

/// Seals the log, and forgets it after a time.
pub(crate) fn audit(store: &TestStore, retention: AuditRetention) -> Audit {
    audit_at(store, later(SEALED_AFTER), retention)
}

fn audit_at(store: &TestStore, now: Time, retention: AuditRetention) -> Audit {
    let clock = Arc::new(FixedClock(now));
    let mut vault = MockTokenVault::new();
    // Any text but the same one has another digest here; that real ones do is the vault's own test.
    vault
        .expect_sha256()
        .returning(|text| format!("{:08x}{}", text.len(), text.chars().rev().take(600).collect::<String>()));
    let access = Access::new(store.clone(), store.clone(), Arc::new(RateLimiter::off()), clock.clone());
    let shares = Arc::new(Shares::new(store.clone(), clock.clone(), Uuid::from_u128(1)));
    Audit::new(access, store.clone(), store.clone(), shares, Arc::new(vault), clock, retention)
}

const FOREVER: AuditRetention = AuditRetention { events: None, item_changes: None };

fn of_team(world: &Fixture) -> AuditScope {
    AuditScope::Team(world.team.id)
}

fn of_project(world: &Fixture) -> AuditScope {
    AuditScope::Project(world.team.id, world.project.id)
}

fn team_chain(world: &Fixture) -> AuditChain {
    AuditChain { team: world.team.id, project: None }
}

fn project_chain(world: &Fixture) -> AuditChain {
    AuditChain { team: world.team.id, project: Some(world.project.id) }
}

/// Seals everything that was written. How many events those were. What is settled depends on what else runs on the server.
pub(crate) async fn seal(store: &TestStore) -> usize {
    seal_at(store, later(SEALED_AFTER)).await
}

async fn seal_at(store: &TestStore, now: Time) -> usize {
    let mut sealed = 0;
    loop {
        sealed += audit_at(store, now, FOREVER).seal().await.unwrap();
        if store.backlog(now).await.unwrap().unsealed_events == 0 {
            return sealed;
        }
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
}

/// What is listed, once it is settled.
async fn settled(store: &TestStore, scope: AuditScope) -> Vec<AuditEvent> {
    let listed = listed(store, scope).await;
    loop {
        let settled = store.settled_events(scope, 0, 1000).await.unwrap();
        if settled.len() == listed.len() {
            return settled;
        }
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
}

async fn listed(store: &TestStore, scope: AuditScope) -> Vec<AuditEvent> {
    store.audit_events(scope, &AuditFilter::default(), &PageRequest::FIRST).await.unwrap().items
}

fn targets(events: &[AuditEvent]) -> Vec<&str> {
    events.iter().map(|event| event.target_id.as_str()).collect()
}

/// How many events are sealed in a chain that holds, and how many of them are forgotten.
async fn verified(store: &TestStore, chain: AuditChain) -> (u64, u64) {
    let verification = audit(store, FOREVER).verify(chain).await.unwrap();
    assert!(matches!(verification, Verification::Holds { .. }), "{verification:?}");
    match verification {
        Verification::Holds { events, forgotten, .. } => (events, forgotten),
        Verification::Broken { .. } => (0, 0),
    }
}

pub async fn events_are_read_in_the_order_in_which_they_were_committed(store: TestStore) {
    let world = Fixture::make(&store, "acme").await;
    rename(&store, &world, 3).await;
    put(&store, &world, "x", later(1)).await;
    rename(&store, &world, 2).await;
    let events = settled(&store, of_team(&world)).await;
    let told: Vec<_> = events.iter().map(|event| event.after.as_ref().unwrap()["name"].clone()).collect();
    let names = ["Name 0", "Name 1", "Name 2"].map(|name| json!(name));
    assert_eq!(told, [&names[..], &[json!(null)], &names[..2]].concat());
    assert!(events.is_sorted_by(|one, next| one.position < next.position));
    let rest = store.settled_events(of_team(&world), events[2].position, 2).await.unwrap();
    assert_eq!(rest, events[3..5]);
    let mut newest_first = listed(&store, of_team(&world)).await;
    newest_first.reverse();
    assert_eq!(newest_first, events);
}

pub async fn changes_of_items_are_events_of_their_project_and_team(store: TestStore) {
    let (world, other) = (Fixture::make(&store, "acme").await, Fixture::make(&store, "other").await);
    put(&store, &world, "x", later(1)).await;
    let permit = a_permit_in(world.team.id, Some(world.project.id));
    let removed = Changes::by(permit, later(2)).remove_item(world.place("x"), Precondition::None);
    store.commit(removed).await.unwrap();
    let events = settled(&store, of_project(&world)).await;
    assert_eq!(events, settled(&store, of_team(&world)).await);
    let told: Vec<_> = events.iter().map(|event| (event.action.as_str(), event.target_id.as_str())).collect();
    assert_eq!(told, [("item.updated", "x"), ("item.deleted", "x")]);
    let place = Some(json!({"user_id": world.user.id.to_string(), "table": "notes"}));
    assert_eq!((&events[0].before, &events[0].after), (&None, &place));
    assert_eq!((&events[1].before, &events[1].after), (&place, &None));
    assert_eq!((events[0].at, events[0].actor.id), (later(1), Some(id_of("owner"))));
    assert!(events.iter().all(AuditEvent::is_item_change));
    assert_eq!((settled(&store, of_project(&other)).await, settled(&store, of_team(&other)).await), (vec![], vec![]));
}

pub async fn who_follows_the_log_beside_many_writers_misses_nothing(store: TestStore) {
    const WRITERS: usize = 16;
    const WRITES: usize = 12;
    let world = Arc::new(Fixture::make(&store, "acme").await);
    let mut writers = JoinSet::new();
    for writer in 0..WRITERS {
        let (store, world) = (store.clone(), world.clone());
        writers.spawn(async move {
            for number in 0..WRITES {
                put(&store, &world, &format!("{writer}-{number}"), later(1)).await;
            }
        });
    }
    let (mut seen, mut after) = (Vec::new(), 0);
    while seen.len() < WRITERS * WRITES {
        let done = writers.is_empty();
        let events = store.settled_events(of_project(&world), after, 7).await.unwrap();
        if done && events.is_empty() && listed(&store, of_project(&world)).await[0].position <= after {
            break;
        }
        after = events.last().map_or(after, |event| event.position);
        seen.extend(events.into_iter().map(|event| event.target_id));
        while writers.try_join_next().is_some() {}
    }
    seen.sort_unstable();
    seen.dedup();
    assert_eq!(seen.len(), WRITERS * WRITES, "each once");
}

pub async fn each_project_has_a_chain_of_its_own(store: TestStore) {
    let (world, other) = (Fixture::make(&store, "acme").await, Fixture::make(&store, "other").await);
    rename(&store, &world, 2).await;
    for id in ["x", "y", "z"] {
        put(&store, &world, id, later(1)).await;
    }
    rename(&store, &other, 1).await;
    assert!(seal(&store).await >= 6);
    put(&store, &world, "z", later(1)).await;
    assert_eq!(seal(&store).await, 1);
    assert_eq!(verified(&store, team_chain(&world)).await, (2, 0));
    assert_eq!(verified(&store, project_chain(&world)).await, (4, 0));
    assert_eq!(verified(&store, team_chain(&other)).await, (1, 0));
    assert_eq!(verified(&store, project_chain(&other)).await, (0, 0));
    let chains = async |team, after| store.chains(team, after, 10).await.unwrap();
    let [first, second, third] = chains(None, None).await.try_into().unwrap();
    assert_eq!(chains(None, Some(first)).await, [second, third]);
    assert_eq!(chains(None, Some(third)).await, []);
    assert_eq!(chains(Some(other.team.id), None).await, [team_chain(&other)]);
    let mut of_world = chains(Some(world.team.id), None).await;
    assert_eq!(chains(Some(world.team.id), of_world.first().copied()).await, of_world[1..]);
    of_world.sort_unstable();
    assert_eq!(of_world, [team_chain(&world), project_chain(&world)]);

    let seals = store.seals(project_chain(&world), 0, 10).await.unwrap();
    assert!(seals.len() > 1 && (1..).zip(&seals).all(|(number, seal)| seal.number == number), "{seals:?}");
    assert_eq!(seals.iter().map(|seal| seal.item_changes.count).sum::<i64>(), 4);
    assert_eq!((&seals[1].prev, seals[1].after), (&seals[0].hash, seals[0].through));
    assert_eq!(store.seals(project_chain(&world), 1, 10).await.unwrap(), seals[1..]);
}

pub async fn of_many_who_seal_at_once_each_event_is_sealed_once(store: TestStore) {
    let world = Fixture::make(&store, "acme").await;
    rename(&store, &world, 40).await;
    let mut sealers = JoinSet::new();
    for _ in 0..8 {
        let store = store.clone();
        sealers.spawn(async move { audit(&store, FOREVER).seal().await.unwrap() });
    }
    sealers.join_all().await;
    seal(&store).await;
    assert_eq!(verified(&store, team_chain(&world)).await, (40, 0));
    let unsealed = store.unsealed_events(10).await.unwrap();
    assert_eq!(unsealed.events.len(), 0);
}

pub async fn a_batch_is_sealed_in_its_turn_only(store: TestStore) {
    let world = Fixture::make(&store, "acme").await;
    rename(&store, &world, 2).await;
    let after = store.sealed_position().await.unwrap();
    let batch = |after, through| SealedBatch { after, through, at: later(0), seals: Vec::new(), wakes: Vec::new() };
    assert!(!store.seal(&batch(after + 1, after + 2)).await.unwrap());
    assert!(store.seal(&batch(after, after + 2)).await.unwrap());
    assert!(!store.seal(&batch(after, after + 2)).await.unwrap(), "somebody was faster");
    assert_eq!(store.sealed_position().await.unwrap(), after + 2);
}

pub async fn the_log_is_narrowed_by_each_filter_and_to_its_team(store: TestStore) {
    let (world, other) = (Fixture::make(&store, "acme").await, Fixture::make(&store, "other").await);
    rename(&store, &world, 3).await;
    rename(&store, &other, 1).await;
    let of_team = of_team(&world);
    assert_eq!(listed(&store, of_team).await.len(), 3, "also what is not sealed");
    let found = async |scope, filter: AuditFilter| {
        store.audit_events(scope, &filter, &PageRequest::FIRST).await.unwrap().items.len()
    };
    let any = AuditFilter::default;
    assert_eq!(found(of_team, any()).await, 3);
    assert_eq!(found(of_project(&world), any()).await, 0);
    assert_eq!(found(of_team, AuditFilter { actor: Some(world.owner.id.uuid()), ..any() }).await, 3);
    assert_eq!(found(of_team, AuditFilter { actor: Some(other.owner.id.uuid()), ..any() }).await, 0);
    assert_eq!(found(of_team, AuditFilter { action: Some("team.updated".into()), ..any() }).await, 3);
    assert_eq!(found(of_team, AuditFilter { action: Some("team.deleted".into()), ..any() }).await, 0);
    assert_eq!(found(of_team, AuditFilter { target: Some(world.team.id.to_string()), ..any() }).await, 3);
    assert_eq!(found(of_team, AuditFilter { target: Some(other.team.id.to_string()), ..any() }).await, 0);
    let first = PageRequest { limit: Some(2), after: None, ..PageRequest::FIRST };
    let page = store.audit_events(of_team, &any(), &first).await.unwrap();
    let second = PageRequest { limit: Some(2), after: page.next.clone(), ..PageRequest::FIRST };
    let rest = store.audit_events(of_team, &any(), &second).await.unwrap();
    assert_eq!((page.items.len(), rest.items.len(), rest.next), (2, 1, None));
    assert!(page.items[1].position > rest.items[0].position, "newest first, also within one moment");
}

pub async fn the_log_is_narrowed_to_a_time_wherever_it_was_sealed(store: TestStore) {
    const HOURS: i64 = 12;
    let world = Fixture::make(&store, "acme").await;
    let hour = |hour: i64| later(0) + TimeDelta::hours(hour);
    for written in 0..HOURS {
        put(&store, &world, &written.to_string(), hour(written)).await;
        // A encrypter that rests now and then.
        if written % 3 != 1 {
            seal_at(&store, hour(written) + TimeDelta::seconds(1)).await;
        }
    }
    for from in 0..HOURS {
        for to in from..=HOURS {
            let filter = AuditFilter { from: Some(hour(from)), to: Some(hour(to)), ..AuditFilter::default() };
            let found = store.audit_events(of_project(&world), &filter, &PageRequest::FIRST).await.unwrap().items;
            let expected: Vec<String> = (from..to).rev().map(|hour| hour.to_string()).collect();
            assert_eq!(targets(&found), expected, "from {from} to {to}");
        }
    }
}

async fn forget(store: &TestStore, retention: AuditRetention) {
    let audit = audit(store, retention);
    while audit.forget_step().await.unwrap().more {}
}

pub async fn old_events_are_forgotten_and_the_chain_still_holds(store: TestStore) {
    let world = Fixture::make(&store, "acme").await;
    rename(&store, &world, 2).await;
    put(&store, &world, "x", later(1)).await;
    seal(&store).await;
    put(&store, &world, "y", later(2)).await;
    forget(&store, FOREVER).await;
    assert_eq!(settled(&store, of_team(&world)).await.len(), 4, "without a retention nothing goes");

    let second = Some(TimeDelta::seconds(1));
    forget(&store, AuditRetention { events: None, item_changes: second }).await;
    let left = settled(&store, of_team(&world)).await;
    assert_eq!(left.len(), 3, "changes of items may go first, unless they are not sealed");
    assert_eq!(left[2].target_id, "y");
    assert_eq!(verified(&store, project_chain(&world)).await, (1, 1));
    seal(&store).await;

    forget(&store, AuditRetention { events: second, item_changes: None }).await;
    assert_eq!(settled(&store, of_team(&world)).await, []);
    assert_eq!(verified(&store, team_chain(&world)).await, (2, 2));
    assert_eq!(verified(&store, project_chain(&world)).await, (2, 2));
    let kept = store.retention_cutoff().await.unwrap();
    assert_eq!(kept.events, Some(later(SEALED_AFTER - 1_000_000)));
    forget(&store, AuditRetention { events: Some(TimeDelta::days(9)), item_changes: None }).await;
    assert_eq!(store.retention_cutoff().await.unwrap(), kept, "what is forgotten stays forgotten");
    put(&store, &world, "z", later(3)).await;
    let [event] = settled(&store, of_team(&world)).await.try_into().unwrap();
    assert!(event.position > store.sealed_position().await.unwrap(), "positions are given once");
}

pub async fn what_is_young_or_not_sealed_is_kept(store: TestStore) {
    let world = Fixture::make(&store, "acme").await;
    put(&store, &world, "old", later(0)).await;
    put(&store, &world, "young", later(10)).await;
    seal(&store).await;
    put(&store, &world, "unsealed", later(0)).await;
    let retention_cutoff = RetentionCutoff { events: None, item_changes: Some(later(10)) };
    assert_eq!(store.forget_old_events(&retention_cutoff, 10).await.unwrap(), 1);
    assert_eq!(targets(&settled(&store, of_project(&world)).await), ["young", "unsealed"]);
}

pub async fn who_has_nothing_to_seal_or_to_forget_holds_no_share(store: TestStore) {
    let world = Fixture::make(&store, "acme").await;
    rename(&store, &world, 1).await;
    seal(&store).await;
    store.give_back_shares(Uuid::from_u128(1)).await.unwrap();
    let audit = audit(&store, FOREVER);
    assert_eq!(audit.seal_step().await.unwrap().done, 0);
    assert_eq!(audit.forget_step().await.unwrap().done, 0);
    for share in ["audit_seal", "audit_retention"] {
        let (now, until) = (later(SEALED_AFTER), later(SEALED_AFTER + 1));
        assert!(store.take_share(share, Uuid::from_u128(2), now, until).await.unwrap(), "{share}");
    }
}

pub async fn a_chain_does_not_begin_late_unless_events_were_forgotten(store: TestStore) {
    let world = Fixture::make(&store, "acme").await;
    for _ in 0..2 {
        put(&store, &world, "x", later(0)).await;
        seal(&store).await;
    }
    let chain = project_chain(&world);
    store.forget_seals(chain, later(SEALED_AFTER + 1), 1).await.unwrap();
    let verified = audit(&store, FOREVER).verify(chain).await.unwrap();
    assert!(matches!(verified, Verification::Broken { number: 2, .. }), "{verified:?}");
}

pub async fn seals_are_forgotten_from_the_beginning_of_a_chain(store: TestStore) {
    let world = Fixture::make(&store, "acme").await;
    for number in 0..5 {
        put(&store, &world, "x", later(number)).await;
        seal_at(&store, later(number)).await;
    }
    let chain = project_chain(&world);
    let numbers =
        async || store.seals(chain, 0, 10).await.unwrap().into_iter().map(|seal| seal.number).collect::<Vec<_>>();
    assert_eq!(store.forget_seals(chain, later(0), 9).await.unwrap(), 0, "not what is younger");
    assert_eq!(store.forget_seals(chain, later(3), 2).await.unwrap(), 2);
    assert_eq!(numbers().await, [3, 4, 5]);
    let retention_cutoff = RetentionCutoff { events: Some(later(0)), item_changes: None };
    store.forget_old_events(&retention_cutoff, 1).await.unwrap();
    assert_eq!(verified(&store, chain).await, (3, 0));
    assert_eq!(store.forget_seals(chain, later(3), 2).await.unwrap(), 1);
    assert_eq!(store.forget_seals(chain, later(9), 9).await.unwrap(), 1);
    assert_eq!(numbers().await, [5], "the last one stays");
    assert_eq!(store.forget_seals(chain, later(9), 9).await.unwrap(), 0);
}

pub async fn much_is_sealed_in_bounded_steps_in_the_order_of_commits(store: TestStore) {
    let (first, second) = (Fixture::make(&store, "acme").await, Fixture::make(&store, "other").await);
    rename(&store, &first, 600).await;
    rename(&store, &second, 1).await;
    settled(&store, of_team(&second)).await;
    let audit = audit(&store, FOREVER);
    let (mut steps, mut sealed) = (0, 0);
    loop {
        let step = audit.seal_step().await.unwrap();
        if !step.more {
            break;
        }
        (steps, sealed) = (steps + 1, sealed + step.done);
    }
    assert!(steps > 1 && sealed >= 601, "{sealed} in {steps} steps");
    assert_eq!(verified(&store, team_chain(&first)).await, (600, 0));
    assert_eq!(verified(&store, team_chain(&second)).await, (1, 0));
}

pub async fn one_holder_has_a_share_until_its_lease_is_over(store: TestStore) {
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

pub async fn of_many_who_want_a_share_one_has_it(store: TestStore) {
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
