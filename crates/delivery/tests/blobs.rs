//! The rules of every blob store, for a directory and an S3-compatible service, and the properties of each.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test whose setup fails must stop")]

#[expect(dead_code, reason = "only the black-box tests use the other items")]
#[path = "../../../tests/app/bucket.rs"]
mod bucket;

use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use bucket::{ACCESS_KEY_ID, BUCKET, Bucket, REGION, SECRET_ACCESS_KEY};
use steward_delivery::{DirectoryBlobs, S3Blobs, S3Settings};
use steward_domain::administration::{BlobKey, BlobStore};
use steward_domain::kernel::{Secret, StoreError};
use steward_domain::mocks::an_image;
use tempfile::TempDir;

fn key(name: &str) -> BlobKey {
    an_image(name).key()
}

async fn stored(blobs: &dyn BlobStore, key: &BlobKey) -> Option<Vec<u8>> {
    let mut reader = blobs.get(key).await.unwrap()?;
    let mut bytes = Vec::new();
    while let Some(piece) = reader.next().await.unwrap() {
        assert!(!piece.is_empty());
        bytes.extend(piece);
    }
    Some(bytes)
}

async fn bytes_are_returned_unchanged(blobs: &dyn BlobStore) {
    let large: Vec<u8> = (0..300_000_u32).flat_map(u32::to_le_bytes).collect();
    for (name, bytes) in [("a", vec![0]), ("b", b"\r\n--\0\xff".to_vec()), ("c", large)] {
        blobs.put(&key(name), bytes.clone()).await.unwrap();
        assert!(stored(blobs, &key(name)).await == Some(bytes), "{name}");
    }
    assert_eq!(stored(blobs, &key("a")).await, Some(vec![0]), "The other blobs do not change it.");
}

async fn an_unknown_key_has_no_blob(blobs: &dyn BlobStore) {
    assert_eq!(stored(blobs, &key("a")).await, None);
    blobs.put(&key("a"), vec![1]).await.unwrap();
    assert_eq!(stored(blobs, &key("b")).await, None);
}

async fn a_deleted_blob_is_missing_and_can_be_deleted_again(blobs: &dyn BlobStore) {
    blobs.put(&key("a"), vec![1]).await.unwrap();
    blobs.put(&key("b"), vec![2]).await.unwrap();
    blobs.delete(&key("a")).await;
    blobs.delete(&key("a")).await;
    assert_eq!((stored(blobs, &key("a")).await, stored(blobs, &key("b")).await), (None, Some(vec![2])));
    blobs.put(&key("a"), vec![3]).await.unwrap();
    assert_eq!(stored(blobs, &key("a")).await, Some(vec![3]));
}

async fn bytes_are_replaced_as_a_whole(blobs: &dyn BlobStore) {
    blobs.put(&key("a"), vec![1; 100_000]).await.unwrap();
    blobs.put(&key("a"), vec![2; 3]).await.unwrap();
    assert_eq!(stored(blobs, &key("a")).await, Some(vec![2; 3]));
}

async fn a_read_during_a_write_returns_all_bytes_or_nothing(blobs: &dyn BlobStore) {
    const SIZE: usize = 200_000;
    let key = key("a");
    let write = async {
        for byte in 0..20 {
            blobs.put(&key, vec![byte; SIZE]).await.unwrap();
        }
    };
    let read = async {
        for _ in 0..40 {
            let Some(bytes) = stored(blobs, &key).await else { continue };
            assert!(bytes.len() == SIZE && bytes.iter().all(|byte| *byte == bytes[0]), "{} bytes", bytes.len());
        }
    };
    tokio::join!(write, read);
    assert!(stored(blobs, &key).await == Some(vec![19; SIZE]));
}

macro_rules! rules {
    ($($rule:ident)+) => {
        mod directory {
            $(#[tokio::test]
            async fn $rule() {
                let (blobs, _directory) = super::in_a_directory();
                super::$rule(&blobs).await;
            })+
        }

        mod s3 {
            $(#[tokio::test]
            async fn $rule() {
                let bucket = super::Bucket::start().await;
                super::$rule(&super::in_a_bucket(&bucket, super::ACCESS_KEY_ID)).await;
            })+
        }
    };
}

rules! {
    bytes_are_returned_unchanged
    an_unknown_key_has_no_blob
    a_deleted_blob_is_missing_and_can_be_deleted_again
    bytes_are_replaced_as_a_whole
    a_read_during_a_write_returns_all_bytes_or_nothing
}

fn in_a_directory() -> (DirectoryBlobs, TempDir) {
    let directory = tempfile::tempdir().unwrap();
    (DirectoryBlobs::new(directory.path().join("deep/blobs")), directory)
}

fn in_a_bucket(bucket: &Bucket, access_key_id: &str) -> S3Blobs {
    S3Blobs::open(&S3Settings {
        bucket: BUCKET.to_owned(),
        prefix: "steward/prod".to_owned(),
        endpoint: Some(bucket.endpoint()),
        region: REGION.to_owned(),
        access_key_id: access_key_id.to_owned(),
        secret_access_key: Secret::new(SECRET_ACCESS_KEY.to_owned()),
    })
    .unwrap()
}

#[tokio::test]
async fn only_the_owner_can_read_the_directory_and_its_files_and_no_temporary_file_remains() {
    let (blobs, directory) = in_a_directory();
    blobs.put(&key("a"), vec![1]).await.unwrap();
    let path = directory.path().join("deep/blobs");
    let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(&path), mode(&path.join(key("a").as_str()))), (0o700, 0o600));
    let names: Vec<_> = std::fs::read_dir(path).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(names, [key("a").as_str()]);
}

#[tokio::test]
async fn a_directory_that_cannot_be_created_is_unavailable() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("file");
    std::fs::write(&file, "").unwrap();
    let blobs = DirectoryBlobs::new(file.join("blobs"));
    assert!(matches!(blobs.put(&key("a"), vec![1]).await, Err(StoreError::Unavailable(_))));
    assert!(matches!(blobs.get(&key("a")).await, Err(StoreError::Unavailable(_))));
    blobs.delete(&key("a")).await;
}

#[tokio::test]
async fn object_names_start_with_the_prefix() {
    let bucket = Bucket::start().await;
    in_a_bucket(&bucket, ACCESS_KEY_ID).put(&key("a"), vec![1]).await.unwrap();
    assert_eq!(bucket.names(), [format!("steward/prod/{}", key("a").as_str())]);
}

#[tokio::test]
async fn a_service_that_is_down_or_rejects_the_key_is_unavailable_and_the_blob_is_not_missing() {
    let bucket = Bucket::start().await;
    let (blobs, unauthorized) = (in_a_bucket(&bucket, ACCESS_KEY_ID), in_a_bucket(&bucket, "AKIAOTHER"));
    blobs.put(&key("a"), vec![1]).await.unwrap();
    assert!(matches!(unauthorized.put(&key("a"), vec![2]).await, Err(StoreError::Unavailable(_))));
    assert!(matches!(unauthorized.get(&key("a")).await, Err(StoreError::Unavailable(_))));
    unauthorized.delete(&key("a")).await;

    bucket.set_down(true);
    assert!(matches!(blobs.put(&key("a"), vec![2]).await, Err(StoreError::Unavailable(_))));
    assert!(matches!(blobs.get(&key("a")).await, Err(StoreError::Unavailable(_))));
    blobs.delete(&key("a")).await;

    bucket.set_down(false);
    assert_eq!(stored(&blobs, &key("a")).await, Some(vec![1]));
}
