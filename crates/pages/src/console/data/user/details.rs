//! A project user: what the project knows about them, their metadata, signing them out, blocking, and erasing.

use askama::Template;
use serde_json::Value;
use steward_domain::data::{UpdateUser, UserStatus};
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
    let access = data.map(|data| UserAccess {
        scopes: data.grant.as_ref().map(|grant| grant.all_scopes().to_string()),
        since: data.grant.map(|grant| Timestamp::from(grant.created_at)),
        active_days: data.active_days.len(),
    });
    let sessions = match permitted.may(Operation::UserSessionList) {
        true => Some(signed.steward().user_sessions.list(&signed.caller, user.project_id, user.id).await?),
        false => None,
    };
    let document = signed.document(&scope.project).await?;
    let tables =
        document.filter(|_| permitted.may(Operation::ItemList) && !is_being_deleted).map(|document| tables(&document));
    signed.page(&UserPage {
        shell: scope.shell(&signed, Vec::new()).await?,
        name: scope.name(),
        status: status_of(user),
        is_being_deleted,
        is_connected: user.status == UserStatus::Connected,
        is_blocked: user.status == UserStatus::Blocked,
        last_seen_at: Timestamp::from(user.last_seen_at),
        created_at: Timestamp::from(user.created_at),
        profile: pretty(&Value::Object(user.profile.members().clone())),
        meta: pretty(&Value::Object(user.meta.members().clone())),
        access,
        sessions: sessions.map(|families| families.iter().map(session_line).collect()),
        tables: tables.map(|tables| tables.into_iter().map(|name| (scope.table_address(&name), name)).collect()),
        scope,
    })
}

/// Shows the form to change the metadata.
pub(crate) async fn show_meta(signed: Signed) -> PageResult {
    let scope = signed.user().await?;
    scope.project.permitted.require(Operation::UserUpdate)?;
    let meta = pretty(&Value::Object(scope.user.meta.members().clone()));
    let form = FormState::new(&signed, &[("meta", meta.as_str())]);
    meta_page(&signed, scope, form).await
}

/// Changes the metadata to the entered object.
pub(crate) async fn submit_meta(submission: Submission) -> PageResult {
    let scope = submission.signed.user().await?;
    let (when, address) = (submission.precondition(), scope.at(""));
    let submitted = submission.run_once(Operation::UserUpdate, async |caller| {
        let entered = json_text::object(submission.form.text("meta"));
        let entered = entered.map_err(|error| Error::invalid("meta", format_args!("The metadata {error}")))?;
        let patch = json_text::patch_between(scope.user.meta.members(), &entered);
        let command = UpdateUser { meta: Some(patch), status: None };
        let (users, user) = (&submission.signed.steward().project_users, &scope.user);
        users.update(caller, user.project_id, user.id, &command, &when).await?;
        Ok(Outcome::next(address, "The metadata was changed."))
    });
    submitted.await?.or_show(|form| meta_page(&submission.signed, scope, form)).await
}

async fn meta_page(signed: &Signed, scope: UserScope, form: FormState) -> PageResult {
    let form = form.with_revision(scope.user.revision);
    let view = MetaForm { shell: scope.shell(signed, vec![Crumb::here("Metadata")]).await?, scope, form };
    view.form.page(signed, &view)
}

/// Asks whether to block or unblock a user.
pub(crate) async fn show_block(signed: Signed) -> PageResult {
    let scope = signed.user().await?;
    scope.project.permitted.require(Operation::UserUpdate)?;
    let form = FormState::new(&signed, &[]);
    block_page(&signed, scope, form).await
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
        let command = UpdateUser { meta: None, status: Some(status) };
        let (users, user) = (&submission.signed.steward().project_users, &scope.user);
        users.update(caller, user.project_id, user.id, &command, &when).await?;
        Ok(Outcome::next(address, message))
    });
    submitted.await?.or_show(|form| block_page(&submission.signed, scope, form)).await
}

async fn block_page(signed: &Signed, scope: UserScope, form: FormState) -> PageResult {
    let form = form.with_revision(scope.user.revision);
    let is_blocked = scope.user.status == UserStatus::Blocked;
    let crumb = Crumb::here(if is_blocked { "Unblock" } else { "Block" });
    let view =
        BlockForm { shell: scope.shell(signed, vec![crumb]).await?, name: scope.name(), is_blocked, scope, form };
    view.form.page(signed, &view)
}

/// Asks whether to sign a user out.
pub(crate) async fn show_sign_out(signed: Signed) -> PageResult {
    let scope = signed.user().await?;
    scope.project.permitted.require(Operation::UserSignOut)?;
    let form = FormState::new(&signed, &[]);
    sign_out_page(&signed, &scope, form).await
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
    submitted.await?.or_show(|form| sign_out_page(&submission.signed, &scope, form)).await
}

async fn sign_out_page(signed: &Signed, scope: &UserScope, form: FormState) -> PageResult {
    let page = Confirmation {
        shell: scope.shell(signed, vec![Crumb::here("Sign out")]).await?,
        form,
        title: "Sign the user out",
        subject: scope.name(),
        last_used: None,
        consequences: vec![
            "All sessions of the user in this project end. Sessions in other projects continue.".to_owned(),
            "A service that verifies access tokens on its own may accept one for up to 15 minutes.".to_owned(),
            "The user can sign in again. Block the user to prevent that.".to_owned(),
        ],
        button: "Sign the user out",
        is_danger: true,
    };
    page.form.page(signed, &page)
}

/// Asks whether to erase a user.
pub(crate) async fn show_erase(signed: Signed) -> PageResult {
    let scope = signed.user().await?;
    scope.project.permitted.require(Operation::UserDelete)?;
    let form = FormState::new(&signed, &[]);
    erase_page(&signed, scope, form).await
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
    submitted.await?.or_show(|form| erase_page(&submission.signed, scope, form)).await
}

async fn erase_page(signed: &Signed, scope: UserScope, form: FormState) -> PageResult {
    let form = form.with_revision(scope.user.revision);
    let view =
        EraseForm { shell: scope.shell(signed, vec![Crumb::here("Erase")]).await?, name: scope.name(), scope, form };
    view.form.page(signed, &view)
}

/// Returns JSON as people read it.
pub(crate) fn pretty(value: &Value) -> String {
    format!("{value:#}")
}

/// A sign-in of the user to the project.
struct SessionLine {
    since: Timestamp,
    scopes: String,
}

fn session_line(family: &TokenFamily) -> SessionLine {
    SessionLine { since: Timestamp::from(family.created_at), scopes: family.scopes.to_string() }
}

/// What the user permitted the project, and how they use it.
struct UserAccess {
    /// `None` if the user has not consented, or has withdrawn the consent.
    scopes: Option<String>,
    since: Option<Timestamp>,
    active_days: usize,
}

#[derive(Template)]
#[template(path = "console/data/user/details.html")]
struct UserPage {
    shell: Shell,
    scope: UserScope,
    name: String,
    status: &'static str,
    /// Whether the deletion of the user continues in the background.
    is_being_deleted: bool,
    is_connected: bool,
    is_blocked: bool,
    last_seen_at: Timestamp,
    created_at: Timestamp,
    profile: String,
    meta: String,
    access: Option<UserAccess>,
    /// `None` if the person may not read them.
    sessions: Option<Vec<SessionLine>>,
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
