//! Projects (docs/contract.md#projects).

mod body;

use std::sync::Arc;

use actix_web::{HttpResponse, web};
use steward_api as wire;
use steward_domain::error::ResourceKind;
use steward_domain::model::{Project, ProjectUsage, TeamId};
use steward_domain::usecases::Steward;

use self::body::{
    created_project, listed_project, parse_new_project, parse_project_changes, project_details, public_project,
    updated_project,
};
pub(crate) use self::body::{project_presentation, project_summary};
use crate::Api;
use crate::error::ApiError;
use crate::extract::body::JsonBody;
use crate::extract::precondition::{self, ResourceTag};
use crate::extract::{Authenticated, OptionalCaller, PathIds, Query};
use crate::response;
use crate::route::{ApiRoute, routes};
use crate::streamed;

pub(crate) fn routes() -> Vec<ApiRoute> {
    routes! {
        ListProjects => list;
        CreateProject => create;
        CheckProjectSlug => slug;
        GetProject => get;
        UpdateProject => update;
        DeleteProject => delete;
        GetProjectProfile => profile;
    }
}

/// Returns a project as GET shows it.
fn shown(project: Project, usage: Option<ProjectUsage>, api: &Api) -> wire::Data<wire::ProjectDetails> {
    wire::Data { data: project_details(project, usage, &api.steward) }
}

fn tag(project: Project, usage: Option<ProjectUsage>, api: &Api) -> ResourceTag {
    ResourceTag::of(project.revision, &shown(project, usage, api))
}

pub(crate) async fn list(
    api: web::Data<Api>,
    caller: Authenticated,
    path: PathIds,
    query: Query,
) -> Result<HttpResponse, ApiError> {
    let read = async move |steward: Arc<Steward>, caller, page| steward.projects.list(&caller, &page).await;
    let address = api.steward.address.clone();
    let to_body = move |project| listed_project(project, &address);
    streamed::list(&api, &caller, path.request(), query.page()?, read, to_body).await
}

pub(crate) async fn create(
    api: web::Data<Api>,
    caller: Authenticated,
    body: JsonBody,
) -> Result<HttpResponse, ApiError> {
    let command = body.read(parse_new_project)?;
    let project = api.steward.projects.create(&caller.0, command).await?;
    let created = response::created(&wire::Data { data: created_project(&project) });
    Ok(response::tagged(tag(project, Some(ProjectUsage::default()), &api), created))
}

pub(crate) async fn get(api: web::Data<Api>, caller: Authenticated, path: PathIds) -> Result<HttpResponse, ApiError> {
    let (project, usage) = api.steward.projects.get(&caller.0, path.project()?).await?;
    response::resource(path.request(), ResourceKind::Project, project.revision, &shown(project, usage, &api))
}

pub(crate) async fn profile(api: web::Data<Api>, _: OptionalCaller, path: PathIds) -> Result<HttpResponse, ApiError> {
    let project = api.steward.projects.profile(path.project()?).await?;
    let revision = project.revision;
    let profile = wire::Data { data: public_project(project, &api.steward.address) };
    response::resource(path.request(), ResourceKind::Project, revision, &profile)
}

pub(crate) async fn update(
    api: web::Data<Api>,
    caller: Authenticated,
    path: PathIds,
    body: JsonBody,
) -> Result<HttpResponse, ApiError> {
    let (id, when) = (path.project()?, precondition::for_write(path.request())?);
    let body = body.unwrapped().with_ids([("id", id.uuid())]);
    let team_id = body.member("team_id").map(|team| team.as_str().and_then(TeamId::parse));
    let command = body.read_changes(|changes, errors| parse_project_changes(changes, team_id, errors))?;
    let (project, usage) = api.steward.projects.update(&caller.0, id, command, &when).await?;
    let updated = response::ok(&wire::Data { data: updated_project(&project, &api.steward.address) });
    Ok(response::tagged(tag(project, Some(usage), &api), updated))
}

pub(crate) async fn slug(api: web::Data<Api>, _: OptionalCaller, query: Query) -> Result<HttpResponse, ApiError> {
    let slug = query.slug()?;
    let available = api.steward.projects.is_slug_available(&slug).await?;
    Ok(response::ok(&wire::Availability { available }))
}

pub(crate) async fn delete(
    api: web::Data<Api>,
    caller: Authenticated,
    path: PathIds,
) -> Result<HttpResponse, ApiError> {
    let (id, when) = (path.project()?, precondition::for_write(path.request())?);
    api.steward.projects.delete(&caller.0, id, &when).await?;
    Ok(response::ok(&wire::Message { message: "The project and its data are deleted.".into() }))
}
