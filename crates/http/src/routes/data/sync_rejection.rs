//! Rejected changes of devices that synchronize their items.

use steward_api as wire;
use steward_domain::data::SyncRejection;

use crate::route::serve;
use crate::serve::{Call, Outcome};

serve! {
    ListSyncRejections => list;
}

/// Number of rejections in a page without `limit`.
const DEFAULT_LIMIT: u16 = 100;

fn sync_rejection(rejection: SyncRejection) -> wire::SyncRejection {
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

async fn list(call: Call<wire::ListSyncRejections>) -> Outcome<wire::ListSyncRejections> {
    let mut page = call.query().page()?;
    page.limit.get_or_insert(DEFAULT_LIMIT);
    call.page(call.api.steward.item_sync.rejections(&call.caller, call.path, &page).await?, sync_rejection)
}
