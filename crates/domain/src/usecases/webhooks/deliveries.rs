//! Delivery of events to webhooks: at least once, in order, with retries, and with a concurrency limit per team.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use chrono::TimeDelta;

use crate::error::Error;
use crate::model::{
    AuditEvent, DeliveryId, TeamId, Time, UNAUTHORIZED, Webhook, WebhookDelivery, WebhookId, WebhookMessage,
};
use crate::ports::{DeliveryProgress, DueWebhook};

use crate::usecases::Core;
use crate::usecases::webhooks::messages::{message_id, payload};

/// Encryption purpose of signing secrets.
pub(in crate::usecases) const PURPOSE: &str = "webhook secret";
/// Maximum number of webhooks that this process delivers to concurrently, in total and per team.
const MAX_CONCURRENT: usize = 32;
const MAX_CONCURRENT_PER_TEAM: usize = 4;
/// How many due webhooks are read per query.
const BATCH_SIZE: u16 = 64;
/// Duration of a lease, during which no other replica delivers to the webhook. Leases can be renewed.
const LEASE_TTL: TimeDelta = TimeDelta::seconds(5);
/// Maximum time to deliver to one webhook before others get their turn.
const TURN_TIME_LIMIT: TimeDelta = TimeDelta::seconds(10);
/// How many events of one webhook are read at once.
const EVENT_BATCH_SIZE: u16 = 8;
/// Delay after each failed attempt, in seconds: more than three days in total. After the last attempt the webhook is
/// paused.
const RETRY_DELAYS: [i64; 11] = [5, 30, 120, 600, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400];

/// Deliveries in progress in this process.
#[derive(Debug, Default)]
pub(in crate::usecases) struct Running {
    teams: HashMap<WebhookId, TeamId>,
    stopping: bool,
}

impl Running {
    fn of_team(&self, team: TeamId) -> usize {
        self.teams.values().filter(|other| **other == team).count()
    }

    /// How many more deliveries may start.
    fn free(&self) -> usize {
        if self.stopping { 0 } else { MAX_CONCURRENT.saturating_sub(self.teams.len()) }
    }

    /// Teams that have reached their limit.
    fn full_teams(&self) -> Vec<TeamId> {
        let mut teams: Vec<TeamId> = self.teams.values().copied().collect();
        teams.sort_unstable();
        teams.dedup();
        teams.retain(|team| self.of_team(*team) >= MAX_CONCURRENT_PER_TEAM);
        teams
    }

    /// Reserves slots for as many of the webhooks as the limits allow.
    fn reserve(&mut self, found: &[(WebhookId, TeamId)]) -> Vec<WebhookId> {
        let mut chosen = Vec::new();
        for (webhook, team) in found {
            if self.free() == 0 || self.of_team(*team) >= MAX_CONCURRENT_PER_TEAM {
                continue;
            }
            if let Entry::Vacant(slot) = self.teams.entry(*webhook) {
                slot.insert(*team);
                chosen.push(*webhook);
            }
        }
        chosen
    }
}

/// Use cases of webhook deliveries.
pub struct WebhookDeliveries {
    core: Arc<Core>,
    running: Mutex<Running>,
}

impl WebhookDeliveries {
    /// Creates the use cases from the shared components.
    pub fn new(core: &Arc<Core>) -> Self {
        Self { core: core.clone(), running: Mutex::default() }
    }

