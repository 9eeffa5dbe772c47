//! Takes the place of S3 in a build without the feature `s3`: no bucket can be opened.

use super::bucket::S3Settings;
use super::directory::DirectoryBlobs;

/// Fails with all settings.
pub struct S3Blobs;

impl S3Blobs {
    /// Fails.
    pub fn open(_: &S3Settings) -> anyhow::Result<DirectoryBlobs> {
        Err(anyhow::anyhow!("This program is built without S3."))
    }
}
