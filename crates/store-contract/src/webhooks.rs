//! Rules of webhooks, and of who is told of what.

use chrono::TimeDelta;
use serde_json::json;
use steward_domain::mocks::a_webhook;
use steward_domain::model::{
    AuditFilter, AuditScope, EventSelection, PageRequest, Precondition, Time, Webhook, WebhookDelivery, WebhookId,
    WebhookPause,
};
use steward_domain::ports::{DeliveryProgress, DueWebhook, Expiring};
use tokio::task::JoinSet;
use uuid::Uuid;

use crate::audit_log::{rename, seal};
use crate::fixture::{Fixture, TestStore, change, id, insert, later};

fn webhook(world: &Fixture, scope: AuditScope) -> Webhook {
    Webhook { id: id().into(), created_by: world.owner.id, authorized_by: world.owner.id, ..a_webhook(scope) }
}

fn of_team(world: &Fixture) -> Webhook {
    webhook(world, AuditScope::Team(world.team.id))
}

fn of_project(world: &Fixture) -> Webhook {
    webhook(world, AuditScope::Project(world.team.id, world.project.id))
}

/// When [`seal`] seals.
fn sealed_at() -> Time {
    later(60_000_000)
}

/// Leaves a encrypted event of the team.
async fn logged_something(store: &TestStore, world: &Fixture) {
    rename(store, world, 1).await;
    seal(store).await;
}

/// Where the events of the team stand.
async fn positions(store: &TestStore, world: &Fixture) -> Vec<i64> {
    let events =
        store.audit_events(AuditScope::Team(world.team.id), &AuditFilter::default(), &PageRequest::FIRST).await;
    events.unwrap().items.into_iter().rev().map(|event| event.position).collect()
}

const HOLDER: Uuid = Uuid::from_u128(7);
/// How long leases last here, in microseconds.
const LEASE: i64 = 60_000_000;

async fn waiting(store: &TestStore, now: Time) -> Vec<WebhookId> {
    store.due_webhooks(now, &[], 10).await.unwrap().into_iter().map(|(webhook, _)| webhook).collect()
}

/// Claims what is due.
async fn due(store: &TestStore, now: Time) -> Vec<DueWebhook> {
    let waiting = waiting(store, now).await;
    store.claim_webhooks(&waiting, HOLDER, now, now + TimeDelta::microseconds(LEASE)).await.unwrap()
}

async fn release(store: &TestStore, webhook: &Webhook) {
    store.release_leases(&[webhook.id], HOLDER).await.unwrap();
}

fn progress(due: &DueWebhook, position: i64) -> DeliveryProgress {
    DeliveryProgress {
        webhook: due.webhook.id,
        holder: HOLDER,
        position,
        attempts: 0,
        next_attempt_at: later(0),
        delivery: None,
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
        error: Some("the receiver answered 503".into()),
    }
}

pub async fn a_webhook_comes_back_as_it_went_to_its_team_or_project(store: TestStore) {
    let (world, other) = (Fixture::make(&store, "acme").await, Fixture::make(&store, "other").await);
    let (team, project) = (of_team(&world), of_project(&world));
    insert(&store, [team.clone().into(), project.clone().into()]).await;
    for (mine, elsewhere) in [(&team, &project), (&project, &team)] {
        let found = store.webhook(mine.scope, mine.id).await.unwrap();
        assert_eq!(found.as_ref(), Some(mine));
        assert_eq!(store.webhooks(mine.scope, &PageRequest::FIRST).await.unwrap().items, std::slice::from_ref(mine));
        assert_eq!(store.webhook(elsewhere.scope, mine.id).await.unwrap(), None);
        assert_eq!(store.webhook(AuditScope::Team(other.team.id), mine.id).await.unwrap(), None);
    }
    store.commit(change().remove(team.clone())).await.unwrap();
    assert_eq!(store.webhook(team.scope, team.id).await.unwrap(), None);
    assert!(store.commit(change().remove(team)).await.is_err());
}

