//! One turn of deliveries to a webhook. Reading events, sending them, and recording what was delivered run
//! concurrently, so that the receiver determines the speed.

use chrono::TimeDelta;
use futures_util::future::BoxFuture;
use futures_util::stream::{FuturesUnordered, StreamExt as _};

use crate::administration::{DeliveryProgress, DueWebhook, MatchingEvents, UNAUTHORIZED, Webhook, WebhookDelivery};
use crate::kernel::Time;
use crate::kernel::error::Error;

use super::event_sender::EventSender;
use super::messages::EventMessage;
use super::window::{Attempted, AttemptedEvent, EVENT_BATCH_SIZE, Progress, Window};

/// Maximum time to deliver to one webhook before others get their turn.
const TURN_TIME_LIMIT: TimeDelta = TimeDelta::seconds(10);
/// Nothing more is sent while this many attempts are not recorded.
const MAX_UNRECORDED: usize = 64;
/// Delay after each failed attempt, in seconds: more than three days in total. After the last attempt the webhook is
/// paused.
const RETRY_DELAYS: [i64; 11] = [5, 30, 120, 600, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400];

/// One turn of deliveries.
pub(super) struct Turn<'a> {
    sender: &'a EventSender,
    webhook: &'a Webhook,
    due_position: i64,
    began_at: Time,
    window: Window,
    steps: FuturesUnordered<BoxFuture<'a, Result<Step, Error>>>,
    is_reading: bool,
    is_recording: bool,
    recorded: Progress,
    unrecorded: Vec<WebhookDelivery>,
    /// Why the webhook is to be paused.
    pause: Option<String>,
    is_pause_recorded: bool,
}

/// A completed step of a turn.
enum Step {
    Read { batch: MatchingEvents, is_authorized: bool },
    Sent(WebhookDelivery),
    Recorded { is_lease_held: bool },
}

/// What follows from a failed attempt.
#[derive(Debug, PartialEq, Eq)]
enum Failure {
    RetryAfter { seconds: i64 },
    Pause { reason: String },
}

impl Failure {
    /// Returns `None` for an attempt that succeeded.
    fn of(delivery: &WebhookDelivery) -> Option<Self> {
        let error = delivery.error.clone()?;
        // 410 means that the endpoint no longer exists (Standard Webhooks).
        if delivery.status == Some(410) {
            return Some(Self::Pause { reason: error });
        }
        let number = usize::try_from(delivery.attempt).unwrap_or(usize::MAX);
        Some(match RETRY_DELAYS.get(number.saturating_sub(1)) {
            Some(seconds) => Self::RetryAfter { seconds: *seconds },
            None => Self::Pause { reason: format!("{} attempts failed. Last error: {error}", delivery.attempt) },
        })
    }
}

impl<'a> Turn<'a> {
    /// `attempted`: what earlier turns sent behind the position.
    pub(super) fn new(sender: &'a EventSender, due: &'a DueWebhook, attempted: Attempted) -> Self {
        let began_at = sender.core.now();
        let start = Progress {
            position: due.position,
            attempts: due.attempts,
            retry_at: (due.attempts > 0 && due.next_attempt_at > began_at).then_some(due.next_attempt_at),
            accepts_others: due.accepts_others,
        };
        Self {
            sender,
            webhook: &due.webhook,
            due_position: due.due_position,
            began_at,
            window: Window::new(due.webhook.ordering, start, attempted),
            steps: FuturesUnordered::new(),
            is_reading: false,
            is_recording: false,
            recorded: start,
            unrecorded: Vec::new(),
            pause: None,
            is_pause_recorded: false,
        }
    }

    /// Delivers events until none is left that may be sent, or the turn ends. Returns whether the lease is still held.
    pub(super) async fn run(&mut self) -> Result<bool, Error> {
        loop {
            if !self.is_ending() {
                self.start_reading();
                self.start_sending();
            }
            self.start_recording();
            let Some(step) = self.steps.next().await else { return Ok(true) };
            match step? {
                Step::Read { batch, is_authorized } => self.read(batch, is_authorized),
                Step::Sent(delivery) => self.sent(delivery),
                Step::Recorded { is_lease_held: false } => return Ok(false),
                Step::Recorded { is_lease_held: true } => self.is_recording = false,
            }
        }
    }

    /// Returns the position up to which nothing more can be sent before the next attempt.
    pub(super) fn seen(&self) -> i64 {
        self.window.seen()
    }

    /// Returns what the next turn should know about events behind the position.
    pub(super) fn into_attempted(self) -> Attempted {
        let mut attempted = self.window.into_attempted();
        if self.pause.is_some() {
            // After it is resumed, attempts are counted from the beginning.
            attempted.retain(|_, event| *event == AttemptedEvent::Delivered);
        }
        attempted
    }

