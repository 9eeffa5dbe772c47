//! A bounded queue that many tenants share: each waits in a line of its own, and the lines are served in turn, so that
//! whoever queues a lot waits behind themselves and not before others.

use std::collections::{HashMap, VecDeque};
use std::hash::Hash;

/// How much may wait and run.
#[derive(Debug, Clone, Copy)]
pub(crate) struct QueueLimits {
    /// How many jobs of one tenant may wait. The fuller the queue is, the fewer: at most as many as there is room left, so
    /// that those who come late find some.
    pub per_tenant: usize,
    /// How many jobs may wait in all.
    pub total: usize,
    /// How many jobs of one tenant may run at the same time.
    pub running: usize,
}

/// The tenant has too many jobs waiting, or all have.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Full;

#[derive(Debug)]
struct Line<T> {
    waiting: VecDeque<T>,
    running: usize,
    is_in_turn: bool,
}

/// Jobs by tenant.
#[derive(Debug)]
pub(crate) struct FairQueue<K, T> {
    bounds: QueueLimits,
    lines: HashMap<K, Line<T>>,
    /// The tenants that have a job waiting and may run one more, in the order in which they are served.
    turn: VecDeque<K>,
    waiting: usize,
}

impl<K: Copy + Eq + Hash, T> FairQueue<K, T> {
    pub(crate) fn new(bounds: QueueLimits) -> Self {
        Self { bounds, lines: HashMap::new(), turn: VecDeque::new(), waiting: 0 }
    }

    /// Appends a job to the tenant's line.
    pub(crate) fn push(&mut self, tenant: K, job: T) -> Result<(), Full> {
        let room = self.bounds.per_tenant.min(self.bounds.total.saturating_sub(self.waiting));
        let line = self.lines.get(&tenant).map_or(0, |line| line.waiting.len());
        if line >= room {
            return Err(Full);
        }
        let line = self.lines.entry(tenant).or_insert(Line { waiting: VecDeque::new(), running: 0, is_in_turn: false });
        line.waiting.push_back(job);
        self.waiting = self.waiting.saturating_add(1);
        self.joins_turn(tenant);
        Ok(())
    }

    /// Takes the next job, which runs until [`FairQueue::done`]. `None`: nothing waits that may run.
    pub(crate) fn next(&mut self) -> Option<(K, T)> {
        let tenant = self.turn.pop_front()?;
        let line = self.lines.get_mut(&tenant)?;
        line.is_in_turn = false;
        let job = line.waiting.pop_front()?;
        line.running = line.running.saturating_add(1);
        self.waiting = self.waiting.saturating_sub(1);
        self.joins_turn(tenant);
        Some((tenant, job))
    }

    /// A job of the tenant runs no more.
    pub(crate) fn done(&mut self, tenant: K) {
        let Some(line) = self.lines.get_mut(&tenant) else { return };
        line.running = line.running.saturating_sub(1);
        if line.running == 0 && line.waiting.is_empty() {
            self.lines.remove(&tenant);
        } else {
            self.joins_turn(tenant);
        }
    }

    /// Whether a job waits that may run.
    pub(crate) fn has_next(&self) -> bool {
        !self.turn.is_empty()
    }

    /// How many jobs wait.
    pub(crate) fn len(&self) -> usize {
        self.waiting
    }

    /// Takes all jobs that wait, without running them.
    pub(crate) fn drain(&mut self) -> Vec<T> {
        self.turn.clear();
        self.waiting = 0;
        let mut drained = Vec::new();
        self.lines.retain(|_, line| {
            line.is_in_turn = false;
            drained.extend(line.waiting.drain(..));
            line.running > 0
        });
        drained
    }

    /// Gives the tenant a turn, unless it has one, nothing to do or enough running.
    fn joins_turn(&mut self, tenant: K) {
        let Some(line) = self.lines.get_mut(&tenant) else { return };
        if !line.is_in_turn && !line.waiting.is_empty() && line.running < self.bounds.running {
            line.is_in_turn = true;
            self.turn.push_back(tenant);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WIDE: QueueLimits = QueueLimits { per_tenant: 100, total: 1_000, running: 100 };

    fn order(queue: &mut FairQueue<char, u32>) -> String {
        std::iter::from_fn(|| queue.next()).map(|(tenant, job)| format!("{tenant}{job} ")).collect()
    }

    #[test]
    fn tenants_are_served_in_turn_however_much_each_queued() {
        let mut queue = FairQueue::new(WIDE);
        for job in 0..4 {
            queue.push('a', job).unwrap();
        }
        queue.push('b', 0).unwrap();
        queue.push('c', 0).unwrap();
        queue.push('b', 1).unwrap();
        assert_eq!(order(&mut queue), "a0 b0 c0 a1 b1 a2 a3 ");
    }

    #[test]
    fn a_tenant_that_fills_its_line_is_refused_and_another_is_not() {
        let mut queue = FairQueue::new(QueueLimits { per_tenant: 2, ..WIDE });
        queue.push('a', 0).unwrap();
        queue.push('a', 1).unwrap();
        assert_eq!(queue.push('a', 2), Err(Full));
        queue.push('b', 0).unwrap();
        queue.next().unwrap();
        queue.push('a', 2).unwrap();
    }

    #[test]
    fn many_tenants_together_leave_room_for_who_comes_late() {
        let mut queue = FairQueue::new(QueueLimits { per_tenant: 60, total: 100, running: 100 });
        for tenant in ['a', 'b', 'c'] {
            while queue.push(tenant, 0).is_ok() {}
        }
        assert!(queue.len() < 100);
        queue.push('z', 0).unwrap();
    }

    #[test]
    fn a_tenant_runs_only_so_many_jobs_at_once_and_goes_on_when_one_is_done() {
        let mut queue = FairQueue::new(QueueLimits { running: 2, ..WIDE });
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
    fn what_is_drained_waits_no_more_and_what_runs_still_counts() {
        let mut queue = FairQueue::new(QueueLimits { running: 1, ..WIDE });
        queue.push('a', 0).unwrap();
        queue.push('a', 1).unwrap();
        queue.next().unwrap();
        assert_eq!(queue.drain(), [1]);
        assert_eq!(queue.len(), 0);
        queue.push('a', 2).unwrap();
        assert!(!queue.has_next(), "one job of the tenant runs already");
        queue.done('a');
        assert_eq!(order(&mut queue), "a2 ");
    }

    #[test]
    fn a_tenant_that_has_nothing_left_is_forgotten() {
        let mut queue = FairQueue::new(WIDE);
        queue.push('a', 0).unwrap();
        queue.next().unwrap();
        queue.done('a');
        assert!(queue.lines.is_empty() && queue.turn.is_empty());
    }
}
