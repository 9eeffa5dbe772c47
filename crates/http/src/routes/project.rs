//! Projects (contract 4).

use std::sync::Arc;

use actix_web::http::Method;
use actix_web::{HttpResponse, web};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use steward_domain::error::{Error, FieldViolations, ResourceKind};
use steward_domain::model::{
    Name, Project, ProjectInTeam, ProjectUsage, RedirectUri, ServiceAddress, Slug, TeamId, Website,
};
use steward_domain::policy::{Quota, Quotas};
use steward_domain::usecases::{CreateProject, Steward, UpdateProject};
use utoipa::ToSchema;

use super::team::Availability;
use super::{Address, at};
use crate::Api;
use crate::answer::{self, Data, Listing, Message, moment};
use crate::body::JsonBody;
use crate::error::{ApiError, ErrorBody};
use crate::extract::page::PageParameters;
use crate::extract::{Authenticated, PathIds, Query, Visitor};
use crate::streamed;

pub(crate) fn mount(routes: &mut Vec<Address>) {
    at("/project").get(list).on(Method::POST, create).mount(routes);
    at("/project/slug").get(slug).mount(routes);
    at("/project/{id}").get(get).on(Method::PATCH, update).on(Method::DELETE, delete).mount(routes);
    at("/project/{id}/profile").get(profile).mount(routes);
}

/// How a project presents itself.
#[derive(Serialize, ToSchema)]
pub(crate) struct ProfileBody {
    icon_url: Option<String>,
    styles: StylesBody,
}

#[derive(Serialize, ToSchema)]
pub(crate) struct StylesBody {
    background_url: Option<String>,
}

impl ProfileBody {
    fn of(project: &Project, address: &ServiceAddress) -> Self {
        let text = |value: Option<&Value>| value.and_then(Value::as_str).map(str::to_owned);
        let members = project.shown_profile(address);
        let background = members.get("styles").and_then(|styles| styles.get("background_url"));
        Self { icon_url: text(members.get("icon_url")), styles: StylesBody { background_url: text(background) } }
    }
}

#[derive(Serialize, ToSchema)]
pub(crate) struct ProjectListed {
    id: String,
    name: String,
    slug: String,
    profile: ProfileBody,
    team_id: String,
    team_name: String,
    team_slug: String,
    #[schema(format = DateTime)]
    created_at: String,
}

impl ProjectListed {
    fn of(listed: ProjectInTeam, address: &ServiceAddress) -> Self {
        Self {
            id: listed.project.id.to_string(),
            name: listed.project.name.to_string(),
            slug: listed.project.slug.to_string(),
            profile: ProfileBody::of(&listed.project, address),
            team_id: listed.project.team_id.to_string(),
            team_name: listed.team_name.to_string(),
            team_slug: listed.team_slug.to_string(),
            created_at: moment(listed.project.created_at),
        }
    }
}

#[derive(Deserialize, ToSchema)]
pub(crate) struct CreateProjectBody {
    name: String,
    team_id: String,
    /// Made from the name, with a number if that is taken, unless given.
    slug: Option<String>,
}

impl CreateProjectBody {
    fn parse(self, mut errors: FieldViolations) -> Result<CreateProject, Error> {
        let name = errors.note("name", Name::parse(&self.name));
        let slug = self.slug.map(|text| errors.note("slug", Slug::parse(&text)));
        let name = errors.or(name)?;
        let team_id = TeamId::parse(&self.team_id).ok_or(Error::NotFound(ResourceKind::Team))?;
        Ok(CreateProject { team_id, name, slug: slug.flatten() })
    }
}

#[derive(Serialize, ToSchema)]
pub(crate) struct ProjectCreated {
    id: String,
    name: String,
    slug: String,
    #[schema(format = DateTime)]
    created_at: String,
}

#[derive(Serialize, ToSchema)]
pub(crate) struct ProjectBody {
    id: String,
    name: String,
    slug: String,
    website: Option<String>,
    #[schema(value_type = Object)]
    profile: Map<String, Value>,
    team_id: String,
    #[schema(format = DateTime)]
    created_at: String,
    #[schema(format = DateTime)]
    updated_at: String,
    usage: UsageBody,
}

/// What a project keeps, and how much of it it may.
#[derive(Serialize, ToSchema)]
pub(crate) struct UsageBody {
    /// Items of all users.
    items: QuotaUsage,
    /// Bytes of JSON in the items.
    bytes: QuotaUsage,
    keys: QuotaUsage,
    webhooks: QuotaUsage,
    schema_versions: QuotaUsage,
}

