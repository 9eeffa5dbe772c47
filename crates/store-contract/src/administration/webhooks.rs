//! Rules of webhooks and their deliveries.

use chrono::TimeDelta;
use serde_json::json;
use steward_domain::administration::{
    AuditFilter, DeliveryProgress, DueWebhook, EventSelection, NextAttempt, Webhook, WebhookDelivery, WebhookOrdering,
    WebhookPause,
};
use steward_domain::identity::Expiring;
use steward_domain::kernel::{
    Named, PageRequest, Precondition, ProjectId, ReplacedValue, ReplacedValues, ResourceScope, TeamId, Time, WebhookId,
};
use steward_domain::mocks::a_webhook;
use tokio::task::JoinSet;
use uuid::Uuid;

use crate::administration::audit_log::{rename, seal};
use crate::fixture::{Fixture, TestStore, change, id, insert, insert_many, later};

fn webhook(world: &Fixture, project: Option<ProjectId>) -> Webhook {
    let webhook = a_webhook(world.team.id, project);
    Webhook { id: id().into(), created_by: world.owner.id, authorized_by: world.owner.id, ..webhook }
}

fn of_team(world: &Fixture) -> Webhook {
    webhook(world, None)
}

fn of_project(world: &Fixture) -> Webhook {
    webhook(world, Some(world.project.id))
}

/// The timestamp at which [`seal`] seals.
fn sealed_at() -> Time {
    later(60_000_000)
}

/// Writes and seals an event of the team.
async fn log_event(store: &TestStore, world: &Fixture) {
    rename(store, world, 1).await;
    seal(store).await;
}

/// Returns the positions of the team's events.
async fn positions(store: &TestStore, world: &Fixture) -> Vec<i64> {
    let events =
        store.audit_events(ResourceScope::Team(world.team.id), &AuditFilter::default(), &PageRequest::FIRST).await;
    events.unwrap().items.into_iter().rev().map(|event| event.position).collect()
}

const HOLDER: Uuid = Uuid::from_u128(7);
/// Duration of leases in these tests, in microseconds.
const LEASE: i64 = 60_000_000;

async fn due_ids(store: &TestStore, now: Time) -> Vec<WebhookId> {
    store.due_webhooks(now, &[], 10).await.unwrap().into_iter().map(|(webhook, _)| webhook).collect()
}

/// Claims all due webhooks.
async fn claim_due(store: &TestStore, now: Time) -> Vec<DueWebhook> {
    let ids = due_ids(store, now).await;
    store.claim_webhooks(&ids, HOLDER, now, now + TimeDelta::microseconds(LEASE)).await.unwrap()
}

async fn release(store: &TestStore, webhook: &Webhook) {
    store.release_leases(&[webhook.id], HOLDER, i64::MAX, later(0)).await.unwrap();
}

fn progress(due: &DueWebhook, position: i64) -> DeliveryProgress {
    DeliveryProgress {
        webhook: due.webhook.id,
        holder: HOLDER,
        position,
        attempts: 0,
        next_attempt_at: later(0),
        accepts_others: false,
        deliveries: Vec::new(),
        pause: None,
    }
}

fn delivery(webhook: &Webhook, position: i64) -> WebhookDelivery {
    WebhookDelivery {
        id: id().into(),
        webhook_id: webhook.id,
        position,
        event: "team.updated".into(),
        attempt: 2,
        at: later(position),
        took_ms: 7,
        status: Some(503),
        error: Some("The receiver returned 503.".into()),
        response_body: Some("{\"reason\": \"Wartung \u{1f6e0}\"}".into()),
    }
}

pub async fn a_webhook_round_trips_in_its_team_or_project(store: TestStore) {
    let (world, other) = (Fixture::make(&store, "acme").await, Fixture::make(&store, "other").await);
    let unordered = WebhookOrdering::Unordered;
    let replaced = |secret, expires_at| Some(ReplacedValue { stored: vec![secret], expires_at, last_used: None });
    let replaced =
        ReplacedValues { previous: replaced(2, later(9)), earlier: replaced(1, later(8)), used_before: None };
    let (team, project) = (of_team(&world), Webhook { ordering: unordered, replaced, ..of_project(&world) });
    insert(&store, [team.clone().into(), project.clone().into()]).await;
    for (mine, elsewhere) in [(&team, &project), (&project, &team)] {
        let found = store.webhook(mine.scope(), mine.id).await.unwrap();
        assert_eq!(found.as_ref(), Some(mine));
        assert_eq!(store.webhooks(mine.scope(), &PageRequest::FIRST).await.unwrap().items, std::slice::from_ref(mine));
        for scope in [elsewhere.scope(), of_team(&other).scope(), of_project(&other).scope()] {
            assert_eq!(store.webhook(scope, mine.id).await.unwrap(), None);
        }
    }
    store.commit(change().replace(team.clone(), Webhook { ordering: unordered, ..team.clone() })).await.unwrap();
    let team = store.webhook(team.scope(), team.id).await.unwrap().unwrap();
    assert_eq!(team.ordering, unordered);
    store.commit(change().remove(team.clone())).await.unwrap();
    assert_eq!(store.webhook(team.scope(), team.id).await.unwrap(), None);
    assert!(store.commit(change().remove(team)).await.is_err());
}

