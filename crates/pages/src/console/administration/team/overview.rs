//! Teams: creating one, and its overview.

use askama::Template;
use steward_domain::Steward;
use steward_domain::administration::{CreateTeam, ProjectInTeam, Team};
use steward_domain::kernel::error::{Error, FieldViolations};
use steward_domain::kernel::policy::Operation;
use steward_domain::kernel::{Caller, Name, Slug};

use crate::console::frame::{Crumb, FormState, Outcome, Shell, Signed, Submission, TeamScope};
use crate::error::PageResult;
use crate::request::form::Form;

/// Creates a team.
pub(crate) async fn submit_new(submission: Submission) -> PageResult {
    let access = submission.access(Operation::TeamCreate);
    let submitted = submission.run_once_with(access, async |caller| {
        let team = create(submission.signed.steward(), caller, &submission.form).await?;
        Ok(Outcome::next(format!("/console/teams/{}", team.id), format!("The team {} was created.", team.name)))
    });
    submitted.await?.or_show(|form| new_page(&submission.signed, form)).await
}

/// Shows the form to create a team.
pub(crate) async fn new_page(signed: &Signed, form: FormState) -> PageResult {
    let shell = signed.shell(vec![Crumb::here("New team")], Vec::new()).await?;
    let view = NewTeam { shell, form };
    view.form.page(signed, &view)
}

/// Creates the team that a form describes. Without a slug, it is derived from the name.
pub(crate) async fn create(steward: &Steward, caller: &Caller, form: &Form) -> Result<Team, Error> {
    let mut violations = FieldViolations::default();
    let name = violations.check("name", Name::parse(form.text("name")));
    let slug = match (form.given("slug"), &name) {
        (Some(text), _) => violations.check("slug", Slug::parse(text)),
        (None, Some(name)) => {
            let derived = Slug::from_name(name.as_str());
            violations.check("slug", derived.ok_or("cannot be generated from this name, so enter one"))
        }
        (None, None) => None,
    };
    let command = violations.finish(name.zip(slug).map(|(name, slug)| CreateTeam { name, slug }))?;
    steward.teams.create(caller, command).await
}

/// Shows the overview of a team.
pub(crate) async fn show(signed: Signed) -> PageResult {
    let scope = signed.team().await?;
    let details = signed.steward().teams.get(&signed.caller, scope.team.id).await?;
    let owners = details.members.iter().filter(|member| member.roles.is_owner()).count();
    signed.page(&TeamOverview {
        shell: scope.shell(&signed, "Overview").await?,
        members: details.members.len(),
        invites: details.invites.len(),
        projects: details.projects,
        is_only_owner: scope.roles.is_owner() && owners <= 1,
        leave: scope.at(&format!("/members/{}/remove", signed.signed_in.account.id)),
        scope,
    })
}

#[derive(Template)]
#[template(path = "console/administration/team/new.html")]
struct NewTeam {
    shell: Shell,
    form: FormState,
}

#[derive(Template)]
#[template(path = "console/administration/team/overview.html")]
struct TeamOverview {
    shell: Shell,
    scope: TeamScope,
    projects: Vec<ProjectInTeam>,
    members: usize,
    invites: usize,
    is_only_owner: bool,
    leave: String,
}
