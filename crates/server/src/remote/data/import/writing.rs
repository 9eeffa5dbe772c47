//! Writes one chunk.

use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use clap::ValueEnum;
use serde_json::Value;
use steward_client::{Error, ItemOperation, Items, MAX_BATCH_OPERATIONS};
use steward_crypto::{SystemClock, UuidV7Ids};
use steward_domain::kernel::{Clock as _, IdGenerator as _};
use tokio::sync::oneshot;
use tokio::time::sleep;

use super::chunk::{Chunk, Failure, NumberedItem};

/// Maximum total length of the IDs in one query. Proxies limit the length of a URL.
const MAX_QUERY_LENGTH: usize = 4_000;
/// Number of attempts to get a request accepted. In each of them, the client already sends the request up to 5 times
/// within some seconds.
const MAX_ATTEMPTS: usize = 10;
/// Minimum time between two attempts. All of them together last longer than a restart of the service, and than an
/// idempotency key of a lost request stays in progress.
pub const MIN_DELAY: Duration = Duration::from_secs(5);
const MAX_DELAY: Duration = Duration::from_secs(60);
/// Error code if an earlier request with the same idempotency key has not finished yet.
const IN_PROGRESS: &str = "idempotency_in_progress";
/// Error code if an earlier request with the same idempotency key had its effect, but its response is lost.
const WRITTEN: &str = "idempotency_answer_lost";

#[derive(Clone)]
pub struct Writer {
    pub items: Items,
    pub on_conflict: OnConflict,
    pub is_dry_run: bool,
    /// [`MIN_DELAY`], except in tests.
    pub min_delay: Duration,
    /// Where and when the import wrote its first items. Items of later lines count as created before them.
    pub start: Arc<OnceLock<Start>>,
    /// Whether no item of the last chunk existed: then it is likely that none of the next one does, and the write finds out.
    pub had_no_conflicts: Arc<AtomicBool>,
}

/// A line whose item counts as created just before this time.
#[derive(Debug, Clone, Copy)]
pub struct Start {
    line: u64,
    at: DateTime<Utc>,
}

/// The turn of a chunk: it writes after the one before it, until it is known when the first items were written.
#[derive(Debug)]
pub struct Turn {
    /// The end of the chunk before it.
    pub previous: Option<oneshot::Receiver<()>>,
    /// Dropped at the end of this chunk.
    pub end: oneshot::Sender<()>,
}

/// The time before which the first items count as created: one in the future counts as now, by the clock of the service.
const NOW: DateTime<Utc> = DateTime::from_timestamp_nanos(i64::MAX);

impl Start {
    /// Returns the time before which the item of a line counts as created.
    fn created_before(self, line: u64) -> DateTime<Utc> {
        let lines = i64::try_from(line.saturating_sub(self.line)).unwrap_or(i64::MAX / 2);
        self.at - TimeDelta::microseconds(lines)
    }
}

/// What became of a chunk.
#[derive(Debug, Default)]
pub struct Outcome {
    pub imported: usize,
    pub skipped: usize,
    pub failed: usize,
    pub failures: Vec<Failure>,
    pub empty_rows: u64,
    pub last_line: u64,
    /// Why no further lines can be imported.
    pub error: Option<Error>,
}

impl Writer {
    /// Writes a chunk. Its items are either written, skipped or reported as failed.
    pub async fn write(self, chunk: Chunk, turn: Turn) -> Outcome {
        let Chunk { items, failures, failed, empty_rows, last_line, .. } = chunk;
        let mut outcome = Outcome { failed, failures, empty_rows, last_line, ..Outcome::default() };
        let items = self.without_conflicts(items, &mut outcome).await;
        if let (None, false, Some(previous)) = (self.start.get(), self.is_dry_run, turn.previous) {
            previous.await.ok();
        }
        if let Some(items) = items {
            if self.is_dry_run {
                outcome.imported = items.len();
            } else {
                self.put(items, &mut outcome).await;
            }
        }
        drop(turn.end);
        outcome.failures.sort_by_key(|failure| failure.line);
        outcome
    }

