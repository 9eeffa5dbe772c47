//! API keys of a project.

use chrono::{DateTime, Utc};
use reqwest::Method;
use serde::{Deserialize, Serialize};

use crate::{Client, Error, List, Request, Versioned};

/// Operations of the API keys of a project.
#[derive(Debug, Clone)]
pub struct Keys {
    client: Client,
    project_id: String,
    if_match: Option<String>,
}

impl Keys {
    pub(crate) fn new(client: Client, project_id: &str) -> Self {
        Self { client, project_id: project_id.to_owned(), if_match: None }
    }

    /// Updates or deletes a key only if it still has this `ETag`.
    #[must_use]
    pub fn if_match(self, etag: impl Into<String>) -> Self {
        Self { if_match: Some(etag.into()), ..self }
    }

    /// Lists the keys without their values, newest first.
    pub fn list(&self) -> List<Key> {
        List::new(self.client.clone(), &["project", self.project_id.as_str(), "key"])
    }

    /// Returns a key without its value.
    ///
    /// # Errors
    ///
    /// See [`Error`].
    pub async fn get(&self, key_id: &str) -> Result<Versioned<Key>, Error> {
        let response = self.at(Method::GET, &[key_id]).send().await?;
        let etag = response.etag().map(str::to_owned);
        Ok(Versioned { value: response.json::<Wrapped<Key>>()?.key, etag })
    }

    /// Creates a key. Its value is never returned again.
    ///
    /// # Errors
    ///
    /// See [`Error`].
    pub async fn create(&self, key: &NewKey) -> Result<KeyWithValue, Error> {
        let request = self.at(Method::POST, &[]).json(key).idempotent();
        Ok(request.send().await?.json::<Wrapped<KeyWithValue>>()?.key)
    }

    /// Updates a key. Its value stays the same.
    ///
    /// # Errors
    ///
    /// See [`Error`].
    pub async fn update(&self, key_id: &str, changes: &KeyChanges) -> Result<UpdatedKey, Error> {
        let request = self.change(Method::PATCH, key_id).json(changes);
        Ok(request.send().await?.json::<Wrapped<UpdatedKey>>()?.key)
    }

    /// Deletes a key. Its value stops working immediately.
    ///
    /// # Errors
    ///
    /// See [`Error`].
    pub async fn delete(&self, key_id: &str) -> Result<(), Error> {
        self.change(Method::DELETE, key_id).send().await?;
        Ok(())
    }

    /// Replaces the value of a key. The old value continues to work for `grace_seconds`: 0 to 86,400.
    ///
    /// # Errors
    ///
    /// See [`Error`].
    pub async fn rotate(&self, key_id: &str, grace_seconds: u32) -> Result<KeyWithValue, Error> {
        let request = self.at(Method::POST, &[key_id, "regenerate"]).json(&Rotation { grace_seconds }).idempotent();
        Ok(request.send().await?.json::<Wrapped<KeyWithValue>>()?.key)
    }

    /// Returns whether a value belongs to a key of the project, or to the key with this ID, that has not expired.
    ///
    /// # Errors
    ///
    /// See [`Error`].
    pub async fn verify(&self, value: &str, key_id: Option<&str>) -> Result<KeyVerification, Error> {
        let body = PresentedKey { key: value, key_id };
        self.at(Method::POST, &["verify"]).json(&body).send().await?.json()
    }

    fn at(&self, method: Method, path: &[&str]) -> Request {
        self.client.at(method, &[&["project", self.project_id.as_str(), "key"][..], path].concat())
    }

    fn change(&self, method: Method, key_id: &str) -> Request {
        let request = self.at(method, &[key_id]).idempotent();
        match &self.if_match {
            Some(etag) => request.if_match(etag),
            None => request,
        }
    }
}

#[derive(Deserialize)]
struct Wrapped<T> {
    key: T,
}

#[derive(Serialize)]
struct Rotation {
    grace_seconds: u32,
}

#[derive(Serialize)]
struct PresentedKey<'a> {
    key: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    key_id: Option<&'a str>,
}

/// Values of a new key.
#[derive(Debug, Clone, Default, Serialize)]
pub struct NewKey {
    /// Display name: 1 to 100 characters.
    pub label: String,
    /// Comma-separated roles: `admin`, `write`, `read`, or permissions such as `db:read`.
    pub roles: String,
    /// Whether the key is private: `true` by default. A public key may appear in browsers, and may have the permissions
    /// `project:read` and `schema:read` only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub is_private: Option<bool>,
    /// When the key expires; `None` if it never expires.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<DateTime<Utc>>,
}

/// Changes to a key. `None` leaves a value unchanged.
#[derive(Debug, Clone, Default, Serialize)]
pub struct KeyChanges {
    /// New display name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// New comma-separated roles.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub roles: Option<String>,
}

/// An API key without its value.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Key {
    /// Unique ID. It does not change when the value is rotated.
    pub id: String,
    /// Display name.
    pub label: String,
    /// Comma-separated roles.
    pub roles: String,
    /// Whether the key is private. A public key may appear in browsers, and reads only the project and its schema.
    pub is_private: bool,
    /// When the key was created.
    pub created_at: DateTime<Utc>,
    /// When the current value was last used, with a precision of one minute; `None` if it was never used.
    pub last_used: Option<DateTime<Utc>>,
    /// When the key expires; `None` if it never expires.
    pub expires_at: Option<DateTime<Utc>>,
    /// Prefix and last 4 characters of the current value.
    pub hint: String,
    /// The previous value, during its grace period after a rotation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub previous: Option<PreviousKeyValue>,
}

/// The previous value of a rotated key.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[non_exhaustive]
pub struct PreviousKeyValue {
    /// When the previous value stops working.
    pub expires_at: DateTime<Utc>,
    /// When the previous value was last used, with a precision of one minute; `None` if it was never used.
    pub last_used: Option<DateTime<Utc>>,
}

/// An API key and its value, which is a secret.
#[derive(Clone, Serialize, Deserialize)]
#[non_exhaustive]
pub struct KeyWithValue {
    /// Unique ID.
    pub id: String,
    /// Display name.
    pub label: String,
    /// Comma-separated roles.
    pub roles: String,
    /// The secret value. It is never returned again.
    pub value: String,
    /// Whether the key is private.
    pub is_private: bool,
    /// When the key was created.
    pub created_at: DateTime<Utc>,
}

impl std::fmt::Debug for KeyWithValue {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("KeyWithValue").field("id", &self.id).field("label", &self.label).finish_non_exhaustive()
    }
}

/// An API key after an update.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[non_exhaustive]
pub struct UpdatedKey {
    /// Unique ID.
    pub id: String,
    /// Display name.
    pub label: String,
    /// Comma-separated roles.
    pub roles: String,
    /// When the key was updated.
    pub updated_at: DateTime<Utc>,
}

/// Whether a value is valid.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[non_exhaustive]
pub struct KeyVerification {
    /// Whether the value belongs to a key that has not expired.
    pub is_valid: bool,
    /// The key with this value, if it is valid.
    pub key: Option<VerifiedKey>,
}

/// The key that a value belongs to.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[non_exhaustive]
pub struct VerifiedKey {
    /// Unique ID.
    pub id: String,
    /// Display name.
    pub label: String,
    /// Comma-separated roles.
    pub roles: String,
    /// When the key was created.
    pub created_at: DateTime<Utc>,
}
