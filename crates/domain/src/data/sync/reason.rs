//! Why changes of a device are not stored as the device made them, and the items that the device gets because of that.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::collections::btree_map::{Entry, IntoIter};
use std::iter::repeat_n;
use std::sync::Arc;

use serde_json::json;

use crate::data::{SyncChange, SyncKey};
use crate::kernel::error::{Error, ErrorCode};
use crate::kernel::violations::quoted;

/// Code of a change that is stored without the fields that its table does not have.
const UNKNOWN_FIELD: &str = "unknown_field";

/// Why a change of a device is not stored, or not completely.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct SyncReason {
    /// Machine-readable reason.
    pub code: Cow<'static, str>,
    /// The reason, for developers. Shared, because many changes may have the same one.
    pub message: Arc<str>,
}

impl SyncReason {
    pub(super) fn new(code: impl Into<Cow<'static, str>>, message: String) -> Self {
        Self { code: code.into(), message: message.into() }
    }

    /// Returns the reason for a change that is not taken because its message, or the change itself, is too long.
    pub(super) fn message_too_long() -> Self {
        let limit = "A message of a device can have 50,000 changes and 16 MiB, an atomic one 1,000 changes and 1 MiB";
        Self::new("message_too_long", format!("{limit}, and a change 2 MiB. The device must make this change again."))
    }

    /// Returns the reason for a change that is stored without a field.
    pub(super) fn unknown_field(name: &str) -> Self {
        Self::new(UNKNOWN_FIELD, format!("Field {} not found in schema", quoted(name)))
    }

    /// Returns the reason for the error that the same change would cause in a request.
    pub(super) fn of(error: &Error) -> Self {
        let message = match error {
            Error::InvalidItem(violations) => violations.as_slice().first().map(|first| first.message.clone()),
            _ => None,
        };
        Self::new(error.code().as_str(), message.unwrap_or_else(|| error.to_string()))
    }

    /// Returns the reason for all changes of an atomic message, because of that to an item.
    pub(super) fn of_all(&self, SyncKey { table, id }: &SyncKey) -> Self {
        let change = format!("{}/{}", quoted(table), quoted(id));
        Self::new(self.code.clone(), format!("Nothing is stored, because of {change}: {}", self.message))
    }

    /// Whether a quota left no room for the change.
    pub(super) fn is_of_quota(&self) -> bool {
        self.code == ErrorCode::QuotaExceeded.as_str()
    }

    fn is_partial(&self) -> bool {
        self.code == UNKNOWN_FIELD
    }
}

/// Items whose stored state may differ from that of a device. Each has the reason if a change of the device was not
/// stored, or not completely.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SyncCorrections(BTreeMap<SyncKey, Option<SyncReason>>);

impl SyncCorrections {
    /// Adds an item, and returns whether it is new. Of several reasons it keeps the first one for which a change was not
    /// stored at all, or else the first one.
    pub fn add(&mut self, key: SyncKey, reason: Option<SyncReason>) -> bool {
        let weight = |reason: &Option<SyncReason>| match reason {
            None => 0,
            Some(reason) if reason.is_partial() => 1,
            Some(_) => 2,
        };
        match self.0.entry(key) {
            Entry::Vacant(place) => {
                place.insert(reason);
                true
            }
            Entry::Occupied(mut known) => {
                if weight(&reason) > weight(known.get()) {
                    known.insert(reason);
                }
                false
            }
        }
    }

    /// Returns the reasons of these changes as a text without spaces that starts with a bracket, for [`Self::read`]: the
    /// reasons, and how many changes in a row have which one. Empty if none has one.
    pub(super) fn text(&self, changes: &[SyncChange]) -> String {
        let mut reasons: Vec<&SyncReason> = self.0.values().flatten().collect();
        reasons.sort_unstable();
        reasons.dedup();
        if reasons.is_empty() {
            return String::new();
        }
        let number = |change: &SyncChange| reasons.binary_search(&self.reason(&change.key)?).ok();
        let numbers: Vec<Option<usize>> = changes.iter().map(number).collect();
        let runs = numbers.chunk_by(PartialEq::eq).map(|run| (run.len(), run.first()));
        let texts: Vec<_> = reasons.iter().map(|reason| (&reason.code, &*reason.message)).collect();
        json!([texts, runs.collect::<Vec<_>>()]).to_string().replace(' ', "\t")
    }