/// How much there is, and how much there may be.
#[derive(Serialize, ToSchema)]
pub(crate) struct QuotaUsage {
    used: u64,
    limit: u64,
}

impl UsageBody {
    fn of(usage: ProjectUsage, quotas: &Quotas) -> Self {
        let of = |used, quota| QuotaUsage { used, limit: quotas.limit(quota) };
        Self {
            items: of(usage.items, Quota::ItemsPerProject),
            bytes: of(usage.bytes, Quota::BytesPerProject),
            keys: of(usage.keys, Quota::KeysPerProject),
            webhooks: of(usage.webhooks, Quota::WebhooksPerProject),
            schema_versions: of(usage.schema_versions, Quota::SchemaVersionsPerProject),
        }
    }
}

impl ProjectBody {
    fn of(project: Project, usage: UsageBody, address: &ServiceAddress) -> Self {
        let profile = project.shown_profile(address);
        Self {
            id: project.id.to_string(),
            name: project.name.to_string(),
            slug: project.slug.to_string(),
            website: project.website.map(|website| website.as_str().to_owned()),
            profile,
            team_id: project.team_id.to_string(),
            created_at: moment(project.created_at),
            updated_at: moment(project.updated_at),
            usage,
        }
    }
}

/// List the projects of every team the caller belongs to; with a key, its own
#[utoipa::path(get, path = "/project", operation_id = "listProjects", tag = "projects", params(PageParameters),
    responses((status = 200, body = inline(Listing<ProjectListed>))))]
pub(crate) async fn list(
    api: web::Data<Api>,
    caller: Authenticated,
    named: PathIds,
    query: Query,
) -> Result<HttpResponse, ApiError> {
    let read = async move |steward: Arc<Steward>, caller, page| steward.projects.list(&caller, &page).await;
    let address = api.steward.address.clone();
    let shown = move |listed| ProjectListed::of(listed, &address);
    streamed::list(&api, &caller, named.request(), query.page()?, read, shown).await
}

/// Make a project in a team
#[utoipa::path(post, path = "/project", operation_id = "createProject", tag = "projects",
    request_body = CreateProjectBody,
    responses((status = 201, body = inline(Data<ProjectCreated>)), (status = 409, body = ErrorBody)))]
pub(crate) async fn create(
    api: web::Data<Api>,
    caller: Authenticated,
    body: JsonBody,
) -> Result<HttpResponse, ApiError> {
    let command = body.of_entity::<ProjectBody>().read(CreateProjectBody::parse)?;
    let project = api.steward.projects.create(&caller.0, command).await?;
    Ok(answer::created(&Data {
        data: ProjectCreated {
            id: project.id.to_string(),
            name: project.name.to_string(),
            slug: project.slug.to_string(),
            created_at: moment(project.created_at),
        },
    }))
}

/// Read a project
#[utoipa::path(get, path = "/project/{id}", operation_id = "getProject", tag = "projects",
    params(("id" = String, Path)), responses((status = 200, body = inline(Data<ProjectBody>))))]
pub(crate) async fn get(api: web::Data<Api>, caller: Authenticated, named: PathIds) -> Result<HttpResponse, ApiError> {
    let (project, usage) = api.steward.projects.get(&caller.0, named.project()?).await?;
    let usage = UsageBody::of(usage, &api.steward.quotas);
    Ok(answer::ok(&Data { data: ProjectBody::of(project, usage, &api.steward.address) }))
}

/// What anybody may know of a project.
#[derive(Serialize, ToSchema)]
pub(crate) struct PublicProfile {
    id: String,
    name: String,
    slug: String,
    website: Option<String>,
    #[schema(value_type = Object)]
    profile: Map<String, Value>,
    #[schema(format = DateTime)]
    created_at: String,
    auth: PublicAuth,
}

#[derive(Serialize, ToSchema)]
pub(crate) struct PublicAuth {
    redirect_uris: Vec<String>,
}

/// Read what anybody may know of a project
#[utoipa::path(get, path = "/project/{id}/profile", operation_id = "getProjectProfile", tag = "projects",
    params(("id" = String, Path)), responses((status = 200, body = inline(Data<PublicProfile>))))]
pub(crate) async fn profile(api: web::Data<Api>, _: Visitor, named: PathIds) -> Result<HttpResponse, ApiError> {
    let project = api.steward.projects.profile(named.project()?).await?;
    let profile = project.shown_profile(&api.steward.address);
    let redirect_uris = project.sign_in.redirect_uris.iter().map(RedirectUri::to_string).collect();
    Ok(answer::ok(&Data {
        data: PublicProfile {
            id: project.id.to_string(),
            name: project.name.to_string(),
            slug: project.slug.to_string(),
            website: project.website.map(|website| website.as_str().to_owned()),
            profile,
            created_at: moment(project.created_at),
            auth: PublicAuth { redirect_uris },
        },
    }))
}

