//! Connects the devices of this process with the changes in the database. One loop asks for the changes of all users at
//! once, another one whether anybody's access has ended (docs/decisions/0023-sync.md).

use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use actix_web::rt;
use futures_util::stream::{self, StreamExt as _};
use steward_domain::Steward;
use steward_domain::data::{ChangedUsers, ItemChange, SyncKey, SyncSession};
use steward_domain::kernel::error::Error;
use steward_domain::kernel::policy::Lane;
use steward_domain::kernel::work::{Tenant, Work};
use steward_domain::kernel::{ProjectId, ProjectUserId, Time};
use tokio::sync::{Mutex as AsyncMutex, Notify, Semaphore};
use tokio::time::sleep;

use super::admission::{Admission, Admissions, SyncLimits, TooManyConnections};
use super::awaited::{Awaited, POLL_INTERVAL};
use super::mailbox::{DeliveredItem, Delivery, Mailbox};
use super::reply::DeviceChange;
use super::stats::SyncStats;
use steward_web::{OutageLog, Shutdown};

/// Interval at which the database is polled while all processes announce their changes: an announcement may be lost.
const SAFETY_INTERVAL: Duration = Duration::from_secs(1);
/// The loop waits this many times as long as the last poll took, so that it uses a fraction of one connection.
const PAUSE_FACTOR: u32 = 20;
const MAX_PAUSE: Duration = Duration::from_millis(50);
/// Interval at which the access of all connections is checked. Access ends everywhere within a second.
const ACCESS_INTERVAL: Duration = Duration::from_millis(500);
/// Interval at which it is recorded what devices received.
const RECORD_INTERVAL: Duration = Duration::from_millis(500);
/// How long the loop sleeps while nobody is connected.
const IDLE_INTERVAL: Duration = Duration::from_secs(5);
/// Maximum number of changes that are read at once.
const MAX_CHANGES: u16 = 5_000;
/// Maximum number of items of a user that are read once for all connections of the user.
const MAX_SHARED_ITEMS: usize = 64;
/// Maximum number of users whose items are read at the same time.
const MAX_READERS: usize = 4;
/// Maximum number of connections of a user in this process.
const MAX_PER_USER: usize = 20;
/// Maximum number of large messages that are stored at the same time.
const MAX_LARGE_MESSAGES: usize = 4;

/// The position up to which changes were delivered, and when it was read.
struct Polled {
    through: i64,
    at: Time,
}

/// The connections of one user.
struct UserConnections {
    project: ProjectId,
    mailboxes: Vec<Arc<Mailbox>>,
    long_messages: Arc<AsyncMutex<()>>,
}

/// The devices that are connected to this process.
pub struct SyncHub {
    steward: Arc<Steward>,
    shutdown: Shutdown,
    users: Mutex<HashMap<ProjectUserId, UserConnections>>,
    /// `None` while nobody is connected.
    polled: AsyncMutex<Option<Polled>>,
    wake: Notify,
    /// The last position that a device received, and the one that is recorded.
    delivered: AtomicI64,
    recorded: AtomicI64,
    /// Limits how many large messages are stored at the same time.
    pub(super) large_messages: Semaphore,
    admissions: Arc<Admissions>,
    pub(crate) stats: SyncStats,
    failures: OutageLog,
}

/// A connection that receives news until it is dropped.
pub(super) struct Registration {
    hub: Arc<SyncHub>,
    user: ProjectUserId,
    pub mailbox: Arc<Mailbox>,
    /// Held while a long message of the user is stored: one at a time.
    pub long_messages: Arc<AsyncMutex<()>>,
}

impl SyncHub {
    /// Starts to deliver changes. MUST be called in the runtime that runs the server.
    pub fn start(steward: Arc<Steward>, shutdown: Shutdown, limits: SyncLimits) -> Arc<Self> {
        let hub = Arc::new(Self {
            steward,
            shutdown,
            users: Mutex::default(),
            polled: AsyncMutex::new(None),
            wake: Notify::new(),
            delivered: AtomicI64::new(0),
            recorded: AtomicI64::new(0),
            large_messages: Semaphore::new(MAX_LARGE_MESSAGES),
            admissions: Admissions::new(limits),
            stats: SyncStats::default(),
            failures: OutageLog::default(),
        });
        rt::spawn(run(hub.clone()));
        rt::spawn(watch_access(hub.clone()));
        rt::spawn(record_delivered(hub.clone()));
        hub
    }

    /// Number of open connections.
    pub(crate) fn connections(&self) -> usize {
        self.users().values().map(|user| user.mailboxes.len()).sum()
    }

