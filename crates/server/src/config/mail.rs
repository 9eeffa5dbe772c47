//! The mail server.

use steward_delivery::{InvalidEmailSettings, SmtpMailer, SmtpName};
use steward_domain::kernel::Secret;

use super::settings::{Reader, Values};

/// The mail server and the sender of emails.
#[derive(Debug)]
pub struct MailServer {
    pub url: Secret,
    pub from: String,
    /// The name with which the service greets the mail server. `None` for the host of the public URL.
    pub name: Option<SmtpName>,
}

impl MailServer {
    /// Returns `Some(None)` if no mail server is configured.
    pub fn read(reader: &mut Reader<'_>, values: &Values) -> Option<Option<Self>> {
        let Some(url) = values.smtp_url.clone()? else { return Some(None) };
        let from = values.mail_from.clone()?.ok_or("is required with STEWARD_SMTP_URL");
        let from = reader.record("STEWARD_MAIL_FROM", from)?;
        let checked = SmtpMailer::check(&url, &from);
        let setting = match checked {
            Err(InvalidEmailSettings::From) => "STEWARD_MAIL_FROM",
            _ => "STEWARD_SMTP_URL",
        };
        reader.record(setting, checked)?;
        Some(Some(Self { url, from, name: values.smtp_name.clone()? }))
    }
}
