//! The audit log of teams and projects: in pages, or completely as a stream.

use std::sync::Arc;

use actix_web::HttpRequest;
use actix_web::http::header::{ACCEPT, CONTENT_TYPE};
use serde_json::Value;
use steward_api as wire;
use steward_domain::Steward;
use steward_domain::administration::{AuditEvent, AuditFilter, ItemChanges};
use steward_domain::data::tabular::CellText;
use steward_domain::kernel::error::Error;
use steward_domain::kernel::{Caller, Compute, Page, PageRequest, PageSize};
use uuid::Uuid;

use crate::error::ApiError;
use crate::extract::body::parse_timestamp;
use crate::extract::{Query, page};
use crate::route::serve;
use crate::serve::{Call, Outcome};
use crate::streamed::{self, Chunk};

serve! {
    ListProjectAudit | ListTeamAudit => list;
    ListProjectEvents | ListTeamEvents => follow;
}

/// Default number of events per page.
const DEFAULT_LIMIT: u16 = 100;

fn audit_event(event: AuditEvent) -> wire::AuditEvent {
    let actor = wire::AuditActor {
        kind: event.actor.kind,
        id: event.actor.id.map(Into::into),
        token_id: event.actor.token_id.map(|id| id.uuid().into()),
    };
    wire::AuditEvent {
        at: event.at.into(),
        action: event.action,
        operation: event.operation,
        actor,
        target: wire::AuditTarget { kind: event.target_kind, id: event.target_id },
        team_id: event.team_id.map(|id| id.uuid().into()),
        project_id: event.project_id.map(|id| id.uuid().into()),
        before: event.before,
        after: event.after,
        request_id: event.request_id,
        address: event.address,
        position: event.position,
    }
}

fn filter(query: &Query<(wire::AuditParameters, wire::PageParameters)>) -> Result<AuditFilter, ApiError> {
    query.reject_unknown(&["actor", "action", "target", "from", "to", "item_changes", "limit", "cursor"])?;
    let not_an_actor = "must be the ID of an account, an API key, a client or a personal access token";
    let item_changes = |text: &str| ItemChanges::parse(text).ok_or("must be include, exclude or only");
    Ok(AuditFilter {
        item_changes: query.parsed("item_changes", item_changes)?.unwrap_or_default(),
        actor: query.parsed("actor", |text| Uuid::try_parse(text).map_err(|_| not_an_actor))?,
        action: query.get("action")?.map(str::to_owned),
        target: query.get("target")?.map(str::to_owned),
        from: query.parsed("from", parse_timestamp)?,
        to: query.parsed("to", parse_timestamp)?,
    })
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

    /// Appends a page of events on a compute thread. Returns the request for the next page, too.
    async fn append(
        self,
        compute: &Arc<dyn Compute>,
        mut text: Vec<u8>,
        page: Page<AuditEvent>,
    ) -> Result<Chunk<PageRequest>, Error> {
        let size = PageSize::CHUNK.after_chunk_of(page.items.len());
        let write = move || {
            page.items.into_iter().try_for_each(|event| self.write(&mut text, event))?;
            Ok::<_, Error>(text)
        };
        let text = compute.call(true, write).await??;
        Ok((text, page.next.map(|after| PageRequest { limit: None, after: Some(after), size })))
    }

    fn write(self, text: &mut Vec<u8>, event: AuditEvent) -> Result<(), Error> {
        let body = audit_event(event);
        match self {
            Self::NdJson => {
                serde_json::to_writer(&mut *text, &body).map_err(|error| Error::Internal(error.into()))?;
                text.push(b'\n');
            }
            Self::Csv => {
                let mut row = csv::WriterBuilder::new().terminator(csv::Terminator::CRLF).from_writer(text);
                let json = |value: Option<Value>| value.map(|value| value.to_string()).unwrap_or_default();
                let cells = [
                    body.at.to_string(),
                    body.action,
                    body.operation,
                    body.actor.kind,
                    id_text(body.actor.id),
                    id_text(body.actor.token_id),
                    body.target.kind,
                    body.target.id,
                    id_text(body.team_id),
                    id_text(body.project_id),
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

/// Returns the cell of an ID; empty if there is none.
fn id_text(id: Option<impl ToString>) -> String {
    id.map(|id| id.to_string()).unwrap_or_default()
}

async fn list(call: Call<wire::ListProjectAudit>) -> Outcome<wire::ListProjectAudit> {
    let query = call.query();
    let (scope, filter, mut page_request) = (call.path, filter(&query)?, query.page()?);
    let read = async move |steward: &Steward, caller: &Caller, page: &PageRequest| {
        steward.audit.list(caller, scope, &filter, page).await
    };
    let (steward, caller) = (&call.api.steward, &call.caller);
    let Some(format) = Format::of(&call.request) else {
        page_request.limit.get_or_insert(DEFAULT_LIMIT);
        let Page { items, next } = read(steward, caller, &page_request).await?;
        let next_cursor = next.as_ref().map(page::encode);
        let (cursor, data) = (next_cursor.clone(), move || items.into_iter().map(audit_event).collect());
        let body = call.apart(move || wire::Listing { data: data(), next_cursor }).await?;
        return call.linked_page(body, cursor.as_deref());
    };
    if page_request.limit.is_some() {
        return Err(Error::invalid("limit", "must not be set for a stream, which contains all events").into());
    }
    // The first chunk is read before the response starts, so that an error can still be reported with its status.
    page_request.size = PageSize::CHUNK;
    let first = read(steward, caller, &page_request).await?;
    let first = format.append(&steward.compute, format.header(), first).await?;
    let reply = call.stream(first, async move |page_request, steward, caller| {
        let page = read(&steward, &streamed::require_caller(caller)?, &page_request).await?;
        format.append(&steward.compute, Vec::new(), page).await
    })?;
    Ok(reply.with(CONTENT_TYPE, format.media_type()))
}

async fn follow(call: Call<wire::ListProjectEvents>) -> Outcome<wire::ListProjectEvents> {
    let query = call.query();
    query.reject_unknown(&["after", "limit"])?;
    let after = query.parsed("after", |text| {
        let position = text.parse::<i64>().ok().filter(|position| *position >= 0);
        position.ok_or("must be the value of `next` in an earlier response")
    });
    let (after, limit) = (after?.unwrap_or_default(), query.page()?.limit.unwrap_or(DEFAULT_LIMIT));
    let (events, history) = call.api.steward.audit.follow(&call.caller, call.path, after, limit).await?;
    let next = events.last().map_or(after, |event| event.position);
    let feed = move || wire::Events {
        data: events.into_iter().map(audit_event).collect(),
        next,
        history: history.number,
        history_after: history.after,
    };
    call.reply(call.apart(feed).await?)
}
