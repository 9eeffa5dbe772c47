//! A bounded queue shared by many tenants. Each tenant has its own queue, and tenants are served in turn, so that a
//! tenant with many jobs delays only its own jobs.

use std::collections::{HashMap, VecDeque};
use std::hash::Hash;

/// Maximum number of jobs that are considered for one group.
const MAX_LOOKS: usize = 128;

/// Limits on queued and running jobs.
#[derive(Debug, Clone, Copy)]
pub(crate) struct QueueLimits {
    /// Maximum number of queued jobs per tenant. It is also limited by the remaining capacity of the whole queue, so
    /// that other tenants can still queue jobs when it is nearly full.
    pub per_tenant: usize,
    /// Maximum number of queued jobs of all tenants.
    pub total: usize,
    /// Maximum number of jobs of one tenant that run at the same time.
    pub running: usize,
}

/// Error: the queue of the tenant or the whole queue is full.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Full;

#[derive(Debug)]
struct TenantQueue<T> {
    waiting: VecDeque<T>,
    running: usize,
    is_scheduled: bool,
}

/// Queued jobs by tenant.
#[derive(Debug)]
pub(crate) struct FairQueue<K, T> {
    limits: QueueLimits,
    tenants: HashMap<K, TenantQueue<T>>,
    /// The tenants with a queued job and fewer running jobs than the limit, in the order in which they are served.
    schedule: VecDeque<K>,
    waiting: usize,
}

impl<K: Copy + Eq + Hash, T> FairQueue<K, T> {
    pub(crate) fn new(limits: QueueLimits) -> Self {
        Self { limits, tenants: HashMap::new(), schedule: VecDeque::new(), waiting: 0 }
    }

    /// Appends a job to the tenant's queue.
    pub(crate) fn push(&mut self, tenant: K, job: T) -> Result<(), Full> {
        let capacity = self.limits.per_tenant.min(self.limits.total.saturating_sub(self.waiting));
        let queued = self.tenants.get(&tenant).map_or(0, |tenant_queue| tenant_queue.waiting.len());
        if queued >= capacity {
            return Err(Full);
        }
        let tenant_queue = self.tenants.entry(tenant).or_insert(TenantQueue {
            waiting: VecDeque::new(),
            running: 0,
            is_scheduled: false,
        });
        tenant_queue.waiting.push_back(job);
        self.waiting += 1;
        self.schedule_tenant(tenant);
        Ok(())
    }

    /// Removes and returns the next job, which counts as running until [`FairQueue::done`]. Returns `None` if no job
    /// can run.
    pub(crate) fn next(&mut self) -> Option<(K, T)> {
        self.take(0, 0)
    }

    /// Takes a job of the tenant with this turn.
    fn take(&mut self, turn: usize, job: usize) -> Option<(K, T)> {
        let tenant = self.schedule.remove(turn)?;
        let tenant_queue = self.tenants.get_mut(&tenant)?;
        tenant_queue.is_scheduled = false;
        let job = tenant_queue.waiting.remove(job)?;
        tenant_queue.running += 1;
        self.waiting = self.waiting.saturating_sub(1);
        self.schedule_tenant(tenant);
        Some((tenant, job))
    }

    /// Moves further jobs to `group`, from one tenant after the other, if `joins` accepts them given the group. Looks
    /// at a bounded number of jobs. They count as running until [`FairQueue::done`].
    pub(crate) fn join(&mut self, group: &mut Vec<(K, T)>, joins: impl Fn(&[(K, T)], &K, &T) -> bool) {
        let (mut turn, mut looks) = (0, MAX_LOOKS);
        while looks > 0 {
            let Some(&tenant) = self.schedule.get(turn) else { return };
            let Some(tenant_queue) = self.tenants.get(&tenant) else { return };
            let found = tenant_queue.waiting.iter().take(looks).position(|job| joins(group, &tenant, job));
            looks = looks.saturating_sub(found.map_or(tenant_queue.waiting.len(), |found| found.saturating_add(1)));
            match found.and_then(|found| self.take(turn, found)) {
                Some(taken) => group.push(taken),
                // The tenant keeps its turn.
                None => turn = turn.saturating_add(1),
            }
        }
    }

    /// Marks a running job of the tenant as done.
    pub(crate) fn done(&mut self, tenant: K) {
        let Some(tenant_queue) = self.tenants.get_mut(&tenant) else { return };
        tenant_queue.running = tenant_queue.running.saturating_sub(1);
        if tenant_queue.running == 0 && tenant_queue.waiting.is_empty() {
            self.tenants.remove(&tenant);
        } else {
            self.schedule_tenant(tenant);
        }
    }

    /// Returns whether a queued job can run.
    pub(crate) fn has_next(&self) -> bool {
        !self.schedule.is_empty()
    }

    /// Returns the number of queued jobs.
    pub(crate) fn len(&self) -> usize {
        self.waiting
    }

