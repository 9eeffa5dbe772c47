//! Telling webhooks of events: at least once each, in order, patiently.

use std::sync::Arc;

use chrono::{SecondsFormat, TimeDelta};
use serde_json::json;

use crate::error::Error;
use crate::model::{AuditEvent, DeliveryId, Time, UNAUTHORIZED, Webhook, WebhookDelivery, WebhookMessage};
use crate::ports::{
    AccessReader, AuditLog, Clock, Due, IdGenerator, MessageSigner, Outbox, Sealer, SecretGenerator, Told,
    WebhookSender,
};

/// What signing secrets are sealed for.
pub(super) const PURPOSE: &str = "webhook secret";
/// How many webhooks are told at once, and for how long nobody else tells them.
const AT_ONCE: u16 = 16;
const LEASE: TimeDelta = TimeDelta::seconds(30);
/// How long one webhook is told without others getting their turn.
const TURN: TimeDelta = TimeDelta::seconds(10);
/// How many events are read at once.
const READ: u16 = 50;
/// How long to wait after each failed attempt, in seconds: over three days in all. After that nothing is sent any more.
const PAUSES: [i64; 11] = [5, 30, 120, 600, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400];

/// The use cases of deliveries.
pub struct Deliveries {
    pub(super) access: Arc<dyn AccessReader>,
    pub(super) log: Arc<dyn AuditLog>,
    pub(super) outbox: Arc<dyn Outbox>,
    pub(super) sender: Arc<dyn WebhookSender>,
    pub(super) signer: Arc<dyn MessageSigner>,
    pub(super) sealer: Arc<dyn Sealer>,
    pub(super) secrets: Arc<dyn SecretGenerator>,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) ids: Arc<dyn IdGenerator>,
}

impl Deliveries {
    /// Claims webhooks that are to be told now. Each is then given to [`Deliveries::deliver`].
    pub async fn due(&self) -> Result<Vec<Due>, Error> {
        let now = self.clock.now();
        Ok(self.outbox.claim_due(now, now + LEASE, AT_ONCE).await?)
    }

    /// Tells one webhook of what it was not told yet, until an attempt fails or its turn is over.
    pub async fn deliver(&self, due: Due) -> Result<(), Error> {
        let (began, webhook) = (self.clock.now(), &due.webhook);
        let (mut position, mut attempts) = (due.position, due.attempts);
        while self.clock.now() - began < TURN {
            let events = self.log.sealed_events(webhook.scope, position, READ).await?;
            let Some(last) = events.last().and_then(|event| event.seal.as_ref()) else { break };
            // With every few events, not with each: whoever loses the authority is paused in the same commit anyway.
            if !self.is_authorized(webhook).await? {
                let paused = Told { pause: Some(UNAUTHORIZED.to_owned()), ..self.passed(&due, position) };
                self.outbox.told(&paused).await?;
                break;
            }
            let (last, mut failed) = (last.position, false);
            for event in events.iter().filter(|event| webhook.events.wants(event)) {
                let delivery = self.attempt(webhook, event, attempts.saturating_add(1)).await?;
                let told = self.outcome(&due, delivery);
                (position, attempts, failed) =
                    (told.position, told.attempts, told.attempts > 0 || told.pause.is_some());
                if !self.outbox.told(&told).await? {
                    // Somebody else tells it now: the lease was over.
                    return Ok(());
                }
                if failed || self.clock.now() - began >= TURN {
                    break;
                }
            }
            if failed {
                break;
            }
            if position < last
                && events.iter().filter(|event| webhook.events.wants(event)).all(|event| place(event) <= position)
            {
                // What it does not want counts as told.
                position = last;
                if !self.outbox.told(&self.passed(&due, position)).await? {
                    return Ok(());
                }
            }
        }
        Ok(self.outbox.let_go(webhook.id, due.leased_until).await?)
    }

    /// Whether the member whose authority the webhook rests on may still have events sent.
    async fn is_authorized(&self, webhook: &Webhook) -> Result<bool, Error> {
        let member = self.access.team_membership(webhook.authorized_by, webhook.scope.team()).await?;
        Ok(member.is_some_and(|member| member.roles.may_authorize_webhooks()))
    }

