//! Sends a device what it lacks.

use std::sync::atomic::Ordering;
use std::time::Instant;

use steward_domain::data::{ItemSync, SyncCorrections, SyncKey, SyncSession};
use steward_domain::kernel::policy::Lane;

use super::{Connection, End};
use crate::sync::mailbox::{DeliveredItem, Delivery};
use crate::sync::reply::{ChangesWriter, DeviceChange};

/// Number of items that are read at once if a delivery has too many for all connections.
const READ_AT_ONCE: usize = 32;

/// A series of `changes` messages. Messages before the first deletion are partial, except the last one. A device keeps the
/// partial messages of a series that is interrupted, and applies them with a later series, the deletions after the puts.
/// So a deletion in them could delete an item that was created again.
pub(super) struct Series {
    writer: ChangesWriter,
    has_deletions: bool,
    /// Whether a device learns from the messages which items do not exist: none but those in them do.
    is_everything: bool,
    /// Revision of all messages but the last: if the series is interrupted, the device continues from there.
    from: i64,
    /// Revision of the last message.
    to: i64,
}

impl Connection {
    /// Sends everything after the revision of the device, and from now on each change.
    pub(super) async fn subscribe(&mut self, synced: Option<i64>) -> Result<(), End> {
        let load = self.work(self.api.steward.item_sync.load(synced)).await?;
        let is_everything = load.span.after == 0;
        let mut series = Series { is_everything, ..Series::new(load.span.after, load.span.through) };
        let mut rest = Some(load);
        while let Some(load) = rest {
            let next = async |sync: &ItemSync, person: &SyncSession| sync.load_next(person, load.clone()).await;
            let items;
            (items, rest) = self.run_as_person(Lane::Interactive, next).await?;
            for item in items {
                self.add(&mut series, &item.key, &DeviceChange::of(&item, None)).await?;
            }
        }
        // The load omits items with later changes, and with them earlier changes of others. So the device gets its own
        // later changes, too.
        self.own.overwrite_after(series.to);
        self.sent.add_all(series.to, Instant::now());
        self.finish(series).await?;
        // During a load, which may take long, nothing is received from the device.
        self.last_seen = Instant::now();
        Ok(())
    }

    /// Sends what was dropped because the connection was too far behind.
    pub(super) async fn catch_up(&mut self) -> Result<(), End> {
        if self.revision.is_some() { self.subscribe(self.revision).await } else { Ok(()) }
    }

    /// Sends the changes of a delivery that the device did not make itself.
    pub(super) async fn deliver(&mut self, delivery: &Delivery) -> Result<(), End> {
        // A device gets earlier changes when it subscribes.
        let Some(revision) = self.revision.filter(|revision| *revision < delivery.through) else { return Ok(()) };
        let is_news = |position: &i64| *position > revision && !self.own.contains(*position);
        let news: Vec<&DeliveredItem> =
            delivery.items.iter().filter(|item| item.positions.iter().any(is_news)).collect();
        if news.is_empty() {
            self.registration.note_delivered(delivery.through);
            self.reach(delivery.through);
            return Ok(());
        }
        self.own.overwrite_after(delivery.through);
        let mut series = Series::new(revision, delivery.through);
        let mut unread = Vec::new();
        for item in news {
            match &item.change {
                Some(change) => self.add(&mut series, &item.key, change).await?,
                None => unread.push(&item.key),
            }
        }
        self.add_current(&mut series, &unread, &SyncCorrections::default()).await?;
        self.finish(series).await
    }

    /// Sends the current state of items, to correct what the device has. The revision of the device stays the same:
    /// before it subscribes, the one of its changes.
    pub(super) async fn correct(&mut self, corrections: &SyncCorrections, base: Option<i64>) -> Result<(), End> {
        if corrections.is_empty() {
            return Ok(());
        }
        let count = u64::try_from(corrections.len()).unwrap_or(u64::MAX);
        self.api.sync.stats.corrections.fetch_add(count, Ordering::Relaxed);
        let keys: Vec<&SyncKey> = corrections.keys().collect();
        let revision = self.revision.or(base).unwrap_or_default().max(0);
        let mut series = Series::new(revision, revision);
        self.add_current(&mut series, &keys, corrections).await?;
        // Only a later revision shows that the device had the correction when it changed the item again. Before it
        // subscribes, none does.
        let unseen = self.revision.map_or(i64::MAX, |revision| revision.saturating_add(1));
        for key in keys {
            self.sent.add(key, unseen, Instant::now());
        }
        self.send(series.writer.finish(revision, false, None)).await
    }

    /// Adds the current state of items, with the reasons of corrections.
    async fn add_current(
        &mut self,
        series: &mut Series,
        keys: &[&SyncKey],
        corrections: &SyncCorrections,
    ) -> Result<(), End> {
        let owner = (self.person.project_id, self.person.user_id);
        let api = self.api.clone();
        for keys in keys.chunks(READ_AT_ONCE) {
            let current = self.work(api.steward.item_sync.current(owner, keys.iter().copied())).await?;
            for item in current {
                let change = DeviceChange::of(&item, corrections.reason(&item.key));
                self.add(series, &item.key, &change).await?;
            }
        }
        Ok(())
    }

    async fn add(&mut self, series: &mut Series, key: &SyncKey, change: &DeviceChange) -> Result<(), End> {
        if !series.writer.fits(&change.text) {
            let (writer, complete) = (std::mem::take(&mut series.writer), series.is_everything.then_some(false));
            self.send(writer.finish(series.from, !series.has_deletions, complete)).await?;
        }
        series.has_deletions |= change.is_deletion;
        series.writer.add(&change.text);
        self.sent.add(key, series.to, Instant::now());
        Ok(())
    }

    async fn finish(&mut self, series: Series) -> Result<(), End> {
        self.registration.note_delivered(series.to);
        self.send(series.writer.finish(series.to, false, series.is_everything.then_some(true))).await?;
        self.reach(series.to);
        Ok(())
    }

    /// The device has all changes up to a revision.
    fn reach(&mut self, revision: i64) {
        self.revision = Some(revision);
        self.own.reach(revision);
    }
}

impl Series {
    fn new(from: i64, to: i64) -> Self {
        Self { writer: ChangesWriter::default(), has_deletions: false, is_everything: false, from, to }
    }
}
