//! The audit log of teams and projects: in pages, or completely as a stream.

use std::sync::Arc;

use actix_web::http::header::ACCEPT;
use actix_web::{HttpRequest, HttpResponse, web};
use serde::Serialize;
use serde_json::Value;
use steward_domain::error::Error;
use steward_domain::model::{AuditEvent, AuditFilter, Caller, ItemChanges, Page, PageRequest, PageSize, ResourceScope};
use steward_domain::ports::Compute;
use steward_domain::tabular::CellText;
use steward_domain::usecases::Steward;
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;

use crate::Api;
use crate::error::ApiError;
use crate::extract::body::parse_timestamp;
use crate::extract::page::PageParameters;
use crate::extract::{Authenticated, PathIds, Query};
use crate::response::{self, Listing, format_timestamp};
use crate::route::{ApiRoute, Mount, operations};
use crate::streamed::{self, Reader, Source};

pub(crate) fn routes() -> Vec<ApiRoute> {
    let project = operations! {
        ProjectAudit => list;
        ProjectEvents => follow;
    };
    let team = operations! {
        TeamAudit => list;
        TeamEvents => follow;
    };
    Mount::PROJECT.routes(project).into_iter().chain(Mount::TEAM.routes(team)).collect()
}

/// Default number of events per page.
const DEFAULT_LIMIT: u16 = 100;

#[derive(Serialize, ToSchema)]
#[schema(example = json!({
    "at": "2026-01-31T12:00:00.000Z",
    "action": "project.updated",
    "operation": "updateProject",
    "actor": {"type": "account", "id": "018f2a3c-7d1e-7cc4-9b3a-2f6d1c0e8a55", "token_id": null},
    "target": {"type": "project", "id": "018f2a3c-9b40-7a12-8c5d-6e7f80912a3b"},
    "team_id": "018f2a3c-8f05-7e31-a2b4-c5d6e7f80192",
    "project_id": "018f2a3c-9b40-7a12-8c5d-6e7f80912a3b",
    "before": {"name": "Acme"},
    "after": {"name": "Acme Labs"},
    "request_id": "018f2a3d-0a1b-7c2d-8e3f-405162738495",
    "address": "203.0.113.7",
    "position": 4210
}))]
pub(crate) struct AuditEventBody {
    /// When the event happened.
    #[schema(format = DateTime)]
    at: String,
    /// Resource kind and verb, such as `team.updated`, or `team.access_denied` for a request that was refused.
    action: String,
    /// ID of the requested operation, such as `updateProject`.
    operation: String,
    /// Who caused the event.
    actor: ActorBody,
    /// Resource that the event is about.
    target: TargetBody,
    /// ID of the team that the event is about; null if it is about no team.
    team_id: Option<String>,
    /// ID of the project that the event is about; null if it is about no project.
    project_id: Option<String>,
    /// Recorded state of the resource before the change; null if there is none.
    #[schema(value_type = Option<Object>)]
    before: Option<Value>,
    /// Recorded state of the resource after the change; null if there is none.
    #[schema(value_type = Option<Object>)]
    after: Option<Value>,
    /// ID of the request, as in its `X-Request-Id` header.
    request_id: String,
    /// Network address that the request came from; null if unknown.
    address: Option<String>,
    /// Position of the event in the log. Positions increase in the order in which changes are stored, with gaps.
    position: i64,
}

#[derive(Serialize, ToSchema)]
pub(crate) struct ActorBody {
    /// Kind of the actor: `account`, `key` or `system`.
    #[schema(example = "account")]
    #[serde(rename = "type")]
    kind: String,
    /// ID of the account or key; null for the system.
    id: Option<String>,
    /// ID of the personal access token that the person used; null if they used none.
    token_id: Option<String>,
}

#[derive(Serialize, ToSchema)]
pub(crate) struct TargetBody {
    /// Kind of the resource, such as `team` or `project`.
    #[schema(example = "project")]
    #[serde(rename = "type")]
    kind: String,
    /// ID of the resource.
    id: String,
}

impl From<AuditEvent> for AuditEventBody {
    fn from(event: AuditEvent) -> Self {
        let actor = ActorBody {
            kind: event.actor.kind,
            id: event.actor.id.map(|id| id.to_string()),
            token_id: event.actor.token_id.map(|id| id.to_string()),
        };
        Self {
            at: format_timestamp(event.at),
            action: event.action,
            operation: event.operation,
            actor,
            target: TargetBody { kind: event.target_kind, id: event.target_id },
            team_id: event.team_id.map(|id| id.to_string()),
            project_id: event.project_id.map(|id| id.to_string()),
            before: event.before,
            after: event.after,
            request_id: event.request_id,
            address: event.address,
            position: event.position,
        }
    }
}

