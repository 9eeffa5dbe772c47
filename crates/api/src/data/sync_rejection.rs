//! Rejected changes of devices.

use crate::openapi::ToSchema;
use serde::{Deserialize, Serialize};

use crate::list::PageParameters;
use crate::operation::operations;
use crate::values::{SyncRejectionId, Timestamp, UserId};

operations! {
    ROWS, "project-users";

    /// List rejected changes
    ///
    /// Returns the changes of the users' devices that did not fit, newest first. A page holds 100 changes by default. The
    /// newest 1,000 of a project are kept for 30 days, and at most 20 of each message.
    ListSyncRejections Get "/project/{id}/sync/rejections", Reads Safe, at(Project), query(PageParameters),
        200(list SyncRejection), command("item rejections");
}

/// A change of a device that was not stored, or not completely. The device was corrected.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[schema(example = json!({
    "id": "018f2a44-3c5d-7e6f-8a9b-0c1d2e3f4a5b",
    "at": "2026-01-31T12:00:00.000000Z",
    "user_id": "018f2a3c-a4c2-7b15-9e60-4d1b7c9f0a38",
    "device": "018f2a44-1a2b-7c3d-8e4f-5a6b7c8d9e0f",
    "table": "notes",
    "key": "first",
    "code": "invalid_item",
    "message": "Field rank should be type number, got string",
}))]
pub struct SyncRejection {
    /// Unique ID of the rejection.
    pub id: SyncRejectionId,
    /// When the change was rejected.
    pub at: Timestamp,
    /// ID of the user in the project.
    pub user_id: UserId,
    /// Name of the device, as in its `clientIdentity`.
    pub device: String,
    /// Table that the device named, shortened to 100 characters.
    pub table: String,
    /// ID of the item that the device named, shortened to 100 characters.
    pub key: String,
    /// Why the change was rejected: an error code of the operations on items, or `unknown_table`, `invalid_key`,
    /// `message_too_long` for a change beyond the limits of a message, or `unknown_field` for a change that was stored
    /// without the fields that the schema lacks.
    pub code: String,
    /// The reason in words.
    pub message: String,
}
