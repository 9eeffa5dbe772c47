//! Fakes: ports that behave in a simple, predictable way.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use async_trait::async_trait;
use uuid::Uuid;
use zeroize::Zeroizing;

use super::fixtures::instant;
use crate::kernel::changes::Changes;
use crate::kernel::error::Error;
use crate::kernel::{Clock, CommitError, Committed, Compute, Encrypter, IdGenerator, Job, PoolStats, Time, UnitOfWork};

/// A clock that always returns the same time.
#[derive(Debug, Clone, Copy)]
pub struct FixedClock(pub Time);

impl Default for FixedClock {
    fn default() -> Self {
        Self(instant())
    }
}

impl Clock for FixedClock {
    fn now(&self) -> Time {
        self.0
    }
}

/// Generates sequential IDs, starting at 1.
#[derive(Debug, Default)]
pub struct CountingIds(AtomicU64);

impl IdGenerator for CountingIds {
    fn next(&self) -> Uuid {
        let count = self.0.fetch_add(1, Ordering::Relaxed).saturating_add(1);
        Uuid::from_u64_pair(0x0194_0000_0000_7000, 0x8000_0000_0000_0000 | count)
    }
}

/// An encrypter that only writes the purpose before the data. It decrypts nothing that has another purpose.
#[derive(Debug, Clone, Copy, Default)]
pub struct PurposeEncrypter;

impl Encrypter for PurposeEncrypter {
    fn encrypt(&self, purpose: &str, plain: &[u8]) -> Result<Vec<u8>, Error> {
        Ok([purpose.as_bytes(), plain].concat())
    }

    fn decrypt(&self, purpose: &str, encrypted: &[u8]) -> Result<Zeroizing<Vec<u8>>, Error> {
        let plain = encrypted.strip_prefix(purpose.as_bytes());
        let plain = plain.ok_or_else(|| Error::Internal(anyhow::anyhow!("The data has another purpose.")))?;
        Ok(plain.to_vec().into())
    }
}

/// A unit of work that accepts and records every change.
#[derive(Debug, Default)]
pub struct RecordingUnitOfWork(Mutex<Vec<Changes>>);

impl RecordingUnitOfWork {
    /// Returns the recorded changes, oldest first.
    pub fn changes(&self) -> Vec<Changes> {
        self.0.lock().map(|changes| changes.clone()).unwrap_or_default()
    }
}

#[async_trait]
impl UnitOfWork for RecordingUnitOfWork {
    async fn commit(&self, changes: Changes) -> Result<Committed, CommitError> {
        if let Ok(mut all) = self.0.lock() {
            all.push(changes);
        }
        Ok(Committed::default())
    }
}

/// Runs jobs immediately on the calling thread.
#[derive(Debug, Default)]
pub struct InlineCompute;

#[async_trait]
impl Compute for InlineCompute {
    async fn run(&self, job: Job) -> Result<(), Error> {
        job();
        Ok(())
    }

    fn stats(&self) -> PoolStats {
        PoolStats::default()
    }
}
