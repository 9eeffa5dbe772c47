//! Letters in the log, for a service that has no mail server.

use steward_domain::model::EmailMessage;
use steward_domain::ports::Mailer;

/// Writes emails into the log, with their links: whoever tries the service out reads them there. That makes the log as
/// secret as the mail would be, which is why it is only what happens when no mail server is set up, and `steward serve`
/// says so at its start.
#[derive(Debug, Clone, Copy)]
pub struct LogMailer;

impl Mailer for LogMailer {
    fn reaches_people(&self) -> bool {
        false
    }

    fn send(&self, email: EmailMessage) {
        let (to, link) = (email.to.as_str(), email.link.expose());
        tracing::info!(to, purpose = email.kind.as_str(), link, "an email, as no mail server is set up");
    }
}
