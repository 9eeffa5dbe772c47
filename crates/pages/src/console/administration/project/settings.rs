//! Settings of a project, and deleting it.

use askama::Template;
use serde_json::{Map, Value, json};
use steward_domain::administration::{Project, ProjectImage, UpdateProject, Website};
use steward_domain::kernel::error::{Error, FieldViolations, ResourceKind};
use steward_domain::kernel::policy::Operation;
use steward_domain::kernel::{Name, Slug};

use crate::console::frame::{FormState, Outcome, ProjectScope, Shell, Signed, Submission, unless_deleted};
use crate::error::PageResult;
use crate::request::form::Form;

use super::images;

/// Returns the URLs of the icon and of the background image in the profile; empty without one.
fn image_urls(project: &Project) -> (&str, &str) {
    fn text(value: Option<&Value>) -> &str {
        value.and_then(Value::as_str).unwrap_or_default()
    }
    let profile = project.profile.members();
    (text(profile.get("icon_url")), text(profile.get("styles").and_then(|styles| styles.get("background_url"))))
}

/// Changes the settings.
pub(crate) async fn submit(submission: Submission) -> PageResult {
    let scope = submission.signed.project().await?;
    let (when, address, id) = (submission.precondition(), scope.at("/settings"), scope.project.id);
    let submitted = submission.run_once(Operation::ProjectUpdate, async |caller| {
        let command = command(&submission.form, &scope.project)?;
        submission.signed.steward().projects.update(caller, id, command, &when).await?;
        Ok(Outcome::next(address, "The project was changed."))
    });
    submitted.await?.or_show(|form| edit_page(&submission.signed, form)).await
}

fn command(form: &Form, project: &Project) -> Result<UpdateProject, Error> {
    let mut violations = FieldViolations::default();
    let command = UpdateProject {
        name: violations.check("name", Name::parse(form.text("name"))),
        slug: violations.check("slug", Slug::parse(form.text("slug"))),
        website: Some(violations.check_given("website", form.given("website"), Website::parse)),
        profile: profile_patch(project, form, &mut violations),
        team_id: None,
    };
    violations.finish(Some(command))
}

/// Returns the changes of the profile. The rest of it stays.
fn profile_patch(project: &Project, form: &Form, violations: &mut FieldViolations) -> Option<Map<String, Value>> {
    let mut url = |field| violations.check_given(field, form.given(field), Website::parse);
    let (icon, background) = (url("icon_url"), url("background_url"));
    let (icon, background) = (icon.as_ref().map(Website::as_str), background.as_ref().map(Website::as_str));
    let (stored_icon, stored_background) = image_urls(project);
    let mut patch = Map::new();
    if icon.unwrap_or_default() != stored_icon {
        patch.insert("icon_url".into(), json!(icon));
    }
    if background.unwrap_or_default() != stored_background {
        patch.insert("styles".into(), json!({ "background_url": background }));
    }
    (!patch.is_empty()).then_some(patch)
}

/// Shows the settings.
pub(crate) async fn edit_page(signed: &Signed, form: FormState) -> PageResult {
    let scope = signed.project().await?;
    scope.permitted.require(Operation::ProjectUpdate)?;
    let (project, (icon, background)) = (&scope.project, image_urls(&scope.project));
    let values = [
        ("name", project.name.as_str()),
        ("slug", project.slug.as_str()),
        ("website", project.website.as_ref().map_or("", Website::as_str)),
        ("icon_url", icon),
        ("background_url", background),
    ];
    let form = form.starting_with(&values).with_revision(project.revision);
    let view = ProjectSettings {
        shell: scope.shell(signed, "Settings").await?,
        icon: images::path_of(&scope.project, ProjectImage::Icon),
        background: images::path_of(&scope.project, ProjectImage::Background),
        scope,
        form,
    };
    view.form.page(signed, &view)
}

#[derive(Template)]
#[template(path = "console/administration/project/settings.html")]
struct ProjectSettings {
    shell: Shell,
    scope: ProjectScope,
    /// Paths of the uploaded images.
    icon: Option<String>,
    background: Option<String>,
    form: FormState,
}

/// Deletes the project.
pub(crate) async fn submit_delete(mut submission: Submission) -> PageResult {
    let Some(scope) = unless_deleted(submission.signed.project().await)? else {
        return submission.repeated(Operation::ProjectDelete, ResourceKind::Project).await;
    };
    submission.describe(format!("Delete the project {}", scope.project.name));
    let when = submission.precondition();
    let submitted = submission.run_once(Operation::ProjectDelete, async |caller| {
        let project = &scope.project;
        if submission.form.text("confirm").trim() != project.slug.as_str() {
            return Err(Error::invalid("confirm", "The text must be the slug of the project."));
        }
        submission.signed.steward().projects.delete(caller, project.id, &when).await?;
        let address = scope.team_address().unwrap_or_else(|| "/".to_owned());
        Ok(Outcome::next(address, format!("The project {} was deleted.", project.name)))
    });
    submitted.await?.or_show(|form| delete_page(&submission.signed, form)).await
}

/// Asks whether to delete the project.
pub(crate) async fn delete_page(signed: &Signed, form: FormState) -> PageResult {
    let scope = signed.project().await?;
    scope.permitted.require(Operation::ProjectDelete)?;
    let items = match scope.permitted.may(Operation::ProjectGet) {
        true => signed.steward().projects.get(&signed.caller, scope.project.id).await?.1.map_or(0, |usage| usage.items),
        false => 0,
    };
    let form = form.with_revision(scope.project.revision);
    let shell = match scope.permitted.may(Operation::ProjectUpdate) {
        true => scope.shell(signed, "Settings").await?.below(scope.at("/settings"), "Delete the project"),
        false => scope.shell(signed, "Delete").await?,
    };
    let view = DeleteProject { shell, items, scope, form };
    view.form.page(signed, &view)
}

#[derive(Template)]
#[template(path = "console/administration/project/delete.html")]
struct DeleteProject {
    shell: Shell,
    scope: ProjectScope,
    items: u64,
    form: FormState,
}