#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(dead_code, reason = "only describes the parameters that `filter` reads")]
pub(crate) struct FilterParameters {
    /// Return only events caused by the account, API key or personal access token with this ID.
    actor: Option<String>,
    /// Return only events with this action, such as `team.updated`.
    action: Option<String>,
    /// Return only events about the resource with this ID.
    target: Option<String>,
    /// Return only events at or after this timestamp.
    #[param(value_type = Option<String>, format = DateTime)]
    from: Option<String>,
    /// Return only events before this timestamp.
    #[param(value_type = Option<String>, format = DateTime)]
    to: Option<String>,
    /// Whether to return changes of items: `include` (the default), `exclude`, or `only`.
    #[param(inline)]
    item_changes: Option<ItemChangesParameter>,
}

#[derive(ToSchema)]
#[schema(rename_all = "lowercase")]
#[expect(dead_code, reason = "only describes the values of a parameter")]
enum ItemChangesParameter {
    Include,
    Exclude,
    Only,
}

fn filter(query: &Query) -> Result<AuditFilter, ApiError> {
    query.reject_unknown(&["actor", "action", "target", "from", "to", "item_changes", "limit", "cursor"])?;
    let timestamp = |name: &'static str| {
        let parsed = query.get(name)?.map(|text| parse_timestamp(text).map_err(|error| Error::invalid(name, error)));
        Ok::<_, ApiError>(parsed.transpose()?)
    };
    let actor = query.get("actor")?.map(|text| {
        let message = "must be the ID of an account, an API key or a personal access token";
        Uuid::try_parse(text).map_err(|_| Error::invalid("actor", message))
    });
    let item_changes = query.get("item_changes")?.map(|text| {
        ItemChanges::parse(text).ok_or_else(|| Error::invalid("item_changes", "must be include, exclude or only"))
    });
    Ok(AuditFilter {
        item_changes: item_changes.transpose()?.unwrap_or_default(),
        actor: actor.transpose()?,
        action: query.get("action")?.map(str::to_owned),
        target: query.get("target")?.map(str::to_owned),
        from: timestamp("from")?,
        to: timestamp("to")?,
    })
}

/// The part of the audit log that a request selects.
#[derive(Clone)]
struct Selection {
    scope: ResourceScope,
    filter: AuditFilter,
}

impl Selection {
    async fn page(&self, steward: &Steward, caller: &Caller, page: &PageRequest) -> Result<Page<AuditEvent>, Error> {
        steward.audit.list(caller, self.scope, &self.filter, page).await
    }

    async fn respond(
        self,
        api: &web::Data<Api>,
        caller: &Authenticated,
        path: &PathIds,
        query: &Query,
    ) -> Result<HttpResponse, ApiError> {
        let (request, mut page_request) = (path.request(), query.page()?);
        let Some(format) = Format::of(request) else {
            page_request.limit.get_or_insert(DEFAULT_LIMIT);
            let page = self.page(&api.steward, &caller.0, &page_request).await?;
            return Ok(response::listed_apart(&api.steward.compute, request, page, AuditEventBody::from).await?);
        };
        if page_request.limit.is_some() {
            return Err(Error::invalid("limit", "must not be set for a stream, which contains all events").into());
        }
        // The first chunk is read before the response starts, so that an error can still be reported with its status.
        page_request.size = PageSize::CHUNK;
        let first = self.page(&api.steward, &caller.0, &page_request).await?;
        let log = LogStream { selection: self, format, page_request };
        let (text, rest) = log.append(&api.steward.compute, format.header(), first).await?;
        let mut response = HttpResponse::Ok();
        response.content_type(format.media_type());
        Ok(Reader::of(request, api)?.respond(response, text, rest))
    }
}

/// The unread rest of a streamed log.
#[derive(Clone)]
struct LogStream {
    selection: Selection,
    format: Format,
    page_request: PageRequest,
}

impl LogStream {
    /// Appends the events on a compute thread.
    async fn append(
        mut self,
        compute: &Arc<dyn Compute>,
        mut text: Vec<u8>,
        page: Page<AuditEvent>,
    ) -> Result<(Vec<u8>, Option<Self>), Error> {
        self.page_request.size = PageSize::after_chunk_of(page.items.len());
        let format = self.format;
        let write = move || {
            page.items.into_iter().try_for_each(|event| format.write(&mut text, event))?;
            Ok::<_, Error>(text)
        };
        let text = compute.call(true, write).await??;
        self.page_request.after = page.next;
        let rest = self.page_request.after.is_some().then_some(self);
        Ok((text, rest))
    }
}

impl Source for LogStream {
    async fn next_chunk(
        self,
        steward: &Arc<Steward>,
        caller: Option<Caller>,
    ) -> Result<(Vec<u8>, Option<Self>), Error> {
        let page = self.selection.page(steward, &streamed::require_caller(caller)?, &self.page_request).await?;
        self.append(&steward.compute, Vec::new(), page).await
    }
}

/// The format of a stream.
#[derive(Clone, Copy)]
enum Format {
    NdJson,
    Csv,
}