    /// Removes and returns all queued jobs without running them.
    pub(crate) fn drain(&mut self) -> Vec<T> {
        self.schedule.clear();
        self.waiting = 0;
        let mut drained = Vec::new();
        self.tenants.retain(|_, tenant_queue| {
            tenant_queue.is_scheduled = false;
            drained.extend(tenant_queue.waiting.drain(..));
            tenant_queue.running > 0
        });
        drained
    }

    /// Schedules the tenant unless it is already scheduled, has no queued jobs, or has reached its limit of running
    /// jobs.
    fn schedule_tenant(&mut self, tenant: K) {
        let Some(tenant_queue) = self.tenants.get_mut(&tenant) else { return };
        if !tenant_queue.is_scheduled && !tenant_queue.waiting.is_empty() && tenant_queue.running < self.limits.running
        {
            tenant_queue.is_scheduled = true;
            self.schedule.push_back(tenant);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HIGH_LIMITS: QueueLimits = QueueLimits { per_tenant: 100, total: 1_000, running: 100 };

    fn order(queue: &mut FairQueue<char, u32>) -> String {
        std::iter::from_fn(|| queue.next()).map(|(tenant, job)| format!("{tenant}{job} ")).collect()
    }

    #[test]
    fn tenants_are_served_in_turn_regardless_of_their_queue_length() {
        let mut queue = FairQueue::new(HIGH_LIMITS);
        for job in 0..4 {
            queue.push('a', job).unwrap();
        }
        queue.push('b', 0).unwrap();
        queue.push('c', 0).unwrap();
        queue.push('b', 1).unwrap();
        assert_eq!(order(&mut queue), "a0 b0 c0 a1 b1 a2 a3 ");
    }

    #[test]
    fn a_tenant_with_a_full_queue_is_refused_and_others_are_not() {
        let mut queue = FairQueue::new(QueueLimits { per_tenant: 2, ..HIGH_LIMITS });
        queue.push('a', 0).unwrap();
        queue.push('a', 1).unwrap();
        assert_eq!(queue.push('a', 2), Err(Full));
        queue.push('b', 0).unwrap();
        queue.next().unwrap();
        queue.push('a', 2).unwrap();
    }

    #[test]
    fn many_tenants_leave_capacity_for_a_new_tenant() {
        let mut queue = FairQueue::new(QueueLimits { per_tenant: 60, total: 100, running: 100 });
        for tenant in ['a', 'b', 'c'] {
            while queue.push(tenant, 0).is_ok() {}
        }
        assert!(queue.len() < 100);
        queue.push('z', 0).unwrap();
    }

    #[test]
    fn running_jobs_of_a_tenant_are_limited_and_continue_when_one_is_done() {
        let mut queue = FairQueue::new(QueueLimits { running: 2, ..HIGH_LIMITS });
        for job in 0..4 {
            queue.push('a', job).unwrap();
        }
        queue.push('b', 0).unwrap();
        assert_eq!(order(&mut queue), "a0 b0 a1 ");
        assert!(!queue.has_next());
        queue.done('a');
        assert_eq!(order(&mut queue), "a2 ");
        queue.done('b');
        assert!(!queue.has_next());
        queue.done('a');
        assert_eq!(order(&mut queue), "a3 ");
    }

    #[test]
    fn jobs_join_a_group_in_the_order_of_turns() {
        let mut queue = FairQueue::new(HIGH_LIMITS);
        for job in [0, 2, 3, 4, 6] {
            queue.push('a', job).unwrap();
        }
        for job in [8, 10] {
            queue.push('b', job).unwrap();
        }
        queue.push('c', 1).unwrap();
        let mut group = vec![queue.next().unwrap()];
        queue.join(&mut group, |group, _, job| group.len() < 5 && job % 2 == 0);
        assert_eq!(group, [('a', 0), ('b', 8), ('a', 2), ('b', 10), ('a', 4)]);
        queue.join(&mut group, |group, tenant, _| group.iter().filter(|(other, _)| other == tenant).count() < 4);
        assert_eq!(group.split_off(5), [('c', 1), ('a', 3)]);
        assert_eq!(order(&mut queue), "a6 ");
        assert_eq!(queue.len(), 0);
    }

    #[test]
    fn drained_jobs_are_removed_and_running_jobs_still_count() {
        let mut queue = FairQueue::new(QueueLimits { running: 1, ..HIGH_LIMITS });
        queue.push('a', 0).unwrap();
        queue.push('a', 1).unwrap();
        queue.next().unwrap();
        assert_eq!(queue.drain(), [1]);
        assert_eq!(queue.len(), 0);
        queue.push('a', 2).unwrap();
        assert!(!queue.has_next(), "One job of the tenant is already running.");
        queue.done('a');
        assert_eq!(order(&mut queue), "a2 ");
    }

    #[test]
    fn a_tenant_without_jobs_is_removed() {
        let mut queue = FairQueue::new(HIGH_LIMITS);
        queue.push('a', 0).unwrap();
        queue.next().unwrap();
        queue.done('a');
        assert!(queue.tenants.is_empty() && queue.schedule.is_empty());
    }
}
