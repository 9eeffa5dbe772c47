//! Schemas of projects (contract 6).

use std::sync::Arc;

use actix_web::http::Method;
use actix_web::{HttpResponse, web};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use steward_domain::error::{Error, FieldViolations};
use steward_domain::model::schema::{Change, ChangeList, SchemaVersion};
use steward_domain::model::{Caller, Cursor, Page, PageRequest, PageSize, ProjectId};
use steward_domain::usecases::{CheckResult, Publication, PublishOptions, SchemaSelection, Steward};
use utoipa::{IntoParams, ToSchema};

use super::{Address, at};
use crate::Api;
use crate::answer::{self, moment};
use crate::body::{JsonBody, whole};
use crate::error::{ApiError, ErrorBody};
use crate::extract::page::PageParameters;
use crate::extract::{Authenticated, PathIds, Query, Visitor};
use crate::schema_diff::DiffBody;
use crate::streamed::{self, Reader, Source};

pub(crate) fn mount(routes: &mut Vec<Address>) {
    at("/project/{id}/schema").get(get).on(Method::POST, publish).on(Method::PATCH, patch).mount(routes);
    at("/project/{id}/schema/rollback").on(Method::POST, roll_back).mount(routes);
    at("/utils/schema/compareSchema").on(Method::POST, compare).mount(routes);
    at("/utils/schema/verifyUpdateSchema").on(Method::POST, verify).mount(routes);
}

/// Schemas are large beside other things in lists, and a document takes more memory than its text.
const SCHEMA_PAGE: PageSize = PageSize { rows: 8, ..PageSize::PIECE };

#[derive(Serialize, ToSchema)]
pub(crate) struct SchemaBody {
    id: String,
    project_id: String,
    #[schema(value_type = Object)]
    schema: Map<String, Value>,
    #[schema(format = DateTime)]
    updated_at: String,
}

impl From<SchemaVersion> for SchemaBody {
    fn from(version: SchemaVersion) -> Self {
        Self {
            id: version.id.to_string(),
            project_id: version.project_id.to_string(),
            schema: version.document.members().clone(),
            updated_at: moment(version.published_at),
        }
    }
}

/// Published versions, newest first.
#[derive(Serialize, ToSchema)]
pub(crate) struct SchemaListing {
    data: Vec<SchemaBody>,
    /// How many versions there are; only with `version=all`.
    #[serde(skip_serializing_if = "Option::is_none")]
    count: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    next_cursor: Option<String>,
}

#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(dead_code, reason = "only describes the parameter that `which` reads")]
pub(crate) struct VersionParameter {
    /// A number, or `all`; without it, the newest.
    version: Option<String>,
}

#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(dead_code, reason = "only describes the parameters that `terms` reads")]
pub(crate) struct PublishParameters {
    /// Store nothing; the answer tells what would be published and what that would do.
    dry_run: Option<bool>,
    /// Publish although stored items would no longer fit. They are kept as they are.
    allow_destructive: Option<bool>,
}

/// A version that was published, or with `dry_run` would be.
#[derive(Serialize, ToSchema)]
pub(crate) struct PublicationBody {
    data: SchemaBody,
    /// What it would do; only with `dry_run`.
    #[serde(skip_serializing_if = "Option::is_none")]
    diff: Option<DiffBody>,
}

impl From<Publication> for PublicationBody {
    fn from(publication: Publication) -> Self {
        let Publication { version, diff } = publication;
        Self { data: version.into(), diff: diff.as_ref().map(DiffBody::from) }
    }
}

/// Which version is to be published again.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RollbackBody {
    /// The number of a published version.
    version: u32,
}

/// A schema document, or changes to be merged into one (RFC 7396: null removes).
#[derive(Deserialize, ToSchema)]
pub(crate) struct SchemaDocumentBody {
    #[schema(value_type = Object)]
    schema: Value,
}

impl SchemaDocumentBody {
    /// The members of the document, which is an object whatever its violations are.
    fn members(self, mut errors: FieldViolations) -> Result<Map<String, Value>, Error> {
        let members = match self.schema {
            Value::Object(members) => Ok(members),
            _ => Err("must be an object"),
        };
        let members = errors.note("schema", members);
        errors.or(members)
    }

    fn object(self, errors: FieldViolations) -> Result<Value, Error> {
        self.members(errors).map(Value::Object)
    }
}

