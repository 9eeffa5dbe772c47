//! Why a store could not be read.

use crate::kernel::error::{Cause, Error};

/// Why a store could not be read. A missing row is not an error but `None`. Messages are fragments, because they appear
/// in chains of causes.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The store cannot be reached or is overloaded.
    #[error("the store is unavailable")]
    Unavailable(#[source] Cause),
    /// The store contains data that the domain does not accept.
    #[error("the store contains invalid data")]
    Corrupt(#[source] Cause),
}

impl From<StoreError> for Error {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::Unavailable(cause) => Self::Unavailable(cause),
            StoreError::Corrupt(cause) => Self::Internal(cause),
        }
    }
}
