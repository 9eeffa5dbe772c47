//! The memory that hashes are computed in. A hash takes 19 MiB for some ten milliseconds; an allocator that gives and takes
//! it each time keeps it forever, once for each thread that hashed.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use argon2::Block;

/// Room for the largest allocation that the C library's allocator serves from memory that it keeps (32 MiB). What is larger
/// is the operating system's again as soon as it is freed; what is not written to takes no memory.
const RESERVED_BLOCKS: usize = 33 * 1024;

/// The memory of one hash at a time.
#[derive(Default)]
pub(super) struct Memory(Vec<Block>);

impl Memory {
    /// This many blocks. Their content is that of the hash before, which is overwritten before it is read.
    pub(super) fn blocks(&mut self, count: usize) -> &mut [Block] {
        if self.0.len() < count {
            self.0 = Vec::with_capacity(count.max(RESERVED_BLOCKS));
            self.0.resize(count, Block::new());
        }
        self.0.get_mut(..count).unwrap_or_default()
    }
}

/// Memory that is used again: what was given back last is taken first, so that hashes one after the other share one.
#[derive(Clone)]
pub(super) struct MemoryPool {
    pool: Arc<Mutex<Pool>>,
    /// How long memory is kept that nobody uses.
    kept: Duration,
}

#[derive(Default)]
struct Pool {
    unused: Vec<Memory>,
    /// How often some was taken so far.
    taken: u64,
    /// Whether somebody waits to free it.
    watched: bool,
}

impl MemoryPool {
    pub(super) fn new(kept: Duration) -> Self {
        Self { pool: Arc::default(), kept }
    }

    /// Computes in some of the memory.
    pub(super) fn with<T>(&self, work: impl FnOnce(&mut Memory) -> T) -> T {
        let mut memory = {
            let mut pool = self.lock();
            pool.taken = pool.taken.wrapping_add(1);
            pool.unused.pop().unwrap_or_default()
        };
        let done = work(&mut memory);
        self.lock().unused.push(memory);
        done
    }

    /// Frees the memory once nobody has used it for a while.
    pub(super) fn free_when_idle(&self) {
        if std::mem::replace(&mut self.lock().watched, true) {
            return;
        }
        let pool = self.clone();
        tokio::spawn(async move {
            let mut seen = None;
            loop {
                let taken = pool.lock().taken;
                if seen == Some(taken) {
                    break;
                }
                seen = Some(taken);
                tokio::time::sleep(pool.kept).await;
            }
            let mut pool = pool.lock();
            pool.watched = false;
            pool.unused = Vec::new();
        });
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Pool> {
        self.pool.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn memory_is_used_again_and_freed_when_idle() {
        let pool = MemoryPool::new(Duration::from_millis(20));
        let use_some = || pool.with(|memory| memory.blocks(8).as_ptr());
        let first = use_some();
        assert_eq!(use_some(), first);
        assert_eq!(pool.lock().unused.len(), 1);
        for _ in 0..2 {
            pool.free_when_idle();
            use_some();
            while !pool.lock().unused.is_empty() {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
            assert!(!pool.lock().watched);
        }
    }
}
