//! Items: the data of a project's users, in the tables of its schema.

use chrono::{DateTime, Utc};
use reqwest::Method;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::{Client, Error, List, Request, Versioned, retry};

/// Maximum number of operations in one batch.
pub const MAX_BATCH_OPERATIONS: usize = 100;

/// An item: `id`, `created_at`, `updated_at`, and its fields.
pub type Item = Map<String, Value>;

/// Operations of the items of a user in one table.
#[derive(Debug, Clone)]
pub struct Items {
    client: Client,
    table: Vec<String>,
    precondition: Option<Precondition>,
    created_before: Option<DateTime<Utc>>,
}

#[derive(Debug, Clone)]
enum Precondition {
    Matches(String),
    Absent,
}

impl Items {
    /// Items of any user of a project.
    pub(crate) fn of_user(client: Client, project_id: &str, user_id: &str, table: &str) -> Self {
        Self::at(client, &["project", project_id, "user", user_id, "db", table])
    }

    /// Items of the signed-in user.
    pub(crate) fn own(client: Client, project_id: &str, table: &str) -> Self {
        Self::at(client, &["account", project_id, "db", table])
    }

    fn at(client: Client, table: &[&str]) -> Self {
        let table = table.iter().map(|segment| (*segment).to_owned()).collect();
        Self { client, table, precondition: None, created_before: None }
    }

    /// Changes an item only if it still has this `ETag`. Batches have no preconditions.
    #[must_use]
    pub fn if_match(self, etag: impl Into<String>) -> Self {
        Self { precondition: Some(Precondition::Matches(etag.into())), ..self }
    }

    /// Stores an item only if there is none with its ID.
    #[must_use]
    pub fn if_absent(self) -> Self {
        Self { precondition: Some(Precondition::Absent), ..self }
    }

    /// New items of batches count as created before this time, at most seven days ago, so that a list of the newest items
    /// has the order of the operations. A time in the future counts as now.
    #[must_use]
    pub fn created_before(self, time: DateTime<Utc>) -> Self {
        Self { created_before: Some(time), ..self }
    }

    /// Lists the items, newest first. Filters are [`query`](List::query) parameters such as `rank` and `gte.3`; others
    /// are `order` and `select`.
    pub fn list(&self) -> List<Item> {
        let segments: Vec<&str> = self.table.iter().map(String::as_str).collect();
        List::new(self.client.clone(), &segments)
    }

    /// Returns an item.
    ///
    /// # Errors
    ///
    /// See [`Error`].
    pub async fn get(&self, item_id: &str) -> Result<Versioned<Item>, Error> {
        self.request(Method::GET, Some(item_id)).send().await?.versioned()
    }

    /// Creates an item. The service generates its ID.
    ///
    /// # Errors
    ///
    /// See [`Error`].
    pub async fn create(&self, value: &Item) -> Result<Versioned<Item>, Error> {
        self.request(Method::POST, None).idempotent().json(&ValueBody { value }).send().await?.versioned()
    }

    /// Creates or replaces an item.
    ///
    /// # Errors
    ///
    /// See [`Error`].
    pub async fn put(&self, item_id: &str, value: &Item) -> Result<Versioned<Item>, Error> {
        self.change(Method::PUT, item_id).json(&ValueBody { value }).send().await?.versioned()
    }

    /// Updates fields of an item. Null removes a field.
    ///
    /// # Errors
    ///
    /// See [`Error`].
    pub async fn patch(&self, item_id: &str, changes: &Item) -> Result<Versioned<Item>, Error> {
        self.change(Method::PATCH, item_id).json(&ValueBody { value: changes }).send().await?.versioned()
    }

    /// Deletes an item. Returns it as it was before.
    ///
    /// # Errors
    ///
    /// See [`Error`].
    pub async fn delete(&self, item_id: &str) -> Result<Item, Error> {
        self.change(Method::DELETE, item_id).send().await?.data()
    }

    /// Performs 1 to [`MAX_BATCH_OPERATIONS`] operations, each on a different item: all of them, or none. Returns the
    /// items in the order of the operations. An error that one operation causes has the detail `index`.
    ///
    /// # Errors
    ///
    /// See [`Error`].
    pub async fn batch(&self, operations: &[ItemOperation]) -> Result<Vec<Item>, Error> {
        self.batch_with_key(operations, &retry::random_id().to_string()).await
    }

    /// Performs a [`batch`](Self::batch) with a given `Idempotency-Key`: 1 to 255 printable ASCII characters. If a call
    /// fails and it is unknown whether the operations took effect, a second call with the same key and operations does
    /// not perform them twice.
    ///
    /// # Errors
    ///
    /// See [`Error`]. [`Error::Conflict`] with the code `idempotency_in_progress` if an earlier call has not finished
    /// yet, and `idempotency_answer_lost` if its operations took effect but its response was lost.
    pub async fn batch_with_key(&self, operations: &[ItemOperation], key: &str) -> Result<Vec<Item>, Error> {
        let request = self.request(Method::POST, Some("batch")).idempotency_key(key);
        request.json(&BatchBody { operations, created_before: self.created_before }).send().await?.data()
    }

    fn request(&self, method: Method, last: Option<&str>) -> Request {
        let segments: Vec<&str> = self.table.iter().map(String::as_str).chain(last).collect();
        self.client.at(method, &segments)
    }

    fn change(&self, method: Method, item_id: &str) -> Request {
        let request = self.request(method, Some(item_id)).idempotent();
        match &self.precondition {
            Some(Precondition::Matches(etag)) => request.if_match(etag),
            Some(Precondition::Absent) => request.header("if-none-match", "*"),
            None => request,
        }
    }
}

#[derive(Serialize)]
struct ValueBody<'a> {
    value: &'a Item,
}

#[derive(Serialize)]
struct BatchBody<'a> {
    operations: &'a [ItemOperation],
    #[serde(skip_serializing_if = "Option::is_none")]
    created_before: Option<DateTime<Utc>>,
}

/// One operation of a batch.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(tag = "op", rename_all = "lowercase", deny_unknown_fields)]
pub enum ItemOperation {
    /// Creates or replaces an item.
    Put {
        /// ID of the item: 1 to 128 characters of `[A-Za-z0-9._~-]`.
        id: String,
        /// All fields of the item.
        value: Item,
    },
    /// Updates fields of an item.
    Patch {
        /// ID of the item.
        id: String,
        /// Fields to change; null removes a field.
        value: Item,
    },
    /// Deletes an item.
    Delete {
        /// ID of the item.
        id: String,
    },
}

/// A change of a device that was not stored, or not completely.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[non_exhaustive]
pub struct SyncRejection {
    /// Unique ID of the rejection.
    pub id: String,
    /// When the change was rejected.
    pub at: DateTime<Utc>,
    /// ID of the user in the project.
    pub user_id: String,
    /// Name of the device.
    pub device: String,
    /// Table that the device named.
    pub table: String,
    /// ID of the item that the device named.
    pub key: String,
    /// Why the change was rejected, such as `invalid_item` or `unknown_table`.
    pub code: String,
    /// The reason in words.
    pub message: String,
}