impl Format {
    /// Returns the format that the `Accept` header requests instead of JSON, if any.
    fn of(request: &HttpRequest) -> Option<Self> {
        let accepted = request.headers().get_all(ACCEPT).filter_map(|value| value.to_str().ok());
        let mut accepted = accepted.flat_map(|value| value.split(',')).filter_map(|range| range.split(';').next());
        accepted.find_map(|range| match range.trim().to_ascii_lowercase().as_str() {
            "application/x-ndjson" => Some(Self::NdJson),
            "text/csv" => Some(Self::Csv),
            _ => None,
        })
    }

    fn media_type(self) -> &'static str {
        match self {
            Self::NdJson => "application/x-ndjson",
            Self::Csv => "text/csv; charset=utf-8",
        }
    }

    fn header(self) -> Vec<u8> {
        match self {
            Self::NdJson => Vec::new(),
            Self::Csv => {
                b"at,action,operation,actor_type,actor_id,token_id,target_type,target_id,team_id,project_id,before,after,\
                request_id,address,position\r\n"
                    .to_vec()
            }
        }
    }

    fn write(self, text: &mut Vec<u8>, event: AuditEvent) -> Result<(), Error> {
        let body = AuditEventBody::from(event);
        match self {
            Self::NdJson => {
                serde_json::to_writer(&mut *text, &body).map_err(|error| Error::Internal(error.into()))?;
                text.push(b'\n');
            }
            Self::Csv => {
                let mut row = csv::WriterBuilder::new().terminator(csv::Terminator::CRLF).from_writer(text);
                let json = |value: Option<Value>| value.map(|value| value.to_string()).unwrap_or_default();
                let cells = [
                    body.at,
                    body.action,
                    body.operation,
                    body.actor.kind,
                    body.actor.id.unwrap_or_default(),
                    body.actor.token_id.unwrap_or_default(),
                    body.target.kind,
                    body.target.id,
                    body.team_id.unwrap_or_default(),
                    body.project_id.unwrap_or_default(),
                    json(body.before),
                    json(body.after),
                    body.request_id,
                    body.address.unwrap_or_default(),
                    body.position.to_string(),
                ];
                // Callers choose the IDs of their requests, for example.
                let cells = cells.map(|text| CellText::Safe.cell(text));
                row.write_record(cells).map_err(|error| Error::Internal(error.into()))?;
            }
        }
        Ok(())
    }
}

/// List audit events
///
/// Returns the audit log of the project, or of the team and its projects, newest first. A page holds 100 events by
/// default. With `Accept: application/x-ndjson` or `text/csv`, the response is the complete log as a stream instead. In
/// CSV, text that a spreadsheet program would evaluate as a formula has an apostrophe before it.
#[utoipa::path(get, path = "/audit", params(FilterParameters, PageParameters),
    responses((status = 200, description = "The events, newest first.",
        content((inline(Listing<AuditEventBody>) = "application/json"), (AuditEventBody = "application/x-ndjson"),
            (String = "text/csv")))))]
pub(crate) async fn list(
    api: web::Data<Api>,
    caller: Authenticated,
    path: PathIds,
    query: Query,
) -> Result<HttpResponse, ApiError> {
    Selection { scope: path.scope()?, filter: filter(&query)? }.respond(&api, &caller, &path, &query).await
}

/// Events in ascending order of position.
#[derive(Serialize, ToSchema)]
pub(crate) struct Feed {
    /// The events, oldest first. Empty if there are no new events.
    data: Vec<AuditEventBody>,
    /// Value of `after` for the next request.
    #[schema(example = 4210)]
    next: i64,
}

#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(dead_code, reason = "only describes the parameters that `follow` reads")]
pub(crate) struct FeedParameters {
    /// Return only events after this position: `next` of the previous response. Without it, the log is read from its
    /// start.
    #[param(minimum = 0)]
    after: Option<i64>,
    /// Maximum number of events to return; 100 by default.
    #[param(minimum = 1, maximum = 1000)]
    limit: Option<u16>,
}

/// Follow events
///
/// Returns the events of the project, or of the team and its projects, oldest first, starting after a position. To
/// receive each event once, poll with `after` set to the `next` of the previous response.
#[utoipa::path(get, path = "/event", params(FeedParameters),
    responses((status = 200, body = Feed, description = "The events after the position, oldest first.")))]
pub(crate) async fn follow(
    api: web::Data<Api>,
    caller: Authenticated,
    path: PathIds,
    query: Query,
) -> Result<HttpResponse, ApiError> {
    query.reject_unknown(&["after", "limit"])?;
    let after = query.get("after")?.map(|text| {
        let position = text.parse::<i64>().ok().filter(|position| *position >= 0);
        position.ok_or_else(|| Error::invalid("after", "must be the value of `next` in an earlier response"))
    });
    let (after, limit) = (after.transpose()?.unwrap_or_default(), query.page()?.limit.unwrap_or(DEFAULT_LIMIT));
    let events = api.steward.audit.follow(&caller.0, path.scope()?, after, limit).await?;
    let next = events.last().map_or(after, |event| event.position);
    let feed = move || Feed { data: events.into_iter().map(AuditEventBody::from).collect(), next };
    Ok(response::json_apart(&api.steward.compute, response::json_builder(), feed).await?)
}
