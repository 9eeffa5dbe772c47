//! Teams (docs/contract.md#teams).

use std::sync::Arc;

use actix_web::{HttpResponse, web};
use serde::{Deserialize, Serialize};
use steward_domain::error::{Error, FieldViolations, ResourceKind};
use steward_domain::model::{Invite, Member, Name, ProjectInTeam, ServiceAddress, Slug, Team, TeamMembership};
use steward_domain::usecases::{CreateTeam, Steward, TeamDetails, UpdateTeam};
use utoipa::ToSchema;

use crate::Api;
use crate::error::ApiError;
use crate::extract::body::JsonBody;
use crate::extract::page::PageParameters;
use crate::extract::precondition::{self, ResourceTag};
use crate::extract::{Authenticated, OptionalCaller, PathIds, Query};
use crate::response::{self, Data, Listing, Message, format_timestamp};
use crate::route::{ApiRoute, operations};
use crate::streamed;

pub(crate) fn routes() -> Vec<ApiRoute> {
    operations! {
        TeamList => list;
        TeamCreate => create [SlugTaken, SlugReserved, QuotaExceeded];
        TeamSlug => slug;
        TeamGet => get [PreconditionFailed];
        TeamUpdate => update [SlugTaken, SlugReserved, QuotaExceeded, PreconditionFailed];
        TeamDelete => delete [TeamOwnsProjects, PreconditionFailed];
    }
}

/// A team and the caller's membership in it.
#[derive(Serialize, ToSchema)]
pub(crate) struct TeamListItem {
    /// Unique ID of the team.
    #[schema(example = "018f2a3b-5c90-7a41-8f27-1e0d4b6a9c53")]
    id: String,
    /// Display name of the team.
    name: String,
    /// URL-friendly name of the team, unique in the service.
    slug: String,
    /// Account ID of the owner.
    #[schema(example = "018f2a3c-91b7-7e02-8d54-6a0f3be27c19")]
    owner: String,
    /// The caller's own roles: comma-separated role names and permissions.
    #[schema(example = "developer")]
    roles: String,
    /// Label of the caller's role, for display. If none is set, the name of the role, or `Custom`.
    role_name: String,
}

impl From<TeamMembership> for TeamListItem {
    fn from(membership: TeamMembership) -> Self {
        Self {
            id: membership.team.id.to_string(),
            name: membership.team.name.to_string(),
            slug: membership.team.slug.to_string(),
            owner: membership.team.owner.to_string(),
            roles: membership.roles.to_string(),
            role_name: membership.role_name.or_title_of(&membership.roles).to_owned(),
        }
    }
}

/// Values of a new team.
#[derive(Deserialize, ToSchema)]
pub(crate) struct NewTeam {
    /// Display name of the team: 1 to 100 characters.
    name: String,
    /// URL-friendly name, unique in the service: 1 to 63 lowercase letters, digits and single hyphens.
    slug: String,
}

impl NewTeam {
    fn parse(self, mut errors: FieldViolations) -> Result<CreateTeam, Error> {
        let name = errors.check("name", Name::parse(&self.name));
        let slug = errors.check("slug", Slug::parse(&self.slug));
        errors.finish(name.zip(slug).map(|(name, slug)| CreateTeam { name, slug }))
    }
}

/// A new team.
#[derive(Serialize, ToSchema)]
pub(crate) struct TeamCreated {
    /// Unique ID of the team.
    #[schema(example = "018f2a3b-5c90-7a41-8f27-1e0d4b6a9c53")]
    id: String,
    /// Display name of the team.
    name: String,
    /// URL-friendly name of the team, unique in the service.
    slug: String,
    /// Account ID of the owner: the caller.
    #[schema(example = "018f2a3c-91b7-7e02-8d54-6a0f3be27c19")]
    owner: String,
    /// When the team was created.
    #[schema(format = DateTime)]
    created_at: String,
}

/// Changes to a team. At least one field is required; absent fields stay unchanged.
#[derive(Deserialize, ToSchema)]
pub(crate) struct TeamPatch {
    /// New display name: 1 to 100 characters.
    name: Option<String>,
    /// New URL-friendly name, unique in the service: 1 to 63 lowercase letters, digits and single hyphens.
    slug: Option<String>,
}

impl TeamPatch {
    fn parse(self, mut errors: FieldViolations) -> Result<UpdateTeam, Error> {
        if self.name.is_none() && self.slug.is_none() {
            errors.check::<(), _>("name", Err("at least one of `name` and `slug` is required"));
        }
        let name = self.name.map(|text| errors.check("name", Name::parse(&text)));
        let slug = self.slug.map(|text| errors.check("slug", Slug::parse(&text)));
        errors.finish(Some(UpdateTeam { name: name.flatten(), slug: slug.flatten() }))
    }
}

