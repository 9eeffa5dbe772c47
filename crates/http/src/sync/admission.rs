//! Limits the open connections of devices: those of a network until they are authenticated, and all of this process.

use std::collections::HashMap;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use steward_domain::kernel::work::Tenant;

use super::stats::SyncStats;

/// How many connections of devices a process accepts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SyncLimits {
    /// All connections.
    pub connections: usize,
    /// Connections of one network whose devices are not authenticated yet.
    pub unauthenticated: usize,
}

/// The limit that a connection would exceed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TooManyConnections {
    /// The limit of a network.
    Network,
    /// The limit of this process.
    Process,
}

/// Counts the open connections of this process.
pub(super) struct Admissions {
    limits: SyncLimits,
    open: Mutex<Open>,
}

#[derive(Debug, Default, PartialEq, Eq)]
struct Open {
    total: usize,
    /// Connections whose devices are not authenticated, by network.
    unauthenticated: HashMap<Tenant, usize>,
}

impl Admissions {
    pub(super) fn new(limits: SyncLimits) -> Arc<Self> {
        Arc::new(Self { limits, open: Mutex::default() })
    }

    /// Counts a connection of a network until the admission is dropped.
    pub(super) fn admit(self: &Arc<Self>, network: Tenant, stats: &SyncStats) -> Result<Admission, TooManyConnections> {
        let mut open = self.open();
        let of_network = open.unauthenticated.get(&network).copied().unwrap_or_default();
        let exceeded = if of_network >= self.limits.unauthenticated {
            Some(TooManyConnections::Network)
        } else if open.total >= self.limits.connections {
            Some(TooManyConnections::Process)
        } else {
            None
        };
        if let Some(exceeded) = exceeded {
            stats.refused.fetch_add(1, Ordering::Relaxed);
            return Err(exceeded);
        }
        open.total += 1;
        open.unauthenticated.insert(network, of_network.saturating_add(1));
        Ok(Admission { admissions: self.clone(), network: Some(network) })
    }

    fn open(&self) -> MutexGuard<'_, Open> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A connection that is counted until this is dropped.
pub(super) struct Admission {
    admissions: Arc<Admissions>,
    /// The network that the connection is counted for; `None` once its device is authenticated.
    network: Option<Tenant>,
}

impl Admission {
    /// Counts the connection only in total from now on: those of each user have a limit of their own.
    pub(super) fn authenticated(&mut self) {
        let Some(network) = self.network.take() else { return };
        let mut open = self.admissions.open();
        let of_network = open.unauthenticated.get(&network).copied().unwrap_or_default();
        match of_network.saturating_sub(1) {
            0 => open.unauthenticated.remove(&network),
            rest => open.unauthenticated.insert(network, rest),
        };
    }
}

impl Drop for Admission {
    fn drop(&mut self) {
        self.authenticated();
        let mut open = self.admissions.open();
        open.total = open.total.saturating_sub(1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn network(last: u8) -> Tenant {
        Tenant::at_address([192, 0, 2, last].into())
    }

    #[test]
    fn connections_are_limited_per_network_until_they_are_authenticated_and_in_total() {
        let admissions = Admissions::new(SyncLimits { connections: 4, unauthenticated: 2 });
        let stats = SyncStats::default();
        let admit = |last| admissions.admit(network(last), &stats);
        let (mut first, second) = (admit(1).ok().unwrap(), admit(1).ok().unwrap());
        assert_eq!(admit(1).err(), Some(TooManyConnections::Network));
        let other = admit(2).ok().unwrap();
        first.authenticated();
        first.authenticated();
        let third = admit(1).ok().unwrap();
        assert_eq!(admit(3).err(), Some(TooManyConnections::Process));
        assert_eq!(stats.refused.load(Ordering::Relaxed), 2);
        drop(first);
        assert!(admit(3).is_ok());
        drop((second, other, third));
        assert_eq!(*admissions.open(), Open::default());
    }
}
