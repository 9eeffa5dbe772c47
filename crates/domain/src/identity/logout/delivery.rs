//! Deliveries of logout tokens: a client learns that its user has signed out (OpenID Connect Back-Channel Logout 1.0).

use crate::identity::ClientId;
use crate::kernel::{AccountId, LogoutDeliveryId, ProjectId, SessionId, Time, audited};

/// A logout token that is to be sent to a client. It is removed once the client has received it, or after the last
/// attempt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogoutDelivery {
    /// Unique ID of the delivery.
    pub id: LogoutDeliveryId,
    /// The account that has signed out.
    pub account_id: AccountId,
    /// The session that has ended.
    pub session_id: SessionId,
    /// The client that is notified.
    pub client: ClientId,
    /// The project of the client, which registers the URL.
    pub project_id: ProjectId,
    /// Number of attempts so far.
    pub attempts: u32,
    /// When the next attempt is due.
    pub next_attempt_at: Time,
}

audited!(LogoutDelivery as Delivery of nobody);
