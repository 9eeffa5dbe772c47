//! Teams (contract 8).

use std::sync::Arc;

use actix_web::http::Method;
use actix_web::{HttpResponse, web};
use serde::{Deserialize, Serialize};
use steward_domain::error::{Error, FieldViolations};
use steward_domain::model::{Invite, Member, Name, ProjectInTeam, ServiceAddress, Slug, Team, TeamMembership};
use steward_domain::usecases::{CreateTeam, Steward, TeamInFull, UpdateTeam};
use utoipa::ToSchema;

use super::{Address, at};
use crate::Api;
use crate::answer::{self, Data, Listing, Message, moment};
use crate::body::JsonBody;
use crate::error::{ApiError, ErrorBody};
use crate::extract::page::PageParameters;
use crate::extract::{Authenticated, PathIds, Query, Visitor};
use crate::streamed;

pub(crate) fn mount(routes: &mut Vec<Address>) {
    at("/team").get(list).on(Method::POST, create).mount(routes);
    at("/team/slug").get(slug).mount(routes);
    at("/team/{team_id}").get(get).on(Method::PATCH, update).on(Method::DELETE, delete).mount(routes);
}

#[derive(Serialize, ToSchema)]
pub(crate) struct TeamOfCaller {
    id: String,
    name: String,
    slug: String,
    /// The owner's account id.
    owner: String,
    /// The caller's own roles.
    roles: String,
    role_name: String,
}

impl From<TeamMembership> for TeamOfCaller {
    fn from(membership: TeamMembership) -> Self {
        Self {
            id: membership.team.id.to_string(),
            name: membership.team.name.to_string(),
            slug: membership.team.slug.to_string(),
            owner: membership.team.owner.to_string(),
            roles: membership.roles.to_string(),
            role_name: membership.role_name.to_string(),
        }
    }
}

#[derive(Deserialize, ToSchema)]
pub(crate) struct CreateTeamBody {
    name: String,
    slug: String,
}

impl CreateTeamBody {
    fn parse(self, mut errors: FieldViolations) -> Result<CreateTeam, Error> {
        let name = errors.note("name", Name::parse(&self.name));
        let slug = errors.note("slug", Slug::parse(&self.slug));
        errors.or(name.zip(slug).map(|(name, slug)| CreateTeam { name, slug }))
    }
}

#[derive(Serialize, ToSchema)]
pub(crate) struct TeamCreated {
    id: String,
    name: String,
    slug: String,
    owner: String,
    #[schema(format = DateTime)]
    created_at: String,
}

#[derive(Deserialize, ToSchema)]
pub(crate) struct UpdateTeamBody {
    name: Option<String>,
    slug: Option<String>,
}

impl UpdateTeamBody {
    fn parse(self, mut errors: FieldViolations) -> Result<UpdateTeam, Error> {
        if self.name.is_none() && self.slug.is_none() {
            errors.note::<(), _>("name", Err("send a name, a slug, or both"));
        }
        let name = self.name.map(|text| errors.note("name", Name::parse(&text)));
        let slug = self.slug.map(|text| errors.note("slug", Slug::parse(&text)));
        errors.or(Some(UpdateTeam { name: name.flatten(), slug: slug.flatten() }))
    }
}

#[derive(Serialize, ToSchema)]
pub(crate) struct TeamUpdated {
    id: String,
    name: String,
    slug: String,
    owner_id: String,
    #[schema(format = DateTime)]
    created_at: String,
}

impl From<Team> for TeamUpdated {
    fn from(team: Team) -> Self {
        Self {
            id: team.id.to_string(),
            name: team.name.to_string(),
            slug: team.slug.to_string(),
            owner_id: team.owner.to_string(),
            created_at: moment(team.created_at),
        }
    }
}

#[derive(Serialize, ToSchema)]
pub(crate) struct Availability {
    pub available: bool,
}

/// List the caller's teams
#[utoipa::path(get, path = "/team", operation_id = "listTeams", tag = "teams", params(PageParameters),
    responses((status = 200, body = inline(Listing<TeamOfCaller>))))]
pub(crate) async fn list(
    api: web::Data<Api>,
    caller: Authenticated,
    named: PathIds,
    query: Query,
) -> Result<HttpResponse, ApiError> {
    let read = async move |steward: Arc<Steward>, caller, page| steward.teams.list(&caller, &page).await;
    streamed::list(&api, &caller, named.request(), query.page()?, read, TeamOfCaller::from).await
}

/// Make a team, with the caller as its owner
#[utoipa::path(post, path = "/team", operation_id = "createTeam", tag = "teams", request_body = CreateTeamBody,
    responses((status = 201, body = inline(Data<TeamCreated>)), (status = 409, body = ErrorBody)))]
pub(crate) async fn create(
    api: web::Data<Api>,
    caller: Authenticated,
    body: JsonBody,
) -> Result<HttpResponse, ApiError> {
    let command = body.of_entity::<TeamShown>().read(CreateTeamBody::parse)?;
    let team = api.steward.teams.create(&caller.0, command).await?;
    Ok(answer::created(&Data {
        data: TeamCreated {
            id: team.id.to_string(),
            name: team.name.to_string(),
            slug: team.slug.to_string(),
            owner: team.owner.to_string(),
            created_at: moment(team.created_at),
        },
    }))
}

