//! The next events of a webhook: which of them may be sent now, and how far the webhook is. Pure, so that its rules can
//! be tested with responses in any order.

use std::collections::{BTreeMap, HashSet};

use crate::administration::WebhookOrdering;
use crate::kernel::{ProjectId, Time};

use super::messages::EventMessage;

/// Maximum number of requests in flight to one webhook.
pub(crate) const MAX_IN_FLIGHT: usize = 16;
/// Maximum number of events from the first one that is not delivered. Another process may send them again, because it
/// knows only the position.
const WINDOW_SIZE: usize = 256;
/// How many events are read at once.
pub(crate) const EVENT_BATCH_SIZE: u16 = 64;
/// No more events are read while the messages that wait have this many bytes.
const MAX_WAITING_BYTES: usize = 1024 * 1024;
/// After this many failures without a success between them, nothing more is sent: the receiver is not available.
const MAX_FAILURES_IN_A_ROW: usize = 4;

/// What is known about events behind the position of a webhook.
pub(crate) type Attempted = BTreeMap<i64, AttemptedEvent>;

/// The outcome of earlier attempts to deliver an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AttemptedEvent {
    Delivered,
    /// The number of failed attempts, and when to try again.
    Failed {
        attempts: u32,
        retry_at: Option<Time>,
    },
}

/// How far the events of a webhook have been delivered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Progress {
    /// All events up to this position are delivered.
    pub(crate) position: i64,
    /// Number of failed attempts to deliver the next event.
    pub(crate) attempts: u32,
    /// When to try the next event again, if it failed.
    pub(crate) retry_at: Option<Time>,
    /// Whether the receiver accepts other events, and there is room for more of them.
    pub(crate) accepts_others: bool,
}

/// A bounded number of events, beginning with the first one that is not delivered.
#[derive(Debug)]
pub(crate) struct Window {
    ordering: WebhookOrdering,
    events: BTreeMap<i64, Entry>,
    /// Position of the last event that was read or skipped.
    through: i64,
    /// How far the events were at first. Its attempts and its retry are those of the first event to be read.
    start: Progress,
    attempted: Attempted,
    /// Maximum number of requests in flight.
    limit: usize,
    in_flight: usize,
    waiting_bytes: usize,
    failures_in_a_row: usize,
    /// Whether the receiver accepted an event in this turn; `None` if it received none.
    has_accepted: Option<bool>,
}

#[derive(Debug)]
struct Entry {
    project: Option<ProjectId>,
    /// Number of failed attempts.
    attempts: u32,
    state: State,
}

#[derive(Debug)]
enum State {
    Waiting(EventMessage),
    InFlight,
    Delivered,
    Failed { retry_at: Time },
}

impl Window {
    /// Continues from the recorded progress. `attempted`: events behind its position that were sent in an earlier turn.
    ///
    /// After a failure, one event is sent first, and each delivered event allows one more request in flight.
    pub(crate) fn new(ordering: WebhookOrdering, start: Progress, attempted: Attempted) -> Self {
        Self {
            ordering,
            events: BTreeMap::new(),
            through: start.position,
            start,
            // Another process may have delivered the earlier ones.
            attempted: attempted.into_iter().filter(|(attempted, _)| *attempted > start.position).collect(),
            limit: if start.attempts == 0 { MAX_IN_FLIGHT } else { 1 },
            in_flight: 0,
            waiting_bytes: 0,
            failures_in_a_row: 0,
            has_accepted: None,
        }
    }

    /// Position of the last event that was read or skipped.
    pub(crate) fn through(&self) -> i64 {
        self.through
    }

    /// Number of requests without a response.
    pub(crate) fn in_flight(&self) -> usize {
        self.in_flight
    }

    /// Whether so many attempts failed that the receiver is not available.
    pub(crate) fn is_failing(&self) -> bool {
        self.failures_in_a_row >= MAX_FAILURES_IN_A_ROW
    }

    /// Whether there is room for another batch of events.
    pub(crate) fn has_room(&self) -> bool {
        self.has_places() && self.waiting_bytes < MAX_WAITING_BYTES
    }

    fn has_places(&self) -> bool {
        self.events.len().saturating_add(EVENT_BATCH_SIZE.into()) <= WINDOW_SIZE
    }

