//! Creating a project.

use askama::Template;
use steward_domain::administration::{CreateProject, Team, TeamMembership};
use steward_domain::kernel::error::FieldViolations;
use steward_domain::kernel::policy::Operation;
use steward_domain::kernel::{Name, PageRequest, Slug};

use crate::console::frame::{Crumb, FormState, Outcome, Permitted, Shell, Signed, Submission, TeamScope};
use crate::error::PageResult;
use crate::response::see_other;

/// Lists the teams in which the person may create projects. A single one needs no choice.
pub(crate) async fn choose(signed: Signed) -> PageResult {
    let memberships = signed.steward().teams.list(&signed.caller, &PageRequest::FIRST).await?.items;
    let teams: Vec<_> = memberships.into_iter().filter(may_create).map(|found| found.team).collect();
    if let [team] = teams.as_slice() {
        return Ok(see_other(&format!("/console/teams/{}/projects/new", team.id)));
    }
    let shell = signed.shell(vec![Crumb::here("New project")], Vec::new()).await?;
    signed.page(&ChooseTeam { shell, teams })
}

/// Whether the person may create projects in the team.
pub(crate) fn may_create(membership: &TeamMembership) -> bool {
    Permitted::with(membership.roles.permissions()).may(Operation::ProjectCreate)
}

#[derive(Template)]
#[template(path = "console/administration/project/team.html")]
struct ChooseTeam {
    shell: Shell,
    teams: Vec<Team>,
}

/// Creates a project.
pub(crate) async fn submit(submission: Submission) -> PageResult {
    let team_id = submission.signed.team().await?.team.id;
    let submitted = submission.run_once(Operation::ProjectCreate, async |caller| {
        let mut violations = FieldViolations::default();
        let name = violations.check("name", Name::parse(submission.form.text("name")));
        let slug = violations.check_given("slug", submission.form.given("slug"), Slug::parse);
        let command = name.map(|name| CreateProject { team_id, name, slug });
        let project = submission.signed.steward().projects.create(caller, violations.finish(command)?).await?;
        let address = format!("/console/projects/{}", project.id);
        Ok(Outcome::next(address, format!("The project {} was created.", project.name)))
    });
    submitted.await?.or_show(|form| new_page(&submission.signed, form)).await
}

/// Shows the form that creates a project.
pub(crate) async fn new_page(signed: &Signed, form: FormState) -> PageResult {
    let scope = signed.team().await?;
    scope.permitted.require(Operation::ProjectCreate)?;
    let view = NewProject { shell: scope.shell(signed, "New project").await?, scope, form };
    view.form.page(signed, &view)
}

#[derive(Template)]
#[template(path = "console/administration/project/new.html")]
struct NewProject {
    shell: Shell,
    scope: TeamScope,
    form: FormState,
}
