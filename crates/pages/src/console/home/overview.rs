//! The home of a person who is signed in: pending invites, teams and projects.

use askama::Template;
use steward_domain::administration::{InviteWithTeam, ProjectInTeam, TeamMembership};
use steward_domain::kernel::{PageRequest, ResourceScope};

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
        projects: project_lines(signed.tabs(), found.items, &memberships),
        is_closed,
        may_create_project: memberships.iter().any(may_create),
        next: signed.next_page(found.next.as_ref(), &[]),
        teams: memberships.into_iter().map(|membership| team_line(signed.tabs(), membership)).collect(),
    })
}

/// A team in a list, and the address of its first page that the person may open.
pub(crate) type TeamLine = (TeamMembership, Option<String>);

/// A project in a list, and the address of its first page that the person may open.
pub(crate) type ProjectLine = (ProjectInTeam, Option<String>);

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

pub(crate) fn team_line(tabs: Tabs, membership: TeamMembership) -> TeamLine {
    let permitted = Permitted::with(membership.roles.permissions());
    let address = tabs.entry_of(permitted, ResourceScope::Team(membership.team.id));
    (membership, address)
}

pub(crate) fn project_lines(
    tabs: Tabs,
    projects: Vec<ProjectInTeam>,
    memberships: &[TeamMembership],
) -> Vec<ProjectLine> {
    let line = |found: ProjectInTeam| {
        let id = found.project.id;
        let address = match memberships.iter().find(|membership| membership.team.id == found.project.team_id) {
            Some(membership) => {
                tabs.entry_of(Permitted::with(membership.roles.permissions()), ResourceScope::Project(id))
            }
            // Only the first memberships are known.
            None => Some(format!("/console/projects/{id}")),
        };
        (found, address)
    };
    projects.into_iter().map(line).collect()
}
