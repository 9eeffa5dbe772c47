//! Rejected changes of devices that synchronize their items.

use actix_web::{HttpResponse, web};
use steward_api as wire;
use steward_domain::model::SyncRejection;

use crate::Api;
use crate::error::ApiError;
use crate::extract::{Authenticated, PathIds, Query};
use crate::response;
use crate::route::{ApiRoute, routes};

/// Number of rejections in a page without `limit`.
const DEFAULT_LIMIT: u16 = 100;

pub(crate) fn routes() -> Vec<ApiRoute> {
    routes! {
        ListSyncRejections => list;
    }
}

pub(crate) fn sync_rejection(rejection: SyncRejection) -> wire::SyncRejection {
    wire::SyncRejection {
        id: rejection.id.uuid().into(),
        at: rejection.at.into(),
        user_id: rejection.user_id.uuid().into(),
        device: rejection.device,
        table: rejection.key.table,
        key: rejection.key.id,
        code: rejection.code,
        message: rejection.message,
    }
}

pub(crate) async fn list(
    api: web::Data<Api>,
    caller: Authenticated,
    path: PathIds,
    query: Query,
) -> Result<HttpResponse, ApiError> {
    let mut page = query.page()?;
    page.limit.get_or_insert(DEFAULT_LIMIT);
    let page = api.steward.item_sync.rejections(&caller.0, path.project()?, &page).await?;
    Ok(response::listed(path.request(), page, sync_rejection))
}
