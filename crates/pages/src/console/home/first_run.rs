//! The first steps on one page: name a team, name a project, get a key.

use actix_web::http::StatusCode;
use askama::Template;
use steward_domain::administration::{CreateKey, CreateProject, Project, Team, TeamMembership};
use steward_domain::kernel::error::{Error, FieldViolations, ResourceKind};
use steward_domain::kernel::policy::{KeyRoles, Operation};
use steward_domain::kernel::{Label, Name, PageRequest, ProjectId, RequestedAccess, TeamId};

use crate::console::administration::key::snippets::Snippet;
use crate::console::administration::team::overview::create as create_team;
use crate::console::frame::{Crumb, FormState, Outcome, Permitted, Shell, Signed, Submission, Submitted};
use crate::error::{PageError, PageResult};

/// What the first key permits: reading and writing schemas, users and items.
const KEY_ROLES: &str = "write,read";

/// Shows the steps that are done, and the form of the next one.
pub(crate) async fn show(signed: Signed) -> PageResult {
    let progress =
        Progress::of(&signed, TeamId::parse(&signed.query("team")), ProjectId::parse(&signed.query("project"))).await?;
    let form = FormState::new(&signed, &[("label", "First key")]);
    steps(&signed, progress, form).await
}

/// Takes the next step.
pub(crate) async fn submit(mut submission: Submission) -> PageResult {
    let (team, project) = (submission.form.text("team"), submission.form.text("project"));
    let (team, project) = (TeamId::parse(team), ProjectId::parse(project));
    let progress = Progress::of(&submission.signed, team, project).await?;
    let step = submission.form.text("step").to_owned();
    // Nothing is created elsewhere if the form's own team or project is gone.
    let open_team = progress.team.as_ref().filter(|open| Some(open.id) == team);
    let open_project = progress.project.as_ref().filter(|open| Some(open.id) == project);
    let submitted = match (step.as_str(), open_team, open_project) {
        ("team", _, _) => submit_team(&submission).await?,
        ("project", Some(team), _) => submit_project(&submission, team.id).await?,
        ("project", None, _) => return Err(Error::NotFound(ResourceKind::Team).into()),
        ("key", _, None) => return Err(Error::NotFound(ResourceKind::Project).into()),
        ("key", _, Some(project)) => {
            submission.describe(format!("Create an API key of the project {}", project.name));
            submit_key(&submission, project).await?
        }
        _ => return Err(PageError::InvalidForm(StatusCode::BAD_REQUEST)),
    };
    submitted.or_show(|form| steps(&submission.signed, progress, form)).await
}

async fn submit_team(submission: &Submission) -> Result<Submitted, PageError> {
    let submitted = submission.run_once(Operation::TeamCreate, async |caller| {
        let team = create_team(submission.signed.steward(), caller, &submission.form).await?;
        Ok(Outcome::next(format!("/console/start?team={}", team.id), format!("The team {} was created.", team.name)))
    });
    submitted.await
}

async fn submit_project(submission: &Submission, team_id: TeamId) -> Result<Submitted, PageError> {
    let access = RequestedAccess { team: Some(team_id), ..submission.access(Operation::ProjectCreate) };
    let submitted = submission.run_once_with(access, async |caller| {
        let mut violations = FieldViolations::default();
        let name = violations.check("name", Name::parse(submission.form.text("name")));
        let command = violations.finish(name.map(|name| CreateProject { team_id, name, slug: None }))?;
        let project = submission.signed.steward().projects.create(caller, command).await?;
        let address = format!("/console/start?team={team_id}&project={}", project.id);
        Ok(Outcome::next(address, format!("The project {} was created.", project.name)))
    });
    submitted.await
}

async fn submit_key(submission: &Submission, project: &Project) -> Result<Submitted, PageError> {
    let (signed, id) = (&submission.signed, project.id);
    let roles = KeyRoles::parse(KEY_ROLES).map_err(|error| Error::invalid("roles", error))?;
    let shell = signed.shell(vec![Crumb::here("Your first key")], Vec::new()).await?;
    let access = RequestedAccess {
        project: Some(id),
        granted_roles: Some(roles.clone()),
        ..submission.access(Operation::KeyCreate)
    };
    let submitted = submission.run_once_with(access, async |caller| {
        let mut violations = FieldViolations::default();
        let label = violations.check("label", Label::parse(submission.form.text("label")));
        let command = label.map(|label| CreateKey { label, roles, is_private: true, expires_at: None });
        let issued = signed.steward().api_keys.create(caller, id, violations.finish(command)?).await?;
        let key = issued.secret.expose();
        let view = FirstKey {
            shell,
            key,
            snippets: Snippet::of_project(&signed.steward().address, id, key),
            project: project.name.as_str(),
            address: format!("/console/projects/{id}"),
        };
        Outcome::page(&view, &format!("/console/start?team={}&project={id}", project.team_id))
    });
    submitted.await
}

async fn steps(signed: &Signed, progress: Progress, form: FormState) -> PageResult {
    let shell = signed.shell(vec![Crumb::here("First steps")], Vec::new()).await?;
    let Progress { team, project, has_key } = progress;
    let view = FirstSteps { shell, team, project, has_key, follows_secret: signed.follows_secret(), form };
    view.form.page(signed, &view)
}

/// The steps that are done.
struct Progress {
    team: Option<Team>,
    project: Option<Project>,
    /// Whether the project has a key. Its value was shown when it was created.
    has_key: bool,
}

impl Progress {
    /// Returns the team and the project with these IDs or else the first ones in which the person may take the next
    /// step.
    async fn of(signed: &Signed, team: Option<TeamId>, project: Option<ProjectId>) -> Result<Self, PageError> {
        let steward = signed.steward();
        let memberships = steward.teams.list(&signed.caller, &PageRequest::FIRST).await?.items;
        let permitted = |found: TeamMembership| (found.team, Permitted::with(found.roles.permissions()));
        let mut open: Vec<_> = memberships.into_iter().map(permitted).collect();
        open.retain(|(_, permitted)| permitted.may(Operation::ProjectCreate) && permitted.may(Operation::KeyCreate));
        let chosen = team.and_then(|id| open.iter().position(|(team, _)| team.id == id));
        let Some((team, permitted)) = open.into_iter().nth(chosen.unwrap_or_default()) else {
            return Ok(Self { team: None, project: None, has_key: false });
        };
        let mut projects = steward.projects.list(&signed.caller, &PageRequest::FIRST).await?.items;
        projects.retain(|found| found.project.team_id == team.id);
        let chosen = project.and_then(|id| projects.iter().position(|found| found.project.id == id));
        let project = projects.into_iter().nth(chosen.unwrap_or_default()).map(|found| found.project);
        let has_key = match &project {
            Some(project) if permitted.may(Operation::ProjectGet) => {
                steward.projects.get(&signed.caller, project.id).await?.1.is_some_and(|usage| usage.keys > 0)
            }
            _ => false,
        };
        Ok(Self { team: Some(team), project, has_key })
    }
}

#[derive(Template)]
#[template(path = "console/home/first_run.html")]
struct FirstSteps {
    shell: Shell,
    team: Option<Team>,
    project: Option<Project>,
    has_key: bool,
    follows_secret: bool,
    form: FormState,
}

#[derive(Template)]
#[template(path = "console/home/first_key.html")]
struct FirstKey<'a> {
    shell: Shell,
    key: &'a str,
    snippets: Vec<Snippet>,
    project: &'a str,
    address: String,
}
