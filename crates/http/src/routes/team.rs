//! Teams (docs/contract.md#teams).

use std::sync::Arc;

use actix_web::{HttpResponse, web};
use steward_api as wire;
use steward_domain::error::{Error, FieldViolations, ResourceKind};
use steward_domain::model::{
    Invite, Member, Name, ProjectInTeam, ServiceAddress, Slug, Team, TeamMembership, parse_due_time,
};
use steward_domain::usecases::{CreateTeam, ListsVersion, Steward, TeamDetails, UpdateTeam};

use crate::Api;
use crate::error::ApiError;
use crate::extract::body::JsonBody;
use crate::extract::precondition::{self, ResourceTag};
use crate::extract::{Authenticated, OptionalCaller, PathIds, Query};
use crate::response;
use crate::route::{ApiRoute, routes};
use crate::routes::project::project_summary;
use crate::streamed;

pub(crate) fn routes() -> Vec<ApiRoute> {
    routes! {
        ListTeams => list;
        CreateTeam => create;
        CheckTeamSlug => slug;
        GetTeam => get;
        UpdateTeam => update;
        DeleteTeam => delete;
    }
}

fn summary(team: &Team) -> wire::TeamSummary {
    wire::TeamSummary { id: team.id.uuid().into(), name: team.name.to_string(), slug: team.slug.to_string() }
}

fn listed_team(membership: TeamMembership) -> wire::ListedTeam {
    wire::ListedTeam {
        summary: summary(&membership.team),
        owner: membership.team.owner.uuid().into(),
        roles: membership.roles.to_string(),
        role_name: membership.role_name.or_title_of(&membership.roles).to_owned(),
    }
}

fn parse_new_team(body: wire::NewTeam, mut errors: FieldViolations) -> Result<CreateTeam, Error> {
    let name = errors.check("name", Name::parse(&body.name));
    let slug = errors.check("slug", Slug::parse(&body.slug));
    errors.finish(name.zip(slug).map(|(name, slug)| CreateTeam { name, slug }))
}

fn parse_team_changes(body: wire::TeamChanges, mut errors: FieldViolations) -> Result<UpdateTeam, Error> {
    let command = UpdateTeam {
        name: errors.check_given("name", body.name.as_deref(), Name::parse),
        slug: errors.check_given("slug", body.slug.as_deref(), Slug::parse),
        second_factor_from: body
            .second_factor_from
            .map(|text| errors.check_given("second_factor_from", text.as_deref(), parse_due_time)),
    };
    errors.finish(Some(command))
}

fn updated_team(team: &Team) -> wire::Team {
    wire::Team {
        summary: summary(team),
        owner_id: team.owner.uuid().into(),
        second_factor_from: team.second_factor_from.map(Into::into),
        created_at: team.created_at.into(),
    }
}

pub(crate) async fn list(
    api: web::Data<Api>,
    caller: Authenticated,
    path: PathIds,
    query: Query,
) -> Result<HttpResponse, ApiError> {
    let read = async move |steward: Arc<Steward>, caller, page| steward.teams.list(&caller, &page).await;
    streamed::list(&api, &caller, path.request(), query.page()?, read, listed_team).await
}

pub(crate) async fn create(
    api: web::Data<Api>,
    caller: Authenticated,
    body: JsonBody,
) -> Result<HttpResponse, ApiError> {
    let command = body.read(parse_new_team)?;
    let team = api.steward.teams.create(&caller.0, command).await?;
    let created = response::created(&wire::Data {
        data: wire::CreatedTeam {
            summary: summary(&team),
            owner: team.owner.uuid().into(),
            created_at: team.created_at.into(),
        },
    });
    Ok(response::tagged(tag(&team, &ListsVersion::of_new(&team), &api), created))
}

pub(crate) async fn slug(api: web::Data<Api>, _: OptionalCaller, query: Query) -> Result<HttpResponse, ApiError> {
    let slug = query.slug()?;
    let available = api.steward.teams.is_slug_available(&slug).await?;
    Ok(response::ok(&wire::Availability { available }))
}

pub(crate) async fn update(
    api: web::Data<Api>,
    caller: Authenticated,
    path: PathIds,
    body: JsonBody,
) -> Result<HttpResponse, ApiError> {
    let (team, when) = (path.team()?, precondition::for_write(path.request())?);
    let command = body.with_ids([("id", team.uuid())]).read_changes(parse_team_changes)?;
    let (team, lists) = api.steward.teams.update(&caller.0, team, command, &when).await?;
    let updated = response::ok(&wire::Data { data: updated_team(&team) });
    Ok(response::tagged(tag(&team, &lists, &api), updated))
}

fn team_details(details: TeamDetails, address: &ServiceAddress) -> wire::TeamDetails {
    let member = |member: Member| wire::TeamMember {
        account_id: member.account_id.uuid().into(),
        roles: member.roles.to_string(),
        role_name: member.role_name.or_title_of(&member.roles).to_owned(),
    };
    let project = |ProjectInTeam { project, .. }: ProjectInTeam| wire::TeamProject {
        summary: project_summary(&project),
        profile: wire::ProjectIcon { icon_url: project.icon_url(address) },
    };
    let invite = |invite: Invite| wire::TeamInvite {
        id: invite.id.uuid().into(),
        team_id: invite.team_id.uuid().into(),
        email_or_username: invite.recipient.to_string(),
        roles: invite.roles.to_string(),
        role_name: invite.role_name.or_title_of(&invite.roles).to_owned(),
    };
    wire::TeamDetails {
        summary: summary(&details.team),
        owner_id: details.team.owner.uuid().into(),
        second_factor_from: details.team.second_factor_from.map(Into::into),
        created_at: details.team.created_at.into(),
        members: details.members.into_iter().map(member).collect(),
        projects: details.projects.into_iter().map(project).collect(),
        invites: details.invites.into_iter().map(invite).collect(),
    }
}

/// Returns the tag of a team with the lists that GET shows. URLs of icons contain the address of the service.
fn tag(team: &Team, lists: &ListsVersion, api: &Api) -> ResourceTag {
    ResourceTag::of(team.revision, &(lists.as_str(), api.steward.address.as_str()))
}

pub(crate) async fn get(api: web::Data<Api>, caller: Authenticated, path: PathIds) -> Result<HttpResponse, ApiError> {
    let details = api.steward.teams.get(&caller.0, path.team()?).await?;
    let tag = tag(&details.team, &details.lists, &api);
    let body = wire::Data { data: team_details(details, &api.steward.address) };
    response::resource_with_tag(path.request(), ResourceKind::Team, tag, &body)
}

pub(crate) async fn delete(
    api: web::Data<Api>,
    caller: Authenticated,
    path: PathIds,
) -> Result<HttpResponse, ApiError> {
    let (team, when) = (path.team()?, precondition::for_write(path.request())?);
    api.steward.teams.delete(&caller.0, team, &when).await?;
    Ok(response::ok(&wire::Message { message: "The team is deleted.".into() }))
}
