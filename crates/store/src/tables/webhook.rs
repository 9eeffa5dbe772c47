//! Tables for webhooks and their deliveries.

use diesel::sql_types::{BigInt, Binary, Nullable, Text};
use steward_domain::administration::{Webhook, WebhookDelivery, WebhookPause};
use steward_domain::kernel::ReplacedValues;

use super::replaced_value::{expiry, replaced};
use super::row::row;
use crate::sql_types::{At, Id, Instant, JsonText, Uid};

row! {
    struct WebhookRow for Webhook in webhooks (team_id, id; revision) {
        id -> Uid,
        team_id -> Uid,
        project_id -> Nullable<Uid>,
        url -> Text,
        events -> JsonText,
        ordering -> Text,
        secret -> Binary,
        begins_after -> BigInt,
        created_by -> Uid,
        created_at -> Instant,
        revision -> BigInt,
    }
    store |webhook| {
        previous_secret -> Nullable<Binary> =
            webhook.replaced.previous.as_ref().map(|previous| previous.stored.clone()),
        previous_expires_at -> Nullable<Instant> = expiry(webhook.replaced.previous.as_ref()),
        earlier_secret -> Nullable<Binary> = webhook.replaced.earlier.as_ref().map(|earlier| earlier.stored.clone()),
        earlier_expires_at -> Nullable<Instant> = expiry(webhook.replaced.earlier.as_ref()),
        paused_at -> Nullable<Instant> = webhook.pause.as_ref().map(|pause| At(pause.at)),
        pause_reason -> Nullable<Text> = webhook.pause.as_ref().map(|pause| pause.reason.clone()),
        /// NULL in rows of older versions of the service: the creator authorizes the webhook.
        authorized_by -> Nullable<Uid> = Some(Id(webhook.authorized_by.uuid())),
    }
    load {
        // Only this service uses the secrets.
        replaced = ReplacedValues::stored(
            replaced(previous_secret, previous_expires_at, None)?,
            replaced(earlier_secret, earlier_expires_at, None)?,
            None,
        ),
        pause = paused_at.zip(pause_reason).map(|(at, reason)| WebhookPause { at: at.0, reason }),
        authorized_by = authorized_by.unwrap_or(created_by).0.into(),
    }
    // The progress of the deliveries.
    others {
        position -> BigInt,
        attempts -> BigInt,
        next_attempt_at -> Instant,
        leased_until -> Instant,
        due_position -> BigInt,
        wake_at -> Nullable<Instant>,
        leased_by -> Nullable<Uid>,
        accepts_others -> Bool,
    }
}

row! {
    struct WebhookDeliveryRow for WebhookDelivery in deliveries (id) {
        id -> Uid,
        webhook_id -> Uid,
        position -> BigInt,
        event -> Text,
        attempt -> BigInt,
        at -> Instant,
        took_ms -> BigInt,
        status -> Nullable<BigInt>,
        error -> Nullable<Text>,
        response_body -> Nullable<Text>,
    }
}
