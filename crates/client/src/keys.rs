//! API keys of a project.

use std::fmt::Display;

use steward_api::{
    ChangedKey, CreateKey, DeleteKey, GetKey, IssuedKey, Key, KeyChanges, KeyRegeneration, KeyToVerify,
    KeyVerification, ListKeys, Message, NewKey, RegenerateKey, ShownKey, UpdateKey, VerifyKey,
};

use crate::{Call, Client, List};

/// Operations of the API keys of a project.
#[derive(Debug, Clone)]
pub struct Keys {
    pub(crate) client: Client,
    pub(crate) project_id: String,
}

impl Keys {
    /// Lists the keys without their values, newest first.
    pub fn list(&self) -> List<Key> {
        self.client.list::<ListKeys>(&[&self.project_id])
    }

    /// Returns a key without its value.
    pub fn get(&self, key_id: impl Display) -> Call<(), ShownKey> {
        self.client.call::<GetKey>(&[&self.project_id, &key_id])
    }

    /// Creates a key. Its value is never returned again.
    pub fn create(&self, key: &NewKey) -> Call<NewKey, IssuedKey> {
        self.client.call::<CreateKey>(&[&self.project_id]).body(key)
    }

    /// Updates a key. Its value stays the same.
    pub fn update(&self, key_id: impl Display, changes: &KeyChanges) -> Call<KeyChanges, ChangedKey> {
        self.client.call::<UpdateKey>(&[&self.project_id, &key_id]).body(changes)
    }

    /// Deletes a key. Its value stops working immediately.
    pub fn delete(&self, key_id: impl Display) -> Call<(), Message> {
        self.client.call::<DeleteKey>(&[&self.project_id, &key_id])
    }

    /// Replaces the value of a key. The old value continues to work for `grace_seconds`: 0 to 86,400.
    pub fn rotate(&self, key_id: impl Display, grace_seconds: u32) -> Call<KeyRegeneration, IssuedKey> {
        let options = KeyRegeneration { grace_seconds: Some(grace_seconds) };
        self.client.call::<RegenerateKey>(&[&self.project_id, &key_id]).body(&options)
    }

    /// Returns whether a value belongs to a key of the project, or to the key with this ID, that has not expired.
    pub fn verify(&self, value: &str, key_id: Option<&str>) -> Call<KeyToVerify, KeyVerification> {
        let key = KeyToVerify { key: value.into(), key_id: key_id.map(str::to_owned) };
        self.client.call::<VerifyKey>(&[&self.project_id]).body(&key)
    }
}
