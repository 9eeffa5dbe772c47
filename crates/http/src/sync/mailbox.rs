//! What a connection has to do because of others: deliveries, and signals.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use steward_domain::data::SyncKey;
use steward_domain::kernel::AccessBasis;
use tokio::sync::Notify;

use super::reply::DeviceChange;

/// Maximum number of deliveries that wait for a connection. A connection that is further behind reads what it lacks from
/// the database.
const MAX_WAITING: usize = 32;
/// Maximum size of the deliveries that wait after the first one, in bytes.
const MAX_WAITING_BYTES: usize = 1024 * 1024;

/// Changes of the items of one user, shared by the user's connections.
#[derive(Debug)]
pub(super) struct Delivery {
    /// Position up to which there are no other changes.
    pub through: i64,
    pub items: Vec<DeliveredItem>,
    bytes: usize,
}

impl Delivery {
    pub(super) fn new(through: i64, items: Vec<DeliveredItem>) -> Self {
        let bytes = items.iter().map(DeliveredItem::bytes).sum();
        Self { through, items, bytes }
    }
}

/// A changed item.
#[derive(Debug)]
pub(super) struct DeliveredItem {
    pub key: SyncKey,
    /// Positions of its changes.
    pub positions: Vec<i64>,
    /// The change for the device; `None` if each connection has to read the item.
    pub change: Option<DeviceChange>,
}

impl DeliveredItem {
    fn bytes(&self) -> usize {
        let text = self.change.as_ref().map_or(0, |change| change.text.len());
        text.saturating_add(self.key.table.len()).saturating_add(self.key.id.len())
    }
}

/// What has happened since the last time.
#[derive(Debug, Default)]
pub(super) struct News {
    pub deliveries: VecDeque<Arc<Delivery>>,
    /// Whether deliveries were dropped.
    pub is_behind: bool,
    /// Whether the person's access may have ended.
    pub is_access_stale: bool,
    /// Whether the service shuts down.
    pub is_closing: bool,
}

impl News {
    fn is_empty(&self) -> bool {
        self.deliveries.is_empty() && !self.is_behind && !self.is_access_stale && !self.is_closing
    }

    /// Drops what waits: the connection reads it from the database.
    fn fall_behind(&mut self) {
        self.deliveries.clear();
        self.is_behind = true;
    }

    fn has_space(&self, delivery: &Delivery) -> bool {
        let waiting: usize = self.deliveries.iter().map(|delivery| delivery.bytes).sum();
        let fits = waiting.saturating_add(delivery.bytes) <= MAX_WAITING_BYTES;
        self.deliveries.is_empty() || self.deliveries.len() < MAX_WAITING && fits
    }
}

/// The news of one connection, and the basis of its access.
#[derive(Debug)]
pub(super) struct Mailbox {
    news: Mutex<News>,
    basis: Mutex<AccessBasis>,
    wake: Notify,
}

impl Mailbox {
    pub(super) fn new(basis: AccessBasis) -> Self {
        Self { news: Mutex::default(), basis: Mutex::new(basis), wake: Notify::new() }
    }

    /// Waits for news. Nothing is lost if the returned future is dropped.
    pub(super) async fn next(&self) -> News {
        loop {
            let news = std::mem::take(&mut *self.news());
            if !news.is_empty() {
                return news;
            }
            self.wake.notified().await;
        }
    }

    /// Returns whether the person's access may have ended, and whether the service shuts down. For a connection that is
    /// busy: the other news wait.
    pub(super) fn take_signals(&self) -> (bool, bool) {
        let mut news = self.news();
        (std::mem::take(&mut news.is_access_stale), news.is_closing)
    }

    pub(super) fn deliver(&self, delivery: Arc<Delivery>) {
        self.add(|news| {
            if !news.is_behind && news.has_space(&delivery) {
                news.deliveries.push_back(delivery);
            } else {
                news.fall_behind();
            }
        });
    }

    /// Makes the connection read what it lacks from the database.
    pub(super) fn fall_behind(&self) {
        self.add(News::fall_behind);
    }

    pub(super) fn check_access(&self) {
        self.add(|news| news.is_access_stale = true);
    }

    pub(super) fn close(&self) {
        self.add(|news| news.is_closing = true);
    }

    pub(super) fn basis(&self) -> AccessBasis {
        *self.basis.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn set_basis(&self, basis: AccessBasis) {
        *self.basis.lock().unwrap_or_else(PoisonError::into_inner) = basis;
    }

    fn add(&self, add: impl FnOnce(&mut News)) {
        add(&mut self.news());
        self.wake.notify_one();
    }

    fn news(&self) -> MutexGuard<'_, News> {
        self.news.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_connection_that_is_too_far_behind_gets_no_more_deliveries_until_it_catches_up() {
        let mailbox = Mailbox::new(AccessBasis::default());
        let deliver = |through| mailbox.deliver(Arc::new(Delivery::new(through, Vec::new())));
        (1..=32).for_each(deliver);
        let news = mailbox.next().await;
        assert_eq!((news.deliveries.len(), news.is_behind), (32, false));
        (1..=34).for_each(deliver);
        let news = mailbox.next().await;
        assert_eq!((news.deliveries.len(), news.is_behind), (0, true));
        deliver(35);
        assert_eq!(mailbox.next().await.deliveries.len(), 1);
    }

    #[tokio::test]
    async fn large_deliveries_wait_one_at_a_time() {
        let mailbox = Mailbox::new(AccessBasis::default());
        let deliver = |through| {
            let key = SyncKey { table: "notes".into(), id: "a".into() };
            let change = DeviceChange { text: "x".repeat(MAX_WAITING_BYTES), is_deletion: false };
            let item = DeliveredItem { key, positions: vec![through], change: Some(change) };
            mailbox.deliver(Arc::new(Delivery::new(through, vec![item])));
        };
        deliver(1);
        let news = mailbox.next().await;
        assert_eq!((news.deliveries.len(), news.is_behind), (1, false));
        deliver(2);
        deliver(3);
        let news = mailbox.next().await;
        assert_eq!((news.deliveries.len(), news.is_behind), (0, true));
    }
}
