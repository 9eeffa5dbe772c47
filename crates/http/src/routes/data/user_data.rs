//! Export of the data that a project stores about a user, as one document (docs/contract.md#project-users). It is
//! streamed, because it can be large.

use std::sync::Arc;

use actix_web::http::header::{CACHE_CONTROL, CONTENT_DISPOSITION};
use serde_json::{Map, Value};
use steward_api::{self as wire, Operation};
use steward_domain::Steward;
use steward_domain::data::{ItemKey, UserExport, VisibleUser};
use steward_domain::identity::Grant;
use steward_domain::kernel::error::Error;
use steward_domain::kernel::{Caller, PageSize};

use crate::extract::path::Ids;
use crate::route::serve;
use crate::routes::data::item::push_item;
use crate::routes::data::project_user::project_user;
use crate::serve::{Call, Outcome};
use crate::streamed::{self, Chunk};

serve! {
    ExportUser => export;
    ExportOwnData => export_own;
}

fn user_export(export: &UserExport) -> wire::UserExport {
    let grant = |grant: &Grant| wire::ExportedGrant {
        scope: grant.all_scopes().to_string(),
        created_at: grant.created_at.into(),
        updated_at: grant.updated_at.into(),
    };
    wire::UserExport {
        exported_at: export.at.into(),
        user: project_user(VisibleUser { user: export.user.clone(), email: export.email.clone() }),
        grant: export.grant.as_ref().map(grant),
        active_days: export.active_days.iter().map(ToString::to_string).collect(),
        items: Map::new(),
    }
}

/// The items of an export that are not written yet.
#[derive(Clone)]
struct Items {
    export: UserExport,
    /// Key of the last item that is written; `None` before the first one.
    after: Option<ItemKey>,
    size: PageSize,
}

impl Items {
    /// Reads and writes the next items.
    async fn next(mut self, steward: Arc<Steward>, caller: Option<Caller>) -> Result<Chunk<Self>, Error> {
        let caller = streamed::require_caller(caller)?;
        let found = steward.user_data.next_items(&caller, &self.export, self.after.clone(), self.size).await?;
        if found.is_empty() {
            let end: &[u8] = if self.after.is_some() { b"]}}" } else { b"}}" };
            return Ok((end.to_vec(), None));
        }
        self.size = self.size.after_chunk_of(found.len());
        let mut text = Vec::new();
        for stored in found {
            let key = ItemKey { table: stored.item.table.clone(), id: stored.item.id.clone() };
            let table = Value::from(key.table.as_str());
            match self.after.replace(key) {
                Some(previous) if Some(previous.table.as_str()) == table.as_str() => text.push(b','),
                Some(_) => text.extend_from_slice(format!("],{table}:[").as_bytes()),
                None => text.extend_from_slice(format!("{table}:[").as_bytes()),
            }
            push_item(&mut text, &stored);
        }
        Ok((text, Some(self)))
    }
}

async fn export(call: Call<wire::ExportUser>) -> Outcome<wire::ExportUser> {
    let (project, user) = call.path;
    export_response(&call, call.api.steward.user_data.export(&call.caller, project, user).await?)
}

async fn export_own(call: Call<wire::ExportOwnData>) -> Outcome<wire::ExportOwnData> {
    export_response(&call, call.api.steward.user_data.export_own(&call.caller, call.path).await?)
}

/// Streams an export: first everything but the items, then the items as they are read.
fn export_response<O: Operation<Path: Ids, Response = wire::UserExport>>(
    call: &Call<O>,
    export: UserExport,
) -> Outcome<O> {
    let mut head = Vec::new();
    streamed::push(&mut head, &user_export(&export))?;
    // `items` is the last member and empty. It stays open for the items that follow.
    head.truncate(head.len().saturating_sub("}}".len()));
    let disposition = format!("attachment; filename=\"user-{}.json\"", export.user.id);
    let items = Items { export, after: None, size: PageSize::CHUNK };
    let reply = call.stream((head, Some(items)), Items::next)?;
    Ok(reply.with(CONTENT_DISPOSITION, &disposition).with(CACHE_CONTROL, "no-store"))
}
