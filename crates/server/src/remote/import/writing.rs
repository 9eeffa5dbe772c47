//! Writes one chunk.

use std::collections::HashSet;
use std::time::Duration;

use serde_json::Value;
use steward_client::{Error, ItemOperation, Items, MAX_BATCH_OPERATIONS};
use tokio::time::sleep;

use super::OnConflict;
use super::chunk::{Chunk, Failure, NumberedItem};

/// Maximum total length of the IDs in one query. Proxies limit the length of a URL.
const MAX_QUERY_LENGTH: usize = 4_000;
/// How often a request is sent that the service refuses for a time.
const MAX_ATTEMPTS: usize = 20;
const MIN_DELAY: Duration = Duration::from_secs(1);
const MAX_DELAY: Duration = Duration::from_secs(60);

#[derive(Clone)]
pub struct Writer {
    pub items: Items,
    pub on_conflict: OnConflict,
    pub is_dry_run: bool,
}

/// What became of a chunk.
#[derive(Debug, Default)]
pub struct Outcome {
    pub lines: usize,
    pub imported: usize,
    pub skipped: usize,
    pub failed: usize,
    pub failures: Vec<Failure>,
    pub last_line: u64,
    /// Why no further lines can be imported.
    pub error: Option<Error>,
}

impl Writer {
    /// Writes a chunk. Its items are either written, skipped or reported as failed.
    pub async fn write(self, chunk: Chunk) -> Outcome {
        let Chunk { items, failures, lines, failed, last_line, .. } = chunk;
        let mut outcome = Outcome { lines, failed, failures, last_line, ..Outcome::default() };
        if let Some(items) = self.without_conflicts(items, &mut outcome).await {
            if self.is_dry_run {
                outcome.imported = items.len();
            } else {
                self.put(items, &mut outcome).await;
            }
        }
        outcome.failures.sort_by_key(|failure| failure.line);
        outcome
    }

    /// Returns the items to write, or nothing after an error.
    async fn without_conflicts(&self, items: Vec<NumberedItem>, outcome: &mut Outcome) -> Option<Vec<NumberedItem>> {
        if self.on_conflict == OnConflict::Replace {
            return Some(items);
        }
        let existing = match self.existing(&items).await {
            Ok(existing) => existing,
            Err(error) => {
                outcome.stop(&items, error);
                return None;
            }
        };
        let (conflicts, items): (Vec<_>, Vec<_>) = items.into_iter().partition(|item| existing.contains(&item.id));
        if self.on_conflict == OnConflict::Skip {
            outcome.skipped = conflicts.len();
        } else {
            let message = |item: &NumberedItem| format!("An item with the ID {} exists.", item.id);
            conflicts.iter().for_each(|item| outcome.fail(item.line, Some("id".to_owned()), message(item)));
        }
        Some(items)
    }

    /// Returns which of the IDs exist.
    async fn existing(&self, items: &[NumberedItem]) -> Result<HashSet<String>, Error> {
        let ids = items.iter().filter(|item| item.is_id_given).map(|item| item.id.as_str());
        let mut existing = HashSet::new();
        for condition in conditions(ids) {
            let list = self.items.list().query("id", condition).query("select", "created_at");
            let list = list.page_size(u16::try_from(MAX_BATCH_OPERATIONS).unwrap_or(u16::MAX));
            let found = until_accepted(|| list.clone().all()).await?;
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
            let operations: Vec<ItemOperation> = part.iter().map(NumberedItem::put).collect();
            let error = match until_accepted(|| self.items.batch(&operations)).await {
                Ok(_) => {
                    outcome.imported = outcome.imported.saturating_add(part.len());
                    continue;
                }
                Err(error) => error,
            };
            match failed_operation(&error).filter(|index| *index < part.len()) {
                Some(index) => {
                    let item = part.remove(index);
                    outcome.refuse(&item, &error);
                    parts.push(part);
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

    /// Reports items as not imported, because of an error that is not about them.
    fn stop<'a>(&mut self, items: impl IntoIterator<Item = &'a NumberedItem>, error: Error) {
        for item in items {
            self.fail(item.line, None, format!("Not imported: {error}"));
        }
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

/// Sends a request again if it exceeds the rate limit or the service is unavailable: an import sends more requests than
/// a person, and a short outage must not end it. Writing an item twice has the same result as writing it once.
async fn until_accepted<T, F>(request: impl Fn() -> F) -> Result<T, Error>
where
    F: Future<Output = Result<T, Error>>,
{
    for _ in 1..MAX_ATTEMPTS {
        match request().await {
            Err(Error::RateLimited(error) | Error::Unavailable(error)) => {
                sleep(error.retry_after.unwrap_or_default().clamp(MIN_DELAY, MAX_DELAY)).await;
            }
            result => return result,
        }
    }
    request().await
}

#[cfg(test)]
mod tests {
    use super::*;

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