pub async fn a_due_webhook_is_claimed_by_one_caller(store: TestStore) {
    let (world, other) = (Fixture::make(&store, "acme").await, Fixture::make(&store, "other").await);
    let (hook, idle) = (of_team(&world), of_team(&other));
    let paused = Webhook { pause: Some(WebhookPause { at: later(0), reason: "x".into() }), ..of_team(&world) };
    insert(&store, [hook.clone().into(), idle.clone().into(), paused.into()]).await;
    rename(&store, &world, 1).await;
    assert_eq!(claim_due(&store, sealed_at()).await, [], "Unsealed events must not be delivered.");
    seal(&store).await;

    let mut claims = JoinSet::new();
    for _ in 0..20 {
        let store = store.clone();
        claims.spawn(async move { claim_due(&store, sealed_at()).await });
    }
    let claimed: Vec<DueWebhook> = claims.join_all().await.into_iter().flatten().collect();
    assert_eq!(claimed.len(), 1);
    let one = &claimed[0];
    let [event] = positions(&store, &world).await.try_into().unwrap();
    assert_eq!((one.webhook.id, one.position, one.due_position, one.attempts), (hook.id, event - 1, event, 0));
    assert_eq!(claim_due(&store, sealed_at()).await, [], "The lease is still valid.");
    let afterwards = sealed_at() + TimeDelta::microseconds(LEASE);
    assert_eq!(
        claim_due(&store, afterwards).await.len(),
        1,
        "Another caller can claim the webhook after the lease expires."
    );
}

pub async fn only_subscribed_events_make_a_webhook_due(store: TestStore) {
    let (world, other) = (Fixture::make(&store, "acme").await, Fixture::make(&store, "other").await);
    let named = |names: &[&str]| EventSelection::from_stored(names.iter().map(ToString::to_string).collect());
    let (of_project, of_other) = (of_project(&world), of_team(&other));
    let quiet = Webhook { events: named(&["team.deleted", "item.updated"]), ..of_team(&world) };
    let created_later = Webhook { created_at: later(1), ..of_team(&world) };
    let hook = Webhook { events: named(&["team.deleted", "team.updated"]), ..of_team(&world) };
    let hooks = [&of_project, &of_other, &quiet, &created_later, &hook];
    insert(&store, hooks.map(|hook| hook.clone().into())).await;
    log_event(&store, &world).await;
    assert_eq!(due_ids(&store, sealed_at()).await, [hook.id]);
    world.put(&store, "x", json!({}), Precondition::None).await.unwrap();
    rename(&store, &world, 1).await;
    seal(&store).await;

    let [claimed] = claim_due(&store, sealed_at()).await.try_into().unwrap();
    let [first, second] = positions(&store, &world).await.try_into().unwrap();
    assert_eq!((claimed.position, claimed.due_position), (first - 1, second));
    let all = store.sealed_position().await.unwrap();
    let subscribed = async |webhook: &Webhook, after, through, limit| {
        let subscribed = store.matching_events(webhook, after, through, limit).await.unwrap();
        (subscribed.events.into_iter().map(|event| event.position).collect::<Vec<_>>(), subscribed.through)
    };
    assert_eq!(subscribed(&hook, 0, all, 10).await, (vec![first, second], second));
    assert_eq!(subscribed(&hook, 0, all, 1).await, (vec![first], first));
    assert_eq!(subscribed(&hook, first, all, 1).await, (vec![second], second));
    assert_eq!(subscribed(&hook, 0, first, 10).await, (vec![first], first));
    assert_eq!(subscribed(&hook, second, all, 10).await, (vec![], all));
    assert_eq!(subscribed(&quiet, 0, all, 10).await, (vec![], second));
    assert_eq!(subscribed(&created_later, 0, all, 10).await, (vec![], second));
    assert_eq!(subscribed(&of_project, 0, all, 10).await, (vec![], all));
}