/// What is to change, alone or under `data`.
#[derive(Deserialize, ToSchema)]
#[expect(dead_code, reason = "only describes what `JsonBody::unwrapped` takes")]
pub(crate) struct UpdateProjectBody {
    #[serde(flatten)]
    change: ProjectChange,
    data: Option<ProjectChange>,
}

#[derive(Deserialize, ToSchema)]
pub(crate) struct ProjectChange {
    name: Option<String>,
    slug: Option<String>,
    /// An http(s) address; null takes it away.
    #[serde(default, deserialize_with = "given")]
    #[schema(value_type = Option<String>)]
    website: Option<Option<String>>,
    /// Merged into what is there (RFC 7396): null removes.
    #[schema(value_type = Option<Object>)]
    profile: Option<Map<String, Value>>,
}

/// Tells a null from nothing.
fn given<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Option<Option<String>>, D::Error> {
    Option::deserialize(deserializer).map(Some)
}

impl ProjectChange {
    fn parse(self, mut errors: FieldViolations) -> Result<UpdateProject, Error> {
        if self.name.is_none() && self.slug.is_none() && self.website.is_none() && self.profile.is_none() {
            errors.note::<(), _>("name", Err("send a name, slug, website or profile"));
        }
        let name = self.name.map(|text| errors.note("name", Name::parse(&text)));
        let slug = self.slug.map(|text| errors.note("slug", Slug::parse(&text)));
        let website = self.website.map(|text| text.map(|text| errors.note("website", Website::parse(&text))));
        errors.or(Some(UpdateProject {
            name: name.flatten(),
            slug: slug.flatten(),
            website: website.map(Option::flatten),
            profile: self.profile,
        }))
    }
}

#[derive(Serialize, ToSchema)]
pub(crate) struct ProjectUpdated {
    id: String,
    name: String,
    slug: String,
    website: Option<String>,
    #[schema(value_type = Object)]
    profile: Map<String, Value>,
    #[schema(format = DateTime)]
    updated_at: String,
}

/// Change how a project is called and presents itself
#[utoipa::path(patch, path = "/project/{id}", operation_id = "updateProject", tag = "projects",
    params(("id" = String, Path)), request_body = UpdateProjectBody,
    responses((status = 200, body = inline(Data<ProjectUpdated>)), (status = 409, body = ErrorBody)))]
pub(crate) async fn update(
    api: web::Data<Api>,
    caller: Authenticated,
    named: PathIds,
    body: JsonBody,
) -> Result<HttpResponse, ApiError> {
    let id = named.project()?;
    let command = body.unwrapped().of_entity::<ProjectBody>().read(ProjectChange::parse)?;
    let project = api.steward.projects.update(&caller.0, id, command).await?;
    let profile = project.shown_profile(&api.steward.address);
    Ok(answer::ok(&Data {
        data: ProjectUpdated {
            id: project.id.to_string(),
            name: project.name.to_string(),
            slug: project.slug.to_string(),
            website: project.website.map(|website| website.as_str().to_owned()),
            profile,
            updated_at: moment(project.updated_at),
        },
    }))
}

/// Tell whether a project could have a slug
#[utoipa::path(get, path = "/project/slug", operation_id = "checkProjectSlug", tag = "projects",
    params(("slug" = String, Query)), responses((status = 200, body = Availability)))]
pub(crate) async fn slug(api: web::Data<Api>, _: Visitor, query: Query) -> Result<HttpResponse, ApiError> {
    let slug = query.slug()?;
    let available = api.steward.projects.is_slug_available(&slug).await?;
    Ok(answer::ok(&Availability { available }))
}

/// Delete a project and all its data
///
/// It is gone for everybody at once, and its slug is free. Its team can be deleted once its data is gone, which takes
/// moments, or minutes if there is much.
#[utoipa::path(delete, path = "/project/{id}", operation_id = "deleteProject", tag = "projects",
    params(("id" = String, Path)), responses((status = 200, body = Message), (status = 409, body = ErrorBody)))]
pub(crate) async fn delete(
    api: web::Data<Api>,
    caller: Authenticated,
    named: PathIds,
) -> Result<HttpResponse, ApiError> {
    api.steward.projects.delete(&caller.0, named.project()?).await?;
    Ok(answer::ok(&Message { message: "the project is deleted" }))
}
