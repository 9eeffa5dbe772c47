//! Projects (docs/contract.md#projects).

mod body;

use std::sync::Arc;

use actix_web::{HttpResponse, web};
use steward_domain::error::ResourceKind;
use steward_domain::model::{Project, ProjectUsage};
use steward_domain::usecases::Steward;

use self::body::{
    NewProject, ProjectBody, ProjectChanges, ProjectCreated, ProjectListItem, ProjectPatch, ProjectUpdated,
    PublicProfile,
};
use super::team::Availability;
use crate::Api;
use crate::error::ApiError;
use crate::extract::body::JsonBody;
use crate::extract::page::PageParameters;
use crate::extract::precondition::{self, ResourceTag};
use crate::extract::{Authenticated, OptionalCaller, PathIds, Query};
use crate::response::{self, Data, Listing, Message};
use crate::route::{ApiRoute, operations};
use crate::streamed;

pub(crate) fn routes() -> Vec<ApiRoute> {
    operations! {
        ProjectList => list;
        ProjectCreate => create [SlugTaken, SlugReserved, QuotaExceeded];
        ProjectSlug => slug;
        ProjectGet => get [PreconditionFailed];
        ProjectUpdate => update [SlugTaken, SlugReserved, QuotaExceeded, PreconditionFailed];
        ProjectDelete => delete [PreconditionFailed];
        ProjectProfile => profile [PreconditionFailed];
    }
}

/// Returns a project as GET shows it.
fn shown(project: Project, usage: Option<ProjectUsage>, api: &Api) -> Data<ProjectBody> {
    Data { data: ProjectBody::of(project, usage, &api.steward) }
}

fn tag(project: Project, usage: Option<ProjectUsage>, api: &Api) -> ResourceTag {
    ResourceTag::of(project.revision, &shown(project, usage, api))
}

/// List projects
///
/// Returns the projects of all of the caller's teams, newest first. With an API key, returns only the key's own
/// project.
#[utoipa::path(get, path = "/project", tag = "projects", params(PageParameters),
    responses((status = 200, body = inline(Listing<ProjectListItem>))))]
pub(crate) async fn list(
    api: web::Data<Api>,
    caller: Authenticated,
    path: PathIds,
    query: Query,
) -> Result<HttpResponse, ApiError> {
    let read = async move |steward: Arc<Steward>, caller, page| steward.projects.list(&caller, &page).await;
    let address = api.steward.address.clone();
    let to_body = move |project| ProjectListItem::of(project, &address);
    streamed::list(&api, &caller, path.request(), query.page()?, read, to_body).await
}

/// Create a project
///
/// Creates a project in one of the caller's teams.
#[utoipa::path(post, path = "/project", tag = "projects", request_body = NewProject,
    responses((status = 201, body = inline(Data<ProjectCreated>))))]
pub(crate) async fn create(
    api: web::Data<Api>,
    caller: Authenticated,
    body: JsonBody,
) -> Result<HttpResponse, ApiError> {
    let command = body.ignoring_fields_of::<ProjectBody>().read(NewProject::parse)?;
    let project = api.steward.projects.create(&caller.0, command).await?;
    let created = response::created(&Data { data: ProjectCreated::from(&project) });
    Ok(response::tagged(tag(project, Some(ProjectUsage::default()), &api), created))
}

/// Get a project
///
/// Returns a project with the usage and limits of its quotas.
#[utoipa::path(get, path = "/project/{id}", tag = "projects",
    responses((status = 200, body = inline(Data<ProjectBody>)),
        (status = 304, description = "The project has the ETag in `If-None-Match`.")))]
pub(crate) async fn get(api: web::Data<Api>, caller: Authenticated, path: PathIds) -> Result<HttpResponse, ApiError> {
    let (project, usage) = api.steward.projects.get(&caller.0, path.project()?).await?;
    response::resource(path.request(), ResourceKind::Project, project.revision, &shown(project, usage, &api))
}

/// Get the public profile of a project
///
/// Returns the information about a project that everyone may read. Requires no credential.
#[utoipa::path(get, path = "/project/{id}/profile", tag = "projects",
    responses((status = 200, body = inline(Data<PublicProfile>)),
        (status = 304, description = "The profile has the ETag in `If-None-Match`.")))]
pub(crate) async fn profile(api: web::Data<Api>, _: OptionalCaller, path: PathIds) -> Result<HttpResponse, ApiError> {
    let project = api.steward.projects.profile(path.project()?).await?;
    let revision = project.revision;
    let profile = Data { data: PublicProfile::of(project, &api.steward.address) };
    response::resource(path.request(), ResourceKind::Project, revision, &profile)
}

/// Update a project
///
/// Changes the name, slug, website or profile of a project.
#[utoipa::path(patch, path = "/project/{id}", tag = "projects", request_body = ProjectChanges,
    responses((status = 200, body = inline(Data<ProjectUpdated>))))]
pub(crate) async fn update(
    api: web::Data<Api>,
    caller: Authenticated,
    path: PathIds,
    body: JsonBody,
) -> Result<HttpResponse, ApiError> {
    let (id, when) = (path.project()?, precondition::for_write(path.request())?);
    let command = body.unwrapped().ignoring_fields_of::<ProjectBody>().read(ProjectPatch::parse)?;
    let (project, usage) = api.steward.projects.update(&caller.0, id, command, &when).await?;
    let updated = response::ok(&Data { data: ProjectUpdated::of(&project, &api.steward.address) });
    Ok(response::tagged(tag(project, Some(usage), &api), updated))
}

/// Check whether a project slug is available
///
/// A slug is available if it is neither taken nor reserved. Requires no credential.
#[utoipa::path(get, path = "/project/slug", tag = "projects",
    params(("slug" = String, Query, description = "Slug to check.", example = "acme")),
    responses((status = 200, body = Availability)))]
pub(crate) async fn slug(api: web::Data<Api>, _: OptionalCaller, query: Query) -> Result<HttpResponse, ApiError> {
    let slug = query.slug()?;
    let available = api.steward.projects.is_slug_available(&slug).await?;
    Ok(response::ok(&Availability { available }))
}

/// Delete a project
///
/// Deletes a project and all its data. The project becomes inaccessible immediately, and its slug becomes available.
/// Its team can be deleted after the data is removed, which takes seconds, or minutes for large projects.
#[utoipa::path(delete, path = "/project/{id}", tag = "projects", responses((status = 200, body = Message)))]
pub(crate) async fn delete(
    api: web::Data<Api>,
    caller: Authenticated,
    path: PathIds,
) -> Result<HttpResponse, ApiError> {
    let (id, when) = (path.project()?, precondition::for_write(path.request())?);
    api.steward.projects.delete(&caller.0, id, &when).await?;
    Ok(response::ok(&Message { message: "The project and its data are deleted." }))
}
