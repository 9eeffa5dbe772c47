//! Steward's ports to mail and blobs: letters go out over SMTP, or into the log where none is set up; the bytes of images
//! are kept in a directory or in an S3-compatible service.

mod blobs;
mod letter;
mod log;
mod smtp;

pub use blobs::{DirectoryBlobs, InvalidBucket, S3Blobs, S3Settings};
pub use log::LogMailer;
pub use smtp::{InvalidMail, SmtpMailer};
