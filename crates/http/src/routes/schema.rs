//! Schemas of projects (contract 6).

use std::sync::Arc;

use actix_web::{HttpResponse, web};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use steward_domain::error::{Error, FieldViolations};
use steward_domain::model::schema::{Change, ChangeList, SchemaVersion};
use steward_domain::model::{Caller, Cursor, Page, PageRequest, PageSize, ProjectId};
use steward_domain::usecases::{CheckResult, Publication, PublishOptions, SchemaSelection, Steward};
use utoipa::{IntoParams, ToSchema};

use crate::Api;
use crate::error::ApiError;
use crate::extract::body::{JsonBody, unchecked};
use crate::extract::page::PageParameters;
use crate::extract::{Authenticated, OptionalCaller, PathIds, Query};
use crate::response::{self, format_timestamp};
use crate::route::{ApiRoute, operations};
use crate::schema_diff::DiffBody;
use crate::streamed::{self, Reader, Source};

pub(crate) fn routes() -> Vec<ApiRoute> {
    operations! {
        SchemaGet => get;
        SchemaPublish => publish [InvalidSchema, VersionConflict, SchemaBreaking, TooManyItems, QuotaExceeded];
        SchemaPatch => patch [InvalidSchema, VersionConflict, SchemaBreaking, TooManyItems, QuotaExceeded];
        SchemaRollback => roll_back [InvalidSchema, VersionConflict, SchemaBreaking, TooManyItems, QuotaExceeded];
        SchemaCompare => compare [NotFound, InvalidSchema];
        SchemaVerify => verify [NotFound, InvalidSchema];
    }
}

/// Schemas are larger than other listed resources, and a parsed document needs more memory than its text.
const SCHEMA_PAGE: PageSize = PageSize { rows: 8, ..PageSize::CHUNK };

/// A published version of a project's schema.
#[derive(Serialize, ToSchema)]
pub(crate) struct SchemaBody {
    /// Unique ID of the version.
    #[schema(example = "018f2a3e-3f80-7c2b-b5d9-7a1e6c4f9d02")]
    id: String,
    /// ID of the project.
    project_id: String,
    /// Schema document as it was published: `project_id`, `version` (1 or higher), `tables`, and other members.
    #[schema(value_type = Object, example = json!({
        "project_id": "018f2a3c-7d1e-7cc4-9b3a-2f6d1c0e8a55",
        "version": 1,
        "tables": {"notes": {"fields": {"title": {"type": "string", "required": true}}}},
    }))]
    schema: Map<String, Value>,
    /// When the version was published.
    #[schema(format = DateTime)]
    updated_at: String,
}

impl From<SchemaVersion> for SchemaBody {
    fn from(version: SchemaVersion) -> Self {
        Self {
            id: version.id.to_string(),
            project_id: version.project_id.to_string(),
            schema: version.document.members().clone(),
            updated_at: format_timestamp(version.published_at),
        }
    }
}

/// Published versions of a schema, newest first.
#[derive(Serialize, ToSchema)]
#[schema(example = json!({
    "data": [{
        "id": "018f2a3e-3f80-7c2b-b5d9-7a1e6c4f9d02",
        "project_id": "018f2a3c-7d1e-7cc4-9b3a-2f6d1c0e8a55",
        "schema": {
            "project_id": "018f2a3c-7d1e-7cc4-9b3a-2f6d1c0e8a55",
            "version": 1,
            "tables": {"notes": {"fields": {"title": {"type": "string", "required": true}}}},
        },
        "updated_at": "2026-01-31T12:00:00.000Z",
    }],
}))]
pub(crate) struct SchemaListing {
    /// The selected versions; empty if there are none.
    data: Vec<SchemaBody>,
    /// Total number of versions. Only with `version=all`.
    #[serde(skip_serializing_if = "Option::is_none")]
    count: Option<u32>,
    /// Cursor of the next page. Absent on the last page.
    #[serde(skip_serializing_if = "Option::is_none")]
    next_cursor: Option<String>,
}