    /// Counts a connection whose device is not authenticated yet.
    pub(super) fn admit(&self, network: Tenant) -> Result<Admission, TooManyConnections> {
        self.admissions.admit(network, &self.stats)
    }

    /// Adds a connection. From now on it receives every change that is settled later. `None` if the user has too many
    /// connections.
    pub(super) async fn register(self: &Arc<Self>, session: &SyncSession) -> Result<Option<Registration>, Error> {
        // Held until the connection is added, so that no poll comes in between.
        let mut polled = self.polled.lock().await;
        if polled.is_none() {
            let at = self.steward.clock.now();
            *polled = Some(Polled { through: service(self.steward.item_sync.settled_position()).await?, at });
        }
        let mailbox = Arc::new(Mailbox::new(session.caller.basis));
        let long_messages = {
            let mut users = self.users();
            let empty = || UserConnections {
                project: session.project_id,
                mailboxes: Vec::new(),
                long_messages: Arc::default(),
            };
            let user = users.entry(session.user_id).or_insert_with(empty);
            if user.mailboxes.len() >= MAX_PER_USER {
                return Ok(None);
            }
            user.mailboxes.push(mailbox.clone());
            user.long_messages.clone()
        };
        // Asks for changes now instead of at the end of the interval.
        self.wake.notify_one();
        Ok(Some(Registration { hub: self.clone(), user: session.user_id, mailbox, long_messages }))
    }

    fn users(&self) -> MutexGuard<'_, HashMap<ProjectUserId, UserConnections>> {
        self.users.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn mailboxes(&self) -> Vec<Arc<Mailbox>> {
        self.users().values().flat_map(|user| user.mailboxes.iter().cloned()).collect()
    }

    /// Waits until items of a connected user change.
    async fn changed(&self) {
        loop {
            match self.steward.item_sync.changed_users().await {
                ChangedUsers::Any => return,
                ChangedUsers::Listed(changed) => {
                    let users = self.users();
                    if changed.iter().any(|user| users.contains_key(user)) {
                        return;
                    }
                }
            }
        }
    }

    /// Delivers all changes that are settled. Returns how long it took to read them.
    async fn poll(&self, awaited: &mut Awaited) -> Duration {
        let mut polled = self.polled.lock().await;
        let mut took = Duration::ZERO;
        if self.users().is_empty() {
            *polled = None;
            *awaited = Awaited::default();
            return took;
        }
        while let Some(Polled { through, at }) = &mut *polled {
            let now = self.steward.clock.now();
            let began = Instant::now();
            let found = service(self.steward.item_sync.settled_changes(*through, *at, MAX_CHANGES)).await;
            took = began.elapsed();
            let found = match found {
                Ok(found) => found,
                Err(error) => {
                    self.report("Unable to read the changes for connected devices. It is retried.", &error);
                    break;
                }
            };
            awaited.found(&found);
            (*through, *at) = (found.through, now);
            let is_last = found.changes.len() < usize::from(MAX_CHANGES);
            if found.is_interrupted {
                // Each device gets what it lacks, or everything if it has changes that were lost.
                self.mailboxes().iter().for_each(|mailbox| mailbox.fall_behind());
            } else {
                self.deliver(found.changes, found.through, now).await;
            }
            if is_last {
                break;
            }
        }
        took
    }

    async fn deliver(&self, changes: Vec<ItemChange>, through: i64, now: Time) {
        let mut by_user: HashMap<ProjectUserId, (ProjectId, BTreeMap<SyncKey, Vec<i64>>)> = HashMap::new();
        let mut oldest = now;
        {
            let users = self.users();
            for change in changes {
                if let Some(user) = users.get(&change.user_id) {
                    oldest = oldest.min(change.at);
                    let (_, items) = by_user.entry(change.user_id).or_insert((user.project, BTreeMap::new()));
                    items.entry(change.key).or_default().push(change.position);
                }
            }
        }
        if by_user.is_empty() {
            return;
        }
        let lag = (now - oldest).num_microseconds().and_then(|lag| u64::try_from(lag).ok());
        self.stats.lag.store(lag.unwrap_or_default(), Ordering::Relaxed);
        let deliver = |(user, (project, items))| self.deliver_to((project, user), items, through);
        stream::iter(by_user).for_each_concurrent(MAX_READERS, deliver).await;
    }