pub async fn whoever_has_events_to_be_told_is_claimed_by_one_caller(store: TestStore) {
    let (world, other) = (Fixture::make(&store, "acme").await, Fixture::make(&store, "other").await);
    let (hook, idle) = (of_team(&world), of_team(&other));
    let paused = Webhook { pause: Some(WebhookPause { at: later(0), reason: "x".into() }), ..of_team(&world) };
    insert(&store, [hook.clone().into(), idle.clone().into(), paused.into()]).await;
    rename(&store, &world, 1).await;
    assert_eq!(due(&store, sealed_at()).await, [], "events that are not encrypted are not sent");
    seal(&store).await;

    let mut claims = JoinSet::new();
    for _ in 0..20 {
        let store = store.clone();
        claims.spawn(async move { due(&store, sealed_at()).await });
    }
    let claimed: Vec<DueWebhook> = claims.join_all().await.into_iter().flatten().collect();
    assert_eq!(claimed.len(), 1);
    let one = &claimed[0];
    let [event] = positions(&store, &world).await.try_into().unwrap();
    assert_eq!((one.webhook.id, one.position, one.due_position, one.attempts), (hook.id, event - 1, event, 0));
    assert_eq!(due(&store, sealed_at()).await, [], "the lease lasts");
    let afterwards = sealed_at() + TimeDelta::microseconds(LEASE);
    assert_eq!(due(&store, afterwards).await.len(), 1, "who died with the lease is followed by another");
}

pub async fn a_webhook_is_woken_by_what_it_wants_and_by_nothing_else(store: TestStore) {
    let (world, other) = (Fixture::make(&store, "acme").await, Fixture::make(&store, "other").await);
    let named = |names: &[&str]| EventSelection::read(names.iter().map(ToString::to_string).collect());
    let (of_project, of_other) = (of_project(&world), of_team(&other));
    let quiet = Webhook { events: named(&["team.deleted", "item.updated"]), ..of_team(&world) };
    let later_made = Webhook { created_at: later(1), ..of_team(&world) };
    let hook = Webhook { events: named(&["team.deleted", "team.updated"]), ..of_team(&world) };
    let hooks = [&of_project, &of_other, &quiet, &later_made, &hook];
    insert(&store, hooks.map(|hook| hook.clone().into())).await;
    logged_something(&store, &world).await;
    assert_eq!(waiting(&store, sealed_at()).await, [hook.id]);
    world.put(&store, "x", json!({}), Precondition::None).await.unwrap();
    rename(&store, &world, 1).await;
    seal(&store).await;

    let [claimed] = due(&store, sealed_at()).await.try_into().unwrap();
    let [first, second] = positions(&store, &world).await.try_into().unwrap();
    assert_eq!((claimed.position, claimed.due_position), (first - 1, second));
    let all = store.sealed_position().await.unwrap();
    let wanted = async |webhook: &Webhook, after, through, most| {
        let wanted = store.wanted_events(webhook, after, through, most).await.unwrap();
        (wanted.events.into_iter().map(|event| event.position).collect::<Vec<_>>(), wanted.through)
    };
    assert_eq!(wanted(&hook, 0, all, 10).await, (vec![first, second], second));
    assert_eq!(wanted(&hook, 0, all, 1).await, (vec![first], first));
    assert_eq!(wanted(&hook, first, all, 1).await, (vec![second], second));
    assert_eq!(wanted(&hook, 0, first, 10).await, (vec![first], first));
    assert_eq!(wanted(&hook, second, all, 10).await, (vec![], all));
    assert_eq!(wanted(&quiet, 0, all, 10).await, (vec![], second));
    assert_eq!(wanted(&later_made, 0, all, 10).await, (vec![], second));
    assert_eq!(wanted(&of_project, 0, all, 10).await, (vec![], all));
}