#[derive(Serialize, ToSchema)]
pub(crate) struct Comparison {
    /// Whether nothing changed.
    valid: bool,
    /// What changed: at most 1,000 changes.
    #[schema(value_type = Vec<Object>)]
    changes: Vec<Value>,
    /// `true` when there are more changes.
    #[serde(skip_serializing_if = "Option::is_none")]
    truncated: Option<bool>,
}

impl From<ChangeList> for Comparison {
    fn from(list: ChangeList) -> Self {
        let changes: Vec<Value> = list.changes.iter().map(Change::to_value).collect();
        Self { valid: changes.is_empty(), changes, truncated: list.truncated.then_some(true) }
    }
}

#[derive(Serialize, ToSchema)]
pub(crate) struct CheckResultBody {
    /// Whether it could be published next.
    valid: bool,
    /// What stands against it: at most 100 violations.
    #[schema(value_type = Vec<Object>)]
    errors: Vec<Value>,
    /// What would change: at most 1,000 changes.
    #[schema(value_type = Vec<Object>)]
    changes: Vec<Value>,
    /// `true` when there are more violations or changes.
    #[serde(skip_serializing_if = "Option::is_none")]
    truncated: Option<bool>,
    /// Why it could not.
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<&'static str>,
}

impl From<CheckResult> for CheckResultBody {
    fn from(verdict: CheckResult) -> Self {
        Self {
            valid: verdict.message.is_none(),
            truncated: (verdict.errors.is_truncated() || verdict.changes.truncated).then_some(true),
            errors: verdict.errors.as_slice().to_vec(),
            changes: verdict.changes.changes.iter().map(Change::to_value).collect(),
            message: verdict.message,
        }
    }
}

fn which(query: &Query) -> Result<SchemaSelection, ApiError> {
    let mut page = query.page()?;
    if page.limit.is_none() {
        page.size = SCHEMA_PAGE;
    }
    match query.get("version")? {
        None => Ok(SchemaSelection::Newest),
        Some("all") => Ok(SchemaSelection::All(page)),
        Some(text) => {
            let digits = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
            if !digits {
                return Err(Error::invalid("version", "must be a number or all").into());
            }
            // No project has so many versions that this number could not count them.
            Ok(SchemaSelection::Number(text.parse().unwrap_or(u32::MAX)))
        }
    }
}

/// How to publish. A misspelt `dry_run` must not publish.
fn terms(query: &Query) -> Result<PublishOptions, ApiError> {
    query.only(&["dry_run", "allow_destructive"])?;
    Ok(PublishOptions { dry_run: query.flag("dry_run")?, allow_destructive: query.flag("allow_destructive")? })
}

/// Read published versions of a project's schema
#[utoipa::path(get, path = "/project/{id}/schema", operation_id = "getSchema", tag = "project-schema",
    params(("id" = String, Path), VersionParameter, PageParameters), responses((status = 200, body = SchemaListing)))]
pub(crate) async fn get(
    api: web::Data<Api>,
    _: Visitor,
    named: PathIds,
    query: Query,
) -> Result<HttpResponse, ApiError> {
    let (project, which) = (named.project()?, which(&query)?);
    let count = match which {
        SchemaSelection::All(_) => Some(api.steward.schemas.count(project).await?),
        SchemaSelection::Newest | SchemaSelection::Number(_) => None,
    };
    let is_whole = matches!(&which, SchemaSelection::All(wanted) if wanted.limit.is_none());
    let page = api.steward.schemas.get(project, which).await?;
    if let (true, Some(after), Some(count)) = (is_whole, page.next.clone(), count) {
        let begun = AllVersions { project, count, after };
        let (written, rest) = begun.written(b"{\"data\":[".to_vec(), page)?;
        return Ok(Reader::of(named.request(), &api)?.respond(answer::json_builder(), written, rest));
    }
    let (mut response, next_cursor) = answer::paged(named.request(), &page);
    let data = page.items.into_iter().map(SchemaBody::from).collect();
    Ok(response.json(SchemaListing { data, count, next_cursor }))
}

/// What remains of all versions of a schema.
struct AllVersions {
    project: ProjectId,
    /// How many versions there are.
    count: u32,
    after: Cursor,
}

impl AllVersions {
    /// Appends a page of versions; after the last one also what closes the document.
    fn written(mut self, mut text: Vec<u8>, page: Page<SchemaVersion>) -> Result<(Vec<u8>, Option<Self>), Error> {
        streamed::push_members(&mut text, page.items.into_iter().map(SchemaBody::from))?;
        if let Some(after) = page.next {
            self.after = after;
            return Ok((text, Some(self)));
        }
        text.extend_from_slice(format!("],\"count\":{}}}", self.count).as_bytes());
        Ok((text, None))
    }
}

