//! Implementations of Steward's ports for delivery and storage: emails over SMTP or to the log, webhooks over HTTP,
//! images in a directory or an S3-compatible service, passwords from data breaches, and signing in at identity providers.

mod blobs;
mod breaches;
mod identity_providers;
mod log;
mod public_only;
mod smtp;
mod smtp_name;
mod smtputf8;
mod webhook;

pub use blobs::{DirectoryBlobs, InvalidBucket, S3Blobs, S3Settings};
pub use breaches::BreachRanges;
pub use identity_providers::HttpIdentityProviders;
pub use log::LogMailer;
pub use smtp::{InvalidEmailSettings, SmtpMailer};
pub use smtp_name::SmtpName;
pub use webhook::HttpWebhookSender;
