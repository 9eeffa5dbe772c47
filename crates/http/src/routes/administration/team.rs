//! Teams (docs/contract.md#teams).

use steward_api as wire;
use steward_domain::administration::{
    CreateTeam, Invite, ListsVersion, Member, ProjectInTeam, Team, TeamDetails, TeamMembership, UpdateTeam,
};
use steward_domain::identity::parse_due_time;
use steward_domain::kernel::error::{Error, FieldViolations};
use steward_domain::kernel::{Name, ServiceAddress, Slug};

use crate::Api;
use crate::route::serve;
use crate::routes::administration::project::project_summary;
use crate::serve::{Call, Open, Outcome, Tag};

serve! {
    ListTeams => list;
    CreateTeam => create;
    CheckTeamSlug => slug;
    GetTeam => get;
    UpdateTeam => update;
    DeleteTeam => delete;
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
fn tag(team: &Team, lists: &ListsVersion, api: &Api) -> Tag<wire::TeamDetails> {
    Tag::of_version(team.revision, &(lists.as_str(), api.steward.address.as_str()))
}

async fn list(call: Call<wire::ListTeams>) -> Outcome<wire::ListTeams> {
    call.list(listed_team, async move |steward, caller, page| steward.teams.list(&caller, &page).await).await
}

async fn create(call: Call<wire::CreateTeam>) -> Outcome<wire::CreateTeam> {
    let team = call.api.steward.teams.create(&call.caller, call.body()?.read(parse_new_team)?).await?;
    let (owner, created_at) = (team.owner.uuid().into(), team.created_at.into());
    let created = wire::CreatedTeam { summary: summary(&team), owner, created_at };
    call.about(tag(&team, &ListsVersion::of_new(&team), &call.api), created)
}

async fn slug(call: Call<wire::CheckTeamSlug, Open>) -> Outcome<wire::CheckTeamSlug> {
    let available = call.api.steward.teams.is_slug_available(&call.query().slug()?).await?;
    call.reply(wire::Availability { available })
}

async fn get(call: Call<wire::GetTeam>) -> Outcome<wire::GetTeam> {
    let details = call.api.steward.teams.get(&call.caller, call.path).await?;
    call.about(tag(&details.team, &details.lists, &call.api), team_details(details, &call.api.steward.address))
}

async fn update(call: Call<wire::UpdateTeam>) -> Outcome<wire::UpdateTeam> {
    let command = call.body()?.with_id("id", call.path.uuid()).read_changes(parse_team_changes)?;
    let (team, lists) = call.api.steward.teams.update(&call.caller, call.path, command, call.when()).await?;
    let updated = wire::Team {
        summary: summary(&team),
        owner_id: team.owner.uuid().into(),
        second_factor_from: team.second_factor_from.map(Into::into),
        created_at: team.created_at.into(),
    };
    call.about(tag(&team, &lists, &call.api), updated)
}

async fn delete(call: Call<wire::DeleteTeam>) -> Outcome<wire::DeleteTeam> {
    call.api.steward.teams.delete(&call.caller, call.path, call.when()).await?;
    call.reply(wire::Message { message: "The team is deleted.".into() })
}
