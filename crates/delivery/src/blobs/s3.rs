//! Blobs in an S3-compatible service.

use std::time::Duration;

use async_trait::async_trait;
use futures_util::StreamExt as _;
use futures_util::stream::BoxStream;
use object_store::aws::{AmazonS3, AmazonS3Builder};
use object_store::path::Path;
use object_store::{ClientOptions, Error, ObjectStoreExt as _, RetryConfig};
use steward_domain::administration::{BlobKey, BlobReader, BlobStore};
use steward_domain::kernel::StoreError;

use super::bucket::S3Settings;

/// Timeouts for connecting, and for receiving the next data.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
const READ_TIMEOUT: Duration = Duration::from_secs(30);
/// Maximum number of retries, and how long after the first attempt a retry may start.
const MAX_RETRIES: usize = 2;
const RETRY_TIMEOUT: Duration = Duration::from_secs(10);

/// Stores blobs in a bucket.
#[derive(Debug)]
pub struct S3Blobs {
    bucket: AmazonS3,
    prefix: Path,
}

impl S3Blobs {
    /// Creates a client for the bucket. Sends no request.
    pub fn open(settings: &S3Settings) -> anyhow::Result<Self> {
        // The total time of a request is not limited, because a slow client can delay a download. Each read has a
        // timeout.
        let options = ClientOptions::new()
            .with_timeout_disabled()
            .with_read_timeout(READ_TIMEOUT)
            .with_connect_timeout(CONNECT_TIMEOUT);
        let allow_http = settings.endpoint.as_ref().is_some_and(|endpoint| endpoint.starts_with("http:"));
        let retry = RetryConfig { max_retries: MAX_RETRIES, retry_timeout: RETRY_TIMEOUT, ..RetryConfig::default() };
        let mut builder = AmazonS3Builder::new()
            .with_bucket_name(&settings.bucket)
            .with_region(&settings.region)
            .with_access_key_id(&settings.access_key_id)
            .with_secret_access_key(settings.secret_access_key.expose())
            .with_client_options(options.with_allow_http(allow_http))
            .with_retry(retry)
            // S3-compatible services differ most in how they support bulk deletion.
            .with_disable_bulk_delete(true);
        if let Some(endpoint) = &settings.endpoint {
            builder = builder.with_endpoint(endpoint);
        }
        Ok(Self { bucket: builder.build()?, prefix: Path::from(settings.prefix.as_str()) })
    }

    fn path(&self, key: &BlobKey) -> Path {
        self.prefix.clone().join(key.as_str())
    }
}

#[async_trait]
impl BlobStore for S3Blobs {
    async fn put(&self, key: &BlobKey, bytes: Vec<u8>) -> Result<(), StoreError> {
        self.bucket.put(&self.path(key), bytes.into()).await.map(drop).map_err(unreachable)
    }

    async fn get(&self, key: &BlobKey) -> Result<Option<Box<dyn BlobReader>>, StoreError> {
        match self.bucket.get(&self.path(key)).await {
            Ok(found) => Ok(Some(Box::new(ObjectReader(found.into_stream().map(|piece| Ok(piece?.into())).boxed())))),
            Err(Error::NotFound { .. }) => Ok(None),
            Err(error) => Err(unreachable(error)),
        }
    }

    async fn delete(&self, key: &BlobKey) {
        match self.bucket.delete(&self.path(key)).await {
            Ok(()) | Err(Error::NotFound { .. }) => {}
            Err(error) => {
                tracing::warn!(key = key.as_str(), %error, "An unreferenced image could not be deleted.");
            }
        }
    }
}

fn unreachable(error: Error) -> StoreError {
    StoreError::Unavailable(anyhow::Error::new(error).context("Cannot use the bucket of images"))
}

struct ObjectReader(BoxStream<'static, Result<Vec<u8>, Error>>);

#[async_trait]
impl BlobReader for ObjectReader {
    async fn next(&mut self) -> Result<Option<Vec<u8>>, StoreError> {
        loop {
            match self.0.next().await.transpose().map_err(unreachable)? {
                Some(piece) if piece.is_empty() => {}
                other => return Ok(other),
            }
        }
    }
}
