//! The audit log of teams and projects: in pages, or whole as a stream.

use std::sync::Arc;

use actix_web::http::header::ACCEPT;
use actix_web::{HttpRequest, HttpResponse, web};
use serde::Serialize;
use serde_json::Value;
use steward_domain::error::Error;
use steward_domain::model::{AuditEvent, AuditFilter, Caller, Page, PageRequest, PageSize, ProjectId, TeamId};
use steward_domain::usecases::{FollowedScope, Steward};
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;

use super::{Address, at};
use crate::Api;
use crate::answer::{self, Listing, moment};
use crate::body::parse_timestamp;
use crate::error::ApiError;
use crate::extract::page::PageParameters;
use crate::extract::{Authenticated, PathIds, Query};
use crate::streamed::{self, Reader, Source};

pub(crate) fn mount(routes: &mut Vec<Address>) {
    at("/team/{team_id}/audit").get(of_team).mount(routes);
    at("/project/{id}/audit").get(of_project).mount(routes);
    at("/team/{team_id}/event").get(follow_team).mount(routes);
    at("/project/{id}/event").get(follow_project).mount(routes);
}

/// How many events a page holds unless a `limit` is given.
const DEFAULT_LIMIT: u16 = 100;

#[derive(Serialize, ToSchema)]
pub(crate) struct AuditEventBody {
    #[schema(format = DateTime)]
    at: String,
    /// A kind of thing and a verb, like `team.updated`, or `team.access_denied` for what was refused.
    action: String,
    /// The operation that was asked for.
    operation: String,
    actor: ActorBody,
    target: TargetBody,
    team_id: Option<String>,
    project_id: Option<String>,
    /// What was shown of the thing before.
    #[schema(value_type = Option<Object>)]
    before: Option<Value>,
    /// What is shown of the thing since.
    #[schema(value_type = Option<Object>)]
    after: Option<Value>,
    request_id: String,
    /// The address that the request came from.
    address: Option<String>,
    /// Where the event stands in the log. Positions grow in the order in which changes are stored, with gaps.
    position: i64,
}

#[derive(Serialize, ToSchema)]
pub(crate) struct ActorBody {
    /// `account`, `key` or `system`.
    #[serde(rename = "type")]
    kind: String,
    id: Option<String>,
    /// The personal access token through which the person acted.
    token_id: Option<String>,
}

#[derive(Serialize, ToSchema)]
pub(crate) struct TargetBody {
    #[serde(rename = "type")]
    kind: String,
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
            at: moment(event.at),
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
    /// The id of the account, key or token that did it.
    actor: Option<String>,
    /// What happened, like `team.updated`.
    action: Option<String>,
    /// The id of the thing that it happened to.
    target: Option<String>,
    /// From this moment on.
    #[param(value_type = Option<String>, format = DateTime)]
    from: Option<String>,
    /// Before this moment.
    #[param(value_type = Option<String>, format = DateTime)]
    to: Option<String>,
}

fn filter(query: &Query) -> Result<AuditFilter, ApiError> {
    query.only(&["actor", "action", "target", "from", "to", "limit", "cursor"])?;
    let moment = |name: &'static str| {
        let parsed = query.get(name)?.map(|text| parse_timestamp(text).map_err(|error| Error::invalid(name, error)));
        Ok::<_, ApiError>(parsed.transpose()?)
    };
    let actor = query.get("actor")?.map(|text| {
        Uuid::try_parse(text).map_err(|_| Error::invalid("actor", "must be the id of an account, a key or a token"))
    });
    Ok(AuditFilter {
        actor: actor.transpose()?,
        action: query.get("action")?.map(str::to_owned),
        target: query.get("target")?.map(str::to_owned),
        from: moment("from")?,
        to: moment("to")?,
    })
}

/// Whose log is asked for.
#[derive(Clone, Copy)]
enum Whose {
    Team(TeamId),
    Project(ProjectId),
}

/// What a log is asked for.
struct Reading {
    whose: Whose,
    filter: AuditFilter,
}

