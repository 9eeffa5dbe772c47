//! Work on a connection without the type of its result, so that what queues and runs it is compiled once, not for each
//! query.

use std::any::Any;

use anyhow::anyhow;
use steward_domain::kernel::StoreError;

use crate::error::JobError;

/// Result of a job. The outer `Err` means that it was refused, took too long or panicked.
pub(crate) type Outcome<T> = Result<Result<T, JobError>, anyhow::Error>;

/// A value whose type its caller knows.
pub(crate) type AnyValue = Box<dyn Any + Send>;

/// Work that returns a value of any type.
pub(crate) type AnyJob<C> = Box<dyn FnOnce(&mut C) -> Result<AnyValue, JobError> + Send>;

/// Hides the type of the result.
pub(crate) fn boxed<C, T: Send + 'static>(
    work: impl FnOnce(&mut C) -> Result<T, JobError> + Send + 'static,
) -> AnyJob<C> {
    Box::new(|conn| Ok(Box::new(work(conn)?)))
}

/// Waits for the outcome of a job that returns a `T`.
pub(crate) async fn outcome_of<T: 'static>(outcome: impl Future<Output = Outcome<AnyValue>>) -> Outcome<T> {
    let wrong_type = |_| anyhow!("A database job returned a value of another type.");
    Ok(match outcome.await? {
        Ok(value) => Ok(*value.downcast().map_err(wrong_type)?),
        Err(error) => Err(error),
    })
}

/// Waits for the outcome of a job of a port.
pub(crate) async fn stored<T>(outcome: impl Future<Output = Outcome<T>>) -> Result<T, StoreError> {
    Ok(outcome.await.map_err(StoreError::Unavailable)??)
}
