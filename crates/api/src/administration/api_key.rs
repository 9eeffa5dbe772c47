//! API keys of a project (docs/contract.md#api-keys).

use crate::openapi::ToSchema;
use serde::{Deserialize, Serialize};

use crate::list::PageParameters;
use crate::operation::operations;
use crate::response::Message;
use crate::values::{KeyId, Secret, Timestamp};

operations! {
    ROWS, "project-keys";

    /// List API keys
    ///
    /// Returns the API keys of the project without their values, newest first.
    ListKeys Get "/project/{id}/key", Reads Safe, at(Project), query(PageParameters),
        200(list Key, "The keys of the project."), command("key list");

    /// Create an API key
    ///
    /// The response contains the value of the key, which is never returned again. You can grant only permissions that you
    /// have.
    CreateKey Post "/project/{id}/key", Writes Keyed Secret AuthorityInBody, at(Project), body(NewKey),
        200(IssuedKey, "The key with its value."), shows(ShownKey), ignores(Key), deviates("docs/contract.md#api-keys"),
        errors("quota_exceeded"), command("key create");

    /// Verify an API key
    ///
    /// Returns whether a value belongs to a key of this project that has not expired. The previous value of a rotated key
    /// is valid during its grace period. The status is 200 even if the value is not valid.
    VerifyKey Post "/project/{id}/key/verify", Reads Safe, at(Project), body(KeyToVerify),
        200(KeyVerification, "Whether the value is valid."), deviates("docs/contract.md#responses"),
        command("key verify");

    /// Get an API key
    ///
    /// Returns a key without its value.
    GetKey Get "/project/{id}/key/{key_id}", Reads Safe, at(Project, Key), 200(ShownKey, "The key."),
        304("The key has the ETag in `If-None-Match`."), shows(ShownKey), deviates("docs/contract.md#api-keys"),
        errors("precondition_failed"), command("key get");

    /// Update an API key
    ///
    /// Changes the label or the roles of a key; its value stays the same. You can grant only permissions that you have.
    UpdateKey Patch "/project/{id}/key/{key_id}", Writes Keyed, at(Project, Key), body(KeyChanges),
        200(ChangedKey, "The key after the update."), shows(ShownKey), ignores(Key),
        deviates("docs/contract.md#api-keys"), errors("precondition_failed"), command("key update");

    /// Delete an API key
    ///
    /// The value of the key stops working immediately.
    DeleteKey Delete "/project/{id}/key/{key_id}", Writes Keyed, at(Project, Key), 200(Message, "The key was deleted."),
        deviates("docs/contract.md#responses"), errors("precondition_failed"), command("key delete");

    /// Rotate an API key
    ///
    /// Replaces the value of a key; its ID, label and roles stay the same. The old value, and those before it, stop working
    /// immediately, unless `grace_seconds` is set: then the two newest old values work until their times. The response contains the new value, which is never returned again. A private key can rotate
    /// itself with its current value.
    RegenerateKey Post "/project/{id}/key/{key_id}/regenerate", Writes Keyed Secret, at(Project, Key),
        body(KeyRegeneration, optional), 200(IssuedKey, "The key with its new value."), shows(ShownKey), ignores(),
        deviates("docs/contract.md#api-keys"), command("key rotate");

    /// Revoke the previous values of an API key
    ///
    /// The values that the key had before it was rotated stop working immediately, also within their grace period. The
    /// current value stays valid. A key without previous values is returned as it is.
    RevokePreviousKeyValues Delete "/project/{id}/key/{key_id}/previous", Writes Keyed, at(Project, Key),
        200(ShownKey, "The key, of which only the current value works."), shows(ShownKey),
        deviates("docs/contract.md#api-keys"), errors("precondition_failed"), command("key revoke-previous");
}

/// What people distinguish a key by.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[schema(as = part::KeySummary)]
pub struct KeySummary {
    /// Unique ID of the key.
    pub id: KeyId,
    /// Display name of the key.
    pub label: String,
    /// Comma-separated roles of the key.
    #[schema(example = "read")]
    pub roles: String,
}

