//! Statuses of webhooks: active, or paused for a reason.

use crate::administration::{Webhook, WebhookPause};
use crate::kernel::{Time, named};

/// The reason for pausing a webhook when its authorizing member may no longer manage webhooks.
pub const UNAUTHORIZED: &str = "The member who authorized this webhook can no longer manage webhooks in the team. \
     Set its status to active to authorize it yourself.";

/// The reason for pausing a webhook when a member asked for it.
const BY_MEMBER: &str = "A member paused this webhook. Set its status to active to resume it.";

named! {
    /// Whether events are sent to a webhook.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum WebhookStatus: "the status as it is returned in responses", else "must be `active` or `paused`" {
        /// Events are sent.
        Active = "active",
        /// No events are sent.
        Paused = "paused",
    }
}

impl Webhook {
    /// Returns whether events are sent.
    pub fn status(&self) -> WebhookStatus {
        if self.pause.is_some() { WebhookStatus::Paused } else { WebhookStatus::Active }
    }

    /// Returns the webhook with the status that a member set. A webhook that is already paused keeps its reason.
    pub fn with_status(self, status: WebhookStatus, now: Time) -> Self {
        let pause = match status {
            WebhookStatus::Active => None,
            WebhookStatus::Paused => Some(self.pause.unwrap_or_else(|| paused(BY_MEMBER, now))),
        };
        Self { pause, ..self }
    }

    /// Pauses the webhook because its authorizing member may no longer manage webhooks.
    pub fn pause_unauthorized(self, now: Time) -> Self {
        Self { pause: Some(paused(UNAUTHORIZED, now)), ..self }
    }
}

fn paused(reason: &str, at: Time) -> WebhookPause {
    WebhookPause { at, reason: reason.to_owned() }
}

#[cfg(test)]
mod tests {
    use chrono::TimeDelta;

    use super::*;
    use crate::mocks::{a_webhook, id_of, instant};

    #[test]
    fn only_the_two_statuses_are_valid() {
        for status in [WebhookStatus::Active, WebhookStatus::Paused] {
            assert_eq!(WebhookStatus::parse(status.as_str()), Ok(status));
        }
        for invalid in ["", "Paused", "disabled"] {
            assert!(WebhookStatus::parse(invalid).is_err(), "{invalid}");
        }
    }

    #[test]
    fn a_webhook_that_is_already_paused_keeps_its_reason_until_it_is_resumed() {
        let (active, later) = (a_webhook(id_of("acme").into(), None), instant() + TimeDelta::hours(1));
        let paused = active.clone().with_status(WebhookStatus::Paused, instant());
        assert_eq!(paused.pause.as_ref().map(|pause| (pause.at, pause.reason.as_str())), Some((instant(), BY_MEMBER)));
        assert_eq!(paused.status(), WebhookStatus::Paused);

        let unauthorized = active.clone().pause_unauthorized(instant());
        for paused in [paused, unauthorized] {
            assert_eq!(paused.clone().with_status(WebhookStatus::Paused, later).pause, paused.pause);
            let resumed = paused.with_status(WebhookStatus::Active, later);
            assert!(resumed == active && resumed.status() == WebhookStatus::Active);
        }
    }
}
