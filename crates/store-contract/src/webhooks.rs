//! Rules of webhooks, and of who is told of what.

use chrono::TimeDelta;
use steward_domain::mocks::a_webhook;
use steward_domain::model::{AuditScope, PageRequest, Pause, Time, Webhook, WebhookDelivery};
use steward_domain::ports::{Due, SweepMoments, Told};
use tokio::task::JoinSet;

use crate::audit_log::{audit, rename};
use crate::fixture::{Fresh, World, change, id, insert, later};

fn webhook(world: &World, scope: AuditScope) -> Webhook {
    Webhook { id: id().into(), created_by: world.owner.id, authorized_by: world.owner.id, ..a_webhook(scope) }
}

fn of_team(world: &World) -> Webhook {
    webhook(world, AuditScope::Team(world.team.id))
}

fn of_project(world: &World) -> Webhook {
    webhook(world, AuditScope::Project(world.team.id, world.project.id))
}

/// Leaves an event of the team with a place in its chain.
async fn told_of_something(store: &Fresh, world: &World) {
    rename(store, world, 1).await;
    audit(store, None).seal().await.unwrap();
}

async fn due(store: &Fresh, now: Time) -> Vec<Due> {
    store.claim_due(now, now + TimeDelta::seconds(60), 10).await.unwrap()
}

