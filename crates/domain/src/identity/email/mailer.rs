//! Sending email.

use async_trait::async_trait;

use crate::administration::EmailDelivery;
use crate::identity::EmailMessage;
use crate::kernel::{InviteId, StoreError, Time};

/// Numbers of emails since the process started.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct EmailStats {
    /// Emails that the mail server accepted.
    pub sent: u64,
    /// Emails that were dropped: the mail server did not accept them, or too many were queued.
    pub failed: u64,
}

/// Sends emails.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait Mailer: Send + Sync {
    /// Returns whether emails are delivered. Without a configured mail server they are only logged.
    fn is_configured(&self) -> bool;

    /// Queues an email. MUST return immediately for every recipient, so that response times do not reveal which
    /// accounts exist. The email is sent in the background and retried a few times. If it cannot be sent, it is logged
    /// without its link and discarded. The delivery state of invite emails is recorded in [`EmailDeliveryStore`].
    fn send(&self, email: EmailMessage);

    /// Returns whether emails can be sent to addresses that require SMTPUTF8 (RFC 6531): whether the mail server
    /// announces it. MUST return within some seconds, with an error if the mail server cannot be reached. Without a
    /// mail server it is true, because nothing is sent.
    async fn supports_smtputf8(&self) -> anyhow::Result<bool>;

    /// Returns the numbers of sent and of dropped emails. Emails that are only logged are not counted.
    fn stats(&self) -> EmailStats;
}

/// Records whether emails were delivered. No caller performs this, so it writes no audit event. Updates may be lost.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait EmailDeliveryStore: Send + Sync {
    /// Records the delivery state of the email of an invite that was created or last renewed at `at`. MUST NOT change
    /// an invite that was renewed later, because another email was sent for it. Does not change the revision.
    async fn record_email_delivery(
        &self,
        invite: InviteId,
        at: Time,
        delivery: EmailDelivery,
    ) -> Result<(), StoreError>;
}
