//! Locks, and values that threads change at the same time without waiting for each other.

use std::array;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Number of parts. More threads share them.
const PARTS: usize = 16;

static THREADS: AtomicUsize = AtomicUsize::new(0);

thread_local! {
    static PART: usize = THREADS.fetch_add(1, Ordering::Relaxed) % PARTS;
}

/// Locks a value, also after a panic while it was locked: it is never left half changed.
pub fn lock<T>(value: &Mutex<T>) -> MutexGuard<'_, T> {
    value.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A value in parts: each thread changes its own, and a reader merges them.
pub struct PerThread<T>([Part<T>; PARTS]);

/// In cache lines of its own.
#[repr(align(128))]
struct Part<T>(Mutex<T>);

impl<T> PerThread<T> {
    /// Creates all parts.
    pub fn new(part: impl Fn() -> T) -> Self {
        Self(array::from_fn(|_| Part(Mutex::new(part()))))
    }

    /// Returns the part of this thread.
    pub fn own(&self) -> MutexGuard<'_, T> {
        let [first, ..] = &self.0;
        lock(&PART.with(|part| self.0.get(*part)).unwrap_or(first).0)
    }

    /// Locks and returns all parts. A thread that holds its own part MUST release it first: it would wait for itself.
    pub fn all(&self) -> Vec<MutexGuard<'_, T>> {
        self.0.iter().map(|part| lock(&part.0)).collect()
    }
}
