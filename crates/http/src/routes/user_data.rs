//! What a project keeps of a person, as one document: sent piece by piece, for it may be large (contract 7).

use std::sync::Arc;

use actix_web::http::header::{CACHE_CONTROL, CONTENT_DISPOSITION};
use actix_web::{HttpResponse, web};
use serde::Serialize;
use serde_json::{Map, Value};
use steward_domain::error::Error;
use steward_domain::model::{Caller, Grant, ItemKey, PageSize};
use steward_domain::usecases::{Steward, UserExport};
use utoipa::ToSchema;

use super::item::ItemBody;
use super::project_user::UserBody;
use super::{Address, at};
use crate::Api;
use crate::answer::{self, moment};
use crate::error::ApiError;
use crate::extract::{Authenticated, PathIds};
use crate::streamed::{self, Reader, Source};

pub(crate) fn mount(routes: &mut Vec<Address>) {
    at("/project/{id}/user/{user_id}/export").get(export).mount(routes);
    at("/account/apps/{project_id}/export").get(export_own).mount(routes);
}

/// Everything that a project keeps of a person.
#[derive(Serialize, ToSchema)]
pub(crate) struct ExportBody {
    #[schema(format = DateTime)]
    exported_at: String,
    user: UserBody,
    /// What the person allowed the project; null when nothing, or no longer.
    grant: Option<GrantBody>,
    /// On which days the person was active, the oldest first.
    #[schema(format = Date)]
    active_days: Vec<String>,
    /// All items, by table.
    #[schema(value_type = Object)]
    items: Map<String, Value>,
}

#[derive(Serialize, ToSchema)]
pub(crate) struct GrantBody {
    scope: String,
    #[schema(format = DateTime)]
    created_at: String,
    #[schema(format = DateTime)]
    updated_at: String,
}

impl From<&Grant> for GrantBody {
    fn from(grant: &Grant) -> Self {
        Self {
            scope: grant.scopes.to_string(),
            created_at: moment(grant.created_at),
            updated_at: moment(grant.updated_at),
        }
    }
}

impl From<&UserExport> for ExportBody {
    fn from(export: &UserExport) -> Self {
        Self {
            exported_at: moment(export.at),
            user: export.user.clone().into(),
            grant: export.grant.as_ref().map(GrantBody::from),
            active_days: export.active_days.iter().map(ToString::to_string).collect(),
            items: Map::new(),
        }
    }
}

/// Hand out everything that a project keeps of a user
///
/// Also needs the permission user:read. An answer that breaks off was not complete: it is no JSON.
#[utoipa::path(get, path = "/project/{id}/user/{user_id}/export", operation_id = "exportUser", tag = "project-users",
    params(("id" = String, Path), ("user_id" = String, Path)), responses((status = 200, body = ExportBody)))]
pub(crate) async fn export(
    api: web::Data<Api>,
    caller: Authenticated,
    named: PathIds,
) -> Result<HttpResponse, ApiError> {
    let export = api.steward.user_data.export(&caller.0, named.project()?, named.user()?).await?;
    document(&api, &named, export)
}

/// Hand out to a person everything that a project keeps of them
///
/// An answer that breaks off was not complete: it is no JSON.
#[utoipa::path(get, path = "/account/apps/{project_id}/export", operation_id = "exportOwnData", tag = "account",
    params(("project_id" = String, Path)), responses((status = 200, body = ExportBody)))]
pub(crate) async fn export_own(
    api: web::Data<Api>,
    caller: Authenticated,
    named: PathIds,
) -> Result<HttpResponse, ApiError> {
    let export = api.steward.user_data.export_own(&caller.0, named.app(&api.steward.address)?).await?;
    document(&api, &named, export)
}

/// The document: all but the items at once, then these as they are read.
fn document(api: &web::Data<Api>, named: &PathIds, export: UserExport) -> Result<HttpResponse, ApiError> {
    let mut head = Vec::new();
    streamed::push(&mut head, &ExportBody::from(&export))?;
    // `items` is the last member, and empty: it is left open for them.
    head.truncate(head.len().saturating_sub("}}".len()));
    let name = format!("attachment; filename=\"user-{}.json\"", export.user.id);
    let mut response = answer::json_builder();
    response.insert_header((CONTENT_DISPOSITION, name)).insert_header((CACHE_CONTROL, "no-store"));
    let items = Items { export, after: None, size: PageSize::PIECE };
    Ok(Reader::of(named.request(), api)?.respond(response, head, Some(items)))
}

/// The items that are still to be sent.
struct Items {
    export: UserExport,
    /// The last one that was.
    after: Option<ItemKey>,
    size: PageSize,
}

impl Source for Items {
    async fn piece(mut self, steward: &Arc<Steward>, caller: Option<Caller>) -> Result<(Vec<u8>, Option<Self>), Error> {
        let caller = streamed::known(caller)?;
        let found = steward.user_data.next_items(&caller, &self.export, self.after.clone(), self.size).await?;
        if found.is_empty() {
            let end: &[u8] = if self.after.is_some() { b"]}}" } else { b"}}" };
            return Ok((end.to_vec(), None));
        }
        self.size = PageSize::after_piece_of(found.len());
        let mut text = Vec::new();
        for stored in found {
            let key = ItemKey { table: stored.item.table.clone(), id: stored.item.id.clone() };
            let table = Value::from(key.table.as_str());
            match self.after.replace(key) {
                Some(before) if Some(before.table.as_str()) == table.as_str() => text.push(b','),
                Some(_) => text.extend_from_slice(format!("],{table}:[").as_bytes()),
                None => text.extend_from_slice(format!("{table}:[").as_bytes()),
            }
            ItemBody::from(stored).push(&mut text);
        }
        Ok((text, Some(self)))
    }
}
