//! The items of one table.

use std::collections::BTreeMap;
use std::marker::PhantomData;
use std::sync::Arc;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::change::{Action, Change, Fields};
use super::error::LiveError;
use super::reader::{LiveChanges, decode};
use super::shared::Handle;
use crate::debug::opaque;
use crate::retry;

/// The live items of a table, with their type. Changes apply at once, and are sent when this device is connected.
///
/// They fail with [`LiveError::Refused`], in the words of the service, if it would not store them: a value that does
/// not match the schema, an item that is too large, or an ID that is not valid; and with [`LiveError::TooManyPending`]
/// if 50,000 changes wait for the service.
pub struct LiveTable<T = Fields> {
    handle: Arc<Handle>,
    name: String,
    types: PhantomData<fn(T) -> T>,
}

impl<T> LiveTable<T> {
    pub(super) fn new(handle: Arc<Handle>, name: String) -> Self {
        Self { handle, name, types: PhantomData }
    }

    /// Returns the name of the table.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Sets fields of an item, which is created if it does not exist. `changes` is an object: null removes a field, and a
    /// dotted path such as `meta.color` sets a value within a field. Other fields keep what other devices store at the same
    /// time.
    ///
    /// # Errors
    ///
    /// [`LiveError::InvalidItem`] if `changes` is not an object, [`LiveError::Refused`], and
    /// [`LiveError::TooManyPending`].
    pub fn patch(&self, id: impl Into<String>, changes: &(impl Serialize + ?Sized)) -> Result<(), LiveError> {
        self.write(id.into(), Action::Patch(fields(changes)?))
    }

    /// Deletes an item.
    ///
    /// # Errors
    ///
    /// [`LiveError::Refused`], and [`LiveError::TooManyPending`].
    pub fn delete(&self, id: impl Into<String>) -> Result<(), LiveError> {
        self.write(id.into(), Action::Delete)
    }

    /// Gives up the changes of an item that are over quota. The item is then that of the service.
    pub fn discard_held(&self, id: &str) {
        let key = (self.name.clone(), id.to_owned());
        self.handle.shared.update(|replica| replica.discard(&key));
    }

    /// Waits until the service has the changes of an item that were made here. While it cannot be reached, that takes
    /// forever: see [`tokio::time::timeout`].
    ///
    /// # Errors
    ///
    /// [`LiveError::Refused`] if it did not store one of them, [`LiveError::OverQuota`] if they wait for room, and
    /// [`LiveError::Ended`].
    pub async fn stored(&self, id: &str) -> Result<(), LiveError> {
        self.handle.shared.stored(&(self.name.clone(), id.to_owned())).await
    }

    fn write(&self, id: String, action: Action) -> Result<(), LiveError> {
        self.handle.shared.write(vec![self.change(&id, action)])
    }

    pub(super) fn change(&self, id: &str, action: Action) -> Change {
        Change { key: (self.name.clone(), id.to_owned()), action, group: None, reason: None }
    }
}

impl<T: Serialize> LiveTable<T> {
    /// Creates an item. Returns its ID.
    ///
    /// # Errors
    ///
    /// [`LiveError::InvalidItem`] if the value is not an object, [`LiveError::Refused`], and
    /// [`LiveError::TooManyPending`].
    pub fn create(&self, value: &T) -> Result<String, LiveError> {
        let id = retry::random_id().to_string();
        self.put(id.clone(), value)?;
        Ok(id)
    }

    /// Creates or replaces an item.
    ///
    /// # Errors
    ///
    /// [`LiveError::InvalidItem`] if the value is not an object, [`LiveError::Refused`], and
    /// [`LiveError::TooManyPending`].
    pub fn put(&self, id: impl Into<String>, value: &T) -> Result<(), LiveError> {
        self.write(id.into(), Action::Put(fields(value)?))
    }
}

impl<T: DeserializeOwned> LiveTable<T> {
    /// Returns the items by ID.
    ///
    /// # Errors
    ///
    /// [`LiveError::Decode`] if an item does not have the type of the table.
    pub fn items(&self) -> Result<BTreeMap<String, T>, LiveError> {
        let items = self.handle.shared.items().replica.items(&self.name);
        items.into_iter().map(|(id, item)| decode(&self.name, &id, &item).map(|item| (id, item))).collect()
    }

    /// Returns an item, or `None` if it does not exist.
    ///
    /// # Errors
    ///
    /// [`LiveError::Decode`] if the item does not have the type of the table.
    pub fn get(&self, id: &str) -> Result<Option<T>, LiveError> {
        let key = (self.name.clone(), id.to_owned());
        let item = self.handle.shared.items().replica.item(&key);
        item.map(|item| decode(&self.name, id, &item)).transpose()
    }

    /// Returns the changes of the table from now on, by this device and others.
    pub fn changes(&self) -> LiveChanges<T> {
        self.handle.shared.changes(Some(&self.name))
    }
}

impl<T> Clone for LiveTable<T> {
    fn clone(&self) -> Self {
        Self::new(self.handle.clone(), self.name.clone())
    }
}

// Items are personal data.
opaque!(LiveTable<T>, |table| name = table.name);

pub(super) fn fields(value: &(impl Serialize + ?Sized)) -> Result<Arc<Fields>, LiveError> {
    match serde_json::to_value(value) {
        Ok(Value::Object(fields)) => Ok(Arc::new(fields)),
        Ok(_) => Err(LiveError::InvalidItem("it is not an object.".to_owned())),
        Err(error) => Err(LiveError::InvalidItem(error.to_string())),
    }
}
