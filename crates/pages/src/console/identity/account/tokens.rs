//! Personal access tokens: creating them with limits, and revoking them.

use askama::Template;
use steward_domain::administration::ProjectInTeam;
use steward_domain::identity::{CreateToken, PersonalToken};
use steward_domain::kernel::error::{Error, FieldViolations, ResourceKind};
use steward_domain::kernel::policy::{Operation, RoleSet};
use steward_domain::kernel::{Label, PageRequest, PersonalTokenId, Precondition, ProjectId, TeamId, Time};

use crate::console::administration::team::role_choices::{self, RoleChoices};
use crate::console::frame::timestamps::after_selected_days;
use crate::console::frame::{Confirmation, FormState, Outcome, Shell, Signed, Submission, Timestamp};
use crate::error::{PageError, PageResult};
use crate::request::form::Form;

/// The address of the list.
const ADDRESS: &str = "/console/account/tokens";
/// How long a token can be valid, in days.
const DAYS: [(&str, &str); 5] =
    [("7", "7 days"), ("30", "30 days"), ("90", "90 days"), ("180", "180 days"), ("365", "365 days")];

/// Lists the tokens.
pub(crate) async fn list(signed: Signed) -> PageResult {
    let found = signed.steward().personal_tokens.list(&signed.caller, &signed.page_request()).await?;
    signed.page(&Tokens {
        shell: signed.account_shell("Tokens").await?,
        next: signed.next_page(found.next.as_ref(), &[]),
        tokens: found.items,
        now: signed.steward().clock.now(),
        follows_secret: signed.follows_secret(),
    })
}

/// Returns what a token is limited to.
fn limits(token: &PersonalToken) -> String {
    let count = |number: usize, one: &str, many: &str| match number {
        0 => None,
        1 => Some(format!("1 {one}")),
        number => Some(format!("{number} {many}")),
    };
    let counts = [count(token.teams.len(), "team", "teams"), count(token.projects.len(), "project", "projects")];
    let limits = counts.into_iter().flatten().collect::<Vec<_>>().join(", ");
    if limits.is_empty() { "Everything".to_owned() } else { limits }
}

#[derive(Template)]
#[template(path = "console/identity/account/tokens.html")]
struct Tokens {
    shell: Shell,
    tokens: Vec<PersonalToken>,
    now: Time,
    next: Option<String>,
    follows_secret: bool,
}

/// Creates a token and shows its value.
pub(crate) async fn submit_new(mut submission: Submission) -> PageResult {
    submission.describe("Create a personal access token");
    let signed = &submission.signed;
    let (shell, now) = (new_shell(signed).await?, signed.steward().clock.now());
    let submitted = submission.run_once(Operation::PersonalTokenCreate, async |caller| {
        let issued = signed.steward().personal_tokens.create(caller, command(&submission.form, now)?).await?;
        let view = NewToken {
            shell,
            label: issued.value.label.as_str(),
            value: issued.secret.expose(),
            example: format!(
                "curl -H 'Authorization: Bearer {}' {}",
                issued.secret.expose(),
                signed.steward().address.at("/project/")
            ),
            expires_at: Timestamp::from(issued.value.expires_at),
        };
        Outcome::page(&view, ADDRESS)
    });
    submitted.await?.or_show(|form| new_page(signed, form)).await
}

fn command(form: &Form, now: Time) -> Result<CreateToken, Error> {
    let mut violations = FieldViolations::default();
    let label = violations.check("label", Label::parse(form.text("label")));
    let roles = violations.check("roles", role_choices::selected(form, RoleSet::parse));
    let teams = violations.check("teams", ids(form, "teams", TeamId::parse));
    let projects = violations.check("projects", ids(form, "projects", ProjectId::parse));
    let expires_at = violations.check("days", after_selected_days(form, &DAYS, now));
    let limits = teams.zip(projects).zip(expires_at);
    violations.finish(label.zip(roles).zip(limits).map(|((label, roles), ((teams, projects), expires_at))| {
        CreateToken { label, roles, teams, projects, expires_at }
    }))
}

/// Returns the IDs that a form selects.
fn ids<T>(form: &Form, field: &str, parse: impl Fn(&str) -> Option<T>) -> Result<Vec<T>, &'static str> {
    let selected = form.fields().filter(|(name, _)| *name == field);
    selected.map(|(_, value)| parse(value)).collect::<Option<_>>().ok_or("must be chosen from the list")
}

async fn new_shell(signed: &Signed) -> Result<Shell, PageError> {
    Ok(signed.account_shell("Tokens").await?.below(ADDRESS.to_owned(), "New token"))
}

/// Shows the form that creates a token.
pub(crate) async fn new_page(signed: &Signed, form: FormState) -> PageResult {
    let steward = signed.steward();
    let teams = steward.teams.list(&signed.caller, &PageRequest::FIRST).await?.items;
    let projects = steward.projects.list(&signed.caller, &PageRequest::FIRST).await?.items;
    let project = |found: &ProjectInTeam| {
        (found.project.id.to_string(), format!("{} in {}", found.project.name, found.team_name))
    };
    let view = TokenForm {
        shell: new_shell(signed).await?,
        form: form.starting_with(&[("days", "30")]),
        choices: RoleChoices::all(),
        teams: teams.iter().map(|found| (found.team.id.to_string(), found.team.name.to_string())).collect(),
        projects: projects.iter().map(project).collect(),
    };
    view.form.page(signed, &view)
}

#[derive(Template)]
#[template(path = "console/identity/account/token_form.html")]
struct TokenForm {
    shell: Shell,
    form: FormState,
    choices: RoleChoices,
    /// IDs and labels.
    teams: Vec<(String, String)>,
    projects: Vec<(String, String)>,
}

#[derive(Template)]
#[template(path = "console/identity/account/token_value.html")]
struct NewToken<'a> {
    shell: Shell,
    label: &'a str,
    value: &'a str,
    example: String,
    expires_at: Timestamp,
}

/// Revokes a token.
pub(crate) async fn submit_revoke(submission: Submission) -> PageResult {
    let (signed, id) = (&submission.signed, token_id(&submission.signed)?);
    let submitted = submission.run_once(Operation::PersonalTokenRevoke, async |caller| {
        signed.steward().personal_tokens.revoke(caller, id, &Precondition::None).await?;
        Ok(Outcome::next(ADDRESS, "The token was revoked."))
    });
    submitted.await?.or_show(|form| revoke_page(signed, form)).await
}

fn token_id(signed: &Signed) -> Result<PersonalTokenId, PageError> {
    let id = PersonalTokenId::parse(signed.parameter("token"));
    Ok(id.ok_or(Error::NotFound(ResourceKind::PersonalToken))?)
}

/// Asks whether to revoke a token.
pub(crate) async fn revoke_page(signed: &Signed, form: FormState) -> PageResult {
    let token = signed.steward().personal_tokens.get(&signed.caller, token_id(signed)?).await?;
    let shell = signed.account_shell("Tokens").await?.below(ADDRESS.to_owned(), "Revoke");
    let page = Confirmation {
        consequences: vec!["Programs that use the token are refused at once. This cannot be undone."],
        ..Confirmation::of_danger(shell, form, "Revoke the token", token.label.as_str())
    };
    page.page(signed)
}