impl Reading {
    async fn page(&self, steward: &Steward, caller: &Caller, page: &PageRequest) -> Result<Page<AuditEvent>, Error> {
        match self.whose {
            Whose::Team(team) => steward.audit.of_team(caller, team, &self.filter, page).await,
            Whose::Project(project) => steward.audit.of_project(caller, project, &self.filter, page).await,
        }
    }

    async fn answer(
        self,
        api: &web::Data<Api>,
        caller: &Authenticated,
        named: &PathIds,
        query: &Query,
    ) -> Result<HttpResponse, ApiError> {
        let (request, mut wanted) = (named.request(), query.page()?);
        let Some(format) = Format::of(request) else {
            wanted.limit.get_or_insert(DEFAULT_LIMIT);
            let page = self.page(&api.steward, &caller.0, &wanted).await?;
            return Ok(answer::listed(request, page, AuditEventBody::from));
        };
        if wanted.limit.is_some() {
            return Err(Error::invalid("limit", "is for pages; a stream holds everything").into());
        }
        // The first piece is read before the answer begins, so that a refusal is told as one.
        wanted.size = PageSize::PIECE;
        let first = self.page(&api.steward, &caller.0, &wanted).await?;
        let (text, rest) = Log { reading: self, format, wanted }.written(format.heading(), first)?;
        let mut response = HttpResponse::Ok();
        response.content_type(format.media_type());
        Ok(Reader::of(request, api)?.respond(response, text, rest))
    }
}

/// What remains of a whole log.
struct Log {
    reading: Reading,
    format: Format,
    wanted: PageRequest,
}

impl Log {
    fn written(mut self, mut text: Vec<u8>, page: Page<AuditEvent>) -> Result<(Vec<u8>, Option<Self>), Error> {
        self.wanted.size = PageSize::after_piece_of(page.items.len());
        for event in page.items {
            self.format.write(&mut text, event)?;
        }
        self.wanted.after = page.next;
        let rest = self.wanted.after.is_some().then_some(self);
        Ok((text, rest))
    }
}

impl Source for Log {
    async fn piece(self, steward: &Arc<Steward>, caller: Option<Caller>) -> Result<(Vec<u8>, Option<Self>), Error> {
        let page = self.reading.page(steward, &streamed::known(caller)?, &self.wanted).await?;
        self.written(Vec::new(), page)
    }
}

/// How a stream is spelled.
#[derive(Clone, Copy)]
enum Format {
    Lines,
    Table,
}

impl Format {
    /// The one that the caller accepts instead of JSON.
    fn of(request: &HttpRequest) -> Option<Self> {
        let accepted = request.headers().get_all(ACCEPT).filter_map(|value| value.to_str().ok());
        let mut accepted = accepted.flat_map(|value| value.split(',')).filter_map(|range| range.split(';').next());
        accepted.find_map(|range| match range.trim().to_ascii_lowercase().as_str() {
            "application/x-ndjson" => Some(Self::Lines),
            "text/csv" => Some(Self::Table),
            _ => None,
        })
    }

    fn media_type(self) -> &'static str {
        match self {
            Self::Lines => "application/x-ndjson",
            Self::Table => "text/csv; charset=utf-8",
        }
    }

    fn heading(self) -> Vec<u8> {
        match self {
            Self::Lines => Vec::new(),
            Self::Table => {
                b"at,action,operation,actor_type,actor_id,token_id,target_type,target_id,team_id,project_id,before,after,\
                request_id,address,position\r\n"
                    .to_vec()
            }
        }
    }

    fn write(self, text: &mut Vec<u8>, event: AuditEvent) -> Result<(), Error> {
        let body = AuditEventBody::from(event);
        match self {
            Self::Lines => {
                serde_json::to_writer(&mut *text, &body).map_err(|error| Error::Internal(error.into()))?;
                text.push(b'\n');
            }
            Self::Table => {
                let mut row = csv::WriterBuilder::new().terminator(csv::Terminator::CRLF).from_writer(text);
                let json = |value: Option<Value>| value.map(|value| value.to_string()).unwrap_or_default();
                row.write_record([
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
                ])
                .map_err(|error| Error::Internal(error.into()))?;
            }
        }
        Ok(())
    }
}