/// A team after a change.
#[derive(Serialize, ToSchema)]
pub(crate) struct TeamUpdated {
    /// Unique ID of the team.
    #[schema(example = "018f2a3b-5c90-7a41-8f27-1e0d4b6a9c53")]
    id: String,
    /// Display name of the team.
    name: String,
    /// URL-friendly name of the team, unique in the service.
    slug: String,
    /// Account ID of the owner.
    #[schema(example = "018f2a3c-91b7-7e02-8d54-6a0f3be27c19")]
    owner_id: String,
    /// When the team was created.
    #[schema(format = DateTime)]
    created_at: String,
}

impl From<&Team> for TeamUpdated {
    fn from(team: &Team) -> Self {
        Self {
            id: team.id.to_string(),
            name: team.name.to_string(),
            slug: team.slug.to_string(),
            owner_id: team.owner.to_string(),
            created_at: format_timestamp(team.created_at),
        }
    }
}

/// Whether a slug is available.
#[derive(Serialize, ToSchema)]
pub(crate) struct Availability {
    /// Whether the slug is neither taken nor reserved.
    pub available: bool,
}

/// List teams
///
/// Returns all teams that the caller is a member of, oldest first, with the caller's own roles.
#[utoipa::path(get, path = "/team", tag = "teams", params(PageParameters),
    responses((status = 200, body = inline(Listing<TeamListItem>))))]
pub(crate) async fn list(
    api: web::Data<Api>,
    caller: Authenticated,
    path: PathIds,
    query: Query,
) -> Result<HttpResponse, ApiError> {
    let read = async move |steward: Arc<Steward>, caller, page| steward.teams.list(&caller, &page).await;
    streamed::list(&api, &caller, path.request(), query.page()?, read, TeamListItem::from).await
}

/// Create a team
///
/// The caller becomes the owner of the team.
#[utoipa::path(post, path = "/team", tag = "teams", request_body = NewTeam,
    responses((status = 201, body = inline(Data<TeamCreated>))))]
pub(crate) async fn create(
    api: web::Data<Api>,
    caller: Authenticated,
    body: JsonBody,
) -> Result<HttpResponse, ApiError> {
    let command = body.ignoring_fields_of::<TeamDetailsBody>().read(NewTeam::parse)?;
    let team = api.steward.teams.create(&caller.0, command).await?;
    let created = response::created(&Data {
        data: TeamCreated {
            id: team.id.to_string(),
            name: team.name.to_string(),
            slug: team.slug.to_string(),
            owner: team.owner.to_string(),
            created_at: format_timestamp(team.created_at),
        },
    });
    let details = TeamDetails { members: vec![team.first_member()], projects: Vec::new(), invites: Vec::new(), team };
    Ok(response::tagged(tag(details, &api), created))
}

/// Check whether a team slug is available
///
/// A slug is available if it is neither taken nor reserved. Requires no credential.
#[utoipa::path(get, path = "/team/slug", tag = "teams",
    params(("slug" = String, Query, description = "Slug to check.", example = "acme")),
    responses((status = 200, body = Availability)))]
pub(crate) async fn slug(api: web::Data<Api>, _: OptionalCaller, query: Query) -> Result<HttpResponse, ApiError> {
    let slug = query.slug()?;
    let available = api.steward.teams.is_slug_available(&slug).await?;
    Ok(response::ok(&Availability { available }))
}

/// Update a team
///
/// Changes the name or the slug of a team.
#[utoipa::path(patch, path = "/team/{team_id}", tag = "teams", request_body = TeamPatch,
    responses((status = 200, body = inline(Data<TeamUpdated>))))]
pub(crate) async fn update(
    api: web::Data<Api>,
    caller: Authenticated,
    path: PathIds,
    body: JsonBody,
) -> Result<HttpResponse, ApiError> {
    let (team, when) = (path.team()?, precondition::for_write(path.request())?);
    let command = body.ignoring_fields_of::<TeamDetailsBody>().read(TeamPatch::parse)?;
    let details = api.steward.teams.update(&caller.0, team, command, &when).await?;
    let updated = response::ok(&Data { data: TeamUpdated::from(&details.team) });
    Ok(response::tagged(tag(details, &api), updated))
}

/// A team with its members, projects and pending invites.
#[derive(Serialize, ToSchema)]
pub(crate) struct TeamDetailsBody {
    /// Unique ID of the team.
    #[schema(example = "018f2a3b-5c90-7a41-8f27-1e0d4b6a9c53")]
    id: String,
    /// Display name of the team.
    name: String,
    /// URL-friendly name of the team, unique in the service.
    slug: String,
    /// Account ID of the owner.
    #[schema(example = "018f2a3c-91b7-7e02-8d54-6a0f3be27c19")]
    owner_id: String,
    /// When the team was created.
    #[schema(format = DateTime)]
    created_at: String,
    /// Members of the team; empty if the caller may not read them.
    members: Vec<TeamMember>,
    /// Projects of the team; empty if the caller may not read them. An API key receives only its own project.
    projects: Vec<TeamProject>,
    /// Pending invites; empty if the caller may not read them.
    invites: Vec<TeamInvite>,
}

