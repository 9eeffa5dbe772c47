//! Letters in the log, for a service that has no mail server.

use steward_domain::model::Letter;
use steward_domain::ports::Mailer;

/// Writes letters into the log, with their links: whoever tries the service out reads them there. That makes the log as
/// secret as the mail would be, which is why it is only what happens when no mail server is set up, and `steward serve`
/// says so at its start.
#[derive(Debug, Clone, Copy)]
pub struct LogMailer;

impl Mailer for LogMailer {
    fn reaches_people(&self) -> bool {
        false
    }

    fn send(&self, letter: Letter) {
        let (to, link) = (letter.to.as_str(), letter.link.expose());
        tracing::info!(to, purpose = letter.matter.as_str(), link, "a letter, as no mail server is set up");
    }
}
