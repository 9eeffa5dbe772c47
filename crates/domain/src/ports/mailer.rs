//! Mail.

use async_trait::async_trait;

use crate::model::{EmailDelivery, EmailMessage, InviteId, Time};

use super::StoreError;

/// Sends emails.
#[cfg_attr(feature = "mocks", mockall::automock)]
pub trait Mailer: Send + Sync {
    /// Whether emails reach people. Where no mail server is set up they go to the log alone.
    fn reaches_people(&self) -> bool;

    /// Takes charge of an email. MUST answer at once, whoever it is for: time must not tell which accounts exist. It is
    /// sent in the background, a few times over if need be; what cannot be sent is logged without its link, and lost.
    /// What became of the email of an invite is told to [`EmailDeliveryStore`].
    fn send(&self, email: EmailMessage);
}

/// Keeps what became of emails. Nobody did it, so it is no change and leaves no event; it may be lost.
#[cfg_attr(feature = "mocks", mockall::automock)]
#[async_trait]
pub trait EmailDeliveryStore: Send + Sync {
    /// Notes what became of the email of an invite that was made, or last renewed, at this moment. MUST leave an invite
    /// alone that was renewed since: another email is on its way. Changes no revision.
    async fn record_email_delivery(
        &self,
        invite: InviteId,
        at: Time,
        delivery: EmailDelivery,
    ) -> Result<(), StoreError>;
}
