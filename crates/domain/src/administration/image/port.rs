//! Storage for the bytes of uploads.

use async_trait::async_trait;

use crate::administration::BlobKey;
use crate::kernel::StoreError;

/// Stores bytes by key. The domain uses each key once, so blobs are never modified.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait BlobStore: Send + Sync {
    /// Stores the bytes atomically: until the call returns, readers see either nothing or all of them. Once it returns,
    /// they survive a crash. Existing bytes are replaced as a whole.
    async fn put(&self, key: &BlobKey, bytes: Vec<u8>) -> Result<(), StoreError>;

    /// Returns the bytes of the key, or `None` if there are none.
    async fn get(&self, key: &BlobKey) -> Result<Option<Box<dyn BlobReader>>, StoreError>;

    /// Removes the bytes of the key, if there are any. The blob is no longer referenced, so a failure is only logged.
    async fn delete(&self, key: &BlobKey);
}

/// Reads bytes in chunks, so that a response holds only one chunk in memory, however slow the client reads.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait BlobReader: Send {
    /// Returns the next chunk of at least one byte, or `None` at the end.
    async fn next(&mut self) -> Result<Option<Vec<u8>>, StoreError>;
}
