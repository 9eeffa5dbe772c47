//! Mail.

use async_trait::async_trait;

use crate::model::{Delivery, InviteId, Letter, Time};

use super::StoreError;

/// Sends letters.
#[cfg_attr(feature = "mocks", mockall::automock)]
pub trait Mailer: Send + Sync {
    /// Whether letters reach people. Where no mail server is set up they go to the log alone.
    fn reaches_people(&self) -> bool;

    /// Takes charge of a letter. MUST answer at once, whoever it is for: time must not tell which accounts exist. It is
    /// sent in the background, a few times over if need be; what cannot be sent is logged without its link, and lost.
    /// What became of the letter of an invite is told to [`DeliveryNotes`].
    fn send(&self, letter: Letter);
}

/// Keeps what became of letters. Nobody did it, so it is no change and leaves no event; it may be lost.
#[cfg_attr(feature = "mocks", mockall::automock)]
#[async_trait]
pub trait DeliveryNotes: Send + Sync {
    /// Notes what became of the letter of an invite that was made, or last renewed, at this moment. MUST leave an invite
    /// alone that was renewed since: another letter is on its way. Changes no revision.
    async fn note_delivery(&self, invite: InviteId, at: Time, delivery: Delivery) -> Result<(), StoreError>;
}