/// An API key, without its value.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct Key {
    /// Unique ID of the key. It does not change when the value is regenerated.
    pub id: KeyId,
    /// Display name of the key.
    pub label: String,
    /// Comma-separated roles of the key: `admin`, `write`, `read`, or individual permissions such as `db:read`.
    #[schema(example = "read")]
    pub roles: String,
    /// Whether the key is private. Private keys stay on servers. Public keys may appear in browsers, and read only the
    /// project and its schema.
    pub is_private: bool,
    /// When the key was created.
    pub created_at: Timestamp,
    /// When the key was last used, with its current value or an earlier one, with a precision of one minute; null if it was
    /// never used.
    pub last_used: Option<Timestamp>,
    /// When the current value was last used, with a precision of one minute; null if it was never used.
    pub current_last_used: Option<Timestamp>,
    /// When the key expires; null if it never expires.
    pub expires_at: Option<Timestamp>,
    /// Prefix and last 4 characters of the current value.
    #[schema(example = "stw_sk_...0000")]
    pub hint: String,
    /// The previous value. Only present during its grace period after a regeneration.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub previous: Option<PreviousKeyValue>,
    /// The value before the previous one. Only present during its grace period, after another regeneration.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub earlier: Option<PreviousKeyValue>,
}

/// A replaced value of a key, which is valid until it expires.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct PreviousKeyValue {
    /// When the value stops working.
    pub expires_at: Timestamp,
    /// When the value was last used, with a precision of one minute; null if it was never used.
    pub last_used: Option<Timestamp>,
}

/// Values of a new API key.
#[derive(Debug, Clone, Default, Serialize, Deserialize, ToSchema)]
pub struct NewKey {
    /// Display name of the key: 1 to 100 characters.
    pub label: String,
    /// Comma-separated roles of the key: `admin`, `write`, `read`, or individual permissions such as `db:read`.
    #[schema(example = "read")]
    pub roles: String,
    /// Whether the key is private; `true` by default. A public key may appear in browsers, where everyone can see it: its
    /// roles may be `project:read` and `schema:read` only. Browsers read users and items with the access token of the
    /// signed-in user.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub is_private: Option<bool>,
    /// When the key expires: a timestamp in the future. Without it, the key never expires.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(format = DateTime, example = "2027-01-31T12:00:00.000Z")]
    pub expires_at: Option<String>,
}

/// Options of a regeneration. All are optional, and so is the body.
#[derive(Debug, Clone, Default, Serialize, Deserialize, ToSchema)]
pub struct KeyRegeneration {
    /// Number of seconds for which the old value continues to work, and those before it as long as they were to. 0 by default:
    /// all of them stop working immediately.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = 3600)]
    pub grace_seconds: Option<u32>,
}

/// A key with its new value.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct IssuedKey {
    /// The key with its new value.
    pub key: KeyWithValue,
}

/// An API key with its value.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct KeyWithValue {
    /// What people distinguish the key by.
    #[serde(flatten)]
    pub summary: KeySummary,
    /// Secret value of the key. It is returned only in this response; store it safely.
    #[schema(value_type = String, example = "stw_sk_ExampleExampleExampleExampleExampleExampleE000000")]
    pub value: Secret,
    /// Whether the key is private.
    pub is_private: bool,
    /// When the key was created.
    pub created_at: Timestamp,
}

/// A key.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct ShownKey {
    /// The key without its value.
    pub key: Key,
}

/// Changes to a key. At least one field is required; absent fields stay unchanged.
#[derive(Debug, Clone, Default, Serialize, Deserialize, ToSchema)]
#[schema(example = json!({"label": "Server", "roles": "read"}))]
pub struct KeyChanges {
    /// New display name: 1 to 100 characters. At least one of `label` and `roles` is required.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// New comma-separated roles: `admin`, `write`, `read`, or individual permissions such as `db:read`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub roles: Option<String>,
    /// The expiry cannot be changed. If present, it must equal the current one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<String>,
}

/// A key after a change.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct ChangedKey {
    /// The key after the update.
    pub key: UpdatedKey,
}

/// What a change of a key returns.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct UpdatedKey {
    /// What people distinguish the key by.
    #[serde(flatten)]
    pub summary: KeySummary,
    /// When the key was updated.
    pub updated_at: Timestamp,
}

/// A value to verify.
#[derive(Debug, Clone, Default, Serialize, Deserialize, ToSchema)]
pub struct KeyToVerify {
    /// Value to verify.
    #[schema(value_type = String, example = "stw_sk_ExampleExampleExampleExampleExampleExampleE000000")]
    pub key: Secret,
    /// ID of the key that the value must belong to. Without it, any key of the project matches.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key_id: Option<String>,
}

/// Whether a value is valid, and the key that has it.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct KeyVerification {
    /// Whether the value belongs to a key of this project that has not expired.
    pub is_valid: bool,
    /// The key with this value. Only present if the value is valid.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key: Option<VerifiedKey>,
}

/// The key that has a value.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct VerifiedKey {
    /// What people distinguish the key by.
    #[serde(flatten)]
    pub summary: KeySummary,
    /// When the key was created.
    pub created_at: Timestamp,
}