pub async fn events_during_a_delivery_are_due_after_it(store: TestStore) {
    let world = Fixture::make(&store, "acme").await;
    let hook = of_team(&world);
    insert(&store, [hook.clone().into()]).await;
    log_event(&store, &world).await;
    let [claimed] = claim_due(&store, sealed_at()).await.try_into().unwrap();
    log_event(&store, &world).await;
    let [first, second] = positions(&store, &world).await.try_into().unwrap();
    assert!(store.record_progress(&progress(&claimed, first)).await.unwrap());
    assert_eq!(due_ids(&store, sealed_at()).await, [], "The lease is still valid.");
    release(&store, &hook).await;
    let [again] = claim_due(&store, sealed_at()).await.try_into().unwrap();
    assert_eq!((again.position, again.due_position), (first, second));
    assert!(store.record_progress(&progress(&again, second)).await.unwrap());
    release(&store, &hook).await;
    assert_eq!(due_ids(&store, sealed_at()).await, [], "All events were delivered.");
}

pub async fn only_its_holder_renews_and_releases_a_lease(store: TestStore) {
    let world = Fixture::make(&store, "acme").await;
    let hook = of_team(&world);
    insert(&store, [hook.clone().into()]).await;
    log_event(&store, &world).await;
    assert_eq!(claim_due(&store, sealed_at()).await.len(), 1);
    let (other, end) = (Uuid::from_u128(8), sealed_at() + TimeDelta::microseconds(2 * LEASE));
    store.renew_leases(&[hook.id], other, end + TimeDelta::days(1)).await.unwrap();
    store.renew_leases(&[hook.id], HOLDER, end).await.unwrap();
    store.release_leases(&[hook.id], other, 0, later(0)).await.unwrap();
    assert_eq!(due_ids(&store, end - TimeDelta::microseconds(1)).await, []);
    assert_eq!(due_ids(&store, end).await, [hook.id]);
    release(&store, &hook).await;
    assert_eq!(due_ids(&store, sealed_at()).await, [hook.id], "Another caller can claim the webhook immediately.");
    assert_eq!(store.claim_webhooks(&[hook.id], other, sealed_at(), end).await.unwrap().len(), 1);
    assert_eq!(store.claim_webhooks(&[hook.id], HOLDER, sealed_at(), end).await.unwrap(), []);
}

pub async fn due_webhooks_of_busy_teams_are_excluded(store: TestStore) {
    let (world, other) = (Fixture::make(&store, "acme").await, Fixture::make(&store, "other").await);
    let hooks: Vec<Webhook> = (0..3).map(|_| of_team(&world)).chain([of_team(&other)]).collect();
    insert(&store, hooks.iter().map(|hook| hook.clone().into())).await;
    log_event(&store, &world).await;
    log_event(&store, &other).await;
    assert_eq!(due_ids(&store, sealed_at()).await.len(), 4);
    let found = store.due_webhooks(sealed_at(), &[world.team.id], 2).await.unwrap();
    assert_eq!(found, [(hooks[3].id, other.team.id)]);
}

pub async fn an_unknown_event_name_does_not_stop_deliveries(store: TestStore) {
    let world = Fixture::make(&store, "acme").await;
    let newer = EventSelection::from_stored(vec!["team.exploded".into(), "team.updated".into()]);
    let (newer, hook) = (Webhook { events: newer, ..of_team(&world) }, of_team(&world));
    insert(&store, [newer.clone().into(), hook.into()]).await;
    log_event(&store, &world).await;
    assert_eq!(claim_due(&store, sealed_at()).await.len(), 2);
    let found = store.webhook(newer.scope(), newer.id).await.unwrap().unwrap();
    assert_eq!(found.events.texts(), ["team.exploded", "team.updated"]);
}