    /// Returns the items of changes, with the reasons that [`Self::text`] returned for them.
    pub(super) fn read(changes: &[SyncChange], text: &str) -> Self {
        /// The codes and messages of reasons, and how many changes in a row have the reason with which number.
        type Reasons = (Vec<(String, String)>, Vec<(usize, Option<usize>)>);
        let (reasons, runs): Reasons = serde_json::from_str(&text.replace('\t', " ")).unwrap_or_default();
        let reasons: Vec<_> = reasons.into_iter().map(|(code, message)| SyncReason::new(code, message)).collect();
        let mut numbers = runs.into_iter().flat_map(|(count, number)| repeat_n(number, count));
        let mut reason = || reasons.get(numbers.next()??).cloned();
        changes.iter().map(|change| (change.key.clone(), reason())).collect()
    }

    /// Returns the number of items.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns whether there are no items.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the items in the order of their keys.
    pub fn keys(&self) -> impl Iterator<Item = &SyncKey> {
        self.0.keys()
    }

    /// Returns why a change of an item was not stored, or not completely.
    pub fn reason(&self, key: &SyncKey) -> Option<&SyncReason> {
        self.0.get(key)?.as_ref()
    }
}

impl FromIterator<(SyncKey, Option<SyncReason>)> for SyncCorrections {
    fn from_iter<I: IntoIterator<Item = (SyncKey, Option<SyncReason>)>>(items: I) -> Self {
        let mut corrections = Self::default();
        for (key, reason) in items {
            corrections.add(key, reason);
        }
        corrections
    }
}

impl IntoIterator for SyncCorrections {
    type Item = (SyncKey, Option<SyncReason>);
    type IntoIter = IntoIter<SyncKey, Option<SyncReason>>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_item_has_the_first_reason_for_which_a_change_was_not_stored() {
        let key = || SyncKey { table: "notes".into(), id: "a".into() };
        let partial = SyncReason::unknown_field("x");
        let first = SyncReason::new("first", "1".into());
        let second = SyncReason::new("second", "2".into());
        let added = |reasons: &[Option<&SyncReason>]| {
            let items = reasons.iter().map(|reason| (key(), reason.cloned()));
            items.collect::<SyncCorrections>().reason(&key()).cloned()
        };
        assert_eq!(added(&[None]), None);
        assert_eq!(added(&[None, Some(&partial)]), Some(partial.clone()));
        assert_eq!(added(&[Some(&partial), Some(&first), Some(&second), None]), Some(first.clone()));
        assert_eq!(added(&[Some(&first), Some(&partial)]), Some(first.clone()));
    }

    #[test]
    fn reasons_are_kept_as_a_text_without_spaces_that_is_short_if_many_changes_have_the_same() {
        let key = |number: usize| SyncKey { table: "notes".into(), id: number.to_string() };
        let quota = SyncReason::new("quota_exceeded", "Tab \t, \"quotes\" and a space.".into());
        let changes = |ids: &[usize]| -> Vec<SyncChange> {
            ids.iter().map(|id| SyncChange { key: key(*id), edit: crate::data::SyncEdit::Delete }).collect()
        };
        let all = changes(&(0..1_000).collect::<Vec<_>>());
        let rejected: SyncCorrections = (20..1_000).map(|id| (key(id), Some(quota.clone()))).collect();
        let text = rejected.text(&all);
        assert!(text.starts_with('[') && text.len() < 100 && !text.contains(' '), "{text}");
        let read = SyncCorrections::read(&all, &text);
        assert!((0..1_000).all(|id| read.reason(&key(id)) == rejected.reason(&key(id))) && read.len() == 1_000);

        let some = changes(&[3, 1, 3, 2]);
        let invalid = SyncReason::new("invalid_item", "No title".into());
        let rejected: SyncCorrections = [(key(3), Some(quota)), (key(2), Some(invalid))].into_iter().collect();
        let expected: SyncCorrections = (1..4).map(|id| (key(id), rejected.reason(&key(id)).cloned())).collect();
        assert_eq!(SyncCorrections::read(&some, &rejected.text(&some)), expected);
        assert_eq!(SyncCorrections::default().text(&some), "");
        assert_eq!(SyncCorrections::read(&some, "").keys().count(), 3);
    }
}