pub async fn what_happens_during_a_delivery_is_due_after_it(store: TestStore) {
    let world = Fixture::make(&store, "acme").await;
    let hook = of_team(&world);
    insert(&store, [hook.clone().into()]).await;
    logged_something(&store, &world).await;
    let [claimed] = due(&store, sealed_at()).await.try_into().unwrap();
    logged_something(&store, &world).await;
    let [first, second] = positions(&store, &world).await.try_into().unwrap();
    assert!(store.record_progress(&progress(&claimed, first)).await.unwrap());
    assert_eq!(waiting(&store, sealed_at()).await, [], "the lease lasts");
    release(&store, &hook).await;
    let [again] = due(&store, sealed_at()).await.try_into().unwrap();
    assert_eq!((again.position, again.due_position), (first, second));
    assert!(store.record_progress(&progress(&again, second)).await.unwrap());
    release(&store, &hook).await;
    assert_eq!(waiting(&store, sealed_at()).await, [], "everything was delivered");
}

pub async fn a_lease_is_renewed_and_released_by_its_holder_only(store: TestStore) {
    let world = Fixture::make(&store, "acme").await;
    let hook = of_team(&world);
    insert(&store, [hook.clone().into()]).await;
    logged_something(&store, &world).await;
    assert_eq!(due(&store, sealed_at()).await.len(), 1);
    let (other, end) = (Uuid::from_u128(8), sealed_at() + TimeDelta::microseconds(2 * LEASE));
    store.renew_leases(&[hook.id], other, end + TimeDelta::days(1)).await.unwrap();
    store.renew_leases(&[hook.id], HOLDER, end).await.unwrap();
    store.release_leases(&[hook.id], other).await.unwrap();
    assert_eq!(waiting(&store, end - TimeDelta::microseconds(1)).await, []);
    assert_eq!(waiting(&store, end).await, [hook.id]);
    release(&store, &hook).await;
    assert_eq!(waiting(&store, sealed_at()).await, [hook.id], "another goes on at once");
    assert_eq!(store.claim_webhooks(&[hook.id], other, sealed_at(), end).await.unwrap().len(), 1);
    assert_eq!(store.claim_webhooks(&[hook.id], HOLDER, sealed_at(), end).await.unwrap(), []);
}

pub async fn due_webhooks_of_busy_teams_are_left_out(store: TestStore) {
    let (world, other) = (Fixture::make(&store, "acme").await, Fixture::make(&store, "other").await);
    let hooks: Vec<Webhook> = (0..3).map(|_| of_team(&world)).chain([of_team(&other)]).collect();
    insert(&store, hooks.iter().map(|hook| hook.clone().into())).await;
    logged_something(&store, &world).await;
    logged_something(&store, &other).await;
    assert_eq!(waiting(&store, sealed_at()).await.len(), 4);
    let found = store.due_webhooks(sealed_at(), &[world.team.id], 2).await.unwrap();
    assert_eq!(found, [(hooks[3].id, other.team.id)]);
}

pub async fn a_name_of_a_newer_version_stops_nobody(store: TestStore) {
    let world = Fixture::make(&store, "acme").await;
    let newer = EventSelection::read(vec!["team.exploded".into(), "team.updated".into()]);
    let (newer, hook) = (Webhook { events: newer, ..of_team(&world) }, of_team(&world));
    insert(&store, [newer.clone().into(), hook.into()]).await;
    logged_something(&store, &world).await;
    assert_eq!(due(&store, sealed_at()).await.len(), 2);
    let found = store.webhook(newer.scope, newer.id).await.unwrap().unwrap();
    assert_eq!(found.events.texts(), ["team.exploded", "team.updated"]);
}