pub async fn progress_is_recorded_only_by_the_lease_holder(store: TestStore) {
    let world = Fixture::make(&store, "acme").await;
    let hook = of_team(&world);
    insert(&store, [hook.clone().into()]).await;
    log_event(&store, &world).await;
    let [claimed] = claim_due(&store, sealed_at()).await.try_into().unwrap();
    let attempt = delivery(&hook, 1);
    let failed = DeliveryProgress {
        attempts: 3,
        next_attempt_at: later(900_000_000),
        deliveries: vec![attempt.clone()],
        ..progress(&claimed, 0)
    };
    assert_eq!(store.next_attempt(hook.id).await.unwrap(), None);
    assert!(store.record_progress(&failed).await.unwrap());
    let next = NextAttempt { after: 0, attempts: 3, at: failed.next_attempt_at };
    assert_eq!(store.next_attempt(hook.id).await.unwrap(), Some(next));
    let stolen = DeliveryProgress { holder: Uuid::from_u128(8), ..progress(&claimed, 9) };
    assert!(!store.record_progress(&stolen).await.unwrap(), "Progress under another lease must not be recorded.");
    release(&store, &hook).await;

    assert_eq!(claim_due(&store, later(899_999_999)).await, [], "The webhook is not due before its next attempt.");
    let [again] = claim_due(&store, later(900_000_000)).await.try_into().unwrap();
    assert_eq!((again.position, again.attempts), (0, 3));
    assert_eq!(store.deliveries(hook.id, &PageRequest::FIRST).await.unwrap().items, std::slice::from_ref(&attempt));
    assert_eq!(store.delivery(hook.id, attempt.id).await.unwrap(), Some(attempt.clone()));
    assert_eq!(
        store.delivery(id().into(), attempt.id).await.unwrap(),
        None,
        "The delivery belongs to another webhook."
    );

    assert_eq!(store.sweep(Expiring::Deliveries, attempt.at, 10).await.unwrap(), 0);
    assert_eq!(store.sweep(Expiring::Deliveries, later(2), 10).await.unwrap(), 1);
    assert_eq!(store.delivery(hook.id, attempt.id).await.unwrap(), None, "Old deliveries are deleted.");

    let end = store.sealed_position().await.unwrap();
    assert!(store.record_progress(&progress(&again, end)).await.unwrap());
    release(&store, &hook).await;
    assert_eq!(claim_due(&store, later(900_000_001)).await, [], "All events were delivered.");
}

pub async fn new_events_do_not_wait_for_one_that_the_receiver_refuses(store: TestStore) {
    let world = Fixture::make(&store, "acme").await;
    let hook = of_team(&world);
    insert(&store, [hook.clone().into()]).await;
    for accepts_others in [false, true] {
        log_event(&store, &world).await;
        let [claimed] = claim_due(&store, later(900_000_000)).await.try_into().unwrap();
        let next_attempt_at = later(900_000_000);
        let failed = DeliveryProgress { attempts: 1, next_attempt_at, accepts_others, ..progress(&claimed, 0) };
        assert!(store.record_progress(&failed).await.unwrap());
        store.release_leases(&[hook.id], HOLDER, claimed.due_position, sealed_at()).await.unwrap();
        assert_eq!(due_ids(&store, later(899_999_999)).await, [], "Only the refused event is pending.");
        log_event(&store, &world).await;
        let due = due_ids(&store, later(899_999_999)).await;
        assert_eq!(due.len(), usize::from(accepts_others));
    }
    let [claimed] = claim_due(&store, later(899_999_999)).await.try_into().unwrap();
    assert_eq!((claimed.attempts, claimed.next_attempt_at, claimed.accepts_others), (1, later(900_000_000), true));
    store.release_leases(&[hook.id], HOLDER, 0, sealed_at()).await.unwrap();
    assert_eq!(due_ids(&store, sealed_at()).await, [hook.id], "The turn did not get to all events.");
}

pub async fn attempts_are_recorded_together_with_the_position(store: TestStore) {
    let world = Fixture::make(&store, "acme").await;
    let hook = of_team(&world);
    insert(&store, [hook.clone().into()]).await;
    log_event(&store, &world).await;
    let [claimed] = claim_due(&store, sealed_at()).await.try_into().unwrap();
    let attempts: Vec<WebhookDelivery> = (0..70).map(|position| delivery(&hook, position)).collect();
    let recorded = DeliveryProgress { deliveries: attempts.clone(), ..progress(&claimed, 0) };
    let stolen = DeliveryProgress { holder: Uuid::from_u128(8), ..recorded.clone() };
    assert!(!store.record_progress(&stolen).await.unwrap());
    let listed = async || {
        let mut listed = store.deliveries(hook.id, &PageRequest::FIRST).await.unwrap().items;
        listed.sort_by_key(|attempt| attempt.position);
        listed
    };
    assert_eq!(listed().await, []);
    assert!(store.record_progress(&recorded).await.unwrap());
    assert_eq!(listed().await, attempts);

    let again =
        DeliveryProgress { deliveries: vec![delivery(&hook, 71), attempts[0].clone()], ..progress(&claimed, 9) };
    assert!(store.record_progress(&again).await.is_err(), "An attempt has its own ID.");
    assert_eq!(listed().await, attempts, "All of it is stored, or none.");
    release(&store, &hook).await;
    let [claimed] = claim_due(&store, sealed_at()).await.try_into().unwrap();
    assert_eq!(claimed.position, 0);
}

