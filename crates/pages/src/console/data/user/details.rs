//! A project user: what the project knows about them, their metadata, signing them out, blocking, and erasing.

use askama::Template;
use serde_json::Value;
use steward_domain::data::{UpdateUser, UserExport, UserStatus};
use steward_domain::identity::{DeletionProgress, TokenFamily};
use steward_domain::kernel::Precondition;
use steward_domain::kernel::error::{Error, ResourceKind};
use steward_domain::kernel::policy::Operation;

use crate::console::frame::form::json_text;
use crate::console::frame::{Confirmation, Crumb, FormState, Outcome, Shell, Signed, Submission, Timestamp};
use crate::error::{PageError, PageResult};

use super::list::status_of;
use super::scope::{UserScope, tables};

/// Shows a user with their tables.
pub(crate) async fn show(signed: Signed) -> PageResult {
    let scope = signed.user().await?;
    let (permitted, user) = (scope.project.permitted, &scope.user);
    let is_being_deleted = user.is_being_deleted();
    let data = match permitted.may(Operation::UserExport) && !is_being_deleted {
        true => Some(signed.steward().user_data.export(&signed.caller, user.project_id, user.id).await?),
        false => None,
    };
    let sessions = match permitted.may(Operation::UserSessionList) {
        true => Some(signed.steward().user_sessions.list(&signed.caller, user.project_id, user.id).await?),
        false => None,
    };
    let document = signed.document(&scope.project).await?;
    let tables =
        document.filter(|_| permitted.may(Operation::ItemList) && !is_being_deleted).map(|document| tables(&document));
    signed.page(&UserPage {
        shell: scope.shell(&signed, Vec::new()).await?,
        is_being_deleted,
        profile: pretty(&Value::Object(user.profile.members().clone())),
        meta: pretty(&Value::Object(user.meta.members().clone())),
        data,
        sessions,
        tables: tables.map(|tables| tables.into_iter().map(|name| (scope.table_address(&name), name)).collect()),
        scope,
    })
}

/// Changes the metadata to the entered object.
pub(crate) async fn submit_meta(submission: Submission) -> PageResult {
    let scope = submission.signed.user().await?;
    let (when, address) = (submission.precondition(), scope.at(""));
    let submitted = submission.run_once(Operation::UserUpdate, async |caller| {
        let entered = json_text::object(submission.form.text("meta"));
        let entered = entered.map_err(|error| Error::invalid("meta", format_args!("The metadata {error}")))?;
        let patch = json_text::patch_between(scope.user.meta.members(), &entered);
        let command = UpdateUser { meta: Some(patch), ..UpdateUser::default() };
        let (users, user) = (&submission.signed.steward().project_users, &scope.user);
        users.update(caller, user.project_id, user.id, &command, &when).await?;
        Ok(Outcome::next(address, "The metadata was changed."))
    });
    submitted.await?.or_show(|form| meta_page(&submission.signed, form)).await
}

/// Shows the form to change the metadata.
pub(crate) async fn meta_page(signed: &Signed, form: FormState) -> PageResult {
    let scope = signed.user().await?;
    form.require(scope.project.permitted, Operation::UserUpdate)?;
    let meta = pretty(&Value::Object(scope.user.meta.members().clone()));
    let form = form.starting_with(&[("meta", meta.as_str())]).with_revision(scope.user.revision);
    let view = MetaForm { shell: scope.shell(signed, vec![Crumb::here("Metadata")]).await?, scope, form };
    view.form.page(signed, &view)
}

/// Blocks or unblocks a user.
pub(crate) async fn submit_block(submission: Submission) -> PageResult {
    let scope = submission.signed.user().await?;
    let (when, address) = (submission.precondition(), scope.at(""));
    let submitted = submission.run_once(Operation::UserUpdate, async |caller| {
        let (status, message) = match submission.form.text("status") {
            "blocked" => (UserStatus::Blocked, "The user is blocked."),
            "connected" => (UserStatus::Connected, "The user is no longer blocked."),
            _ => return Err(Error::invalid("status", "must be `blocked` or `connected`")),
        };
        let command = UpdateUser { status: Some(status), ..UpdateUser::default() };
        let (users, user) = (&submission.signed.steward().project_users, &scope.user);
        users.update(caller, user.project_id, user.id, &command, &when).await?;
        Ok(Outcome::next(address, message))
    });
    submitted.await?.or_show(|form| block_page(&submission.signed, form)).await
}

