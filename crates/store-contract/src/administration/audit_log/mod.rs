//! Rules of the audit log: readers of settled events miss nothing, and no event is lost from a chain.

mod account_events;
mod retention;

use std::sync::Arc;
use std::time::Duration;

use chrono::TimeDelta;
use serde_json::json;
use steward_domain::administration::{
    Audit, AuditChain, AuditEvent, AuditFilter, AuditRetention, ItemChanges, SealedBatch, Teams, UpdateTeam,
    Verification,
};
use steward_domain::kernel::changes::Changes;
use steward_domain::kernel::{
    ActionLimiter, Caller, IdGenerator as _, Identity, Name, PageRequest, Precondition, ResourceScope, ServiceAddress,
    Time,
};
use steward_domain::mocks::{
    CountingIds, FixedClock, MockTokenVault, a_permit_in, a_request, id_of, mock_system_ports,
};
use steward_domain::{Cores, DeliveryPorts, Deployment, Ports, StorePorts, SystemPorts};
use tokio::task::JoinSet;
use uuid::Uuid;

use crate::fixture::{Fixture, TestStore, later};

pub use account_events::events_about_an_account_are_found_and_cleared;
pub use retention::{
    a_chain_that_starts_late_is_broken_unless_events_were_deleted, marks_are_deleted_with_the_events,
    old_events_are_deleted_and_the_chain_stays_valid, recent_and_unsealed_events_are_retained,
    seals_are_deleted_from_the_start_of_a_chain,
};

fn caller(world: &Fixture) -> Caller {
    Caller::new(Identity::Account(world.owner.id), a_request())
}

/// Renames the team `times` times. Each rename writes an event.
pub(crate) async fn rename(store: &TestStore, world: &Fixture, times: usize) {
    let clock = Arc::new(FixedClock::default());
    let system = SystemPorts { clock, ..mock_system_ports() };
    let teams = Teams::new(&cores(store, system, FOREVER).administration);
    for number in 0..times {
        let name = Some(Name::parse(&format!("Name {number}")).unwrap());
        let command = UpdateTeam { name, ..UpdateTeam::default() };
        teams.update(&caller(world), world.team.id, command, &Precondition::None).await.unwrap();
    }
}

/// Puts an item as a member of the team.
async fn put(store: &TestStore, world: &Fixture, id: &str, at: Time) {
    let permit = a_permit_in(world.team.id, Some(world.project.id));
    store.commit(Changes::by(permit, at).put(world.item(id, json!({})), Precondition::None)).await.unwrap();
}

/// The time at which [`audit`] seals, in microseconds after the creation of the fixtures.
const SEALED_AFTER: i64 = 60_000_000;

/// Returns the use case that seals the log and deletes old events.
pub(crate) fn audit(store: &TestStore, retention: AuditRetention) -> Audit {
    audit_at(store, later(SEALED_AFTER), retention)
}

fn audit_at(store: &TestStore, now: Time, retention: AuditRetention) -> Audit {
    let clock = Arc::new(FixedClock(now));
    let mut vault = MockTokenVault::new();
    // A fake digest that differs for different texts. Real digests are tested in the vault.
    vault
        .expect_sha256()
        .returning(|text| format!("{:08x}{}", text.len(), text.chars().rev().take(600).collect::<String>()));
    let system = SystemPorts { clock, vault: Arc::new(vault), ..mock_system_ports() };
    Audit::new(&cores(store, system, retention).administration)
}

/// Returns what the use cases of these tests share.
pub(crate) fn cores(store: &TestStore, system: SystemPorts, audit_retention: AuditRetention) -> Cores {
    let address = ServiceAddress::parse("http://localhost:3003").unwrap();
    let ports = Ports { store: StorePorts::of(store.clone()), system, delivery: DeliveryPorts::default() };
    Cores::new(&ports, Deployment { action_limiter: ActionLimiter::off(), audit_retention, ..Deployment::at(address) })
}

const FOREVER: AuditRetention = AuditRetention { events: None, item_changes: None };

fn of_team(world: &Fixture) -> ResourceScope {
    ResourceScope::Team(world.team.id)
}

fn of_project(world: &Fixture) -> ResourceScope {
    ResourceScope::Project(world.project.id)
}

fn team_chain(world: &Fixture) -> AuditChain {
    AuditChain { team: world.team.id, project: None }
}

fn project_chain(world: &Fixture) -> AuditChain {
    AuditChain { team: world.team.id, project: Some(world.project.id) }
}

/// Seals all written events and returns their number. It waits until they are settled, which depends on other
/// transactions on the server.
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