    /// Reads the changed items of a user once for all connections, unless there are many.
    async fn deliver_to(
        &self,
        (project, user): (ProjectId, ProjectUserId),
        mut changed: BTreeMap<SyncKey, Vec<i64>>,
        through: i64,
    ) {
        let items = if changed.len() > MAX_SHARED_ITEMS {
            let unread = |(key, positions)| DeliveredItem { key, positions, change: None };
            Ok(changed.into_iter().map(unread).collect())
        } else {
            let current = service(self.steward.item_sync.current((project, user), changed.keys())).await;
            current.map(|current| {
                let mut read = Vec::new();
                for item in current {
                    let positions = changed.remove(&item.key).unwrap_or_default();
                    read.push(DeliveredItem { change: Some(DeviceChange::of(&item, None)), key: item.key, positions });
                }
                read
            })
        };
        let users = self.users();
        let Some(connections) = users.get(&user) else { return };
        match items {
            Ok(items) => {
                let delivery = Arc::new(Delivery::new(through, items));
                connections.mailboxes.iter().for_each(|mailbox| mailbox.deliver(delivery.clone()));
            }
            Err(error) => {
                self.report("Unable to read changed items for connected devices. Each reads them itself.", &error);
                connections.mailboxes.iter().for_each(|mailbox| mailbox.fall_behind());
            }
        }
    }

    /// Finds the connections whose access may have ended.
    async fn check_access(&self) {
        let mailboxes = self.mailboxes();
        let bases: Vec<_> = mailboxes.iter().map(|mailbox| mailbox.basis()).collect();
        if bases.is_empty() {
            return;
        }
        match service(self.steward.item_sync.are_current(&bases)).await {
            Ok(current) => {
                let stale = mailboxes.iter().zip(current).filter(|(_, is_current)| !is_current);
                stale.for_each(|(mailbox, _)| mailbox.check_access());
            }
            Err(error) => self.report("Unable to check the access of connected devices. It is retried.", &error),
        }
    }

    /// Logs a failure, at most once a second: an outage lasts for many attempts.
    fn report(&self, failure: &str, error: &Error) {
        if let Some(repeated) = self.failures.admit(failure, Instant::now()) {
            let repeated = Some(repeated).filter(|repeated| *repeated > 0);
            tracing::warn!(%error, repeated, "{failure}");
        }
    }
}

impl Registration {
    /// Notes that the device receives all changes up to a position.
    pub(super) fn note_delivered(&self, position: i64) {
        self.hub.delivered.fetch_max(position, Ordering::Relaxed);
    }
}

impl Drop for Registration {
    fn drop(&mut self) {
        let mut users = self.hub.users();
        if let Some(user) = users.get_mut(&self.user) {
            user.mailboxes.retain(|mailbox| !Arc::ptr_eq(mailbox, &self.mailbox));
            if user.mailboxes.is_empty() {
                users.remove(&self.user);
            }
        }
    }
}

async fn run(hub: Arc<SyncHub>) {
    let mut awaited = Awaited::default();
    loop {
        let is_idle = hub.users().is_empty();
        let interval = match awaited.retry() {
            _ if is_idle => IDLE_INTERVAL,
            Some(delay) => delay,
            None if hub.steward.item_sync.reports_all_processes() => SAFETY_INTERVAL,
            None => POLL_INTERVAL,
        };
        tokio::select! {
            () = hub.changed(), if !is_idle => awaited.announce(),
            () = hub.wake.notified() => {}
            () = sleep(interval) => {}
        }
        let took = hub.poll(&mut awaited).await;
        sleep((took * PAUSE_FACTOR).min(MAX_PAUSE)).await;
    }
}

/// Ends connections whose access has ended, and all of them at a shutdown. Runs apart from the deliveries, so that these cannot
/// delay it.
async fn watch_access(hub: Arc<SyncHub>) {
    loop {
        sleep(ACCESS_INTERVAL).await;
        if hub.shutdown.has_begun() {
            hub.mailboxes().iter().for_each(|mailbox| mailbox.close());
        }
        hub.check_access().await;
    }
}

/// Records up to which position devices received changes.
async fn record_delivered(hub: Arc<SyncHub>) {
    loop {
        sleep(RECORD_INTERVAL).await;
        let delivered = hub.delivered.load(Ordering::Relaxed);
        if delivered <= hub.recorded.load(Ordering::Relaxed) {
            continue;
        }
        match service(hub.steward.item_sync.record_delivered(delivered)).await {
            Ok(()) => hub.recorded.store(delivered, Ordering::Relaxed),
            Err(error) => hub.report("Unable to record what devices received. It is retried.", &error),
        }
    }
}

/// Runs work that is done for all connections together.
async fn service<F: Future>(work: F) -> F::Output {
    Work { lane: Lane::Interactive, tenant: Tenant::Service }.scope(work).await
}
