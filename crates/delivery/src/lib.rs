//! What leaves Steward: letters over SMTP, or into the log where none is set up, and webhooks over HTTP.

mod letter;
mod log;
mod smtp;
mod webhook;

pub use log::LogMailer;
pub use smtp::{InvalidMail, SmtpMailer};
pub use webhook::HttpWebhookSender;
