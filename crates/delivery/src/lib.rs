//! Implementations of Steward's ports for delivery and storage: emails over SMTP or to the log, webhooks over HTTP,
//! images in a directory or an S3-compatible service, and passwords from data breaches.

mod blobs;
mod breaches;
mod log;
mod message;
mod smtp;
mod webhook;

pub use blobs::{DirectoryBlobs, InvalidBucket, S3Blobs, S3Settings};
pub use breaches::BreachRanges;
pub use log::LogMailer;
pub use smtp::{InvalidEmailSettings, SmtpMailer};
pub use webhook::HttpWebhookSender;