/// Asks whether to block or unblock a user.
pub(crate) async fn block_page(signed: &Signed, form: FormState) -> PageResult {
    let scope = signed.user().await?;
    form.require(scope.project.permitted, Operation::UserUpdate)?;
    let form = form.with_revision(scope.user.revision);
    let is_blocked = scope.user.status == UserStatus::Blocked;
    let crumb = Crumb::here(if is_blocked { "Unblock" } else { "Block" });
    let view =
        BlockForm { shell: scope.shell(signed, vec![crumb]).await?, name: scope.name(), is_blocked, scope, form };
    view.form.page(signed, &view)
}

/// Signs a user out of the project.
pub(crate) async fn submit_sign_out(mut submission: Submission) -> PageResult {
    let scope = submission.signed.user().await?;
    submission.describe(format!("Sign {} out of the project", scope.name()));
    let submitted = submission.run_once(Operation::UserSignOut, async |caller| {
        let (sessions, user) = (&submission.signed.steward().user_sessions, &scope.user);
        sessions.sign_out(caller, user.project_id, user.id, &Precondition::None).await?;
        Ok(Outcome::next(scope.at(""), "The user is signed out."))
    });
    submitted.await?.or_show(|form| sign_out_page(&submission.signed, form)).await
}

/// Asks whether to sign a user out.
pub(crate) async fn sign_out_page(signed: &Signed, form: FormState) -> PageResult {
    let scope = signed.user().await?;
    form.require(scope.project.permitted, Operation::UserSignOut)?;
    let shell = scope.shell(signed, vec![Crumb::here("Sign out")]).await?;
    let page = Confirmation {
        consequences: vec![
            "All sessions of the user in this project end. Sessions in other projects continue.",
            "A service that verifies access tokens on its own may accept one for up to 15 minutes.",
            "The user can sign in again. Block the user to prevent that.",
        ],
        ..Confirmation::of_danger(shell, form, "Sign the user out", scope.name())
    };
    page.page(signed)
}

/// Erases all data that the project stores about a user.
pub(crate) async fn submit_erase(mut submission: Submission) -> PageResult {
    let scope = match submission.signed.user().await {
        Err(PageError::Failed(Error::NotFound(kind @ ResourceKind::ProjectUser))) => {
            return submission.repeated(Operation::UserDelete, kind).await;
        }
        found => found?,
    };
    submission.describe(format!("Erase the data of {}", scope.name()));
    let (when, address) = (submission.precondition(), scope.project.at("/users"));
    let submitted = submission.run_once(Operation::UserDelete, async |caller| {
        if submission.form.text("confirm") != scope.name() {
            return Err(Error::invalid("confirm", "The text must be the name of the user."));
        }
        let (data, user) = (&submission.signed.steward().user_data, &scope.user);
        Ok(match data.erase(caller, user.project_id, user.id, &when).await? {
            DeletionProgress::Complete => Outcome::next(address, "The user and all of their data were erased."),
            DeletionProgress::Continues => Outcome::next(
                address,
                "The user is being deleted. This continues in the background. Until then, nobody can read their data.",
            ),
        })
    });
    submitted.await?.or_show(|form| erase_page(&submission.signed, form)).await
}

/// Asks whether to erase a user.
pub(crate) async fn erase_page(signed: &Signed, form: FormState) -> PageResult {
    let scope = signed.user().await?;
    form.require(scope.project.permitted, Operation::UserDelete)?;
    let form = form.with_revision(scope.user.revision);
    let view =
        EraseForm { shell: scope.shell(signed, vec![Crumb::here("Erase")]).await?, name: scope.name(), scope, form };
    view.form.page(signed, &view)
}

/// Returns JSON as people read it.
pub(crate) fn pretty(value: &Value) -> String {
    format!("{value:#}")
}

#[derive(Template)]
#[template(path = "console/data/user/details.html")]
struct UserPage {
    shell: Shell,
    scope: UserScope,
    /// Whether the deletion of the user continues in the background.
    is_being_deleted: bool,
    profile: String,
    meta: String,
    /// What the user permitted the project, and how they use it.
    data: Option<UserExport>,
    /// `None` if the person may not read them.
    sessions: Option<Vec<TokenFamily>>,
    /// Addresses and names; `None` if the person may not read them, or no schema is published.
    tables: Option<Vec<(String, String)>>,
}

#[derive(Template)]
#[template(path = "console/data/user/meta.html")]
struct MetaForm {
    shell: Shell,
    scope: UserScope,
    form: FormState,
}

#[derive(Template)]
#[template(path = "console/data/user/block.html")]
struct BlockForm {
    shell: Shell,
    scope: UserScope,
    form: FormState,
    name: String,
    is_blocked: bool,
}

#[derive(Template)]
#[template(path = "console/data/user/erase.html")]
struct EraseForm {
    shell: Shell,
    scope: UserScope,
    form: FormState,
    name: String,
}