    /// Returns the items to write, or nothing after an error. The write fails for an item that exists, but names one such item
    /// at a time.
    async fn without_conflicts(&self, items: Vec<NumberedItem>, outcome: &mut Outcome) -> Option<Vec<NumberedItem>> {
        if self.on_conflict == OnConflict::Replace || !self.is_dry_run && self.had_no_conflicts.load(Ordering::Relaxed)
        {
            return Some(items);
        }
        let existing = match self.existing(&items).await {
            Ok(existing) => existing,
            Err(error) => {
                outcome.stop(&items, error);
                return None;
            }
        };
        self.had_no_conflicts.store(existing.is_empty(), Ordering::Relaxed);
        let (conflicts, items): (Vec<_>, Vec<_>) = items.into_iter().partition(|item| existing.contains(&item.id));
        conflicts.iter().for_each(|item| self.leave_existing(item, outcome));
        Some(items)
    }

    /// Skips or reports an item whose ID exists.
    fn leave_existing(&self, item: &NumberedItem, outcome: &mut Outcome) {
        if self.on_conflict == OnConflict::Skip {
            outcome.skipped = outcome.skipped.saturating_add(1);
        } else {
            outcome.fail(item.line, Some("id".to_owned()), format!("An item with the ID {} exists.", item.id));
        }
    }

    /// Returns which of the IDs exist.
    async fn existing(&self, items: &[NumberedItem]) -> Result<HashSet<String>, Error> {
        let ids = items.iter().filter(|item| item.is_id_given).map(|item| item.id.as_str());
        let mut existing = HashSet::new();
        for condition in conditions(ids) {
            let list = self.items.list().query("id", condition).query("select", "created_at");
            let list = list.page_size(u16::try_from(MAX_BATCH_OPERATIONS).unwrap_or(u16::MAX));
            let found = self.until_accepted(|| list.clone().all()).await?;
            existing.extend(found.iter().filter_map(|item| item.get("id")?.as_str()).map(str::to_owned));
        }
        Ok(existing)
    }

    /// Writes the items, without those that the service refuses.
    async fn put(&self, items: Vec<NumberedItem>, outcome: &mut Outcome) {
        let mut parts = vec![items];
        while let Some(mut part) = parts.pop() {
            if part.is_empty() {
                continue;
            }
            let Err(error) = self.put_part(&part).await else {
                outcome.imported = outcome.imported.saturating_add(part.len());
                continue;
            };
            match failed_operation(&error).filter(|index| *index < part.len()) {
                Some(index) => {
                    let item = part.remove(index);
                    if let Error::PreconditionFailed(_) = error {
                        self.leave_existing(&item, outcome);
                        // Others of them may exist, too.
                        self.had_no_conflicts.store(false, Ordering::Relaxed);
                        match self.without_conflicts(part, outcome).await {
                            Some(part) => parts.push(part),
                            // The others were reported.
                            None => return outcome.leave_out(parts.iter().flatten(), "Not imported."),
                        }
                    } else {
                        outcome.refuse(&item, &error);
                        parts.push(part);
                    }
                }
                None if is_about_items(&error) && part.len() > 1 => {
                    let rest = part.split_off(part.len() / 2);
                    parts.extend([rest, part]);
                }
                None if is_about_items(&error) => part.iter().for_each(|item| outcome.refuse(item, &error)),
                None => {
                    parts.push(part);
                    return outcome.stop(parts.iter().flatten(), error);
                }
            }
        }
    }

    /// Writes all of the items, or none. All attempts have the same idempotency key: an attempt whose response is lost
    /// may have written the items, and a second write would undo a change that was made to them in the meantime.
    async fn put_part(&self, part: &[NumberedItem]) -> Result<(), Error> {
        let may_replace = self.on_conflict == OnConflict::Replace;
        let operations: Vec<ItemOperation> = part.iter().map(|item| item.put(may_replace)).collect();
        let key = UuidV7Ids.next().to_string();
        let line = part.first().map_or(0, |item| item.line);
        let created_before = self.start.get().map_or(NOW, |start| start.created_before(line));
        let batch = || self.items.batch(&operations, Some(created_before)).idempotency_key(&key).data();
        let at = match self.until_accepted(batch).await {
            Ok(written) => written.first().and_then(|item| item.get("updated_at")?.as_str()?.parse().ok()),
            // An earlier attempt has written them, but its response was lost.
            Err(Error::Conflict(error)) if error.code == WRITTEN => None,
            Err(error) => return Err(error),
        };
        self.start.get_or_init(|| Start { line, at: at.unwrap_or_else(|| SystemClock.now()) });
        Ok(())
    }