    fn running(&self) -> MutexGuard<'_, Running> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn is_stopping(&self) -> bool {
        self.running().stopping
    }

    /// Claims due webhooks, within the limit per team. Pass each to [`WebhookDeliveries::deliver`].
    pub async fn claim(&self) -> Result<Vec<DueWebhook>, Error> {
        let mut due = Vec::new();
        loop {
            let (free, except) = {
                let running = self.running();
                (running.free(), running.full_teams())
            };
            if free == 0 {
                return Ok(due);
            }
            let now = self.core.now();
            let found = self.core.store.outbox.due_webhooks(now, &except, BATCH_SIZE).await?;
            let chosen = self.running().reserve(&found);
            if chosen.is_empty() {
                return Ok(due);
            }
            let claimed =
                match self.core.store.outbox.claim_webhooks(&chosen, self.core.holder, now, now + LEASE_TTL).await {
                    Ok(claimed) => claimed,
                    Err(error) => {
                        self.release_slots(&chosen, &[]);
                        // Webhooks claimed by earlier queries are still delivered.
                        return if due.is_empty() { Err(error.into()) } else { Ok(due) };
                    }
                };
            self.release_slots(&chosen, &claimed);
            due.extend(claimed);
            if found.len() < usize::from(BATCH_SIZE) {
                return Ok(due);
            }
        }
    }

    /// Releases the slots of webhooks that were reserved but not claimed.
    fn release_slots(&self, chosen: &[WebhookId], claimed: &[DueWebhook]) {
        let mut running = self.running();
        for id in chosen.iter().filter(|id| claimed.iter().all(|due| due.webhook.id != **id)) {
            running.teams.remove(id);
        }
    }

    /// Renews the leases of deliveries in progress. Returns their number.
    pub async fn renew(&self) -> Result<usize, Error> {
        let running = self.leased();
        if !running.is_empty() {
            self.core.store.outbox.renew_leases(&running, self.core.holder, self.core.now() + LEASE_TTL).await?;
        }
        Ok(running.len())
    }

    fn leased(&self) -> Vec<WebhookId> {
        let mut leased: Vec<WebhookId> = self.running().teams.keys().copied().collect();
        leased.sort_unstable();
        leased
    }

    /// Stops claiming, and lets deliveries in progress end after the current attempt. Returns their number.
    pub fn stop(&self) -> usize {
        let mut running = self.running();
        running.stopping = true;
        running.teams.len()
    }

    /// Releases the leases of all deliveries in progress, so that another replica can continue immediately. Call it on
    /// shutdown, after [`WebhookDeliveries::stop`].
    pub async fn release_all(&self) -> Result<(), Error> {
        let leased = self.leased();
        if !leased.is_empty() {
            self.core.store.outbox.release_leases(&leased, self.core.holder).await?;
        }
        Ok(())
    }

    /// Delivers pending events to one webhook until an attempt fails or its turn ends. After any other error the lease
    /// expires, and the delivery is retried then.
    pub async fn deliver(&self, due: DueWebhook) -> Result<(), Error> {
        let _slot = DeliverySlot { deliveries: self, webhook: due.webhook.id };
        if self.deliver_turn(&due).await? {
            self.core.store.outbox.release_leases(&[due.webhook.id], self.core.holder).await?;
        }
        Ok(())
    }

    /// Delivers events for one turn. Returns whether the lease is still held.
    async fn deliver_turn(&self, due: &DueWebhook) -> Result<bool, Error> {
        let (began, webhook) = (self.core.now(), &due.webhook);
        let (mut position, mut attempts) = (due.position, due.attempts);
        let is_over = || self.is_stopping() || self.core.now() - began >= TURN_TIME_LIMIT;
        while position < due.due_position && !is_over() {
            let batch = self
                .core
                .store
                .audit_log
                .matching_events(webhook, position, due.due_position, EVENT_BATCH_SIZE)
                .await?;
            // Checked once per batch, not per event: the request that removes a member's authority also pauses the
            // webhook.
            if !batch.events.is_empty() && !self.is_authorized(webhook).await? {
                let reason = Some(UNAUTHORIZED.to_owned());
                let paused = DeliveryProgress { pause: reason, ..self.passed(webhook.id, position) };
                return Ok(self.core.store.outbox.record_progress(&paused).await?);
            }
            for event in &batch.events {
                let delivery = self.attempt(webhook, event, attempts.saturating_add(1)).await?;
                let progress = self.outcome(webhook.id, delivery);
                if !self.core.store.outbox.record_progress(&progress).await? {
                    return Ok(false);
                }
                if progress.attempts > 0 || progress.pause.is_some() || is_over() {
                    return Ok(true);
                }
                (position, attempts) = (progress.position, 0);
            }
            if position < batch.through {
                // Events that the webhook does not subscribe to count as delivered.
                position = batch.through;
                if !self.core.store.outbox.record_progress(&self.passed(webhook.id, position)).await? {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }

    /// Whether the member who authorized the webhook may still manage webhooks.
    async fn is_authorized(&self, webhook: &Webhook) -> Result<bool, Error> {
        let member = self.core.store.access.team_membership(webhook.authorized_by, webhook.team_id).await?;
        Ok(member.is_some_and(|member| member.roles.may_authorize_webhooks()))
    }

    /// Sends one event once. Does not store the result.
    pub(in crate::usecases) async fn attempt(
        &self,
        webhook: &Webhook,
        event: &AuditEvent,
        attempt: u32,
    ) -> Result<WebhookDelivery, Error> {
        let (id, at) = (DeliveryId::from(self.core.next_id()), self.core.now());
        let message = self.message(webhook, message_id(webhook, event, id), payload(event), at)?;
        let response = self.core.delivery.webhook_sender.send(&webhook.url, &message).await;
        let (status, error) = match response {
            Ok(status @ 200..=299) => (Some(status), None),
            Ok(status) => (Some(status), Some(format!("The receiver returned status {status}."))),
            Err(reason) => (None, Some(reason)),
        };
        Ok(WebhookDelivery {
            id,
            webhook_id: webhook.id,
            position: event.position,
            event: event.action.clone(),
            attempt,
            at,
            took_ms: (self.core.now() - at).num_milliseconds(),
            status,
            error,
        })
    }

    /// Signs a message.
    fn message(&self, webhook: &Webhook, id: String, body: String, at: Time) -> Result<WebhookMessage, Error> {
        let timestamp = at.timestamp();
        let signed = format!("{id}.{timestamp}.{body}");
        let previous = webhook.previous.as_ref().filter(|previous| previous.expires_at > at);
        let mut signatures = Vec::new();
        for encrypted in [Some(&webhook.secret), previous.map(|previous| &previous.encrypted)].into_iter().flatten() {
            let secret = self.core.system.encrypter.decrypt(PURPOSE, encrypted)?;
            signatures.push(format!("v1,{}", self.core.system.signer.sign(&secret, &signed)));
        }
        Ok(WebhookMessage { id, timestamp, signature: signatures.join(" "), body })
    }

    /// Returns the progress to store after an attempt: delivered, retried later, or paused.
    fn outcome(&self, webhook: WebhookId, delivery: WebhookDelivery) -> DeliveryProgress {
        let before = delivery.position.saturating_sub(1);
        let done = self.passed(webhook, delivery.position);
        let Some(error) = delivery.error.clone() else {
            return DeliveryProgress { delivery: Some(delivery), ..done };
        };
        let failed = DeliveryProgress { position: before, attempts: delivery.attempt, ..done };
        let pause =
            usize::try_from(delivery.attempt).ok().and_then(|attempt| RETRY_DELAYS.get(attempt.saturating_sub(1)));
        // 410 means that the endpoint no longer exists (Standard Webhooks).
        let is_gone = delivery.status == Some(410);
        let reason = if is_gone { error } else { format!("{} attempts failed. Last error: {error}", delivery.attempt) };
        match pause.filter(|_| !is_gone) {
            Some(seconds) => {
                let next_attempt_at = self.core.now() + self.jittered(*seconds);
                DeliveryProgress { next_attempt_at, delivery: Some(delivery), ..failed }
            }
            None => DeliveryProgress { attempts: 0, pause: Some(reason), delivery: Some(delivery), ..failed },
        }
    }

    fn passed(&self, webhook: WebhookId, position: i64) -> DeliveryProgress {
        DeliveryProgress {
            webhook,
            holder: self.core.holder,
            position,
            attempts: 0,
            next_attempt_at: self.core.now(),
            delivery: None,
            pause: None,
        }
    }

    /// This many seconds and up to 20% more, so that receivers that failed together are not all retried together.
    fn jittered(&self, seconds: i64) -> TimeDelta {
        let random = self.core.system.secrets.entropy().first().copied().map_or(0, i64::from);
        TimeDelta::milliseconds(seconds.saturating_mul(1000 + random * 200 / 255))
    }
}

/// Slot of a delivery in progress; released on drop.
struct DeliverySlot<'a> {
    deliveries: &'a WebhookDeliveries,
    webhook: WebhookId,
}

impl Drop for DeliverySlot<'_> {
    fn drop(&mut self) {
        self.deliveries.running().teams.remove(&self.webhook);
    }
}
