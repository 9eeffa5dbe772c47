//! Export of the data that a project stores about a user, as one document (docs/contract.md#project-users). It is
//! streamed, because it can be large.

use std::sync::Arc;

use actix_web::http::header::{CACHE_CONTROL, CONTENT_DISPOSITION};
use actix_web::{HttpResponse, web};
use serde::Serialize;
use serde_json::{Map, Value};
use steward_domain::error::Error;
use steward_domain::model::{Caller, Grant, ItemKey, PageSize, VisibleUser};
use steward_domain::usecases::{Steward, UserExport};
use utoipa::ToSchema;

use super::item::ItemBody;
use super::project_user::UserBody;
use crate::Api;
use crate::error::ApiError;
use crate::extract::{Authenticated, PathIds};
use crate::response::{self, format_timestamp};
use crate::route::{ApiRoute, operations};
use crate::streamed::{self, Reader, Source};

pub(crate) fn routes() -> Vec<ApiRoute> {
    operations! {
        UserExport => export;
        OwnExport => export_own;
    }
}

/// All data that a project stores about a user.
#[derive(Serialize, ToSchema)]
pub(crate) struct ExportBody {
    /// When the export started.
    #[schema(format = DateTime)]
    exported_at: String,
    /// The user of the project.
    user: UserBody,
    /// Scopes that the user granted to the project; null if there is no grant.
    grant: Option<GrantBody>,
    /// Days in UTC on which the user was active, oldest first.
    #[schema(format = Date, example = json!(["2026-01-30", "2026-01-31"]))]
    active_days: Vec<String>,
    /// All items of the user: an object with a list of items for each table that has items.
    #[schema(value_type = Object, example = json!({"notes": [{
        "id": "018f2a41-2d47-7e8a-9c16-3b5f0d8e7a24",
        "created_at": "2026-01-31T12:00:00.000Z",
        "updated_at": "2026-01-31T12:00:00.000Z",
        "title": "Groceries",
    }]}))]
    items: Map<String, Value>,
}

/// Scopes that a user granted to a project.
#[derive(Serialize, ToSchema)]
pub(crate) struct GrantBody {
    /// Granted scopes, separated by spaces.
    #[schema(example = "openid profile app:db:read")]
    scope: String,
    /// When the user first granted scopes to the project.
    #[schema(format = DateTime)]
    created_at: String,
    /// When the grant last changed.
    #[schema(format = DateTime)]
    updated_at: String,
}

impl From<&Grant> for GrantBody {
    fn from(grant: &Grant) -> Self {
        Self {
            scope: grant.scopes.to_string(),
            created_at: format_timestamp(grant.created_at),
            updated_at: format_timestamp(grant.updated_at),
        }
    }
}

impl From<&UserExport> for ExportBody {
    fn from(export: &UserExport) -> Self {
        Self {
            exported_at: format_timestamp(export.at),
            user: VisibleUser { user: export.user.clone(), email: export.email.clone() }.into(),
            grant: export.grant.as_ref().map(GrantBody::from),
            active_days: export.active_days.iter().map(ToString::to_string).collect(),
            items: Map::new(),
        }
    }
}

/// Export a user's data
///
/// Returns all data that a project stores about a user. The response is streamed; if it is interrupted, the body is not
/// valid JSON. Requires the permissions `user:read` and `db:read`.
#[utoipa::path(get, path = "/project/{id}/user/{user_id}/export", tag = "project-users",
    responses((status = 200, body = ExportBody)))]
pub(crate) async fn export(
    api: web::Data<Api>,
    caller: Authenticated,
    path: PathIds,
) -> Result<HttpResponse, ApiError> {
    let export = api.steward.user_data.export(&caller.0, path.project()?, path.user()?).await?;
    export_response(&api, &path, export)
}

/// Export your data
///
/// Returns all data that a project stores about the caller. The response is streamed; if it is interrupted, the body is
/// not valid JSON.
#[utoipa::path(get, path = "/account/apps/{project_id}/export", tag = "account",
    responses((status = 200, body = ExportBody)))]
pub(crate) async fn export_own(
    api: web::Data<Api>,
    caller: Authenticated,
    path: PathIds,
) -> Result<HttpResponse, ApiError> {
    let export = api.steward.user_data.export_own(&caller.0, path.app(&api.steward.address)?).await?;
    export_response(&api, &path, export)
}

/// Streams an export: first everything but the items, then the items as they are read.
fn export_response(api: &web::Data<Api>, path: &PathIds, export: UserExport) -> Result<HttpResponse, ApiError> {
    let mut head = Vec::new();
    streamed::push(&mut head, &ExportBody::from(&export))?;
    // `items` is the last member and empty. It stays open for the items that follow.
    head.truncate(head.len().saturating_sub("}}".len()));
    let disposition = format!("attachment; filename=\"user-{}.json\"", export.user.id);
    let mut response = response::json_builder();
    response.insert_header((CONTENT_DISPOSITION, disposition)).insert_header((CACHE_CONTROL, "no-store"));
    let items = Items { export, after: None, size: PageSize::CHUNK };
    Ok(Reader::of(path.request(), api)?.respond(response, head, Some(items)))
}

/// The items of an export that are not written yet.
#[derive(Clone)]
struct Items {
    export: UserExport,
    /// Key of the last item that is written; `None` before the first one.
    after: Option<ItemKey>,
    size: PageSize,
}

impl Source for Items {
    async fn next_chunk(
        mut self,
        steward: &Arc<Steward>,
        caller: Option<Caller>,
    ) -> Result<(Vec<u8>, Option<Self>), Error> {
        let caller = streamed::require_caller(caller)?;
        let found = steward.user_data.next_items(&caller, &self.export, self.after.clone(), self.size).await?;
        if found.is_empty() {
            let end: &[u8] = if self.after.is_some() { b"]}}" } else { b"}}" };
            return Ok((end.to_vec(), None));
        }
        self.size = PageSize::after_chunk_of(found.len());
        let mut text = Vec::new();
        for stored in found {
            let key = ItemKey { table: stored.item.table.clone(), id: stored.item.id.clone() };
            let table = Value::from(key.table.as_str());
            match self.after.replace(key) {
                Some(previous) if Some(previous.table.as_str()) == table.as_str() => text.push(b','),
                Some(_) => text.extend_from_slice(format!("],{table}:[").as_bytes()),
                None => text.extend_from_slice(format!("{table}:[").as_bytes()),
            }
            ItemBody::from(stored).push(&mut text);
        }
        Ok((text, Some(self)))
    }
}
