//! Reads of single rows and short pages in SQLite, run on the calling thread: most take less than a round trip to a
//! reader thread. Such a read never waits for locks: if it would have to, it falls back to the reader threads.

use std::sync::{Mutex, PoisonError};
use std::thread::available_parallelism;

use diesel::SqliteConnection;

use crate::error::{JobError, OpenError};
use crate::executor::attempt;

/// Opens a connection with no lock timeout, so that it never waits for locks.
type Open = Box<dyn Fn() -> Result<SqliteConnection, OpenError> + Send + Sync>;

/// Pool of connections for single-row reads. It keeps at most one idle connection per CPU.
pub struct PointReaders {
    idle: Mutex<Vec<SqliteConnection>>,
    max_idle: usize,
    open: Open,
}

impl PointReaders {
    /// Creates an empty pool. Connections are opened on first use.
    pub fn new(open: impl Fn() -> Result<SqliteConnection, OpenError> + Send + Sync + 'static) -> Self {
        let max_idle = available_parallelism().map_or(1, usize::from);
        Self { idle: Mutex::default(), max_idle, open: Box::new(open) }
    }

    /// Runs `query`. Returns `None` if it would have to wait or if it fails; the caller then retries on a reader
    /// thread, which reports the error.
    pub fn read<T>(&self, query: impl FnOnce(&mut SqliteConnection) -> Result<T, JobError>) -> Option<T> {
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let mut connection = match idle {
            Some(connection) => connection,
            None => (self.open)().ok()?,
        };
        let (result, is_reusable) = attempt(|| query(&mut connection));
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        if is_reusable && idle.len() < self.max_idle {
            idle.push(connection);
        }
        result.ok()?.ok()
    }
}
