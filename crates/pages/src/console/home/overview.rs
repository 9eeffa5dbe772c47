//! The home of a person who is signed in: pending invites, teams and projects.

use askama::Template;
use steward_domain::administration::{InviteWithTeam, ProjectInTeam, TeamMembership};
use steward_domain::kernel::PageRequest;

use crate::console::administration::project::new::may_create;
use crate::console::frame::{Permitted, Shell, Signed, Tabs};
use crate::error::PageResult;
use crate::intent::SignInIntent;
use crate::response::see_other;

/// Shows the home page, or the first steps to a person without a team.
pub(crate) async fn show(signed: Signed) -> PageResult {
    let steward = signed.steward();
    let memberships = steward.teams.list(&signed.caller, &PageRequest::FIRST).await?.items;
    let invites = steward.invites.list_own(&signed.caller, &PageRequest::FIRST).await?.items;
    // A team with such a rule, which is not listed.
    let is_closed = memberships.is_empty() && steward.teams.second_factor_rule(&signed.caller).await?.is_some();
    if memberships.is_empty() && invites.is_empty() && !is_closed {
        return Ok(see_other("/console/start"));
    }
    let found = steward.projects.list(&signed.caller, &signed.page_request()).await?;
    signed.page(&Home {
        shell: signed.shell(Vec::new(), Vec::new()).await?,
        invites,
        teams: memberships.iter().map(|membership| team_line(signed.tabs(), membership)).collect(),
        projects: project_lines(signed.tabs(), &found.items, &memberships),
        is_closed,
        may_create_project: memberships.iter().any(may_create),
        next: signed.next_page(found.next.as_ref(), &[]),
    })
}

/// A team in a list. Without an address, the person may open none of its pages.
pub(crate) struct TeamLine {
    pub(crate) name: String,
    pub(crate) slug: String,
    pub(crate) role: String,
    pub(crate) address: Option<String>,
}

/// A project in a list.
pub(crate) struct ProjectLine {
    pub(crate) name: String,
    pub(crate) slug: String,
    pub(crate) team: String,
    pub(crate) address: Option<String>,
}

#[derive(Template)]
#[template(path = "console/home/overview.html")]
struct Home {
    shell: Shell,
    invites: Vec<InviteWithTeam>,
    teams: Vec<TeamLine>,
    projects: Vec<ProjectLine>,
    /// Whether the teams of the person require a second factor, which was not used.
    is_closed: bool,
    may_create_project: bool,
    next: Option<String>,
}

/// Returns the address of an invite.
fn address(found: &InviteWithTeam) -> String {
    SignInIntent::Invite(found.invite.id.into()).at("/auth/invite")
}

pub(crate) fn team_line(tabs: Tabs, membership: &TeamMembership) -> TeamLine {
    let (team, permitted) = (&membership.team, Permitted::with(membership.roles.permissions()));
    TeamLine {
        name: team.name.to_string(),
        slug: team.slug.to_string(),
        role: membership.role_name.or_title_of(&membership.roles).to_owned(),
        address: tabs.entry_of_team(permitted, team.id),
    }
}

pub(crate) fn project_lines(
    tabs: Tabs,
    projects: &[ProjectInTeam],
    memberships: &[TeamMembership],
) -> Vec<ProjectLine> {
    let address = |found: &ProjectInTeam| {
        let id = found.project.id;
        match memberships.iter().find(|membership| membership.team.id == found.project.team_id) {
            Some(membership) => tabs.entry_of_project(Permitted::with(membership.roles.permissions()), id),
            // Only the first memberships are known.
            None => Some(format!("/console/projects/{id}")),
        }
    };
    let line = |found: &ProjectInTeam| ProjectLine {
        name: found.project.name.to_string(),
        slug: found.project.slug.to_string(),
        team: found.team_name.to_string(),
        address: address(found),
    };
    projects.iter().map(line).collect()
}
