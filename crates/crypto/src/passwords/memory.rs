//! Reusable memory for hashes. A hash uses 19 MiB for about ten milliseconds. If it were allocated for each hash, the
//! allocator would retain it forever for each thread that has hashed.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use argon2::Block;
use steward_domain::kernel::lock;

/// Capacity of an allocation: more than the largest one that the C library serves from retained memory (32 MiB). Larger
/// allocations return to the operating system when they are freed, and pages that are not written use no memory.
const RESERVED_BLOCKS: usize = 33 * 1024;

/// Memory for one hash at a time.
#[derive(Default)]
pub(super) struct Memory(Vec<Block>);

impl Memory {
    /// Returns this many blocks. They contain data of the previous hash, which is overwritten before it is read.
    pub(super) fn blocks(&mut self, count: usize) -> &mut [Block] {
        if self.0.len() < count {
            self.0 = Vec::with_capacity(count.max(RESERVED_BLOCKS));
            self.0.resize(count, Block::new());
        }
        self.0.get_mut(..count).unwrap_or_default()
    }
}

/// A pool of memory. The most recently returned memory is reused first, so that consecutive hashes share it.
#[derive(Clone)]
pub(super) struct MemoryPool {
    pool: Arc<Mutex<Pool>>,
    /// How long unused memory is retained.
    idle_ttl: Duration,
}

#[derive(Default)]
struct Pool {
    unused: Vec<Memory>,
    /// How many times memory was taken so far.
    taken: u64,
    /// Whether a task is waiting to free the memory.
    watched: bool,
}

impl MemoryPool {
    pub(super) fn new(idle_ttl: Duration) -> Self {
        Self { pool: Arc::default(), idle_ttl }
    }

    /// Runs the work with memory from the pool.
    pub(super) fn with<T>(&self, work: impl FnOnce(&mut Memory) -> T) -> T {
        let mut memory = {
            let mut pool = lock(&self.pool);
            pool.taken = pool.taken.wrapping_add(1);
            pool.unused.pop().unwrap_or_default()
        };
        let result = work(&mut memory);
        lock(&self.pool).unused.push(memory);
        result
    }

    /// Starts a task that frees the memory once it has been unused for a while.
    pub(super) fn free_when_idle(&self) {
        if std::mem::replace(&mut lock(&self.pool).watched, true) {
            return;
        }
        let pool = self.clone();
        tokio::spawn(async move {
            let mut seen = None;
            loop {
                let taken = lock(&pool.pool).taken;
                if seen == Some(taken) {
                    break;
                }
                seen = Some(taken);
                tokio::time::sleep(pool.idle_ttl).await;
            }
            let mut pool = lock(&pool.pool);
            pool.watched = false;
            pool.unused = Vec::new();
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn memory_is_reused_and_freed_when_idle() {
        let pool = MemoryPool::new(Duration::from_millis(20));
        let use_some = || pool.with(|memory| memory.blocks(8).as_ptr());
        let first = use_some();
        assert_eq!(use_some(), first);
        assert_eq!(lock(&pool.pool).unused.len(), 1);
        for _ in 0..2 {
            pool.free_when_idle();
            use_some();
            while !lock(&pool.pool).unused.is_empty() {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
            assert!(!lock(&pool.pool).watched);
        }
    }
}