    /// Sends a request again if it exceeds the rate limit, the service is unavailable or cannot be reached, or an earlier
    /// attempt has not finished: an import sends more requests than a person, and a short outage must not end it.
    async fn until_accepted<T, F>(&self, request: impl Fn() -> F) -> Result<T, Error>
    where
        F: Future<Output = Result<T, Error>>,
    {
        for _ in 1..MAX_ATTEMPTS {
            let error = match request().await {
                Err(error) => error,
                accepted => return accepted,
            };
            let delay = match &error {
                Error::RateLimited(error) | Error::Unavailable(error) => error.retry_after.unwrap_or_default(),
                Error::Conflict(error) if error.code == IN_PROGRESS => self.min_delay,
                Error::Transport { .. } => self.min_delay,
                _ => return Err(error),
            };
            sleep(delay.clamp(self.min_delay, MAX_DELAY)).await;
        }
        request().await
    }
}

impl Outcome {
    fn fail(&mut self, line: u64, field: Option<String>, message: String) {
        self.failed = self.failed.saturating_add(1);
        self.failures.push(Failure { line, field, message });
    }

    /// Reports an item that the service refused, with all violations.
    fn refuse(&mut self, item: &NumberedItem, error: &Error) {
        self.failed = self.failed.saturating_add(1);
        let violations = error.api().map(|error| error.errors.as_slice()).unwrap_or_default();
        let failure = |field, message| Failure { line: item.line, field, message };
        if violations.is_empty() {
            self.failures.push(failure(None, error.to_string()));
        }
        for violation in violations {
            let field = violation.field.as_deref().map(|field| field.trim_start_matches('/').to_owned());
            self.failures.push(failure(field, violation.message.clone()));
        }
    }

    /// Reports items as not imported, because of an error of others.
    fn leave_out<'a>(&mut self, items: impl IntoIterator<Item = &'a NumberedItem>, message: &str) {
        items.into_iter().for_each(|item| self.fail(item.line, None, message.to_owned()));
    }

    /// Reports items as not imported, because of an error that is not about them.
    fn stop<'a>(&mut self, items: impl IntoIterator<Item = &'a NumberedItem>, error: Error) {
        self.leave_out(items, &format!("Not imported: {error}"));
        self.error = Some(error);
    }
}

/// Returns the conditions with which items with these IDs are found.
fn conditions<'a>(ids: impl Iterator<Item = &'a str>) -> Vec<String> {
    let mut groups: Vec<String> = Vec::new();
    for id in ids {
        match groups.last_mut() {
            Some(group) if group.len().saturating_add(id.len()) < MAX_QUERY_LENGTH => {
                group.push(',');
                group.push_str(id);
            }
            _ => groups.push(id.to_owned()),
        }
    }
    groups.into_iter().map(|group| format!("in.({group})")).collect()
}

/// Returns the index of the operation that an error is about.
fn failed_operation(error: &Error) -> Option<usize> {
    let index = error.api()?.details.get("index").and_then(Value::as_u64)?;
    usize::try_from(index).ok()
}

