//! What a connection has to do because of others: deliveries, and signals.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use steward_domain::model::{AccessBasis, SyncKey};
use tokio::sync::Notify;

/// Maximum number of deliveries that wait for a connection. A connection that is further behind reads what it lacks from
/// the database.
const MAX_WAITING: usize = 32;

/// Changes of the items of one user, shared by the user's connections.
#[derive(Debug)]
pub(super) struct Delivery {
    /// Position up to which there are no other changes.
    pub through: i64,
    pub items: Vec<DeliveredItem>,
}

/// A changed item.
#[derive(Debug)]
pub(super) struct DeliveredItem {
    pub key: SyncKey,
    /// Positions of its changes.
    pub positions: Vec<i64>,
    /// The change for the device; `None` if each connection has to read the item.
    pub text: Option<String>,
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

    pub(super) fn deliver(&self, delivery: Arc<Delivery>) {
        self.add(|news| {
            if news.deliveries.len() < MAX_WAITING && !news.is_behind {
                news.deliveries.push_back(delivery);
            } else {
                news.deliveries.clear();
                news.is_behind = true;
            }
        });
    }

    /// Makes the connection read what it lacks from the database.
    pub(super) fn fall_behind(&self) {
        self.add(|news| news.is_behind = true);
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
        let deliver = |through| mailbox.deliver(Arc::new(Delivery { through, items: Vec::new() }));
        (1..=32).for_each(deliver);
        let news = mailbox.next().await;
        assert_eq!((news.deliveries.len(), news.is_behind), (32, false));
        (1..=34).for_each(deliver);
        let news = mailbox.next().await;
        assert_eq!((news.deliveries.len(), news.is_behind), (0, true));
        deliver(35);
        assert_eq!(mailbox.next().await.deliveries.len(), 1);
    }
}