impl Source for AllVersions {
    async fn piece(self, steward: &Arc<Steward>, _: Option<Caller>) -> Result<(Vec<u8>, Option<Self>), Error> {
        let wanted = PageRequest { limit: None, after: Some(self.after.clone()), size: SCHEMA_PAGE };
        let page = steward.schemas.get(self.project, SchemaSelection::All(wanted)).await?;
        self.written(Vec::new(), page)
    }
}

/// Publish a document as the next version of a project's schema
#[utoipa::path(post, path = "/project/{id}/schema", operation_id = "publishSchema", tag = "project-schema",
    params(("id" = String, Path), PublishParameters), request_body = SchemaDocumentBody,
    responses((status = 200, body = PublicationBody), (status = 409, body = ErrorBody)))]
pub(crate) async fn publish(
    api: web::Data<Api>,
    caller: Authenticated,
    named: PathIds,
    query: Query,
    body: JsonBody,
) -> Result<HttpResponse, ApiError> {
    let (project, terms) = (named.project()?, terms(&query)?);
    let document = body.of_entity::<SchemaBody>().read(SchemaDocumentBody::object)?;
    let publication = api.steward.schemas.publish(&caller.0, project, document, terms).await?;
    Ok(answer::ok(&PublicationBody::from(publication)))
}

/// Merge changes into the newest version of a project's schema, and publish the result as the next
#[utoipa::path(patch, path = "/project/{id}/schema", operation_id = "patchSchema", tag = "project-schema",
    params(("id" = String, Path), PublishParameters), request_body = SchemaDocumentBody,
    responses((status = 200, body = PublicationBody), (status = 409, body = ErrorBody)))]
pub(crate) async fn patch(
    api: web::Data<Api>,
    caller: Authenticated,
    named: PathIds,
    query: Query,
    body: JsonBody,
) -> Result<HttpResponse, ApiError> {
    let (project, terms) = (named.project()?, terms(&query)?);
    let changes = body.of_entity::<SchemaBody>().read(SchemaDocumentBody::members)?;
    let publication = api.steward.schemas.patch(&caller.0, project, &changes, terms).await?;
    Ok(answer::ok(&PublicationBody::from(publication)))
}

/// Publish an earlier version of a project's schema again, as the next
#[utoipa::path(post, path = "/project/{id}/schema/rollback", operation_id = "rollbackSchema", tag = "project-schema",
    params(("id" = String, Path), PublishParameters), request_body = RollbackBody,
    responses((status = 200, body = PublicationBody), (status = 409, body = ErrorBody)))]
pub(crate) async fn roll_back(
    api: web::Data<Api>,
    caller: Authenticated,
    named: PathIds,
    query: Query,
    body: JsonBody,
) -> Result<HttpResponse, ApiError> {
    let (project, terms) = (named.project()?, terms(&query)?);
    let number = body.read(whole::<RollbackBody>)?.version;
    let publication = api.steward.schemas.roll_back(&caller.0, project, number, terms).await?;
    Ok(answer::ok(&PublicationBody::from(publication)))
}

/// Tell what a document would change of the published schema of its project
#[utoipa::path(post, path = "/utils/schema/compareSchema", operation_id = "compareSchema", tag = "utils",
    request_body = SchemaDocumentBody,
    responses((status = 200, body = Comparison), (status = 404, body = ErrorBody)))]
pub(crate) async fn compare(api: web::Data<Api>, _: Visitor, body: JsonBody) -> Result<HttpResponse, ApiError> {
    let document = body.of_entity::<SchemaBody>().read(SchemaDocumentBody::object)?;
    let changes = api.steward.schemas.compare(document).await?;
    Ok(answer::ok(&Comparison::from(changes)))
}

/// Tell whether a document could be published next
#[utoipa::path(post, path = "/utils/schema/verifyUpdateSchema", operation_id = "verifyUpdateSchema", tag = "utils",
    request_body = SchemaDocumentBody,
    responses((status = 200, body = CheckResultBody), (status = 404, body = ErrorBody)))]
pub(crate) async fn verify(api: web::Data<Api>, _: Visitor, body: JsonBody) -> Result<HttpResponse, ApiError> {
    let document = body.of_entity::<SchemaBody>().read(SchemaDocumentBody::object)?;
    Ok(answer::ok(&CheckResultBody::from(api.steward.schemas.verify(document).await?)))
}
