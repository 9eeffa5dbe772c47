//! Locks.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Locks a value, also after a panic while it was locked: it is never left half changed.
pub(crate) fn lock<T>(value: &Mutex<T>) -> MutexGuard<'_, T> {
    value.lock().unwrap_or_else(PoisonError::into_inner)
}
