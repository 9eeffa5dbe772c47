//! Reads of single rows in SQLite, done by the thread that asks: they take a few microseconds, handing them to a reader's
//! thread and back takes longer. Such a read never waits: where it would, it is left to the readers.

use std::sync::{Mutex, PoisonError};
use std::thread::available_parallelism;

use diesel::SqliteConnection;

use crate::error::{JobError, OpenError};
use crate::executor::attempt;

/// Opens a connection that does not wait for locks.
type Open = Box<dyn Fn() -> Result<SqliteConnection, OpenError> + Send + Sync>;

/// Connections for reads of single rows: of idle ones no more than threads can use at once.
pub struct PointReaders {
    idle: Mutex<Vec<SqliteConnection>>,
    max_idle: usize,
    open: Open,
}

impl PointReaders {
    /// Connections are opened when they are first needed.
    pub fn new(open: impl Fn() -> Result<SqliteConnection, OpenError> + Send + Sync + 'static) -> Self {
        let max_idle = available_parallelism().map_or(1, usize::from);
        Self { idle: Mutex::default(), max_idle, open: Box::new(open) }
    }

    /// What was read. `None`: it would have to wait, or there is something wrong, which the readers find out in order.
    pub fn read<T>(&self, query: impl FnOnce(&mut SqliteConnection) -> Result<T, JobError>) -> Option<T> {
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let mut connection = match idle {
            Some(connection) => connection,
            None => (self.open)().ok()?,
        };
        let (found, may_keep) = attempt(|| query(&mut connection));
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        if may_keep && idle.len() < self.max_idle {
            idle.push(connection);
        }
        found.ok()?.ok()
    }
}
