//! Steward's port to mail: letters go out over SMTP, or into the log where none is set up.

mod letter;
mod log;
mod smtp;

pub use log::LogMailer;
pub use smtp::{InvalidMail, SmtpMailer};
