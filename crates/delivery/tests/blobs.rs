//! What every place of blobs promises, for a directory and for an S3-compatible service; and what each promises alone.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test whose world is not as it should be stops")]

#[expect(dead_code, reason = "the black-box tests use the rest of it")]
#[path = "../../../tests/app/bucket.rs"]
mod bucket;

use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use bucket::{ACCESS_KEY_ID, BUCKET, Bucket, REGION, SECRET_ACCESS_KEY};
use steward_delivery::{DirectoryBlobs, S3Blobs, S3Settings};
use steward_domain::mocks::an_image;
use steward_domain::model::{BlobKey, Secret};
use steward_domain::ports::{BlobStore, StoreError};
use tempfile::TempDir;

fn key(name: &str) -> BlobKey {
    an_image(name).key()
}

async fn kept(blobs: &dyn BlobStore, key: &BlobKey) -> Option<Vec<u8>> {
    let mut reader = blobs.get(key).await.unwrap()?;
    let mut bytes = Vec::new();
    while let Some(piece) = reader.next().await.unwrap() {
        assert!(!piece.is_empty());
        bytes.extend(piece);
    }
    Some(bytes)
}

async fn bytes_come_back_as_they_went(blobs: &dyn BlobStore) {
    let large: Vec<u8> = (0..300_000_u32).flat_map(u32::to_le_bytes).collect();
    for (name, bytes) in [("a", vec![0]), ("b", b"\r\n--\0\xff".to_vec()), ("c", large)] {
        blobs.put(&key(name), bytes.clone()).await.unwrap();
        assert!(kept(blobs, &key(name)).await == Some(bytes), "{name}");
    }
    assert_eq!(kept(blobs, &key("a")).await, Some(vec![0]), "the others did not touch it");
}

async fn under_a_key_that_was_never_given_there_is_nothing(blobs: &dyn BlobStore) {
    assert_eq!(kept(blobs, &key("a")).await, None);
    blobs.put(&key("a"), vec![1]).await.unwrap();
    assert_eq!(kept(blobs, &key("b")).await, None);
}

async fn what_was_deleted_is_gone_and_may_be_deleted_again(blobs: &dyn BlobStore) {
    blobs.put(&key("a"), vec![1]).await.unwrap();
    blobs.put(&key("b"), vec![2]).await.unwrap();
    blobs.delete(&key("a")).await;
    blobs.delete(&key("a")).await;
    assert_eq!((kept(blobs, &key("a")).await, kept(blobs, &key("b")).await), (None, Some(vec![2])));
    blobs.put(&key("a"), vec![3]).await.unwrap();
    assert_eq!(kept(blobs, &key("a")).await, Some(vec![3]));
}

async fn bytes_are_replaced_as_a_whole(blobs: &dyn BlobStore) {
    blobs.put(&key("a"), vec![1; 100_000]).await.unwrap();
    blobs.put(&key("a"), vec![2; 3]).await.unwrap();
    assert_eq!(kept(blobs, &key("a")).await, Some(vec![2; 3]));
}

async fn whoever_reads_while_it_is_written_gets_all_of_it_or_nothing(blobs: &dyn BlobStore) {
    const SIZE: usize = 200_000;
    let key = key("a");
    let write = async {
        for byte in 0..20 {
            blobs.put(&key, vec![byte; SIZE]).await.unwrap();
        }
    };
    let read = async {
        for _ in 0..40 {
            let Some(bytes) = kept(blobs, &key).await else { continue };
            assert!(bytes.len() == SIZE && bytes.iter().all(|byte| *byte == bytes[0]), "{} bytes", bytes.len());
        }
    };
    tokio::join!(write, read);
    assert!(kept(blobs, &key).await == Some(vec![19; SIZE]));
}

macro_rules! contract {
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

contract! {
    bytes_come_back_as_they_went
    under_a_key_that_was_never_given_there_is_nothing
    what_was_deleted_is_gone_and_may_be_deleted_again
    bytes_are_replaced_as_a_whole
    whoever_reads_while_it_is_written_gets_all_of_it_or_nothing
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
async fn a_directory_and_what_is_in_it_are_for_the_owners_eyes_and_nothing_unfinished_stays() {
    let (blobs, directory) = in_a_directory();
    blobs.put(&key("a"), vec![1]).await.unwrap();
    let place = directory.path().join("deep/blobs");
    let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(&place), mode(&place.join(key("a").as_str()))), (0o700, 0o600));
    let names: Vec<_> = std::fs::read_dir(place).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(names, [key("a").as_str()]);
}

#[tokio::test]
async fn a_directory_that_cannot_be_made_is_an_outage() {
    let directory = tempfile::tempdir().unwrap();
    let in_the_way = directory.path().join("file");
    std::fs::write(&in_the_way, "").unwrap();
    let blobs = DirectoryBlobs::new(in_the_way.join("blobs"));
    assert!(matches!(blobs.put(&key("a"), vec![1]).await, Err(StoreError::Unavailable(_))));
    assert!(matches!(blobs.get(&key("a")).await, Err(StoreError::Unavailable(_))));
    blobs.delete(&key("a")).await;
}

#[tokio::test]
async fn objects_are_named_below_the_prefix() {
    let bucket = Bucket::start().await;
    in_a_bucket(&bucket, ACCESS_KEY_ID).put(&key("a"), vec![1]).await.unwrap();
    assert_eq!(bucket.names(), [format!("steward/prod/{}", key("a").as_str())]);
}

#[tokio::test]
async fn a_service_that_is_down_or_refuses_the_key_is_an_outage_and_not_an_absence() {
    let bucket = Bucket::start().await;
    let (blobs, stranger) = (in_a_bucket(&bucket, ACCESS_KEY_ID), in_a_bucket(&bucket, "AKIAOTHER"));
    blobs.put(&key("a"), vec![1]).await.unwrap();
    assert!(matches!(stranger.put(&key("a"), vec![2]).await, Err(StoreError::Unavailable(_))));
    assert!(matches!(stranger.get(&key("a")).await, Err(StoreError::Unavailable(_))));
    stranger.delete(&key("a")).await;

    bucket.is_down(true);
    assert!(matches!(blobs.put(&key("a"), vec![2]).await, Err(StoreError::Unavailable(_))));
    assert!(matches!(blobs.get(&key("a")).await, Err(StoreError::Unavailable(_))));
    blobs.delete(&key("a")).await;

    bucket.is_down(false);
    assert_eq!(kept(&blobs, &key("a")).await, Some(vec![1]));
}
