//! What leaves Steward: emails over SMTP, or into the log where none is set up; webhooks over HTTP; and the bytes of
//! images, into a directory or an S3-compatible service.

mod blobs;
mod log;
mod message;
mod smtp;
mod webhook;

pub use blobs::{DirectoryBlobs, InvalidBucket, S3Blobs, S3Settings};
pub use log::LogMailer;
pub use smtp::{InvalidEmailSettings, SmtpMailer};
pub use webhook::HttpWebhookSender;