    /// Whether nothing more is started.
    fn is_ending(&self) -> bool {
        let is_over = || self.sender.core.now() - self.began_at >= TURN_TIME_LIMIT;
        self.pause.is_some() || self.window.is_failing() || self.sender.running().stopping || is_over()
    }

    fn start_reading(&mut self) {
        if self.is_reading || self.window.through() >= self.due_position || !self.window.has_room() {
            return;
        }
        self.is_reading = true;
        let (sender, webhook) = (self.sender, self.webhook);
        let (after, through) = (self.window.through(), self.due_position);
        self.steps.push(Box::pin(async move {
            let log = &sender.core.ports.audit_log;
            let batch = log.matching_events(webhook, after, through, EVENT_BATCH_SIZE).await?;
            // Checked once per batch, not per event: the request that removes a member's authority also pauses the
            // webhook.
            let is_authorized = batch.events.is_empty() || sender.is_authorized(webhook).await?;
            Ok(Step::Read { batch, is_authorized })
        }));
    }

    fn read(&mut self, batch: MatchingEvents, is_authorized: bool) {
        self.is_reading = false;
        if is_authorized {
            let messages = batch.events.iter().map(EventMessage::of);
            self.window.extend(messages, batch.through, self.sender.core.now());
        } else {
            self.pause.get_or_insert_with(|| UNAUTHORIZED.to_owned());
        }
    }

    fn start_sending(&mut self) {
        let (sender, webhook) = (self.sender, self.webhook);
        while self.window.next().is_some() && self.unrecorded.len() < MAX_UNRECORDED {
            if !sender.running().start_request(webhook.id) {
                return;
            }
            let Some((message, attempt)) = self.window.start() else { return };
            self.steps.push(Box::pin(async move { Ok(Step::Sent(sender.send(webhook, message, attempt).await?)) }));
        }
    }

    fn sent(&mut self, delivery: WebhookDelivery) {
        self.sender.running().end_request(self.webhook.id);
        let (position, now) = (delivery.position, self.sender.core.now());
        match Failure::of(&delivery) {
            None => self.window.delivered(position),
            Some(Failure::RetryAfter { seconds }) => {
                self.window.failed(position, now + self.sender.jittered(seconds));
            }
            Some(Failure::Pause { reason }) => {
                self.window.failed(position, now);
                self.pause.get_or_insert(reason);
            }
        }
        self.unrecorded.push(delivery);
    }

    /// Records all attempts that ended while the last ones were recorded. A pause is recorded last.
    fn start_recording(&mut self) {
        let progress = self.window.progress();
        let is_due = match self.pause {
            Some(_) => !self.is_pause_recorded && self.window.in_flight() == 0,
            None => !self.unrecorded.is_empty() || progress != self.recorded,
        };
        if self.is_recording || !is_due {
            return;
        }
        (self.is_recording, self.is_pause_recorded) = (true, self.pause.is_some());
        self.recorded = progress;
        let now = self.sender.core.now();
        let is_paused = self.pause.is_some();
        let progress = DeliveryProgress {
            webhook: self.webhook.id,
            holder: self.sender.core.holder,
            position: progress.position,
            attempts: if is_paused { 0 } else { progress.attempts },
            next_attempt_at: progress.retry_at.filter(|_| !is_paused).unwrap_or(now),
            accepts_others: progress.accepts_others && !is_paused,
            deliveries: std::mem::take(&mut self.unrecorded),
            pause: self.pause.clone(),
        };
        let outbox = &self.sender.core.ports.outbox;
        self.steps.push(Box::pin(async move {
            Ok(Step::Recorded { is_lease_held: outbox.record_progress(&progress).await? })
        }));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mocks::{id_of, instant};

    fn attempt(number: u32, status: Option<u16>, error: Option<&str>) -> WebhookDelivery {
        WebhookDelivery {
            id: id_of("delivery").into(),
            webhook_id: id_of("webhook").into(),
            position: 7,
            event: "team.updated".to_owned(),
            attempt: number,
            at: instant(),
            took_ms: 1,
            status,
            error: error.map(str::to_owned),
            response_body: None,
        }
    }

    #[test]
    fn a_failure_is_retried_until_the_last_attempt_and_410_pauses_at_once() {
        let last = u32::try_from(RETRY_DELAYS.len()).unwrap() + 1;
        let paused = |reason: &str| Some(Failure::Pause { reason: reason.to_owned() });
        for (delivery, expected) in [
            (attempt(1, Some(204), None), None),
            (attempt(1, Some(500), Some("x")), Some(Failure::RetryAfter { seconds: 5 })),
            (attempt(last - 1, None, Some("x")), Some(Failure::RetryAfter { seconds: 86_400 })),
            (attempt(last, None, Some("x")), paused("12 attempts failed. Last error: x")),
            (attempt(1, Some(410), Some("gone")), paused("gone")),
        ] {
            assert_eq!(Failure::of(&delivery), expected);
        }
    }
}
