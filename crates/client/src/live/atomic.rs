//! Changes of several items that the service stores together, or not at all.

use std::mem;
use std::sync::Arc;

use serde::Serialize;

use super::change::{Action, Change, Key};
use super::error::LiveError;
use super::shared::Handle;
use super::table::{LiveTable, fields};
use crate::debug::opaque;
use crate::retry;

/// Changes of several items, of any tables, that are made together: [`LiveItems::atomic`](crate::LiveItems::atomic).
pub struct AtomicWrite {
    pub(super) handle: Arc<Handle>,
    pub(super) changes: Vec<Change>,
    /// The items of the changes that were sent.
    pub(super) sent: Vec<Key>,
}

impl AtomicWrite {
    /// Creates an item. Returns its ID.
    ///
    /// # Errors
    ///
    /// [`LiveError::InvalidItem`] if the value is not an object.
    pub fn create<T: Serialize>(&mut self, table: &LiveTable<T>, value: &T) -> Result<String, LiveError> {
        let id = retry::random_id().to_string();
        self.put(table, &id, value)?;
        Ok(id)
    }

    /// Creates or replaces an item.
    ///
    /// # Errors
    ///
    /// [`LiveError::InvalidItem`] if the value is not an object.
    pub fn put<T: Serialize>(&mut self, table: &LiveTable<T>, id: &str, value: &T) -> Result<(), LiveError> {
        self.changes.push(table.change(id, Action::Put(fields(value)?)));
        Ok(())
    }

    /// Sets fields of an item, as [`LiveTable::patch`] does.
    ///
    /// # Errors
    ///
    /// [`LiveError::InvalidItem`] if `changes` is not an object.
    pub fn patch<T>(&mut self, table: &LiveTable<T>, id: &str, changes: &impl Serialize) -> Result<(), LiveError> {
        self.changes.push(table.change(id, Action::Patch(fields(changes)?)));
        Ok(())
    }

    /// Deletes an item.
    pub fn delete<T>(&mut self, table: &LiveTable<T>, id: &str) {
        self.changes.push(table.change(id, Action::Delete));
    }

    /// Makes the changes. They apply at once, or none does.
    ///
    /// # Errors
    ///
    /// [`LiveError::Refused`] if the service would not store one of them, if there are more than 1,000 or 1 MiB, or if
    /// the service is of an earlier version (`not_supported`), and [`LiveError::TooManyPending`].
    pub fn send(&mut self) -> Result<(), LiveError> {
        let (group, mut changes) = (Arc::from(retry::random_id().to_string()), mem::take(&mut self.changes));
        changes.iter_mut().for_each(|change| change.group = Some(Arc::clone(&group)));
        self.sent = changes.iter().map(|change| change.key.clone()).collect();
        self.handle.shared.write(changes)
    }

    /// Waits until the service has the items that were sent, as [`LiveTable::stored`] does.
    ///
    /// # Errors
    ///
    /// [`LiveError::Refused`] if it stored none of the changes, and those of [`LiveTable::stored`].
    pub async fn stored(&self) -> Result<(), LiveError> {
        for key in &self.sent {
            self.handle.shared.stored(key).await?;
        }
        Ok(())
    }
}

// Items are personal data.
opaque!(AtomicWrite, |write| changes = write.changes.len());

#[cfg(test)]
mod tests;
