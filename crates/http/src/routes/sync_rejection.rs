//! Rejected changes of devices that synchronize their items.

use actix_web::{HttpResponse, web};
use serde::Serialize;
use steward_domain::model::SyncRejection;
use utoipa::ToSchema;

use crate::Api;
use crate::error::ApiError;
use crate::extract::page::PageParameters;
use crate::extract::{Authenticated, PathIds, Query};
use crate::response::{self, Listing, format_timestamp};
use crate::route::{ApiRoute, operations};

/// Number of rejections in a page without `limit`.
const DEFAULT_LIMIT: u16 = 100;

pub(crate) fn routes() -> Vec<ApiRoute> {
    operations! {
        SyncRejectionList => list;
    }
}

/// A change of a device that was not stored, or not completely. The device was corrected.
#[derive(Serialize, ToSchema)]
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
pub(crate) struct SyncRejectionBody {
    /// Unique ID of the rejection.
    id: String,
    /// When the change was rejected.
    #[schema(format = DateTime)]
    at: String,
    /// ID of the user in the project.
    user_id: String,
    /// Name of the device, as in its `clientIdentity`.
    device: String,
    /// Table that the device named, shortened to 100 characters.
    table: String,
    /// ID of the item that the device named, shortened to 100 characters.
    key: String,
    /// Why the change was rejected: an error code of the operations on items, or `unknown_table`, `invalid_key`,
    /// `message_too_long` for a change beyond the limits of a message, or `unknown_field` for a change that was stored
    /// without the fields that the schema lacks.
    code: String,
    /// The reason in words.
    message: String,
}

impl From<SyncRejection> for SyncRejectionBody {
    fn from(rejection: SyncRejection) -> Self {
        Self {
            id: rejection.id.to_string(),
            at: format_timestamp(rejection.at),
            user_id: rejection.user_id.to_string(),
            device: rejection.device,
            table: rejection.key.table,
            key: rejection.key.id,
            code: rejection.code,
            message: rejection.message,
        }
    }
}

/// List rejected changes
///
/// Returns the changes of the users' devices that did not fit, newest first. A page holds 100 changes by default. The
/// newest 1,000 of a project are kept for 30 days, and at most 20 of each message.
#[utoipa::path(get, path = "/project/{id}/sync/rejections", tag = "project-users", params(PageParameters),
    responses((status = 200, body = inline(Listing<SyncRejectionBody>))))]
pub(crate) async fn list(
    api: web::Data<Api>,
    caller: Authenticated,
    path: PathIds,
    query: Query,
) -> Result<HttpResponse, ApiError> {
    let mut page = query.page()?;
    page.limit.get_or_insert(DEFAULT_LIMIT);
    let page = api.steward.item_sync.rejections(&caller.0, path.project()?, &page).await?;
    Ok(response::listed(path.request(), page, SyncRejectionBody::from))
}