pub async fn attempts_of_a_deleted_webhook_end_by_their_age(store: TestStore) {
    let world = Fixture::make(&store, "acme").await;
    let webhook = of_team(&world);
    insert(&store, [webhook.clone().into()]).await;
    let attempt = delivery(&webhook, 1);
    store.record_requested_delivery(&attempt).await.unwrap();

    // A webhook can have any number of attempts, so its deletion does not delete them.
    store.commit(change().remove(webhook.clone())).await.unwrap();
    assert_eq!(store.webhook(webhook.scope(), webhook.id).await.unwrap(), None);
    assert_eq!(store.sweep(Expiring::Deliveries, later(1), 10).await.unwrap(), 0);
    assert_eq!(store.sweep(Expiring::Deliveries, later(2), 10).await.unwrap(), 1);
}

pub async fn a_paused_webhook_is_not_due_until_it_is_resumed(store: TestStore) {
    let world = Fixture::make(&store, "acme").await;
    let hook = of_team(&world);
    insert(&store, [hook.clone().into()]).await;
    log_event(&store, &world).await;
    let [claimed] = claim_due(&store, sealed_at()).await.try_into().unwrap();
    let failed = DeliveryProgress { pause: Some("gone".into()), attempts: 1, ..progress(&claimed, 0) };
    assert!(store.record_progress(&failed).await.unwrap());
    release(&store, &hook).await;
    assert_eq!(claim_due(&store, sealed_at()).await, []);

    let stale = store.commit(change().replace(hook.clone(), hook.clone())).await;
    assert!(stale.is_err(), "A change of an outdated revision must be refused.");
    let paused = store.webhook(hook.scope(), hook.id).await.unwrap().unwrap();
    assert_eq!(paused.pause.as_ref().unwrap().reason, "gone");
    assert_eq!(store.next_attempt(hook.id).await.unwrap(), None);
    store.commit(change().replace(paused.clone(), Webhook { pause: None, ..paused })).await.unwrap();
    assert_eq!(claim_due(&store, sealed_at()).await.len(), 1);
}

pub async fn webhooks_by_authorizer_are_limited_to_the_team_and_its_projects(store: TestStore) {
    let (world, other) = (Fixture::make(&store, "acme").await, Fixture::make(&store, "other").await);
    let (team, project, elsewhere) = (of_team(&world), of_project(&world), of_team(&other));
    let by_other_owner = Webhook { authorized_by: other.owner.id, ..of_team(&world) };
    let paused = Webhook { pause: Some(WebhookPause { at: later(0), reason: "x".into() }), ..of_team(&world) };
    let all = [&team, &project, &elsewhere, &by_other_owner, &paused];
    insert(&store, all.map(|webhook| webhook.clone().into())).await;
    let found = async |account| store.webhooks_authorized_by(world.team.id, account).await.unwrap();
    assert_eq!(found(world.owner.id).await, [team.clone(), project.clone()]);
    assert_eq!(found(other.owner.id).await, std::slice::from_ref(&by_other_owner));

    let reassigned = Webhook { authorized_by: other.owner.id, ..team.clone() };
    store.commit(change().replace(team, reassigned)).await.unwrap();
    assert_eq!(found(world.owner.id).await, [project]);
    assert_eq!(found(other.owner.id).await.len(), 2);
}

pub async fn all_webhooks_by_an_authorizer_are_found(store: TestStore) {
    let world = Fixture::make(&store, "acme").await;
    insert_many(&store, (0..1_001).map(|_| of_team(&world).into())).await;
    assert_eq!(store.webhooks_authorized_by(world.team.id, world.owner.id).await.unwrap().len(), 1_001);
}

pub async fn urls_of_webhooks_are_listed_for_teams_and_their_projects(store: TestStore) {
    let (world, other) = (Fixture::make(&store, "acme").await, Fixture::make(&store, "other").await);
    let aged = |webhook: Webhook, age| Webhook { created_at: later(age), ..webhook };
    let webhooks = [aged(of_team(&world), 2), aged(of_project(&world), 1), aged(of_team(&other), 3)];
    insert(&store, webhooks.clone().map(Into::into)).await;
    let [team, project, foreign] = webhooks.map(|webhook| Named {
        scope: webhook.scope(),
        id: webhook.id.uuid(),
        name: webhook.url.to_string(),
        hint: String::new(),
    });
    let urls = async |teams: &[TeamId], limit| store.webhook_urls(teams, limit).await.unwrap();
    assert_eq!(urls(&[world.team.id, other.team.id], 9).await, [foreign, team.clone(), project.clone()]);
    assert_eq!(urls(&[world.team.id], 9).await, [team.clone(), project]);
    assert_eq!(urls(&[world.team.id], 1).await, [team]);
    assert_eq!(urls(&[], 9).await, []);
}