fn told(due: &Due, position: i64) -> Told {
    Told {
        webhook: due.webhook.id,
        leased_until: due.leased_until,
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

pub async fn a_webhook_comes_back_as_it_went_to_its_team_or_project(store: Fresh) {
    let (world, other) = (World::make(&store, "acme").await, World::make(&store, "other").await);
    let (team, project) = (of_team(&world), of_project(&world));
    insert(&store, [team.clone().into(), project.clone().into()]).await;
    for (mine, elsewhere) in [(&team, &project), (&project, &team)] {
        let found = store.webhook(mine.scope, mine.id).await.unwrap();
        assert_eq!(found.as_ref(), Some(mine));
        assert_eq!(store.webhooks(mine.scope, &PageRequest::ALL).await.unwrap().items, std::slice::from_ref(mine));
        assert_eq!(store.webhook(elsewhere.scope, mine.id).await.unwrap(), None);
        assert_eq!(store.webhook(AuditScope::Team(other.team.id), mine.id).await.unwrap(), None);
    }
    store.commit(change().remove(team.clone())).await.unwrap();
    assert_eq!(store.webhook(team.scope, team.id).await.unwrap(), None);
    assert!(store.commit(change().remove(team)).await.is_err());
}

pub async fn whoever_has_events_to_be_told_is_claimed_by_one_caller(store: Fresh) {
    let (world, other) = (World::make(&store, "acme").await, World::make(&store, "other").await);
    let (hook, idle) = (of_team(&world), of_team(&other));
    let paused = Webhook { pause: Some(Pause { at: later(0), reason: "x".into() }), ..of_team(&world) };
    insert(&store, [hook.clone().into(), idle.clone().into(), paused.into()]).await;
    rename(&store, &world, 1).await;
    assert_eq!(due(&store, later(1)).await, [], "events without a place are not told");
    audit(&store, None).seal().await.unwrap();

    let mut claims = JoinSet::new();
    for _ in 0..20 {
        let store = store.clone();
        claims.spawn(async move { due(&store, later(1)).await });
    }
    let claimed: Vec<Due> = claims.join_all().await.into_iter().flatten().collect();
    assert_eq!(claimed.len(), 1);
    let one = &claimed[0];
    assert_eq!((one.webhook.id, one.position, one.attempts), (hook.id, hook.begins_after, 0));
    assert_eq!(due(&store, later(2)).await, [], "the lease lasts");
    let afterwards = one.leased_until + TimeDelta::seconds(1);
    assert_eq!(due(&store, afterwards).await.len(), 1, "who died with the lease is followed by another");
}

pub async fn a_projects_webhook_does_not_wait_for_what_it_is_not_told(store: Fresh) {
    let world = World::make(&store, "acme").await;
    let (quiet, hook) = (of_project(&world), of_team(&world));
    insert(&store, [quiet.into(), hook.clone().into()]).await;
    told_of_something(&store, &world).await;
    let waiting: Vec<_> = due(&store, later(1)).await.into_iter().map(|due| due.webhook.id).collect();
    assert_eq!(waiting, [hook.id], "only the team has an event");
}

pub async fn how_far_a_webhook_was_told_is_kept_under_its_lease_only(store: Fresh) {
    let world = World::make(&store, "acme").await;
    let hook = of_team(&world);
    insert(&store, [hook.clone().into()]).await;
    told_of_something(&store, &world).await;
    let [claimed] = due(&store, later(1)).await.try_into().unwrap();
    let attempt = delivery(&hook, 1);
    let failed =
        Told { attempts: 3, next_attempt_at: later(900_000_000), delivery: Some(attempt.clone()), ..told(&claimed, 0) };
    assert!(store.told(&failed).await.unwrap());
    let stolen = Told { leased_until: later(5), ..told(&claimed, 9) };
    assert!(!store.told(&stolen).await.unwrap(), "under another lease nothing is kept");
    store.let_go(hook.id, claimed.leased_until).await.unwrap();

    assert_eq!(due(&store, later(899_999_999)).await, [], "it waits for its next attempt");
    let [again] = due(&store, later(900_000_000)).await.try_into().unwrap();
    assert_eq!((again.position, again.attempts), (0, 3));
    assert_eq!(store.deliveries(hook.id, &PageRequest::ALL).await.unwrap().items, std::slice::from_ref(&attempt));
    assert_eq!(store.delivery(hook.id, attempt.id).await.unwrap(), Some(attempt.clone()));
    assert_eq!(store.delivery(id().into(), attempt.id).await.unwrap(), None, "another webhook's");

    let moments = |delivered| SweepMoments { now: later(0), forgotten: later(0), delivered, unanswered: later(0) };
    assert_eq!(store.sweep(&moments(attempt.at), 10).await.unwrap(), 0);
    assert_eq!(store.sweep(&moments(later(2)), 10).await.unwrap(), 1);
    assert_eq!(store.delivery(hook.id, attempt.id).await.unwrap(), None, "attempts are kept for a time");

    let end = store.sealed_events(hook.scope, 0, 100).await.unwrap().len();
    assert!(store.told(&told(&again, i64::try_from(end).unwrap())).await.unwrap());
    store.let_go(hook.id, again.leased_until).await.unwrap();
    assert_eq!(due(&store, later(900_000_001)).await, [], "it was told everything");
}

pub async fn a_webhook_that_is_paused_is_told_nothing_until_it_goes_on(store: Fresh) {
    let world = World::make(&store, "acme").await;
    let hook = of_team(&world);
    insert(&store, [hook.clone().into()]).await;
    told_of_something(&store, &world).await;
    let [claimed] = due(&store, later(1)).await.try_into().unwrap();
    assert!(store.told(&Told { pause: Some("gone".into()), ..told(&claimed, 0) }).await.unwrap());
    store.let_go(hook.id, claimed.leased_until).await.unwrap();
    assert_eq!(due(&store, later(9)).await, []);

    let stale = store.commit(change().replace(hook.clone(), hook.clone())).await;
    assert!(stale.is_err(), "whoever changed it meanwhile reads it anew");
    let paused = store.webhook(hook.scope, hook.id).await.unwrap().unwrap();
    assert_eq!(paused.pause.as_ref().unwrap().reason, "gone");
    store.commit(change().replace(paused.clone(), Webhook { pause: None, ..paused })).await.unwrap();
    assert_eq!(due(&store, later(9)).await.len(), 1);
}

pub async fn the_webhooks_that_a_member_authorizes_are_those_of_the_team_and_its_projects(store: Fresh) {
    let (world, other) = (World::make(&store, "acme").await, World::make(&store, "other").await);
    let (team, project, elsewhere) = (of_team(&world), of_project(&world), of_team(&other));
    let taken_over = Webhook { authorized_by: other.owner.id, ..of_team(&world) };
    let paused = Webhook { pause: Some(Pause { at: later(0), reason: "x".into() }), ..of_team(&world) };
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
