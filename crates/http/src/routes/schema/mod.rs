//! Schemas of projects (docs/contract.md#schemas).

mod body;

use std::sync::Arc;

use actix_web::{HttpResponse, web};
use steward_api as wire;
use steward_domain::error::{Error, ResourceKind};
use steward_domain::model::schema::SchemaVersion;
use steward_domain::model::{Caller, Cursor, Page, PageRequest, PageSize, ProjectId, Revision};
use steward_domain::usecases::{Publication, PublishOptions, SchemaSelection, Steward};

use self::body::{
    document_members, document_object, listing_of_one, schema_check, schema_comparison, schema_version,
    shown_publication,
};
use crate::Api;
use crate::error::ApiError;
use crate::extract::body::{JsonBody, unchecked};
use crate::extract::precondition::{self, ResourceTag};
use crate::extract::{Authenticated, OptionalCaller, PathIds, Query};
use crate::response;
use crate::route::{ApiRoute, routes};
use crate::streamed::{self, Reader, Source};

pub(crate) fn routes() -> Vec<ApiRoute> {
    routes! {
        GetSchema => get;
        PublishSchema => publish;
        PatchSchema => patch;
        RollbackSchema => roll_back;
        CompareSchema => compare;
        VerifyUpdateSchema => verify;
    }
}

/// Schemas are larger than other listed resources, and a parsed document needs more memory than its text.
const SCHEMA_PAGE: PageSize = PageSize { rows: 8, ..PageSize::CHUNK };

/// Returns the entity tag of a version. Its revision is its number, and it never changes.
fn tag(version: &SchemaVersion) -> ResourceTag {
    ResourceTag::of(Revision(version.number.into()), &version.id.to_string())
}

/// Returns a publication. The version of a dry run is not stored, so it has no entity tag.
fn publication_response(publication: Publication, options: PublishOptions) -> HttpResponse {
    let tag = (!options.dry_run).then(|| tag(&publication.version));
    let response = response::ok(&shown_publication(publication));
    match tag {
        Some(tag) => response::tagged(tag, response),
        None => response,
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
    if let (None, Some(version)) = (count, page.items.first()) {
        let body = listing_of_one(version);
        return response::resource_with_tag(path.request(), ResourceKind::Schema, tag(version), &body);
    }
    let (mut response, next_cursor) = response::paged(path.request(), &page);
    let data = page.items.iter().map(schema_version).collect();
    Ok(response.json(wire::SchemaListing { data, count, next_cursor }))
}

/// The versions of a schema that are not written yet.
#[derive(Clone)]
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
        streamed::push_members(&mut text, page.items.iter().map(schema_version))?;
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

pub(crate) async fn publish(
    api: web::Data<Api>,
    caller: Authenticated,
    path: PathIds,
    query: Query,
    body: JsonBody,
) -> Result<HttpResponse, ApiError> {
    let (project, options) = (path.project()?, publish_options(&query)?);
    let document = body.read(document_object)?;
    let publication = api.steward.schemas.publish(&caller.0, project, document, options).await?;
    Ok(publication_response(publication, options))
}

pub(crate) async fn patch(
    api: web::Data<Api>,
    caller: Authenticated,
    path: PathIds,
    query: Query,
    body: JsonBody,
) -> Result<HttpResponse, ApiError> {
    let (project, options) = (path.project()?, publish_options(&query)?);
    let when = precondition::for_write(path.request())?;
    // Its `id` is that of the version that is replaced.
    let body = body.with_ids([("project_id", project.uuid())]);
    let changes = body.read(document_members)?;
    let publication = api.steward.schemas.patch(&caller.0, project, &changes, options, &when).await?;
    Ok(publication_response(publication, options))
}

pub(crate) async fn roll_back(
    api: web::Data<Api>,
    caller: Authenticated,
    path: PathIds,
    query: Query,
    body: JsonBody,
) -> Result<HttpResponse, ApiError> {
    let (project, options) = (path.project()?, publish_options(&query)?);
    let number = body.read(unchecked::<wire::Rollback>)?.version;
    let publication = api.steward.schemas.roll_back(&caller.0, project, number, options).await?;
    Ok(publication_response(publication, options))
}

pub(crate) async fn compare(api: web::Data<Api>, _: OptionalCaller, body: JsonBody) -> Result<HttpResponse, ApiError> {
    let document = body.read(document_object)?;
    let changes = api.steward.schemas.compare(document).await?;
    Ok(response::ok(&schema_comparison(changes)))
}

pub(crate) async fn verify(api: web::Data<Api>, _: OptionalCaller, body: JsonBody) -> Result<HttpResponse, ApiError> {
    let document = body.read(document_object)?;
    Ok(response::ok(&schema_check(api.steward.schemas.verify(document).await?)))
}