/// Returns all listed events once they are settled.
async fn settled(store: &TestStore, scope: ResourceScope) -> Vec<AuditEvent> {
    let listed = listed(store, scope).await;
    loop {
        let settled = store.settled_events(scope, 0, 1000).await.unwrap();
        if settled.len() == listed.len() {
            return settled;
        }
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
}

async fn listed(store: &TestStore, scope: ResourceScope) -> Vec<AuditEvent> {
    store.audit_events(scope, &AuditFilter::default(), &PageRequest::FIRST).await.unwrap().items
}

fn targets(events: &[AuditEvent]) -> Vec<&str> {
    events.iter().map(|event| event.target_id.as_str()).collect()
}

/// Asserts that the chain is valid. Returns the number of its sealed events and how many of them are deleted.
async fn verified(store: &TestStore, chain: AuditChain) -> (u64, u64) {
    let verification = audit(store, FOREVER).verify(chain).await.unwrap();
    assert!(matches!(verification, Verification::Holds { .. }), "{verification:?}");
    match verification {
        Verification::Holds { events, forgotten, .. } => (events, forgotten),
        Verification::Broken { .. } => (0, 0),
    }
}

pub async fn events_are_read_in_commit_order(store: TestStore) {
    let world = Fixture::make(&store, "acme").await;
    rename(&store, &world, 3).await;
    put(&store, &world, "x", later(1)).await;
    rename(&store, &world, 2).await;
    let events = settled(&store, of_team(&world)).await;
    let actual: Vec<_> = events.iter().map(|event| event.after.as_ref().unwrap()["name"].clone()).collect();
    let names = ["Name 0", "Name 1", "Name 2"].map(|name| json!(name));
    assert_eq!(actual, [&names[..], &[json!(null)], &names[..2]].concat());
    assert!(events.is_sorted_by(|one, next| one.position < next.position));
    let rest = store.settled_events(of_team(&world), events[2].position, 2).await.unwrap();
    assert_eq!(rest, events[3..5]);
    let mut newest_first = listed(&store, of_team(&world)).await;
    newest_first.reverse();
    assert_eq!(newest_first, events);
}

pub async fn item_changes_are_events_of_their_project_and_team(store: TestStore) {
    let (world, other) = (Fixture::make(&store, "acme").await, Fixture::make(&store, "other").await);
    put(&store, &world, "x", later(1)).await;
    put(&store, &world, "x", later(1)).await;
    let permit = a_permit_in(world.team.id, Some(world.project.id));
    let removed = Changes::by(permit, later(2)).remove_item(world.place("x"), Precondition::None);
    store.commit(removed).await.unwrap();
    let events = settled(&store, of_project(&world)).await;
    assert_eq!(events, settled(&store, of_team(&world)).await);
    let actual: Vec<_> = events.iter().map(|event| (event.action.as_str(), event.target_id.as_str())).collect();
    assert_eq!(actual, [("item.created", "x"), ("item.updated", "x"), ("item.deleted", "x")]);
    let place = Some(json!({"user_id": world.user.id.to_string(), "table": "notes"}));
    assert_eq!((&events[0].before, &events[0].after), (&None, &place));
    assert_eq!((&events[1].before, &events[1].after), (&None, &place));
    assert_eq!((&events[2].before, &events[2].after), (&place, &None));
    assert_eq!((events[0].at, events[0].actor.id), (later(1), Some(id_of("owner"))));
    assert!(events.iter().all(AuditEvent::is_item_change));
    assert_eq!((settled(&store, of_project(&other)).await, settled(&store, of_team(&other)).await), (vec![], vec![]));
}

pub async fn a_reader_misses_no_event_during_concurrent_writes(store: TestStore) {
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
        let is_done = writers.is_empty();
        let events = store.settled_events(of_project(&world), after, 7).await.unwrap();
        if is_done && events.is_empty() && listed(&store, of_project(&world)).await[0].position <= after {
            break;
        }
        after = events.last().map_or(after, |event| event.position);
        seen.extend(events.into_iter().map(|event| event.target_id));
        while writers.try_join_next().is_some() {}
    }
    seen.sort_unstable();
    seen.dedup();
    assert_eq!(seen.len(), WRITERS * WRITES, "Each event must be read once.");
}

