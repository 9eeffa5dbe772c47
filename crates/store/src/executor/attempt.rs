//! Runs work on a connection.

use std::panic::{AssertUnwindSafe, catch_unwind};

use anyhow::anyhow;

use crate::error::JobError;
use crate::job::Outcome;

/// Runs a job. Returns its result and whether the connection can be reused.
pub(crate) fn attempt<T>(work: impl FnOnce() -> Result<T, JobError>) -> (Outcome<T>, bool) {
    match catch_unwind(AssertUnwindSafe(work)) {
        Ok(Err(error)) if error.breaks_connection() => (Ok(Err(error)), false),
        Ok(result) => (Ok(result), true),
        Err(_) => (Err(anyhow!("A database job panicked.")), false),
    }
}