    /// Makes one attempt.
    pub(super) async fn attempt(
        &self,
        webhook: &Webhook,
        event: &AuditEvent,
        attempt: u32,
    ) -> Result<WebhookDelivery, Error> {
        let at = self.clock.now();
        let answer = self.sender.send(&webhook.url, &self.message(webhook, event, at)?).await;
        let (status, error) = match answer {
            Ok(status @ 200..=299) => (Some(status), None),
            Ok(status) => (Some(status), Some(format!("the receiver answered {status}"))),
            Err(reason) => (None, Some(reason)),
        };
        Ok(WebhookDelivery {
            id: DeliveryId::from(self.ids.next()),
            webhook_id: webhook.id,
            position: place(event),
            event: event.action.clone(),
            attempt,
            at,
            took_ms: (self.clock.now() - at).num_milliseconds(),
            status,
            error,
        })
    }

    fn message(&self, webhook: &Webhook, event: &AuditEvent, at: Time) -> Result<WebhookMessage, Error> {
        let (id, timestamp, body) =
            (format!("msg_{}_{}", webhook.id.hex(), place(event)), at.timestamp(), payload(event));
        let signed = format!("{id}.{timestamp}.{body}");
        let previous = webhook.previous.as_ref().filter(|previous| previous.expires_at > at);
        let mut signatures = Vec::new();
        for sealed in [Some(&webhook.secret), previous.map(|previous| &previous.sealed)].into_iter().flatten() {
            let secret = self.sealer.open(PURPOSE, sealed)?;
            signatures.push(format!("v1,{}", self.signer.sign(&secret, &signed)));
        }
        Ok(WebhookMessage { id, timestamp, signature: signatures.join(" "), body })
    }

    /// What follows from an attempt.
    fn outcome(&self, due: &Due, delivery: WebhookDelivery) -> Told {
        let before = delivery.position.saturating_sub(1);
        let told = Told { position: delivery.position, ..self.passed(due, delivery.position) };
        let Some(error) = delivery.error.clone() else { return Told { delivery: Some(delivery), ..told } };
        let failed = Told { position: before, attempts: delivery.attempt, ..told };
        let pause = usize::try_from(delivery.attempt).ok().and_then(|attempt| PAUSES.get(attempt.saturating_sub(1)));
        // 410 says that nobody will ever take it (Standard Webhooks).
        let gone = delivery.status == Some(410);
        let reason = if gone { error } else { format!("{} attempts failed; the last: {error}", delivery.attempt) };
        match pause.filter(|_| !gone) {
            Some(seconds) => {
                let next_attempt_at = self.clock.now() + self.jittered(*seconds);
                Told { next_attempt_at, delivery: Some(delivery), ..failed }
            }
            None => Told { attempts: 0, pause: Some(reason), delivery: Some(delivery), ..failed },
        }
    }

    fn passed(&self, due: &Due, position: i64) -> Told {
        Told {
            webhook: due.webhook.id,
            leased_until: due.leased_until,
            position,
            attempts: 0,
            next_attempt_at: self.clock.now(),
            delivery: None,
            pause: None,
        }
    }

    /// So many seconds and up to a fifth more, so that receivers that were down together are not told together.
    fn jittered(&self, seconds: i64) -> TimeDelta {
        let chance = self.secrets.entropy().first().copied().map_or(0, i64::from);
        TimeDelta::milliseconds(seconds.saturating_mul(1000 + chance * 200 / 255))
    }
}

/// An event's place in the chain.
fn place(event: &AuditEvent) -> i64 {
    event.seal.as_ref().map_or(0, |seal| seal.position)
}

/// An event as receivers are told it.
fn payload(event: &AuditEvent) -> String {
    let (kind, id) = event.actor.spelled();
    json!({
        "type": event.action,
        "timestamp": event.at.to_rfc3339_opts(SecondsFormat::Micros, true),
        "data": {
            "operation": event.operation,
            "actor": {"type": kind, "id": id.map(|id| id.to_string()), "token_id": event.actor.token().map(|id| id.to_string())},
            "target": {"type": event.target_kind, "id": event.target_id},
            "team_id": event.team_id.map(|id| id.to_string()),
            "project_id": event.project_id.map(|id| id.to_string()),
            "before": event.before,
            "after": event.after,
            "position": place(event),
        },
    })
    .to_string()
}
