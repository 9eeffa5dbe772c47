//! Delivery of events to webhooks: at least once, in the order of the webhook, with retries, and with limits per team.

use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex, MutexGuard};

use chrono::TimeDelta;
use lru::LruCache;

use crate::administration::{AdministrationCore, DueWebhook};
use crate::kernel::error::Error;
use crate::kernel::{WebhookId, lock};

use super::event_sender::EventSender;
use super::slots::Running;
use super::turn::Turn;
use super::window::Attempted;

/// How many due webhooks are read per query.
const BATCH_SIZE: u16 = 64;
/// Duration of a lease, during which no other replica delivers to the webhook. Leases can be renewed.
const LEASE_TTL: TimeDelta = TimeDelta::seconds(5);
/// Of how many webhooks this process remembers which events behind the position it has delivered.
const MAX_REMEMBERED: NonZeroUsize = NonZeroUsize::MIN.saturating_add(255);

/// Use cases of webhook deliveries.
pub struct WebhookDeliveries {
    core: Arc<AdministrationCore>,
    pub(super) sender: EventSender,
    /// What this process sent behind the positions of webhooks, so that a later turn does not send it again.
    attempted: Mutex<LruCache<WebhookId, Attempted>>,
}

impl WebhookDeliveries {
    /// Creates the use cases from the shared components.
    pub fn new(core: &Arc<AdministrationCore>) -> Self {
        let attempted = Mutex::new(LruCache::new(MAX_REMEMBERED));
        Self { core: core.clone(), sender: EventSender::new(core), attempted }
    }

    fn running(&self) -> MutexGuard<'_, Running> {
        self.sender.running()
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
            let found = self.core.ports.outbox.due_webhooks(now, &except, BATCH_SIZE).await?;
            let chosen = self.running().reserve(&found);
            if chosen.is_empty() {
                return Ok(due);
            }
            let claimed =
                match self.core.ports.outbox.claim_webhooks(&chosen, self.core.holder, now, now + LEASE_TTL).await {
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
            running.release(*id);
        }
    }

    /// Renews the leases of deliveries in progress. Returns their number.
    pub async fn renew(&self) -> Result<usize, Error> {
        let running = self.running().ids();
        if !running.is_empty() {
            self.core.ports.outbox.renew_leases(&running, self.core.holder, self.core.now() + LEASE_TTL).await?;
        }
        Ok(running.len())
    }

    /// Stops claiming, and lets deliveries in progress end after the current attempt. Returns their number.
    pub fn stop(&self) -> usize {
        let mut running = self.running();
        running.stopping = true;
        running.len()
    }

    /// Releases the leases of all deliveries in progress, so that another replica can continue immediately. Call it on
    /// shutdown, after [`WebhookDeliveries::stop`].
    pub async fn release_all(&self) -> Result<(), Error> {
        let leased = self.running().ids();
        if !leased.is_empty() {
            // Another replica may know more events.
            let (holder, seen) = (self.core.holder, 0);
            self.core.ports.outbox.release_leases(&leased, holder, seen, self.core.now()).await?;
        }
        Ok(())
    }

    /// Delivers pending events to one webhook until no more may be sent or its turn ends. After any other error the lease
    /// expires, and the delivery is retried then.
    pub async fn deliver(&self, due: DueWebhook) -> Result<(), Error> {
        let _slot = DeliverySlot { deliveries: self, webhook: due.webhook.id };
        let attempted = lock(&self.attempted).pop(&due.webhook.id).unwrap_or_default();
        let mut turn = Turn::new(&self.sender, &due, attempted);
        let result = turn.run().await;
        let seen = turn.seen();
        let attempted = turn.into_attempted();
        if !attempted.is_empty() {
            lock(&self.attempted).put(due.webhook.id, attempted);
        }
        if result? {
            let (id, holder, now) = (due.webhook.id, self.core.holder, self.core.now());
            self.core.ports.outbox.release_leases(&[id], holder, seen, now).await?;
        }
        Ok(())
    }
}

/// Slot of a delivery in progress; released on drop.
struct DeliverySlot<'a> {
    deliveries: &'a WebhookDeliveries,
    webhook: WebhookId,
}

impl Drop for DeliverySlot<'_> {
    fn drop(&mut self) {
        self.deliveries.running().release(self.webhook);
    }
}
