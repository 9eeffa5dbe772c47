//! What leaves Steward: letters over SMTP, or into the log where none is set up; webhooks over HTTP; and the bytes of
//! images, into a directory or an S3-compatible service.

mod blobs;
mod letter;
mod log;
mod smtp;
mod webhook;

pub use blobs::{DirectoryBlobs, InvalidBucket, S3Blobs, S3Settings};
pub use log::LogMailer;
pub use smtp::{InvalidMail, SmtpMailer};
pub use webhook::HttpWebhookSender;
