//! The bytes of uploaded images. They are stored outside the database: they are written before anything references
//! them, and deleted only after the last reference. A failure in between may leave unreferenced bytes, but never a
//! reference to missing bytes.

use std::future::Future;

use crate::administration::{AdministrationCore, BlobKey, Image, ImageFile, ImageUse};
use crate::kernel::ImageId;
use crate::kernel::error::Error;

/// Stores and deletes the bytes of images.
pub(crate) struct ImageFiles<'a>(pub(crate) &'a AdministrationCore);

impl ImageFiles<'_> {
    /// Checks a file that is received, and writes its bytes.
    pub(crate) async fn store<E: From<Error>>(
        &self,
        used_as: ImageUse,
        received: impl Future<Output = Result<Vec<u8>, E>>,
    ) -> Result<Image, E> {
        let received = received.await?;
        let parse = move || ImageFile::parse(used_as, received);
        let file = self.0.system.compute.call(true, parse).await?.map_err(Error::from)?;
        let image = Image {
            id: ImageId::from(self.0.next_id()),
            format: file.format(),
            size: file.size(),
            uploaded_at: self.0.now(),
        };
        self.0.ports.blobs.put(&image.key(), file.into_bytes()).await.map_err(Error::from)?;
        Ok(image)
    }

    /// Returns the result of the commit that references a new image. Deletes its bytes if the commit certainly failed.
    pub(crate) async fn settle<T>(&self, image: &Image, committed: Result<T, Error>) -> Result<T, Error> {
        // If the store fails during a commit, the outcome is unknown.
        let is_certain = |error: &Error| !error.is_failure() || matches!(error, Error::StorageFull(_));
        if committed.as_ref().is_err_and(is_certain) {
            self.discard([image.key()]).await;
        }
        committed
    }

    /// Deletes the bytes of images that are no longer referenced. Call it after the commit.
    pub(crate) async fn discard(&self, keys: impl IntoIterator<Item = BlobKey> + Send) {
        for key in keys.into_iter().collect::<Vec<_>>() {
            self.0.ports.blobs.delete(&key).await;
        }
    }
}