#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(dead_code, reason = "only describes the parameter that `selection` reads")]
pub(crate) struct VersionParameter {
    /// Version number, or `all` for all versions. Default: the newest version.
    #[param(example = "all")]
    version: Option<String>,
}

#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(dead_code, reason = "only describes the parameters that `publish_options` reads")]
pub(crate) struct PublishParameters {
    /// Whether to only check the publication. Nothing is stored; the response contains the version that would be
    /// published, and its effects.
    dry_run: Option<bool>,
    /// Whether to publish even if stored items no longer conform to the schema. These items stay unchanged.
    allow_destructive: Option<bool>,
}

/// A version that was published, or that would be published without `dry_run`.
#[derive(Serialize, ToSchema)]
#[schema(example = json!({
    "data": {
        "id": "018f2a3e-3f80-7c2b-b5d9-7a1e6c4f9d02",
        "project_id": "018f2a3c-7d1e-7cc4-9b3a-2f6d1c0e8a55",
        "schema": {
            "project_id": "018f2a3c-7d1e-7cc4-9b3a-2f6d1c0e8a55",
            "version": 1,
            "tables": {"notes": {"fields": {"title": {"type": "string", "required": true}}}},
        },
        "updated_at": "2026-01-31T12:00:00.000Z",
    },
}))]
pub(crate) struct PublicationBody {
    /// The version. With `dry_run`, its `id` and `updated_at` are not stored.
    data: SchemaBody,
    /// Effects of the publication on stored items. Only with `dry_run`.
    #[serde(skip_serializing_if = "Option::is_none")]
    diff: Option<DiffBody>,
}

impl From<Publication> for PublicationBody {
    fn from(publication: Publication) -> Self {
        let Publication { version, diff } = publication;
        Self { data: version.into(), diff: diff.as_ref().map(DiffBody::from) }
    }
}

/// The version to publish again.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RollbackBody {
    /// Number of a published version.
    version: u32,
}

/// A schema document, or changes to merge into one.
#[derive(Deserialize, ToSchema)]
pub(crate) struct SchemaDocumentBody {
    /// Schema document: an object with `project_id`, `version` and `tables`. In a PATCH request, only the changes to
    /// merge (RFC 7396): null removes a member.
    #[schema(value_type = Object, example = json!({
        "project_id": "018f2a3c-7d1e-7cc4-9b3a-2f6d1c0e8a55",
        "version": 1,
        "tables": {"notes": {"fields": {"title": {"type": "string", "required": true}}}},
    }))]
    schema: Value,
}

impl SchemaDocumentBody {
    /// Returns the members of the document. Fails if the document is not an object; does not check it further.
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

/// Changes between the published schema and a document.
#[derive(Serialize, ToSchema)]
#[schema(example = json!({
    "valid": false,
    "changes": [
        {"type": "property_changed", "property": "version", "old": 1, "new": 2},
        {"type": "table_added", "table": "notes"},
    ],
}))]
pub(crate) struct Comparison {
    /// Whether there are no changes.
    valid: bool,
    /// The first 1,000 changes: each has a `type` such as `field_added`, the location of the change, and `old` and
    /// `new` if present.
    #[schema(value_type = Vec<Object>)]
    changes: Vec<Value>,
    /// `true` if there are more changes; otherwise absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    truncated: Option<bool>,
}

impl From<ChangeList> for Comparison {
    fn from(list: ChangeList) -> Self {
        let changes: Vec<Value> = list.changes.iter().map(Change::to_value).collect();
        Self { valid: changes.is_empty(), changes, truncated: list.truncated.then_some(true) }
    }
}