/// List what happened in a team and its projects, newest first
///
/// `Accept: application/x-ndjson` or `text/csv` streams everything instead of a page.
#[utoipa::path(get, path = "/team/{team_id}/audit", operation_id = "listTeamAudit", tag = "teams",
    params(("team_id" = String, Path), FilterParameters, PageParameters),
    responses((status = 200, content((inline(Listing<AuditEventBody>) = "application/json"),
        (AuditEventBody = "application/x-ndjson"), (String = "text/csv")))))]
pub(crate) async fn of_team(
    api: web::Data<Api>,
    caller: Authenticated,
    named: PathIds,
    query: Query,
) -> Result<HttpResponse, ApiError> {
    let (whose, filter) = (Whose::Team(named.team()?), filter(&query)?);
    Reading { whose, filter }.answer(&api, &caller, &named, &query).await
}

/// List what happened in a project, newest first
///
/// `Accept: application/x-ndjson` or `text/csv` streams everything instead of a page.
#[utoipa::path(get, path = "/project/{id}/audit", operation_id = "listProjectAudit", tag = "projects",
    params(("id" = String, Path), FilterParameters, PageParameters),
    responses((status = 200, content((inline(Listing<AuditEventBody>) = "application/json"),
        (AuditEventBody = "application/x-ndjson"), (String = "text/csv")))))]
pub(crate) async fn of_project(
    api: web::Data<Api>,
    caller: Authenticated,
    named: PathIds,
    query: Query,
) -> Result<HttpResponse, ApiError> {
    let (whose, filter) = (Whose::Project(named.project()?), filter(&query)?);
    Reading { whose, filter }.answer(&api, &caller, &named, &query).await
}

/// Changes in the order in which they are told.
#[derive(Serialize, ToSchema)]
pub(crate) struct Feed {
    data: Vec<AuditEventBody>,
    /// What to send as `after` next time.
    next: i64,
}

#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(dead_code, reason = "only describes the parameters that `followed` reads")]
pub(crate) struct FeedParameters {
    /// The `next` of the answer before; without it, from the beginning.
    #[param(minimum = 0)]
    after: Option<i64>,
    /// At most this many; without it, 100.
    #[param(minimum = 1, maximum = 1000)]
    limit: Option<u16>,
}

async fn followed(
    api: &Api,
    caller: &Authenticated,
    scope: FollowedScope,
    query: &Query,
) -> Result<HttpResponse, ApiError> {
    query.only(&["after", "limit"])?;
    let after = query.get("after")?.map(|text| {
        let position = text.parse::<i64>().ok().filter(|position| *position >= 0);
        position.ok_or_else(|| Error::invalid("after", "must be the \"next\" of an earlier answer"))
    });
    let (after, most) = (after.transpose()?.unwrap_or_default(), query.page()?.limit.unwrap_or(DEFAULT_LIMIT));
    let events = api.steward.audit.follow(&caller.0, scope, after, most).await?;
    let next = events.last().map_or(after, |event| event.position);
    Ok(answer::ok(&Feed { data: events.into_iter().map(AuditEventBody::from).collect(), next }))
}

/// Follow the changes of a team and its projects, oldest first
#[utoipa::path(get, path = "/team/{team_id}/event", operation_id = "listTeamEvents", tag = "teams",
    params(("team_id" = String, Path), FeedParameters), responses((status = 200, body = Feed)))]
pub(crate) async fn follow_team(
    api: web::Data<Api>,
    caller: Authenticated,
    named: PathIds,
    query: Query,
) -> Result<HttpResponse, ApiError> {
    followed(&api, &caller, FollowedScope::Team(named.team()?), &query).await
}

/// Follow the changes of a project, oldest first
#[utoipa::path(get, path = "/project/{id}/event", operation_id = "listProjectEvents", tag = "projects",
    params(("id" = String, Path), FeedParameters), responses((status = 200, body = Feed)))]
pub(crate) async fn follow_project(
    api: web::Data<Api>,
    caller: Authenticated,
    named: PathIds,
    query: Query,
) -> Result<HttpResponse, ApiError> {
    followed(&api, &caller, FollowedScope::Project(named.project()?), &query).await
}