/// A member of a team.
#[derive(Serialize, ToSchema)]
pub(crate) struct TeamMember {
    /// Account ID of the member.
    #[schema(example = "018f2a3c-91b7-7e02-8d54-6a0f3be27c19")]
    account_id: String,
    /// Comma-separated role names and permissions.
    #[schema(example = "developer")]
    roles: String,
    /// Label of the role, for display. If none is set, the name of the role, or `Custom`.
    role_name: String,
}

/// A project of a team.
#[derive(Serialize, ToSchema)]
pub(crate) struct TeamProject {
    /// Unique ID of the project.
    id: String,
    /// Display name of the project.
    name: String,
    /// URL-friendly name of the project, unique in the service.
    slug: String,
    /// Icon of the project.
    profile: ProjectIcon,
}

/// Icon of a project.
#[derive(Serialize, ToSchema)]
pub(crate) struct ProjectIcon {
    /// URL of the icon; null if the project has none.
    #[schema(example = "https://example.com/icon.png")]
    icon_url: Option<String>,
}

/// A pending invite of a team.
#[derive(Serialize, ToSchema)]
pub(crate) struct TeamInvite {
    /// Unique ID of the invite.
    #[schema(example = "018f2a40-6e21-7f5c-8b3d-9c0a2e7d4f16")]
    id: String,
    /// ID of the team.
    #[schema(example = "018f2a3b-5c90-7a41-8f27-1e0d4b6a9c53")]
    team_id: String,
    /// Email address or username of the invited person.
    #[schema(example = "ann@example.com")]
    email_or_username: String,
    /// Roles that the invite grants: comma-separated role names and permissions.
    #[schema(example = "developer")]
    roles: String,
    /// Label of the role, for display. If none is set, the name of the role, or `Custom`.
    role_name: String,
}

impl TeamDetailsBody {
    fn of(details: TeamDetails, address: &ServiceAddress) -> Self {
        let member = |member: Member| TeamMember {
            account_id: member.account_id.to_string(),
            roles: member.roles.to_string(),
            role_name: member.role_name.or_title_of(&member.roles).to_owned(),
        };
        let project = |ProjectInTeam { project, .. }: ProjectInTeam| TeamProject {
            id: project.id.to_string(),
            name: project.name.to_string(),
            slug: project.slug.to_string(),
            profile: ProjectIcon { icon_url: project.icon_url(address) },
        };
        let invite = |invite: Invite| TeamInvite {
            id: invite.id.to_string(),
            team_id: invite.team_id.to_string(),
            email_or_username: invite.recipient.to_string(),
            roles: invite.roles.to_string(),
            role_name: invite.role_name.or_title_of(&invite.roles).to_owned(),
        };
        Self {
            id: details.team.id.to_string(),
            name: details.team.name.to_string(),
            slug: details.team.slug.to_string(),
            owner_id: details.team.owner.to_string(),
            created_at: format_timestamp(details.team.created_at),
            members: details.members.into_iter().map(member).collect(),
            projects: details.projects.into_iter().map(project).collect(),
            invites: details.invites.into_iter().map(invite).collect(),
        }
    }
}

/// Returns a team as GET shows it.
fn shown(details: TeamDetails, api: &Api) -> Data<TeamDetailsBody> {
    Data { data: TeamDetailsBody::of(details, &api.steward.address) }
}

fn tag(details: TeamDetails, api: &Api) -> ResourceTag {
    ResourceTag::of(details.team.revision, &shown(details, api))
}

/// Get a team
///
/// Returns a team with its members, projects and pending invites. Lists that the caller may not read are empty. An API
/// key receives only its own project.
#[utoipa::path(get, path = "/team/{team_id}", tag = "teams",
    responses((status = 200, body = inline(Data<TeamDetailsBody>)),
        (status = 304, description = "The team has the ETag in `If-None-Match`.")))]
pub(crate) async fn get(api: web::Data<Api>, caller: Authenticated, path: PathIds) -> Result<HttpResponse, ApiError> {
    let details = api.steward.teams.get(&caller.0, path.team()?).await?;
    response::resource(path.request(), ResourceKind::Team, details.team.revision, &shown(details, &api))
}

/// Delete a team
///
/// Deletes a team with its memberships and invites. A team that still owns a project cannot be deleted.
#[utoipa::path(delete, path = "/team/{team_id}", tag = "teams", responses((status = 200, body = Message)))]
pub(crate) async fn delete(
    api: web::Data<Api>,
    caller: Authenticated,
    path: PathIds,
) -> Result<HttpResponse, ApiError> {
    let (team, when) = (path.team()?, precondition::for_write(path.request())?);
    api.steward.teams.delete(&caller.0, team, &when).await?;
    Ok(response::ok(&Message { message: "The team is deleted." }))
}