pub async fn how_far_a_webhook_was_told_is_kept_under_its_lease_only(store: TestStore) {
    let world = Fixture::make(&store, "acme").await;
    let hook = of_team(&world);
    insert(&store, [hook.clone().into()]).await;
    logged_something(&store, &world).await;
    let [claimed] = due(&store, sealed_at()).await.try_into().unwrap();
    let attempt = delivery(&hook, 1);
    let failed = DeliveryProgress {
        attempts: 3,
        next_attempt_at: later(900_000_000),
        delivery: Some(attempt.clone()),
        ..progress(&claimed, 0)
    };
    assert!(store.record_progress(&failed).await.unwrap());
    let stolen = DeliveryProgress { holder: Uuid::from_u128(8), ..progress(&claimed, 9) };
    assert!(!store.record_progress(&stolen).await.unwrap(), "under another lease nothing is kept");
    release(&store, &hook).await;

    assert_eq!(due(&store, later(899_999_999)).await, [], "it waits for its next attempt");
    let [again] = due(&store, later(900_000_000)).await.try_into().unwrap();
    assert_eq!((again.position, again.attempts), (0, 3));
    assert_eq!(store.deliveries(hook.id, &PageRequest::FIRST).await.unwrap().items, std::slice::from_ref(&attempt));
    assert_eq!(store.delivery(hook.id, attempt.id).await.unwrap(), Some(attempt.clone()));
    assert_eq!(store.delivery(id().into(), attempt.id).await.unwrap(), None, "another webhook's");

    assert_eq!(store.sweep(Expiring::Deliveries, attempt.at, 10).await.unwrap(), 0);
    assert_eq!(store.sweep(Expiring::Deliveries, later(2), 10).await.unwrap(), 1);
    assert_eq!(store.delivery(hook.id, attempt.id).await.unwrap(), None, "attempts are kept for a time");

    let end = store.sealed_position().await.unwrap();
    assert!(store.record_progress(&progress(&again, end)).await.unwrap());
    release(&store, &hook).await;
    assert_eq!(due(&store, later(900_000_001)).await, [], "it was told everything");
}

pub async fn a_webhook_that_is_paused_is_told_nothing_until_it_goes_on(store: TestStore) {
    let world = Fixture::make(&store, "acme").await;
    let hook = of_team(&world);
    insert(&store, [hook.clone().into()]).await;
    logged_something(&store, &world).await;
    let [claimed] = due(&store, sealed_at()).await.try_into().unwrap();
    let gone = DeliveryProgress { pause: Some("gone".into()), ..progress(&claimed, 0) };
    assert!(store.record_progress(&gone).await.unwrap());
    release(&store, &hook).await;
    assert_eq!(due(&store, sealed_at()).await, []);

    let stale = store.commit(change().replace(hook.clone(), hook.clone())).await;
    assert!(stale.is_err(), "whoever changed it meanwhile reads it anew");
    let paused = store.webhook(hook.scope, hook.id).await.unwrap().unwrap();
    assert_eq!(paused.pause.as_ref().unwrap().reason, "gone");
    store.commit(change().replace(paused.clone(), Webhook { pause: None, ..paused })).await.unwrap();
    assert_eq!(due(&store, sealed_at()).await.len(), 1);
}

pub async fn the_webhooks_that_a_member_authorizes_are_those_of_the_team_and_its_projects(store: TestStore) {
    let (world, other) = (Fixture::make(&store, "acme").await, Fixture::make(&store, "other").await);
    let (team, project, elsewhere) = (of_team(&world), of_project(&world), of_team(&other));
    let taken_over = Webhook { authorized_by: other.owner.id, ..of_team(&world) };
    let paused = Webhook { pause: Some(WebhookPause { at: later(0), reason: "x".into() }), ..of_team(&world) };
    let all = [&team, &project, &elsewhere, &taken_over, &paused];
    insert(&store, all.map(|webhook| webhook.clone().into())).await;
    let found = async |account| store.webhooks_authorized_by(world.team.id, account).await.unwrap();
    assert_eq!(found(world.owner.id).await, [team.clone(), project.clone()]);
    assert_eq!(found(other.owner.id).await, std::slice::from_ref(&taken_over));

    let given = Webhook { authorized_by: other.owner.id, ..team.clone() };
    store.commit(change().replace(team, given)).await.unwrap();
    assert_eq!(found(world.owner.id).await, [project]);
    assert_eq!(found(other.owner.id).await.len(), 2);
}
