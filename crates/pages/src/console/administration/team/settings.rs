//! Settings of a team, and deleting it.

use askama::Template;
use steward_domain::administration::{ProjectInTeam, UpdateTeam};
use steward_domain::identity::{format_due_time, parse_due_time};
use steward_domain::kernel::error::{Error, FieldViolations, ResourceKind};
use steward_domain::kernel::policy::Operation;
use steward_domain::kernel::{Name, Slug};

use crate::console::frame::{FormState, Outcome, Shell, Signed, Submission, TeamScope, unless_deleted};
use crate::error::PageResult;

/// Changes the settings.
pub(crate) async fn submit(mut submission: Submission) -> PageResult {
    let scope = submission.signed.team().await?;
    submission.describe(format!("Change the settings of the team {}", scope.team.name));
    let (when, address, id) = (submission.precondition(), scope.at("/settings"), scope.team.id);
    let submitted = submission.run_once(Operation::TeamUpdate, async |caller| {
        let mut violations = FieldViolations::default();
        let command = UpdateTeam {
            name: violations.check("name", Name::parse(submission.form.text("name"))),
            slug: violations.check("slug", Slug::parse(submission.form.text("slug"))),
            second_factor_from: Some(violations.check_given(
                "second_factor_from",
                submission.form.given("second_factor_from"),
                parse_due_time,
            )),
        };
        let command = violations.finish(Some(command))?;
        submission.signed.steward().teams.update(caller, id, command, &when).await?;
        Ok(Outcome::next(address, "The team was changed."))
    });
    submitted.await?.or_show(|form| edit_page(&submission.signed, form)).await
}

/// Shows the settings.
pub(crate) async fn edit_page(signed: &Signed, form: FormState) -> PageResult {
    let scope = signed.team().await?;
    scope.permitted.require(Operation::TeamUpdate)?;
    let second_factor_from = scope.team.second_factor_from.map(format_due_time).unwrap_or_default();
    let values = [
        ("name", scope.team.name.as_str()),
        ("slug", scope.team.slug.as_str()),
        ("second_factor_from", &second_factor_from),
    ];
    let form = form.starting_with(&values).with_revision(scope.team.revision);
    let view = TeamSettings { shell: scope.shell(signed, "Settings").await?, scope, form };
    view.form.page(signed, &view)
}

#[derive(Template)]
#[template(path = "console/administration/team/settings.html")]
struct TeamSettings {
    shell: Shell,
    scope: TeamScope,
    form: FormState,
}

/// Deletes the team.
pub(crate) async fn submit_delete(mut submission: Submission) -> PageResult {
    let Some(scope) = unless_deleted(submission.signed.team().await)? else {
        return submission.repeated(Operation::TeamDelete, ResourceKind::Team).await;
    };
    submission.describe(format!("Delete the team {}", scope.team.name));
    let when = submission.precondition();
    let submitted = submission.run_once(Operation::TeamDelete, async |caller| {
        let team = &scope.team;
        if submission.form.text("confirm").trim() != team.slug.as_str() {
            return Err(Error::invalid("confirm", "The text must be the slug of the team."));
        }
        submission.signed.steward().teams.delete(caller, team.id, &when).await?;
        Ok(Outcome::next("/", format!("The team {} was deleted.", team.name)))
    });
    submitted.await?.or_show(|form| delete_page(&submission.signed, form)).await
}

/// Asks whether to delete the team.
pub(crate) async fn delete_page(signed: &Signed, form: FormState) -> PageResult {
    let scope = signed.team().await?;
    scope.permitted.require(Operation::TeamDelete)?;
    let projects = match scope.permitted.may(Operation::TeamGet) {
        true => signed.steward().teams.get(&signed.caller, scope.team.id).await?.projects,
        false => Vec::new(),
    };
    let form = form.with_revision(scope.team.revision);
    let view = DeleteTeam {
        shell: match scope.permitted.may(Operation::TeamUpdate) {
            true => scope.shell(signed, "Settings").await?.below(scope.at("/settings"), "Delete the team"),
            false => scope.shell(signed, "Delete").await?,
        },
        projects,
        scope,
        form,
    };
    view.form.page(signed, &view)
}

#[derive(Template)]
#[template(path = "console/administration/team/delete.html")]
struct DeleteTeam {
    shell: Shell,
    scope: TeamScope,
    /// Projects that must be deleted first.
    projects: Vec<ProjectInTeam>,
    form: FormState,
}
