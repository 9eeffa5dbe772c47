//! What a project keeps of a person, as one document: sent piece by piece, for it may be large (contract 7).

use actix_web::http::header::{CACHE_CONTROL, CONTENT_DISPOSITION};
use actix_web::web::Bytes;
use actix_web::{HttpResponse, web};
use futures_util::stream::{self, StreamExt as _};
use serde::Serialize;
use serde_json::{Map, Value};
use steward_domain::error::Error;
use steward_domain::model::{Grant, ItemKey};
use steward_domain::usecases::UserExport;
use utoipa::ToSchema;

use super::at;
use super::item::ItemBody;
use super::project_user::UserBody;
use crate::Api;
use crate::answer::moment;
use crate::error::ApiError;
use crate::extract::{Known, Named};

pub(crate) fn mount(app: &mut web::ServiceConfig) {
    at("/project/{id}/user/{user_id}/export").get(export).mount(app);
    at("/account/apps/{project_id}/export").get(export_own).mount(app);
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
pub(crate) async fn export(api: web::Data<Api>, caller: Known, named: Named) -> Result<HttpResponse, ApiError> {
    let export = api.steward.user_data.export(&caller.0, named.project()?, named.user()?).await?;
    document(api, export)
}

/// Hand out to a person everything that a project keeps of them
///
/// An answer that breaks off was not complete: it is no JSON.
#[utoipa::path(get, path = "/account/apps/{project_id}/export", operation_id = "exportOwnData", tag = "account",
    params(("project_id" = String, Path)), responses((status = 200, body = ExportBody)))]
pub(crate) async fn export_own(api: web::Data<Api>, caller: Known, named: Named) -> Result<HttpResponse, ApiError> {
    let export = api.steward.user_data.export_own(&caller.0, named.app(&api.steward.address)?).await?;
    document(api, export)
}

/// The document: all but the items at once, then these as they are read.
fn document(api: web::Data<Api>, export: UserExport) -> Result<HttpResponse, ApiError> {
    let head = serde_json::to_string(&ExportBody::from(&export)).map_err(|fault| Error::Internal(fault.into()))?;
    // `items` is the last member, and empty: it is left open for them.
    let head = head.strip_suffix("}}").unwrap_or(&head).to_owned();
    let name = format!("attachment; filename=\"user-{}.json\"", export.user.id);
    let items = stream::unfold(Some(Items { api, export, after: None }), |items| async { items?.next().await });
    let whole = stream::once(async { Ok(Bytes::from(head)) }).chain(items);
    Ok(HttpResponse::Ok()
        .content_type("application/json")
        .insert_header((CONTENT_DISPOSITION, name))
        .insert_header((CACHE_CONTROL, "no-store"))
        .streaming(whole))
}

/// The items that are still to be sent.
struct Items {
    api: web::Data<Api>,
    export: UserExport,
    /// The last one that was.
    after: Option<ItemKey>,
}

impl Items {
    /// The next piece, and what remains. After the last piece, or a fault, nothing does.
    async fn next(mut self) -> Option<(Result<Bytes, Error>, Option<Self>)> {
        match self.piece().await {
            Ok((text, true)) => Some((Ok(text.into()), Some(self))),
            Ok((text, false)) => Some((Ok(text.into()), None)),
            Err(error) => {
                tracing::warn!(user = %self.export.user.id, %error, "an export breaks off");
                Some((Err(error), None))
            }
        }
    }

    /// The text of the next items; whether more may follow.
    async fn piece(&mut self) -> Result<(String, bool), Error> {
        let found = self.api.steward.user_data.next_items(&self.export, self.after.clone()).await?;
        if found.is_empty() {
            return Ok((if self.after.is_some() { "]}}" } else { "}}" }.to_owned(), false));
        }
        let mut text = String::new();
        for stored in found {
            let key = ItemKey { table: stored.item.table.clone(), id: stored.item.id.clone() };
            let table = Value::from(key.table.as_str());
            match self.after.replace(key) {
                Some(before) if Some(before.table.as_str()) == table.as_str() => text.push(','),
                Some(_) => text.push_str(&format!("],{table}:[")),
                None => text.push_str(&format!("{table}:[")),
            }
            let item = serde_json::to_string(&ItemBody::from(stored)).map_err(|fault| Error::Internal(fault.into()))?;
            text.push_str(&item);
        }
        Ok((text, true))
    }
}