pub async fn each_project_has_its_own_chain(store: TestStore) {
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

pub async fn concurrent_sealers_seal_each_event_once(store: TestStore) {
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

pub async fn batches_are_sealed_only_in_order(store: TestStore) {
    let world = Fixture::make(&store, "acme").await;
    rename(&store, &world, 2).await;
    let after = store.sealed_position().await.unwrap();
    let batch = |after, through| SealedBatch { after, through, at: later(0), seals: Vec::new(), wakes: Vec::new() };
    assert!(!store.seal(&batch(after + 1, after + 2)).await.unwrap());
    assert!(store.seal(&batch(after, after + 2)).await.unwrap());
    assert!(!store.seal(&batch(after, after + 2)).await.unwrap(), "The batch is already sealed.");
    assert_eq!(store.sealed_position().await.unwrap(), after + 2);
}

pub async fn each_filter_applies_within_the_team(store: TestStore) {
    let (world, other) = (Fixture::make(&store, "acme").await, Fixture::make(&store, "other").await);
    rename(&store, &world, 3).await;
    rename(&store, &other, 1).await;
    let of_team = of_team(&world);
    assert_eq!(listed(&store, of_team).await.len(), 3, "Unsealed events are listed too.");
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
    let upper = world.team.id.to_string().to_uppercase();
    assert_eq!(found(of_team, AuditFilter { target: Some(upper), ..any() }).await, 3);
    assert_eq!(found(of_team, AuditFilter { target: Some(other.team.id.to_string()), ..any() }).await, 0);
    put(&store, &world, "item", later(0)).await;
    for (item_changes, expected) in [(ItemChanges::Include, 4), (ItemChanges::Exclude, 3), (ItemChanges::Only, 1)] {
        let filter = AuditFilter { item_changes, ..any() };
        assert_eq!(found(of_team, filter.clone()).await, expected, "{item_changes:?}");
        let page = PageRequest { limit: Some(1), after: None, ..PageRequest::FIRST };
        let page = store.audit_events(of_team, &filter, &page).await.unwrap();
        assert_eq!((page.items.len(), page.next.is_some()), (1, expected > 1), "{item_changes:?}");
    }
    let administrative = AuditFilter { item_changes: ItemChanges::Exclude, ..any() };
    let first = PageRequest { limit: Some(2), after: None, ..PageRequest::FIRST };
    let page = store.audit_events(of_team, &administrative, &first).await.unwrap();
    let second = PageRequest { limit: Some(2), after: page.next.clone(), ..PageRequest::FIRST };
    let rest = store.audit_events(of_team, &administrative, &second).await.unwrap();
    assert_eq!((page.items.len(), rest.items.len(), rest.next), (2, 1, None));
    assert!(page.items[1].position > rest.items[0].position, "Events with the same timestamp are listed newest first.");
}

pub async fn a_time_range_applies_regardless_of_when_events_were_sealed(store: TestStore) {
    const HOURS: i64 = 12;
    let world = Fixture::make(&store, "acme").await;
    let hour = |hour: i64| later(0) + TimeDelta::hours(hour);
    for written in 0..HOURS {
        put(&store, &world, &written.to_string(), hour(written)).await;
        // The sealer skips some hours.
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

pub async fn steps_without_work_take_no_lease(store: TestStore) {
    let world = Fixture::make(&store, "acme").await;
    rename(&store, &world, 1).await;
    seal(&store).await;
    // The first ID is the holder of the leases of [`core`].
    store.release_leases_of(CountingIds::default().next()).await.unwrap();
    let audit = audit(&store, FOREVER);
    assert_eq!(audit.seal_step().await.unwrap().done, 0);
    assert_eq!(audit.retention_step().await.unwrap().done, 0);
    for share in ["audit_seal", "audit_retention"] {
        let (now, until) = (later(SEALED_AFTER), later(SEALED_AFTER + 1));
        assert!(store.acquire_lease(share, Uuid::from_u128(2), now, until).await.unwrap(), "{share}");
    }
}

pub async fn many_events_are_sealed_in_bounded_steps_in_commit_order(store: TestStore) {
    let (first, second) = (Fixture::make(&store, "acme").await, Fixture::make(&store, "other").await);
    rename(&store, &first, 600).await;
    rename(&store, &second, 1).await;
    settled(&store, of_team(&second)).await;
    let audit = audit(&store, FOREVER);
    let (mut steps, mut sealed) = (0, 0);
    loop {
        let step = audit.seal_step().await.unwrap();
        // A step that reads all events is the last one: no further step finds that nothing is left.
        assert!(step.done > 0, "{sealed} in {steps} steps");
        (steps, sealed) = (steps + 1, sealed + step.done);
        if !step.more {
            break;
        }
    }
    assert!(steps > 1 && sealed >= 601, "{sealed} in {steps} steps");
    assert_eq!(verified(&store, team_chain(&first)).await, (600, 0));
    assert_eq!(verified(&store, team_chain(&second)).await, (1, 0));
}

pub async fn one_holder_has_a_share_until_its_lease_expires(store: TestStore) {
    let (me, other) = (Uuid::from_u128(1), Uuid::from_u128(2));
    let take = async |share: &str, holder, now, until| {
        store.acquire_lease(share, holder, later(now), later(until)).await.unwrap()
    };
    assert!(take("x", me, 0, 10).await);
    assert!(!take("x", other, 9, 20).await);
    assert!(take("y", other, 9, 20).await, "This is another share.");
    assert!(take("x", me, 9, 20).await, "The holder extends its lease.");
    assert!(!take("x", other, 11, 30).await);
    assert!(take("x", other, 20, 30).await, "The lease has expired.");
    assert!(!take("x", me, 21, 40).await);
    store.release_leases_of(other).await.unwrap();
    assert!(take("x", me, 21, 40).await && take("y", me, 0, 1).await);
}

pub async fn one_of_many_concurrent_holders_gets_a_share(store: TestStore) {
    let holders = (1..=20_u128).map(|number| {
        let store = store.clone();
        tokio::spawn(
            async move { store.acquire_lease("x", Uuid::from_u128(number), later(0), later(10)).await.unwrap() },
        )
    });
    let mut acquired = 0;
    for holder in holders.collect::<Vec<_>>() {
        acquired += u8::from(holder.await.unwrap());
    }
    assert_eq!(acquired, 1);
}