/// Whether a document can be published as the next version.
#[derive(Serialize, ToSchema)]
#[schema(example = json!({
    "valid": true,
    "errors": [],
    "changes": [
        {"type": "property_changed", "property": "version", "old": 1, "new": 2},
        {"type": "table_added", "table": "notes"},
    ],
}))]
pub(crate) struct CheckResultBody {
    /// Whether the document can be published as the next version.
    valid: bool,
    /// The first 100 violations; empty if `valid` is `true`.
    #[schema(value_type = Vec<Object>)]
    errors: Vec<Value>,
    /// The first 1,000 changes relative to the newest version.
    #[schema(value_type = Vec<Object>)]
    changes: Vec<Value>,
    /// `true` if there are more violations or changes; otherwise absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    truncated: Option<bool>,
    /// The first reason why the document cannot be published. Absent if `valid` is `true`.
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<&'static str>,
}

impl From<CheckResult> for CheckResultBody {
    fn from(result: CheckResult) -> Self {
        Self {
            valid: result.message.is_none(),
            truncated: (result.errors.is_truncated() || result.changes.truncated).then_some(true),
            errors: result.errors.as_slice().to_vec(),
            changes: result.changes.changes.iter().map(Change::to_value).collect(),
            message: result.message,
        }
    }
}

fn selection(query: &Query) -> Result<SchemaSelection, ApiError> {
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
                return Err(Error::invalid("version", "must be a version number or `all`").into());
            }
            // A number that does not fit is higher than every version.
            Ok(SchemaSelection::Number(text.parse().unwrap_or(u32::MAX)))
        }
    }
}

/// Reads the options of a publication. Rejects unknown parameters, because a misspelled `dry_run` must not publish.
fn publish_options(query: &Query) -> Result<PublishOptions, ApiError> {
    query.reject_unknown(&["dry_run", "allow_destructive"])?;
    Ok(PublishOptions { dry_run: query.flag("dry_run")?, allow_destructive: query.flag("allow_destructive")? })
}

/// List schema versions
///
/// Returns the newest version of a project's schema, the version with a number, or all versions, newest first. Requires
/// no credential.
#[utoipa::path(get, path = "/project/{id}/schema", tag = "project-schema", params(VersionParameter, PageParameters),
    responses((status = 200, body = SchemaListing)))]
pub(crate) async fn get(
    api: web::Data<Api>,
    _: OptionalCaller,
    path: PathIds,
    query: Query,
) -> Result<HttpResponse, ApiError> {
    let (project, selection) = (path.project()?, selection(&query)?);
    let count = match selection {
        SchemaSelection::All(_) => Some(api.steward.schemas.count(project).await?),
        SchemaSelection::Newest | SchemaSelection::Number(_) => None,
    };
    let is_complete = matches!(&selection, SchemaSelection::All(page) if page.limit.is_none());
    let page = api.steward.schemas.get(project, selection).await?;
    if let (true, Some(after), Some(count)) = (is_complete, page.next.clone(), count) {
        let versions = AllVersions { project, count, after };
        let (written, rest) = versions.append(b"{\"data\":[".to_vec(), page)?;
        return Ok(Reader::of(path.request(), &api)?.respond(response::json_builder(), written, rest));
    }
    let (mut response, next_cursor) = response::paged(path.request(), &page);
    let data = page.items.into_iter().map(SchemaBody::from).collect();
    Ok(response.json(SchemaListing { data, count, next_cursor }))
}

/// The versions of a schema that are not written yet.
struct AllVersions {
    project: ProjectId,
    /// Total number of versions.
    count: u32,
    /// Cursor of the last version that is written.
    after: Cursor,
}

impl AllVersions {
    /// Appends a page of versions, and the end of the document after the last one.
    fn append(mut self, mut text: Vec<u8>, page: Page<SchemaVersion>) -> Result<(Vec<u8>, Option<Self>), Error> {
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
    async fn next_chunk(self, steward: &Arc<Steward>, _: Option<Caller>) -> Result<(Vec<u8>, Option<Self>), Error> {
        let request = PageRequest { limit: None, after: Some(self.after.clone()), size: SCHEMA_PAGE };
        let page = steward.schemas.get(self.project, SchemaSelection::All(request)).await?;
        self.append(Vec::new(), page)
    }
}

/// Publish a schema
///
/// Publishes a document as the next version of a project's schema. An absent `project_id` or `version` is filled in.
#[utoipa::path(post, path = "/project/{id}/schema", tag = "project-schema", params(PublishParameters),
    request_body = SchemaDocumentBody, responses((status = 200, body = PublicationBody)))]