/// Returns whether one of the items can be the cause of an error.
fn is_about_items(error: &Error) -> bool {
    matches!(error, Error::Invalid(error) if matches!(error.status, 400 | 413))
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum OnConflict {
    /// Do not import the line, and report it
    Fail,
    /// Replace the item
    Replace,
    /// Keep the item
    Skip,
}

#[cfg(test)]
mod tests {
    use serde_json::Map;
    use serde_json::json;
    use steward_client::Client;
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
    use tokio::net::TcpListener;

    use super::*;

    /// The service closes the connection without a response.
    const LOST: u16 = 0;

    /// Responds to one request after another, each on its own connection. Returns the idempotency keys.
    async fn serve(listener: TcpListener, responses: &[(u16, Value)]) -> Vec<String> {
        let mut keys = Vec::new();
        for (status, body) in responses {
            let (mut stream, _) = listener.accept().await.unwrap();
            let mut request = vec![0; 16 * 1024];
            let count = stream.read(&mut request).await.unwrap();
            let request = String::from_utf8_lossy(&request[..count]).to_ascii_lowercase();
            let key = request.lines().find_map(|line| line.strip_prefix("idempotency-key: "));
            keys.extend(key.map(str::to_owned));
            if *status == LOST {
                continue;
            }
            let body = body.to_string();
            let length = body.len();
            let head = format!("HTTP/1.1 {status} x\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n");
            stream.write_all(format!("{head}{body}").as_bytes()).await.unwrap();
            stream.shutdown().await.unwrap();
        }
        keys
    }

    /// Writes two items to a service that responds like this. Returns what became of them, and the idempotency keys.
    async fn put(responses: &[(u16, Value)]) -> (Outcome, Vec<String>) {
        put_unless(OnConflict::Replace, responses).await
    }

    async fn put_unless(on_conflict: OnConflict, responses: &[(u16, Value)]) -> (Outcome, Vec<String>) {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let client = Client::builder(address).max_retries(0).build().unwrap();
        let items = client.items("p", "u", "notes");
        let writer = Writer {
            items,
            on_conflict,
            is_dry_run: false,
            min_delay: Duration::ZERO,
            start: Arc::default(),
            had_no_conflicts: Arc::default(),
        };
        let item =
            |line: u64| NumberedItem { line, id: line.to_string(), is_id_given: true, value: Map::new(), size: 2 };
        let mut outcome = Outcome::default();
        let ((), keys) = tokio::join!(writer.put(vec![item(1), item(2)], &mut outcome), serve(listener, responses));
        (outcome, keys)
    }

    #[tokio::test]
    async fn all_attempts_to_write_items_have_the_same_key() {
        let in_progress = json!({"error": "idempotency_in_progress", "message": "x"});
        let written = json!({"error": "idempotency_answer_lost", "message": "x"});
        for last in [(200, json!({"data": []})), (409, written)] {
            let failures = [(LOST, Value::Null), (504, Value::Null), (409, in_progress.clone())];
            let (outcome, keys) = put(&[&failures[..], &[last]].concat()).await;
            assert_eq!((outcome.imported, outcome.failed), (2, 0), "{outcome:?}");
            assert!(keys.len() == 4 && keys.iter().all(|key| *key == keys[0]), "{keys:?}");
        }
    }

    #[tokio::test]
    async fn the_items_beside_a_refused_one_are_written_with_a_new_key() {
        let refused = json!({"error": "invalid_item", "message": "x", "index": 0});
        let (outcome, keys) = put(&[(400, refused), (200, json!({"data": []}))]).await;
        assert_eq!((outcome.imported, outcome.failed, outcome.failures[0].line), (1, 1, 1), "{outcome:?}");
        assert_ne!(keys[0], keys[1]);
    }

    #[tokio::test]
    async fn an_item_that_is_created_after_the_check_is_skipped_or_reported() {
        let exists = json!({"error": "precondition_failed", "message": "x", "index": 1});
        let others = (200, json!({"data": [], "next_cursor": null}));
        let responses = [(412, exists), others, (200, json!({"data": []}))];
        let (outcome, _) = put_unless(OnConflict::Skip, &responses).await;
        assert_eq!((outcome.imported, outcome.skipped, outcome.failed), (1, 1, 0), "{outcome:?}");
        let (outcome, _) = put_unless(OnConflict::Fail, &responses).await;
        assert_eq!((outcome.imported, outcome.skipped, outcome.failed), (1, 0, 1), "{outcome:?}");
        assert_eq!(outcome.failures[0].message, "An item with the ID 2 exists.");
    }

    #[test]
    fn the_ids_of_a_query_are_limited_in_length() {
        let ids: Vec<String> = (0..100).map(|n| format!("{n:0>128}")).collect();
        let conditions = conditions(ids.iter().map(String::as_str));
        assert!(conditions.iter().all(|condition| condition.len() < MAX_QUERY_LENGTH + 10), "{conditions:?}");
        let text = conditions.join(",");
        assert!(ids.iter().all(|id| text.contains(id.as_str())) && conditions.len() == 4, "{}", conditions.len());
        assert_eq!(super::conditions(["a", "b"].into_iter()), ["in.(a,b)"]);
    }
}
