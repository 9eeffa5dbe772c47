//! Storage of image bytes, in a directory or in an S3-compatible service.

mod directory;
mod s3;

pub use directory::DirectoryBlobs;
pub use s3::{InvalidBucket, S3Blobs, S3Settings};
