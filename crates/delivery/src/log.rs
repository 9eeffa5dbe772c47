//! Emails in the log, for a service without a mail server.

use async_trait::async_trait;
use steward_domain::identity::{EmailMessage, EmailStats, Mailer};

/// Writes emails and their links to the log, so that the service can be tried without a mail server. This makes the log
/// as confidential as the emails, so it is used only if no mail server is configured, and `steward serve` logs a
/// warning at startup.
#[derive(Debug, Clone, Copy)]
pub struct LogMailer;

#[async_trait]
impl Mailer for LogMailer {
    fn is_configured(&self) -> bool {
        false
    }

    fn send(&self, email: EmailMessage) {
        let (to, link) = (email.to.as_str(), email.link.expose());
        let purpose = email.kind.as_str();
        tracing::info!(to, purpose, link, "Email written to the log because no mail server is configured.");
    }

    async fn supports_smtputf8(&self) -> anyhow::Result<bool> {
        Ok(true)
    }

    fn stats(&self) -> EmailStats {
        EmailStats::default()
    }
}
