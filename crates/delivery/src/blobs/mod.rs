//! Storage of image bytes, in a directory or in an S3-compatible service.

mod bucket;
mod directory;
#[cfg_attr(not(feature = "s3"), path = "no_s3.rs")]
mod s3;

pub use bucket::{InvalidBucket, S3Settings};
pub use directory::DirectoryBlobs;
pub use s3::S3Blobs;