pub(crate) async fn publish(
    api: web::Data<Api>,
    caller: Authenticated,
    path: PathIds,
    query: Query,
    body: JsonBody,
) -> Result<HttpResponse, ApiError> {
    let (project, options) = (path.project()?, publish_options(&query)?);
    let document = body.ignoring_fields_of::<SchemaBody>().read(SchemaDocumentBody::object)?;
    let publication = api.steward.schemas.publish(&caller.0, project, document, options).await?;
    Ok(response::ok(&PublicationBody::from(publication)))
}

/// Patch a schema
///
/// Merges changes into the newest version of a project's schema (RFC 7396) and publishes the result as the next
/// version.
#[utoipa::path(patch, path = "/project/{id}/schema", tag = "project-schema", params(PublishParameters),
    request_body = SchemaDocumentBody, responses((status = 200, body = PublicationBody)))]
pub(crate) async fn patch(
    api: web::Data<Api>,
    caller: Authenticated,
    path: PathIds,
    query: Query,
    body: JsonBody,
) -> Result<HttpResponse, ApiError> {
    let (project, options) = (path.project()?, publish_options(&query)?);
    let changes = body.ignoring_fields_of::<SchemaBody>().read(SchemaDocumentBody::members)?;
    let publication = api.steward.schemas.patch(&caller.0, project, &changes, options).await?;
    Ok(response::ok(&PublicationBody::from(publication)))
}

/// Roll back a schema
///
/// Publishes the document of an earlier version of a project's schema as the next version.
#[utoipa::path(post, path = "/project/{id}/schema/rollback", tag = "project-schema", params(PublishParameters),
    request_body = RollbackBody, responses((status = 200, body = PublicationBody)))]
pub(crate) async fn roll_back(
    api: web::Data<Api>,
    caller: Authenticated,
    path: PathIds,
    query: Query,
    body: JsonBody,
) -> Result<HttpResponse, ApiError> {
    let (project, options) = (path.project()?, publish_options(&query)?);
    let number = body.read(unchecked::<RollbackBody>)?.version;
    let publication = api.steward.schemas.roll_back(&caller.0, project, number, options).await?;
    Ok(response::ok(&PublicationBody::from(publication)))
}

/// Compare a schema
///
/// Returns the changes from the published schema of the document's `project_id` to the document. Requires no
/// credential.
#[utoipa::path(post, path = "/utils/schema/compareSchema", tag = "utils", request_body = SchemaDocumentBody,
    responses((status = 200, body = Comparison)))]
pub(crate) async fn compare(api: web::Data<Api>, _: OptionalCaller, body: JsonBody) -> Result<HttpResponse, ApiError> {
    let document = body.ignoring_fields_of::<SchemaBody>().read(SchemaDocumentBody::object)?;
    let changes = api.steward.schemas.compare(document).await?;
    Ok(response::ok(&Comparison::from(changes)))
}

/// Check a schema update
///
/// Returns whether the document can be published as the next version of the schema of its `project_id`, and the
/// changes. Nothing is stored. Requires no credential.
#[utoipa::path(post, path = "/utils/schema/verifyUpdateSchema", tag = "utils", request_body = SchemaDocumentBody,
    responses((status = 200, body = CheckResultBody)))]
pub(crate) async fn verify(api: web::Data<Api>, _: OptionalCaller, body: JsonBody) -> Result<HttpResponse, ApiError> {
    let document = body.ignoring_fields_of::<SchemaBody>().read(SchemaDocumentBody::object)?;
    Ok(response::ok(&CheckResultBody::from(api.steward.schemas.verify(document).await?)))
}