    /// Adds the next events. Up to `through` there are no others. An event that failed in an earlier turn is sent again
    /// only when its retry is due.
    pub(crate) fn extend(&mut self, messages: impl IntoIterator<Item = EventMessage>, through: i64, now: Time) {
        for message in messages {
            let (position, project) = (message.position, message.project);
            let recorded = std::mem::take(&mut self.start.attempts);
            let retry_at = self.start.retry_at.take();
            // Another process may have sent the first event.
            let by_others = retry_at.map(|_| AttemptedEvent::Failed { attempts: recorded, retry_at });
            let (attempts, state) = match self.attempted.remove(&position).or(by_others) {
                Some(AttemptedEvent::Delivered) => (0, State::Delivered),
                Some(AttemptedEvent::Failed { attempts, retry_at: Some(retry_at) }) if retry_at > now => {
                    (attempts, State::Failed { retry_at })
                }
                Some(AttemptedEvent::Failed { attempts, .. }) => (attempts.max(recorded), State::Waiting(message)),
                None => (recorded, State::Waiting(message)),
            };
            if let State::Waiting(message) = &state {
                self.waiting_bytes = self.waiting_bytes.saturating_add(message.body.len());
            }
            self.events.insert(position, Entry { project, attempts, state });
        }
        // An event that failed but was not read is no longer wanted.
        (self.start.attempts, self.start.retry_at) = (0, None);
        self.through = through;
        self.forget_delivered();
    }

    /// Starts the next attempt, if one may start now: the message, and the number of the attempt.
    pub(crate) fn start(&mut self) -> Option<(EventMessage, u32)> {
        let position = self.next()?;
        let entry = self.events.get_mut(&position)?;
        let State::Waiting(message) = std::mem::replace(&mut entry.state, State::InFlight) else { return None };
        self.in_flight += 1;
        self.waiting_bytes = self.waiting_bytes.saturating_sub(message.body.len());
        Some((message, entry.attempts.saturating_add(1)))
    }

    /// Returns the position of the first event that may be sent now.
    pub(crate) fn next(&self) -> Option<i64> {
        if self.in_flight >= self.limit {
            return None;
        }
        let mut busy = HashSet::new();
        self.events.iter().find_map(|(position, entry)| match entry.state {
            State::Delivered => None,
            State::Waiting(_) if self.ordering == WebhookOrdering::Unordered || !busy.contains(&entry.project) => {
                Some(*position)
            }
            _ => {
                busy.insert(entry.project);
                None
            }
        })
    }

    /// Records that an event was delivered.
    pub(crate) fn delivered(&mut self, position: i64) {
        self.ended(position, State::Delivered);
        self.failures_in_a_row = 0;
        self.has_accepted = Some(true);
        self.limit = self.limit.saturating_add(1).min(MAX_IN_FLIGHT);
        self.forget_delivered();
    }

    /// Records that an attempt failed. In this turn the event is not sent again.
    pub(crate) fn failed(&mut self, position: i64, retry_at: Time) {
        if let Some(entry) = self.ended(position, State::Failed { retry_at }) {
            entry.attempts = entry.attempts.saturating_add(1);
        }
        self.failures_in_a_row += 1;
        self.has_accepted.get_or_insert(false);
    }

    fn ended(&mut self, position: i64, state: State) -> Option<&mut Entry> {
        self.in_flight = self.in_flight.saturating_sub(1);
        let entry = self.events.get_mut(&position)?;
        entry.state = state;
        Some(entry)
    }

    /// Moves the window to the first event that is not delivered.
    fn forget_delivered(&mut self) {
        while let Some(first) = self.events.first_entry().filter(|first| matches!(first.get().state, State::Delivered))
        {
            first.remove();
        }
    }

    /// How far the events have been delivered.
    pub(crate) fn progress(&self) -> Progress {
        let accepts_others = self.accepts_others();
        match self.events.first_key_value() {
            None => Progress { position: self.through, accepts_others, ..self.start },
            Some((position, first)) => {
                let retry_at = if let State::Failed { retry_at } = first.state { Some(retry_at) } else { None };
                Progress { position: position.saturating_sub(1), attempts: first.attempts, retry_at, accepts_others }
            }
        }
    }

    fn accepts_others(&self) -> bool {
        self.has_accepted.unwrap_or(self.start.accepts_others) && !self.is_failing() && self.has_places()
    }

    /// Returns the position up to which nothing more can be sent: that of the last event that was read, or any if there is no
    /// room for more.
    pub(crate) fn seen(&self) -> i64 {
        if self.has_places() { self.through } else { i64::MAX }
    }

    /// Returns what the next turn should know about events behind the position.
    pub(crate) fn into_attempted(self) -> Attempted {
        let seen = self.events.into_iter().filter_map(|(position, entry)| match entry.state {
            State::Delivered => Some((position, AttemptedEvent::Delivered)),
            State::Failed { retry_at } => {
                Some((position, AttemptedEvent::Failed { attempts: entry.attempts, retry_at: Some(retry_at) }))
            }
            _ if entry.attempts > 0 => {
                Some((position, AttemptedEvent::Failed { attempts: entry.attempts, retry_at: None }))
            }
            _ => None,
        });
        self.attempted.into_iter().chain(seen).collect()
    }
}

#[cfg(test)]
mod tests;
