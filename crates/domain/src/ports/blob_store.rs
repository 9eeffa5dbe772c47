//! Where the bytes of uploads are kept.

use async_trait::async_trait;

use crate::model::BlobKey;

use super::StoreError;

/// Keeps bytes under keys. The domain gives each key once, so nothing is ever changed in place.
#[cfg_attr(feature = "mocks", mockall::automock)]
#[async_trait]
pub trait BlobStore: Send + Sync {
    /// Keeps the bytes. Once it answers they outlive a crash; until then whoever asks for the key gets nothing, or all of
    /// them. Under a key that has bytes already they are replaced as a whole.
    async fn put(&self, key: &BlobKey, bytes: Vec<u8>) -> Result<(), StoreError>;

    /// The bytes under the key. `None` when there are none.
    async fn get(&self, key: &BlobKey) -> Result<Option<Box<dyn BlobReader>>, StoreError>;

    /// Removes what is under the key; nothing being there is as good. Nobody refers to it any more, so what cannot be
    /// removed is logged and left, and the caller goes on.
    async fn delete(&self, key: &BlobKey);
}

/// Reads bytes piece by piece: whoever sends them on holds no more than one piece, however slow the other side takes them.
#[cfg_attr(feature = "mocks", mockall::automock)]
#[async_trait]
pub trait BlobReader: Send {
    /// The next piece, of at least one byte. `None` at the end.
    async fn next(&mut self) -> Result<Option<Vec<u8>>, StoreError>;
}