/// Tell whether a team could have a slug
#[utoipa::path(get, path = "/team/slug", operation_id = "checkTeamSlug", tag = "teams",
    params(("slug" = String, Query)), responses((status = 200, body = Availability)))]
pub(crate) async fn slug(api: web::Data<Api>, _: Visitor, query: Query) -> Result<HttpResponse, ApiError> {
    let slug = query.slug()?;
    let available = api.steward.teams.is_slug_available(&slug).await?;
    Ok(answer::ok(&Availability { available }))
}

/// Rename a team
#[utoipa::path(patch, path = "/team/{team_id}", operation_id = "updateTeam", tag = "teams",
    params(("team_id" = String, Path)), request_body = UpdateTeamBody,
    responses((status = 200, body = inline(Data<TeamUpdated>)), (status = 409, body = ErrorBody)))]
pub(crate) async fn update(
    api: web::Data<Api>,
    caller: Authenticated,
    named: PathIds,
    body: JsonBody,
) -> Result<HttpResponse, ApiError> {
    let (team, command) = (named.team()?, body.of_entity::<TeamShown>().read(UpdateTeamBody::parse)?);
    let team = api.steward.teams.update(&caller.0, team, command).await?;
    Ok(answer::ok(&Data { data: TeamUpdated::from(team) }))
}

/// A team with its members, projects and pending invites.
#[derive(Serialize, ToSchema)]
pub(crate) struct TeamShown {
    id: String,
    name: String,
    slug: String,
    owner_id: String,
    #[schema(format = DateTime)]
    created_at: String,
    members: Vec<MemberShown>,
    projects: Vec<ProjectShown>,
    invites: Vec<InviteShown>,
}

#[derive(Serialize, ToSchema)]
pub(crate) struct MemberShown {
    account_id: String,
    roles: String,
    role_name: String,
}

#[derive(Serialize, ToSchema)]
pub(crate) struct ProjectShown {
    id: String,
    name: String,
    slug: String,
    profile: IconShown,
}

#[derive(Serialize, ToSchema)]
pub(crate) struct IconShown {
    icon_url: Option<String>,
}

#[derive(Serialize, ToSchema)]
pub(crate) struct InviteShown {
    id: String,
    team_id: String,
    email_or_username: String,
    roles: String,
    role_name: String,
}

impl TeamShown {
    fn of(full: TeamInFull, address: &ServiceAddress) -> Self {
        let member = |member: Member| MemberShown {
            account_id: member.account_id.to_string(),
            roles: member.roles.to_string(),
            role_name: member.role_name.to_string(),
        };
        let project = |listed: ProjectInTeam| ProjectShown {
            id: listed.project.id.to_string(),
            name: listed.project.name.to_string(),
            slug: listed.project.slug.to_string(),
            profile: IconShown { icon_url: listed.project.icon_url(address) },
        };
        let invite = |invite: Invite| InviteShown {
            id: invite.id.to_string(),
            team_id: invite.team_id.to_string(),
            email_or_username: invite.recipient.to_string(),
            roles: invite.roles.to_string(),
            role_name: invite.role_name.to_string(),
        };
        Self {
            id: full.team.id.to_string(),
            name: full.team.name.to_string(),
            slug: full.team.slug.to_string(),
            owner_id: full.team.owner.to_string(),
            created_at: moment(full.team.created_at),
            members: full.members.into_iter().map(member).collect(),
            projects: full.projects.into_iter().map(project).collect(),
            invites: full.invites.into_iter().map(invite).collect(),
        }
    }
}

/// Read a team with its members, projects and pending invites
///
/// What the caller may not see of them is empty; a key is shown its own project.
#[utoipa::path(get, path = "/team/{team_id}", operation_id = "getTeam", tag = "teams",
    params(("team_id" = String, Path)), responses((status = 200, body = inline(Data<TeamShown>))))]
pub(crate) async fn get(api: web::Data<Api>, caller: Authenticated, named: PathIds) -> Result<HttpResponse, ApiError> {
    let team = api.steward.teams.get(&caller.0, named.team()?).await?;
    Ok(answer::ok(&Data { data: TeamShown::of(team, &api.steward.address) }))
}

/// Delete a team that owns no project
#[utoipa::path(delete, path = "/team/{team_id}", operation_id = "deleteTeam", tag = "teams",
    params(("team_id" = String, Path)),
    responses((status = 200, body = Message), (status = 409, body = ErrorBody)))]
pub(crate) async fn delete(
    api: web::Data<Api>,
    caller: Authenticated,
    named: PathIds,
) -> Result<HttpResponse, ApiError> {
    api.steward.teams.delete(&caller.0, named.team()?).await?;
    Ok(answer::ok(&Message { message: "the team is deleted" }))
}
